"""Samples that are not simple: weights, strata, clusters, finite populations, replicate weights.

====================  ===========================================================================
`debiased`            each respondent's report as a number that averages to the truth
`design_based`        means and totals of such numbers, with the sampling design's own errors
====================  ===========================================================================
"""
