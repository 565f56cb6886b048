"""Recompute the estimates of this folder from its noisy reports, with numpy and nothing else.

``python reproduce.py`` reads the CSV files beside it. It works out every share, mean and standard
error of estimates.csv again, from reports.csv, channels.csv and codebook.csv, and compares to 1e-9.
It does not search for the ends of the intervals again: it puts each end into the equation that
defines it, and checks that the equation changes its side there, to 1e-6. If there is a
weighted.csv, it makes the weights anew from margins.csv, and checks that file in the same way. It
ends with status 1 and names the line if anything differs.

This program shares no code with the one that wrote the estimates.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Row: TypeAlias = Mapping[str, str]

EXACT: Final = 1e-9
"""How far an estimate or a standard error may be off, relative to itself where it is above 1."""

END: Final = 1e-6
"""How far the end of an interval may be off, relative to the range of what is estimated."""

MOST_LIKELY: Final = 1e-9
"""How far below its greatest value the log-likelihood of a report may be."""

ONE: Final = 2.0**32
"""The weights of a row of a channel sum to this."""

UNCERTAIN: Final = 32
"""The most truths on either side of a tested value; of more, evenly many are taken."""


# ---------------------------------------------------------------- what a channel says


def contributions(channel: Array, values: Array) -> Array:
    """Return what each report adds to an unbiased estimate of the mean of some values.

    `channel` has a row a truth: the chances of its reports. `values` has a row for each mean, and a
    number for each truth. Of all unbiased ones this has the least variance at equal truths.
    """
    weight = channel.sum(axis=0)
    came = weight > 0
    root = np.sqrt(weight[came])
    smallest = 1e-8 if len(channel) > 2 else 4 * float(np.finfo(np.float64).eps)
    found = np.zeros((len(values), len(weight)))
    found[:, came] = values @ np.linalg.pinv(channel[:, came] / root, rcond=smallest).T / root
    return found


def worst_gain(theta: Array, counts: Array, channel: Array) -> float:
    """Return by how much the log-likelihood of a report can exceed that of some shares, at most."""
    seen = counts > 0
    chance = theta @ channel[:, seen]
    if not chance.min() > 0:
        return math.inf
    return float((channel[:, seen] @ (counts[seen] / counts.sum() / chance)).max() - 1)


# ---------------------------------------------------------------- one proportion


def binomial(n: int, p: float) -> Array:
    """Return the chances of 0 to n successes."""
    steps = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    x = np.arange(n + 1)
    chosen = steps[n] - steps - steps[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        log = (
            chosen + np.where(x > 0, x * np.log(p), 0) + np.where(x < n, (n - x) * np.log1p(-p), 0)
        )
    return np.asarray(np.exp(log))


def acceptability(x: int, n: int, p: float, least: float, greatest: float) -> float:
    """Return the chance of all whose likelihood ratio is at most that of x of n.

    It is of p to the best possible probability: see Feldman and Cousins (1998), section 4.
    """
    y = np.arange(n + 1)
    ratio = _log_likelihood(y, n, p) - _log_likelihood(y, n, np.clip(y / n, least, greatest))
    return float(binomial(n, p)[ratio <= ratio[x] + 1e-9].sum())


def _log_likelihood(y: npt.NDArray[np.int64], n: int, p: Array | float) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        yes, no = y * np.log(p), (n - y) * np.log1p(-np.asarray(p))
    return np.asarray(np.where(y > 0, yes, 0) + np.where(y < n, no, 0))


def feldman_cousins_end_fits(
    end: float, x: int, n: int, level: float, near: float, least: float, greatest: float
) -> bool:
    """Tell whether the lower end of their interval of a probability is where it should be."""
    if x <= n * least:  # all of them are accepted, and the interval holds its estimate
        return abs(end - x / n) <= near
    inside = [min(end + near * part, greatest) for part in (1e-6, 1e-4, 1e-2, 0.1, 0.3, 1.0)]
    below = end - near
    outside = np.linspace(below, least, 12)[: 12 if below > least else 0]
    return (
        end >= least - near
        and any(acceptability(x, n, p, least, greatest) >= 1 - level - 1e-9 for p in inside)
        and all(acceptability(x, n, p, least, greatest) <= 1 - level for p in outside)
    )


def beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by a continued fraction (DLMF 8.17.22)."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(1 - x, b, a)
    found = 1.0
    for m in range(100 + int(10 * math.sqrt(a + b)), 0, -1):
        found = 1 + m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) / found
        k = m - 1
        found = 1 - (a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)) / found
    log = math.lgamma(a + b) - math.lgamma(a + 1) - math.lgamma(b)
    return math.exp(log + a * math.log(x) + b * math.log1p(-x)) / found


def t_squared(degrees_of_freedom: float, level: float) -> float:
    """Return the square of the quantile of t that leaves half of what is not sure to each side."""
    x = _bisect(lambda x: beta(x, degrees_of_freedom / 2, 0.5) < 1 - level, 0.0, 1.0)
    return degrees_of_freedom * (1 - x) / x


def exact_interval(x: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's interval of a probability; the numbers need not be whole."""
    tail = (1 - level) / 2

    def low(successes: float) -> float:
        if successes <= 0:
            return 0.0
        return _bisect(lambda p: beta(p, successes, n - successes + 1) < tail, 0.0, 1.0)

    return low(x), 1 - low(n - x)


