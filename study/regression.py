"""Regressions of the responses to one question on what else is known of people."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.console import RenderableType

from deniable.analysis.counts.data_file import ReportColumn, code_reports, read_columns, separator
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.convergence import ConvergenceWarning
from deniable.analysis.regression.fit import ArmsFit, Fit, MultinomialFit
from deniable.analysis.regression.formula import regress_formula
from deniable.analysis.regression.inference import chi_square
from deniable.extras import MissingExtra
from deniable.results.files import Export, Row
from deniable.results.numbers import interval_heading, number, p_said, p_value
from deniable.results.result import Result
from deniable.results.text import table
from deniable.study.source import DataFile, Source
from deniable.text.safety import counted

if TYPE_CHECKING:
    import pandas as pd

_NAME: Final = re.compile(r"`([^`]+)`|([^\W\d]\w*(?:\.\w+)*)(\s*\()?")

_DECIMAL_COMMA: Final = re.compile(r"(?:^|[;\t])-?\d+,\d+\s*(?:[;\t]|$)", re.MULTILINE)

_ODDS_LINK: Final = "logit"


def analyse(  # noqa: PLR0913  each is an option of the command
    file: DataFile,
    formula: str,
    codes: Sequence[str] | None,
    *,
    link: str,
    errors: str,
    ends: str,
    level: float,
    arm: str | None = None,
    arm_codes: Sequence[str] | None = None,
    nuisance: str = "~ 1",
) -> Result:
    """Regress a column of randomised responses on other columns.

    Parameters
    ----------
    file : DataFile
    formula : str
        ``response ~ covariates``, see `deniable.analysis.regression.regress_formula`.
    codes : sequence of str or None
        What the response's cells are called, see `deniable.analysis.counts.data_file.code_reports`.
    link : str
    errors : str
        What the standard errors are computed from.
    ends : str
        One of `deniable.analysis.regression.fit.METHODS`.
    level : float
        Of the intervals.
    arm : str or None
        Where the design has several arms: the column that says in which of them somebody was.
    arm_codes : sequence of str or None
        What that column's cells are called, in the order of the arms.
    nuisance : str
        What the nuisance of such a design depends on, such as ``~ age``.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If the file, the formula or the response is not as expected.
    ImportError
        If pandas or formulaic is not installed.
    """
    response, frame, aliases = _frame(file, f"{formula} + {nuisance.partition('~')[2]}", codes)
    asked = None if arm is None else _coded_arms(file, arm, arm_codes)
    fit = regress_formula(
        formula,
        frame,
        file.channel if file.arms is None else file.arms,
        arm=None if asked is None else np.where(asked.answered, asked.reports, np.nan),
        link=link,
        nuisance=nuisance,
    )
    answers = codes if codes is not None and len(codes) == file.channel.truths else None
    more = {"arm": arm, "nuisance": nuisance} if arm is not None else {}
    options = Options(link, errors, ends, level)
    return show(
        file,
        fit,
        response,
        options,
        answers=answers,
        aliases=aliases,
        asked=asked,
        more=more,
    )


@dataclass(frozen=True)
class Options:
    """How a regression is to be told.

    Parameters
    ----------
    link, errors, ends : str
        As for `analyse`.
    level : float
    """

    link: str = "logit"
    errors: str = "expected"
    ends: str = "wald"
    level: float = 0.95


def show(  # noqa: PLR0913  each says something else of the regression
    source: Source,
    fit: Fit | MultinomialFit | ArmsFit,
    response: str,
    options: Options,
    *,
    answers: Sequence[str] | None = None,
    aliases: Mapping[str, str] = MappingProxyType({}),
    asked: ReportColumn | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Result:
    """Tell a regression in every form.

    Parameters
    ----------
    source : Source
    fit : Fit, MultinomialFit or ArmsFit
    response : str
        What was regressed.
    options : Options
    answers : sequence of str, optional
        What the truths are called.
    aliases : mapping of str to str
        Which column a name in the formula stands for.
    asked : ReportColumn, optional
        In which arm everybody was.
    more : mapping of str to str
        What else the document is to say.

    Returns
    -------
    Result
    """
    link, errors, ends, level = options.link, options.errors, options.ends, options.level
    if isinstance(fit, MultinomialFit) and answers is not None:
        fit = replace(fit, answers=tuple(answers))
    intervals, missing = _intervals(fit, errors, ends, level)
    of = [answers[1]] if answers is not None and len(answers) == 2 else None
    rows = list(_rows(fit, response, errors, intervals, level, of))
    notes = [*_notes(fit, link, errors, ends, level, aliases, asked), *missing]
    document = {
        **_document(source, fit, link, errors, level, aliases),
        "ends": ends,
        **more,
    }
    return Result(
        table=_as_table(source, fit, rows, level, notes),
        export=Export(tuple(rows[0]), rows, document, key="coefficients"),
        draw=lambda form, narrow=False: figure(rows, level, link, form, narrow=narrow),
    )


def names_in(terms: str) -> list[str]:
    """Find the names in the terms of a formula, each once; functions are none.

    Examples
    --------
    >>> names_in("years + C(ward):years + I(pay^2)")
    ['years', 'ward', 'pay']
    """
    found = [quoted or plain for quoted, plain, call in _NAME.findall(terms) if not call]
    return list(dict.fromkeys(found))


def _frame(
    file: DataFile, formula: str, codes: Sequence[str] | None
) -> tuple[str, pd.DataFrame, dict[str, str]]:
    """Read the data; return the response's name, the frame and what stands for which column."""
    try:
        import pandas as pd  # noqa: PLC0415  only this needs it, and it takes a while to load
    except ImportError:
        raise MissingExtra("a formula needs the package pandas", "formula") from None
    response = formula.partition("~")[0].strip().strip("`")
    try:
        sep = separator(file.text.partition("\n")[0])
        # Spreadsheets that separate cells by semicolons write 0.5 as 0,5.
        decimal = "," if sep != "," and _DECIMAL_COMMA.search(file.text) else "."
        frame = pd.read_csv(io.StringIO(file.text), sep=sep, decimal=decimal)
        # Once more as it is written: pandas may read 0 and 1 with a missing one as 0.0 and 1.0.
        written = pd.read_csv(io.StringIO(file.text), sep=sep, dtype=str, keep_default_na=False)
    except pd.errors.ParserError as mistake:
        raise ValueError(str(mistake).removeprefix("Error tokenizing data. C error: ")) from None
    except pd.errors.EmptyDataError:
        raise ValueError("expected a CSV with a header, found an empty file") from None
    if response in frame.columns:
        try:
            column = code_reports(
                [cell.strip() for cell in written[response]], file.channel.reports, codes
            )
        except ValueError as mistake:
            raise ValueError(f"column {response!r}: {mistake}") from None
        frame[response] = np.where(column.answered, column.reports, np.nan)
    aliases = _aliases(formula.partition("~")[2], [str(name) for name in frame.columns])
    for short, name in aliases.items():
        frame[short] = frame[name]
    return response, frame, aliases


