"""The reports of a study: their columns, groups, weights and covariates."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.columns import are_numbers, refuse_texts, warn_of_case
from deniable.analysis.counts.data_file import MISSING
from deniable.analysis.counts.rows import alike, in_bytes, people_of
from deniable.analysis.counts.tally import Tally, count_answers
from deniable.analysis.joint.counting import joint_counts
from deniable.analysis.numerics.arrays import BoolArray, IntArray
from deniable.analysis.results import ItemResults, Results, numbers
from deniable.analysis.sampling.calibration import MarginError
from deniable.analysis.sampling.of_items import SampledReports, sampled_results, weighed_results
from deniable.analysis.waves import ItemReports
from deniable.report import NOT_ASKED
from deniable.results.item import Sample
from deniable.study import crossing, shares
from deniable.study.questions import QuestionStudy, refuse_not_drawn
from deniable.study.shares import GroupedReports
from deniable.study.tables import UNKNOWN, Kind
from deniable.study.weighing import TOGETHER, Margins, Weighing, read_margins
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Reports(QuestionStudy):
    """A survey and the reports that people sent, as `Study` is made of them.

    `answers`, shape (rows, items): a byte an item, 255 for "not asked". `of_wave`, shape (rows,):
    the wave of each, from 1. `source`: where they come from. `beside`: cells
    of other columns, such as weights, in the order of the rows. `sample`: how people were drawn, if
    not alike; see `weights`. `called`: by item, what stands in the data for the yes of its design,
    where its answers are just no and yes. `times`, shape (rows,): how many people sent each row;
    None if each row is one person. `margins`: of the
    survey's plan; everything is weighted to them unless there is a `sample`. `kinds`: what is known
    of columns beside their cells.
    """

    survey: Survey = field(repr=False)
    answers: npt.NDArray[np.uint8] = field(repr=False)
    of_wave: npt.NDArray[np.int64] = field(repr=False)
    source: str
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    sample: Sample | None = field(default=None, repr=False)
    called: Mapping[str, str] = field(default_factory=dict, repr=False)
    times: IntArray | None = field(default=None, repr=False)
    margins: Margins = field(default_factory=dict, repr=False)
    kinds: Mapping[str, Kind] = field(default_factory=dict, repr=False)

    @cached_property
    def n_by_wave(self) -> dict[int, int]:
        """How many people answered in each wave that has reports."""
        return {wave: self._people(inside) for wave, inside in self._rows_by_wave.items()}

    def _people(self, inside: BoolArray) -> int:
        return int(inside.sum() if self.times is None else self.times[inside].sum())

    def each(self) -> Self:
        """Return the study with a row for each person."""
        if self.times is None:
            return self
        return replace(
            self,
            answers=np.repeat(self.answers, self.times, axis=0),
            of_wave=np.repeat(self.of_wave, self.times),
            beside={
                name: np.repeat(np.array(cells, dtype=object), self.times).tolist()
                for name, cells in self.beside.items()
            },
            times=None,
            sample=None,
        )

    def merged(self, items: Sequence[Item], beside: Sequence[str] = ()) -> Self:
        """Return the study with a row for each different combination of these items and columns.

        People of a row gave the same answers to some items, have the same cells in some columns
        beside, and were drawn alike, if this is a sample of one wave. What else is known of them is
        left out.
        """
        places = [self._places[item.id] for item in items]
        sample = self.sample
        drawn = [] if sample is None else [one.kinds for one in sample.designs.values()]
        cells = [_numbered(self.beside[name]) for name in beside]
        numbered = [*cells, self.of_wave, *itertools.chain(*drawn)]
        parts = [self.answers[:, places], *map(in_bytes, numbered)]
        first, of_row = alike(np.hstack(parts))
        times = people_of(of_row, self.times)
        answers = np.full((len(first), len(self.survey.items)), NOT_ASKED, dtype=np.uint8)
        answers[:, places] = self.answers[first][:, places]
        if sample is not None:
            merged = {wave: one.merged(first, times) for wave, one in sample.designs.items()}
            sample = replace(sample, designs=merged)
        return replace(
            self,
            answers=answers,
            of_wave=self.of_wave[first],
            beside={name: [self.beside[name][row] for row in first.tolist()] for name in beside},
            sample=sample,
            times=times,
        )

    def _select_rows(self, inside: BoolArray) -> Self:
        return replace(
            self,
            answers=self.answers[inside],
            of_wave=self.of_wave[inside],
            beside={of: [*itertools.compress(cells, inside)] for of, cells in self.beside.items()},
            sample=None,
            times=None if self.times is None else self.times[inside],
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {item.id: place for place, item in enumerate(self.survey.items)}

    def _column(self, item: Item) -> npt.NDArray[np.uint8]:
        return self.answers[:, self._places[item.id]]

    def _counts(self, item: Item, inside: BoolArray) -> npt.NDArray[np.int64]:
        column = self._column(item)
        asked = inside & (column != NOT_ASKED)
        times = None if self.times is None else self.times[asked]
        return np.bincount(column[asked], times, item.channel.reports).astype(np.int64)

    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        places = [self._places[one.id], self._places[other.id]]
        channels = [one.channel, other.channel]
        counts = joint_counts(self.answers, channels, places, times=self.times)
        return crossing.pair_of(one, other, counts)

    def _weighed(self, asked: crossing.Pair, *items: Item) -> crossing.Weighed | None:
        if self.sample is None:
            return None
        return crossing.pairs_sent(asked, items, [*map(self._column, items)]), self.sample

    @cached_property
    def _rows_by_wave(self) -> dict[int, npt.NDArray[np.bool_]]:
        """Whether each report is of a wave, by wave: those with reports, or the first."""
        waves = np.unique(self.of_wave).tolist() or [1]
        return {wave: self.of_wave == wave for wave in waves}

    def _responses(self, item: Item, groups: Item | None) -> dict[int, GroupedReports]:
        column = self._column(item)
        members = {shares.EVERYBODY: np.ones(len(column), dtype=np.bool_)}
        if groups is not None:
            of = self._column(groups)
            members = {answer: of == place for place, answer in enumerate(groups.truths)}
        grouped = np.logical_or.reduce([*members.values()])
        found: dict[int, GroupedReports] = {}
        for wave, inside in self._rows_by_wave.items():
            missing = self._people(inside & ~(grouped & (column != NOT_ASKED)))
            of_wave = {group: inside & each for group, each in members.items()}
            found[wave] = (
                shares.CountedGroups(
                    {group: self._counts(item, each) for group, each in of_wave.items()},
                    missing,
                )
                if self.sample is None
                else shares.SampledGroups(
                    column[inside],
                    {group: each[inside] for group, each in of_wave.items()},
                    self.sample.designs[wave],
                    missing,
                )
            )
        return found

    def weights(
        self,
        weights: str | None = None,
        *,
        strata: str | None = None,
        clusters: str | None = None,
        margins: Margins | str | Path | None = None,
        trim: float | None = None,
    ) -> Self:
        """Take the respondents for a sample, of whose population everything is then estimated.

        Where the survey's plan has margins, everything is weighted to these from the start.
        Without any argument each respondent then counts alike.

        Parameters
        ----------
        weights, strata, clusters : str, optional
            How people were drawn: a direct item of the survey, or a column that was read beside
            it, with how many people each stands for (above 0), with the strata, and with what was
            drawn as a whole.
        margins : dict, str or Path, optional
            What is known of the population: of each direct item or column, how many people gave
            each answer, or which part of them, as ``{"sex": {"woman": 0.51, "man": 0.49}}``. A
            margin of several is ``{"region:sex": {"north:woman": 0.2, ...}}``. Or the path of a CSV
            with the columns question, answer and people. Weights are post-stratified to one margin
            and raked to several, and errors are those of such weights.
        trim : float, optional
            No weight may be more than this times the mean weight; margins hold all the same.

        Returns
        -------
        Study
            The same reports. `shares`, `by`, `ratios`, `cross` and `regress` are of the population.

        Raises
        ------
        ValueError
            If there is no such column, somebody has no weight, or one of 0 or below; if a margin
            lacks an answer that was given, or has one that nobody gave; if margins have different
            totals, or cannot hold together. The message says which.
        """
        is_weighed = bool(self.margins) or self.sample is not None
        if is_weighed and not any((weights, strata, clusters, margins, trim)):
            return replace(self, margins={}, sample=None)
        read = read_margins(margins) if isinstance(margins, str | Path) else margins
        columns = {"weights": weights, "strata": strata, "clusters": clusters}
        how = Weighing(
            **{role: composed(name) for role, name in columns.items() if name is not None},
            margins=None if read is None else self._coded(read),
            trim=trim,
        )
        if not len(self.answers):
            raise ValueError(f"{self.survey.slug} has no reports yet, so there is nobody to weigh")
        if not how.said:
            raise ValueError("expected weights, strata, clusters or margins")
        kinds = dict.fromkeys(how.of_margins, MarginError)
        cells = {name: self._cells(name, unknown=kinds.get(name)) for name in how.columns}
        each = self._rows_by_wave.items()
        designs = {wave: how.design(cells, inside, self.times) for wave, inside in each}
        return replace(self, margins={}, sample=Sample(designs, how.said))

    def _coded(self, margins: object) -> Margins:
        """Write the answers of margins by their codes, also where their texts were given."""
        found = {}
        for name, people in (margins if isinstance(margins, Mapping) else {"": None}).items():
            if not isinstance(people, Mapping):
                raise MarginError(
                    'expected margins such as {"sex": {"woman": 0.5, "man": 0.5}}, or a CSV, found '
                    f"{margins!r}"
                )
            of = composed(name)
            items = [one for one in self.survey.items if one.id in of.split(TOGETHER)]
            codes = {truth.text: truth.code for one in items for truth in one.truths}
            parts = [composed(str(answer)).split(TOGETHER) for answer in people]
            answers = [TOGETHER.join(codes.get(part, part) for part in each) for each in parts]
            if twice := [one for one in answers if answers.count(one) > 1]:
                raise MarginError(f"margin {of!r}: expected {twice[0]!r} once, found it twice")
            found[of] = dict(zip(answers, people.values(), strict=True))
        return found

    def _cells(
        self, name: str, *, may_be_empty: bool = False, unknown: type[ValueError] | None = None
    ) -> Sequence[str]:
        """Return the cells of a column or a direct item; `unknown`: the error of another name."""
        name, unknown = composed(name), unknown or ValueError
        direct = {one.id: one for one in self.survey.items if one.protection is Protection.DIRECT}
        if name in self.beside:
            self.kinds.get(name, UNKNOWN).check(name)
            cells = self.beside[name]
        elif name in direct:
            cells = [str(label or "") for label in labels(direct[name], self._column(direct[name]))]
        elif name in self._places:
            raise unknown(
                f"{name!r} was randomised, so nobody's true answer to it is known: expected a "
                "direct item, or a column that was read beside the survey"
            )
        else:
            there = ", ".join([*self.beside, *direct]) or "there is none"
            raise unknown(
                f"there is no column {name!r}: expected a direct item, or a column that was read "
                f"beside the survey ({there})"
            )
        empty = [row for row, cell in enumerate(cells) if not cell]
        if empty and not may_be_empty:
            first = f", the first for respondent {empty[0] + 1:,}" if self.times is None else ""
            n = len(empty) if self.times is None else int(self.times[empty].sum())
            raise ValueError(
                f"column {name!r}: expected something for each respondent, found {n:,} empty{first}"
            )
        return cells

    @cached_property
    def tallies(self) -> dict[int, Tally]:
        """The tally of each item by itself, of the same waves."""
        return {
            wave: count_answers(
                [self.answers[inside]],
                self.survey,
                [None if self.times is None else self.times[inside]],
            )
            for wave, inside in self._rows_by_wave.items()
        }

    def _results_by_wave(
        self, level: float, method: str, only: str | None = None
    ) -> dict[int, Results]:
        found = super()._results_by_wave(level, method, only)
        if self.sample is None:
            return found
        designs, each = self.sample.designs, self._rows_by_wave
        return {
            wave: weighed_results(
                found[wave],
                lambda item, inside=inside: self._column(item)[inside],  # type: ignore[misc]
                designs[wave],
            )
            for wave, inside in each.items()
        }

    def reports_on(self, wave: int, item: Item) -> ItemReports:
        """Return the reports of a wave on an item, as those of a sample if this is one."""
        if self.sample is None:
            return super().reports_on(wave, item)
        reports = self._column(item)[self._rows_by_wave[wave]]
        return SampledReports(item.channel, reports, self.sample.designs[wave])

    def weighed(self, item: Item, level: float, method: str) -> ItemResults:
        """Estimate an item for the population of the only wave."""
        assert self.sample is not None  # noqa: S101  for the type checker: made by `weights`
        (design,) = self.sample.designs.values()
        question = self._question(item)
        return sampled_results(question, item, self._column(item), design, level, method)

    def _covariates(self, response: Item | None, names: Sequence[str]) -> pd.DataFrame:
        """Return the response's reports, if it has some, beside what a formula names."""
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        frame: dict[str, Any] = {}
        if response is not None:
            reports = self._column(response).astype(np.float64)
            frame[response.id] = np.where(reports == NOT_ASKED, np.nan, reports)
        for name in names:
            if name in self.beside:
                frame[name] = covariate(
                    name, self.beside[name], self.times, self.kinds.get(name, UNKNOWN)
                )
                continue
            item = self.item(name)
            if response is not None:
                refuse_not_drawn(self.survey, response, item)
            if item.protection is not Protection.DIRECT:
                raise ValueError(
                    f"{item.id!r} was randomised, so nobody's true answer to it is known: expected "
                    "direct answers to the right of ~ (cross and by take two randomised items)"
                )
            frame[item.id] = self._as_covariate(item)
        return pd.DataFrame(frame)

    def _as_covariate(self, item: Item) -> Any:
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        column = self._column(item)
        if self._question(item).is_number:
            values = np.array([*numbers(item), *[np.nan] * (256 - len(item.truths))])
            return values[column]
        there = [a.code for place, a in enumerate(item.truths) if (column == place).any()]
        return pd.Categorical(labels(item, column), categories=there)


