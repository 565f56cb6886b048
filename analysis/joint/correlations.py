"""Covariances and correlations of truths, of two randomised items or with a direct item."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.counts.labels import Codes, Counts
from deniable.analysis.estimated import Estimated
from deniable.analysis.joint.correlation_interval import JointReports
from deniable.analysis.joint.counting import check_joint_counts
from deniable.analysis.numerics.arrays import BoolArray, FloatArray
from deniable.analysis.sampling.debiased import Debiased, debiased_values
from deniable.channel import Channel
from deniable.estimator import for_values

FEWEST: Final = 50
"""The fewest people for whom a correlation's interval is shown.

With 30 people it covered in as few as 93.6 of 100 surveys; `docs/evidence.md` starts at 100 people.
"""

METHODS: Final = ("tail", "fisher", "wald")
"""The names of the intervals of a correlation."""

_NOT_LISTED: Final = "numbers that were asked directly have no list of possible values"

# Weights are multiples of 2^-32, which moves an estimate of 1 by about this much.
_ROUNDING: Final = 1e-9

# The squared relative rounding of a constant's mean, with room.
_CONSTANT: Final = 1e-28


class _Correlations(Estimated):
    kinds = METHODS

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest possible correlation: -1 and 1."""
        return -np.ones(self.theta.shape), np.ones(self.theta.shape)


@dataclass(frozen=True, eq=False)
class Correlation(_Correlations):
    """The covariance and correlation of two truths. Made by `correlation`.

    Parameters
    ----------
    variances : (float, float)
        Of the two truths, unbiased: the noise's variance is subtracted, so they may come out below
        0. nan for one respondent, or where a design tells the mean of the values but not of their
        squares.
    theta : ndarray, shape ()
        The correlation. It may leave [-1, 1]. nan where a variance is unknown or not above 0.
    standard_error : ndarray, shape ()
        By the delta method.
    joint : JointReports or None
        The joint counts, for the interval; None if a number was asked directly.

    Notes
    -----
    The `interval` is one of these. 'fisher' and 'wald' are for many people in every cell of the
    truths' table, and correlations far from 1 and -1: in sparse tables they cover far below their
    level.

    - 'tail' : inverts the tails of a test, see
      `deniable.analysis.joint.correlation_interval.JointReports.interval`; inside [-1, 1]. nan
      where there is a `reason`, and where no distribution of the truths agrees with the reports at
      this level (default)
    - 'fisher' : a normal interval of ``artanh r``, with the standard error of r over ``1 - r^2``,
      mapped back; nan where r is not inside (-1, 1)
    - 'wald' : r and standard errors to either side
    """

    n: int
    covariance: float
    variances: tuple[float, float]
    theta: FloatArray
    standard_error: FloatArray
    joint: JointReports | None = field(default=None, repr=False)

    @property
    def reason(self) -> str | None:
        """Why there is no interval ``"tail"``, in plain words; None if there is one."""
        if self.joint is None:
            return _NOT_LISTED
        if self.n < FEWEST:
            return f"fewer than {FEWEST} people answered both"
        return self.joint.reason

    @property
    def outside(self) -> BoolArray:
        """Whether the correlation is outside [-1, 1] or a variance is below 0; shape ()."""
        return np.asarray(abs(self.theta) > 1 + _ROUNDING or min(self.variances) < 0)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        if kinds[0] != "tail":
            return _normal(self.theta, self.standard_error, level, kinds[0])
        if self.joint is None or self.reason is not None:
            return np.full(2, math.nan)
        return np.array(self.joint.interval(level))

    def __str__(self) -> str:
        """Return the correlation and its 95 % interval, or "–" and why it has none."""
        low, high = self.interval()
        given = f"{low:.3f} to {high:.3f}"
        if math.isnan(low):
            given = f"– ({self.reason or 'no correlation agrees with the reports'})"
        shown = "–" if math.isnan(self.theta) else f"{self.theta:.3f}"
        return f"correlation {shown}, 95 % interval {given}"


