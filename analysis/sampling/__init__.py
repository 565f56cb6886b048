"""Samples that are not simple: weights, strata, clusters, finite populations, replicate weights.

====================  ===========================================================================
`debiased`            each respondent's report as a number that averages to the truth
`design_based`        means and totals of such numbers, with the sampling design's own errors
====================  ===========================================================================
"""

from typing import TYPE_CHECKING

from deniable.doors import door

if TYPE_CHECKING:
    from deniable.analysis.sampling.debiased import (
        Debiased,
        debiased_shares,
        debiased_values,
        direct_values,
    )
    from deniable.analysis.sampling.design_based import (
        DesignEstimate,
        Replicates,
        SamplingDesign,
        Stage,
        bootstrap,
        jackknife,
        mean,
        sampling_design,
        total,
    )
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [
    "Debiased",
    "DesignEstimate",
    "Replicates",
    "SamplingDesign",
    "Stage",
    "bootstrap",
    "debiased_shares",
    "debiased_values",
    "direct_values",
    "jackknife",
    "mean",
    "sampling_design",
    "total",
]
