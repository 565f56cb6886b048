"""How many respondents followed the instructions, by a control question.

A survey file gives the shares of its answers that are known from elsewhere, such as birthdays in
January. Respondents who do not follow the instructions are assumed to report at random, every
report equally likely (`deniable.analysis.noncompliance`).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.analysis.findings import Followed, findings_of
from deniable.analysis.likelihood import ends_or_why
from deniable.analysis.noncompliance import compliance
from deniable.survey.items import Item
from deniable.survey.questions import Question
from deniable.text.wording import percent


def followed(
    question: Question, item: Item, counts: npt.NDArray[np.int64], level: float, method: str
) -> Followed:
    """Estimate how many respondents followed the instructions, from a control question."""
    shares = [Fraction(part, exact.MILLION) for part in question.known]
    none = Followed(item=item, known=tuple(map(float, shares)), n=int(counts.sum()))
    if not none.n:
        return none
    found = compliance(counts, item.channel, shares)
    ends, _ = ends_or_why(lambda: found.interval(level, method), 2)
    return findings_of(
        [partial(replace, none)] * 2,
        found.theta,
        found.standard_error,
        ends,
        method=found.methods(method),
    )[0]


def told(one: Followed, level: float) -> str:
    """Return two sentences: how many respondents followed the instructions, and the evidence."""
    known = ", ".join(
        f"{answer.text} {percent(share)}"
        for answer, share in zip(one.item.truths, one.known, strict=True)
    )
    if one.estimate is None:
        return f"How many followed the instructions: no reports to “{one.item.text}” yet."
    ends = "no interval" if one.low is None else f"{percent(one.low)} to {percent(one.high)}"
    beyond = " Chance can cause an estimate below 0 or above 100 %." if one.outside else ""
    if one.narrow:
        beyond += (
            " Less than a third of the interval is possible: it is less certain than it looks."
        )
    return (
        f"How many followed the instructions: {percent(one.estimate)} ({ends}, "
        f"{100 * level:g} %).{beyond} This is told by “{one.item.text}”, whose true "
        f"answers are known ({known}), and takes the others to report at random."
    )
