"""Types of arrays by their content, for annotations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

IntArray: TypeAlias = npt.NDArray[np.int64]
"""Counts, and reports by their number."""

IndexArray: TypeAlias = npt.NDArray[np.intp]
"""Positions in another array."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
