"""What the desk says of several questions together.

The adversary is whoever looks for a person among direct answers. A group of people is shown if
there are enough of them, as on the page of results (`analysis.privacy.disclosure`), and before
anything is estimated: nothing of the others is in any table, file or figure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from deniable.analysis.findings import ItemResults, Results
from deniable.analysis.privacy.cells import LEAST
from deniable.analysis.privacy.disclosure import Rows
from deniable.analysis.regression.design import noting
from deniable.analysis.waves import Told, Waves, nothing_told, waves_of
from deniable.results.files import Export
from deniable.results.regression import Options
from deniable.results.result import Draw, Result
from deniable.results.table import Table
from deniable.server.desk.results.formula import term_in_words
from deniable.study.base import refuse_not_drawn, refuse_without_shares
from deniable.study.crossing import check_correlates
from deniable.study.regression import AUTO, IDENTITY
from deniable.study.study import Study
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

MOST_GROUPS: Final = 12
"""More are no groups to compare, but a number to regress on."""

MOST_CELLS: Final = 400
"""Of two questions that are crossed."""


_MOST_COLUMNS: Final = 200
"""Of a regression's table, for each of which a worker keeps a number of everybody."""

_NONE: Final[Margins] = {}

Notes: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Found:
    """What was found: a file with codes, a page and a figure with words.

    The left out are told in sentences. Of the items the answer of interest is the first.
    """

    export: Export
    parts: Sequence[Table | str]
    draw: Draw
    left_out: tuple[str, ...]
    items: tuple[Item, ...]


def compare(
    rows: Rows,
    source: str,
    item: str,
    by: str,
    *,
    level: float,
    method: str,
    margins: Margins = _NONE,
) -> Found:
    """Compare an item between the groups of another as `Study.by`, or raise `ValueError`."""

    def ask(seen: Study) -> Result:
        return seen.by(by, item, level=level, method=method)

    return _two(rows, source, (item, by), check_compared, ask, margins, asked=0, divided=(1,))


def cross(
    rows: Rows, source: str, first: str, second: str, *, level: float, margins: Margins = _NONE
) -> Found:
    """Cross two items as `Study.cross`, or raise `ValueError` if too few or too many are in it."""
    names = first, second
    return _two(rows, source, names, check_crossed, lambda s: s.cross(*names, level=level), margins)


def correlate(
    rows: Rows, source: str, first: str, second: str, *, level: float, margins: Margins = _NONE
) -> Found:
    """Correlate two items as `Study.correlation`, or raise `ValueError`."""
    names, check = (first, second), check_correlated
    return _two(rows, source, names, check, lambda s: s.correlation(*names, level=level), margins)


def ratios(  # noqa: PLR0913  each is a choice of its own
    rows: Rows,
    source: str,
    item: str,
    by: str,
    *,
    of: str,
    level: float,
    method: str,
    margins: Margins = _NONE,
) -> Found:
    """Divide the shares or odds of two groups as `Study.ratios`, or raise `ValueError`."""

    def ask(seen: Study) -> Result:
        return seen.ratios(by, item, odds=of == "odds", level=level, method=method)

    return _two(rows, source, (item, by), check_ratios, ask, margins, asked=0)


def _two(  # noqa: PLR0913  what is asked of two items, and how
    rows: Rows,
    source: str,
    names: tuple[str, str],
    check: Callable[[Survey, Item, Item], None],
    ask: Callable[[Study], Result],
    margins: Margins,
    *,
    asked: int = 1,
    divided: tuple[int, ...] = (0, 1),
) -> Found:
    """Ask something of two items: of those people who may be seen with both.

    `asked`: which is asked in the groups of the other. `divided`: which must make two groups.
    """
    study = Study(rows.survey, rows.answers, rows.waves, source, times=rows.times)
    items = study.item(names[0]), study.item(names[1])
    check(rows.survey, *items)
    seen, left_out = _seen(study, rows, items[asked], [items[1 - asked]], margins)
    with _saying(left_out):
        for place in divided:
            _check_groups(seen, items[place])
        found = ask(seen)
    return _found(found, left_out, items)


