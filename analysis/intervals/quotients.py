"""The one rule for a ratio of two estimates whose divisor may be 0.

Shares among people to whom a question applies, means within a randomised group, ratios of risks and
odds, shares corrected by a control item: each is divided by an estimate. Where the divisor may be 0
the ratio can be anything, and its computed value means nothing. The rule:

- Where the 95 % interval of the divisor holds 0, the ratio has no estimate and no error.
- Its interval is the possible values that are not ruled out: at most the possible range, and all of
  it where nothing is ruled out, or no value agrees with the reports at this level.
- An estimate outside the possible range is shown and marked, as that of a share is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis import intervals
from deniable.analysis.numerics.arrays import BoolArray, FloatArray

LEVEL: Final = 0.95
"""Level of the divisor's interval that must exclude 0, whatever the level of the ratio's
interval."""


def may_be_nothing(low: npt.ArrayLike) -> BoolArray:
    """Return where a divisor may be 0, from the lower ends of its intervals at `LEVEL`.

    `low`: nan where there is no interval; then the divisor may be 0.
    """
    return np.asarray(~(np.asarray(low, dtype=np.float64) > intervals.ROUNDING))


def known(
    ratio: npt.ArrayLike, standard_error: npt.ArrayLike, of_nothing: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return ratios and their errors, nan where the divisor may be 0 (`of_nothing`)."""
    return (
        np.where(of_nothing, np.nan, ratio).astype(np.float64),
        np.where(of_nothing, np.nan, standard_error).astype(np.float64),
    )


def left(
    ends: npt.ArrayLike, least: npt.ArrayLike = 0.0, greatest: npt.ArrayLike = 1.0
) -> FloatArray:
    """Cut intervals to the possible ratios, shape (..., 2); all of these where none is left.

    `ends`, shape (..., 2): nan where there are none. `least`, `greatest`: bounds of the possible
    ratios, perhaps infinite.
    """
    low, high = np.moveaxis(np.asarray(ends, dtype=np.float64), -1, 0)
    below, above = np.broadcast_to(least, low.shape), np.broadcast_to(greatest, low.shape)
    agrees = (low <= above) & (high >= below) & (low <= high)
    return np.stack(
        [
            np.where(agrees, np.maximum(low, below), below),
            np.where(agrees, np.minimum(high, above), above),
        ],
        axis=-1,
    )
