"""Samples that are not simple: weights, strata, clusters, finite populations, replicate weights.

====================  ===========================================================================
`debiased`            each respondent's report as a number that averages to the truth
`design_based`        means and totals of such numbers, with the sampling design's own errors
`effective`           how many people of equal weight tell as much, and their intervals
`of_items`            an item of a survey, estimated from such a sample
====================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.sampling.debiased import (
        Debiased,
        debiased_applicable,
        debiased_shares,
        debiased_values,
        direct_values,
    )
    from deniable.analysis.sampling.design_based import (
        DesignDifference,
        DesignEstimate,
        SamplingDesign,
        Stage,
        difference,
        mean,
        sampling_design,
        total,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "Debiased",
    "DesignDifference",
    "DesignEstimate",
    "SamplingDesign",
    "Stage",
    "debiased_applicable",
    "debiased_shares",
    "debiased_values",
    "difference",
    "direct_values",
    "mean",
    "sampling_design",
    "total",
]
