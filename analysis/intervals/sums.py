"""The exact distribution of a sum of reports' contributions."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray

# Greatest chance of a sum outside the window on which its distribution is computed.
OUTSIDE: Final = 1e-13

# A report is rounded to a step of the window, which changes the statistic slightly. Steps are so
# small that at most this part of a report's variance is rounding.
_LOST: Final = 1e-3


_STEPS: Final = tuple(2**power for power in range(11, 21))


_TIE: Final = 1e-6  # in steps: two sums that differ by less are equal but for rounding


_NOTHING: Final = 60.0
"""A characteristic function below e to the power of minus this counts as 0."""


_FEW_STEPS: Final = 2**13
"""Up to so many steps of the window, a fast Fourier transform of all of them is faster than a
search for the frequencies that count."""


_FEW: Final = 64
"""Up to one frequency in so many steps, tails are summed directly instead of by a transform."""


_LOOKED: Final = 4
"""Number of reports in the first round: each round drops frequencies before it adds reports."""


@dataclass(frozen=True, eq=False)
class SumDistribution:
    """The distribution of a sum over independent reports. Made by `sum_distribution`.

    `step`: unit to whose multiples each report's part of the sum is rounded. `index`, shape
    (reports,): that multiple for each report. `first`: start of the window, in steps. `steps`:
    length of the window. `centre`: position of the mean in the window, in steps. `frequencies`,
    shape (frequencies,): where the characteristic function is not 0, in turns per window: from 1 to
    half of the steps. `waves`, shape (frequencies,): that function there, for the sum less `first`.
    """

    step: float
    index: npt.NDArray[np.int64]
    first: int
    steps: int
    centre: float
    frequencies: npt.NDArray[np.int64]
    waves: npt.NDArray[np.complex128]

    def tails(
        self, counts: npt.NDArray[np.int64] | FloatArray, moved: float = 0.0, nearer: float = 1.0
    ) -> tuple[float, float]:
        """Return the chances of a sum at most, and at least, that of the observed reports.

        `counts`, shape (reports,): how often each came. `moved`: subtracted from each report's
        part. `nearer`: factor of the sum's distance from the mean, above 0 and at most 1, in the
        tail on the sum's side. `lower`, `upper`: both include the chance of the same sum.
        """
        place = self._place(counts) - round(float(counts.sum())) * moved / self.step
        # Moved towards the mean, the sum would lose its own chance, which the other tail must keep.
        drawn = self.centre + nearer * (place - self.centre)
        # A sum beyond the window has a chance indistinguishable from 0.
        last = math.floor(max(min(max(place, drawn) + _TIE, self.steps), -1))
        first = math.ceil(min(max(min(place, drawn) - _TIE, 0), self.steps))
        return self._below(last + 1), 1 - self._below(first)

    def room(
        self, counts: npt.NDArray[np.int64] | FloatArray, tail: float, nearer: float = 1.0
    ) -> tuple[float, float]:
        """Return how far reports can be moved until a tail falls below `tail`."""
        window = range(self.steps)
        # The first place whose lower tail reaches `tail`, and the last whose upper tail does.
        first = bisect_left(window, tail, key=lambda place: self._below(place + 1))
        last = bisect_left(window, True, key=lambda place: 1 - self._below(place) < tail) - 1
        # The outermost sums that `tails` moves there; it moves none across the mean.
        highest = max(last, self.centre + (last - self.centre) / nearer)
        lowest = min(first, self.centre + (first - self.centre) / nearer)
        each = self.step / round(float(counts.sum()))
        place = self._place(counts)
        return (place - highest) * each, (place - lowest) * each

    def _below(self, place: int) -> float:
        """Return the chance of a sum below a place in the window.

        It is a sum of chances, and each chance is a sum of waves. Summing each wave over the places
        first gives a geometric series.
        """
        if not 0 < place < self.steps:
            return float(place >= self.steps)
        if len(self.frequencies) * _FEW > self.steps:
            return float(self._cumulative[place - 1])
        series = (1 - _rotation(-place * self.frequencies, self.steps)) / (
            1 - _rotation(-self.frequencies, self.steps)
        )
        # Each frequency also stands for its negative, except half the steps, its own negative.
        times = np.where(2 * self.frequencies == self.steps, 1, 2)
        chance = (place + float((times * (self.waves * series).real).sum())) / self.steps
        return float(np.clip(chance, 0, 1))

    @cached_property
    def _cumulative(self) -> FloatArray:
        """The chance of a sum up to each place, by one Fourier transform; for many frequencies."""
        spectrum = np.zeros(self.steps // 2 + 1, dtype=np.complex128)
        spectrum[0] = 1
        spectrum[self.frequencies] = self.waves.conj()
        return np.cumsum(np.fft.irfft(spectrum, self.steps)).clip(0, 1)

    def _place(self, counts: npt.NDArray[np.int64] | FloatArray) -> float:
        return float(counts @ self.index) - self.first


def sum_distribution(P: FloatArray, g: FloatArray, n: int) -> SumDistribution:
    """Compute the distribution of a sum over n independent reports.

    Notes
    -----
    Each g is rounded to a whole number of steps. The statistic is the sum of the rounded values,
    and its distribution has no error but floating-point rounding: the characteristic function of a
    report, to the power of n, transformed back. The transform adds up chances that are a whole
    window apart, so the window is wide enough for nearly all of the distribution by Bernstein's
    inequality, and is centred at its mean.

    The window has more steps with more reports: some hundred times the root of n. But to the power
    of n nearly all of the characteristic function is 0, and only the frequencies where it is not
    are used (`_characteristic`): some hundred, for any n.
    """
    mean_ = float(P @ g)
    variance = float(P @ (g - mean_) ** 2)
    greatest = float(g.max() - g.min())
    # Bernstein: the sum is further than this from its mean with a chance of OUTSIDE at most.
    c = math.log(2 / OUTSIDE)
    reach = greatest * c / 3 + math.hypot(greatest * c / 3, math.sqrt(2 * n * variance * c))
    reach = min(reach, n * greatest) or 1.0
    enough = (one for one in _STEPS if _lost(P, g, _step(reach, one)) <= _LOST * variance)
    steps = next(enough, _STEPS[-1])
    step = _step(reach, steps)
    index = _multiples(g, step).astype(np.int64)
    middle = n * float(P @ index)
    first = round(middle) - steps // 2
    frequencies, one = _characteristic(P, index, steps, n)
    waves = one**n * _rotation(-first * frequencies, steps)
    return SumDistribution(step, index, first, steps, middle - first, frequencies, waves)


def _step(reach: float, steps: int) -> float:
    return 2 * reach / (steps - 4)


def _multiples(g: FloatArray, step: float) -> FloatArray:
    # Halves round down: the last digit of a contribution, which depends on the program and the
    # machine, must not decide.
    return np.asarray(np.ceil((g - g.min()) / step - 0.5 - _TIE))


def _lost(P: FloatArray, g: FloatArray, step: float) -> float:
    """Return the variance of what a report's contribution loses by rounding to a step."""
    rounding = g - step * _multiples(g, step)
    return float(rounding**2 @ P - (rounding @ P) ** 2)


