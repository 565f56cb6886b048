"""Results that are asked for again: a page of results, its figures and its files need the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Found = TypeVar("_Found")


def remembered(
    compute: Callable[[], _Found], name: str, *given: npt.NDArray[Any] | float
) -> _Found:
    """Return the result of a computation, or what the same one found before.

    `name`: of the computation. `given`: all numbers that the result depends on; only a hash of them
    is kept.
    """
    digest = hashlib.sha256(name.encode())
    for one in map(np.asarray, given):
        digest.update(f"{one.dtype} {one.shape}".encode())
        digest.update(one.tobytes())
    place: list[_Found] = _place(digest.digest())
    if not place:
        place.append(compute())
    return place[0]


@lru_cache(maxsize=4096)
def _place(key: bytes) -> list[Any]:  # noqa: ARG001  the cache's key
    return []
