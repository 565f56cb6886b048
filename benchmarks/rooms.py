"""``python -m benchmarks.rooms``: in how many rooms a class sees what un-mixing does."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Final

from scipy import stats

from benchmarks.measuring import markdown
from deniable import designs

QUESTIONS: Final = {"last-digit": Fraction(1, 5), "first-quarter": Fraction(1, 4)}
"""The ready questions of which a room knows the share, and that share."""

SIZES: Final = (40, 120)
"""People in a room."""

APART: Final = Fraction(5, 100)
"""A difference that is seen on a wall."""

_FLIP: Final = Fraction(designs.truth_or_random().weights[0][1], 2**32)


def rooms(share: Fraction, n: int) -> tuple[float, float]:
    """Return in which part of all rooms of n people un-mixing is seen, and ends below 0."""
    law = stats.binom(n, float(_FLIP + share * (1 - 2 * _FLIP)))
    seen = below = 0.0
    for yes in range(n + 1):
        received = Fraction(yes, n)
        unmixed = (received - _FLIP) / (1 - 2 * _FLIP)
        seen += law.pmf(yes) * (received - unmixed >= APART)
        below += law.pmf(yes) * (unmixed < 0)
    return seen, below


def lines() -> Iterator[str]:
    """Write the table. Whole rooms are rounded down: at least so many."""
    heads = ["Question", "Yes", "People", "Received − un-mixed ≥ 5 points", "Estimate below 0 %"]
    rows = []
    for (name, share), n in product(QUESTIONS.items(), SIZES):
        seen, below = (100 * part for part in rooms(share, n))
        chances = f"{int(seen)} of 100 rooms", f"{below:.1f} of 100 rooms"
        rows.append([f"`{name}`", f"{float(100 * share):g} %", str(n), *chances])
    return markdown(heads, rows, names=5)


if __name__ == "__main__":
    print("\n".join(lines()))
