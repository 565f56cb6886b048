"""Where uniform 32-bit words come from: the operating system, or a seed."""

import os
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

WordSource: TypeAlias = Callable[[int], npt.NDArray[np.uint32]]
"""Called with a number of words; returns as many independent and uniform ones."""


def os_words(count: int) -> npt.NDArray[np.uint32]:
    """Draw words from the operating system, the only source fit for a real answer."""
    # Little-endian on every machine, so that the same bytes are the same words.
    return np.frombuffer(os.urandom(4 * count), dtype="<u4")


def seeded_words(seed: int, stream: int = 0) -> WordSource:
    """Return a source of words that repeats itself **and therefore protects nobody**.

    Anybody who knows or guesses the seed can undo the noise. It is for simulated people only.
    """
    generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(stream,)))

    def words(count: int) -> npt.NDArray[np.uint32]:
        raw: npt.NDArray[np.uint64] = generator.random_raw((count + 1) // 2)
        return raw.astype("<u8", copy=False).view("<u4")[:count]

    return words