def _coded_arms(file: DataFile, arm: str, codes: Sequence[str] | None) -> ReportColumn:
    """Return in which arm each respondent was."""
    assert file.arms is not None  # noqa: S101  for the type checker: the command makes sure
    cells = read_columns(io.StringIO(file.text, newline=""), [arm])[arm]
    try:
        return code_reports(cells, len(file.arms.channels), codes, "arm")
    except ValueError as mistake:
        raise ValueError(f"column {arm!r}: {mistake}") from None


def _aliases(terms: str, columns: Sequence[str]) -> dict[str, str]:
    """Find the columns that a formula calls by the last part of their names, as age for cov.age."""
    found = {}
    for quoted, plain, call in _NAME.findall(terms):
        name = quoted or plain
        if name in columns or call:
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
    fit: Fit | MultinomialFit | ArmsFit, errors: str, ends: str, level: float
) -> tuple[FloatArray, list[str]]:
    """Return the intervals of the coefficients, and a sentence for each that there is none of."""
    if ends == "wald":
        return fit.interval(level, kind=errors), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        found = fit.interval(level, "profile")
    missing = [str(one.message) for one in caught if one.category is ConvergenceWarning]
    return found, [f"–: {why}." for why in missing]


def _rows(
    fit: Fit | MultinomialFit | ArmsFit,
    response: str,
    errors: str,
    intervals: FloatArray,
    level: float,
    of: Sequence[str] | None,
) -> Iterator[Row]:
    """Lay the coefficients out, a row each."""
    answers = fit.answers[1:] if isinstance(fit, MultinomialFit) else of or ("yes",)
    terms = fit.names if isinstance(fit, MultinomialFit) else fit.terms
    shape = (len(answers), len(terms))
    odds = isinstance(fit, MultinomialFit) or fit.link == _ODDS_LINK
    estimates, error, z, p = (
        values.reshape(shape)
        for values in (
            fit.coefficients,
            fit.standard_error(errors),
            fit.z(errors),
            fit.p_value(errors),
        )
    )
    ends = intervals.reshape(*shape, 2)
    for i, answer in enumerate(answers):
        for j, name in enumerate(terms):
            low, high = ends[i, j]
            yield {
                "response": response,
                "answer": answer,
                "term": name,
                "coefficient": float(estimates[i, j]),
                "standard_error": float(error[i, j]),
                "z": float(z[i, j]),
                "p_value": float(p[i, j]),
                "low": float(low),
                "high": float(high),
                "odds_ratio": float(np.exp(estimates[i, j])) if odds else None,
                "odds_ratio_low": float(np.exp(low)) if odds else None,
                "odds_ratio_high": float(np.exp(high)) if odds else None,
                "level": level,
            }


