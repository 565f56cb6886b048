"""Of whom some answers are told together, and how these people are weighed to a survey's margins.

Every door asks here: a notebook and a command, which see each report, and the desk, where the
answers of few people are hidden (`deniable.analysis.privacy.disclosure`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self

import numpy as np

from deniable.analysis.counts.rows import Rows
from deniable.analysis.numerics.arrays import BoolArray
from deniable.analysis.privacy import disclosure
from deniable.analysis.privacy.disclosure import LEAST
from deniable.analysis.results import ItemResults, Results
from deniable.analysis.waves import ItemReports, no_reports
from deniable.report import NOT_ASKED
from deniable.study.reports import Reports
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.text.doors import retold

MOST_GROUPS: Final = 12
"""More are no groups to compare, but a number to regress on."""

UNWEIGHTED: Final = "Not weighted"
"""How the note on a question begins whose estimates are of those who answered alone."""


@dataclass(frozen=True, eq=False)
class Population(Reports):
    """Reports, and what decides of whom they are told, as `Study` is made of them.

    `rows`: the same reports, with what hides few people; None where each person is seen.
    `left_out`: in sentences, who was.
    """

    rows: Rows | None = field(default=None, repr=False)
    left_out: tuple[str, ...] = field(default=(), repr=False)

    @property
    def min_cell_size(self) -> int:
        """How many people a direct answer needs to be published."""
        return 1 if self.rows is None else self.rows.least

    def among(self, asked: Item, groups: Sequence[Item] = ()) -> Self:
        """Return the people of whom an item may be told in groups of others, weighted.

        What is weighted follows from how many people gave which answers of the margins together
        with the others, to all digits. So it is of those people who may be seen in groups of all of
        these, and tells nothing that a table of all of these would not tell.

        Raises
        ------
        ValueError
            If there is nobody, too few are left, or they cannot be weighed to the margins.
        """
        if self.rows is None and not (self.margins and self.n):
            return self
        groups = [*groups, *map(self.item, self.margins)]
        shown, n_asked = self._together(asked, groups)
        everybody = self._people(np.ones(len(shown), dtype=np.bool_))
        if not everybody:
            raise ValueError("no reports yet")
        if not n_asked:
            raise ValueError("nobody was asked these questions together")
        seen = replace(self._select_rows(shown), margins={}, rows=None)
        n_seen = self._people(shown)
        items = (asked, *groups)
        if self.margins and not self.beside:
            seen = seen.merged(items)
        left_out = tuple(seen.who_is_left_out(everybody - n_asked, n_asked - n_seen, items))
        with saying(left_out):
            weighed = seen.weights(margins=self.margins) if self.margins else seen
        return replace(weighed, left_out=left_out)

    def _together(self, asked: Item, groups: Sequence[Item]) -> tuple[BoolArray, int]:
        """Return who is seen with all of some items, and how many people were asked them."""
        places = {self._places[item.id] for item in (asked, *groups)}
        if self.rows is not None:
            told = asked.protection is Protection.DIRECT
            return disclosure.people_together(self.rows, places, told=told)
        shown: BoolArray = (self.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
        return shown, self._people(shown)

    def who_is_left_out(self, unasked: int, hidden: int, items: Sequence[Item]) -> Iterator[str]:
        """Say how many people are not among these, and why."""
        if unasked:
            yield f"{unasked:,} people are left out, because they were not asked all of this."
        if hidden:
            # All groups that are not there, whether or not anybody is in them: that tells nothing
            # new.
            direct = [
                *{one.id: one for one in items if one.protection is Protection.DIRECT}.values()
            ]
            missing = [
                group.text
                for group, n in zip(direct[0].truths, self.people_by(direct[0]), strict=True)
                if not n and len(direct) == 1 and len(direct[0].truths) <= MOST_GROUPS
            ]
            few = f" in {' or '.join(missing)}" if missing else ""
            yield (
                f"Too few people to show{few}. {hidden:,} people are left out: fewer than "
                f"{LEAST} gave the same direct answers and were asked the same questions, or their "
                "answers would follow from other tables."
            )

    def people_by(self, item: Item) -> list[int]:
        """Count who gave each answer to a direct item."""
        counts = np.bincount(self._column(item), self.times, len(item.truths))
        return [int(n) for n in counts[: len(item.truths)]]

    def weigh(self, found: Results) -> Results:
        """Weigh what was estimated of the only wave, item by item, where that can be done."""
        notes = {one.question.id: list[str]() for one in found.questions}

        def weighed(one: ItemResults) -> ItemResults:
            if not one.n:
                return one
            said = notes[one.item.question]
            people = self._weighable(one.item)
            if isinstance(people, ValueError):
                said.append(f"{UNWEIGHTED}: {str(people).rstrip('.')}.")
                return one
            said += (sentence for sentence in people.left_out if sentence not in said)
            return people.weighed(one.item, found.level, found.method)

        return replace(found.changed(weighed), notes=notes, margins=self.margins)

    def weigh_waves(self, found: Mapping[int, Results]) -> dict[int, Results]:
        """Weigh the estimates of each wave that has reports."""
        return {wave: self._alone[wave].weigh(one) if one.n else one for wave, one in found.items()}

    def reports_on(self, wave: int, item: Item) -> ItemReports:
        """Return the reports of a wave on an item, weighted to the margins if there are some.

        So a change tells nothing that the results of the two waves, each weighted, do not tell.
        """
        if not self.margins:
            return super().reports_on(wave, item)
        people = self._alone[wave]._weighable(item)
        if isinstance(people, ValueError):
            return no_reports(item)
        return people.reports_on(wave, item)

    def _results_by_wave(
        self, level: float, method: str, only: str | None = None
    ) -> dict[int, Results]:
        found = super()._results_by_wave(level, method, only)
        return self.weigh_waves(found) if self.margins else found

    @cached_property
    def _alone(self) -> Mapping[int, Self]:
        return {wave: self._one_wave(wave) for wave in self.n_by_wave}

    def _weighable(self, item: Item) -> Self | ValueError:
        """Return the people who are told of an item, or why they cannot be weighed; once."""
        if item.id not in self._known:
            try:
                self._known[item.id] = self.among(item)
            except ValueError as mistake:
                self._known[item.id] = mistake
        return self._known[item.id]

    @cached_property
    def _known(self) -> dict[str, Self | ValueError]:
        return {}

    def _one_wave(self, wave: int) -> Self:
        rows = None if self.rows is None else self.rows.wave(wave)
        sample = None if self.sample is None else self.sample.of(wave)
        alone = replace(self._select_rows(self.of_wave == wave), rows=rows, sample=sample)
        return replace(alone, source=self._source_of(wave))


@contextmanager
def saying(left_out: Sequence[str]) -> Iterator[None]:
    """Say as well who is left out, where there are too few people for an analysis."""
    try:
        yield
    except ValueError as mistake:

        def longer(text: str) -> str:
            return " ".join([text.partition("\n")[0].rstrip(".") + ".", *left_out])

        raise retold(mistake, longer) from None
