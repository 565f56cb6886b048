"""What the desk says of several questions together.

The adversary is whoever looks for a person among direct answers. A group of people is shown if
there are enough of them, as on the page of results (`deniable.analysis.disclosure`), and before
anything is estimated: nothing of the others is in any table, file or figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deniable.analysis.disclosure import LEAST, Rows
from deniable.items import Item
from deniable.questions import Protection
from deniable.server.desk.formulas import check_formula
from deniable.study.analysed import Analysed
from deniable.study.regression import names_in
from deniable.study.study import Study

MOST_GROUPS: Final = 12
"""More are no groups to compare, but a number to regress on."""

MOST_CELLS: Final = 400
"""Of two questions that are crossed."""


@dataclass(frozen=True)
class Found:
    """What was found, and whom it leaves out.

    Parameters
    ----------
    analysed : Analysed
    left_out : tuple of str
        A sentence each.
    """

    analysed: Analysed
    left_out: tuple[str, ...]


def compare(rows: Rows, source: str, item: str, by: str, *, level: float, method: str) -> Found:
    """Compare an item between the groups of a direct one; see `Study.by`.

    Raises
    ------
    ValueError
        As `Study.by`; if the groups are not those of a direct item, or too many; or if it would
        tell what a few people answered.
    """
    study = Study(rows.survey, rows.answers, source)
    groups, asked = study.item(by), study.item(item)
    if groups.protection is not Protection.DIRECT:
        raise ValueError(
            f"nobody knows who is in which group of {by!r}, because it was randomised; cross the "
            "two questions instead"
        )
    if len(groups.truths) > MOST_GROUPS:
        raise ValueError(
            f"expected at most {MOST_GROUPS} groups, found {len(groups.truths)} of {by!r}; a "
            "regression takes numbers"
        )
    seen, left_out = _seen(study, rows, asked, [groups])
    return _found(lambda: seen.by(by, item, level=level, method=method), left_out)


def cross(rows: Rows, source: str, first: str, second: str, *, level: float) -> Found:
    """Cross two items; see `Study.cross`.

    Raises
    ------
    ValueError
        As `Study.cross`; if there are too many pairs of answers; or if it would tell what a few
        people answered.
    """
    study = Study(rows.survey, rows.answers, source)
    items = [study.item(first), study.item(second)]
    cells = len(items[0].truths) * len(items[1].truths)
    if cells > MOST_CELLS:
        raise ValueError(
            f"expected at most {MOST_CELLS} pairs of answers, found {cells:,}; a regression takes "
            "numbers"
        )
    seen, left_out = _seen(study, rows, items[1], items[:1])
    return _found(lambda: seen.cross(first, second, level=level), left_out)


def regress(
    rows: Rows, source: str, formula: str, *, link: str, errors: str, ends: str, level: float
) -> Found:
    """Regress an item on direct ones; see `Study.regress`.

    Raises
    ------
    ValueError
        As `Study.regress`; if the formula holds anything but items, numbers, signs and a few
        functions; or if it would tell what a few people answered.
    """
    study = Study(rows.survey, rows.answers, source)
    asked_questions = {question.id for question in study.survey.asked_questions}
    ids = [item.id for item in study.survey.items if item.question in asked_questions]
    check_formula(formula, ids)
    response, _, terms = formula.partition("~")
    items = [study.item(name) for name in names_in(terms)]
    asked = study.item(response.strip().strip("`"))
    seen, left_out = _seen(study, rows, asked, items)
    return _found(
        lambda: seen.regress(formula, link=link, errors=errors, ends=ends, level=level), left_out
    )


def _found(find: Callable[[], Analysed], left_out: tuple[str, ...]) -> Found:
    """Find it; if there are too few people for it, say as well who is left out."""
    try:
        return Found(find(), left_out)
    except ValueError as mistake:
        if not left_out:
            raise
        said = str(mistake).partition("\n")[0].rstrip(".")
        raise ValueError(" ".join([f"{said}.", *left_out])) from None


def _seen(
    study: Study, rows: Rows, asked: Item, groups: Sequence[Item]
) -> tuple[Study, tuple[str, ...]]:
    """Return the reports that may be seen of an item in groups of people, and who is left out."""
    ids = [item.id for item in study.survey.items]
    places = {ids.index(item.id) for item in (asked, *groups)}
    found = rows.together(places, told=asked.protection is Protection.DIRECT)
    if not found.asked:
        raise ValueError("nobody was asked these questions together")
    seen = replace(study, answers=rows.answers[found.of])
    return seen, tuple(_left_out(study.n - found.asked, found.asked - seen.n))


def _left_out(unasked: int, hidden: int) -> Iterator[str]:
    if unasked:
        yield f"{unasked:,} people are left out, because they were not asked all of this."
    if hidden:
        yield (
            f"{hidden:,} people are left out: fewer than {LEAST} gave the same direct answers and "
            "were asked the same questions, or their answers would follow from other tables."
        )