@dataclass(frozen=True, eq=False)
class CorrelationMatrix(_Correlations):
    """Covariances and correlations of several truths. Made by `correlation_matrix`.

    Its intervals are those of each `Correlation`: 'tail' is nan where a pair has a `reason`, as
    numbers asked directly have. They are nan on the diagonal, where nothing is uncertain.

    Parameters
    ----------
    n : ndarray of int, shape (variables, variables)
        Number of respondents who were asked both: each entry uses all of these (pairwise deletion).
    covariance : ndarray, shape (variables, variables)
        Unbiased; the variances of the truths on the diagonal.
    theta : ndarray, shape (variables, variables)
        The correlations: 1 on the diagonal where the variance is above 0. Entries may leave
        [-1, 1].
    standard_error : ndarray, shape (variables, variables)
        Of the correlations.
    pairs : dict of (int, int) to Correlation
        The correlation of every two variables; the first index is the smaller.
    """

    n: npt.NDArray[np.int64]
    covariance: FloatArray
    theta: FloatArray
    standard_error: FloatArray
    pairs: Mapping[tuple[int, int], Correlation] = field(repr=False)

    @property
    def outside(self) -> BoolArray:
        """Whether a correlation is outside [-1, 1], or a variance, on the diagonal, below 0."""
        negative = np.diag(np.diag(self.covariance) < 0)
        return (np.abs(self.theta) > 1 + _ROUNDING) | negative

    @property
    def families(self) -> int:
        """How many intervals there are: one for each pair."""
        return len(self.pairs)

    def _ends(self, level: float, kinds: tuple[str, ...]) -> FloatArray:
        ends = np.full((*self.n.shape, 2), math.nan)
        for (i, j), pair in self.pairs.items():
            ends[i, j] = ends[j, i] = pair.interval(level, kinds[0])
        return ends


def correlation(
    counts: Counts,
    channels: Sequence[Channel],
    values: Sequence[npt.ArrayLike] | None = None,
    *,
    codes: Sequence[Codes | None] | None = None,
    together: Channel | None = None,
) -> Correlation:
    """Estimate the covariance and the correlation of two truths from joint counts.

    Parameters
    ----------
    counts, channels, codes
        Of two items, as for `deniable.analysis.joint.tables.crosstab`.
    values : sequence of two array_like of float, shapes (truths_1,) and (truths_2,), optional
        The value of each truth; by default 0, 1, 2, ...
    together : Channel, optional
        For items that are randomised as one answer: the channel of their pairs, all of which must
        be possible; the second item changes fastest. `channels` are then the marginal channels of
        the two items.

    Notes
    -----
    With g and h the contributions of the two reports, whose noises are independent, the mean of
    ``g h`` is unbiased for that of the product of the truths' values, so the sample covariance of g
    and h is unbiased for the truths'. With one noise for both, the pair's own contribution replaces
    ``g h``. The sample variances are not unbiased: noise adds to them. The variance of a truth is
    estimated by the mean of the contributions to the *squared* value, less the squared mean,
    corrected for its own variance: ``mean(g2) - mean(g)^2 + s^2/n``.

    The standard error of the correlation is that of the mean of its influence function,
    ``c/sd - r/2 (v_1/var_1 + v_2/var_2)``, with c and v the centred contributions to the
    covariance and the variances.

    References
    ----------
    Himmelfarb, S. and Edgell, S. E. (1980). Additive constants model: a randomized response
    technique for eliminating evasiveness to quantitative response questions. Psychological
    Bulletin 87, 525-530.
    Fox, J. A. and Tracy, P. E. (1984). Measuring associations with randomized response. Social
    Science Research 13, 188-197.
    Heck, D. W. and Moshagen, M. (2018). RRreg: an R package for correlation and regression
    analyses of randomized response data. Journal of Statistical Software 85(2), section 3.2.

    Examples
    --------
    >>> from deniable import designs
    >>> channel = designs.warner(flip="1/4")
    >>> result = correlation([[130, 70], [80, 120]], [channel, channel])
    >>> print(result)
    correlation 0.998, 95 % interval 0.617 to 1.000
    """
    if len(channels) != 2:
        raise ValueError(f"expected the channels of 2 items, found {len(channels)}")
    counted = check_joint_counts(counts, channels, codes)
    coded = [range(channel.truths) for channel in channels] if values is None else values
    if len(coded) != 2:
        raise ValueError(f"expected the values of 2 items, found {len(coded)}")
    numbers = [np.asarray(each, dtype=np.float64) for each in coded]
    if any(np.isnan(each).any() for each in numbers):
        raise ValueError("expected a value for each truth, found one that has none (nan)")
    rows, columns = np.nonzero(counted)
    first, second = (
        debiased_values(reports, channel, of)
        for reports, channel, of in zip((rows, columns), channels, numbers, strict=True)
    )
    joint = JointReports(counted, (channels[0], channels[1]), (numbers[0], numbers[1]), together)
    product = None
    if together is not None:
        of_pairs = for_values(together, np.multiply.outer(*numbers).ravel())
        product = of_pairs.reshape(counted.shape)[rows, columns]
    return _correlation(first, second, counted[rows, columns].astype(np.float64), joint, product)


