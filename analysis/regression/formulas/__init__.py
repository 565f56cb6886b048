"""What regressions are written as: formulas read, and the tables that they make of data.

====================  ===========================================================================
`reader`              formulas read by formulaic's parser, and by a list of what may stand in them
`functions`           the functions that a formula may call, and what they may be given
`table`               covariates of a data frame, and of new data that are like it
====================  ===========================================================================
"""
