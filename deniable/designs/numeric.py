"""Designs for a number on a grid of evenly spaced levels.

The truths are the levels 0, 1, …, ``levels - 1``; what they stand for, years or euros, is the
question's business. Every design here is symmetric in what it tells of small and large numbers, and
has the whole range for its sensitivity: the reports of the least and of the greatest level differ
by a factor of at most e^ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np

from deniable import exact
from deniable.channel import MAX_REPORTS, ROW_SUM, Channel
from deniable.designs.categorical import k_ary
from deniable.estimator import NotIdentifiable, for_values
from deniable.exact import Number

_TOO_SMALL: Final = (
    "this is too close to no information at all for weights of 32 bits: expected a larger epsilon"
)


def laplace(levels: int, epsilon: Number) -> Channel:
    r"""Discrete Laplace noise, clamped to the range: local Laplace on a bounded number.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        The privacy loss to stay within, above 0. The channel's own ε is never above it.

    Returns
    -------
    Channel
        Truths and reports: the levels.

    Raises
    ------
    ValueError
        If the number of levels or ε is out of range, or ε is so small that weights of 32 bits
        cannot tell it from 0.

    Notes
    -----
    Noise :math:`Z` with :math:`P(Z = z) \propto \alpha^{|z|}` and
    :math:`\alpha = e^{-\epsilon / (levels - 1)}` is added to the level, and a sum beyond the range
    is moved to its nearer end:

    .. math::

        P(a | x) = \frac{\alpha^{|a - x|}}{1 + \alpha} (1 - \alpha)^{[0 < a < levels - 1]}

    Clamping keeps ε as it is asked for: it is applied to the noisy number and never sees the
    truth, and no column holds a ratio above :math:`\alpha^{1 - levels} = e^\epsilon`, which the
    two ends attain. To renormalise each row of the noise that stays inside the range keeps ε too,
    but draws the reports of small and of large numbers together: the least-variance estimate then
    has four times the standard deviation at ε = 1 on 101 levels.

    Before clamping the noise has variance :math:`2 \alpha / (1 - \alpha)^2`, which tends to
    :math:`2 (levels - 1)^2 / \epsilon^2`. The least-variance estimate of a mean from the clamped
    reports has less.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC, section 2 (the truncated geometric mechanism).
    Inusah, S. and Kozubowski, T. J. (2006). A discrete analogue of the Laplace distribution.
    Journal of Statistical Planning and Inference 136, 1090-1102, section 2.

    Examples
    --------
    >>> laplace(11, 2).probabilities[0, :3].round(3)
    array([0.55 , 0.082, 0.067])
    """
    asked, bound = _asked(levels, epsilon)
    last = levels - 1
    decay = [1 / exact.exp_lower(asked * distance / last) for distance in range(levels)]
    at_end = [ROW_SUM * power / (1 + decay[1]) for power in decay]
    within = [(1 - decay[1]) * weight for weight in at_end]
    return _rounded(
        [
            [
                (within if 0 < report < last else at_end)[abs(report - level)]
                for report in range(levels)
            ]
            for level in range(levels)
        ],
        bound,
    )


def two_point(levels: int, epsilon: Number) -> Channel:
    r"""Report low or high, the likelier high the greater the number.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        See `laplace`.

    Returns
    -------
    Channel
        Truths: the levels. Reports: low, high.

    Raises
    ------
    ValueError
        See `laplace`.

    Notes
    -----
    The probability of high is linear in the level, from :math:`1 / (e^\epsilon + 1)` to
    :math:`e^\epsilon / (e^\epsilon + 1)`. It tells the mean with less noise than any other design
    here where ε is small, and nothing else: with more than two levels their shares are not
    identifiable. With :math:`m = (levels - 1) / 2` the noise in an estimated mean of n reports has
    variance :math:`\{ m^2 (e^\epsilon + 1)^2 / (e^\epsilon - 1)^2 - (x - m)^2 \} / n` for truths
    x, greatest in the middle of the range.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018). Minimax optimal procedures for locally
    private estimation. Journal of the American Statistical Association 113, 182-201, section 3,
    in one dimension.

    Examples
    --------
    >>> two_point(3, 1).probabilities.round(3)
    array([[0.731, 0.269],
           [0.5  , 0.5  ],
           [0.269, 0.731]])
    """
    _, bound = _asked(levels, epsilon)
    low = ROW_SUM / (bound + 1)
    high = [low * (1 + (bound - 1) * Fraction(level, levels - 1)) for level in range(levels)]
    return _rounded([[ROW_SUM - weight, weight] for weight in high], bound)


def piecewise(levels: int, epsilon: Number) -> Channel:
    r"""Report a number from a window that begins at the truth, or one from the rest.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        See `laplace`.

    Returns
    -------
    Channel
        Truths: the levels. Reports: numbers on a longer grid of the same step, 255 at most.

    Raises
    ------
    ValueError
        See `laplace`.

    Notes
    -----
    Every one of the `width` reports :math:`x, …, x + width - 1` is :math:`e^\epsilon` times as
    likely as every report outside of this window, so that the expected report is linear in the
    truth. In the continuous mechanism, on [-1, 1] with :math:`C = (e^{\epsilon/2} + 1) /
    (e^{\epsilon/2} - 1)`, the window is C - 1 wide and its beginning travels C + 1; here the width
    is the integer nearest to the same part of the travel: :math:`e^{-\epsilon/2} (levels - 1)`, and
    1 at least. With a width of 1 it is k-ary randomised response.

    The continuous mechanism's noise has variance :math:`t^2 / (e^{\epsilon/2} - 1) +
    (e^{\epsilon/2} + 3) / (3 (e^{\epsilon/2} - 1)^2)` at a truth t in [-1, 1], greatest at the
    ends; the least-variance estimate from these reports has a little less there.

    Where the windows of all levels do not fit into 255 reports, which takes more than 127 levels,
    the levels are `coarsened` to as many as do fit. The mean is then still identifiable, and the
    shares of the levels are not.

    References
    ----------
    Wang, N., Xiao, X., Yang, Y., Zhao, J., Hui, S. C., Shin, H., Shin, J. and Yu, G. (2019).
    Collecting and analyzing multidimensional data with local differential privacy. ICDE, section
    III-B (algorithm 2, lemma 1).

    Examples
    --------
    >>> channel = piecewise(5, "1.4")
    >>> (channel.probabilities / channel.probabilities.min()).round(2)
    array([[4.06, 4.06, 1.  , 1.  , 1.  , 1.  ],
           [1.  , 4.06, 4.06, 1.  , 1.  , 1.  ],
           [1.  , 1.  , 4.06, 4.06, 1.  , 1.  ],
           [1.  , 1.  , 1.  , 4.06, 4.06, 1.  ],
           [1.  , 1.  , 1.  , 1.  , 4.06, 4.06]])
    """
    asked, bound = _asked(levels, epsilon)
    part = 1 / exact.exp_lower(asked / 2)
    return _windows(levels, bound, lambda fitting: max(1, round(part * (fitting - 1))))


def square_wave(levels: int, epsilon: Number) -> Channel:
    r"""Report a number near the truth, or any other, on a grid wider than the range.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        See `laplace`.

    Returns
    -------
    Channel
        Truths: the levels. Reports: the levels with b more at either end, 255 at most.

    Raises
    ------
    ValueError
        See `laplace`.

    Notes
    -----
    Every report that is at most b steps from the truth is :math:`e^\epsilon` times as likely as
    every other, with

    .. math::

        b = \left\lfloor levels \cdot \frac{\epsilon e^\epsilon - e^\epsilon + 1}
            {2 e^\epsilon (e^\epsilon - 1 - \epsilon)} \right\rfloor

    which makes the mutual information of truth and report large: the design is meant for the whole
    distribution, by maximum likelihood. Where b is 0 it is k-ary randomised response. Where all the
    reports are more than 255 the levels are `coarsened`, as in `piecewise`.

    References
    ----------
    Li, Z., Wang, T., Lopuhaä-Zwakenberg, M., Li, N. and Škoric, B. (2020). Estimating numerical
    distributions under local differential privacy. SIGMOD, section 5 (bucketise before randomise).

    Examples
    --------
    >>> channel = square_wave(21, 1)
    >>> channel.truths, channel.reports, int((channel.probabilities[0] > 0.03).sum())
    (21, 31, 11)
    """
    asked, bound = _asked(levels, epsilon)
    half = ((asked - 1) * bound + 1) / (2 * bound * (bound - 1 - asked))
    return _windows(levels, bound, lambda fitting: 2 * math.floor(half * fitting) + 1)


@dataclass(frozen=True)
class NumericDesign:
    """A design for a number, and how well it tells the mean. Made by `numeric_designs`.

    Parameters
    ----------
    name : str
        Of the function that returns the channel.
    variance : float
        See `worst_case_variance`.
    """

    name: str
    channel: Channel = field(repr=False)
    variance: float

    @property
    def distribution(self) -> bool:
        """Whether the shares of the levels can be estimated, and not their mean alone."""
        return self.channel.identifiable


def numeric_designs(levels: int, epsilon: Number) -> tuple[NumericDesign, ...]:
    """List the designs for a number, the one with the least noise in the mean first.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        See `laplace`.

    Raises
    ------
    ValueError
        See `laplace`.

    Examples
    --------
    >>> for design in numeric_designs(21, 1):
    ...     print(f"{design.name:12}{design.variance:6.1f}  {design.distribution}")
    two_point    468.3  False
    piecewise    500.8  True
    square_wave  502.8  True
    laplace      551.2  True
    k_ary       7147.0  True
    """
    families = (k_ary, piecewise, square_wave, laplace, two_point)
    channels = [family(levels, epsilon) for family in families]
    designs = [
        NumericDesign(family.__name__, channel, worst_case_variance(channel))
        for family, channel in zip(families, channels, strict=True)
    ]
    # Of equal ones the first stays first: on two levels all are k-ary randomised response.
    return tuple(sorted(designs, key=lambda design: design.variance))


def best_numeric(levels: int, epsilon: Number, *, distribution: bool = True) -> Channel:
    """Choose the design whose estimate of the mean has the least noise in the worst case.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        See `laplace`.
    distribution : bool
        Whether the shares of the levels are to be identifiable too. Otherwise `two_point` is
        among the choices, the best one at small ε.

    Raises
    ------
    ValueError
        See `laplace`.

    See Also
    --------
    numeric_designs : The choices.

    Examples
    --------
    >>> best_numeric(21, 1) == piecewise(21, 1)
    True
    >>> best_numeric(21, 1, distribution=False) == two_point(21, 1)
    True
    """
    return next(
        design.channel
        for design in numeric_designs(levels, epsilon)
        if design.distribution or not distribution
    )


def worst_case_variance(channel: Channel) -> float:
    r"""Return the greatest variance that the design's noise gives one report's part in the mean.

    Parameters
    ----------
    channel : Channel
        Whose truths are the levels 0, 1, 2, …

    Returns
    -------
    float
        In squared steps between two levels. Divided by n, it bounds the variance of the mean of n
        reports about the mean of the n truths. Infinite where that mean is not identifiable.

    Notes
    -----
    With g the least-variance unbiased estimator (`deniable.estimator.for_values`), one
    report contributes g(report). Over people with truths X, its variance is
    :math:`E[Var(g | X)] + Var(X)`. The second part, that of drawing the people, is the same for
    every design. The first is linear in the distribution of X, so that its worst case has everybody
    at one level: :math:`\max_x Var(g | x)`, a maximum over the rows of the channel. It is the
    worst-case variance by which Wang et al. (2019), section III, compare their mechanisms.
    """
    levels = np.arange(channel.truths)
    try:
        g = for_values(channel, levels)
    except NotIdentifiable:
        return math.inf
    return float((channel.probabilities @ g**2 - levels**2).max())


def coarsened(channel: Channel, values: int) -> Channel:
    r"""Ask for more values than a design has levels, and keep the mean unbiased.

    Each value is rounded at random to one of the two levels next to it, the nearer the likelier,
    and then sent through the design. The two steps together are one channel again: neither browser
    nor server knows of them.

    Parameters
    ----------
    channel : Channel
        Whose truths are evenly spaced levels.
    values : int
        Number of values, 2 to 255, evenly spaced over the same range.

    Returns
    -------
    Channel
        Truths: the values. Reports: those of `channel`, whose ε is never exceeded.

    Raises
    ------
    ValueError
        If the number of values is out of range, or the channel tells so little that weights of 32
        bits leave no room between its least and its greatest.

    Notes
    -----
    A value at :math:`k + \varphi` between the levels k and k + 1 becomes k + 1 with probability
    :math:`\varphi`, hence the row :math:`(1 - \varphi) C_k + \varphi C_{k+1}`. What is unbiased for
    the mean of the levels is unbiased for that of the values; the rounding adds
    :math:`\varphi (1 - \varphi) \le 1/4` squared steps between levels to the variance of a report.
    With more values than levels the shares of the values are not identifiable.

    *Privacy.* Every entry lies between two entries of the same column, so no ratio grows. For this
    and the dependence of the rows to hold in integers, and not only up to rounding, the weights of
    `channel` are first moved by about one denominator b of :math:`\varphi`, 254 at most, such that
    those of a column leave the same remainder when divided by b: then every mixture is an integer.
    The move stays between a column's least and greatest weight, except that adding the
    same number to a whole column, which takes up what the rows' sums need, brings its ratios nearer
    to 1.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018), see `two_point`: rounding at random to
    the ends of an interval keeps the mean, here used between every two levels.

    Examples
    --------
    >>> channel = coarsened(laplace(3, 1), 5)
    >>> channel.probabilities.round(3)
    array([[0.622, 0.149, 0.229],
           [0.5  , 0.197, 0.303],
           [0.378, 0.245, 0.378],
           [0.303, 0.197, 0.5  ],
           [0.229, 0.149, 0.622]])
    >>> channel.epsilon, channel.identifiable
    (1.0, False)
    """
    if not 2 <= values <= MAX_REPORTS:
        raise ValueError(f"expected 2 to {MAX_REPORTS} values, found {values}")
    step = Fraction(channel.truths - 1, values - 1)
    rows = _congruent(channel, step.denominator)
    return Channel(_between(rows, value * step) for value in range(values))


def _between(rows: Sequence[Sequence[int]], place: Fraction) -> Sequence[int]:
    """Mix the two rows next to a place, each in proportion to its nearness."""
    below = math.floor(place)
    part = place - below
    if not part:
        return rows[below]
    return [
        low + (high - low) // part.denominator * part.numerator
        for low, high in zip(rows[below], rows[below + 1], strict=True)
    ]


def _congruent(channel: Channel, modulus: int) -> list[list[int]]:
    """Move the weights until those of every column are congruent, without a ratio growing."""
    bounds = [(min(column), max(column)) for column in zip(*channel.weights, strict=True)]
    # What every row lacks of 2^32 but for multiples of the modulus goes to one column of all rows.
    lift = (ROW_SUM - sum(least for least, _ in bounds)) % modulus
    lifted = bounds.index(max(bounds))
    rows = []
    for weights in channel.weights:
        row = [
            least + (weight - least) // modulus * modulus
            for weight, (least, _) in zip(weights, bounds, strict=True)
        ]
        row = _filled(row, weights, bounds, ROW_SUM - lift, modulus)
        row[lifted] += lift
        rows.append(row)
    return rows


def _asked(levels: int, epsilon: Number) -> tuple[Fraction, Fraction]:
    """Return ε and the greatest ratio that two weights of a column may have."""
    if not 2 <= levels <= MAX_REPORTS:
        raise ValueError(f"expected 2 to {MAX_REPORTS} levels, found {levels}")
    asked = exact.fraction(epsilon)
    if asked <= 0:
        raise ValueError(f"expected an epsilon above 0, found {epsilon}")
    bound = exact.exp_lower(asked)
    if (bound - 1) * ROW_SUM < 1:
        raise ValueError(_TOO_SMALL)
    return asked, bound


def _windows(levels: int, bound: Fraction, width_of: Callable[[int], int]) -> Channel:
    """Make every report of a window that begins at the truth `bound` times as likely as the rest.

    `width_of` says how wide it is, given the number of levels.
    """
    fitting = next(
        count for count in range(levels, 1, -1) if count - 1 + width_of(count) <= MAX_REPORTS
    )
    width = width_of(fitting)
    reports = fitting - 1 + width
    outside = ROW_SUM / (width * bound + reports - width)
    inside = bound * outside
    channel = _rounded(
        [
            [inside if 0 <= report - level < width else outside for report in range(reports)]
            for level in range(fitting)
        ],
        bound,
    )
    return channel if fitting == levels else coarsened(channel, levels)


def _rounded(table: Sequence[Sequence[Fraction]], bound: Fraction) -> Channel:
    """Round weights, none of whose columns has a ratio above `bound`, to such a channel.

    Every weight stays between the column's least one, rounded up, and `bound` times that, rounded
    down; what rounding leaves over of a row goes to weights that have room there.
    """
    low = [math.ceil(min(column)) for column in zip(*table, strict=True)]
    bounds = [(least, math.floor(bound * least)) for least in low]
    rows = []
    for wanted in table:
        row = [
            min(max(round(weight), least), most)
            for weight, (least, most) in zip(wanted, bounds, strict=True)
        ]
        rows.append(_filled(row, wanted, bounds, ROW_SUM))
    return Channel(rows)


def _filled(
    row: Sequence[int],
    wanted: Sequence[Fraction | int],
    bounds: Sequence[tuple[int, int]],
    total: int,
    unit: int = 1,
) -> list[int]:
    """Move weights by a unit, those farthest from what is wanted first, until they sum to total."""
    filled = list(row)
    while lacking := total - sum(filled):
        step = unit if lacking > 0 else -unit
        movable = [
            report
            for report, (least, most) in enumerate(bounds)
            if least <= filled[report] + step <= most
        ]
        if not movable:
            raise ValueError(_TOO_SMALL)
        movable.sort(key=lambda report: (filled[report] - wanted[report]) * step)
        for report in movable[: abs(lacking) // unit]:
            filled[report] += step
    return filled
