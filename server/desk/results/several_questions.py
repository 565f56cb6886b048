"""The desk's analyses of several questions, with small groups suppressed.

The adversary looks for a person among direct answers. A group of people is shown only if it is
large enough, as on the page of results (`analysis.privacy.disclosure`). This is decided before
anything is estimated: no table, file or figure has anything of a suppressed group.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deniable.analysis.regression.design import noting
from deniable.results.compared import lead_of_others
from deniable.results.files import Export
from deniable.results.html import note_on_page
from deniable.results.regression import Options
from deniable.results.result import Draw, Result
from deniable.results.table import Table
from deniable.server.desk.results.formula import term_in_words
from deniable.study.crossing import check_correlates
from deniable.study.population import MOST_GROUPS, saying
from deniable.study.questions import refuse_not_drawn, refuse_without_shares
from deniable.study.regression import AUTO, IDENTITY
from deniable.study.study import Study
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

MOST_CELLS: Final = 400
"""Maximum number of cells when two questions are crossed."""


_MOST_COLUMNS: Final = 200
"""Maximum number of columns of a regression: a worker keeps a number of everybody for each."""


@dataclass(frozen=True)
class Found:
    """The result of an analysis: a file with codes, a page and a figure with words.

    `left_out`: sentences on the people left out, and warnings. `items`: first the item of interest.
    `lead`: what it shows, in a sentence; empty if that takes a table.
    """

    export: Export
    parts: Sequence[Table | str]
    draw: Draw
    left_out: tuple[str, ...]
    items: tuple[Item, ...]
    lead: str = ""


def compare(
    study: Study,
    item: str,
    by: str,
    *,
    level: float,
    method: str,
) -> Found:
    """Compare an item between the groups of another as `Study.by` does, or raise `ValueError`."""

    def ask(seen: Study) -> Result:
        return seen.by(by, item, level=level, method=method)

    found = _two(study, (item, by), check_compared, ask, asked=0, divided=(1,))
    return found if study.survey.question(found.items[0].question).is_number else _turned(found)


def cross(study: Study, first: str, second: str, *, level: float) -> Found:
    """Cross two items as `Study.cross` does; raise `ValueError` for too few groups or too many."""
    names = first, second
    return _turned(_two(study, names, check_crossed, lambda s: s.cross(*names, level=level)))


def _turned(found: Found) -> Found:
    """Return the first table as the figure is: with the groups below each answer."""
    first = next(part for part in found.parts if isinstance(part, Table))
    return replace(found, parts=[first.turned if part is first else part for part in found.parts])


def correlate(study: Study, first: str, second: str, *, level: float) -> Found:
    """Correlate two items as `Study.correlation` does, or raise `ValueError`."""
    names, check = (first, second), check_correlated
    return _two(study, names, check, lambda s: s.correlation(*names, level=level))


def ratios(
    study: Study,
    item: str,
    by: str,
    *,
    of: str,
    level: float,
    method: str,
) -> Found:
    """Divide the shares or odds of two groups as `Study.ratios` does, or raise `ValueError`."""

    def ask(seen: Study) -> Result:
        return seen.ratios(by, item, odds=of == "odds", level=level, method=method)

    return _two(study, (item, by), check_ratios, ask, asked=0)


def _two(
    study: Study,
    names: tuple[str, str],
    check: Callable[[Survey, Item, Item], None],
    ask: Callable[[Study], Result],
    *,
    asked: int = 1,
    divided: tuple[int, ...] = (0, 1),
) -> Found:
    """Analyse two items, among the people who may be shown with both.

    `asked`: the place of the item that is analysed in groups of the other. `divided`: the places of
    the items that must make two groups.
    """
    items = study.item(names[0]), study.item(names[1])
    check(study.survey, *items)
    seen = study.among(items[asked], [items[1 - asked]])
    items = seen.item(names[0]), seen.item(names[1])
    with saying(seen.left_out):
        for place in divided:
            _check_groups(seen, items[place])
        found = ask(seen)
    return _with_texts(found, seen.left_out, items)


def regress(
    study: Study,
    formula: str,
    *,
    within: str,
    link: str,
    errors: str,
    ends: str,
    level: float,
) -> Found:
    """Regress as `Study.regress` does, after checking the formula; `within` may be empty."""
    survey = study.survey
    read = study.read(formula, within or None)
    items = [study.item(name) for name in read.names]
    numbers = {item.id for item in items if survey.question(item.question).is_number}
    answers = {item.id: len(item.truths) for item in items}
    groups = [one for one in read.columns if one.grouped or one.name not in numbers]
    read.check_columns({one: answers.get(one.name, 1) for one in groups}, _MOST_COLUMNS)
    asked = study.item(read.response)
    if not (survey.question(asked.question).is_number and link in (AUTO, IDENTITY)):
        refuse_without_shares(asked, f"“{asked.text}”")
    with noting() as noted:
        fitted = study.regression(formula, Options(link, errors, ends, level), within or None)
    left_out = tuple(f"Careful: {said}." for said in dict.fromkeys(noted))
    by_id = {item.id: item for item in items}
    words = {one.term: term_in_words(one.term, by_id) for one in fitted.coefficients}
    is_yes_no = len(asked.truths) == 2 and asked.protection is not Protection.DIRECT
    texts = {} if is_yes_no else {one.code: one.text for one in asked.truths}
    told = fitted.in_words(words, texts)
    # Of several coefficients each interval holds by itself: chance has as many tries.
    terms = [one for one in told.coefficients if not one.term.endswith("Intercept")]
    is_one = told.fit.coefficients.ndim == 1 and len(terms) == 1
    lead = lead_of_others(terms, 0.0) if is_one else ""
    return Found(fitted.result.export, told.parts, told.draw, left_out, (asked, *items), lead)


def _with_texts(result: Result, left_out: tuple[str, ...], items: tuple[Item, ...]) -> Found:
    """Replace the ids of items by their texts in the headings of tables."""
    words = {item.id: item.text for item in items}
    parts = [
        note_on_page(part)
        if isinstance(part, str)
        else replace(part, names=tuple(words.get(name, name) for name in part.names))
        for part in result.parts
        # The page tells it first.
        if part != result.lead or not part
    ]
    assert result.draw is not None  # noqa: S101  for the type checker: each of these has one
    return Found(result.export, parts, result.draw, left_out, items, result.lead)


def check_compared(survey: Survey, asked: Item, groups: Item) -> None:
    """Raise `ValueError` if an item cannot be compared between groups, whatever the reports."""
    _check_two(survey, asked, groups)
    if len(groups.truths) > MOST_GROUPS:
        raise ValueError(
            f"at most {MOST_GROUPS} groups can be compared, and “{groups.text}” has "
            f"{len(groups.truths)}; a regression takes numbers"
        )
    refuse_without_shares(groups, f"“{groups.text}”")
    if groups.protection is Protection.RANDOMISED and not survey.question(asked.question).is_number:
        check_crossed(survey, asked, groups)


def check_ratios(survey: Survey, asked: Item, groups: Item) -> None:
    """Raise `ValueError` if an item cannot have ratios between groups, whatever the reports."""
    check_compared(survey, asked, groups)
    refuse_without_shares(asked, f"“{asked.text}”")
    if groups.protection is not Protection.DIRECT:
        raise ValueError(f"“{groups.text}” was randomised: expected groups that were asked for")
    if len(asked.truths) > MOST_GROUPS:
        raise ValueError(
            f"at most {MOST_GROUPS} answers have ratios here, and “{asked.text}” has "
            f"{len(asked.truths)}"
        )


def check_correlated(survey: Survey, one: Item, other: Item) -> None:
    """Raise `ValueError` if two items cannot be correlated, whatever the reports."""
    _check_two(survey, one, other)
    for item in (one, other):
        check_correlates(item, is_number=survey.question(item.question).is_number)


def check_crossed(survey: Survey, one: Item, other: Item) -> None:
    """Raise `ValueError` if two items cannot be crossed, whatever the reports."""
    _check_two(survey, one, other)
    cells = len(one.truths) * len(other.truths)
    if cells > MOST_CELLS:
        raise ValueError(
            f"at most {MOST_CELLS} pairs of answers can be crossed, and these questions have "
            f"{cells:,}; a regression takes numbers"
        )
    for item in (one, other):
        refuse_without_shares(item, f"“{item.text}”")


def _check_two(survey: Survey, one: Item, other: Item) -> None:
    if one.id == other.id:
        raise ValueError(f"choose another question beside “{one.text}”")
    refuse_not_drawn(survey, one, other)


def _check_groups(seen: Study, item: Item) -> None:
    """Reject a direct item with fewer than two groups among the people who may be shown."""
    if item.protection is not Protection.DIRECT:
        return
    shown = [one.text for one, n in zip(item.truths, seen.people_by(item), strict=True) if n]
    if len(shown) < 2:
        raise ValueError(
            f"two groups of “{item.text}” are needed, and only {shown[0]} can be shown"
        )
