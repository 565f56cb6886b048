"""A survey with its reports: what a researcher asks of both, in a notebook or at a prompt.

The analysis knows counts and channels. Here stands what knows which survey they belong to: nobody
types a design, a code or a level again. Everything that is asked gives a `Result`
(`deniable.results.result`): it prints as a table, is one in a notebook, and can be kept or drawn.

==============  =================================================================================
`opening`       `open_study`: a survey and its reports, from files, a store or a desk; `open_tally`
`addresses`     how the address of a desk is told from a file
`remote`        a survey and its reports from a desk, over its API
`study`         `Study`: shares, groups, crosstabs, regressions and plans of a survey
`counted`       `CountedStudy`: the same of counted reports; these are read only where counts do
                not suffice, and of a tally file never
`tallies`       tallies that travel, and the engines that count them
`questions`     what all of these ask: of one question, of two, and wave by wave
`reports`       the reports of a study: their columns, groups, weights and covariates
`population`    of whom some answers are told together, weighed to the survey's margins
`collected`     a study of data that others collected, by their dictionary
`tables`        data files of other programs, as the text of a CSV
`shares`        shares, means and comparisons of groups, of the responses to one question
`crossing`      joint tables of two questions
`regression`    regressions of the responses to one question
`planner`       how wide intervals will be, and how many people to ask
`weighing`      how people were drawn: weights, strata, clusters, margins
==============  =================================================================================
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