def regress(  # noqa: PLR0913  each is a choice of its own
    rows: Rows,
    source: str,
    formula: str,
    *,
    within: str,
    link: str,
    errors: str,
    ends: str,
    level: float,
    margins: Margins = _NONE,
) -> Found:
    """Regress as `Study.regress`, by a formula that is checked first; `within`: none if empty."""
    study = Study(rows.survey, rows.answers, rows.waves, source, times=rows.times)
    read = study.read(formula, within or None)
    items = [study.item(name) for name in read.names]
    numbers = {item.id for item in items if rows.survey.question(item.question).is_number}
    answers = {item.id: len(item.truths) for item in items}
    groups = [one for one in read.columns if one.grouped or one.name not in numbers]
    read.check_columns({one: answers.get(one.name, 1) for one in groups}, _MOST_COLUMNS)
    asked = study.item(read.response)
    if not (rows.survey.question(asked.question).is_number and link in (AUTO, IDENTITY)):
        refuse_without_shares(asked, f"“{asked.text}”")
    beside = [study.item(within)] if within else []
    seen, left_out = _seen(study, rows, asked, [*items, *beside], margins)
    with _saying(left_out), noting() as noted:
        fitted = seen.regression(formula, Options(link, errors, ends, level), within or None)
    left_out += tuple(f"Careful: {said}." for said in dict.fromkeys(noted))
    by_id = {item.id: item for item in items}
    words = {one.term: term_in_words(one.term, by_id) for one in fitted.coefficients}
    is_yes_no = len(asked.truths) == 2 and asked.protection is not Protection.DIRECT
    texts = {} if is_yes_no else {one.code: one.text for one in asked.truths}
    told = fitted.in_words(words, texts)
    return Found(fitted.result.export, told.parts, told.draw, left_out, (asked, *items))


def weigh(found: Results, rows: Rows, source: str, margins: Margins) -> tuple[Results, Notes]:
    """Weigh estimates to margins of the population.

    Of each question by its id it is said who was left out, or why it is not weighted.
    """
    return _weigh(found, rows, source, margins)[:2]


def _weigh(
    found: Results, rows: Rows, source: str, margins: Margins
) -> tuple[Results, Notes, dict[str, Study]]:
    """Weigh as `weigh`, and return also the people of each item that is weighted."""
    study, notes = (
        Study(rows.survey, rows.answers, rows.waves, source, times=rows.times),
        dict[str, list[str]](),
    )
    people: dict[str, Study] = {}

    def weighed(one: ItemResults) -> ItemResults:
        said = notes.setdefault(one.item.question, [])
        try:
            seen, left_out = _seen(study, rows, one.item, [], margins)
            said += (sentence for sentence in left_out if sentence not in said)
            found_of = seen.weighed(one.item, found.level, found.method)
            people[one.item.id] = seen
            return found_of
        except ValueError as mistake:
            said.append(f"Not weighted: {str(mistake).rstrip('.')}.")
            return one

    questions = tuple(
        replace(each, items=tuple(weighed(one) if one.n else one for one in each.items))
        for each in found.questions
    )
    return replace(found, questions=questions), notes, people


def weigh_waves(found: Waves, rows: Rows, source: str, margins: Margins) -> Waves:
    """Weigh the estimates of each wave, and the changes where both waves can be weighted.

    A change tells nothing that the results of the two waves, each weighted, do not tell.
    """
    weighed = {
        wave: _weigh(one, rows.wave(wave), source, margins)
        for wave, one in zip(found.waves, found.results, strict=True)
    }

    def told(wave: int, item: Item) -> Told:
        *_, people = weighed[wave]
        return people[item.id].told(wave, item) if item.id in people else nothing_told(item)

    results = {wave: one[0] for wave, one in weighed.items()}
    return waves_of(found.survey, results, told, found.level, found.method)


def check_margins(rows: Rows, margins: Margins) -> None:
    """Refuse margins to which the people who may be seen together cannot be weighed."""
    study = Study(rows.survey, rows.answers, rows.waves, "", times=rows.times)
    if study.n:
        _seen(study, rows, study.item(next(iter(margins))), [], margins)


