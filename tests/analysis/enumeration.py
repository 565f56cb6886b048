"""Every table of counts that n respondents can send, with its probability."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def tables(
    n: int, probabilities: npt.NDArray[np.float64], least: float = 0.0
) -> Iterator[tuple[float, npt.NDArray[np.int64]]]:
    """Yield the probability and the counts, of the shape of the probabilities.

    Tables of probability `least` or less are left out.
    """
    flat = probabilities.ravel()
    cells = len(flat)
    for bars in itertools.combinations(range(n + cells - 1), cells - 1):
        edges = (-1, *bars, n + cells - 1)
        counts = [after - before - 1 for before, after in itertools.pairwise(edges)]
        chance = math.factorial(n) * math.prod(
            p**count / math.factorial(count) for p, count in zip(flat, counts, strict=True)
        )
        if chance > least:
            yield chance, np.array(counts).reshape(probabilities.shape)
