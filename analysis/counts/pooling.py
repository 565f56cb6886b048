"""Reports to several revisions of a survey, counted together where a question is the same.

A corrected word makes another revision, after some people answered the earlier one. If respondents
read the same question and the same answers, and the device draws by the same channel, a report
means the same in both revisions. A device does not report such a question twice
(`deniable.survey.revisions.marks`). Questions that differ in any of these are not pooled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.rows import (
    Rows,
    alike,
    direct_places,
    join_rows,
    patterns_of,
    split_counted,
    split_rows,
    without,
)
from deniable.analysis.counts.tally import Tally
from deniable.analysis.numerics.arrays import BoolArray, IntArray
from deniable.analysis.privacy.disclosure import EVERYBODY, LEAST, few_alike
from deniable.report import NOT_ASKED
from deniable.survey import Survey
from deniable.survey.grouped import Columns, every_column
from deniable.survey.revisions import differences, worded_marks
from deniable.text.safety import counted


@dataclass(frozen=True)
class Match:
    """How the reports to another revision answer the questions of a survey. Made by `match`.

    `places`: for each item of the survey, the position of the same item in a report to the other
    revision; None if there is none. All are None if devices keep noise for one revision alone.
    """

    survey: Survey
    other: Survey
    places: tuple[int | None, ...]

    @property
    def is_pooled(self) -> bool:
        """Whether any question is the same."""
        return any(place is not None for place in self.places)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of the survey's items that are not pooled."""
        pairs = zip(self.survey.items, self.places, strict=True)
        return tuple(item.id for item, place in pairs if place is None)

    def answers(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Return reports to the other revision, of waves that the survey has, as its own."""
        for chunk in chunks:
            answers, waves = split_rows(chunk, self.other)
            kept = self.counts_in(waves)
            yield join_rows(self.of(answers[kept]), waves[kept], self.survey).tobytes()

    def counts_in(self, waves: IntArray) -> BoolArray:
        """Return for the wave of each report to the other revision whether the report counts."""
        return (waves <= self.survey.waves) & self.is_pooled

    def of(self, found: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return an array of answers, one row per respondent, with the survey's columns."""
        answers = _not_asked(len(found), len(self.places))
        for here, there in enumerate(self.places):
            if there is not None:
                answers[:, here] = found[:, there]
        return answers

    def told(self, n: int) -> str:
        """Return a sentence on whether `n` reports to the other revision are counted."""
        differing = ", ".join(differences(self.survey, self.other))
        reports = counted(n, "report")
        where = f"revision {self.other.shown_number} (other there: {differing})"
        if not self.is_pooled:
            return f"{reports} to {where}: not in this, because no question is the same."
        if not self.left_out:
            return f"{reports} to {where}: counted in this."
        return f"{reports} to {where}: counted in this, but for {', '.join(self.left_out)}."


def match(survey: Survey, other: Survey) -> Match:
    """Find the same items in another revision."""
    if survey.revision == other.revision:
        return Match(survey, other, tuple(range(len(survey.items))))
    if survey.keeps_noise != other.keeps_noise:
        # A device that keeps noise reports in every wave, and another one once: between the two
        # revisions a person would be counted twice.
        return Match(survey, other, (None,) * len(survey.items))
    worded = [[*zip(*worded_marks(one), strict=True)] for one in (survey, other)]
    # If the wording was corrected since, only the id tells who reported the item.
    there = {own[0]: place for place, own in enumerate(worded[1]) if len({*own}) == 1}
    corrected = {
        (item.id, mark): place
        for place, (item, own) in enumerate(zip(other.items, worded[1], strict=True))
        for mark in own
    }
    places = []
    for item, own in zip(survey.items, worded[0], strict=True):
        found = (corrected[item.id, mark] for mark in own if (item.id, mark) in corrected)
        alike = there.get(own[0]) if len({*own}) == 1 else None
        places.append(next(found, alike))
    return Match(
        survey,
        other,
        tuple(
            place if place is not None and _is_same(survey, here, other, place) else None
            for here, place in enumerate(places)
        ),
    )


def pool_answers(
    survey: Survey, received: Iterable[tuple[Survey, Iterable[bytes]]]
) -> Iterator[bytes]:
    """Return the reports to several revisions as reports to one revision.

    `received`: each revision (perhaps that of `survey` too) with its answers. Result: as
    `Match.answers`; nothing from a revision that shares no question with the survey.
    """
    for other, chunks in received:
        found = match(survey, other)
        if found.is_pooled:
            yield from found.answers(chunks)


def pool_rows(
    survey: Survey,
    received: Iterable[tuple[Survey, Iterable[bytes]]],
    least: int = LEAST,
    wanted: Columns | None = None,
) -> Rows:
    """Return pooled reports with the keys for disclosure control: direct answers and patterns.

    `wanted`: the direct columns that may leave together; by default all, in the survey's order.
    """
    all_answers = [(other, *split_counted(chunks, other)) for other, chunks in received]
    answered = [one for one in all_answers if len(one[1])]
    nobody: IntArray = np.empty(0, dtype=np.int64)
    parts: list[tuple[npt.NDArray[Any], ...]] = [
        (_not_asked(0, len(survey.items)), nobody, nobody, nobody)
    ]
    seen_patterns, is_alone = 0, len(answered) == 1
    for other, sent, of_wave, came in answered:
        few = few_alike(other, sent, of_wave, came, least, is_alone=is_alone)
        those = without(sent, few, direct_places(other))
        found = match(survey, other)
        kept = found.counts_in(of_wave)
        # Per answered revision: under another one, reports to several revisions look alike.
        first, own = alike(patterns_of(other, those, is_alone=is_alone))
        numbered = own + seen_patterns
        parts.append((found.of(those[kept]), numbered[kept], of_wave[kept], came[kept]))
        seen_patterns += len(first)
    answers, patterns, waves, times = map(np.concatenate, zip(*parts, strict=True))
    return Rows(survey, answers, patterns, waves, times, least, wanted or every_column(survey))


def rows_of_reports(
    survey: Survey,
    chunks: Iterable[bytes],
    least: int = LEAST,
    wanted: Columns | None = None,
) -> Rows:
    """Return reports without context, such as those of a CSV: a row each, in their order."""
    answers, waves = split_rows(b"".join(chunks), survey)
    times, direct = np.ones(len(answers), dtype=np.int64), direct_places(survey)
    few = few_alike(survey, answers, waves, times, least, is_alone=True)
    answers = without(answers, few, direct)
    _, patterns = alike(patterns_of(survey, answers))
    return Rows(survey, answers, patterns, waves, times, least, wanted or every_column(survey))


def least_of_one(survey: Survey, answered: Iterable[Survey]) -> int:
    """Return how many people a direct answer needs to be shown for one revision alone.

    The total of all revisions less one revision's count gives the others' count, however small. So
    direct answers are shown for all revisions together, not for one.
    """
    others = (one for one in answered if one.revision != survey.revision)
    return EVERYBODY if any(match(survey, one).is_pooled for one in others) else LEAST


def _not_asked(people: int, items: int) -> npt.NDArray[np.uint8]:
    return np.full((people, items), NOT_ASKED, dtype=np.uint8)


def pool_tallies(survey: Survey, tallies: Iterable[tuple[Survey, Tally]]) -> Tally:
    """Add up the tallies of several revisions, as a tally of one revision.

    `tallies`: each revision (perhaps that of `survey` too) with its tally. Result: `Tally.n` is the
    number of reports; a person who answered two revisions, a different question in each, sent two.
    """
    counts = [np.zeros(reports, dtype=np.int64) for reports in survey.report_counts]
    n = 0
    for other, tally in tallies:
        found = match(survey, other)
        n += tally.n if found.is_pooled else 0
        for here, there in enumerate(found.places):
            if there is not None:
                counts[here] += tally.counts[there]
    return Tally(survey.revision, n, tuple(counts))


def _is_same(survey: Survey, here: int, other: Survey, there: int) -> bool:
    """Return whether two items of one wording have the same channel and the same respondents."""
    one, another = survey.items[here], other.items[there]
    questions = survey.question(one.question), other.question(another.question)
    return (
        (one.channel, one.protection, one.memory, one.group)
        == (another.channel, another.protection, another.memory, another.group)
        and questions[0].ask_if == questions[1].ask_if
        and (not any(one.is_number for one in questions) or one.truths == another.truths)
    )
