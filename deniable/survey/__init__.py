"""A survey: its questions, its promise of privacy, its revisions and its kind.

============  ==================================================================================
`questions`   the questions that a respondent reads
`items`       the randomised items into which questions are compiled
`survey`      the class `Survey`, and the rules that it enforces
`draws`       which units chance draws, and the chance of each set of them
`fair_draws`  chances with which all drawn units are equally precise
`checks`      the rules between the parts of a survey
`document`    questions and items on the wire, written
`reading`     questions and items on the wire, read
`about`       the texts about a survey: who asks, why, how long, and who helps
`together`    groups of questions that are randomised as one answer: their cells, and their channel
`follow_ups`  direct questions that need answers to direct ones: which answers a device sends
`waves`       repeated surveys: what a device keeps, and what all reports reveal
`revisions`   the differences between two revisions, and the corrections of each wording
`wordings`    the words of a survey apart from its structure, and each correction of them
`corrections` which corrections of words are allowed
`kind`        whether it is a survey of its own, a trial, or a question of a meeting
`address`     the address of its page, the same on every server
`trial`       a trial: the same questions, with made-up answers
`meeting`     a question that a class answers together
`collected`   data that others collected, as a survey
============  ==================================================================================
"""

from deniable.survey.checks import BATCH, MAX_BATCH
from deniable.survey.draws import Draw
from deniable.survey.survey import NEUTRAL_SITE, NO_EXIT, Survey

__all__ = ["BATCH", "MAX_BATCH", "NEUTRAL_SITE", "NO_EXIT", "Draw", "Survey"]
