"""The reports of a study: their columns, groups, weights and covariates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.tally import Tally, count_answers
from deniable.analysis.findings import Results
from deniable.analysis.results import numbers
from deniable.analysis.sampling.design import SamplingDesign, sampling_design
from deniable.analysis.sampling.of_items import sampled_results
from deniable.extras import load
from deniable.report import NOT_ASKED
from deniable.results.item import Sample
from deniable.study import crossing, sampled, shares
from deniable.study.base import BaseStudy, refuse_not_drawn
from deniable.study.shares import Responses
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import Protection

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Reports(BaseStudy):
    """A survey and the reports that people sent, as `Study` is made of them.

    `answers`, shape (respondents, items): a byte an item, 255 for "not asked". `of_wave`, shape
    (respondents,): the wave of each report, 0 in a survey without waves. `source`: where they come
    from. `beside`: cells of other columns, such as weights, in the order of the reports.
    """

    survey: Survey = field(repr=False)
    answers: npt.NDArray[np.uint8] = field(repr=False)
    of_wave: npt.NDArray[np.int64] = field(repr=False)
    source: str
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @cached_property
    def n_by_wave(self) -> dict[int, int]:
        """How many people answered in each wave that has reports; under 0 if there are no waves."""
        return {wave: int(inside.sum()) for wave, inside in self._rows_by_wave.items()}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {item.id: place for place, item in enumerate(self.survey.items)}

    def _column(self, item: Item) -> npt.NDArray[np.uint8]:
        return self.answers[:, self._places[item.id]]

    def _counts(self, item: Item, column: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        asked = column[column != NOT_ASKED]
        return np.bincount(asked, minlength=item.channel.reports).astype(np.int64)

    def _pair(self, one: Item, other: Item) -> crossing.Pair:
        return crossing.pair(one, other, self.answers, self._places[one.id], self._places[other.id])

    @cached_property
    def _rows_by_wave(self) -> dict[int, npt.NDArray[np.bool_]]:
        """Which reports are of each wave that has some; all of them under 0 without waves."""
        if self.survey.waves is None:
            return {0: np.ones(len(self.answers), dtype=np.bool_)}
        return {int(wave): self.of_wave == wave for wave in np.unique(self.of_wave)}

    def _each_wave(self) -> dict[int, npt.NDArray[np.bool_]]:
        return self._rows_by_wave or {0: np.zeros(0, dtype=np.bool_)}

    def _responses(
        self, item: Item, groups: Item | None, sample: Sample | None
    ) -> dict[int, Responses]:
        column = self._column(item)
        members = {shares.EVERYBODY: np.ones(len(column), dtype=np.bool_)}
        if groups is not None:
            of = self._column(groups)
            members = {answer: of == place for place, answer in enumerate(groups.truths)}
        grouped = np.logical_or.reduce([*members.values()])
        found: dict[int, Responses] = {}
        for wave, inside in self._each_wave().items():
            missing = int((inside & ~(grouped & (column != NOT_ASKED))).sum())
            of_wave = {group: inside & each for group, each in members.items()}
            found[wave] = (
                shares.Counted(
                    {group: self._counts(item, column[each]) for group, each in of_wave.items()},
                    missing,
                )
                if sample is None
                else sampled.Weighted(
                    column[inside],
                    {group: each[inside] for group, each in of_wave.items()},
                    sample.designs[wave],
                    missing,
                )
            )
        return found

    def _sample(self, **columns: str | None) -> Sample | None:
        named = {what: name for what, name in columns.items() if name is not None}
        if not named:
            return None
        cells = {what: self._cells(name) for what, name in named.items()}
        weights: list[float] = [1.0] * len(self.answers)
        if "weights" in cells:
            try:
                weights = [float(cell) for cell in cells["weights"]]
            except ValueError:
                wrong = next(cell for cell in cells["weights"] if not _is_number(cell))
                raise ValueError(
                    f"column {named['weights']!r}: expected a weight for each respondent, "
                    f"found {wrong!r}"
                ) from None
        designs = {}
        for wave, inside in self._each_wave().items():
            strata, clusters = (
                None if one is None else np.asarray(one)[inside]
                for one in (cells.get("strata"), cells.get("clusters"))
            )
            designs[wave] = sampling_design(
                np.asarray(weights)[inside], strata=strata, clusters=clusters
            )
        return Sample(designs, named)

    def _cells(self, name: str, *, may_be_empty: bool = False) -> Sequence[str]:
        """Return what stands in a column beside the survey, or was answered to a direct item."""
        direct = {one.id: one for one in self.survey.items if one.protection is Protection.DIRECT}
        if name in self.beside:
            cells = self.beside[name]
        elif name in direct:
            cells = [str(label or "") for label in labels(direct[name], self._column(direct[name]))]
        else:
            there = ", ".join([*self.beside, *direct]) or "there is none"
            raise ValueError(
                f"there is no column {name!r}: expected a direct item, or a column that was read "
                f"beside the survey ({there})"
            )
        empty = sum(not cell for cell in cells)
        if empty and not may_be_empty:
            raise ValueError(
                f"column {name!r}: expected something for each respondent, found {empty:,} empty"
            )
        return cells

    @cached_property
    def tallies(self) -> dict[int, Tally]:
        """The tally of each item by itself, of the same waves."""
        return {
            wave: count_answers([self.answers[inside]], self.survey)
            for wave, inside in self._rows_by_wave.items()
        }

    def _results_by_wave(
        self, level: float, method: str, sample: Sample | None
    ) -> dict[int, Results]:
        found = super()._results_by_wave(level, method, sample)
        if sample is None:
            return found
        return {
            wave: self._weighed(found[wave], inside, sample.designs[wave], level, method)
            for wave, inside in self._each_wave().items()
        }

    def _weighed(
        self,
        results: Results,
        inside: npt.NDArray[np.bool_],
        design: SamplingDesign,
        level: float,
        method: str,
    ) -> Results:
        """Estimate for a population what was estimated of the respondents."""
        return replace(
            results,
            questions=tuple(
                replace(
                    one,
                    items=tuple(
                        sampled_results(
                            one.question,
                            found.item,
                            self._column(found.item)[inside],
                            design,
                            level,
                            method,
                        )
                        for found in one.items
                    ),
                )
                for one in results.questions
            ),
        )

    def _covariates(self, response: Item, names: Sequence[str]) -> pd.DataFrame:
        """Return the response's reports beside the direct answers that a formula names."""
        pandas = pandas_or_why()
        reports = self._column(response).astype(np.float64)
        frame: dict[str, Any] = {response.id: np.where(reports == NOT_ASKED, np.nan, reports)}
        for name in names:
            item = self.item(name)
            refuse_not_drawn(self.survey, response, item)
            if item.protection is not Protection.DIRECT:
                raise ValueError(
                    f"{item.id!r} was randomised, so nobody's true answer to it is known: expected "
                    "direct answers to the right of ~ (cross and by take two randomised items)"
                )
            frame[item.id] = self._as_covariate(item, pandas)
        covariates: pd.DataFrame = pandas.DataFrame(frame)
        return covariates

    def _as_covariate(self, item: Item, pandas: ModuleType) -> Any:
        column = self._column(item)
        if self._question(item).is_number:
            values = np.array([*numbers(item), *[np.nan] * (256 - len(item.truths))])
            return values[column]
        there = [a.code for place, a in enumerate(item.truths) if (column == place).any()]
        return pandas.Categorical(labels(item, column), categories=there)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def labels(item: Item, column: npt.NDArray[np.uint8]) -> npt.NDArray[np.object_]:
    """Return the codes of reports; None where somebody was not asked."""
    codes = np.full(256, None, dtype=object)
    codes[: len(item.reports)] = [report.code for report in item.reports]
    return codes[column]


def pandas_or_why() -> ModuleType:
    """Load pandas, or say which extra has it."""
    return load("pandas", "formula")
