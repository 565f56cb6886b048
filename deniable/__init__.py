"""deniable: ask what people cannot safely admit; learn the rate, never the answer.

The vocabulary that every part shares, none of which does any input or output:

=====================  ==========================================================================
`deniable.channel`     the law by which a report is drawn from the truth; everything follows
`deniable.designs`     randomised-response designs: functions that return a channel
`deniable.budget`      one privacy budget ε over several questions
`deniable.survey`      questions, compiled into the items that are randomised
`deniable.survey_file` surveys as researchers write them, in YAML; mistakes by line and column
`deniable.report`      what leaves a respondent's device
`deniable.exact`       probabilities as written, and provable bounds on the exponential
=====================  ==========================================================================

The rooms beside it, in the order in which data flows: `deniable.client` (where a truth exists),
`deniable.server` (where only reports exist), `deniable.analysis` (where only tallies exist), and
`deniable.cli`, which wires them together.
"""

from deniable import designs
from deniable.channel import Channel
from deniable.report import Report
from deniable.survey import Survey

__all__ = ["Channel", "Report", "Survey", "designs"]
__version__ = "0.1.0"