def correlation_matrix(variables: Sequence[Debiased]) -> CorrelationMatrix:
    """Estimate the covariances and correlations of several truths, respondent by respondent.

    Parameters
    ----------
    variables : sequence of Debiased, each of n respondents
        From `deniable.analysis.sampling.debiased`: values of randomised truths, or numbers asked
        directly; of different items, whose noises are independent. For items randomised as one
        answer use `correlation`.

    Returns
    -------
    CorrelationMatrix
        One row and one column per variable, in order. Respondents who were not asked both variables
        are left out of that pair.

    Notes
    -----
    See `correlation` for the formulas. Estimated pair by pair, the matrix need not be positive
    semidefinite, as that of a population is.

    Examples
    --------
    >>> from deniable import designs
    >>> from deniable.analysis.sampling.debiased import debiased_values, direct_values
    >>> doped = debiased_values([0, 1, 1, 0, 1, 1], designs.warner(flip="1/20"), [0, 1])
    >>> age = direct_values([20, 31, 38, 25, 24, 33])
    >>> correlation_matrix([doped, age]).theta.round(2)
    array([[1.  , 0.77],
           [0.77, 1.  ]])
    """
    sizes = {len(variable.g) for variable in variables}
    if not variables or len(sizes) > 1:
        raise ValueError(
            f"expected variables of the same respondents, found numbers of them: {sorted(sizes)}"
        )
    for position, variable in enumerate(variables):
        if variable.g.shape[1] != 1:
            raise ValueError(
                f"variable {position}: expected one number a respondent, "
                f"found the shares of {variable.g.shape[1]} truths; take values of the truths"
            )
        if variable.h is not None:
            raise ValueError(
                f"variable {position}: expected a value for each truth, found one that has none"
            )
    d = len(variables)
    n = np.zeros((d, d), dtype=np.int64)
    entries = np.full((3, d, d), math.nan)
    pairs = {}
    for i, j in itertools.combinations_with_replacement(range(d), 2):
        both = (variables[i].asked & variables[j].asked).astype(np.float64)
        if not both.any() and variables[i].asked.any() and variables[j].asked.any():
            raise ValueError(never_both(i, j))
        joint = None if i == j else _joint(variables[i], variables[j])
        pair = _correlation(variables[i], variables[j], both, joint)
        n[i, j] = n[j, i] = pair.n
        if i == j:  # one noise: the covariance would include its variance
            variance = pair.variances[0]
            entries[:, i, i] = (
                (variance, 1.0, 0.0) if variance > 0 else (variance, math.nan, math.nan)
            )
        else:
            entries[:, i, j] = pair.covariance, pair.theta, pair.standard_error
            entries[:, j, i] = entries[:, i, j]
            pairs[i, j] = pair
    return CorrelationMatrix(
        n=n,
        covariance=entries[0],
        theta=entries[1],
        standard_error=entries[2],
        pairs=pairs,
    )