def _characteristic(
    P: FloatArray, index: npt.NDArray[np.int64], steps: int, n: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.complex128]]:
    """Return the frequencies where a report's characteristic function to the power of n is not 0.

    The square of its absolute value is that of the sum of all chances, less twice the sum of
    ``P[r] P[s] (1 - cos t (index[r] - index[s]))`` over all pairs of reports. No term is below 0.
    So where the terms of some reports already exceed the bound, the others need no evaluation. The
    two most likely reports leave a comb of frequencies, which needs no search.
    """
    room = -math.expm1(-2 * _NOTHING / n)
    if steps <= _FEW_STEPS:
        return _transformed(P, index, steps, room)
    values, of = np.unique(index, return_inverse=True)
    chances = np.bincount(of, weights=P)
    likely = np.argsort(-chances)
    values, chances = values[likely], chances[likely]
    pair = float(2 * chances[0] * chances[1]) if len(chances) > 1 else 0.0
    if 2 * pair <= room:
        return _transformed(P, index, steps, room)
    frequencies = _comb(abs(int(values[1] - values[0])), steps, room / pair)
    looked = _LOOKED
    while True:
        turned = _rotation(np.outer(frequencies, values[:looked]), steps)
        one = (turned * chances[:looked]).sum(axis=1)  # too little work for a library's threads
        few = float(chances[:looked].sum()) ** 2 - np.abs(one) ** 2 <= room
        frequencies, one = frequencies[few], one[few]
        if looked >= len(values):
            return frequencies, one
        looked *= 4


def _transformed(
    P: FloatArray, index: npt.NDArray[np.int64], steps: int, room: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.complex128]]:
    """Return what `_characteristic` does, by a transform of all frequencies."""
    # The transform has the opposite sign of rotation.
    one = np.conj(np.fft.rfft(np.bincount(index % steps, weights=P, minlength=steps)))[1:]
    few = np.abs(one) ** 2 >= 1 - room
    return 1 + np.flatnonzero(few), one[few]


def _comb(apart: int, steps: int, most: float) -> npt.NDArray[np.int64]:
    """Return the frequencies whose turn over `apart` steps has 1 - cos of at most `most`."""
    # They lie this near to the whole turns, on either side.
    tooth = math.acos(1 - most) / (2 * math.pi)
    middle = np.arange(apart // 2 + 2)
    start = np.ceil((middle - tooth) * steps / apart).astype(np.int64).clip(min=1)
    stop = np.floor((middle + tooth) * steps / apart).astype(np.int64).clip(max=steps // 2) + 1
    lengths = np.maximum(stop - start, 0)
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(lengths.sum()) + np.repeat(start - before, lengths))


def _rotation(part: npt.NDArray[np.int64], whole: int) -> npt.NDArray[np.complex128]:
    # e^(2πi part/whole). `part` is reduced as an integer: a float of many turns loses digits.
    return np.asarray(np.exp(2j * math.pi / whole * (part % whole)))
