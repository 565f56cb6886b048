"""Which direct answers leave in a file of reports, and how they are put together.

An age in years, a sex and a ward are one person's; an age of 40 to 59 and a sex are many people's.
Written `sex,age:18-39+40-80,ward:a+b+[c d]`: an item, or an item and its groups, which are answers,
ranges of numbers, and lists of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.channel import identity
from deniable.report import NOT_ASKED
from deniable.survey.items import Item
from deniable.survey.questions import (
    DOES_NOT_APPLY,
    FIXED,
    NO_NUMBERS,
    PREFER_NOT_TO_SAY,
    Answer,
    Condition,
    Protection,
    Question,
    QuestionType,
)
from deniable.survey.survey import Survey

Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""The places of an item's answers, put together; groups by their first answer."""

Columns: TypeAlias = Mapping[str, Groups]
"""Direct items by their ids, with their groups."""

_COLUMN: Final = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")
_GROUP: Final = re.compile(r"(?:[^+\[\]]|\[[^\[\]]*\])+")
_RANGE: Final = re.compile(r"(-?[\d.]+)-(-?[\d.]+)")


@dataclass(frozen=True, repr=False)
class Grouped(Survey):
    """A survey whose direct items are some of another survey's, their answers put together.

    Its check numbers are those of the other survey, `whole`: it is analysed, but never asked.
    """

    whole: Survey | None = None
    columns: Columns = field(default_factory=dict, hash=False)

    @property
    def absent(self) -> frozenset[str]:
        """The direct items without reports, which stay because other questions depend on them."""
        return frozenset({item.id for item in direct_items(self)} - {*self.columns})

    @cached_property
    def revision(self) -> str:
        """That of the whole survey."""
        assert self.whole is not None  # noqa: S101  for mypy: `with_columns` gives one
        return self.whole.revision

    @cached_property
    def check_numbers(self) -> tuple[str, ...]:
        """Those of the whole survey."""
        assert self.whole is not None  # noqa: S101  for mypy: `with_columns` gives one
        return self.whole.check_numbers


def direct_items(survey: Survey) -> tuple[Item, ...]:
    """Return the items that were asked directly."""
    return tuple(item for item in survey.items if item.protection is Protection.DIRECT)


def whole(survey: Survey) -> Survey:
    """Return the survey that people were asked, whose answers may be put together in `survey`."""
    return survey.whole or survey if isinstance(survey, Grouped) else survey


def absent_in(survey: Survey) -> frozenset[str]:
    """Return the direct items that are left out of the reports to a survey."""
    return survey.absent if isinstance(survey, Grouped) else frozenset()


def split_columns(text: str) -> list[str]:
    """Return each column of a text, as `write_columns` writes them."""
    return _COLUMN.findall(text)


def each_answer(item: Item) -> Groups:
    """Return the groups of an item whose answers stand alone."""
    return tuple((place,) for place in range(len(item.truths)))


def in_parts(item: Item, n: int) -> Groups:
    """Return about `n` groups of neighbouring answers; what is no offered answer stands alone."""
    places = [place for place, truth in enumerate(item.truths) if truth.code not in FIXED]
    alone = [(place,) for place in range(len(item.truths)) if place not in places]
    return (*(tuple(part.tolist()) for part in np.array_split(places, n) if len(part)), *alone)


def every_column(survey: Survey) -> dict[str, Groups]:
    """Return all direct columns of a survey, in its order, with all answers apart."""
    return {item.id: each_answer(item) for item in direct_items(survey)}


def read_columns(text: str, survey: Survey) -> dict[str, Groups]:
    """Read columns as `write_columns` writes them; a `ValueError` says what is wrong."""
    known = {item.id: item for item in direct_items(survey)}
    found: dict[str, Groups] = {}
    for column in split_columns(text):
        name, colon, groups = (part.strip() for part in column.partition(":"))
        if name not in known:
            there = ", ".join(known) or "no direct item in this survey"
            raise ValueError(f"expected direct items, found {name!r}; there is {there}")
        if name in found:
            raise ValueError(f"expected {name!r} once, found it twice")
        found[name] = (
            read_groups(groups, survey, known[name]) if colon else each_answer(known[name])
        )
    return found


