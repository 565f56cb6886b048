"""The channel: the distribution of a report given the truth, from which it is drawn from the truth.

All privacy and statistics in `deniable` follow from this one table of integers: sampling, ε, the
estimator, its variance, the likelihood.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from deniable import exact
from deniable.text.doors import placed

ROW_SUM: Final = 2**32
"""The sum of the weights of every row: the number of values of one 32-bit word."""

_MOST_SHOWN: Final = 6
"""How many rows and columns a prompt or a notebook shows."""

_Part = TypeVar("_Part")

MAX_REPORTS: Final = 255
"""A report is one byte, and byte 255 says "not asked"."""


@dataclass(frozen=True)
class Channel:
    r"""The conditional distribution of the report given the truth, in integers.

    Parameters
    ----------
    weights : sequence of sequences of int, shape (truths, reports)
        Row ``x``, column ``a`` holds :math:`2^{32} P(\text{report} = a | \text{truth} = x)`.
        Every row sums to exactly :math:`2^{32}`; two truths and two reports at least, 255 of
        each at most.

    Examples
    --------
    >>> channel = Channel.from_probabilities([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> channel
    Channel(2 truths, 2 reports, ε 1.09861: 0.75 0.25 / 0.25 0.75)
    >>> channel.sample(truth=0, word=0), channel.sample(truth=0, word=2**32 - 1)
    (0, 1)
    """

    weights: tuple[tuple[int, ...], ...]

    def __init__(self, weights: Iterable[Iterable[int]]) -> None:
        rows = tuple(tuple(row) for row in weights)
        _check_shape(rows)
        for truth, row in enumerate(rows):
            for weight in row:
                if type(weight) is not int or weight < 0:
                    raise ValueError(
                        f"row {truth}: expected integer weights of at least 0, found {weight!r}"
                    )
            if sum(row) != ROW_SUM:
                raise ValueError(
                    f"row {truth}: expected weights that sum to 2^32 = {ROW_SUM}, found {sum(row)}"
                )
        object.__setattr__(self, "weights", rows)

    def __repr__(self) -> str:
        """Return the size, ε and chances of the channel in one line."""
        rows = " / ".join(_shorten([" ".join(row) for row in self._cells], "…"))
        size = f"{self.truths} truths, {self.reports} reports"
        return f"Channel({size}, ε {self.epsilon:g}: {rows})"

    def _repr_html_(self) -> str:
        names = _shorten([str(report) for report in range(self.reports)], "…")
        truths = _shorten([str(truth) for truth in range(self.truths)], "…")
        body = "".join(
            f"<tr><th>{truth}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
            for truth, row in zip(truths, _shorten(self._cells, ["…"] * len(names)), strict=True)
        )
        return (
            "<table><caption>Chance of each report (column) given the truth (row); "
            f"ε {self.epsilon:g}</caption><thead><tr><th></th>"
            f"{''.join(f'<th>{name}</th>' for name in names)}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    @property
    def _cells(self) -> list[list[str]]:
        return [_shorten([f"{chance:.4g}" for chance in row], "…") for row in self.probabilities]

    @classmethod
    def from_probabilities(cls, table: Sequence[Sequence[exact.Number]]) -> Channel:
        """Round a table of probabilities to the nearest channel.

        `table`, shape (truths, reports): each row sums to exactly 1 (write ``1/3`` as a fraction or
        a string), or to 1 within 1e-12 if it holds floats. Equal probabilities of a row get equal
        weights, except that its largest takes up the rounding error of the row; a probability above
        0 keeps a weight above 0.
        """
        rows = []
        for truth, row in enumerate(table):
            with placed(f"row {truth}"):
                chances = exact.distribution(row)
            weights = [max(1, round(chance * ROW_SUM)) if chance else 0 for chance in chances]
            weights[chances.index(max(chances))] += ROW_SUM - sum(weights)
            rows.append(weights)
        return cls(rows)

    @property
    def truths(self) -> int:
        """Number of truths (rows)."""
        return len(self.weights)

    @property
    def reports(self) -> int:
        """Number of reports (columns)."""
        return len(self.weights[0])

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """P(report | truth), an array of shape (truths, reports), exact to the last bit."""
        table = np.array(self.weights, dtype=np.float64) / ROW_SUM
        table.flags.writeable = False
        return table

    @property
    def rank_tolerance(self) -> float:
        """The part of the greatest singular value below which a singular value counts as 0.

        Rounding to multiples of 2^-32 moves singular values by up to some 1e-9: rows that were
        written as linearly dependent, in thirds say, must not pass for independent because of that.
        Two rows are dependent only if they are equal, and rounding keeps them equal.
        """
        return 1e-8 if self.truths > 2 else 4 * float(np.finfo(np.float64).eps)

    @cached_property
    def identifiable(self) -> bool:
        """Whether the shares of the reports determine the shares of the truths.

        They do not if the rows are linearly dependent: then different populations send the same
        reports.
        """
        return bool(
            np.linalg.matrix_rank(self.probabilities, rtol=self.rank_tolerance) == self.truths
        )

    @property
    def is_symmetric(self) -> bool:
        """Whether it has two truths and two reports, and flips both truths alike."""
        rows = self.weights
        return len(rows) == len(rows[0]) == 2 and rows[0] == rows[1][::-1]

    @cached_property
    def revealing_reports(self) -> tuple[int, ...]:
        """Reports that some truths send and others never do: each rules truths out."""
        return tuple(
            report
            for report, column in enumerate(zip(*self.weights, strict=True))
            if min(column) == 0 < max(column)
        )

    @cached_property
    def ratio(self) -> Fraction | None:
        """The largest ratio within a column, e^ε; None if unbounded."""
        if self.revealing_reports:
            return None
        return max(
            Fraction(max(column), min(column))
            for column in zip(*self.weights, strict=True)
            if min(column)
        )

    @cached_property
    def epsilon_millionths(self) -> int | None:
        """ε in millionths, an exact integer; None where it is unbounded."""
        return None if self.ratio is None else exact.log_millionths(self.ratio)

    @property
    def epsilon(self) -> float:
        """The privacy loss ε of one report, rounded up to a multiple of 1e-6.

        The logarithm of the largest ratio between two entries of a column (Duchi, Jordan and
        Wainwright 2013, definition 1); `math.inf` where a column holds a zero beside a non-zero.
        """
        millionths = self.epsilon_millionths
        return math.inf if millionths is None else millionths / exact.MILLION

    @cached_property
    def cumulative(self) -> tuple[tuple[int, ...], ...]:
        """Running sums of each row: the thresholds to which `sample` compares a word."""
        return tuple(tuple(accumulate(row)) for row in self.weights)

    def sample(self, truth: int, word: int) -> int:
        """Draw the report: the first whose cumulative weight exceeds the word.

        `truth`: index of a row. `word`: a uniform 32-bit word. Over all 2^32 words each report is
        drawn exactly as often as its weight says.
        """
        if not 0 <= truth < self.truths:
            raise ValueError(f"expected a truth from 0 to {self.truths - 1}, found {truth}")
        if not 0 <= word < ROW_SUM:
            raise ValueError(f"expected a word from 0 to 2^32 - 1, found {word}")
        return first_exceeding(self.cumulative[truth], word)


def identity(answers: int) -> Channel:
    """Return the channel of a direct question: the report is the truth."""
    return keeping(answers, 0)


def keeping(answers: int, other: int) -> Channel:
    """Return the channel that reports each answer but the true one with the weight `other`."""
    kept = ROW_SUM - (answers - 1) * other
    return Channel(
        [kept if report == truth else other for report in range(answers)]
        for truth in range(answers)
    )


def first_exceeding(cumulative: Sequence[int], word: int) -> int:
    """Return the index of the first running sum that exceeds the word.

    Exact at every word size: with running sums that end at 2^16 and all 2^16 words, each index
    comes up exactly as often as its weight (the tests enumerate it).
    """
    return bisect_right(cumulative, word)


def _shorten(parts: Sequence[_Part], between: _Part) -> list[_Part]:
    """Return the parts, with `between` in place of the middle of a long list."""
    if len(parts) <= _MOST_SHOWN:
        return [*parts]
    return [*parts[: _MOST_SHOWN - 2], between, parts[-1]]


def _check_shape(rows: tuple[tuple[int, ...], ...]) -> None:
    """Reject a table that is ragged, too small or too large."""
    if not 2 <= len(rows) <= MAX_REPORTS:
        raise ValueError(f"expected 2 to {MAX_REPORTS} truths (rows), found {len(rows)}")
    for truth, row in enumerate(rows):
        if not 2 <= len(row) <= MAX_REPORTS:
            raise ValueError(
                f"row {truth}: expected 2 to {MAX_REPORTS} reports (columns), found {len(row)}"
            )
        if len(row) != len(rows[0]):
            raise ValueError(
                f"row {truth}: expected {len(rows[0])} reports, as in row 0, found {len(row)}"
            )
