r"""Surveys in waves: a permanent noisy answer, and a fresh draw from it in each wave.

With *P* the channel that the survey's budget pays for, a device draws for each truth *x* of an
item a noisy answer :math:`B_x` once and for good, by row *x* of *P*. Its report in a wave is
drawn from the noisy answer to the current truth, by the instantaneous channel *I*: the noisy
answer itself, or with a small probability one of the others, all equally likely. (Memoisation, as
in Erlingsson, Pihur and Korolova 2014, RAPPOR, section 3, for any channel.)

Three statements follow, for one item; for several, whose chance is independent, the ε add up.

1. *One report.* It is drawn by the product :math:`C = P I`, whose ε is at most that of *P*.
2. *All reports ever, while the answer stays the same*: longitudinal privacy, as RAPPOR calls it.
   Each report is a function of :math:`B_x` and of fresh chance, which do not depend on *x* given
   :math:`B_x`: any function of the reports reveals at most what :math:`B_x` does, the ε of *P*, in
   any number of waves.
3. *All reports of T waves after any history*: whatever changes between them, even together with all
   noisy answers that the device keeps. Given these the reports are independent, each drawn by a row
   of *I*. For any two histories of truths the ratio of their probabilities is at most
   :math:`e^{\epsilon(I)}` in each wave: :math:`T \epsilon(I)` in all. The device draws the noisy
   answers for *all* truths, whichever is true, so they reveal nothing. There is no bound if *I* is
   the identity: two different reports then show that the answer changed.

A device that forgets its noisy answers draws them anew, and then statement 2 does not hold. Of *m*
reports by one noisy answer, while the answer stays the same, those that are all *a* say most: with
:math:`w` the chance of another report than the kept one by *I*, divided by that of the kept one,
and to the power of *m*, their ratio is :math:`(w + (1 - w) P_{xa}) / (w + (1 - w) P_{ya})`.
Nobody knows when a browser forgets: the bound is the greatest product over all ways to divide the
*T* waves. Mostly that is :math:`T \epsilon(C)`, all of them drawn anew.

Where other people answer each wave, a device sends one report and keeps no noise: then nothing of
this is needed, and that report costs what it does in a survey that is asked once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from deniable import exact
from deniable.channel import ROW_SUM, Channel, keeping

COLUMN: Final = "wave"
"""The name of the wave column in a file of reports."""

OTHERS: Final = "others"
"""The value of the key ``people`` where other people answer each wave."""

MAX_WAVES: Final = 254
"""The most waves: the wave of a report is one byte."""


def code_of(wave: int) -> str:
    """Return the code of a wave in the column `COLUMN`."""
    return f"wave_{wave}"


@dataclass(frozen=True)
class Memory:
    """The channels by which a device remembers an item from wave to wave.

    `permanent`: *P*, the channel of the noisy answers that a device keeps. `redraw`: the weight, of
    2^32, with which a report is each one of the answers that are not kept, less than the weight of
    the kept one.
    """

    permanent: Channel
    redraw: int

    def __post_init__(self) -> None:
        most = ROW_SUM // self.permanent.reports
        if type(self.redraw) is not int or not 0 <= self.redraw < most:
            raise ValueError(f"expected a redraw of 0 to {most - 1}, found {self.redraw!r}")

    @property
    def instantaneous(self) -> Channel:
        """*I*: the channel of a report, given the kept noisy answer."""
        return keeping(self.permanent.reports, self.redraw)

    @property
    def flip(self) -> float:
        """The probability that a report is not the kept noisy answer."""
        return (self.permanent.reports - 1) * self.redraw / ROW_SUM

    def compose(self) -> Channel:
        """Return *C*: the channel of one report, given the truth.

        Each entry of the product is rounded to the nearest integer, and a row's largest entry takes
        up the rounding error, as in `Channel.from_probabilities`: equal chances stay equal.
        """
        rows = []
        for row in self._products():
            weights = [(product + ROW_SUM // 2) // ROW_SUM for product in row]
            weights[weights.index(max(weights))] += ROW_SUM - sum(weights)
            rows.append(weights)
        return Channel(rows)

    @property
    def one_report_millionths(self) -> int | None:
        """ε of one report in millionths, by the product before rounding; None if unbounded."""
        columns = list(zip(*self._products(), strict=True))
        if any(min(column) == 0 < max(column) for column in columns):
            return None
        ratios = [Fraction(max(column), min(column)) for column in columns if max(column)]
        return exact.log_millionths(max(ratios))

    @property
    def any_history_millionths(self) -> int | None:
        """ε of a wave's report in millionths, given the noisy answers; None if unbounded."""
        return self.instantaneous.epsilon_millionths

    def forgotten(self, waves: int) -> float:
        """Return ε of the reports of so many waves, whenever the device forgets its noisy answers.

        While the answer stays the same. It is for people to read, and decides nothing.
        """
        return _forgotten(self, waves)

    def _products(self) -> list[list[int]]:
        """Return the rows of the product of the two tables, exactly: each sums to 2^64."""
        reports = self.permanent.reports
        # A report is any answer, each with the same weight, or else the kept answer.
        rest = ROW_SUM - reports * self.redraw
        return [
            [self.redraw * ROW_SUM + weight * rest for weight in row]
            for row in self.permanent.weights
        ]

    def draw(self, words: Sequence[int]) -> tuple[int, ...]:
        """Draw the noisy answer to each truth, by one 32-bit word for each."""
        return tuple(self.permanent.sample(truth, int(word)) for truth, word in enumerate(words))


@lru_cache(maxsize=256)
def _forgotten(memory: Memory, waves: int) -> float:
    rows, others = memory.permanent.weights, memory.permanent.reports - 1
    ends = {(max(column) / ROW_SUM, min(column) / ROW_SUM) for column in zip(*rows, strict=True)}
    ends.discard((0.0, 0.0))
    quotient = memory.redraw / (ROW_SUM - others * memory.redraw)

    def together(count: int) -> float:
        """ε of so many reports by one noisy answer."""
        other = quotient**count
        return max(
            math.log((other + (1 - other) * most) / (other + (1 - other) * least))
            for most, least in ends
        )

    kept, best = [together(count) for count in range(1, waves + 1)], [0.0]
    for count in range(1, waves + 1):
        best.append(max(kept[last] + best[count - 1 - last] for last in range(count)))
    return best[waves]


def redraw_weight(flip: Fraction, reports: int) -> int:
    """Return the weight of each of the other answers that gives all of them together this chance.

    `flip`: from 0 to below (reports - 1)/reports, where a report would say nothing. Result: at
    least 1 unless the flip is 0: any positive redraw bounds what a change reveals.
    """
    if not 0 <= flip < Fraction(reports - 1, reports):
        raise ValueError(
            f"expected a redraw of at least 0 and below {reports - 1}/{reports}, found {flip}: "
            f"where a question has {reports} reports, more would leave nothing to learn"
        )
    weight = round(flip * ROW_SUM / (reports - 1))
    return min(max(weight, 1), ROW_SUM // reports - 1) if flip else 0
