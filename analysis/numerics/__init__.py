"""Maxima and roots that the estimates need, with certificates.

====================  ===========================================================================
`convergence`         what it means that a maximum was found
`mixture`             the most likely mixture of given distributions
`roots`               roots of many functions at once, between brackets
====================  ===========================================================================
"""
