"""Where only tallies exist: from counts of reports to rates with intervals.

Begin with ``from deniable import analysis as da``, and ``da.estimate``, ``da.crosstab``,
``da.regress`` and all the others are there, loaded when they are asked for; ``da.planning``,
``da.privacy`` and ``da.sampling`` are rooms of their own.

In the order in which data flows:

====================  ===========================================================================
`counts`              reports counted: what the estimates need of the data
`estimation`          `estimate`: counts and a channel in, an `Estimate` of the shares out
`means`               `estimate_mean`: the same for the mean of a number
`domain_shares`       shares among the people to whom a question applies
`intervals`           confidence intervals: methods, exact, by inversion, always valid; coverage
`likelihood`          maximum likelihood on the simplex, and profile intervals
`design_test`         whether chance explains an estimate that is not possible
`joint`               several groups or items: differences, tests, tables, correlations
`regression`          what the truth depends on, and what depends on the truth
`sampling`            weights, strata, clusters, finite populations
`noncompliance`       how many follow the design, and estimates corrected for the others
`sensitivity_curve`   how an estimate depends on what the others do
`control`             how many followed the instructions, by a control question
`privacy`             what an adversary learns from a report; disclosure; poisoning
`planning`            how many people to ask, and how to spend ε
`audit`               whether how soon a program sends depends on what is true
`numerics`            maxima and roots, with certificates
`findings`            shares, means and their intervals, and whether the design was followed
`results`             every estimate of a survey, in the order of its questions
`waves`               the same by wave, and the changes between them
`mean_of_waves`       the mean over waves, with an error that holds whoever answered each time
====================  ===========================================================================

Everything after the tally costs the same whatever the number of respondents, except where
respondents are told apart: regression and samples with weights.
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
