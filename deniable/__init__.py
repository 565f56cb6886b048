"""deniable: ask what people cannot safely admit; learn the rate, never the answer.

The vocabulary that all packages share. None of these modules does input or output:

======================  ==========================================================================
`deniable.channel`      the channel: the distribution of a report given the truth
`deniable.estimator`    the unbiased estimator of least variance for a channel
`deniable.designs`      randomised-response designs: functions that return a channel
`deniable.budget`       one privacy budget ε over several questions
`deniable.survey`       a survey: its questions, its items, its document, its kind, its revisions
`deniable.survey_file`  surveys as researchers write them, in YAML; mistakes by line and column
`deniable.text`         languages; numbers, chances, dates as people read them; safe texts
`deniable.crypto`       signatures: blind ones of tokens, and those of releases
`deniable.report`       the report, all that leaves a respondent's device
`deniable.roles`        which of two answers is the yes of a design
`deniable.paper`        which questions a sheet of paper can ask, and what its ticks report
`deniable.coins`        how a person randomises an answer by coins or a die
`deniable.disc`         a disc to spin a paper clip on, for channels that coins cannot make
`deniable.exact`        probabilities as written, and provable bounds on the exponential
`deniable.extras`       optional packages, and how to install one that is missing
`deniable.lazy`         packages that load a name when it is first used
`deniable.__main__`     ``python -m deniable``, the same as the command
======================  ==========================================================================

The other packages, in the order in which data flows: `deniable.client` (where a truth exists),
`deniable.server` (where only reports exist), `deniable.analysis` (where only tallies exist),
`deniable.study` (a survey with its reports), and `deniable.cli`, which wires them together.

In a notebook, begin with `deniable.open`, which takes a survey file and its reports: it is
`deniable.study.opening.open_study`.
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
__version__ = "1.0.0rc1"
