"""Reports and covariates as they are given, checked."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.joint.correlations import never_both
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.analysis.numerics.levels import check_choice
from deniable.analysis.regression.likelihood import Likelihood
from deniable.analysis.regression.truth import TruthModel
from deniable.channel import Channel
from deniable.report import NOT_ASKED

# What is left of a column, relative to its length, when the columns before it have been taken out.
_DEPENDENT: Final = 1e-10

# How many times as great as with unrelated columns a coefficient's variance may be. Textbooks begin
# to worry at 10, which the square of an age exceeds too; 100 is an error ten times as wide.
_INFLATED: Final = 100

# What part of the greatest share a column has in the combination that another one nearly is.
_NAMED: Final = 0.05

_NOTED: ContextVar[list[str] | None] = ContextVar("noted", default=None)

# How far a combination of columns may be from 1 to be constant.
_CONSTANT: Final = 1e-8


def check_channel(channel: Channel) -> None:
    """Refuse a channel in which different populations send the same reports."""
    if np.linalg.matrix_rank(channel.probabilities) < channel.truths:
        raise ValueError(
            "the coefficients are not identifiable: the rows of the channel's table are linearly "
            "dependent, so that different populations would send the same reports"
        )


def checked_names(
    names: Sequence[str] | None, X: FloatArray, default: str = "x"
) -> tuple[str, ...]:
    """Return a name for each column: those given, or ``intercept`` and ``x0``, ``x1``, …."""
    if names is None:
        constant = (X == 1).all(axis=0)
        return tuple("intercept" if constant[j] else f"{default}{j}" for j in range(X.shape[1]))
    given = tuple(str(name) for name in names)
    if len(given) != X.shape[1]:
        raise ValueError(f"expected {X.shape[1]} names, one for each column, found {len(given)}")
    if len(set(given)) < len(given):
        raise ValueError(f"expected names that differ, found {', '.join(given)}")
    return given


def checked_covariates(X: npt.ArrayLike, n: int) -> FloatArray:
    """Return the covariates as floats, a row for each of n respondents."""
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or len(table) != n or not table.shape[1]:
        raise ValueError(
            f"expected covariates of shape ({n}, p), a row for each report, "
            f"found an array of shape {table.shape}"
        )
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0].tolist()
        raise ValueError(
            f"expected finite covariates, found {table[row, column]} in row {row}, column {column}"
        )
    return table


def covariates_of(
    X: npt.ArrayLike,
    reports: npt.ArrayLike,
    names: Sequence[str] | None,
    default: str = "x",
    *,
    times: IntArray | None = None,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the covariates of the respondents, which are linearly independent, and their names."""
    covariates = checked_covariates(X, len(np.atleast_1d(np.asarray(reports))))
    named = checked_names(names, covariates, default)
    check_rank(covariates, named, covariates.shape[1], times)
    return covariates, named


def check_rank(
    X: FloatArray, names: tuple[str, ...], coefficients: int, times: IntArray | None = None
) -> None:
    """Refuse covariates that cannot be told apart, and too many of them.

    `times`, shape (rows,): how many respondents each row is; by default one.
    """
    n = len(X) if times is None else int(times.sum())
    if n < coefficients:
        raise ValueError(
            f"expected at least {coefficients} respondents, one for each coefficient, found {n}"
        )
    lengths = np.linalg.norm(X, axis=0)
    if not lengths.all():
        raise ValueError(f"expected covariates that vary, found {names[lengths.argmin()]} to be 0")
    scaled = X / lengths
    # The diagonal is what is left of each column when those before it have been taken out.
    left = np.abs(np.diag(np.linalg.qr(scaled, mode="r")))
    dependent = np.flatnonzero(left <= _DEPENDENT)
    if len(dependent):
        column = int(dependent[0])
        weights = np.linalg.lstsq(scaled[:, :column], scaled[:, column])[0]
        others = [names[j] for j in np.flatnonzero(np.abs(weights) > 1e-6)]
        raise ValueError(
            f"expected covariates that are linearly independent, found {names[column]} to be a "
            f"linear combination of {', '.join(others)}"
        )
    inflation = variance_inflation(X, times)
    # Of two alike the later one, whatever rounding makes of them.
    worst = int(np.flatnonzero(inflation >= 0.999 * inflation.max())[-1])
    if inflation[worst] > _INFLATED:
        spread = _spread(X, times)
        beside = [j for j in range(len(names)) if j != worst and spread[:, j].any()]
        scaled = spread[:, beside] / np.linalg.norm(spread[:, beside], axis=0)
        weights = np.abs(np.linalg.lstsq(scaled, spread[:, worst])[0])
        told = [
            names[j] for j, of in zip(beside, weights, strict=True) if of > _NAMED * weights.max()
        ]
        said = (
            f"{names[worst]} is nearly a linear combination of {', '.join(told)}: the error of its "
            f"coefficient is {math.sqrt(inflation[worst]):,.0f} times as wide as if they were "
            f"unrelated (variance inflation {inflation[worst]:,.0f}), so leave one out"
        )
        noted = _NOTED.get()
        if noted is None:
            warnings.warn(said, stacklevel=2)
        else:
            noted.append(said)


