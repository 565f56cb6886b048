"""Findings as figures: SVG, PNG and PDF by matplotlib, which loads slowly and here alone.

==============  =================================================================================
`drawing`       how every figure looks and is saved
`question`      the figure of a question: shares and means
`forest`        coefficients, ratios and the like, below one another
`trend`         the figure of a question over waves
`watermark`     the mark across figures of made-up data
==============  =================================================================================
"""
