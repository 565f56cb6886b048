"""Regressions of the responses to one question on what else is known of people."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from deniable.analysis.findings import Coefficient, findings_of
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceWarning
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.formulas.reader import names_in
from deniable.analysis.regression.linear import LinearFit
from deniable.analysis.regression.mixed import MixedFit
from deniable.analysis.regression.predictors import PredictorFit
from deniable.results.regression import Options, Regression
from deniable.results.source import Source
from deniable.survey.items import Item

AUTO: Final = "auto"
IDENTITY: Final = "identity"
"""The link of a linear regression, and the choice of a link by what was asked."""

LINKS: Final = (AUTO, "logit", "probit", "cloglog", "cauchit", IDENTITY)
ERRORS: Final = ("expected", "observed", "opg", "sandwich")
ENDS: Final = ("wald", "profile")
"""What commands and pages offer."""

_ODDS_LINK: Final = "logit"


def regression_of(
    source: Source,
    fit: Fit | MultinomialFit,
    response: str,
    options: Options,
    *,
    answers: Sequence[str] | None = None,
) -> Regression:
    """Return the coefficients of a fit, with their intervals."""
    if isinstance(fit, MultinomialFit):
        fit = replace(fit, answers=tuple(answers or fit.answers))
        named, is_odds = product(fit.answers[1:], fit.names), True
    else:
        yes = answers[1] if answers is not None and len(answers) == 2 else "yes"
        named, is_odds = product([yes], fit.terms), fit.link == _ODDS_LINK
    kind = options.errors
    ends, missing = _intervals(fit, kind, options.ends, options.level)
    found = _coefficients(
        *(response, named, fit.coefficients),
        *(fit.standard_error(kind), ends, fit.z(kind), fit.p_value(kind)),
        is_log_odds=is_odds,
        **_effects(fit),
    )
    return Regression(source, fit, found, options, tuple(missing))


def linear_regression_of(
    source: Source, fit: LinearFit, item: Item, options: Options
) -> Regression:
    """Return the coefficients of a linear fit; `ValueError` for options that it does not have."""
    chosen = {"ends": (options.ends, "wald"), "errors": (options.errors, "expected")}
    for name, (given, only) in chosen.items():
        if given != only:
            raise ValueError(
                f"a linear regression has one kind of {name}: expected the default ({only}), found "
                f"{given}"
            )
    found = _coefficients(
        *(item.id, product(["mean"], fit.names), fit.coefficients),
        *(fit.standard_error, fit.interval(options.level), fit.t, fit.p_value),
        is_log_odds=False,
        **_effects(fit),
    )
    return Regression(source, fit, found, replace(options, link=IDENTITY))


def _effects(fit: Fit | MultinomialFit | LinearFit) -> dict[str, Any]:
    return {} if fit.design_effect is None else {"n": fit.n, "design_effect": fit.design_effect}


def mixed_regression_of(
    source: Source,
    fit: MixedFit,
    response: str,
    options: Options,
    *,
    answers: Sequence[str] | None = None,
) -> Regression:
    """Return the coefficients of a fit with random intercepts, and the variances of these."""
    _check_defaults("a regression with random intercepts", "Wald's intervals", options)
    unnamed = fit.answers if len(fit.answers) > 2 else ("no", "yes")
    fit = replace(fit, answers=tuple(answers or unnamed))
    found = _coefficients(
        *(response, product(fit.answers[1:], fit.terms), fit.coefficients),
        *(fit.standard_error, fit.interval(options.level), fit.z, fit.p_value),
        is_log_odds=fit.link == _ODDS_LINK,
    )
    test = fit.no_variance()
    each = np.column_stack([fit.variance, fit.variance_interval(options.level)])
    names = ["variance", "low", "high"]
    names += ["intraclass_correlation", "correlation_low", "correlation_high"]
    between = [
        {"answer": answer} | dict(zip(names, values, strict=True))
        for answer, values in zip(
            fit.answers[1:], np.hstack([each, fit.correlation_of(each)]).tolist(), strict=True
        )
    ]
    more = {
        "within": fit.within,
        "groups": fit.groups,
        "intercepts": between,
        "no_variance": {"statistic": test.statistic, "p_value": test.p_value},
        "points": fit.points,
        "twice_the_points_change": fit.change,
    }
    return Regression(source, fit, found, options, more=more)


def predictor_regression_of(
    source: Source, fit: PredictorFit, item: Item, options: Options
) -> Regression:
    """Return the coefficients of a fit on randomised items."""
    _check_defaults("a regression on randomised items", "intervals by profile likelihood", options)
    is_odds = fit.outcome == "logistic"
    answer = item.truths[1].code if is_odds else "mean"
    found = _coefficients(
        *(item.id, product([answer], fit.names), fit.coefficients),
        *(fit.standard_error(), fit.interval(options.level), fit.z(), fit.p_value()),
        is_log_odds=is_odds,
    )
    return Regression(source, fit, found, replace(options, link="logit" if is_odds else IDENTITY))


def _check_defaults(what: str, own: str, options: Options) -> None:
    if options.ends != "wald" or options.errors not in ("expected", "observed"):
        raise ValueError(
            f"{what} has {own} and errors from the observed information: expected the defaults, "
            f"found {options.errors} and {options.ends}"
        )


def aliases_of(terms: str, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns that a formula calls by the last part of their names, as age for cov.age."""
    found = {}
    for name in names_in(terms):
        if name in columns:
            continue
        meant = [column for column in columns if column.rpartition(".")[2] == name]
        if len(meant) > 1:
            raise ValueError(
                f"the formula's {name!r} could be any of the columns {', '.join(meant)}: "
                "expected a whole name"
            )
        if not meant:
            raise ValueError(
                f"expected the formula's variables to be columns, found {name!r}; there are "
                f"{', '.join(columns)}"
            )
        found[name] = meant[0]
    return found


def _intervals(
    fit: Fit | MultinomialFit, errors: str, ends: str, level: float
) -> tuple[FloatArray, list[str]]:
    """Return the intervals of the coefficients, and a sentence for each that is not certain."""
    if ends == "wald":
        return fit.interval(level, kind=errors), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        found = fit.interval(level, "profile")
    missing = [str(one.message) for one in caught if one.category is ConvergenceWarning]
    return found, [f"{why[0].upper()}{why[1:]}." for why in missing]


def _coefficients(
    response: str,
    named: Iterable[tuple[str, str]],
    *numbers: FloatArray,
    is_log_odds: bool,
    **effects: Any,
) -> tuple[Coefficient, ...]:
    """Return coefficients; `numbers`: their values, errors, intervals, z and p-values."""
    *found, z, p = numbers
    of = (
        partial(Coefficient, response=response, answer=answer, term=term, is_log_odds=is_log_odds)
        for answer, term in named
    )
    return findings_of(of, *found, z=z, p_value=p, **effects)
