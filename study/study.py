"""A survey with its reports, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.rows import Rows, split_counted, split_rows
from deniable.analysis.mean_of_waves import people_said
from deniable.analysis.privacy.columns import margins_for
from deniable.analysis.privacy.disclosure import TooFewError
from deniable.analysis.privacy.regressions import checked
from deniable.analysis.regression.formulas import reader
from deniable.analysis.regression.formulas.reader import Formula
from deniable.channel import Channel
from deniable.report import NOT_ASKED
from deniable.results.regression import Options, Regression, RegressionResult
from deniable.results.result import Result
from deniable.roles import yes_first, yes_of
from deniable.study import planner
from deniable.study.population import Population
from deniable.study.questions import LEVEL, refuse_not_drawn, refuse_without_shares
from deniable.study.regression import (
    AUTO,
    IDENTITY,
    linear_regression_of,
    mixed_regression_of,
    predictor_regression_of,
    regression_of,
)
from deniable.study.reports import labels
from deniable.study.weighing import Margins
from deniable.survey import Survey
from deniable.survey.grouped import ColumnsRead
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS, Answer, Protection
from deniable.survey_file import PlanFields
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd

_DRAWN: Final = ("weights", "strata", "clusters")
"""Columns that say how people were drawn, and nothing of them."""

MOST_NAMED: Final = 6
"""Answers that are named one by one when a study is printed."""


@dataclass(frozen=True, eq=False)
class Study(Population):
    """A survey and the reports that people sent. Made by `deniable.study.open_study`.

    Every result is an `Result`: it prints as a table, and has ``to_frame()`` and ``figure()``.
    Its parameters are those of `deniable.study.reports.Reports`, and `planned`: what the survey
    file's `plan` says, if the file is known.
    """

    planned: PlanFields = field(default_factory=PlanFields, repr=False)

    @classmethod
    def of(cls, survey: Survey, chunks: Iterable[bytes], source: str) -> Study:
        """Make a study of reports.

        Parameters
        ----------
        chunks : iterable of bytes
            Each whole reports, as for `deniable.analysis.counts.tally.split_rows`.
        """
        return cls(survey, *split_rows(b"".join(chunks), survey), source)

    @classmethod
    def counted(cls, survey: Survey, chunks: Iterable[bytes], source: str) -> Study:
        """Make the same of counted rows: it takes no more memory for more people.

        The order of the reports is lost.
        """
        answers, of_wave, times = split_counted(chunks, survey)
        return cls(survey, answers, of_wave, source, times=times)

    @classmethod
    def shown(cls, rows: Rows, source: str, margins: Margins) -> Study:
        """Make a study that hides few people, weighted to margins if there are some."""
        return cls(
            rows.survey,
            rows.answers,
            rows.waves,
            source,
            times=rows.times,
            rows=rows,
            margins=margins,
        )

    def of_columns(self, found: ColumnsRead) -> Study:
        """Return the study of the direct columns that a file has, in their groups."""
        survey, answers = found.told(self.answers)
        return self if survey is self.survey else replace(self, survey=survey, answers=answers)

    def expecting(self, planned: PlanFields) -> Study:
        """Return the study with the plan of the survey's file, weighted to its margins.

        Margins are put together as the answers are. They are left out, and the source says so, if
        the reports lack a question of theirs.
        """
        margins, lacking = margins_for(planned.population, self.survey)
        source = f"{self.source}, not weighted: {lacking}" if lacking else self.source
        return replace(self, planned=planned, margins=margins, source=source)

    def __repr__(self) -> str:
        """Say in a few lines what was asked, and of how many."""
        people, slug = people_said(self.n_by_wave), self.survey.slug
        title = slug if slug == self.survey.title else f"{self.survey.title} ({slug})"
        asked = f"{title}: {people}"
        drawn = f"; {self.sample.named}" if self.sample else ""
        drawn += f"; margins {' and '.join(self.margins)}" if self.margins else ""
        first = f"{asked}, ε {self.survey.epsilon:g}; {self.source}{drawn}"
        return "\n".join([first, *map(self._item_line, self.survey.items)])

    def _item_line(self, item: Item) -> str:
        """Write an item's id, its text where that is another, its ε and its answers."""
        question = self._question(item)
        texts = [question.text, *([item.text] if question.has_several_items else [])]
        said = "" if texts == [item.id] else f"“{'”, “'.join(texts)}”; "
        return f"  {item.id}: {said}{_kind(item)}"

    def regress(
        self,
        formula: str,
        *,
        within: str | None = None,
        link: str = "auto",
        errors: str = "expected",
        ends: str = "wald",
        level: float = LEVEL,
    ) -> RegressionResult:
        """Regress an item on direct answers, or a direct answer on randomised items too.

        Parameters
        ----------
        formula : str
            ``item ~ terms`` as in R: ``error ~ years + ward``. The names are those of the items.
            Direct numbers count as numbers, other direct answers as groups in the survey's order.
            A column that was read beside the survey counts as its dtype says, see
            `deniable.analysis.regress_formula`; one of a CSV as numbers if all its cells are.
            If the item was asked directly (a number or two answers), randomised items may stand on
            the right, each by itself between plus signs: ``income ~ doped + age``.
        within : str, optional
            What people have in common, such as their school or interviewer: a direct item, or a
            column that was read beside the survey. Each group then has a random intercept, see
            `deniable.analysis.regress_mixed`. It cannot be the person: a store never knows which
            reports of several waves are one person's.
        link : {"auto", "logit", "probit", "cloglog", "cauchit", "identity"}
            The identity is linear regression of the mean of a number, which needs no shares, see
            `deniable.analysis.regress_mean`. By default that of a number, and the logit of other
            answers.
        errors : {"expected", "observed", "opg", "sandwich"}
            What the standard errors are computed from. A linear regression has errors of its own,
            and so has one with `weights`: linearised, with Student's t.
        ends : {"wald", "profile"}
            The kind of interval.

        Returns
        -------
        RegressionResult
            Its `predict` takes a data frame of other people.

        Raises
        ------
        ValueError
            If the formula cannot be read, or names an item that was randomised as a term; if
            several waves have reports, see `cross`.
        """
        return self.regression(formula, Options(link, errors, ends, level), within).result

    def regression(self, formula: str, options: Options, within: str | None = None) -> Regression:
        """Regress as `regress` does, and return the fit with its coefficients."""
        self._check_single_wave("a regression")
        from deniable.analysis.regression import formula as formulas  # noqa: PLC0415  loads slowly

        within = None if within is None else composed(within)
        response = self.item(reader.sides_of(formula)[0])
        read = self.read(formula, within)
        known = [self.item(name) for name in read.names if name not in self.beside]
        kept = [] if within is None or within in self.beside else [self.item(within)]
        if self.rows is not None:
            return self._checked([response, *known, *kept], formula, options, within)
        people = self.among(response, [*known, *kept])
        if people is not self:
            return people.regression(formula, options, within)
        noisy = {item.id: item for item in known if item.protection is not Protection.DIRECT}
        if response.protection is Protection.DIRECT and noisy:
            return self._on_randomised(read, response, noisy, options, within)
        values = self._level_values(response)
        if within is not None:
            self._check_unweighted("random intercepts")
            return self._with_intercepts(read, response, within, options)
        people = self._merge_rows(response, read.names)
        frame, times = people._covariates(response, read.names), people.times
        design = None if people.sample is None else people.sample.unlike
        if options.link == IDENTITY or (options.link == AUTO and values is not None):
            if values is None:
                raise ValueError(f"the link identity is for numbers, and {response.id!r} is none")
            linear = formulas.regress_mean_formula(
                read, frame, response.channel, values, sample=design, times=times
            )
            linear = replace(linear, dropped=self.n - linear.n)
            found = linear_regression_of(self._source(response), linear, response, options)
            return replace(found, sample=self.sample)
        refuse_without_shares(response)
        if options.link == AUTO:
            options = replace(options, link="logit")
        if design is not None and (options.errors, options.ends) == ("expected", "wald"):
            options = replace(options, errors="sandwich")
        channel, truths = self._yes_last(response, frame)
        fit = formulas.regress_formula(
            read, frame, channel, link=options.link, sample=design, times=times
        )
        found = regression_of(
            self._source(response),
            replace(fit, dropped=self.n - fit.n),
            response.id,
            options,
            answers=[truth.code for truth in truths],
        )
        return replace(found, sample=self.sample)

    def _checked(
        self, items: Sequence[Item], formula: str, options: Options, within: str | None
    ) -> Regression:
        """Regress on everybody, if that tells nothing of few people."""
        assert self.rows is not None  # noqa: S101  for mypy: see `regression`
        self.check_margins()
        direct = {one.id: one for one in items if one.protection is Protection.DIRECT}
        for one in direct.values():
            few = any(0 < n < self.rows.least for n in self.people_by(one))
            if few and self._level_values(one) is None:
                raise TooFewError(
                    f"too few people to show: fewer than {self.rows.least} people gave some answer "
                    f"to {one.id!r}"
                )
        with checked(self.rows.least, of_several=len(direct) > 1):
            return replace(self, rows=None).regression(formula, options, within)

    def read(self, formula: str, within: str | None = None) -> Formula:
        """Read a formula on the items, and on what was read beside them.

        Parameters
        ----------
        formula, within
            As for `regress`. A ``.`` means neither the response nor what was randomised, nor the
            columns of weights, strata and clusters.

        Raises
        ------
        ValueError
            If something else stands in it, see `deniable.analysis.regression.formulas.reader.read`.
        """
        drawn = {} if self.sample is None else self.sample.columns
        outside = [one.id for one in self.survey.randomised]
        outside += (name for how, name in drawn.items() if how in _DRAWN)
        outside += [] if within is None else [within]
        names = dict.fromkeys([*(item.id for item in self.survey.items), *self.beside])
        return reader.read(formula, [*names], outside=outside)

    def _yes_last(self, response: Item, frame: pd.DataFrame) -> tuple[Channel, tuple[Answer, ...]]:
        """Turn a response of two answers, in the frame as well, so that its yes is regressed."""
        if yes_of(self._question(response)) != 0:
            return response.channel, response.truths
        if response.channel.reports == 2:
            frame[response.id] = 1 - frame[response.id]
        return yes_first(response.channel), response.truths[::-1]

    def _merge_rows(self, response: Item, names: Sequence[str]) -> Self:
        """Return the study with a row for each combination of what a formula names."""
        beside = [name for name in dict.fromkeys(names) if name in self.beside]
        items = [self.item(name) for name in names if name not in self.beside]
        return self.merged([response, *items], beside)

    def _on_randomised(
        self,
        formula: Formula,
        response: Item,
        noisy: Mapping[str, Item],
        options: Options,
        within: str | None,
    ) -> Regression:
        self._check_unweighted("a regression on randomised items")
        from deniable.analysis.regression import formula as formulas  # noqa: PLC0415  loads slowly

        values = self._level_values(response)
        if within is not None or (values is None and len(response.truths) != 2):
            raise ValueError(
                f"expected a number or two answers to the left of ~, and no groups, where "
                f"{', '.join(noisy)} was randomised; found {response.id!r}"
            )
        for item in noisy.values():
            refuse_without_shares(item)
            refuse_not_drawn(self.survey, response, item)
        direct = [name for name in formula.names if name not in noisy]
        people = self._merge_rows(response, [*direct, *noisy])
        frame = people._covariates(response, direct)
        if values is not None:
            frame[response.id] = people._as_covariate(response)
        for name, item in noisy.items():
            reports = people._column(item).astype(np.float64)
            frame[name] = np.where(reports == NOT_ASKED, np.nan, reports)
        fit = formulas.regress_on_formula(
            formula,
            frame,
            {name: (one.channel, [x.code for x in one.truths]) for name, one in noisy.items()},
            outcome="logistic" if values is None else "linear",
            times=people.times,
        )
        fit = replace(fit, dropped=self.n - fit.n)
        return predictor_regression_of(
            self._source(next(iter(noisy.values()))), fit, response, options
        )

    def _with_intercepts(
        self, formula: Formula, response: Item, within: str, options: Options
    ) -> Regression:
        from deniable.analysis.regression import formula as formulas  # noqa: PLC0415  loads slowly

        if options.link == IDENTITY or self._level_values(response) is not None:
            raise ValueError(
                f"random intercepts are for answers, and {response.id!r} is a number: expected no "
                f"group, found {within!r}"
            )
        refuse_without_shares(response)
        known = [*self.beside, *(item.id for item in self.survey.items)]
        formulas.check_group(within, formula, known)
        link = "logit" if options.link == AUTO else options.link
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        people = self._merge_rows(response, [within, *formula.names])
        frame = people._covariates(response, formula.names)
        channel, truths = self._yes_last(response, frame)
        cells = [cell or None for cell in people._cells(within, may_be_empty=True)]
        fit = formulas.regress_mixed_formula(
            formula,
            frame.assign(**{within: pd.Series(cells, dtype=object)}),
            channel,
            within,
            link=link,
            times=people.times,
        )
        fit = replace(fit, dropped=self.n - fit.n)
        return mixed_regression_of(
            *(self._source(response), fit, response.id, replace(options, link=link)),
            answers=[truth.code for truth in truths],
        )

    def plan(self, respondents: int | None = None, **wanted: Any) -> Result:
        """Say how wide the intervals will be, and how many people to ask.

        Parameters
        ----------
        respondents : int, optional
            As many as the survey file's `plan` says, if it says so; else those of the reports.
        **wanted
            What else is wanted, see `deniable.results.plan.Wanted`. Of the width and the groups the
            file's `plan` is the default, too.
        """
        own = self.planned
        expected = respondents or own.people or self.n or planner.PLANNED
        asked = planner.wanted_of(self.survey, own, expected, **wanted)
        return planner.plan(self.survey, asked).result

    def to_frame(self) -> pd.DataFrame:
        """Return the noisy reports as a data frame: a row a respondent, a code in each cell.

        The columns are those of an export: ``error_noisy`` of a randomised item, so that nobody
        tabulates it as truth.
        """
        import pandas as pd  # noqa: PLC0415  it takes a while to load

        named, people = zip(columns(self.survey), self.survey.items, strict=True), self.each()
        return pd.DataFrame({name: labels(item, people._column(item)) for name, item in named})


def _kind(item: Item) -> str:
    answers = [answer.text for answer in item.truths if answer.code not in NO_NUMBERS]
    several = f"{len(answers)} answers, {answers[0]} to {answers[-1]}"
    listed = ", ".join(answers) if len(answers) <= MOST_NAMED else several
    cost = "direct" if item.epsilon is None else f"ε {item.epsilon:g}"
    return f"{cost}; {listed}"
