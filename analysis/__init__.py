"""Where only tallies exist: from counts of reports to rates with intervals.

In the order in which data flows:

====================  ===========================================================================
`tally`               counts of every item's reports: all that the estimates need of the data
`reports_csv`         noisy reports as a CSV, read strictly and written without a trace of order
`data_file`           columns of any CSV, and the reports that their cells stand for
`estimator`           the unbiased estimator of least variance, which belongs to a channel
`estimation`          `estimate`: counts and a channel in, an `Estimate` of the shares out
`means`               `estimate_mean`: the same for the mean of a number
`proportion`          intervals for a binomial proportion
`intervals`           those intervals carried through a channel, and Wald's
`always_valid`        intervals that hold however often somebody looks while a survey runs
`coverage`            how often an interval holds the truth, by exact enumeration
`likelihood`          maximum likelihood on the simplex, and profile intervals
`bootstrap`           bootstrap and jackknife from the tally
`joint`               several groups or items: differences, tests, tables, correlations
`regression`          what the truth depends on, and what depends on the truth
`sampling`            weights, strata, clusters, finite populations
`arms`                designs with an unknown nuisance: several channels, one population
`scrambling`          scrambled numbers that were collected elsewhere
`compliance`          when some do not follow the design
`poisoning`           what dishonest respondents can do
`privacy`             what an adversary learns from a report
`planning`            how many people to ask, and how to spend ε
`numerics`            maxima and roots, with certificates
`results`             every estimate of a survey, in the order of its questions
`export`, `figures`   those results as CSV, JSON and figures
`coefficient_figure`  a regression as a figure
====================  ===========================================================================

Everything after the tally costs the same whatever the number of respondents, except where
respondents are told apart: regression and samples with weights.
"""

from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.means import MeanEstimate, estimate_mean
from deniable.analysis.results import Results, summarise
from deniable.analysis.tally import Tally, count_reports

__all__ = [
    "Estimate",
    "MeanEstimate",
    "Results",
    "Tally",
    "count_reports",
    "estimate",
    "estimate_mean",
    "summarise",
]
