"""Complex samples: weights, strata, clusters, margins.

====================  ===========================================================================
`debiased`            each respondent's report as an unbiased number
`design`              weights, strata and clusters, checked
`calibration`         weights that give known margins: post-stratification, raking, trimming
`design_based`        means of such numbers, with errors by the sampling design
`contrasts`           differences between two parts of a population
`effective`           effective sample sizes, and their intervals
`of_items`            estimates of a survey's item from such a sample
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