def figure(rows: Sequence[Row], level: float, link: str, form: str, *, narrow: bool) -> bytes:
    """Draw the coefficients of the rows of a regression."""
    # matplotlib loads slowly, and most analyses are asked for no figure.
    from deniable.results.coefficient_figure import (  # noqa: PLC0415
        Coefficient,
        coefficients_figure,
    )

    coefficients = []
    for row in rows:
        answer = "" if row["answer"] == "yes" else f"{row['answer']}: "
        values = (float(row[name] or 0) for name in ("coefficient", "low", "high"))
        coefficients.append(Coefficient(f"{answer}{row['term']}", *values))
    return coefficients_figure(coefficients, level, link, form, narrow=narrow)


def _as_table(
    source: Source,
    fit: Fit | MultinomialFit | ArmsFit,
    rows: Sequence[Row],
    level: float,
    notes: Iterable[str],
) -> list[RenderableType]:
    several = isinstance(fit, MultinomialFit)
    odds = rows[0]["odds_ratio"] is not None
    interval = interval_heading(level)
    numbers = ["Coefficient", "SE", interval, "z", "p"]
    columns = [*(["Answer"] if several else []), "Term", *numbers]
    columns += ["Odds ratio", f"its {interval}"] if odds else []
    printed = table(*columns, numbers=columns[columns.index("Coefficient") :])
    answer = None
    for row in rows:
        if several and row["answer"] != answer and answer is not None:
            printed.add_section()
        value = {name: cell for name, cell in row.items() if isinstance(cell, float)}
        cells = [
            *([str(row["answer"]) if row["answer"] != answer else ""] if several else []),
            str(row["term"]),
            number(value["coefficient"]),
            number(value["standard_error"]),
            _interval(value["low"], value["high"], 3),
            number(value["z"], 2),
            p_value(value["p_value"]),
        ]
        if odds:
            cells += [
                number(value["odds_ratio"], 2),
                _interval(value["odds_ratio_low"], value["odds_ratio_high"], 2),
            ]
        printed.add_row(*cells)
        answer = str(row["answer"])
    left_out = f", {fit.dropped:,} left out with a value missing" if fit.dropped else ""
    return [
        f"{str(fit.formula).strip()}; {source.name}: {counted(fit.n, 'respondent')}{left_out}",
        source.law,
        "",
        printed,
        "",
        *notes,
    ]


def _interval(low: float, high: float, decimals: int) -> str:
    if math.isnan(low):
        return "–"
    return f"{number(low, decimals)} to {number(high, decimals)}"


def _notes(
    fit: Fit | MultinomialFit | ArmsFit,
    link: str,
    errors: str,
    ends: str,
    level: float,
    aliases: Mapping[str, str],
    asked: ReportColumn | None,
) -> Iterator[str]:
    of = "the other answers" if isinstance(fit, MultinomialFit) else "a true yes"
    if isinstance(fit, ArmsFit):
        of = fit.arms.splits[0].name + "".join(
            f"; of the logit of {split.name}" for split in fit.arms.splits[1:]
        )
    source = {"opg": "outer products of the scores", "sandwich": "sandwich"}
    kind = "Wald's intervals" if ends == "wald" else "intervals by profile likelihood"
    yield (
        f"Coefficient: of the {link} of {of}. SE: from the "
        f"{source.get(errors, f'{errors} information')}, with {kind}."
    )
    if isinstance(fit, ArmsFit) and asked is not None:
        yield from _mean_shares(fit, errors, level, asked)
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
    if fit.at_boundary:
        yield f"{fit.message[0].upper()}{fit.message[1:]}."
    for short, name in aliases.items():
        yield f"{short} is the column {name}."


def _mean_shares(fit: ArmsFit, errors: str, level: float, asked: ReportColumn) -> Iterator[str]:
    """Say how many were in each arm, and what a respondent with average covariates is."""
    in_arms = np.bincount(fit.likelihood.arm, minlength=len(asked.codes))
    counted = (f"{code} ({n:,})" for code, n in zip(asked.codes, in_arms, strict=True))
    yield f"Respondents in each arm, in the order of the design: {', '.join(counted)}."
    mean = fit.likelihood.X.mean(axis=0)
    for split in fit.arms.splits:
        found = fit.split(split.name, mean, kind=errors)
        low, high = 100 * found.interval(level)[0]
        yield (
            f"At the mean of all covariates: {split.name} {number(100 * found.probability[0], 1)} %"
            f" ({100 * level:g} % interval {number(low, 1)} to {number(high, 1)} %)."
        )


def _document(
    source: Source,
    fit: Fit | MultinomialFit | ArmsFit,
    link: str,
    errors: str,
    level: float,
    aliases: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "data": source.name,
        "formula": fit.formula,
        "design": source.design,
        "epsilon": source.epsilon,
        "link": link,
        "errors": errors,
        "level": level,
        "n": fit.n,
        "dropped": fit.dropped,
        "log_likelihood": fit.log_likelihood,
        "null_log_likelihood": fit.null_log_likelihood,
        "aic": fit.aic,
        "bic": fit.bic,
        "converged": fit.message,
        "columns": dict(aliases),
        "covariance": fit.covariance(errors).tolist(),
    }