@contextmanager
def noting() -> Iterator[list[str]]:
    """List near-collinear columns instead of warning: threads share what warnings become."""
    noted: list[str] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def variance_inflation(X: FloatArray, times: IntArray | None = None) -> FloatArray:
    """Return of each column how many times the others multiply its coefficient's variance.

    0 of a constant. `times`, shape (rows,): how many respondents each row is; by default one.

    Marquardt, D. W. (1970). Generalized inverses, ridge regression, biased linear estimation, and
    nonlinear estimation. Technometrics 12, 591-612.
    """
    rooted = X if times is None else np.sqrt(times)[:, np.newaxis] * X
    lengths = np.linalg.norm(rooted, axis=0)
    back = np.linalg.inv(np.linalg.qr(rooted / lengths, mode="r"))
    spread = _spread(X, times)
    alone = np.square(np.linalg.norm(spread, axis=0) / lengths)
    return np.asarray(np.where(alone > _CONSTANT**2, alone, 0) * np.square(back).sum(axis=1))


def _spread(X: FloatArray, times: IntArray | None) -> FloatArray:
    """Return the columns about their means, if they hold a constant; of as many respondents."""
    spread = X - holds_constant(X) * np.average(X, axis=0, weights=times)
    return spread if times is None else np.sqrt(times)[:, np.newaxis] * spread


def holds_constant(X: FloatArray) -> bool:
    """Tell whether some combination of the columns is the same number for all respondents."""
    ones = np.ones(len(X))
    left = ones - X @ np.linalg.lstsq(X, ones)[0]
    return bool(np.abs(left).max() < _CONSTANT)


def normalised_weights(
    weights: npt.ArrayLike | None, n: int, times: IntArray | None = None
) -> FloatArray:
    """Return sampling weights of mean 1; ones if there are none.

    `times`, shape (n,): how many respondents each row is; by default one.
    """
    if weights is None:
        return np.ones(n)
    given = one_each(weights, n, "weights", "report").astype(np.float64)
    bad = np.flatnonzero(~(np.isfinite(given) & (given > 0)))
    if len(bad):
        raise ValueError(f"expected weights above 0, found {given[bad[0]]} in row {bad[0]}")
    return given / float(np.average(given, weights=times))


def likelihood_of(
    model: TruthModel,
    reports: npt.ArrayLike,
    X: FloatArray,
    channel: Channel,
    weights: npt.ArrayLike | None,
    times: IntArray | None = None,
) -> Likelihood:
    """Return the likelihood of checked data."""
    came = checked_reports(reports, len(X), channel)
    weighed = normalised_weights(weights, len(X), times)
    return Likelihood(model, X, came, channel.probabilities, weighed, times=times)


def checked_reports(
    reports: npt.ArrayLike, n: int, channel: Channel, *, may_be_missing: bool = False
) -> npt.NDArray[np.int64]:
    """Return the reports; refuse one that the channel cannot send."""
    came = checked_integers(reports, "reports", n)
    there = (came != NOT_ASKED) | (not may_be_missing)
    check_range(np.where(there, came, 0), channel.reports, "a report")
    sendable = np.asarray(channel.probabilities.any(axis=0))
    check_sendable(came, ~there | sendable[np.where(there, came, 0)])
    return came


def one_each(values: npt.ArrayLike, n: int, what: str, of: str = "respondent") -> npt.NDArray[Any]:
    """Return an array, or refuse it if it has another length than one for each of n."""
    given = np.asarray(values)
    if given.shape != (n,):
        raise ValueError(
            f"expected {n} {what}, one for each {of}, found an array of shape {given.shape}"
        )
    return given


def checked_integers(values: npt.ArrayLike, what: str, n: int) -> npt.NDArray[np.int64]:
    """Return whole numbers, one for each respondent."""
    given = one_each(values, n, what)
    if given.dtype.kind not in "iub":
        raise ValueError(f"expected {what} that are integers, found {given.dtype}")
    return given.astype(np.int64)


