"""Maxima and roots that the estimates need, with certificates.

====================  ===========================================================================
`arrays`              the kinds of arrays that annotations name
`levels`              confidence levels, and their normal quantiles
`inverting`           p-values, from intervals at several levels
`convergence`         what it means that a maximum was found
`mixture`             the most likely mixture of given distributions
`roots`               roots of many functions at once, between brackets
====================  ===========================================================================
"""
