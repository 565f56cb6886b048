"""Estimates from counts of reports: rates with errors and intervals.

Begin with ``from deniable import analysis as da``, and ``da.estimate``, ``da.crosstab``,
``da.regress`` and all other names load on first use; ``da.planning``, ``da.privacy`` and
``da.sampling`` are subpackages.

In the order in which data flows:

====================  ===========================================================================
`counts`              counts of reports, the only data of the estimates
`estimated`           what every estimate has: values, errors, a possible range, intervals
`estimation`          `estimate`: from counts and a channel to an `Estimate` of the shares
`errors`              standard errors, none less than the known noise leaves
`means`               the mean of a number; shares among the people to whom a question applies
`intervals`           confidence intervals: methods, exact, by inversion, always valid; coverage
`likelihood`          maximum likelihood on the simplex, and profile intervals
`joint_likelihood`    the same of a joint table of several items
`design_test`         whether chance explains an impossible estimate
`joint`               several groups or items: differences, tests, tables, correlations
`regression`          what the truth depends on, and what depends on the truth
`sampling`            weights, strata, clusters, calibration
`noncompliance`       how many follow the design, and estimates corrected for the rest
`sensitivity_curve`   how an estimate depends on people who do not follow it
`control`             how many followed the instructions, by a control question
`privacy`             what an adversary learns from a report; disclosure; poisoning
`planning`            how many people to ask, and how to spend ε
`audit`               whether a program's delay depends on the truth
`numerics`            maxima and roots, with certificates
`findings`            an estimate with its error and interval, whatever it is of
`results`             every estimate of a survey, and whether the design was followed
`waves`               every estimate by wave, and the changes between waves
`mean_of_waves`       the mean over waves, even if the same people answered each
====================  ===========================================================================

After the tally the cost does not depend on the number of respondents, except in regressions and in
samples with weights, which need each respondent's row.
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
