"""Of whom some answers are told together, and how these people are weighed to a survey's margins.

Every door asks here: a notebook and a command, which see each report, and the desk, where the
answers of few people are hidden (`deniable.analysis.privacy.disclosure`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self

import numpy as np

from deniable.analysis.counts.rows import Rows, without
from deniable.analysis.numerics.arrays import BoolArray
from deniable.analysis.privacy import columns, disclosure
from deniable.analysis.results import ItemResults, Results
from deniable.analysis.waves import ItemReports, no_reports
from deniable.report import NOT_ASKED
from deniable.study.reports import Reports
from deniable.survey.grouped import Columns, each_answer
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

        Several direct items are told in the groups in which they leave together: the items of the
        result may have fewer answers. Everybody who was asked the margins is weighed, and only then
        are those left out who cannot be seen, so that a weight does not depend on what is shown.

        Raises
        ------
        ValueError
            If there is nobody, too few are left, or they cannot be weighed to the margins.
        """
        if self.rows is None:
            return self._seen([asked, *groups]) if self.margins and self.n else self
        self._check_weights(asked)
        if not (groups or self.margins) and asked.protection is Protection.DIRECT:
            place = self._places[asked.id]
            if disclosure.hidden_in_groups(self.rows, place)[:, : len(asked.truths)].any():
                # Shares of the others alone would be of a selected sample.
                raise disclosure.TooFewError(
                    f"too few people to show {asked.id!r} alone: see it among all questions"
                )
        names = {one.id for one in (asked, *groups) if one.protection is Protection.DIRECT}
        put_together = any(self.is_put_together(one) for one in groups)
        # Weighted, a group tells how many people in it gave each answer to a margin.
        beside = self.margins if names & {one.id for one in groups} else ()
        several = len({*names, *beside}) > 1
        people = self._in_columns(names) if several or put_together else self
        return people._seen([people.item(one.id) for one in (asked, *groups)])

    def is_put_together(self, item: Item) -> bool:
        """Return whether an item makes groups of several answers, as the survey's owner chose."""
        if self.rows is None or item.protection is not Protection.DIRECT:
            return False
        chosen = self._columns.get(item.id)
        return chosen is not None and chosen != each_answer(item)

    @cached_property
    def _columns(self) -> Columns:
        """The direct columns that leave together, found once for all items of a page."""
        assert self.rows is not None  # noqa: S101  for mypy: see `among`
        return columns.holding(self.rows, self.rows.wanted)

    def check_margins(self) -> None:
        """Refuse weights that would tell how few people gave an answer to a margin."""
        least = self.min_cell_size
        for one in map(self.item, self.margins):
            if any(0 < n < least for wave in self._alone.values() for n in wave.people_by(one)):
                raise ValueError(f"fewer than {least} people gave some answer to {one.id!r}")

    def _check_weights(self, asked: Item) -> None:
        """Refuse a direct item beside margins with which it is not shown in full.

        To all digits, what is weighted follows from how many people gave each of its answers
        together with each answer to a margin.
        """
        assert self.rows is not None  # noqa: S101  for mypy: see `among`
        self.check_margins()
        if asked.protection is Protection.DIRECT and {*self.margins} - {asked.id}:
            names = {asked.id, *self.margins}
            for name, groups in columns.together(self.rows, self._columns, names).items():
                if groups != each_answer(self.item(name)):
                    raise ValueError(f"{name!r} is shown beside others in groups alone")

    def in_groups(self, chosen: Columns) -> Self:
        """Return the same reports with direct answers put together; other direct items stay."""
        if self.rows is None or not chosen:
            return self
        told = {**chosen, **{k: of for k, of in self.rows.wanted.items() if k not in chosen}}
        return self._grouped(told)

    def _in_columns(self, names: Collection[str]) -> Self:
        """Return the same reports with direct items in the groups in which they leave together."""
        assert self.rows is not None  # noqa: S101  for mypy: see `among`
        wanted = {*names, *self.margins}
        return self._grouped(columns.together(self.rows, self._columns, wanted))

    def _grouped(self, told: Columns) -> Self:
        assert self.rows is not None  # noqa: S101  for mypy: see `among`
        rows = columns.grouped(self.rows, told, least=self.rows.least)
        margins = columns.margins_together(self.margins, self.survey, told)
        return replace(self, survey=rows.survey, answers=rows.answers, rows=rows, margins=margins)

    def _seen(self, items: Sequence[Item]) -> Self:
        """Weigh everybody who was asked the margins; leave out who cannot be seen with items."""
        of_items = (*items, *map(self.item, self.margins))
        shown, n_asked = self._together(items)
        everybody = self._people(np.ones(len(shown), dtype=np.bool_))
        if not everybody:
            raise ValueError("no reports yet")
        known = [self._places[name] for name in self.margins]
        inside: BoolArray = (self.answers[:, known] != NOT_ASKED).all(axis=1)
        others = [self._places[item.id] for item in items if item.id not in self.margins]
        if not self.margins or not others:
            inside = shown
        seen = replace(self._select_rows(inside), margins={}, rows=None)
        if not shown[inside].all():
            # They stay in the sample that is weighed, without an answer to the other items.
            seen = replace(seen, answers=without(seen.answers, ~shown[inside], others))
        n_hidden = n_asked - self._people(shown)
        n_seen = self._people(shown & inside)
        if self.margins and not self.beside:
            seen = seen.merged(of_items)
        n_unasked = everybody - n_hidden - n_seen
        left_out = tuple(seen.who_is_left_out(n_unasked, n_hidden, items, self.min_cell_size))
        with saying(left_out):
            weighed = seen.weights(margins=self.margins) if self.margins else seen
        return replace(weighed, left_out=left_out)

    def _together(self, items: Sequence[Item]) -> tuple[BoolArray, int]:
        """Return who is seen with all of some items, and how many people were asked them."""
        places = {self._places[item.id] for item in items}
        if self.rows is not None:
            return disclosure.people_together(self.rows, places)
        shown: BoolArray = (self.answers[:, sorted(places)] != NOT_ASKED).all(axis=1)
        return shown, self._people(shown)

    def who_is_left_out(
        self, unasked: int, hidden: int, items: Sequence[Item], least: int
    ) -> Iterator[str]:
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
                f"{least} gave the same direct answers and were asked the same questions, or their "
                "answers would follow from other tables."
            )

    def people_by(self, item: Item) -> list[int]:
        """Count who gave each answer to a direct item."""
        counts = np.bincount(self._column(item), self.times, len(item.truths))
        return [int(n) for n in counts[: len(item.truths)]]

    def weigh(self, found: Results) -> Results:
        """Weigh what was estimated of the only wave, item by item, where that can be done."""
        notes = {one.question.id: list[str]() for one in found.questions}
        lacking, is_weighted = list[str](), False

        def weighed(one: ItemResults) -> ItemResults:
            if not one.n:
                return one
            nonlocal is_weighted
            said = notes[one.item.question]
            people = self._weighable(one.item)
            if isinstance(people, ValueError):
                lacking.append(f"{str(people).rstrip('.')}.")
                said.append(f"{UNWEIGHTED}: {lacking[-1]}")
                return one
            is_weighted = True
            said += (sentence for sentence in people.left_out if sentence not in said)
            return people.weighed(one.item, found.level, found.method)

        results = replace(found.changed(weighed), notes=notes, margins=self.margins)
        if lacking and not is_weighted:
            return replace(found, unweighted=lacking[0])
        return results

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
