r"""The audit: from counts of what a program really sent to a verdict on the ε that it claims.

Somebody who runs the program with truths of their own choosing sees how often each report comes
out. The ratio of two such frequencies estimates what the channel promises to bound:

.. math:: \epsilon = \ln \max_{x, x', S} \frac{P(\text{report} \in S \mid x)}
                                              {P(\text{report} \in S \mid x')}.

Both frequencies get an interval of Clopper and Pearson's, exact at every number of samples, so that
their ratio does (Jagielski, Ullman and Oprea 2020, Auditing differentially private machine
learning, section 4). Two verdicts follow. The noise is *really that small* if the lower end reaches
most of the claim: a program that adds more noise than it says spoils estimates. The claim is
*violated* if the lower end exceeds it, at a level at which no honest program ever fails.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.intervals.proportion import clopper_pearson, least_seen
from deniable.analysis.numerics.arrays import FloatArray, IntArray
from deniable.channel import MAX_REPORTS, Channel
from deniable.report import NOT_DRAWN
from deniable.survey import Survey
from deniable.survey.together import Group

ByteArray: TypeAlias = npt.NDArray[np.uint8]

REACH: Final = 0.95
"""The share of the claimed ε that the lower end of its interval must reach."""

ALPHA: Final = 0.01
"""Error of the interval of ε: half of it in each tail of each frequency."""

NEVER: Final = 1e-6
"""Chance with which an honest program is called a liar, or fails to reach its claim."""

SURE: Final = 0.99
"""Chance with which an audit sees what is said to be the least that it sees."""

LEAST_DELAY: Final = 0.005
"""Seconds: less than this is lost in how long a person takes and a network."""

OTHERS: Final = 20_000
"""Samples of a truth that is not one of the two that tell most about ε."""

TOGETHER: Final = 20_000
"""Samples of all items at once at the truths that tell most, and as many at their opposites."""

# All truths of one item that is not at its two telling ones have this many samples between them.
_ALL_OTHERS: Final = 1_000_000
# Every report that a byte can say, "not drawn" among them.
_BYTES: Final = MAX_REPORTS + 1


@dataclass(frozen=True)
class Plan:
    """How to learn an item's ε from the fewest samples.

    `truth`, `other`: the two truths to compare. `event`: the reports to count: those are frequent
    if `truth` is true, and rare if `other` is. `samples`: of each of the two, from people who are
    asked.
    """

    truth: int
    other: int
    event: tuple[int, ...]
    samples: int


def plan(channel: Channel, reach: float = REACH) -> Plan:
    r"""Find the two truths and the reports whose frequencies tell most about ε.

    `channel`: of finite ε. If it is 0, there is nothing to reach, and any two truths are compared.
    `reach`: the share of ε that the lower end is to reach, below 1. Result: with as many samples as
    an honest program needs, except with a chance of `NEVER`. It depends on the channel alone, so
    that the interval is exact.

    Notes
    -----
    The logarithm of a frequency p of n has a standard error of :math:`\sqrt{(1 - p)/(n p)}`. The
    best reports of two truths are the first of those ordered by ratio (Neyman and Pearson): taking
    more of them makes frequencies larger and their ratio smaller, so all such sets are compared.
    """
    table = channel.probabilities
    tail, miss = -scipy.special.ndtri(ALPHA / 2), -scipy.special.ndtri(NEVER)
    best = Plan(0, 1, (0,), OTHERS)
    least = math.inf
    for truth, row in enumerate(table):
        others = np.delete(np.arange(channel.truths), truth)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(row > 0, row / table[others], 0)
        orders = np.argsort(-ratios, axis=1, kind="stable")
        hits = np.cumsum(row[orders], axis=1)[:, :-1]
        rare = np.cumsum(np.take_along_axis(table[others], orders, axis=1), axis=1)[:, :-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            spare = np.log(hits / rare) - reach * channel.epsilon
            one, two = (np.sqrt(np.maximum(1 - p, 0) / p) for p in (hits, rare))
            needed = ((tail * (one + two) + miss * np.hypot(one, two)) / spare) ** 2
        needed[~(spare > 0) | np.isnan(needed)] = math.inf
        place, last = np.unravel_index(np.argmin(needed), needed.shape)
        if needed[place, last] < least:
            least = float(needed[place, last])
            event = tuple(sorted(orders[place, : last + 1].tolist()))
            best = Plan(truth, int(others[place]), event, math.ceil(least))
    return best


def epsilon_interval(
    hits: int, n: int, other_hits: int, other_n: int, alpha: float = ALPHA
) -> tuple[float, float]:
    """Bound the logarithm of a ratio of two frequencies: an end errs with chance `alpha`."""
    (low, other_low), (high, other_high) = clopper_pearson(
        np.array([hits, other_hits]), np.array([n, other_n]), alpha / 2
    )
    return _log_ratio(low, other_high), _log_ratio(high, other_low)


@dataclass(frozen=True)
class ItemVerdict:
    """What the samples say of one item.

    `claimed`: its ε. `low`, `high`: the interval of ε, from the most telling reports of the most
    telling truths. `samples`: of the rarer one of these two truths. `share`: of the claim that
    `low` is to reach. `violation`: the most that ε is at least, over all reports and pairs of
    truths, except with a chance of `NEVER`. `failures`: what is wrong; empty if nothing. `seen`: by
    how much the chance of a report must be too high to be seen.
    """

    id: str
    claimed: float
    low: float
    high: float
    samples: int
    share: float
    violation: float
    failures: tuple[str, ...]
    seen: float = math.inf


@dataclass(frozen=True)
class JointVerdict:
    """What the samples say of several items together.

    `items`: their ids. `claimed`: the sum of their ε. `low`: what they reveal together at least,
    except with a chance of `NEVER`. `seen`: by how much the chance of two reports must be too high
    to be seen.
    """

    items: tuple[str, ...]
    claimed: float
    low: float
    failures: tuple[str, ...]
    seen: float = math.inf


class Samples:
    """Counts of what a program sent for known truths: of each item, of pairs, of all together.

    `plans`: one for each item; None of those that are sent as they are given.
    """

    def __init__(self, survey: Survey, plans: Sequence[Plan | None]) -> None:
        self._survey = survey
        self._plans = tuple(plans)
        self._counts = [
            np.zeros((item.channel.truths, _BYTES), dtype=np.int64) for item in survey.items
        ]
        self._randomised = [place for place, one in enumerate(plans) if one is not None]
        self._events = np.zeros((len(survey.items), _BYTES), dtype=np.bool_)
        for place, one in enumerate(plans):
            if one is not None:
                self._events[place, list(one.event)] = True
        # Of all randomised items, for each of two truths, with and without the event.
        self._pairs = np.zeros((4 * len(self._randomised),) * 2, dtype=np.int64)
        # The same of one report and the next; each is in one such pair.
        self._next = np.zeros_like(self._pairs)
        # Of what is randomised together the first: its event is independent of all others.
        self._always = [
            place
            for place in self._randomised
            if place not in survey.drawn_places
            and not survey.is_drawn_with_another(survey.items[place].question)
        ]
        # How many of the items that are always asked show their event, for either group.
        self._together = np.zeros((2, len(self._always) + 1), dtype=np.int64)
        self.runs = 0

    def add(self, truths: ByteArray, answers: ByteArray) -> None:
        """Count some reports."""
        self.runs += len(truths)
        for counts, truth, answer in zip(self._counts, truths.T, answers.T, strict=True):
            cells = truth.astype(np.intp) * _BYTES + answer
            counts[:] += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
        if self._randomised:
            self._add_joint(truths, answers)

    def _add_joint(self, truths: ByteArray, answers: ByteArray) -> None:
        shown = np.empty(truths.shape, dtype=np.bool_)
        at, opposite = np.zeros_like(shown), np.zeros_like(shown)
        for place in self._randomised:
            found = self._plan(place)
            shown[:, place] = self._events[place][answers[:, place]]
            at[:, place] = truths[:, place] == found.truth
            opposite[:, place] = truths[:, place] == found.other
        asked = answers < np.array(self._survey.report_counts)
        cells = [
            one[:, place] & asked[:, place] & (shown[:, place] == wanted)
            for place in self._randomised
            for one in (at, opposite)
            for wanted in (True, False)
        ]
        # Exact: no entry of a batch's product comes near 2^24.
        indicators = np.array(cells, dtype=np.float32)
        self._pairs += np.rint(indicators @ indicators.T).astype(np.int64)
        earlier, later = indicators[:, : len(truths) // 2 * 2 : 2], indicators[:, 1::2]
        self._next += np.rint(earlier @ later.T).astype(np.int64)
        always = self._always
        for group, one in enumerate((at, opposite)):
            whole = one[:, always].all(axis=1)
            found_together = shown[whole][:, always].sum(axis=1)
            self._together[group] += np.bincount(found_together, minlength=len(always) + 1)

    def items(self, reach: float = REACH) -> list[ItemVerdict | None]:
        """Judge each item by itself."""
        tail = NEVER / max(1, sum(counts.size for counts in self._counts)) / 2
        verdicts = []
        for place, one in enumerate(self._plans):
            if one is None:
                verdicts.append(self._direct(place))
            else:
                verdicts.append(self._item(place, one, reach, tail))
        return verdicts

    def _direct(self, place: int) -> ItemVerdict | None:
        counts = self._counts[place]
        if counts.sum() == np.trace(counts):
            return None
        failure = "it should be sent as it is given, but other reports came"
        id = self._survey.items[place].id
        return ItemVerdict(id, math.inf, math.inf, math.inf, 0, 0, math.inf, (failure,))

    def _item(self, place: int, one: Plan, reach: float, tail: float) -> ItemVerdict:
        item = self._survey.items[place]
        claimed = item.channel.epsilon
        counts = self._counts[place]
        answered = counts[:, : item.channel.reports]
        event = list(one.event)
        n, other_n = (int(answered[truth].sum()) for truth in (one.truth, one.other))
        hits, other_hits = (int(answered[truth, event].sum()) for truth in (one.truth, one.other))
        low, high = epsilon_interval(hits, n, other_hits, other_n)
        sure, _ = epsilon_interval(hits, n, other_hits, other_n, NEVER)
        lows, highs = clopper_pearson(counts, counts.sum(axis=1, keepdims=True), tail)
        violation = max(sure, *map(_log_ratio, lows.max(axis=0), highs.min(axis=0)))
        failures = []
        if violation > claimed:
            failures.append(f"reveals more than it claims: ε is at least {violation:.4f}")
        if claimed and not low >= reach * claimed:
            failures.append(f"more noise than claimed: the audit shows an ε of only {low:.4f}")
        law = self._law(place)
        off = np.argwhere((law < lows) | (law > highs))
        if off.size:
            truth, report = off[0]
            failures.append(
                f"{_report_name(self._survey, place, int(report))} is sent by "
                f"{counts[truth, report] / counts[truth].sum():.2%} of people with "
                f"“{item.truths[truth].text}”, expected {law[truth, report]:.2%}"
            )
        two = [one.truth, one.other]
        seen = least_seen(law[two], counts[two].sum(axis=1, keepdims=True), tail, SURE)
        seen = seen[:, law[two].any(axis=0)].max()
        return ItemVerdict(
            item.id, claimed, low, high, min(n, other_n), reach, violation, tuple(failures), seen
        )

    def _law(self, place: int) -> FloatArray:
        """Return the chance of each byte for each truth, "not drawn" among them."""
        channel = self._survey.items[place].channel
        share = self._survey.asked_shares[place]
        law = np.zeros((channel.truths, _BYTES))
        law[:, : channel.reports] = float(share) * channel.probabilities
        law[:, NOT_DRAWN] += float(1 - share)
        return law

    def pairs(self) -> JointVerdict | None:
        """Judge every two items together: their reports are independent given the truths.

        A draw that is used for two items shows here, and nowhere in each of them alone.
        """
        places = range(len(self._randomised))
        return self._of_two(self._pairs, itertools.combinations(places, 2))

    def in_turn(self) -> JointVerdict | None:
        """Judge each item of a report and each of the next: they are independent as well."""
        places = range(len(self._randomised))
        return self._of_two(self._next, itertools.product(places, places), "the next report's ")

    def _of_two(
        self, counts: IntArray, every: Iterable[tuple[int, int]], whose: str = ""
    ) -> JointVerdict | None:
        tables = counts.reshape((len(self._randomised), 2, 2) * 2)
        together = [pair for pair in every if tables[pair[0], :, :, pair[1]].any()]
        tail = NEVER / (16 * max(1, len(together))) / 2
        judged = [
            self._pair(one, two, tables[one, :, :, two].transpose(0, 2, 1, 3), tail, whose)
            for one, two in together
        ]
        if not judged:
            return None
        nearest = max(judged, key=lambda found: found.low / found.claimed)
        failures = tuple(failure for found in judged for failure in found.failures)
        seen = max(found.seen for found in judged)
        return replace(nearest, failures=failures, seen=seen)

    def _pair(self, one: int, two: int, table: IntArray, tail: float, whose: str) -> JointVerdict:
        places = self._randomised[one], self._randomised[two]
        items = tuple(self._survey.items[place] for place in places)
        ids = (items[0].id, f"{whose}{items[1].id}")
        names = " and ".join(ids)
        is_one = items[0].group == items[1].group and not whose
        group = items[0].group if is_one else None
        claimed = (
            sum(one.channel.epsilon for one in items) if group is None else group.channel.epsilon
        )
        lows, highs = clopper_pearson(table, table.sum(axis=(2, 3), keepdims=True), tail)
        low = max(map(_log_ratio, lows.max(axis=(0, 1)).ravel(), highs.min(axis=(0, 1)).ravel()))
        failures = []
        if low > claimed:
            failures.append(f"{names} reveal more together than both claim: at least {low:.4f}")
        law = self._law_of_two(group, *places)
        # Nothing came of truths that cannot be together, and nothing is known of them.
        if ((law < lows) | (law > highs)).any():
            how = "independent" if group is None else "as their law together"
            failures.append(f"the reports of {names} are not {how} given the truths")
        some = table.sum(axis=(2, 3), keepdims=True)
        seen = least_seen(law, some, tail, SURE)[some[..., 0, 0] > 0].max()
        return JointVerdict(ids, claimed, low, tuple(failures), float(seen))

    def _law_of_two(self, group: Group | None, *places: int) -> FloatArray:
        """Return the chances of both events, for each pair of the two truths of each."""
        items = [self._survey.items[place] for place in places]
        if group is None:
            first, second = (self._event_law(place) for place in places)
            return first[:, np.newaxis, :, np.newaxis] * second[np.newaxis, :, np.newaxis, :]
        cells, channel = group.law(*(item.question for item in items))
        shown = np.array(
            [
                ~self._events[place][list(those)]
                for place, those in zip(places, zip(*cells, strict=True), strict=True)
            ]
        )
        plans = [self._plan(place) for place in places]
        law = np.full((2, 2, 2, 2), np.nan)
        for i, j in np.ndindex(2, 2):
            truth = tuple((one.truth, one.other)[at] for one, at in zip(plans, (i, j), strict=True))
            if truth in cells:
                law[i, j] = 0
                np.add.at(
                    law[i, j], tuple(shown.astype(int)), channel.probabilities[cells.index(truth)]
                )
        return law

    def _event_law(self, place: int) -> FloatArray:
        """Return the chance of the event and of its opposite, for the two truths."""
        found = self._plan(place)
        table = self._survey.items[place].channel.probabilities
        chances = table[[found.truth, found.other]][:, list(found.event)].sum(axis=1)
        return np.stack([chances, 1 - chances], axis=1)

    def all_together(self) -> JointVerdict | None:
        """Judge all items that everybody is asked: what a whole report reveals.

        Result: None if fewer than two items are randomised and asked of everybody.
        """
        if len(self._always) < 2:
            return None
        items = [self._survey.items[place] for place in self._always]
        claimed = sum(item.channel.epsilon for item in items)
        tail = NEVER / (4 * self._together.size)
        all_ = self._together.sum(axis=1, keepdims=True)
        # Having at least so many events, or fewer, tells the two groups apart.
        above = np.cumsum(self._together[:, ::-1], axis=1)[:, ::-1]
        lows, highs = clopper_pearson(np.concatenate([above, all_ - above], axis=1), all_, tail)
        low = max(
            *map(_log_ratio, lows[0], highs[1]),
            *map(_log_ratio, lows[1], highs[0]),
        )
        failures = []
        if low > claimed:
            failures.append(f"all items reveal more together than they claim: at least {low:.4f}")
        laws = np.array([self._event_law(place)[:, 0] for place in self._always])
        law = np.array([_number_of_events(chances) for chances in laws.T])
        lows, highs = clopper_pearson(self._together, all_, tail)
        if ((law < lows) | (law > highs)).any():
            failures.append("the reports of all items are not independent given the truths")
        return JointVerdict(tuple(item.id for item in items), claimed, low, tuple(failures))

    def _plan(self, place: int) -> Plan:
        found = self._plans[place]
        assert found is not None  # noqa: S101  only asked of randomised items
        return found


def delay(differences: Sequence[float]) -> float | None:
    """Find out whether a program waits for something that depends on what is true.

    `differences`: of each pair of visits, by how many seconds the one of whom the first is true
    took longer. Which of a pair came first was drawn by chance. Result: the median difference, if
    it is at least `LEAST_DELAY` either way and so many pairs differ the same way with a chance of
    at most `NEVER` where times do not depend on what is true. That takes 21 pairs.

    Notes
    -----
    Whatever else a machine does meanwhile, drawing which comes first makes each difference as
    likely as its opposite. So the signed ranks of Wilcoxon (1945) have their exact law.
    """
    found = float(np.median(differences)) if len(differences) else 0.0
    if abs(found) < LEAST_DELAY:
        return None
    chance = float(scipy.stats.wilcoxon(differences, method="exact").pvalue)
    return found if chance <= NEVER else None


def samples_needed(survey: Survey, plans: Sequence[Plan | None]) -> list[FloatArray]:
    """Say how many runs each truth of each item needs, so that the plans' samples come."""
    needed = []
    for item, one, share in zip(survey.items, plans, survey.asked_shares, strict=True):
        truths = item.channel.truths
        wanted = 0 if one is None else one.samples
        each = np.full(truths, min(OTHERS, _ALL_OTHERS // truths, max(wanted, 100)), np.float64)
        if one is not None:
            each[[one.truth, one.other]] = wanted
        each += -scipy.special.ndtri(NEVER) * np.sqrt(each)
        needed.append(each / float(share))
    return needed


def _number_of_events(chances: FloatArray) -> FloatArray:
    """Return the distribution of how many of some independent events happen (Poisson binomial)."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


def _log_ratio(numerator: float, denominator: float) -> float:
    if numerator <= 0:
        return -math.inf
    return math.inf if denominator <= 0 else math.log(numerator / denominator)


def _report_name(survey: Survey, place: int, report: int) -> str:
    reports = survey.items[place].reports
    if report < len(reports):
        return f"“{reports[report].text}”"
    return "“not drawn”" if report == NOT_DRAWN else f"byte {report}"
