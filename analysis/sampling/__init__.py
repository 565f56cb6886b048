"""Samples that are not simple: weights, strata, clusters, margins.

====================  ===========================================================================
`debiased`            each respondent's report as a number that averages to the truth
`design`              weights, strata and clusters, checked
`calibration`         weights that give known margins: post-stratification, raking, trimming
`design_based`        means and totals of such numbers, with the sampling design's own errors
`contrasts`           how much two parts of a population differ
`effective`           how many people of equal weight tell as much, and their intervals
`of_items`            an item of a survey, estimated from such a sample
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
