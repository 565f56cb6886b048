"""Debiased variables: for every respondent, numbers that average to what the truths would."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import for_values, least_variance
from deniable.report import NOT_ASKED


@dataclass(frozen=True, eq=False)
class Item:
    """What the respondents reported on one item, and what its truths count for.

    Parameters
    ----------
    reports : ndarray of int, shape (n,)
        255 for "not asked".
    channel : Channel
    values : ndarray, shape (truths,)
    """

    reports: npt.NDArray[np.int64]
    channel: Channel
    values: FloatArray


@dataclass(frozen=True, eq=False)
class Debiased:
    """What each respondent contributes to the estimated means of some variables.

    Made by `debiased_shares`, `debiased_values` and `direct_values`.

    Parameters
    ----------
    g : ndarray, shape (n, variables)
        Given the truth, its expectation over the noise is the variable's value ``f``. 0 for those
        who were not asked.
    g_of_square : ndarray, shape (n, variables) or None
        Its expectation is ``f^2``; None where no function of the report has it.
    asked : ndarray of bool, shape (n,)
        Who was asked.
    low, high : ndarray, shape (variables,)
        The least and greatest possible value of ``f``.
    item : Item or None
        The reports, for a value of a truth; None otherwise.
    """

    g: FloatArray = field(repr=False)
    g_of_square: FloatArray | None = field(repr=False)
    asked: npt.NDArray[np.bool_] = field(repr=False)
    low: FloatArray
    high: FloatArray
    item: Item | None = field(default=None, repr=False)

    @property
    def squares(self) -> FloatArray:
        """`g_of_square`, or a ValueError that says that there is none."""
        if self.g_of_square is None:
            raise ValueError(
                "the variance of these values is not identifiable: the design tells their mean, "
                "but populations of different variances would send the same reports"
            )
        return self.g_of_square

    @property
    def randomisation(self) -> FloatArray:
        """An unbiased estimate of the variance that the noise adds to each ``g``.

        Of shape (n, variables): ``g^2 - g_of_square``, with expectation ``E[g^2] - f^2``. For a
        share it is ``g (g - 1)``. Single entries may be below 0.
        """
        return self.g**2 - self.squares


def debiased_shares(reports: npt.ArrayLike, channel: Channel) -> Debiased:
    """Debias the indicators of all truths of an item.

    Parameters
    ----------
    reports : array_like of int, shape (n,)
        Each respondent's report; 255 for "not asked".
    channel : Channel

    Returns
    -------
    Debiased
        One variable a truth, whose mean is the truth's share.

    Raises
    ------
    ValueError
        If a report is not one of the channel's, or the shares are not identifiable.

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
    # An indicator is its own square.
    return Debiased(g, g, asked, np.zeros(channel.truths), np.ones(channel.truths))


def debiased_values(reports: npt.ArrayLike, channel: Channel, values: npt.ArrayLike) -> Debiased:
    """Debias a value of the truth.

    Parameters
    ----------
    reports : array_like of int, shape (n,)
        Each respondent's report; 255 for "not asked".
    channel : Channel
    values : array_like of float, shape (truths,)
        What each truth counts for.

    Returns
    -------
    Debiased
        One variable.

    Raises
    ------
    ValueError
        If a report is not one of the channel's, there is not one finite value for each truth, or
        their mean is not identifiable.

    Examples
    --------
    >>> from deniable import designs
    >>> debiased_values([0, 1], designs.warner(flip="1/4"), [0, 10]).g.ravel()
    array([-5., 15.])
    """
    numbers = np.asarray(values, dtype=np.float64)
    g, asked = _look_up(reports, channel, for_values(channel, numbers)[:, np.newaxis])
    squares = for_squares(channel, numbers)
    g2 = None if squares is None else _look_up(reports, channel, squares[:, np.newaxis])[0]
    item = Item(np.asarray(reports, dtype=np.int64), channel, numbers)
    return Debiased(g, g2, asked, numbers.min(keepdims=True), numbers.max(keepdims=True), item)


def direct_values(values: npt.ArrayLike) -> Debiased:
    """Take numbers that were asked directly, which have nothing to be rid of.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        nan for "not asked".

    Returns
    -------
    Debiased
        One variable; without bounds.

    Raises
    ------
    ValueError
        If it is not such an array, or a number is infinite.
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
    """Return what each report contributes to the mean of the squared value, or None.

    Parameters
    ----------
    channel : Channel
    values : ndarray, shape (truths,)
        Whose mean is identifiable.

    Returns
    -------
    ndarray, shape (reports,), or None
        None where a design tells the mean of the values and not that of their squares: one of two
        reports on a scale of many levels, for instance. It is not the square of the values' own
        contribution, which has the variance of the noise in it.
    """
    try:
        return for_values(channel, values**2)
    except ValueError:
        return None


def _look_up(
    reports: npt.ArrayLike, channel: Channel, table: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the row of the table for each report, 0 for who was not asked; and who was asked."""
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
