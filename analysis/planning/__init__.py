"""Planning before a survey: reach, power, the price of privacy, and how to spend ε.

====================  ===========================================================================
`reach`               the greatest reach of the interval that results show
`power`               power of a test of two groups and sample sizes for it
`significance`        which results a planned test calls significant
`efficiency`          the design effect: what privacy costs in respondents
`budgets`             how precise each question of a survey will be
`alternatives`        the same survey with its ε spent differently
`together`            the gain from randomising questions as one answer
`advice`              advice to a researcher before anyone answers a survey
====================  ===========================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