def check_range(
    values: npt.NDArray[np.int64], limits: int | npt.NDArray[np.int64], what: str
) -> None:
    """Refuse numbers from their limits on; `limits`: one for all, or one for each."""
    bad = np.flatnonzero((values < 0) | (values >= limits))
    if len(bad):
        row = int(bad[0])
        last = np.broadcast_to(limits, values.shape)[row] - 1
        raise ValueError(f"expected {what} from 0 to {last}, found {values[row]} in row {row}")


def check_sendable(reports: npt.NDArray[np.int64], can_be_sent: npt.NDArray[np.bool_]) -> None:
    """Refuse reports that no truth can send."""
    impossible = np.flatnonzero(~can_be_sent)
    if len(impossible):
        row = int(impossible[0])
        raise ValueError(
            f"expected no report {reports[row]}, which no truth can send, found it in row {row}"
        )


def covariates_at(
    X: Any, names: tuple[str, ...], columns: Callable[[Any], FloatArray] | None
) -> FloatArray:
    """Return the covariates of other people, in the order of `names` or in columns so called.

    `columns`: what a formula makes of a data frame.
    """
    if hasattr(X, "columns"):
        if columns is not None:
            return columns(X)
        found = [str(name) for name in X.columns]
        if not {*names} <= {*found}:
            raise ValueError(f"expected columns {', '.join(names)}, found {', '.join(found)}")
        X = X[[X.columns[found.index(name)] for name in names]]
    try:
        rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
    except (TypeError, ValueError) as mistake:
        raise ValueError(f"expected numbers in the order {', '.join(names)}: {mistake}") from None
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise ValueError(
            f"expected covariates of shape (rows, {len(names)}), in the order "
            f"{', '.join(names)}, found an array of shape {rows.shape}"
        )
    if not np.isfinite(rows).all():
        raise ValueError("expected finite covariates, found some that are not")
    return rows


def checked_outcome(y: npt.ArrayLike, outcome: str) -> FloatArray:
    """Return the outcome as numbers, which the kind of outcome can have."""
    check_choice(outcome, ("linear", "logistic"), "an outcome")
    values = np.asarray(y, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"expected outcomes of shape (n,), found an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if outcome == "logistic":
        bad = np.flatnonzero((values != 0) & (values != 1))
    if len(bad):
        wanted = "finite outcomes" if outcome == "linear" else "outcomes of 0 or 1"
        raise ValueError(f"expected {wanted}, found {values[bad[0]]} in row {bad[0]}")
    if values.min() == values.max():
        raise ValueError(f"expected an outcome that varies, found {values[0]} in every row")
    return values


def checked_items(
    reports: npt.ArrayLike,
    channel: Channel | Sequence[Channel],
    n: int,
) -> list[FloatArray]:
    """Return P(the report that came | truth) for every predictor, shape (n, truths)."""
    came = np.asarray(reports)
    if came.ndim not in (1, 2) or len(came) != n:
        raise ValueError(
            f"expected reports of shape ({n},) or ({n}, items), a row for each outcome, "
            f"found an array of shape {came.shape}"
        )
    came = came.reshape(n, -1)
    channels = [channel] if isinstance(channel, Channel) else list(channel)
    if len(channels) != came.shape[1]:
        raise ValueError(
            f"expected {came.shape[1]} channels, one for each randomised predictor, "
            f"found {len(channels)}"
        )
    there = came != NOT_ASKED
    for i, j in combinations(range(came.shape[1]), 2):
        if there[:, i].any() and there[:, j].any() and not (there[:, i] & there[:, j]).any():
            raise ValueError(never_both(i, j))
    return [_item(column, each) for column, each in zip(came.T, channels, strict=True)]


def _item(reports: npt.NDArray[np.int64], channel: Channel) -> FloatArray:
    check_channel(channel)
    came = checked_reports(reports, len(reports), channel, may_be_missing=True)
    # Whoever was not asked might have answered anything: P(no report | truth) is 1 for each truth.
    missing = came == NOT_ASKED
    found: FloatArray = channel.probabilities.T[np.where(missing, 0, came)]
    found[missing] = 1
    return found


def names_of_predictors(
    names: Sequence[str] | None, covariates: tuple[str, ...], truths: tuple[int, ...]
) -> tuple[str, ...]:
    """Return the names of the covariates and of each predictor's truths."""
    of_truths = tuple(
        f"truth {x}" if len(truths) == 1 else f"item {item} truth {x}"
        for item, count in enumerate(truths)
        for x in range(1, count)
    )
    if names is None:
        return covariates + of_truths
    given = tuple(str(name) for name in names)
    wanted = len(covariates) + len(of_truths)
    if len(given) != wanted or len(set(given)) < wanted:
        raise ValueError(
            f"expected {wanted} names that differ, one for each covariate and each truth but the "
            f"first, found {', '.join(given)}"
        )
    return given