def _bisect(before: Callable[[float], bool], start: float, stop: float, times: int = 80) -> float:
    """Return where a statement that holds at the start, and not at the stop, ends to hold."""
    for _ in range(times):
        middle = (start + stop) / 2
        if before(middle):
            start = middle
        else:
            stop = middle
    return (start + stop) / 2


# ---------------------------------------------------------------- inverted tails


@dataclass(frozen=True)
class Quantity:
    """A ratio of two means over the truths, of which a share and a mean are those to 1.

    Its interval holds the values that a test does not reject. At a value v, the most likely truths
    among those of this ratio say how the reports are distributed, and the tails are the chances of
    a sum of g - v h at least as far from 0 as the one that came.
    """

    counts: Array
    channel: Array
    numerator: Array
    denominator: Array
    level: float

    @cached_property
    def g(self) -> tuple[Array, Array]:
        """What a report adds to the numerator and to the denominator."""
        g, h = contributions(self.channel, np.stack([self.numerator, self.denominator]))
        return g, np.ones_like(g) if self.is_mean else h

    @property
    def divisor(self) -> Quantity:
        """What it is divided by, at the level of 95 %."""
        ones = np.ones_like(self.denominator)
        return replace(self, numerator=self.denominator, denominator=ones, level=0.95)

    @cached_property
    def estimated(self) -> tuple[float, float]:
        """The estimate and its standard error; nan where they are not known.

        The noise is known: the variance is never taken for less than what the noise alone gives to
        some truth.
        """
        (g, h), n = self.g, self.counts.sum()
        people = float(h @ self.counts / n)
        if not people > 0:
            return math.nan, math.nan
        found = float(g @ self.counts / n) / people
        if n == 1:
            return found, math.nan
        added = (g - found * h) / people
        expected = (self.numerator - found * self.denominator) / people
        sample = float(added**2 @ self.counts / (n - 1))
        noise = max(float((self.channel @ added**2 - expected**2).min()), 0.0)
        return found, math.sqrt(max(sample, noise) / n)

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over all people, and no ratio."""
        return bool((self.denominator == 1).all())

    @property
    def may_be_nothing(self) -> bool:
        """Whether the interval of a share holds 0."""
        return not self.estimated[0] > 0 or self.excess(0.0)[0] >= 0

    @cached_property
    def agreeing(self) -> float:
        """A possible value that the reports do not reject; nan if none is looked for."""
        estimate = self.estimated[0]
        inside = min(max(estimate, self.range[0]), self.range[1])
        if not math.isnan(estimate) and min(self.excess(inside)) >= 0:
            return inside
        theta = most_likely(self.channel, self.counts / self.counts.sum(), 0 * self.numerator)
        people = float(theta @ self.denominator)
        if not people > 1e-9:
            return math.nan
        value = float(theta @ self.numerator) / people
        return value if min(self.excess(value)) >= 0 else math.nan

    @cached_property
    def possible(self) -> Array:
        """The values that it has for one truth each."""
        some = self.denominator > 0
        return np.asarray(np.unique(self.numerator[some] / self.denominator[some]))

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value that is possible."""
        return float(self.possible[0]), float(self.possible[-1])

    def excess(self, v: float) -> tuple[float, float]:
        """Return by how much each tail exceeds half of what the interval may miss.

        First the upper tail, which bounds the interval from below, then the lower tail. Past an end
        of its range a ratio is ruled out; the noise there says how far a mean may lie beyond.
        """
        tail = (1 - self.level) / 2
        inside = min(max(v, self.range[0]), self.range[1])
        chance = self._reports(inside)
        if chance is None:
            return -tail, -tail
        g, h = self.g
        came = self.channel.any(axis=0)
        lower, upper = self._tails(
            chance[came], (g - inside * h)[came], self.counts[came], v - inside
        )
        if not self.is_mean:
            upper, lower = (upper if v >= inside else 0.0), (lower if v <= inside else 0.0)
        return upper - tail, lower - tail

    def _tails(self, P: Array, g: Array, counts: Array, moved: float) -> tuple[float, float]:
        n = round(float(counts.sum()))
        step, index, first, chance, centre = sum_distribution(P, g, n)
        place = float(counts @ index) - first - n * moved / step
        nearer = math.sqrt(n / (n + 1)) if len(self.possible) > 2 else 1.0
        drawn = centre + nearer * (place - centre)  # in the tail on whose side it lies
        last = math.floor(min(max(max(place, drawn) + 1e-6, -1), len(chance)))
        begin = math.ceil(min(max(min(place, drawn) - 1e-6, 0), len(chance)))
        return float(chance[: last + 1].sum()), float(chance[begin:].sum())

    def _reports(self, v: float) -> Array | None:
        """Return the most likely distribution of the reports at a value, None if there is none."""
        f = self.numerator - v * self.denominator
        scale = 1e-12 * float(np.ptp(f))
        zero = np.flatnonzero(np.abs(f) <= scale)
        sides = [np.flatnonzero(f < -scale), np.flatnonzero(f > scale)]
        if not np.array_equal(self.channel, np.eye(len(f))):
            sides = [_thinned(side, f) for side in sides]
        used = np.concatenate([zero, *sides]) if all(map(len, sides)) else zero
        rows = self.channel[used]
        if not rows[:, self.counts > 0].any(axis=0).all():
            return None
        return np.asarray(most_likely(rows, self.counts / self.counts.sum(), f[used]) @ rows)

    def end_fits(self, method: str, end: float, side: int) -> bool:
        """Tell whether an end, the lower (0) or the upper (1), is where its equation says."""
        estimate, limit = self.estimated[0], self.range[side]
        if method == "feldman-cousins":
            low, high, x, n = self.proportion
            p, *possible = (np.array([end, *self.range]) - low) / (high - low)
            near, x, n = END * (possible[1] - possible[0]), round(x), round(n)
            if side == 1:
                p, x, possible = 1 - p, n - x, [1 - possible[1], 1 - possible[0]]
            return feldman_cousins_end_fits(p, x, n, self.level, near, *possible)
        span = self.range[1] - self.range[0]
        span = max(span, abs(estimate - limit)) if self.is_mean else span
        if method == "exact":
            return abs(end - self.interval(method)[side]) <= END * (span + abs(end))
        # Two sums are the same if they differ by less than a millionth of a step.
        ties = 2e-9 * float(np.ptp(self.g[0][self.channel.any(axis=0)]))
        near = (1.01 * END * (span + abs(end)) + ties) * (1 if side else -1)
        # That of a mean holds its estimate, wherever that is, and may hold nothing else.
        is_there = self.is_mean and abs(end - estimate) <= abs(near)
        holds = is_there or self.excess(end - near)[side] >= 0
        if abs(end - limit) <= abs(near):
            holds = holds or self.excess(limit)[side] >= -1e-9
            # That of a ratio is all that is possible where no value agrees with the reports.
            holds = holds or (not self.is_mean and math.isnan(self.agreeing))
        return holds and self.excess(end + near)[side] < 0

    @cached_property
    def proportion(self) -> tuple[float, float, float, float]:
        """The two values of a report, how often the greater came, and n."""
        came = self.channel.any(axis=0)
        g, counts = self.g[0][came], self.counts[came]
        large = g > (g.min() + g.max()) / 2
        low, high = float(g[~large].mean()), float(g[large].mean())
        return low, high, float(counts[large].sum()), float(counts.sum())

    def interval(self, method: str) -> tuple[float, float]:
        """Search for the ends, for what is made of them."""
        low, high = self.range
        if method == "tail":
            return self._end(low - high, 0), self._end(high - low, 1)
        low, high, x, n = self.proportion
        first, last = exact_interval(x, n, self.level)
        return low + (high - low) * first, low + (high - low) * last

    def _end(self, step: float, side: int) -> float:
        estimate, limit = self.estimated[0], self.range[side]
        if not self.is_mean:
            if math.isnan(self.agreeing) or self.excess(limit)[side] >= 0:
                return limit
            return _bisect(lambda v: self.excess(v)[side] >= 0, self.agreeing, limit, 30)
        outside = estimate + step
        while self.excess(outside)[side] >= 0:
            outside += step
        return _bisect(lambda v: self.excess(v)[side] >= 0, estimate, outside, 30)


