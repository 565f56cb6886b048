"""Debiased variables: numbers for every respondent whose mean is unbiased for the truths'."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.analysis.errors import least_noise
from deniable.analysis.intervals.inversion import Ratio
from deniable.analysis.means import mean_among
from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import for_values, least_variance
from deniable.report import NOT_ASKED


@dataclass(frozen=True, eq=False)
class Item:
    """The respondents' reports on one item, and the values of its truths.

    `reports`, shape (n,): 255 for "not asked". `values`, shape (variables, truths): 0 for a truth
    without a value. `counted`, shape (truths,): 1 for a truth with a value, 0 for a truth without.
    """

    reports: npt.NDArray[np.int64]
    channel: Channel
    values: FloatArray
    counted: FloatArray

    def ratio(self, variable: int) -> Ratio:
        """Return the mean of a variable over the truths with a value, as a `Ratio`."""
        return mean_among(self.channel, self.values[variable], self.counted)


@dataclass(frozen=True, eq=False)
class Debiased:
    """Each respondent's contribution to the estimated means of some variables.

    Made by `debiased_shares`, `debiased_values`, `debiased_applicable` and `direct_values`.

    Parameters
    ----------
    g : ndarray, shape (n, variables)
        Given the truth, its expectation over the noise is the variable's value ``f``, or 0 if the
        truth has no value. 0 for respondents who were not asked.
    g_of_square : ndarray, shape (n, variables) or None
        Its expectation is ``f^2``; None if no function of the report has this expectation.
    asked : ndarray of bool, shape (n,)
        Who was asked.
    low, high : ndarray, shape (variables,)
        The least and greatest possible value of ``f``.
    item : Item or None
        The reports; None for numbers asked directly.
    h : ndarray, shape (n,) or None
        Its expectation is 1 for a truth with a value, and 0 for a truth without: the mean over
        people with a value is a ratio. None if every truth has a value.
    """

    g: FloatArray = field(repr=False)
    g_of_square: FloatArray | None = field(repr=False)
    asked: npt.NDArray[np.bool_] = field(repr=False)
    low: FloatArray
    high: FloatArray
    item: Item | None = field(default=None, repr=False)
    h: FloatArray | None = field(default=None, repr=False)

    def least_randomisation(self, theta: FloatArray) -> FloatArray:
        """Return the least variance that the noise gives ``g - theta h``, whatever the truth.

        `theta`, shape (variables,). Result, shape (variables,): 0 for numbers asked directly.
        """
        if self.item is None:
            return np.zeros(len(theta))
        least = []
        for variable, r in enumerate(theta):
            of = self.item.ratio(variable)
            taken = 0.0 if of.is_mean else r  # for a mean the denominator is constant
            g = of.to_numerator - taken * of.to_denominator
            f = of.numerator - taken * of.denominator
            least.append(float(least_noise(g, self.item.channel.probabilities, f)))
        return np.array(least)


def debiased_shares(reports: npt.ArrayLike, channel: Channel) -> Debiased:
    """Debias the indicators of all truths of an item.

    Parameters
    ----------
    reports : array_like of int, shape (n,)
        Each respondent's report; 255 for "not asked".

    Returns
    -------
    Debiased
        One variable per truth, whose mean is the truth's share.

    Examples
    --------
    >>> from deniable import designs
    >>> debiased_shares([0, 1, 255], designs.warner(flip="1/4")).g
    array([[ 1.5, -0.5],
           [-0.5,  1.5],
           [ 0. ,  0. ]])
    """
    G = least_variance(channel)
    g, asked = _look_up(reports, channel, G.T)
    truths = channel.truths
    item = Item(np.asarray(reports, dtype=np.int64), channel, np.eye(truths), np.ones(truths))
    # An indicator is its own square.
    return Debiased(g, g, asked, np.zeros(truths), np.ones(truths), item)


def debiased_values(reports: npt.ArrayLike, channel: Channel, values: npt.ArrayLike) -> Debiased:
    """Debias a value of the truth.

    Parameters
    ----------
    values : array_like of float, shape (truths,)
        The value of each truth; nan for a truth that is no number. The mean is then over people
        whose truth is a number, a ratio.

    Examples
    --------
    >>> from deniable import designs
    >>> debiased_values([0, 1], designs.warner(flip="1/4"), [0, 10]).g.ravel()
    array([-5., 15.])
    """
    given = np.asarray(values, dtype=np.float64)
    counted = ~np.isnan(given)
    if not counted.any():
        raise ValueError(f"expected a number for one truth at least, found {values!r}")
    numbers = np.where(counted, given, 0.0)
    g, asked = _look_up(reports, channel, for_values(channel, numbers)[:, np.newaxis])
    squares = for_squares(channel, numbers)
    g2 = None if squares is None else _look_up(reports, channel, squares[:, np.newaxis])[0]
    item = Item(
        np.asarray(reports, dtype=np.int64),
        channel,
        numbers[np.newaxis],
        counted.astype(np.float64),
    )
    low, high = numbers[counted].min(keepdims=True), numbers[counted].max(keepdims=True)
    return Debiased(g, g2, asked, low, high, item, _count_terms(item))


def debiased_applicable(reports: npt.ArrayLike, channel: Channel, skipped: int) -> Debiased:
    """Debias the indicators of an item's truths among people to whom its question applies.

    Parameters
    ----------
    skipped : int
        The truth of people to whom the question does not apply.

    Returns
    -------
    Debiased
        One variable for each other truth, whose mean is its share among these people, a ratio.

    Examples
    --------
    >>> from deniable import designs
    >>> debiased_applicable([0, 2], designs.k_ary(3, 2), skipped=2).g.round(2)
    array([[ 1.31, -0.16],
           [-0.16, -0.16]])
    """
    if not 0 <= skipped < channel.truths:
        raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {skipped}")
    others = [truth for truth in range(channel.truths) if truth != skipped]
    g, asked = _look_up(reports, channel, least_variance(channel)[others].T)
    of = np.eye(channel.truths)
    item = Item(np.asarray(reports, dtype=np.int64), channel, of[others], 1 - of[skipped])
    return Debiased(
        g, g, asked, np.zeros(len(others)), np.ones(len(others)), item, _count_terms(item)
    )


def direct_values(values: npt.ArrayLike) -> Debiased:
    """Return numbers that were asked directly, which need no debiasing.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        nan for "not asked".

    Returns
    -------
    Debiased
        One variable; without bounds.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or np.isinf(x).any():
        raise ValueError(
            f"expected finite numbers, one a respondent, or nan for not asked, found {values!r}"
        )
    asked = ~np.isnan(x)
    g = np.where(asked, x, 0)[:, np.newaxis]
    return Debiased(g, g**2, asked, np.array([-math.inf]), np.array([math.inf]))


