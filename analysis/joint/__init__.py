"""Several groups or several items: differences, tests, joint tables, correlations.

======================  ===========================================================================
`groups`                differences, ratios and odds ratios of shares between groups
`association`           chi-square tests of homogeneity and independence
`crosstab`              joint tables of several items
`joint_likelihood`      the most likely joint table, with a certificate
`correlation`           covariances and correlations of items
`correlation_interval`  the correlations that joint reports do not contradict
======================  ===========================================================================
"""