def known_columns(survey: Survey, text: str) -> dict[str, Groups]:
    """Read columns, without those of another revision that the survey does not have."""
    found: dict[str, Groups] = {}
    for column in split_columns(text):
        try:
            found |= read_columns(column, survey)
        except ValueError:
            continue
    return found


def wanted_columns(survey: Survey, *texts: str) -> dict[str, Groups]:
    """Return all direct columns in the order in which they are added to a file.

    `texts`: columns that come first, as `write_columns` writes them.
    """
    found: dict[str, Groups] = {}
    for columns in (*(known_columns(survey, text) for text in texts), every_column(survey)):
        found |= {name: groups for name, groups in columns.items() if name not in found}
    return found


def read_groups(text: str, survey: Survey, item: Item) -> Groups:
    """Read the groups of an item, such as `18-39+[40-59 prefer_not_to_say]`.

    What is not an offered answer, such as "does not apply", may be left out: it then stands alone.
    """
    groups = [_places(part.strip(), item) for part in _GROUP.findall(text)]
    named = [place for group in groups for place in group]
    codes = [truth.code for truth in item.truths]
    if twice := [codes[place] for place in named if named.count(place) > 1]:
        raise ValueError(f"{item.id!r}: expected {twice[0]!r} in one group, found it in two")
    alone = [(place,) for place, code in enumerate(codes) if code in FIXED and place not in named]
    if missing := {*range(len(codes))} - {*named} - {place for (place,) in alone}:
        lacking = ", ".join(codes[place] for place in sorted(missing)[:5])
        raise ValueError(f"{item.id!r}: expected each answer in a group, found none for {lacking}")
    found = tuple(sorted([*groups, *alone]))
    check_groups(survey, item, found)
    return found


def check_groups(survey: Survey, item: Item, groups: Groups) -> None:
    """Refuse a single group, and answers together of which some fit a follow-up."""
    for question in survey.questions:
        for one in question.ask_if:
            fits = {place for place, truth in enumerate(item.truths) if truth.code in one.answers}
            for group in groups if one.item == item.id else ():
                if {*group} & fits and {*group} - fits:
                    raise ValueError(
                        f"{item.id!r}: expected groups of answers that lead to {question.id!r}, or "
                        f"of others, found both in {group_name(item, group)}"
                    )
    question = survey.question(item.question)
    skipped = {question.skipped} if question.ask_if else set()
    if together := [group for group in groups if skipped and {*group} > skipped]:
        raise ValueError(
            f"{item.id!r}: expected {DOES_NOT_APPLY!r} by itself, found "
            f"{group_name(item, together[0])}"
        )
    apart = [group for group in groups if {*group} != skipped]
    if len(apart) < 2:
        raise ValueError(
            f"{item.id!r}: expected at least two groups, found {group_name(item, apart[0])} alone"
        )
    if question.has_several_items and groups != each_answer(item):
        raise ValueError(
            f"{item.id!r}: expected no groups, as {item.question!r} has several items; found "
            f"{'+'.join(group_name(item, group) for group in groups)}"
        )


def _places(text: str, item: Item) -> tuple[int, ...]:
    parts = text[1:-1].split() if text.startswith("[") else [text]
    if not parts:
        raise ValueError(f"{item.id!r}: expected answers between [ and ], found none")
    return tuple(sorted(place for part in parts for place in _range(part, item)))


