r"""Asking again over time: a permanent noisy answer, and a fresh draw of it in each wave.

With *P* the channel that the survey's budget pays for, a device draws for each truth *x* of an
item a noisy answer :math:`B_x` once and for good, by row *x* of *P*. What it reports in a wave is
drawn from the noisy answer to what is true then, by the instantaneous channel *I*: the noisy
answer itself, or with a small probability one of the others, all alike. (Memoisation, as in
Erlingsson, Pihur and Korolova 2014, RAPPOR, section 3, for any channel.)

Three statements follow, for one item; of several, whose chance is independent, the ε add up.

1. *One report.* It is drawn by the product :math:`C = P I`, whose ε is at most that of *P*.
2. *All reports ever, while the answer stays the same*: longitudinal privacy, as RAPPOR calls it.
   Each of them is a function of :math:`B_x` and of fresh chance, which do not depend on *x* given
   :math:`B_x`: whatever is computed from them reveals at most what :math:`B_x` does, the ε of *P*,
   however many waves there are.
3. *All reports of T waves after any history*: whatever changes between them, even together with all
   of the noisy answers that the device keeps. Given these the reports are independent, each drawn
   by a row of *I*. For any two histories of truths their ratio is at most
   :math:`e^{\epsilon(I)}` in each wave: :math:`T \epsilon(I)` in all. The noisy answers themselves
   are drawn for *all* truths, whichever is true, and reveal nothing. It is not bounded where *I* is
   the identity: two different reports then show that the answer changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from deniable import exact
from deniable.channel import ROW_SUM, Channel

COLUMN: Final = "wave"
"""The column of a file of reports that names the wave of each."""

MAX_WAVES: Final = 254
"""The wave of a report is one byte."""


def code_of(wave: int) -> str:
    """Return what stands in `COLUMN` of a wave."""
    return f"wave_{wave}"


@dataclass(frozen=True)
class Memory:
    """How an item is remembered from wave to wave.

    `permanent`: *P*, the law of the noisy answers that a device keeps. `redraw`: the weight, of
    2^32, with which a report is each one of the answers that are not kept. It says less of them
    than of the one that is kept.
    """

    permanent: Channel
    redraw: int

    def __post_init__(self) -> None:
        """Refuse what tells nothing, or is no weight."""
        most = ROW_SUM // self.permanent.reports
        if type(self.redraw) is not int or not 0 <= self.redraw < most:
            raise ValueError(f"expected a redraw of 0 to {most - 1}, found {self.redraw!r}")

    @property
    def instantaneous(self) -> Channel:
        """*I*: the law of a report, given the noisy answer that is kept."""
        reports = self.permanent.reports
        kept = ROW_SUM - (reports - 1) * self.redraw
        return Channel(
            [kept if report == answer else self.redraw for report in range(reports)]
            for answer in range(reports)
        )

    @property
    def flip(self) -> float:
        """How likely a report is not the noisy answer that is kept."""
        return (self.permanent.reports - 1) * self.redraw / ROW_SUM

    def compose(self) -> Channel:
        """Return *C*: the law of one report, given the truth.

        Each entry of the product is rounded to the nearest integer, and a row's largest one takes
        up what is left over, as in `Channel.from_probabilities`: chances that are equal stay so.
        """
        rows = []
        for row in self._products():
            weights = [(product + ROW_SUM // 2) // ROW_SUM for product in row]
            weights[weights.index(max(weights))] += ROW_SUM - sum(weights)
            rows.append(weights)
        return Channel(rows)

    @property
    def one_report_millionths(self) -> int | None:
        """ε of one report in millionths, of the product before it is rounded; None if unbounded."""
        columns = list(zip(*self._products(), strict=True))
        if any(min(column) == 0 < max(column) for column in columns):
            return None
        ratios = [Fraction(max(column), min(column)) for column in columns if max(column)]
        return exact.log_millionths(max(ratios))

    @property
    def any_history_millionths(self) -> int | None:
        """ε of a wave's report in millionths to who knows the noisy answers; None if unbounded."""
        return self.instantaneous.epsilon_millionths

    def _products(self) -> list[list[int]]:
        """Return the rows of the product of the two tables, exactly: each sums to 2^64."""
        reports = self.permanent.reports
        # A report is one of all, each with the same weight, or else the answer that is kept.
        rest = ROW_SUM - reports * self.redraw
        return [
            [self.redraw * ROW_SUM + weight * rest for weight in row]
            for row in self.permanent.weights
        ]

    def draw(self, words: Sequence[int]) -> tuple[int, ...]:
        """Draw the noisy answer to each truth, by a word for each, whichever is true."""
        return tuple(self.permanent.sample(truth, int(word)) for truth, word in enumerate(words))


def redraw_weight(flip: Fraction, reports: int) -> int:
    """Return the weight of each of the other answers, if all of them together have this chance.

    `flip`: from 0 to below (reports - 1)/reports, where a report would say nothing. Result: at
    least 1 unless the flip is 0: what is drawn again at all bounds what a change reveals.
    """
    if not 0 <= flip < Fraction(reports - 1, reports):
        raise ValueError(
            f"expected a redraw of at least 0 and below {reports - 1}/{reports}, with which a "
            f"report of {reports} would say nothing, found {flip}"
        )
    weight = round(flip * ROW_SUM / (reports - 1))
    return min(max(weight, 1), ROW_SUM // reports - 1) if flip else 0