def _thinned(side: npt.NDArray[np.intp], f: Array) -> npt.NDArray[np.intp]:
    if len(side) <= UNCERTAIN:
        return side
    ascending = side[np.argsort(f[side])]
    return ascending[np.linspace(0, len(side) - 1, UNCERTAIN).round().astype(np.intp)]


def most_likely(rows: Array, w: Array, f: Array) -> Array:
    """Return the most likely shares of some truths among those at which f has mean 0.

    An interior-point method: each step solves the conditions for a maximum, with a barrier that
    becomes lower and lower.
    """
    if len(rows) == 1:
        return np.ones(1)
    seen = w > 0
    R, w = rows[:, seen], w[seen]
    scale = np.abs(f).max()
    below, above = f < -1e-12 * scale, f > 1e-12 * scale
    theta = np.ones(len(f))
    if below.any():
        up, down = f[above].mean(), -f[below].mean()
        theta[below], theta[above] = up / below.sum(), down / above.sum()
        theta[below | above] *= len(f) / (up + down)
        A = np.stack([np.ones(len(f)), f / scale])
    else:
        A = np.ones((1, len(f)))
    theta /= theta.sum()
    z = 1 / (len(f) * theta)
    for _ in range(300):
        mu = float(theta @ z) / len(f)
        if mu < 1e-17:
            break
        P = theta @ R
        target = 0.1 * mu
        H = (R * (w / P**2)) @ R.T + np.diag(z / theta)
        slope = R @ (w / P) + target / theta
        zeros = np.zeros((len(A), len(A)))
        step = np.linalg.solve(
            np.block([[H, A.T], [A, zeros]]), np.concatenate([slope, np.zeros(len(A))])
        )[: len(f)]
        change = (target - z * step) / theta - z
        length = min(_room(theta, step), _room(z, change))
        theta, z = theta + length * step, z + length * change
    return theta


