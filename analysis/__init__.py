"""Where only tallies exist: from counts of reports to rates with intervals.

In the order in which data flows:

====================  ===========================================================================
`tally`               counts of every item's reports: all that the estimates need of the data
`reports_csv`         noisy reports as a CSV, read strictly and written without a trace of order
`estimator`           the unbiased estimator of least variance, which belongs to a channel
`likelihood`          the maximum-likelihood estimate on the simplex, with a certificate
`proportion`          intervals for a binomial proportion
`intervals`           those intervals carried through a channel, and Wald's
`estimation`          `estimate`: counts and a channel in, an `Estimate` out
`results`             every estimate of a survey, in the order of its questions
`export`              those results as CSV and JSON
`figures`             those results as figures
`planning`            how wide an interval to expect, before anybody is asked
====================  ===========================================================================

Everything after the tally costs the same whatever the number of respondents.
"""

from deniable.analysis.estimation import Estimate, estimate
from deniable.analysis.planning import half_width
from deniable.analysis.results import Results, summarise
from deniable.analysis.tally import Tally, count_reports

__all__ = [
    "Estimate",
    "Results",
    "Tally",
    "count_reports",
    "estimate",
    "half_width",
    "summarise",
]
