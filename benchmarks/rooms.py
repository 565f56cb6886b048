"""``python -m benchmarks.rooms``: in how many rooms a class sees what un-mixing does."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final

from scipy import stats

from benchmarks.measuring import markdown
from deniable import designs
from deniable.classroom.arithmetic import nearer

SHARES: Final = {
    Fraction(1, 20): "",
    Fraction(1, 10): "last-digit",
    Fraction(1, 5): "",
    Fraction(1, 4): "first-quarter",
}
"""Shares of yes, and the ready question of which a class knows that share."""

SIZES: Final = (40, 120)
"""People in a room."""

_FLIP: Final = Fraction(designs.truth_or_random().weights[0][1], 2**32)


def below(share: Fraction, n: int) -> float:
    """Return in which part of all rooms of n people the estimate ends below 0."""
    yes = int(share * n)
    kept, made = stats.binom(yes, float(1 - _FLIP)), stats.binom(n - yes, float(_FLIP))
    return float(
        sum(
            kept.pmf(one) * made.pmf(other)
            for one, other in product(range(yes + 1), range(n - yes + 1))
            if one + other < n * _FLIP
        )
    )


def lines() -> Iterator[str]:
    """Write the table."""
    heads = ["Yes", "Question", "People", "Un-mixed nearer", "As near", "Received nearer"]
    rows = []
    for (share, name), n in product(SHARES.items(), SIZES):
        first, same = nearer(designs.truth_or_random(), int(share * n), n)
        parts = first, same, 1 - first - same, below(share, n)
        chances = [f"{100 * part:.0f} of 100" for part in parts]
        rows.append([f"{float(100 * share):g} %", name and f"`{name}`", str(n), *chances])
    return markdown([*heads, "Estimate below 0 %"], rows, names=7)


if __name__ == "__main__":
    print("\n".join(lines()))
