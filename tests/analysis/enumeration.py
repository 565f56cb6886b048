"""Every table of counts that n respondents can send, with its probability."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def compositions(n: int, parts: int) -> list[list[int]]:
    """Return every way to write n as an ordered sum of so many counts."""
    return [
        [b - a - 1 for a, b in itertools.pairwise((-1, *bars, n + parts - 1))]
        for bars in itertools.combinations(range(n + parts - 1), parts - 1)
    ]


def tables(
    n: int, probabilities: npt.NDArray[np.float64], least: float = 0.0
) -> Iterator[tuple[float, npt.NDArray[np.int64]]]:
    """Yield the probability and the counts, of the shape of the probabilities.

    Tables of probability `least` or less are left out.
    """
    flat = probabilities.ravel()
    for counts in compositions(n, len(flat)):
        chance = math.factorial(n) * math.prod(
            p**count / math.factorial(count) for p, count in zip(flat, counts, strict=True)
        )
        if chance > least:
            yield chance, np.array(counts).reshape(probabilities.shape)
