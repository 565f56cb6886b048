"""A survey with its reports, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from deniable.analysis import intervals
from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.tally import split_rows
from deniable.analysis.planning.spending import Spend
from deniable.results.changes import all_waves, only_changes
from deniable.results.regression import Options, Regression
from deniable.results.result import Result
from deniable.study import crossing, planner, shares
from deniable.study.base import all_shares, refuse_sample
from deniable.study.regression import names_in, regression_of
from deniable.study.reports import Reports, labels, pandas_or_why
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS, Protection

if TYPE_CHECKING:
    import pandas as pd

LEVEL: Final = 0.95

MOST_NAMED: Final = 6
"""Answers that are named one by one when a study is printed."""


@dataclass(frozen=True, eq=False)
class Study(Reports):
    """A survey and the reports that people sent. Made by `deniable.study.open_study`.

    Every result is an `Result`: it prints as a table, and has ``to_frame()`` and ``figure()``.
    Its parameters are those of `deniable.study.reports.Reports`.
    """

    @classmethod
    def of(cls, survey: Survey, chunks: Iterable[bytes], source: str) -> Study:
        """Make a study of reports.

        Parameters
        ----------
        survey : Survey
        chunks : iterable of bytes
            Each whole reports, as for `deniable.analysis.counts.tally.split_rows`.
        source : str
            Where they come from.
        """
        return cls(survey, *split_rows(b"".join(chunks), survey), source)

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
        inside = self.of_wave == wave
        return replace(
            self,
            answers=self.answers[inside],
            of_wave=self.of_wave[inside],
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
        frame: pd.DataFrame = pandas_or_why().DataFrame(
            {name: labels(item, self._column(item)) for name, item in named}
        )
        return frame


def _kind(item: Item) -> str:
    answers = [answer.code for answer in item.truths if answer.code not in NO_NUMBERS]
    several = f"{len(answers)} answers, {answers[0]} to {answers[-1]}"
    listed = ", ".join(answers) if len(answers) <= MOST_NAMED else several
    cost = "direct" if item.epsilon is None else f"ε {item.epsilon:g}"
    return f"{cost}; {listed}"
