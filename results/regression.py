"""The result of a regression: its coefficients and its fit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from deniable.analysis.findings import Coefficient
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.inference import chi_square, degrees_of_freedom
from deniable.analysis.regression.linear import LinearFit
from deniable.analysis.regression.mixed import MixedFit
from deniable.analysis.regression.predictors import PredictorFit
from deniable.results.estimate import (
    EFFECTIVE,
    EFFECTIVE_CELLS,
    EFFECTIVE_COLUMNS,
    cells,
    named_row,
)
from deniable.results.files import Export, Row
from deniable.results.item import Sample
from deniable.results.numbers import number, p_said
from deniable.results.result import Draw, Result, forest, plain_term
from deniable.results.source import Source
from deniable.results.table import (
    COEFFICIENT,
    RATIO,
    Column,
    P,
    Section,
    Table,
    decimals,
    interval_column,
    interval_heading,
    standard_error_column,
)
from deniable.roles import says_yes
from deniable.text.safety import counted

if TYPE_CHECKING:
    import pandas as pd

_ENOUGH: Final = 200
"""The fewest people with whom intervals of a regression of a mean cover as often as they claim.

With 30 in each of two groups they covered in 93 of 100 surveys.
"""


@dataclass(frozen=True)
class Options:
    """The choices of a regression: its link, its standard errors and its intervals.

    `link`: "auto" is the identity for a number, and the logit for other answers.
    """

    link: str = "auto"
    errors: str = "expected"
    ends: str = "wald"
    level: float = 0.95


@dataclass(frozen=True, repr=False)
class RegressionResult(Result):
    """What a regression found. Made by `deniable.study.study.Study.regress`.

    Parameters
    ----------
    found : Regression
        The fit, and how it is told.
    """

    found: Regression = field(kw_only=True)

    def predict(self, data: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
        """Predict the probability of each answer, or the mean of a number, for other people.

        Parameters
        ----------
        data : DataFrame or mapping
            What the formula names, a row for each kind of people: codes of answers, and numbers.

        Returns
        -------
        DataFrame
            The columns ``answer``, ``probability`` (of a number ``mean``), ``standard_error``,
            ``low`` and ``high``, with the level, the errors and the link of the regression. A row
            for each one of `data`, under its index; of an item with more than two answers, one for
            each of these.

        Raises
        ------
        ValueError
            If a column is missing, or holds what the regression did not know: another answer, a
            text in place of a number, nothing. It names what was found and what was known. If the
            regression has random intercepts, or randomised items as predictors.
        """
        return _prediction_frame(self.found, data)


@dataclass(frozen=True, eq=False)
class Regression:
    """A fit and its coefficients.

    `missing`: sentences on intervals that are uncertain. `aliases`: from a name in the formula to
    its column. `more`: further keys of the document. `sample`: how people were drawn, if not
    alike.
    """

    source: Source
    fit: Fit | MultinomialFit | LinearFit | MixedFit | PredictorFit
    coefficients: tuple[Coefficient, ...]
    options: Options
    missing: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    sample: Sample | None = None

    @property
    def is_weighed(self) -> bool:
        """Whether the sample is any other than a simple random one of equal weights."""
        return self.sample is not None and self.sample.unlike is not None

    @property
    def result(self) -> RegressionResult:
        """The regression in every form."""
        rows = (_row(one, self.options.level) for one in self.coefficients)
        columns = (*_COLUMNS, *EFFECTIVE_CELLS * (self.coefficients[0].n is not None))
        export = Export.of(columns, rows, _document(self), key="coefficients")
        return RegressionResult(self.parts, export, self.draw, found=self)

    @property
    def parts(self) -> list[Table | str]:
        """The heading, the table of coefficients, and the sentences below it."""
        fit = self.fit
        left_out = f", {fit.dropped:,} left out with a value missing" if fit.dropped else ""
        respondents = counted(fit.n, "respondent")
        return [
            f"{str(fit.formula).strip()}; {self.source.name}: {respondents}{left_out}",
            self.source.design_line,
            *([] if self.sample is None else [self.sample.words]),
            "",
            coefficient_table(
                self.coefficients,
                self.options.level,
                several=fit.coefficients.ndim > 1,
                statistic="t" if isinstance(fit, LinearFit) or self.is_weighed else "z",
            ),
            "",
            *self.notes,
            *self.missing,
            *_without_ends(self),
        ]

    @property
    def notes(self) -> Iterator[str]:
        """Sentences on the coefficients, their errors, and the fit of the model."""
        fit, options = self.fit, self.options
        if self.is_weighed and not isinstance(fit, MixedFit | PredictorFit):
            yield _population_note(fit, options.link)
            yield EFFECTIVE
            if not isinstance(fit, LinearFit):
                yield from _boundary(self, fit)
            return
        if isinstance(fit, LinearFit):
            yield from _least_squares(fit)
            return
        if isinstance(fit, PredictorFit):
            yield from _on_randomised(fit, self.coefficients)
            return
        answer = self.coefficients[0].answer
        of = "a true yes" if says_yes(answer) else f"a true “{answer}”"
        of = "the other answers" if fit.coefficients.ndim > 1 else of
        if isinstance(fit, MixedFit):
            yield from _intercepts(self, fit, of)
            return
        yield errors_said(fit, options, of)
        yield from fit_said(self, fit)

    @property
    def draw(self) -> Draw:
        """A function that draws the coefficients, and holds nothing else of the regression."""
        named = [(plain_term(one.name), one) for one in self.coefficients]
        shown = [(name, one) for name, one in named if not name.endswith("Intercept")]
        interval = interval_heading(self.options.level)
        of = f"coefficient ({self.options.link}), {interval}, n = {self.fit.n:,}"
        return forest(shown or named, of)

    def in_words(self, terms: Mapping[str, str], answers: Mapping[str, str]) -> Regression:
        """Return the regression with texts in place of the codes of terms and answers."""
        said = (
            replace(one, term=terms.get(one.term, one.term), answer=answers.get(one.answer, "yes"))
            for one in self.coefficients
        )
        return replace(self, coefficients=tuple(said))


_COLUMNS: Final = (
    *("response", "answer", "term", "coefficient", "standard_error", "z", "p_value"),
    *("low", "high", "odds_ratio", "odds_ratio_low", "odds_ratio_high", "level"),
)


def _row(one: Coefficient, level: float) -> Row:
    odds = one.odds_interval or (None, None)
    return {
        **cells(one, level),
        "response": one.response,
        "answer": one.answer,
        "term": one.term,
        "coefficient": one.estimate,
        "z": one.z,
        "odds_ratio": one.odds_ratio,
        "odds_ratio_low": odds[0],
        "odds_ratio_high": odds[1],
    }


def _prediction_frame(found: Regression, data: pd.DataFrame | Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  it takes a while to load

    fit, level = found.fit, found.options.level
    if isinstance(fit, MixedFit | PredictorFit):
        raise ValueError(
            f"expected a regression on direct answers without groups to predict from, found "
            f"{str(fit.formula).strip()!r}, where "
            + (
                f"each {fit.within} has an intercept of its own that is not known"
                if isinstance(fit, MixedFit)
                else "nobody's true answer to a predictor is known"
            )
        )
    frame = pd.DataFrame(data)
    answers = fit.answers if isinstance(fit, MultinomialFit) else (found.coefficients[0].answer,)
    told: FloatArray
    if isinstance(fit, LinearFit):
        mean = fit.predict(frame)
        what, told, error = "mean", mean.theta, mean.standard_error
        ends = mean.interval(level)
    else:
        of = fit.predict(frame, kind=found.options.errors)
        what, told, error = "probability", of.theta, of.standard_error
        ends = of.interval(level)
    low, high = ends.reshape(-1, 2).T
    return pd.DataFrame(
        {
            "answer": [*answers] * len(frame),
            what: told.ravel(),
            "standard_error": error.ravel(),
            "low": low,
            "high": high,
        },
        index=frame.index.repeat(len(answers)),
    )


def coefficient_table(
    found: Sequence[Coefficient], level: float, *, several: bool, statistic: str = "z"
) -> Table:
    """Make the table of coefficients, a section for each answer if there are several."""
    columns = [
        Column("Coefficient", COEFFICIENT, of="estimate"),
        standard_error_column(COEFFICIENT),
        interval_column(level, COEFFICIENT),
        Column(statistic, decimals(2), of="z"),
        Column("p", P, of="p_value"),
    ]
    if found[0].is_log_odds:
        its = f"its {interval_heading(level)}"
        columns += [
            Column("Odds ratio", RATIO, of="odds_ratio"),
            Column(its, RATIO, of="odds_interval"),
        ]
    if found[0].n is not None:
        columns += EFFECTIVE_COLUMNS
    sections = []
    for answer, some in itertools.groupby(found, key=lambda one: one.answer):
        rows = tuple(named_row(one.term, one, columns) for one in some)
        sections.append(Section(answer if several else "", rows))
    return Table(("Answer", "Term") if several else ("Term",), tuple(columns), tuple(sections))


def errors_said(fit: Fit | MultinomialFit, options: Options, of: str) -> str:
    """Say what the coefficients are about, and where their errors and intervals come from."""
    source = {"opg": "outer products of the scores", "sandwich": "sandwich"}
    kind = "Wald's intervals"
    if options.ends != "wald":
        freedom = number(degrees_of_freedom(fit.likelihood), 1)
        kind = f"intervals by profile likelihood, with Student's t on {freedom} df"
    return (
        f"Coefficient: of the {options.link} of {of}. SE: from the "
        f"{source.get(options.errors, f'{options.errors} information')}, with {kind}."
    )


def fit_said(found: Regression, fit: Fit | MultinomialFit) -> Iterator[str]:
    """Give the log-likelihood, the tests of fit, and any missing maximum."""
    covariates = fit.df - fit.likelihood.model.predictors
    line = f"Log-likelihood {number(fit.log_likelihood, 2)}"
    if covariates and "Intercept" in fit.names:
        against = chi_square(2 * (fit.log_likelihood - fit.null_log_likelihood), covariates)
        line += (
            f"; against an intercept alone χ² = {against.statistic:.2f} "
            f"on {against.degrees_of_freedom} df, p {p_said(against.p_value)}"
        )
    yield f"{line}; AIC {fit.aic:.1f}, BIC {fit.bic:.1f}."
    fits = fit.goodness_of_fit()
    test, name = (
        (fits.hosmer_lemeshow, "Hosmer and Lemeshow's")
        if fits.sparse
        else (fits.pearson, "Pearson's")
    )
    if test.degrees_of_freedom > 0:
        yield (
            f"Goodness of fit: {name} χ² = {test.statistic:.2f} on {test.degrees_of_freedom} df, "
            f"p {p_said(test.p_value)}."
        )
    yield from _boundary(found, fit)


def _without_ends(found: Regression) -> Iterator[str]:
    """Name coefficients whose intervals by profile likelihood lack an end, if nothing else did."""
    if not isinstance(found.fit, PredictorFit) and found.options.ends == "wald":
        return
    open_ends: dict[str, list[str]] = {}
    for one in found.coefficients:
        low, high = map(math.isinf, one.interval or (0.0, 0.0))
        if (low or high) and not any(f" {one.term} " in said for said in found.missing):
            side = "on either side" if low and high else "below" if low else "above"
            open_ends.setdefault(side, []).append(one.name)
    for side, names in open_ends.items():
        yield (
            f"{', '.join(names)}: without an end {side}. However far a coefficient goes there, the "
            "likelihood does not fall by enough, or its maximum on the way is not certain."
        )


def _boundary(found: Regression, fit: Fit | MultinomialFit) -> Iterator[str]:
    """Say whether the likelihood lacks a maximum, and which columns short names stand for."""
    if fit.at_boundary:
        yield f"{fit.message[0].upper()}{fit.message[1:]}."
    if fit.doubt is not None:
        yield f"{fit.doubt}."
    if found.options.ends == "profile" and (fit.at_boundary or fit.doubt is not None):
        yield (
            "So the intervals by profile likelihood are wider: those of Scheffé, which hold all "
            "coefficients together."
        )
    for short, name in found.aliases.items():
        yield f"{short} is the column {name}."


def _least_squares(fit: LinearFit) -> Iterator[str]:
    low, high = float(fit.degrees_of_freedom.min()), float(fit.degrees_of_freedom.max())
    yield (
        "Coefficient: of the mean, in the units of the number, by least squares on the "
        "debiased reports. SE: whatever the residual variances are (HC2). Intervals and p: by "
        f"Student's t on {number(low, 1)} to {number(high, 1)} df."
    )
    if fit.n < _ENOUGH:
        yield (
            f"With fewer than {_ENOUGH} people these intervals hold less often than they say: "
            "compare the means of groups instead."
        )


def _on_randomised(fit: PredictorFit, found: Sequence[Coefficient]) -> Iterator[str]:
    mean = "mean" if fit.outcome == "linear" else f"logit of “{found[0].answer}”"
    yield (
        f"Coefficient: of the {mean}; of a randomised item, what its true answer adds. By "
        "maximum likelihood over the true answers; SE from the observed information. Intervals and "
        "p: by profile likelihood, not from z."
    )
    of_truths = found[-(sum(fit.truths) - len(fit.truths)) :]
    wide = [
        one.name
        for one in of_truths
        if one.interval is not None and math.inf > max(map(abs, one.interval)) >= fit.reach
    ]
    if wide:
        yield (
            f"{', '.join(wide)}: the interval reaches as far as the outcome's own range, because "
            "perhaps nobody has that true answer. With more people it is narrower."
        )
    yield f"Log-likelihood {number(fit.log_likelihood, 2)}; AIC {fit.aic:.1f}; {fit.message}."
    if fit.doubt is not None:
        yield f"{fit.doubt}."
        yield "So the intervals are wider: those of Scheffé, which hold all parameters together."


def _population_note(fit: Fit | MultinomialFit | LinearFit, link: str) -> str:
    of = "mean, in the units of the number" if isinstance(fit, LinearFit) else link
    freedom = number(float(np.min(fit.degrees_of_freedom)), 1)
    return (
        f"Coefficient: of the {of}. SE: linearised, of how people were drawn and their answers "
        f"randomised. Intervals and p: by Student's t on {freedom} df."
    )


def _group_degrees(fit: MixedFit) -> str:
    """Name the degrees of freedom of terms that are constant within groups; empty if infinite."""
    fewest = float(fit.degrees_of_freedom.min())
    if math.isinf(fewest):
        return ""
    return f"; of what is the same for all of a {fit.within}, by Student's t on {fewest:g} df"


def _intercepts(found: Regression, fit: MixedFit, of: str) -> Iterator[str]:
    """Give the variance of the random intercepts, its interval and its test."""
    level, said = found.options.level, found.more
    yield (
        f"Coefficient: of the {fit.link} of {of}, for people of a {fit.within} whose random "
        "intercept is 0. SE: from the observed information, with Wald's intervals"
        f"{_group_degrees(fit)}."
    )
    for one in said["intercepts"]:
        line = (
            f"Variance of the intercepts of {fit.groups:,} groups"
            f"{' for ' + one['answer'] if fit.coefficients.ndim > 1 else ''}: "
            f"{number(one['variance'], 3)} ({100 * level:g} % interval by profile likelihood "
            f"{number(one['low'], 3)} to {number(one['high'], 3)})"
        )
        if not math.isnan(one["intraclass_correlation"]):
            line += (
                f"; intraclass correlation {number(one['intraclass_correlation'], 3)} "
                f"({number(one['correlation_low'], 3)} to {number(one['correlation_high'], 3)})"
            )
        yield f"{line}."
    test = said["no_variance"]
    yield (
        f"Test of no variance: likelihood ratio {test['statistic']:.2f}, p "
        f"{p_said(test['p_value'])}, by a mixture of χ² because a variance cannot be below 0."
    )
    yield (
        f"Log-likelihood {number(fit.log_likelihood, 2)}; AIC {fit.aic:.1f}, BIC {fit.bic:.1f}. "
        f"Adaptive Gauss–Hermite quadrature with {fit.points} points; twice as many change the "
        f"log-likelihood by {abs(fit.change):.1g}."
    )
    for short, name in found.aliases.items():
        yield f"{short} is the column {name}."


def _document(found: Regression) -> dict[str, Any]:
    fit, options = found.fit, found.options
    told = {
        "data": found.source.name,
        "formula": fit.formula,
        "design": found.source.design,
        "epsilon": found.source.epsilon,
        "link": options.link,
        "level": options.level,
        "n": fit.n,
        "dropped": fit.dropped,
    }
    if isinstance(fit, LinearFit) or (
        found.is_weighed and not isinstance(fit, MixedFit | PredictorFit)
    ):
        covariance = fit.covariance if isinstance(fit, LinearFit) else fit.covariance()
        return told | {
            "errors": "linearised" if found.is_weighed else "HC2",
            "degrees_of_freedom": np.asarray(fit.degrees_of_freedom).tolist(),
            "covariance": covariance.tolist(),
            **({} if found.sample is None else {"sample": found.sample.document}),
        }
    likelihood = {"log_likelihood": fit.log_likelihood, "aic": fit.aic, "bic": fit.bic}
    if isinstance(fit, MixedFit | PredictorFit):
        covariance = fit.covariance if isinstance(fit, MixedFit) else fit.covariance()
        told |= {"errors": "observed", "covariance": covariance.tolist()}
        return told | likelihood | dict(found.more)
    return (
        told
        | likelihood
        | {
            "errors": options.errors,
            "null_log_likelihood": fit.null_log_likelihood,
            "converged": fit.message,
            "columns": dict(found.aliases),
            "covariance": fit.covariance(options.errors).tolist(),
            "ends": options.ends,
            **found.more,
        }
    )
