"""How often 95 % intervals hold the truth: the grid of ``docs/evidence.csv``.

============  ==================================================================
`cells`       a cell of the grid, and how the cells are measured
`shares`      shares, differences and ratios, summed over all possible surveys
`tails`       shares, means and cells whose interval inverts the tails of a test
`samples`     weights, clusters and waves
`regressions` coefficients, and effects of randomised items
============  ==================================================================
"""