def _room(x: Array, step: Array) -> float:
    """Return how much of a step leaves everything above 0."""
    falls = step < 0
    return min(1.0, 0.99 * float((-x[falls] / step[falls]).min())) if falls.any() else 1.0


def sum_distribution(
    P: Array, g: Array, n: int
) -> tuple[float, npt.NDArray[np.int64], int, Array, float]:
    """Return the distribution of the sum of g over n reports, by the fast Fourier transform.

    It is the step to whose multiples g is rounded, that multiple of each report, where the window
    begins, the chance of each multiple in the window, and where in it the mean is.
    """
    centre = float(P @ g)
    variance = float(P @ (g - centre) ** 2)
    greatest = float(np.ptp(g))
    c = math.log(2 / 1e-13)  # Bernstein: the sum is outside of the window with a chance of 1e-13
    reach = greatest * c / 3 + math.hypot(greatest * c / 3, math.sqrt(2 * n * variance * c))
    reach = min(reach, n * greatest) or 1.0
    steps = 2**11
    while True:
        step = 2 * reach / (steps - 4)
        rounded = np.ceil((g - g.min()) / step - 0.5 - 1e-6)  # of halves the lower
        lost = g - step * rounded
        if float(P @ lost**2 - (P @ lost) ** 2) <= 1e-3 * variance or steps == 2**20:
            break
        steps *= 2
    index = rounded.astype(np.int64)
    one = np.bincount(index % steps, weights=P, minlength=steps)
    chance = np.fft.irfft(np.fft.rfft(one) ** n, steps)
    middle = n * float(P @ index)
    first = round(middle) - steps // 2
    return step, index, first, np.roll(chance, -(first % steps)), middle - first