def labels(item: Item, column: npt.NDArray[np.uint8]) -> npt.NDArray[np.object_]:
    """Return the codes of reports; None for a person who was not asked."""
    codes = np.full(256, None, dtype=object)
    codes[: len(item.reports)] = [report.code for report in item.reports]
    return codes[column]


def _numbered(cells: Sequence[str]) -> IntArray:
    known: dict[str, int] = {}
    numbers = (known.setdefault(cell, len(known)) for cell in cells)
    return np.fromiter(numbers, np.int64, len(cells))


def covariate(
    name: str, cells: Sequence[str], times: IntArray | None = None, kind: Kind = UNKNOWN
) -> Any:
    """Return a column as numbers, dates or times, or else as groups.

    The dtype of a data frame says what it is; a column of a CSV is numbers if all its cells are.
    `times`, shape (cells,): how many respondents each cell is of; by default one.
    """
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    kind.check(name)
    present = [None if cell.lower() in MISSING else cell for cell in cells]
    if kind.dtype is not None and not kind.has_texts:
        return kind.typed(present)
    if kind.dtype is None and are_numbers(name, {one for one in present if one}):
        return pd.Series(present, dtype=object).astype("float64")
    different = Counter[str]()
    for cell, n in zip(
        present, itertools.repeat(1) if times is None else times.tolist(), strict=False
    ):
        if cell is not None:
            different[cell] += n
    refuse_texts(name, different)
    warn_of_case(name, different)
    return pd.Categorical(present)
