"""Findings as figures: SVG, PNG and PDF by matplotlib, which loads slowly and only here.

==============  =================================================================================
`drawing`       the style of every figure, and how it is saved
`caption`       what a figure shows, in words: in the file, and as a file of its own
`groups`        the results of groups as those of a question
`question`      the figure of a question: shares and means
`forest`        a forest plot: coefficients, ratios and the like, below one another
`trend`         the figure of a question over waves
`watermark`     the mark across figures of made-up data
==============  =================================================================================
"""
