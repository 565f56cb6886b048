"""A survey: what it asks and promises, and what else it can be.

============  ==================================================================================
`questions`   what a person reads
`items`       what is randomised: what questions are compiled into
`survey`      what must hold of questions and items, and of both together
`draws`       what chance asks: which units, and how likely each set of them is
`fair_draws`  with which chances all that is drawn is equally precise
`checks`      what must hold between its parts
`document`    how questions and items are written on the wire, and read back
`about`       what a survey says of itself: who asks, why, how long, and who helps
`together`    questions that are randomised as one answer: their cells, and their law
`waves`       a survey asked again: what a device keeps, and what all reports reveal
`revisions`   what tells the questions of two revisions apart
`history`     what each wording corrected, in sentences
`wordings`    the words of a survey apart from its law, and each correction of them
`corrections` which words may correct those before them
`kind`        whether it is a survey of its own, a trial, or a question of a meeting
`address`     where its page is, on every server
`trial`       the same questions, made-up answers
`meeting`     a question that a class answers together
`collected`   what others asked and collected, as a survey
`repr`        a survey as a prompt and a notebook show it
============  ==================================================================================
"""

from deniable.survey.draws import Draw
from deniable.survey.survey import BATCH, MAX_BATCH, NEUTRAL_SITE, NO_EXIT, Survey

__all__ = ["BATCH", "MAX_BATCH", "NEUTRAL_SITE", "NO_EXIT", "Draw", "Survey"]
