"""deniable: ask what people cannot safely admit; learn the rate, never the answer.

The vocabulary that every part shares, none of which does any input or output:

======================  ==========================================================================
`deniable.channel`      the law by which a report is drawn from the truth; everything follows
`deniable.estimator`    the numbers that undo a channel: unbiased, of least variance
`deniable.designs`      randomised-response designs: functions that return a channel
`deniable.budget`       one privacy budget ε over several questions
`deniable.survey`       a survey: its questions, its items, its document, its kind, its revisions
`deniable.survey_file`  surveys as researchers write them, in YAML; mistakes by line and column
`deniable.text`         languages; numbers, chances, dates as people read them; safe texts
`deniable.crypto`       signatures: of tokens whose signer is blind, and of releases
`deniable.report`       what leaves a respondent's device
`deniable.roles`        which of two answers is the yes of a design
`deniable.paper`        what was ticked on a sheet of paper, as the answers of a report
`deniable.coins`        what a person does with coins or a die in place of a program
`deniable.disc`         a disc to spin a paper clip on, which makes what coins cannot
`deniable.exact`        probabilities as written, and provable bounds on the exponential
`deniable.extras`       optional packages, and how to install one that is missing
`deniable.lazy`         packages that load a name when it is first used
`deniable.__main__`     ``python -m deniable``, the same as the command
======================  ==========================================================================

The rooms beside it, in the order in which data flows: `deniable.client` (where a truth exists),
`deniable.server` (where only reports exist), `deniable.analysis` (where only tallies exist),
`deniable.study` (a survey with its reports), and `deniable.cli`, which wires them together.

In a notebook, begin with `deniable.open`, of a survey's file and its reports: it is
`deniable.study.opening.open_study`.
"""

from deniable.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
__version__ = "1.0.0rc1"
