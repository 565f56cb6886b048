"""The local randomiser: many truths through a channel at once, exactly as `Channel.sample`.

Inversion by a *guide table* (Chen and Asau 1974; Devroye 1986, Non-Uniform Random Variate
Generation, section III.2.4). The upper 12 bits of a word nearly always decide the report, because
few of the 4096 cells that they tell apart hold a threshold; a look-up answers those, and only the
words of a cell that does are compared with the thresholds. All arithmetic is on integers.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.channel import ROW_SUM, Channel
from deniable.report import NOT_ASKED

# With 10 bits a channel of 255 reports takes twice as long; with 16 its table leaves the cache.
_CELL_BITS: Final = 12
_REST_BITS: Final = 32 - _CELL_BITS

_BLOCK: Final = 2**16
"""Answers that are randomised at once: their intermediate arrays fit a processor's cache."""

# No channel reports this code, so it can mean "this cell does not decide".
_UNDECIDED: Final = NOT_ASKED


def randomise(
    channel: Channel, truths: npt.NDArray[np.uint8], words: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint8]:
    """Draw a report for each truth."""
    if truths.dtype != np.uint8 or words.dtype != np.uint32:
        raise ValueError(
            f"expected truths of uint8 and words of uint32, found {truths.dtype} and {words.dtype}"
        )
    if truths.ndim != 1 or truths.shape != words.shape:
        raise ValueError(
            f"expected one word for each truth, found arrays of {words.shape} and {truths.shape}"
        )
    if truths.size and truths.max() >= channel.truths:
        raise ValueError(f"expected truths from 0 to {channel.truths - 1}, found {truths.max()}")
    table = _table(channel)
    reports = np.empty_like(truths)
    for start in range(0, truths.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        reports[block] = table.draw(truths[block], words[block])
    return reports


@dataclass(frozen=True, eq=False)
class _Table:
    """A channel's look-up table."""

    guide: npt.NDArray[np.uint8]  # the report of every word of a truth's cell, or `_UNDECIDED`
    # The cumulative weights of row `x` plus `x` times 2^32: never descending.
    thresholds: npt.NDArray[np.uint64]
    reports: int  # columns of the channel

    def draw(
        self, truths: npt.NDArray[np.uint8], words: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.uint8]:
        """Return the report for each truth and random word, by search where the table has none."""
        cells = truths.astype(np.intp)
        cells <<= _CELL_BITS
        cells += words >> np.uint32(_REST_BITS)
        reports = self.guide[cells]
        undecided = np.flatnonzero(reports == _UNDECIDED)
        reports[undecided] = self.search(truths[undecided], words[undecided])
        return reports

    def search(
        self, truths: npt.NDArray[np.uint8], words: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.intp]:
        """Find the first threshold of a truth's row that exceeds the word."""
        rows = truths.astype(np.uint64)
        # The thresholds of all earlier rows are at most `rows * 2^32`, so they are passed as well.
        passed = np.searchsorted(self.thresholds, rows * ROW_SUM + words, side="right")
        return passed - truths.astype(np.intp) * self.reports


@lru_cache(maxsize=256)
def _table(channel: Channel) -> _Table:
    """Make a channel's table; takes some milliseconds for the largest channel."""
    offsets = np.arange(channel.truths, dtype=np.uint64) * ROW_SUM
    thresholds = (np.array(channel.cumulative, dtype=np.uint64) + offsets[:, np.newaxis]).ravel()
    table = _Table(np.empty(0, dtype=np.uint8), thresholds, channel.reports)
    lowest = np.arange(2**_CELL_BITS, dtype=np.uint32) << np.uint32(_REST_BITS)
    highest = lowest + np.uint32(2**_REST_BITS - 1)
    guide = np.empty((channel.truths, 2**_CELL_BITS), dtype=np.uint8)
    for truth, row in enumerate(guide):
        truths = np.full(2**_CELL_BITS, truth, dtype=np.uint8)
        first, last = table.search(truths, lowest), table.search(truths, highest)
        # Reports ascend with the word: equal at both ends of a cell means equal throughout.
        row[:] = np.where(first == last, first, _UNDECIDED)
    return _Table(guide.ravel(), thresholds, channel.reports)