def never_both(i: int, j: int) -> str:
    """Return the message that nobody was asked two items, with the remedy."""
    return (
        f"nobody was asked both variable {i} and variable {j}, so nothing tells how they go "
        "together: 'together' in the survey file asks both as one answer"
    )


def _joint(x: Debiased, y: Debiased) -> JointReports | None:
    """Count the pairs of reports; None if a variable was asked directly."""
    if x.item is None or y.item is None:
        return None
    both = x.asked & y.asked
    counts = np.zeros((x.item.channel.reports, y.item.channel.reports), dtype=np.int64)
    np.add.at(counts, (x.item.reports[both], y.item.reports[both]), 1)
    channels, values = (x.item.channel, y.item.channel), (x.item.values[0], y.item.values[0])
    return JointReports(counts, channels, values)


def _correlation(
    x: Debiased,
    y: Debiased,
    frequency: FloatArray,
    joint: JointReports | None,
    product: FloatArray | None = None,
) -> Correlation:
    """Return the correlation; `product`: contributions to the values' product, if not ``g h``."""
    n = int(frequency.sum())
    if n < 2:
        unknown = np.array(math.nan)
        return Correlation(n, math.nan, (math.nan, math.nan), unknown, unknown, joint)
    w = frequency / n
    g, h = (variable.g[:, 0] - w @ variable.g[:, 0] for variable in (x, y))
    # The part of the products that comes from one noise for both; it is subtracted.
    noise = np.zeros(len(g)) if product is None else x.g[:, 0] * y.g[:, 0] - product
    c = g * h - noise - w @ (g * h - noise)
    (variance_x, v_x), (variance_y, v_y) = _variance(x, w, n), _variance(y, w, n)
    covariance = float(w @ (g * h)) * n / (n - 1) - float(w @ noise)
    r = error = math.nan
    if variance_x > 0 and variance_y > 0:
        deviation = math.sqrt(variance_x) * math.sqrt(variance_y)
        r = covariance / deviation
        influence = c / deviation - r / 2 * (v_x / variance_x + v_y / variance_y)
        error = math.sqrt(w @ influence**2 / (n - 1))
    return Correlation(
        n=n,
        covariance=covariance,
        variances=(variance_x, variance_y),
        theta=np.array(r),
        standard_error=np.array(error),
        joint=joint,
    )


def _variance(x: Debiased, w: FloatArray, n: int) -> tuple[float, FloatArray]:
    """Return the unbiased variance of a truth, and the centred contributions to it."""
    g = x.g[:, 0]
    if x.g_of_square is None:
        return math.nan, np.zeros(len(g))
    mean = float(w @ g)
    # Contributions to the squared distance from the mean, g_of_square - 2 mean g + mean^2, written
    # so that numbers asked directly lose no digits.
    square = (g - mean) ** 2 - (g**2 - x.g_of_square[:, 0])
    noisy = float(w @ (g - mean) ** 2) * n / (n - 1)
    variance = float(w @ square) + noisy / n
    # A variance that is 0 but for the rounding of weights, or of a constant's mean, is 0.
    if abs(variance) <= max(_ROUNDING * noisy, _CONSTANT * mean**2):
        variance = 0.0
    return variance, square - w @ square


def _normal(r: FloatArray, standard_error: FloatArray, level: float, method: str) -> FloatArray:
    if method == "wald":
        return intervals.wald(r, standard_error, level)
    inside = np.where(np.abs(r) < 1, r, math.nan)
    z = np.arctanh(inside)
    return np.asarray(np.tanh(intervals.wald(z, standard_error / (1 - inside**2), level)))