def for_squares(channel: Channel, values: FloatArray) -> FloatArray | None:
    """Return the contribution of each report to the mean of the squared value, or None.

    `values`, shape (truths,): their mean is identifiable. Result, shape (reports,); None if the
    design tells the mean of the values but not of their squares, such as two reports for a scale of
    many levels. It is not the square of the values' own contribution, which includes the variance
    of the noise.
    """
    try:
        return for_values(channel, values**2)
    except ValueError:
        return None


def _count_terms(item: Item) -> FloatArray | None:
    """Return each respondent's contribution to the number of people with a value."""
    if item.counted.all():
        return None
    table = for_values(item.channel, item.counted)[:, np.newaxis]
    return _look_up(item.reports, item.channel, table)[0][:, 0]


def _look_up(
    reports: npt.ArrayLike, channel: Channel, table: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the table's row for each report, 0 if not asked, and who was asked."""
    given = np.asarray(reports)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError(
            f"expected reports that are integers, one a respondent, "
            f"found {given.dtype} of shape {given.shape}"
        )
    asked = given != NOT_ASKED
    sendable = channel.probabilities.any(axis=0)
    known = np.isin(given, np.flatnonzero(sendable)) | ~asked
    if not known.all():
        row = int((~known).argmax())
        raise ValueError(
            f"respondent {row}: expected a report of the channel, 0 to {channel.reports - 1}, "
            f"that some truth can send, or {NOT_ASKED} for not asked, found {given[row]}"
        )
    padded = np.vstack([table, np.zeros((1, table.shape[1]))])
    return padded[np.where(asked, given, channel.reports).astype(np.intp)], asked
