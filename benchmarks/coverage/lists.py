"""How often the intervals of list experiments hold the truth, and how wide they are."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.measuring import markdown
from deniable.reanalysis.lists import combined_list, double_list, list_share

DRAWS: Final = 2000
PEOPLE: Final = (50, 200, 1000)
SHARES: Final = (0.02, 0.2, 0.5)
STATEMENTS: Final = 4
"""Of the short list, each true of half the people."""
ADMIT: Final = 0.5
"""How many of those of whom the sensitive statement is true say so when asked directly."""

HEADS: Final = ("list", "double list", "with a direct question", "widths")


def coverage(people: int, share: float) -> list[str]:
    """Return how often each interval holds the share, and their mean widths."""
    random = np.random.default_rng([people, int(100 * share)])
    held, width = np.zeros(3), np.zeros(3)
    for _ in range(DRAWS):
        long = random.permutation(np.arange(people) % 2)
        true = random.random(people) < share
        first, second = random.binomial(STATEMENTS, 0.5, (2, people))
        counts = first + long * true
        found = (
            list_share(counts, long),
            double_list(counts, second + (1 - long) * true, long),
            combined_list(counts, long, true & (random.random(people) < ADMIT)).combined,
        )
        ends = np.array([one.interval() for one in found])
        held += (ends[:, 0] <= share) & (share <= ends[:, 1])
        width += ends[:, 1] - ends[:, 0]
    widths = ", ".join(f"{one:.2f}" for one in width / DRAWS)
    return [*(f"{one:.3f}" for one in held / DRAWS), widths]


def lines() -> Iterator[str]:
    """Write the table."""
    yield from markdown(
        ["people", "share", *HEADS],
        ([f"{n:,}", f"{one:g}", *coverage(n, one)] for n in PEOPLE for one in SHARES),
        names=2,
    )
