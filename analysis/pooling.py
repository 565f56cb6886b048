"""Reports to several revisions of a survey, counted together where they answer the same question.

A corrected word makes another revision, and people have answered the earlier one. Where a person
reads the same question and the same answers, and the device draws by the same law, a report says
the same under both. A device does not report such a question twice (`deniable.revisions.marks`), so
that nobody is counted twice. What differs in any of these is not counted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from deniable.analysis.tally import Tally
from deniable.document import fingerprint_of
from deniable.report import NOT_ASKED
from deniable.revisions import differences, marks
from deniable.survey import Survey


@dataclass(frozen=True)
class Match:
    """How the reports to another revision answer the questions of a survey. Made by `match`.

    Parameters
    ----------
    survey, other : Survey
    places : tuple of (int or None)
        For each item of the survey, where the same item stands in a report to the other revision.
        All are None where the survey is asked in other waves.
    """

    survey: Survey
    other: Survey
    places: tuple[int | None, ...]

    @property
    def is_pooled(self) -> bool:
        """Whether any question is the same; which wave it is is no question."""
        asked = self.places if self.survey.waves is None else self.places[:-1]
        return any(place is not None for place in asked)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The ids of those items of the survey that are not counted together."""
        pairs = zip(self.survey.items, self.places, strict=True)
        return tuple(item.id for item, place in pairs if place is None)

    def answers(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Return reports to the other revision as reports to the survey.

        Parameters
        ----------
        chunks : iterable of bytes
            Each the answers of whole respondents.

        Yields
        ------
        bytes
            The same respondents in the same order, 255 where an item is another one.
        """
        columns = [(here, there) for here, there in enumerate(self.places) if there is not None]
        for chunk in chunks:
            found = np.frombuffer(chunk, dtype=np.uint8).reshape(-1, len(self.other.items))
            answers = np.full((len(found), len(self.places)), NOT_ASKED, dtype=np.uint8)
            for here, there in columns:
                answers[:, here] = found[:, there]
            yield answers.tobytes()

    def told(self, n: int) -> str:
        """Say in a sentence what became of so many reports to the other revision."""
        differing = ", ".join(differences(self.survey, self.other))
        reports = f"{n:,} report{'' if n == 1 else 's'}"
        where = f"revision {fingerprint_of(self.other.revision)} (other there: {differing})"
        if not self.is_pooled:
            return f"{reports} to {where}: not in this, because no question is the same."
        if not self.left_out:
            return f"{reports} to {where}: counted in this."
        return f"{reports} to {where}: counted in this, but for {', '.join(self.left_out)}."


def match(survey: Survey, other: Survey) -> Match:
    """Find the same items in another revision.

    Parameters
    ----------
    survey, other : Survey
        Two revisions of one survey.

    Returns
    -------
    Match
    """
    if survey.revision == other.revision:
        return Match(survey, other, tuple(range(len(survey.items))))
    if survey.waves != other.waves:
        return Match(survey, other, (None,) * len(survey.items))
    there = {mark: place for place, mark in enumerate(marks(other))}
    places = (there.get(mark) for mark in marks(survey))
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
    """Return the reports to several revisions as reports to one of them.

    Parameters
    ----------
    survey : Survey
    received : iterable of (Survey, iterable of bytes)
        Each revision, that of `survey` perhaps among them, with the answers that it has.

    Yields
    ------
    bytes
        As `Match.answers`; nothing of a revision that has no question of the survey.
    """
    for other, chunks in received:
        found = match(survey, other)
        if found.is_pooled:
            yield from found.answers(chunks)


def pool_tallies(survey: Survey, tallies: Iterable[tuple[Survey, Tally]]) -> Tally:
    """Add up the tallies of several revisions, as of one of them.

    Parameters
    ----------
    survey : Survey
    tallies : iterable of (Survey, Tally)
        Each revision, that of `survey` perhaps among them, with its tally.

    Returns
    -------
    Tally
        `Tally.n` is the number of reports; a person who answered two revisions, and another
        question in each, sent two.
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
    """Whether two items that read alike are drawn by one law, and asked of the same people."""
    one, another = survey.items[here], other.items[there]
    questions = survey.question(one.question), other.question(another.question)
    return (
        (one.channel, one.protection, one.memory)
        == (another.channel, another.protection, another.memory)
        and questions[0].ask_if == questions[1].ask_if
        and (not any(one.is_number for one in questions) or one.truths == another.truths)
    )
