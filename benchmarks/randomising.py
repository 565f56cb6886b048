"""Randomising a million answers, against drawing the random words for them alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.measuring import Comparison, compare
from deniable import designs
from deniable.client.randomiser import randomise
from deniable.client.randomness import WordSource, os_words, seeded_words

N = 1_000_000


def run() -> list[Comparison]:
    """Measure two numbers of answers, with words of a generator and of the system."""
    sources = {"PCG64": seeded_words(1), "os.urandom": os_words}
    return [_compare(k, name, words) for k in (2, 16) for name, words in sources.items()]


def _compare(k: int, name: str, words: WordSource) -> Comparison:
    channel = designs.k_ary(k, 1)
    truths = (seeded_words(2)(N) % k).astype(np.uint8)
    found = compare(
        f"randomise 1,000,000 answers of {k}",
        f"the words alone, {name}",
        lambda: randomise(channel, truths, words(N)),
        lambda: words(N),
    )
    # Only the system's words are fit for a real answer.
    return replace(found, goal="below 3" if words is os_words else "")
