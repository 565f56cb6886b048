"""A survey with its reports, and what can be asked of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.tally import count_reports
from deniable.analysis.findings import Results
from deniable.analysis.mean_of_waves import level_of_each, mean_of_results
from deniable.analysis.planning.spending import Spend
from deniable.analysis.results import numbers, summarise
from deniable.analysis.sampling.design_based import SamplingDesign, sampling_design
from deniable.analysis.sampling.of_items import sampled_results
from deniable.analysis.waves import Waves, count_waves, summarise_waves
from deniable.extras import MissingExtra
from deniable.items import Item
from deniable.questions import NO_NUMBERS, Answer, Protection
from deniable.report import NOT_ASKED
from deniable.results.changes import all_waves, only_changes
from deniable.results.regression import Options, Regression
from deniable.results.result import Result
from deniable.study import crossing, planner, sampled, shares
from deniable.study.base import BaseStudy, all_shares, refuse_sample
from deniable.study.regression import names_in, regression_of
from deniable.study.shares import Responses
from deniable.survey import Survey

if TYPE_CHECKING:
    import pandas as pd

LEVEL: Final = 0.95

MOST_NAMED: Final = 6
"""Answers that are named one by one when a study is printed."""


@dataclass(frozen=True, eq=False)
class Study(BaseStudy):
    """A survey and the reports that people sent. Made by `deniable.study.open_study`.

    Every result is an `Result`: it prints as a table, and has ``to_frame()`` and ``figure()``.

    Parameters
    ----------
    survey : Survey
    answers : ndarray of uint8, shape (respondents, items)
        A byte an item, 255 for "not asked".
    source : str
        Where they come from.
    beside : mapping of str to sequences of str
        Cells of other columns, such as weights, in the order of the reports.
    """

    survey: Survey = field(repr=False)
    answers: npt.NDArray[np.uint8] = field(repr=False)
    source: str
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, survey: Survey, chunks: Iterable[bytes], source: str) -> Study:
        """Make a study of reports.

        Parameters
        ----------
        survey : Survey
        chunks : iterable of bytes
            Each the answers of whole respondents, as for `analysis.counts.tally.count_reports`.
        source : str
            Where they come from.
        """
        answers = np.frombuffer(b"".join(chunks), dtype=np.uint8)
        return cls(survey, answers.reshape(-1, len(survey.items)), source)

    @cached_property
    def n_by_wave(self) -> dict[int, int]:
        """How many people answered in each wave that has reports; under 0 if there are no waves."""
        return {wave: int(inside.sum()) for wave, inside in self._rows_by_wave.items()}

    def __repr__(self) -> str:
        """Say in a few lines what was asked, and of how many."""
        asked = f"{self.survey.title} ({self.survey.slug}): {self._respondents}"
        first = f"{asked}, ε {self.survey.epsilon:g}; {self.source}"
        return "\n".join([first, *(f"  {item.id}: {_kind(item)}" for item in self.survey.items)])

    def wave(self, wave: int) -> Study:
        """Return the study of one wave's reports.

        Parameters
        ----------
        wave : int
            From 1.

        Raises
        ------
        ValueError
            If the survey has no such wave.
        """
        waves = self._waves_of()
        if not 1 <= wave <= waves:
            raise ValueError(f"expected a wave from 1 to {waves}, found {wave}")
        inside = self.answers[:, -1] == wave - 1
        return replace(
            self,
            answers=self.answers[inside],
            beside={
                name: [cell for cell, kept in zip(cells, inside, strict=True) if kept]
                for name, cells in self.beside.items()
            },
            source=f"{self.source}, wave {wave}",
        )

    def waves(
        self, question: str | None = None, *, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Result:
        """Estimate everything in each wave, and the changes from each to the next.

        Parameters
        ----------
        question : str, optional
            One question alone, which can be drawn; by default all of the survey.
        level, method
            As for `shares`.

        Returns
        -------
        Result

        Raises
        ------
        ValueError
            If the survey has no waves or no such question, or there are no reports.
        """
        return all_waves(self._by_wave(level, method), self.source, self._asked(question))

    def changes(
        self, question: str | None = None, *, level: float = LEVEL, method: str = intervals.DEFAULT
    ) -> Result:
        """Estimate the changes alone, see `waves`."""
        return only_changes(self._by_wave(level, method), self.source, self._asked(question))

    def shares(
        self,
        item: str | None = None,
        *,
        wave: int | None = None,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = LEVEL,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate the share of every answer and the mean of every number.

        Parameters
        ----------
        item : str, optional
            One item alone; by default all of the survey.
        wave : int, optional
            One wave alone; by default the mean over all that have reports, with an error that
            holds although the same people may have answered each time, see
            `deniable.analysis.mean_of_waves`.
        weights, strata, clusters : str, optional
            How people were drawn: a direct item of the survey, or a column that was read beside
            it, with how many people each stands for, with the strata, and with what was drawn as a
            whole. Then the population is estimated, see `deniable.study.sampled`.
        level : float
            Of each interval, between 0 and 1.
        method : str
            Of the shares' intervals, one of `deniable.analysis.intervals.NAMES`; of a population
            one of `deniable.analysis.sampling.effective.METHODS`.

        Returns
        -------
        Result

        Raises
        ------
        ValueError
            If there is no such item or wave, or the level or the method is not valid.
        """
        if wave is not None:
            return self.wave(wave).shares(
                item, weights=weights, strata=strata, clusters=clusters, level=level, method=method
            )
        sample = self._sample(weights=weights, strata=strata, clusters=clusters)
        if item is None:
            return all_shares(self._results(level, method, sample), self.source, sample)
        found = self.item(item)
        everybody = np.ones(len(self.answers), dtype=np.bool_)
        return shares.estimate_item(
            self._source(found),
            self._asking(found),
            self._responses(found, {shares.EVERYBODY: everybody}, sample),
            level=level,
            method=method,
            sample=sample,
        )

    def by(  # noqa: PLR0913  what can be asked
        self,
        group: str,
        item: str,
        *,
        wave: int | None = None,
        weights: str | None = None,
        strata: str | None = None,
        clusters: str | None = None,
        level: float = LEVEL,
        method: str = intervals.DEFAULT,
    ) -> Result:
        """Estimate an item within groups of people, and compare the groups.

        Parameters
        ----------
        group : str
            Whose answers make the groups. If it was asked directly, the groups are people; if it
            was randomised, nobody knows who is in which, and their shares are estimated too.
        item : str
        wave, weights, strata, clusters, level, method
            As for `shares`. A mean over waves is of those in which all groups have reports.

        Returns
        -------
        Result

        Raises
        ------
        ValueError
            If there is no such item, wave or column, both are the same, or fewer than two groups
            have reports; if the groups were randomised, and there are several waves, or weights.
        """
        if wave is not None:
            return self.wave(wave).by(
                group,
                item,
                weights=weights,
                strata=strata,
                clusters=clusters,
                level=level,
                method=method,
            )
        found, groups = self._two(item, group)
        sample = self._sample(weights=weights, strata=strata, clusters=clusters)
        if groups.protection is not Protection.DIRECT:
            if sample is not None:
                raise ValueError(
                    f"{groups.id!r} was randomised, so nobody knows who is in which group: "
                    "expected a direct item with weights, strata or clusters"
                )
            self._check_single_wave(f"groups of {groups.id!r}, which was randomised")
            return crossing.within(self._source(found), self._joint(groups, found), level)
        of = self._column(groups)
        members = {answer: of == place for place, answer in enumerate(groups.truths)}
        return shares.estimate_item(
            self._source(found),
            self._asking(found, groups.id),
            self._responses(found, members, sample),
            level=level,
            method=method,
            sample=sample,
        )

    def cross(
        self,
        first: str,
        second: str,
        *,
        wave: int | None = None,
        level: float = LEVEL,
        **sample: str,
    ) -> Result:
        """Estimate how many people gave each pair of answers to two items.

        Parameters
        ----------
        first, second : str
            Items, randomised or direct.
        wave : int, optional
            One wave alone. It must be named where several have reports: a table of all of them
            would count a person once a wave.
        level : float
            Of each interval, between 0 and 1.
        **sample : str
            Weights, strata and clusters are refused: the table is of the respondents.

        Returns
        -------
        Result

        Raises
        ------
        ValueError
            If there is no such item or wave, both are the same, nobody was asked both, or there
            are several waves and none is named.
        """
        refuse_sample("a table of two questions", sample)
        if wave is not None:
            return self.wave(wave).cross(first, second, level=level)
        one, other = self._two(first, second)
        self._check_single_wave("two questions together")
        return crossing.cross(self._source(other), self._joint(one, other), level)

    def regress(
        self,
        formula: str,
        *,
        wave: int | None = None,
        link: str = "logit",
        errors: str = "expected",
        ends: str = "wald",
        level: float = LEVEL,
        **sample: str,
    ) -> Result:
        """Regress the truth of an item on direct answers.

        Parameters
        ----------
        formula : str
            ``item ~ terms`` as in R: ``error ~ years + ward``. The names are those of the items.
            Direct numbers count as numbers, other direct answers as groups in the survey's order.
        wave : int, optional
            One wave alone. It must be named where several have reports: a regression of all of them
            would count a person once a wave.
        link : {"logit", "probit", "cloglog", "cauchit"}
        errors : {"expected", "observed", "opg", "sandwich"}
            What the standard errors are computed from.
        ends : {"wald", "profile"}
            The kind of interval.
        level : float
            Of the intervals.
        **sample : str
            Weights, strata and clusters are refused: the regression is of the respondents.
            `deniable.analysis.regress` takes weights, and its errors take clusters.

        Returns
        -------
        Result

        Raises
        ------
        ValueError
            If the formula cannot be read, or names an item that was randomised as a term; if there
            are several waves and none is named.
        ImportError
            If pandas or formulaic is not installed.
        """
        refuse_sample("a regression of a survey", sample)
        if wave is not None:
            alone = self.wave(wave)
            return alone.regress(formula, link=link, errors=errors, ends=ends, level=level)
        return self.regression(formula, Options(link, errors, ends, level)).result

    def regression(self, formula: str, options: Options) -> Regression:
        """Regress as `regress` does, and return the fit with its coefficients."""
        self._check_single_wave("a regression")
        from deniable.analysis.regression.formula import regress_formula  # noqa: PLC0415  loads slowly

        response = self.item(formula.partition("~")[0].strip().strip("`"))
        frame = self._covariates(response, names_in(formula.partition("~")[2]))
        fit = regress_formula(formula, frame, response.channel, link=options.link)
        return regression_of(
            self._source(response),
            fit,
            response.id,
            options,
            answers=[truth.code for truth in response.truths],
        )

    def plan(  # noqa: PLR0913  what can be asked
        self,
        respondents: int | None = None,
        *,
        within: float | None = None,
        detect: tuple[float, float] | None = None,
        power: float = 0.8,
        level: float = LEVEL,
        design_effect: float = 1.0,
        prior: float | None = None,
        spend: Spend | None = None,
    ) -> Result:
        """Say how wide the intervals will be, and how many people to ask; see `planner.plan`."""
        asked = respondents or self.n or planner.PLANNED
        return planner.plan(
            self.survey,
            asked,
            within=within,
            detect=detect,
            power=power,
            level=level,
            design_effect=design_effect,
            prior=prior,
            spend=spend,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the noisy reports as a data frame: a row a respondent, a code in each cell.

        The columns are those of an export: ``error_noisy`` of a randomised item, so that nobody
        tabulates it as truth.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        named = zip(columns(self.survey), self.survey.items, strict=True)
        frame: pd.DataFrame = _pandas().DataFrame(
            {name: _labels(item, self._column(item)) for name, item in named}
        )
        return frame

    # ------------------------------------------------------------------ the reports

    @cached_property
    def _places(self) -> dict[str, int]:
        return {item.id: place for place, item in enumerate(self.survey.items)}

    def _column(self, item: Item) -> npt.NDArray[np.uint8]:
        return self.answers[:, self._places[item.id]]

    def _counts(self, item: Item, column: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        asked = column[column != NOT_ASKED]
        return np.bincount(asked, minlength=item.channel.reports).astype(np.int64)

    def _joint(self, one: Item, other: Item) -> crossing.Pair:
        return crossing.pair(one, other, self.answers, self._places[one.id], self._places[other.id])

    @cached_property
    def _rows_by_wave(self) -> dict[int, npt.NDArray[np.bool_]]:
        """Which reports are of each wave that has some; all of them under 0 without waves."""
        if self.survey.waves is None:
            return {0: np.ones(len(self.answers), dtype=np.bool_)}
        of = self.answers[:, -1]
        return {int(wave) + 1: of == wave for wave in np.unique(of)}

    def _each_wave(self) -> dict[int, npt.NDArray[np.bool_]]:
        return self._rows_by_wave or {0: np.zeros(0, dtype=np.bool_)}

    def _responses(
        self,
        item: Item,
        groups: Mapping[Answer, npt.NDArray[np.bool_]],
        sample: sampled.Sampled | None,
    ) -> dict[int, Responses]:
        """Return what was reported of an item in each wave, in groups of people."""
        column = self._column(item)
        grouped = np.logical_or.reduce([*groups.values()])
        found: dict[int, Responses] = {}
        for wave, inside in self._each_wave().items():
            missing = int((inside & ~(grouped & (column != NOT_ASKED))).sum())
            of_wave = {group: inside & members for group, members in groups.items()}
            found[wave] = (
                shares.Counted(
                    {
                        group: self._counts(item, column[members])
                        for group, members in of_wave.items()
                    },
                    missing,
                )
                if sample is None
                else sampled.Weighted(
                    column[inside],
                    {group: members[inside] for group, members in of_wave.items()},
                    sample.designs[wave],
                    missing,
                )
            )
        return found

    def _sample(self, **columns: str | None) -> sampled.Sampled | None:
        """Read how people were drawn; None if every one of them counts alike, by themselves."""
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
        return sampled.Sampled(designs, named)

    def _cells(self, name: str) -> Sequence[str]:
        """Return what stands in a column beside the survey, or was answered to a direct item."""
        asked = {one.id for one in self.survey.asked_questions}
        direct = {
            one.id: one
            for one in self.survey.items
            if one.protection is Protection.DIRECT and one.question in asked
        }
        if name in self.beside:
            cells = self.beside[name]
        elif name in direct:
            cells = [
                str(label or "") for label in _labels(direct[name], self._column(direct[name]))
            ]
        else:
            there = ", ".join([*self.beside, *direct]) or "there is none"
            raise ValueError(
                f"there is no column {name!r}: expected a direct item, or a column that was read "
                f"beside the survey ({there})"
            )
        empty = sum(not cell for cell in cells)
        if empty:
            raise ValueError(
                f"column {name!r}: expected something for each respondent, found {empty:,} empty"
            )
        return cells

    def _by_wave(self, level: float, method: str) -> Waves:
        self._waves_of()
        tallies = count_waves([self.answers.tobytes()], self.survey)
        if not tallies:
            raise ValueError(f"{self.survey.slug} has no reports yet, of any wave")
        return summarise_waves(self.survey, tallies, level, method)

    def _results(self, level: float, method: str, sample: sampled.Sampled | None) -> Results:
        """Estimate the whole survey; of several waves the mean."""
        waves = self._each_wave()
        each = level_of_each(level, method, len(waves))
        found = {}
        for wave, inside in waves.items():
            tally = count_reports([self.answers[inside].tobytes()], self.survey)
            found[wave] = summarise(self.survey, tally, each, method)
            if sample is not None:
                found[wave] = self._weighed(found[wave], inside, sample.designs[wave], each, method)
        if self.survey.waves is None:
            return found[0]
        return mean_of_results(self.survey, found, level)

    def _weighed(
        self,
        results: Results,
        inside: npt.NDArray[np.bool_],
        design: SamplingDesign,
        level: float,
        method: str,
    ) -> Results:
        """Estimate for a population what was estimated of the respondents."""
        asked = {question.id for question in self.survey.asked_questions}
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
                if one.question.id in asked
            ),
        )

    def _covariates(self, response: Item, names: Sequence[str]) -> pd.DataFrame:
        """Return the response's reports beside the direct answers that a formula names."""
        pandas = _pandas()
        reports = self._column(response).astype(np.float64)
        frame: dict[str, Any] = {response.id: np.where(reports == NOT_ASKED, np.nan, reports)}
        for name in names:
            item = self.item(name)
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
        return pandas.Categorical(_labels(item, column), categories=there)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _labels(item: Item, column: npt.NDArray[np.uint8]) -> npt.NDArray[np.object_]:
    codes = np.full(256, None, dtype=object)
    codes[: len(item.reports)] = [report.code for report in item.reports]
    return codes[column]


def _kind(item: Item) -> str:
    answers = [answer.code for answer in item.truths if answer.code not in NO_NUMBERS]
    several = f"{len(answers)} answers, {answers[0]} to {answers[-1]}"
    listed = ", ".join(answers) if len(answers) <= MOST_NAMED else several
    cost = "direct" if item.epsilon is None else f"ε {item.epsilon:g}"
    return f"{cost}; {listed}"


def _pandas() -> ModuleType:
    try:
        return importlib.import_module("pandas")  # an extra, which takes a while to load
    except ImportError:
        raise MissingExtra("this needs the package pandas", "formula") from None
