"""Regressions written as formulas on data frames."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.columns import named
from deniable.analysis.counts.data_file import check_names
from deniable.analysis.numerics.arrays import BoolArray, FloatArray, IntArray
from deniable.analysis.privacy.regressions import check_regression
from deniable.analysis.regression.binary import regress
from deniable.analysis.regression.design import one_each
from deniable.analysis.regression.fit import Fit, MultinomialFit
from deniable.analysis.regression.formulas import reader
from deniable.analysis.regression.formulas.reader import Formula
from deniable.analysis.regression.formulas.table import NO_ROWS, Table, table_of
from deniable.analysis.regression.linear import LinearFit, regress_mean
from deniable.analysis.regression.mixed import MixedFit, regress_mixed
from deniable.analysis.regression.multinomial import regress_multinomial
from deniable.analysis.regression.predictors import PredictorFit, regress_on_randomised
from deniable.analysis.sampling.design import SamplingDesign
from deniable.channel import Channel
from deniable.report import NOT_ASKED
from deniable.text.near import meant
from deniable.text.safety import composed

if TYPE_CHECKING:
    import pandas as pd


def regress_formula(  # noqa: PLR0913  what is fitted, and how it is written
    formula: str | Formula,
    frame: pd.DataFrame,
    channel: Channel,
    *,
    link: str = "logit",
    codes: Mapping[Any, int] | Sequence[Any] | None = None,
    weights: str | npt.ArrayLike | None = None,
    sample: SamplingDesign | None = None,
    times: IntArray | None = None,
) -> Fit | MultinomialFit:
    """Regress a randomised item on covariates, as a formula on a data frame says.

    Parameters
    ----------
    formula : str
        ``report ~ terms`` in the notation of R: ``rr.q1 ~ cov.age + C(region) + age:female``. The
        intercept is there unless ``0 +`` takes it away. Names with dots are understood as they are,
        other unusual ones in backticks; ``I((cov.age/10)^2)`` may be written with ``^`` or ``**``.
        A ``.`` is every other column but `weights`. Functions are those of
        `deniable.analysis.regression.formulas.functions`, such as ``bs(age, df=4)`` and
        ``C(region, contr.treatment('north'))``.
    frame : pandas.DataFrame
        One row a respondent. A row that misses any value in use is left out, and counted in
        ``dropped``. The dtype of a column says what it is: numbers and truth values are numbers,
        dates days since 1970-01-01 and durations days, as their terms say; texts and categories are
        groups, of which the first is the reference.
    channel : Channel
        See `regress`. Two truths are fitted by `regress`, more by `regress_multinomial`.
    link : {"logit", "probit", "cloglog", "cauchit"}
        Of two truths; not of more.
    codes : mapping or sequence, optional
        How the reports are written in the frame: ``{"no": 0, "yes": 1}`` or ``["no", "yes"]``, in
        the order of the channel's columns. By default they are the numbers 0, 1, … themselves, or
        False and True.
    weights : str or array_like of float, shape (rows,), optional
        A column of the frame, or its values: sampling weights.
    sample : SamplingDesign, optional
        In their place: how the people of all rows were drawn.
    times : ndarray of int64, shape (rows,), optional
        How many respondents each row is, where rows are counted.

    Returns
    -------
    Fit or MultinomialFit
        Its `predict` takes data frames too.

    Raises
    ------
    ValueError
        If the formula cannot be read, a column in use is empty, the same for all, or of too many
        groups for so many people, or a term has no finite value for somebody; it names the column.

    Examples
    --------
    >>> import pandas as pd
    >>> from deniable import designs
    >>> frame = pd.DataFrame({"rr.q1": [0, 1, None, 1, 0, 1, 0, 0], "cov.age": range(30, 70, 5)})
    >>> fit = regress_formula("rr.q1 ~ I(cov.age/10)", frame, designs.warner(flip="1/10"))
    >>> fit.names, fit.n, fit.dropped
    (('Intercept', 'I(cov.age / 10)'), 7, 1)
    """
    frame = named(frame)
    weights = composed(weights) if isinstance(weights, str) else weights
    read = _of_frame(formula, frame, [weights] if isinstance(weights, str) else [])
    weighting = _weights(frame, weights if sample is None else sample.weights)
    given = None if weighting is None else ~np.isnan(weighting)
    table, used, options = _rows_in_use(read, frame, times, given)
    rows = table.rows
    reports = _reports(used[read.response], codes)
    options["weights"] = None if weighting is None else weighting[rows]
    fit: Fit | MultinomialFit
    if channel.truths == 2:
        fit = regress(reports, table.values, channel, link=link, **options)
    elif link != "logit":
        raise ValueError(f"expected the link logit for more than two truths, found {link!r}")
    else:
        options["answers"] = _answers(codes, channel)
        fit = regress_multinomial(reports, table.values, channel, **options)
    return replace(
        fit,
        dropped=len(frame) - len(rows),
        formula=read.written,
        rows=rows,
        columns=table.of,
        sample=sample,
    )


def regress_mean_formula(
    formula: str | Formula,
    frame: pd.DataFrame,
    channel: Channel,
    values: npt.ArrayLike,
    *,
    sample: SamplingDesign | None = None,
    times: IntArray | None = None,
) -> LinearFit:
    """Regress a number on covariates as `regress_mean` does, and as a formula says.

    Parameters
    ----------
    formula, frame, times
        As for `regress_formula`; the response holds the reports' numbers.
    channel, values
        As for `regress_mean`.
    sample : SamplingDesign, optional
        How the people of all rows were drawn.
    """
    frame = named(frame)
    read = _of_frame(formula, frame)
    table, used, options = _rows_in_use(read, frame, times)
    reports = _reports(used[read.response], None)
    options |= {"sample": sample, "rows": table.rows}
    fit = regress_mean(reports, table.values, channel, values, **options)
    dropped = len(frame) - len(table.rows)
    return replace(fit, dropped=dropped, formula=read.written, columns=table.of)


def regress_mixed_formula(
    formula: str | Formula,
    frame: pd.DataFrame,
    channel: Channel,
    within: str,
    *,
    link: str = "logit",
    codes: Mapping[Any, int] | Sequence[Any] | None = None,
    times: IntArray | None = None,
) -> MixedFit:
    """Regress with a random intercept for each group as `regress_mixed` does, by a formula.

    Parameters
    ----------
    formula, frame, channel, link, codes, times
        As for `regress_formula`.
    within : str
        The column of the frame that says in which group each respondent is.
    """
    frame, within = named(frame), composed(within)
    read = _of_frame(formula, frame, [within])
    check_group(within, read, [*frame.columns])
    table, used, options = _rows_in_use(read, frame, times, frame[within].notna().to_numpy())
    fit = regress_mixed(
        _reports(used[read.response], codes),
        table.values,
        channel,
        used[within].astype(str).str.strip().map(composed).to_numpy(dtype=np.str_),
        link=link,
        answers=_answers(codes, channel),
        **options,
    )
    return replace(fit, dropped=len(frame) - len(used), formula=read.written, within=within)


def regress_on_formula(
    formula: str | Formula,
    frame: pd.DataFrame,
    predictors: Mapping[str, tuple[Channel, Sequence[str]]],
    *,
    outcome: str = "linear",
    times: IntArray | None = None,
) -> PredictorFit:
    """Regress a known outcome on randomised items as `regress_on_randomised` does, by a formula.

    Parameters
    ----------
    formula, frame, times
        As for `regress_formula`; the outcome stands on the left, in numbers.
    predictors : dict of (str: (Channel, sequence of str))
        Of each randomised column, which holds the numbers of reports, the channel and the names of
        the truths. It stands by itself between plus signs.
    outcome : {"linear", "logistic"}
    """
    frame = named(frame)
    read = _of_frame(formula, frame)
    outcomes = read.response
    alone = {name: term for name in predictors if (term := read.alone(name)) is not None}
    on, rest = [*alone], read.without([*alone.values()])
    inside = [name for name in predictors if name in rest.names]
    if inside:
        found = read.said(" + ".join(str(term) for term in rest.terms))
        raise ValueError(
            f"{inside[0]!r} was randomised: expected it by itself between plus signs, such as "
            f"{outcomes} ~ {inside[0]} + age, found it within {found!r}"
        )
    table, used, options = _rows_in_use(rest, frame, times)
    truths = (f"{name}[T.{truth}]" for name in on for truth in predictors[name][1][1:])
    options["names"] = [*table.names, *truths]
    fit = regress_on_randomised(
        used[outcomes].to_numpy(dtype=np.float64),
        used[on].fillna(NOT_ASKED).to_numpy(dtype=np.int64),
        [predictors[name][0] for name in on],
        table.values,
        outcome=outcome,
        **options,
    )
    return replace(fit, dropped=len(frame) - len(used), formula=read.written)


def check_group(within: str, formula: Formula, known: Sequence[str]) -> None:
    """Check that a column can be the group of random intercepts."""
    if within == formula.response:
        raise ValueError(f"expected groups other than the outcome, found {within!r} as both")
    if within in formula.names:
        raise ValueError(
            f"expected groups that are no term of the formula, found {within!r} as both: a term "
            "for each group leaves no variance between them"
        )
    if within not in known:
        raise ValueError(f"there is no column {within!r} to group by; {meant(within, known)}")


def _of_frame(formula: str | Formula, frame: pd.DataFrame, outside: Sequence[str] = ()) -> Formula:
    """Read a formula on the columns of a data frame, if it was not read before."""
    names = [*frame.columns]
    response = reader.sides_of(formula)[0] if isinstance(formula, str) else formula.response
    if response not in names:
        raise ValueError(
            f"expected a column of the data to the left of ~, found {response!r}; "
            f"there are {', '.join(names)}"
        )
    if isinstance(formula, Formula):
        return formula
    return reader.read(formula, names, outside=outside)


def _rows_in_use(
    formula: Formula,
    frame: pd.DataFrame,
    times: IntArray | None,
    given: BoolArray | None = None,
) -> tuple[Table, pd.DataFrame, dict[str, Any]]:
    """Return the covariates, the rows that miss no value in use, and what every fit takes."""
    check_names([formula.response, *formula.names], [*frame.columns])
    numbered = frame.reset_index(drop=True)
    there = numbered[formula.response].notna().to_numpy()
    if len(there) and not there.any():
        raise ValueError(f"{NO_ROWS}: {formula.response!r} is empty throughout")
    table = table_of(formula, numbered[there if given is None else there & given], times)
    of_rows = None if times is None else times[table.rows]
    check_regression(table.values, table.names, of_rows)
    options: dict[str, Any] = {"names": table.names, "times": of_rows}
    return table, numbered.iloc[table.rows], options


def _weights(frame: pd.DataFrame, given: str | npt.ArrayLike | None) -> FloatArray | None:
    """Return a column of the frame, or the values in its place, as floats."""
    if given is None:
        return None
    if isinstance(given, str):
        if given not in frame.columns:
            raise ValueError(f"expected weights to be a column of the data, found {given!r}")
        given = frame[given].to_numpy(dtype=np.float64, na_value=np.nan)
    return one_each(given, len(frame), "values of weights", "row").astype(np.float64)


def _reports(
    column: pd.Series[Any], codes: Mapping[Any, int] | Sequence[Any] | None
) -> npt.NDArray[np.int64]:
    """Return the reports of a column without missing values."""
    values = column.tolist()
    if codes is None:
        try:
            numbers = np.array([float(value) for value in values])
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if not (numbers == np.floor(numbers)).all():
            raise ValueError(
                "expected reports that are the numbers 0, 1, …, or codes= that says how they are "
                f"written, found {', '.join(map(repr, sorted(set(map(str, values)))[:5]))}"
            )
        return numbers.astype(np.int64)
    report_of: Mapping[Hashable, int] = (
        codes if isinstance(codes, Mapping) else {code: index for index, code in enumerate(codes)}
    )
    unknown = [value for value in values if value not in report_of]
    if unknown:
        raise ValueError(
            f"expected reports of {', '.join(map(repr, report_of))}, found {unknown[0]!r}"
        )
    return np.array([report_of[value] for value in values], dtype=np.int64)


def _answers(codes: Mapping[Any, int] | Sequence[Any] | None, channel: Channel) -> list[str] | None:
    """Return the truths' names, if the channel's truths and reports are the same answers."""
    if codes is None or len(codes) != channel.truths or channel.reports != channel.truths:
        return None
    ordered = sorted(codes, key=codes.__getitem__) if isinstance(codes, Mapping) else codes
    return [str(code) for code in ordered]