# ---------------------------------------------------------------- the files


@dataclass(frozen=True)
class Item:
    """What was asked, and how often each report came: in all, or in each wave.

    `sent`: which report stands in each row, -1 for none.
    """

    published: str
    truths: Sequence[str]
    channel: Array
    numbers: Array
    skipped: int | None
    direct: bool
    sent: npt.NDArray[np.intp]
    counts: Mapping[str, Array]


def read(file: Path) -> list[dict[str, str]]:
    """Read a CSV; each row says by which names its cells are called."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [*csv.DictReader(lines)]


def items(folder: Path, *, in_waves: bool) -> dict[str, Item]:
    """Read what was asked, and count the reports: in all, or in each wave."""
    codebook: dict[str, list[Row]] = {}
    for row in read(folder / "codebook.csv"):
        codebook.setdefault(row["item"], []).append(row)
    weights: dict[str, list[Row]] = {}
    for row in read(folder / "channels.csv"):
        weights.setdefault(row["item"], []).append(row)
    reports = read(folder / "reports.csv")
    waves = [row["wave"].removeprefix("wave_") if in_waves else "" for row in reports]
    of_wave = [*zip(waves, reports, strict=True)]
    # The codebook has the column of the wave as well, which is no item.
    return {name: _item(codebook[name], weights[name], of_wave) for name in weights}


def _item(rows: Sequence[Row], weights: Sequence[Row], reports: Sequence[tuple[str, Row]]) -> Item:
    truths = [row for row in rows if row["role"] == "truth"]
    codes = [row["code"] for row in rows if row["role"] == "report"]
    number = {code: place for place, code in enumerate(codes)}
    places = {row["code"]: place for place, row in enumerate(truths)}
    channel = np.zeros((len(truths), len(codes)))
    for row in weights:
        channel[places[row["truth"]], number[row["report"]]] = int(row["weight"]) / ONE
    counts, sent = dict[str, Array](), np.full(len(reports), -1)
    for at, (wave, report) in enumerate(reports if rows[0]["published"] != "no" else ()):
        of_wave = counts.setdefault(wave, np.zeros(len(codes)))
        cells = [report[column] for column in rows[0]["column"].split("+")]
        if all(cells):  # several of questions that were randomised as one answer
            sent[at] = number["+".join(cells)]
            of_wave[sent[at]] += 1
    skipped = [place for place, row in enumerate(truths) if row["skipped"] == "true"]
    return Item(
        rows[0]["published"],
        [row["code"] for row in truths],
        channel,
        np.array([float(row["number"] or "nan") for row in truths]),
        skipped[0] if skipped else None,
        rows[0]["protection"] == "direct",
        sent,
        counts,
    )


@dataclass(frozen=True)
class Sample:
    """Of some rows, what each counts for, and which answer to each margin it gave."""

    rows: npt.NDArray[np.intp]
    weights: Array
    groups: Sequence[npt.NDArray[np.intp]]

    def may_be_nothing(self, item: Item, quantity: Quantity) -> bool:
        """Tell whether the interval of what a ratio is divided by holds 0."""
        people = quantity.divisor
        came = people.channel.any(axis=0)
        g = np.sort(people.g[0][came])
        is_one = int((np.diff(g) > 1e-9 * np.ptp(g)).sum()) == 1
        _, _, alike = self.numbers("exact" if is_one else "tail", item, people)
        return alike.interval("exact")[0] <= EXACT if is_one else alike.may_be_nothing

    def numbers(self, method: str, item: Item, quantity: Quantity) -> tuple[float, float, Quantity]:
        """Return standard error and design effect, and the same of people who count alike."""
        sent = item.sent[self.rows]
        if len(quantity.counts) < item.channel.shape[1] and item.skipped is not None:
            sent = np.where(sent == item.skipped, -1, sent - (sent > item.skipped))
        asked = sent >= 0
        w, (g, h), n = np.where(asked, self.weights, 0), quantity.g, int(asked.sum())
        people, estimate = float(w.sum()), quantity.estimated[0]
        divisor = float(w @ h[sent])
        # What each adds to the error, less what the margins explain, by least squares.
        apart = np.where(asked, (g - estimate * h)[sent], 0) / divisor
        of = np.hstack([np.eye(group.max() + 1)[group] for group in self.groups])
        known = w * apart / self.weights
        z = self.weights * (known - of @ np.linalg.lstsq(of, known, rcond=None)[0])
        expected = quantity.numerator - estimate * quantity.denominator
        added = quantity.channel @ (g - estimate * h) ** 2 - expected**2
        least = max(float(added.min()), 0.0) / divisor**2
        variance = len(z) / (len(z) - 1) * float(((z - z.mean()) ** 2).sum())
        variance = max(variance, least * float(w @ w))
        single = people * float(w @ apart**2) * n / max(n - 1, 1)
        effect = variance * n / single if single > 0 else math.nan
        kish, df = people**2 / float(w @ w), float((w @ w) ** 2 / (w**4).sum()) - 1
        size = min(kish, max(single, people**2 * least) / variance) if variance > 0 else kish
        size *= t_squared(max(n - 1, df), quantity.level) / t_squared(df, quantity.level)
        size = max(math.floor(size), 1) if method == "tail" else size
        alike = replace(quantity, counts=quantity.counts * (size / quantity.counts.sum()))
        return math.sqrt(variance), effect if effect >= EXACT else math.nan, alike


def samples(folder: Path, known: Mapping[str, Item], *, in_waves: bool) -> dict[str, Sample]:
    """Read who is weighed in all, or in each wave, and rake them to the margins."""
    reports, parts = read(folder / "reports.csv"), dict[str, Array]()
    for line, row in enumerate(read(folder / "margins.csv"), start=2):
        try:
            truths = known[row["question"]].truths
            of = parts.setdefault(row["question"], np.zeros(len(truths)))
            of[truths.index(row["answer"])] = float(row["people"])
        except (KeyError, TypeError, ValueError):
            sys.exit(f"margins.csv, line {line}: expected question, answer and people, found {row}")
    waves = [row["wave"].removeprefix("wave_") if in_waves else "" for row in reports]
    found = {}
    for wave in dict.fromkeys(waves):
        some = [all(known[name].sent[at] >= 0 for name in parts) for at in range(len(reports))]
        rows = np.flatnonzero(np.array(some) & (np.array(waves) == wave))
        groups, w = [known[name].sent[rows] for name in parts], np.ones(len(rows))
        for _ in range(1000 if len(rows) else 0):
            before = w
            for group, part in zip(groups, parts.values(), strict=True):
                sums = np.bincount(group, w, len(part))
                w = w * (part * len(rows) / np.where(sums > 0, sums, 1))[group]
            if np.abs(w - before).max() <= 1e-13:
                break
        found[wave] = Sample(rows, w, groups)
    return found


# ---------------------------------------------------------------- the checks


ALIKE: Final[Mapping[str, Sample]] = {}
"""Everybody counts alike."""


class Check:
    """Compares the rows of estimates.csv, and keeps what it found."""

    def __init__(
        self, rows: Sequence[Row], known: Mapping[str, Item], samples: Mapping[str, Sample] = ALIKE
    ) -> None:
        self.rows = rows
        self.samples = samples
        self.known = known
        self.passed: dict[str, int] = {}
        self.failed: list[str] = []
        self.left_out: dict[str, str] = {}

    def run(self) -> None:
        """Check each row."""
        for line, row in enumerate(self.rows, start=2):
            item = self.known[row["item"]]
            if item.published != "yes":
                why = "published in part only" if item.published == "partly" else "not published"
                self.left_out[row["item"]] = f"its column is {why}"
                continue
            where = f"line {line} ({row['item']} {row['answer']} {row['statistic']})"
            if row["statistic"].startswith("change"):
                self._change(where, row, item)
            else:
                self._one(where, row, item)
        self._most_likely()

    def _one(self, where: str, row: Row, item: Item) -> None:
        counts = item.counts.get(row.get("wave", ""), np.zeros(item.channel.shape[1]))
        sample = self.samples.get(row.get("wave", ""))
        n = counts.sum() if sample is None else (item.sent[sample.rows] >= 0).sum()
        self._same(where, "n", row["n"], float(n))
        if not counts.any() or not (row["estimate"] or row["low"]):
            return
        quantity = _quantity(row, item, counts)
        nothing = _divided_by_nothing(quantity, item, sample)
        estimate, error = quantity.estimated
        if sample is not None:
            error, effect, quantity = sample.numbers(row["method"], item, quantity)
            effect = math.nan if nothing else effect
            self._same(where, "design_effect", row["design_effect"], effect)
            self._same(where, "effective_n", row["effective_n"], n / effect)
        estimate, error = (math.nan, math.nan) if nothing else (estimate, error)
        self._same(where, "estimate", row["estimate"], estimate)
        self._same(where, "standard_error", row["standard_error"], error)
        if row["observed"]:
            seen = quantity.counts[quantity.numerator.argmax()] / quantity.counts.sum()
            self._same(where, "observed", row["observed"], float(seen))
        least, greatest = quantity.range
        self._same(where, "clipped", row["clipped"], min(max(estimate, least), greatest))
        self._narrow(where, row, least, greatest)
        for side, name in enumerate(("low", "high") if row["low"] else ()):
            fits = quantity.end_fits(row["method"], float(row[name]), side)
            self._told(f"ends of {row['method']} intervals", fits, f"{where}: {name} {row[name]}")

    def _change(self, where: str, row: Row, item: Item) -> None:
        both = [_quantity(row, item, item.counts[wave]) for wave in (row["since"], row["wave"])]
        (first, first_error), (second, second_error) = (one.estimated for one in both)
        if not (row["estimate"] or row["low"]):
            return
        nothing = any(_divided_by_nothing(one, item, None) for one in both)
        change = math.nan if nothing else second - first
        self._same(where, "estimate", row["estimate"], change)
        error = math.nan if nothing else math.hypot(first_error, second_error)
        self._same(where, "standard_error", row["standard_error"], error)
        if not row["low"]:
            return
        span = float(np.ptp(both[1].range))
        self._narrow(where, row, -span, span)
        (l1, u1), (l2, u2) = (one.interval(row["method"]) for one in both)
        low, high = l2 - u1, u2 - l1
        if not nothing:
            low = change - math.hypot(max(second - l2, 0), max(u1 - first, 0))
            high = change + math.hypot(max(u2 - second, 0), max(first - l1, 0))
        if not both[0].is_mean:
            low, high = max(low, -span), min(high, span)
        for name, end in (("low", low), ("high", high)):
            near = 4 * END * (span + abs(end))
            fits = abs(float(row[name]) - end) <= near
            self._told("ends of changes", fits, f"{where}: {name} {row[name]}, expected {end}")

    def _narrow(self, where: str, row: Row, least: float, greatest: float) -> None:
        """Check whether less than a third of an interval is possible."""
        if not row["low"]:
            return
        low, high = float(row["low"]), float(row["high"])
        if row["estimate"]:  # a ratio's may lie outside of the interval
            low, high = min(low, float(row["estimate"])), max(high, float(row["estimate"]))
        first, last = max(low, least), min(high, greatest)
        expected = row["method"] != "feldman-cousins" and (
            (first, last) != (least, greatest) and last - first < (high - low) / 3
        )
        self._told("narrow", (row["narrow"] == "true") == expected, f"{where}: narrow")

    def _most_likely(self) -> None:
        """Check of the most likely shares that no others are more likely."""
        found: dict[tuple[str, str], list[tuple[int, Row]]] = {}
        for line, row in enumerate(self.rows, start=2):
            if row["statistic"] == "share" and row["maximum_likelihood"]:
                found.setdefault((row["item"], row.get("wave", "")), []).append((line, row))
        for (name, wave), rows in found.items():
            item = self.known[name]
            if item.published != "yes" or len(rows) < len(item.truths):
                continue
            theta = np.array([float(row["maximum_likelihood"]) for _, row in rows])
            fits = (
                theta.min() >= -EXACT
                and abs(theta.sum() - 1) <= EXACT
                and worst_gain(theta, item.counts[wave], item.channel) <= MOST_LIKELY
            )
            where = f"line {rows[0][0]} ({name}): maximum_likelihood"
            self._told("most likely distributions", fits, where)
            self._from_most_likely(name, wave, item, theta)

    def _from_most_likely(self, name: str, wave: str, item: Item, theta: Array) -> None:
        for line, row in enumerate(self.rows, start=2):
            if (row["item"], row.get("wave", "")) != (name, wave) or not row["maximum_likelihood"]:
                continue
            where = f"line {line} ({name} {row['answer']} {row['statistic']})"
            if row["statistic"] == "mean":
                given = ~np.isnan(item.numbers)
                expected = theta[given] @ item.numbers[given] / theta[given].sum()
            elif row["statistic"] == "share_if_applies" and item.skipped is not None:
                expected = theta[item.truths.index(row["answer"])] / (1 - theta[item.skipped])
            else:
                continue
            # As precise as the distribution, which is certain in its likelihood only.
            near = END * max(1.0, abs(expected))
            fits = abs(float(row["maximum_likelihood"]) - expected) <= near
            self._told("numbers from them", fits, f"{where}: maximum_likelihood")

    def _same(self, where: str, name: str, found: str, expected: float) -> None:
        if not found:
            fits = math.isnan(expected)
        else:
            fits = abs(float(found) - expected) <= EXACT * max(1.0, abs(expected))
        self._told(name, fits, f"{where}: {name} {found or 'empty'}, expected {expected}")

    def _told(self, kind: str, fits: bool, what: str) -> None:
        if fits:
            self.passed[kind] = self.passed.get(kind, 0) + 1
        else:
            self.failed.append(what)


def _quantity(row: Row, item: Item, counts: Array) -> Quantity:
    level, ones, each = float(row["level"]), np.ones(len(item.truths)), np.eye(len(item.truths))
    if row["statistic"].endswith("mean"):
        given = ~np.isnan(item.numbers)
        numbers = np.where(given, item.numbers, 0.0)
        return Quantity(counts, item.channel, numbers, given.astype(float), level)
    truth = item.truths.index(row["answer"])
    if row["statistic"] != "share_if_applies" or item.skipped is None:
        return Quantity(counts, item.channel, each[truth], ones, level)
    if item.direct:  # who was asked is known, so that they are a sample by themselves
        asked, one = (np.delete(of, item.skipped) for of in (counts, each[truth]))
        return Quantity(asked, np.eye(len(one)), one, np.ones(len(one)), level)
    return Quantity(counts, item.channel, each[truth], 1 - each[item.skipped], level)


def _divided_by_nothing(quantity: Quantity, item: Item, sample: Sample | None) -> bool:
    """Tell whether it is a ratio, and so without an estimate, to what may be nothing."""
    if quantity.is_mean:
        return False
    if sample is None:
        return quantity.divisor.may_be_nothing
    return sample.may_be_nothing(item, quantity)


def lines(check: Check) -> Iterator[str]:
    """Say what was found."""
    for kind, count in sorted(check.passed.items()):
        yield f"{count:>6} {kind}: the same"
    for name, why in check.left_out.items():
        yield f"       {name}: not checked, because {why}"
    for what in check.failed:
        yield f"DIFFERS: {what}"
    yield "All is as it should be." if not check.failed else f"{len(check.failed)} differ."


def weighted(folder: Path, known: Mapping[str, Item], *, in_waves: bool) -> Check:
    """Check the weights of reports.csv, and weighted.csv."""
    each = samples(folder, known, in_waves=in_waves)
    counted = {
        name: replace(
            item,
            published="no" if item.published == "no" else "yes",
            counts={
                wave: np.bincount(
                    sent[sent >= 0], sample.weights[sent >= 0], len(item.channel.T)
                ).astype(np.float64)
                for wave, sample in each.items()
                for sent in [item.sent[sample.rows]]
            },
        )
        for name, item in known.items()
    }
    check = Check(read(folder / "weighted.csv"), counted, each)
    w = np.full(len(next(iter(known.values())).sent), np.nan)
    for sample in each.values():
        w[sample.rows] = sample.weights
    for line, row in enumerate(read(folder / "reports.csv"), start=2):
        check._same(f"reports.csv, line {line}", "weight", row["Weight"], float(w[line - 2]))
    check.run()
    return check


def main(folder: Path) -> int:
    """Check the files of a folder; return 1 if anything differs."""
    rows = read(folder / "estimates.csv")
    known = items(folder, in_waves="wave" in rows[0])
    check = Check(rows, known)
    check.run()
    sys.stdout.write("\n".join([*lines(check), ""]))
    if (folder / "weighted.csv").exists():
        more = weighted(folder, known, in_waves="wave" in rows[0])
        sys.stdout.write("\n".join(["weighted.csv", *lines(more), ""]))
        check.failed += more.failed
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent)))
