"""Maxima and roots that the estimates need, with certificates.

====================  ===========================================================================
`arrays`              types of arrays for annotations
`levels`              confidence levels, and their normal quantiles
`inverting`           p-values, from intervals at several levels
`convergence`         certificates of a maximum
`mixture`             the most likely mixture of given distributions
`roots`               roots of functions, many at once or the first on a way
`memory`              whether a regression fits into memory
====================  ===========================================================================
"""
