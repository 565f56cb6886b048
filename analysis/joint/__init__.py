"""Several groups or several items: differences, tests, joint tables, correlations.

======================  ===========================================================================
`groups`                differences of shares, between two groups or every pair
`group_means`           means of a number in groups, known or randomised, and their differences
`ratios`                ratios and odds ratios of the shares in two groups
`association`           chi-square tests of homogeneity and independence
`counting`              how often each combination of reports came
`tables`                joint tables of several items
`together`              joint tables of two items that are randomised as one answer
`joint_likelihood`      the most likely joint table, with a certificate
`correlations`          covariances and correlations of items
`correlation_interval`  the correlations that joint reports do not contradict
======================  ===========================================================================
"""
