"""Before anybody is asked: widths, power, the price of privacy, and how to spend ε.

====================  ===========================================================================
`reach`               how far the interval that is shown reaches at most
`widths`              how wide an interval to expect, and sample sizes for a width
`power`               power of a test and sample sizes for it, exact where counts are binomial
`significance`        which results a planned test calls significant
`efficiency`          the design effect: what privacy costs in respondents
`budgets`             how precise each question of a survey will be
`spending`            the same survey with its ε spent otherwise
`ways`                which precision, people and protection can be had together
`together`            what it gains to randomise questions as one answer
`advice`              what a researcher is told of a survey before anybody answers it
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