def _range(text: str, item: Item) -> Iterator[int]:
    """Yield the places of an answer, or of the numbers from one to another."""
    codes = [truth.code for truth in item.truths]
    if text in codes:
        yield codes.index(text)
        return
    found = _RANGE.fullmatch(text)
    values = {place: code for place, code in enumerate(codes) if code not in NO_NUMBERS}
    inside: list[int] = []
    if found is not None:
        try:
            least, greatest = map(exact.fraction, found.groups())
            inside = [p for p, code in values.items() if least <= exact.fraction(code) <= greatest]
        except ValueError:
            inside = []
    if not inside:
        listed = ", ".join(codes[:5]) + (", …" if len(codes) > 5 else "")
        raise ValueError(f"{item.id!r}: expected answers ({listed}), or 20-39, found {text!r}")
    yield from inside


class ColumnsRead:
    """The direct columns of a file of reports, as its cells tell them while it is read."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.there: set[str] = set()
        self._groups: dict[str, list[tuple[int, ...]]] = {}

    def byte_of(self, item: Item, cell: str) -> int | None:
        """Return the byte of a group, which no answer has; None if the cell is no group."""
        known = self._groups.setdefault(item.id, [])
        try:
            group = _places(cell.strip(), item)
        except ValueError:
            return None
        byte = len(item.truths) + len(known)
        if len(group) < 2 or byte >= NOT_ASKED:
            return None
        if twice := [one for one in known if {*one} & {*group}]:
            raise ValueError(
                f"{item.id!r}: expected groups without a common answer, found {cell!r} and "
                f"{group_name(item, twice[0])!r}"
            )
        known.append(group)
        return byte

    def told(self, answers: npt.NDArray[np.uint8]) -> tuple[Survey, npt.NDArray[np.uint8]]:
        """Return the survey that the file is of, and the answers to it."""
        direct = direct_items(self.survey)
        if {item.id for item in direct} == self.there and not any(self._groups.values()):
            return self.survey, answers
        columns, bytes_of = {}, {}
        for place, item in enumerate(self.survey.items):
            if item.id not in self.there:
                continue
            known = self._groups.get(item.id, [])
            grouped = {one: len(item.truths) + n for n, one in enumerate(known)}
            inside = [one for group in grouped for one in group]
            if mixed := sorted({*inside} & {*np.unique(answers[:, place]).tolist()}):
                raise ValueError(
                    f"{item.id!r}: expected each answer in its group, found "
                    f"{item.truths[mixed[0]].code!r} by itself as well"
                )
            alone = {(one,): one for one in range(len(item.truths)) if one not in inside}
            of = dict(sorted((grouped | alone).items()))
            check_groups(self.survey, item, tuple(of))
            columns[item.id], bytes_of[item.id] = tuple(of), [*of.values()]
        survey = with_columns(self.survey, columns)
        at = {item.id: place for place, item in enumerate(self.survey.items)}
        found = answers[:, [at[item.id] for item in survey.items]]
        for place, item in enumerate(survey.items):
            if item.id in bytes_of:
                new = np.full(256, NOT_ASKED, dtype=np.uint8)
                new[bytes_of[item.id]] = np.arange(len(bytes_of[item.id]))
                found[:, place] = new[found[:, place]]
        return survey, found


def group_name(item: Item, group: Sequence[int]) -> str:
    """Return a group as it is written: `b`, `18-39` or `[c d]`."""
    codes = [item.truths[place].code for place in group]
    if len(codes) == 1:
        return codes[0]
    numbers = [place for place in group if _is_number(item.truths[place].code)]
    if len(numbers) > 1 and numbers == [*range(numbers[0], numbers[-1] + 1)]:
        rest = [item.truths[place].code for place in group if place not in numbers]
        ends = f"{item.truths[numbers[0]].code}-{item.truths[numbers[-1]].code}"
        # A cell that begins with a minus and is no number is quoted in a CSV.
        return f"[{' '.join([ends, *rest])}]" if rest or ends.startswith("-") else ends
    return f"[{' '.join(codes)}]"


def _is_number(code: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", code) is not None


def write_columns(columns: Columns, survey: Survey) -> str:
    """Write columns, so that `read_columns` reads them."""
    items = {item.id: item for item in direct_items(survey)}
    written = []
    for name, groups in columns.items():
        if groups == each_answer(items[name]):
            written.append(name)
            continue
        listed = "+".join(group_name(items[name], group) for group in groups)
        written.append(f"{name}:{listed}")
    return ",".join(written)


def refined(one: Columns, other: Columns) -> dict[str, Groups]:
    """Return the columns of both; where groups differ, answers stay apart that either tells apart.

    The noisy answers join two files, so that together they tell this.
    """
    found = dict(one)
    for name, groups in other.items():
        both = [
            tuple(sorted({*a} & {*b}))
            for a in found.get(name, groups)
            for b in groups
            if {*a} & {*b}
        ]
        found[name] = tuple(sorted(both))
    return found


def with_columns(survey: Survey, columns: Columns) -> Grouped:
    """Return the survey of which a file of reports with these direct columns is.

    A direct question without a column is left out, unless another question depends on it.
    """
    needed = {one.item for question in survey.questions for one in question.ask_if}
    needed -= {*columns}
    items, questions = [], []
    for question in survey.questions:
        own = [
            item
            for item in survey.items_of(question)
            if item.protection is not Protection.DIRECT or item.id in columns or item.id in needed
        ]
        if not own:
            continue
        grouped = _with_conditions(survey, question, columns)
        if len(own) == 1 and own[0].id in columns:
            grouped = _together(grouped, own[0], columns[own[0].id])
        questions.append(grouped)
        for item in own:
            if item.protection is Protection.DIRECT:
                truths = grouped.truths
                channel = identity(len(truths))
                items.append(replace(item, truths=truths, reports=truths, channel=channel))
            else:
                items.append(item)
    values = {name: getattr(survey, name) for name in Survey.__dataclass_fields__}
    asked = {question.id for question in questions}
    values |= {
        "questions": tuple(questions),
        "items": tuple(items),
        "languages": survey.languages[:1],
        "translations": (),
        "same_fact": tuple(id for id in survey.same_fact if id in asked),
    }
    return Grouped(**values, whole=survey, columns=columns)


def _with_conditions(survey: Survey, question: Question, columns: Columns) -> Question:
    """Return a question whose conditions name the groups of earlier answers."""
    items = {item.id: item for item in survey.items}
    conditions = []
    for one in question.ask_if:
        item = items[one.item]
        groups = columns.get(one.item, each_answer(item))
        codes = tuple(
            group_name(item, group) for group in groups if item.truths[group[0]].code in one.answers
        )
        conditions.append(Condition(one.item, codes))
    return replace(question, ask_if=tuple(conditions))


def _together(question: Question, item: Item, groups: Groups) -> Question:
    """Return a question whose answers are groups of its own."""
    if groups == each_answer(item):
        return question
    alone = {item.truths[group[0]].code for group in groups if len(group) == 1}
    own = {answer.code for answer in question.answers}
    answers = tuple(
        Answer(name, " / ".join(_texts(item, group)))
        for group in groups
        for name in [group_name(item, group)]
        if name in own or name not in FIXED
    )
    return replace(
        question,
        type=QuestionType.SINGLE,
        answers=answers,
        prefer_not_to_say=question.prefer_not_to_say and PREFER_NOT_TO_SAY in alone,
        yes=question.yes if question.yes in alone else "",
    )


def _texts(item: Item, group: Sequence[int]) -> list[str]:
    """Return the texts of a group's answers; of neighbouring numbers only the ends."""
    name = group_name(item, group).strip("[]")
    if _RANGE.fullmatch(name) and len(group) > 1:
        return [f"{item.truths[group[0]].text} to {item.truths[group[-1]].text}"]
    return [item.truths[place].text for place in group]