def _found(result: Result, left_out: tuple[str, ...], items: tuple[Item, ...]) -> Found:
    """Put the items' texts in place of their ids in the headings of tables."""
    words = {item.id: item.text for item in items}
    parts = [
        part
        if isinstance(part, str)
        else replace(part, names=tuple(words.get(name, name) for name in part.names))
        for part in result.parts
    ]
    assert result.draw is not None  # noqa: S101  for the type checker: each of these has one
    return Found(result.export, parts, result.draw, left_out, items)


def check_compared(survey: Survey, asked: Item, groups: Item) -> None:
    """Refuse to compare an item between the groups of another, whatever the reports are."""
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
    """Refuse ratios of an item in the groups of another, whatever the reports are."""
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
    """Refuse to correlate two items, whatever the reports are."""
    _check_two(survey, one, other)
    for item in (one, other):
        check_correlates(item, is_number=survey.question(item.question).is_number)


def check_crossed(survey: Survey, one: Item, other: Item) -> None:
    """Refuse to cross two items, whatever the reports are."""
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
    """Refuse a direct item that makes less than two groups of the people who are seen."""
    if item.protection is not Protection.DIRECT:
        return
    shown = [one.text for one, n in zip(item.truths, _people(seen, item), strict=True) if n]
    if len(shown) < 2:
        raise ValueError(
            f"two groups of “{item.text}” are needed, and only {shown[0]} can be shown"
        )


@contextmanager
def _saying(left_out: Sequence[str]) -> Iterator[None]:
    """Say as well who is left out, where there are too few people for an analysis."""
    try:
        yield
    except ValueError as mistake:
        said = str(mistake).partition("\n")[0].rstrip(".")
        raise ValueError(" ".join([f"{said}.", *left_out])) from None


def _people(study: Study, item: Item) -> Sequence[int]:
    """Count who gave each answer to a direct item."""
    place = [one.id for one in study.survey.items].index(item.id)
    counts = np.bincount(study.answers[:, place], study.times, len(item.truths))
    return [int(n) for n in counts[: len(item.truths)]]


def _seen(
    study: Study, rows: Rows, asked: Item, groups: Sequence[Item], margins: Margins
) -> tuple[Study, tuple[str, ...]]:
    """Return the reports that may be seen of an item in groups of people, and who is left out.

    What is weighted follows from how many people gave which answers of the margins together with
    the others, to all digits. So it is of those people who may be seen in groups of all of these,
    and tells nothing that a table of all of these would not tell.
    """
    ids = [item.id for item in study.survey.items]
    groups = [*groups, *map(study.item, margins)]
    places = {ids.index(item.id) for item in (asked, *groups)}
    shown, n_asked = rows.together(places, told=asked.protection is Protection.DIRECT)
    if not study.n:
        raise ValueError("no reports yet")
    if not n_asked:
        raise ValueError("nobody was asked these questions together")
    seen = replace(
        study, answers=rows.answers[shown], of_wave=rows.waves[shown], times=rows.times[shown]
    )
    left_out = tuple(_left_out(study.n - n_asked, n_asked - seen.n, seen, (asked, *groups)))
    with _saying(left_out):
        return (seen.weights(margins=margins) if margins else seen), left_out


def _left_out(unasked: int, hidden: int, seen: Study, items: Sequence[Item]) -> Iterator[str]:
    if unasked:
        yield f"{unasked:,} people are left out, because they were not asked all of this."
    if hidden:
        # All groups that are not there, whether or not anybody is in them: that tells nothing new.
        direct = [*{one.id: one for one in items if one.protection is Protection.DIRECT}.values()]
        missing = [
            group.text
            for group, n in zip(direct[0].truths, _people(seen, direct[0]), strict=True)
            if not n and len(direct) == 1 and len(direct[0].truths) <= MOST_GROUPS
        ]
        few = f" in {' or '.join(missing)}" if missing else ""
        yield (
            f"Too few people to show{few}. {hidden:,} people are left out: fewer than {LEAST} gave "
            "the same direct answers and were asked the same questions, or their answers would "
            "follow from other tables."
        )
