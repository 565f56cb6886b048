"""Channels of numbers, rounded to integer weights that keep their ε."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from deniable import exact
from deniable.channel import MAX_REPORTS, ROW_SUM, Channel
from deniable.exact import Number

TOO_SMALL: Final = (
    "this is too close to no information at all for weights of 32 bits: expected a larger epsilon"
)


def asked_of(levels: int, epsilon: Number) -> tuple[Fraction, Fraction]:
    """Return ε and the greatest ratio that two weights of a column may have."""
    if not 2 <= levels <= MAX_REPORTS:
        raise ValueError(f"expected 2 to {MAX_REPORTS} levels, found {levels}")
    asked = exact.epsilon_above_0(epsilon)
    bound = exact.exp_lower(asked)
    if (bound - 1) * ROW_SUM < 1:
        raise ValueError(TOO_SMALL)
    return asked, bound


def coarsened(channel: Channel, values: int) -> Channel:
    r"""Ask for more values than a design has levels, and keep the mean unbiased.

    Each value is rounded at random to one of the two levels next to it, the nearer the likelier,
    and then randomised by the design. The two steps together are one channel: neither browser nor
    server knows of them.

    The truths of the result are the values, 2 to 255, evenly spaced over the range of the levels.
    Its reports are those of `channel`, whose ε is never exceeded.

    Notes
    -----
    A value at :math:`k + \varphi` between the levels k and k + 1 becomes k + 1 with probability
    :math:`\varphi`, hence the row :math:`(1 - \varphi) C_k + \varphi C_{k+1}`. An unbiased estimate
    for the mean of the levels is unbiased for that of the values; the rounding adds
    :math:`\varphi (1 - \varphi) \le 1/4` squared steps between levels to the variance of a report.
    With more values than levels the shares of the values are not identifiable.

    *Privacy.* Every entry lies between two entries of the same column, so no ratio grows. For this
    and the dependence of the rows to hold in integers, and not only up to rounding, the weights of
    `channel` are first moved by about one denominator b of :math:`\varphi`, 254 at most, such that
    the weights of a column are congruent modulo b: then every mixture is an integer. The moved
    weights stay between a column's least and greatest weight, except in one column that gets the
    same addition in every row, so that the rows keep their sums; this brings its ratios nearer to
    1.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018), see `two_point`: rounding at random to
    the ends of an interval keeps the mean, here used between every two levels.

    Examples
    --------
    >>> from deniable.designs import laplace
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
    return Channel(_interpolate(rows, value * step) for value in range(values))


def _interpolate(rows: Sequence[Sequence[int]], place: Fraction) -> Sequence[int]:
    """Interpolate linearly between the two rows next to a place."""
    below = math.floor(place)
    part = place - below
    if not part:
        return rows[below]
    return [
        low + (high - low) // part.denominator * part.numerator
        for low, high in zip(rows[below], rows[below + 1], strict=True)
    ]


def _congruent(channel: Channel, modulus: int) -> list[list[int]]:
    """Make the weights of every column congruent, without increasing a ratio."""
    bounds = [(min(column), max(column)) for column in zip(*channel.weights, strict=True)]
    # The remainder that every row lacks of 2^32, modulo `modulus`, goes to one column of all rows.
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


def windows(levels: int, bound: Fraction, width_of: Callable[[int], int]) -> Channel:
    """Make every report of a window that begins at the truth `bound` times as likely as the rest.

    `width_of`: the width of the window, given the number of levels.
    """
    fitting = next(
        count for count in range(levels, 1, -1) if count - 1 + width_of(count) <= MAX_REPORTS
    )
    width = width_of(fitting)
    reports = fitting - 1 + width
    outside = ROW_SUM / (width * bound + reports - width)
    inside = bound * outside
    channel = rounded(
        [
            [inside if 0 <= report - level < width else outside for report in range(reports)]
            for level in range(fitting)
        ],
        bound,
    )
    return channel if fitting == levels else coarsened(channel, levels)


def rounded(table: Sequence[Sequence[Fraction]], bound: Fraction) -> Channel:
    """Round weights, none of whose columns has a ratio above `bound`, to such a channel.

    Every weight stays between the column's least one, rounded up, and `bound` times that, rounded
    down; the rounding error of a row goes to weights that have room there.
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
    """Move weights by a unit, the ones farthest from `wanted` first, until they sum to `total`."""
    filled = list(row)
    while lacking := total - sum(filled):
        step = unit if lacking > 0 else -unit
        movable = [
            report
            for report, (least, most) in enumerate(bounds)
            if least <= filled[report] + step <= most
        ]
        if not movable:
            raise ValueError(TOO_SMALL)
        movable.sort(key=lambda report: (filled[report] - wanted[report]) * step)
        for report in movable[: abs(lacking) // unit]:
            filled[report] += step
    return filled
