"""Cases of a test: which of them `make test` takes, and which only `make test-slow`."""

from collections.abc import Iterable

import pytest


def first_of(values: Iterable[object], quick: int = 1) -> list[object]:
    """Mark all values but the first as slow, for `parametrize`."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[] if place < quick else [pytest.mark.slow],
        )
        for place, value in enumerate(values)
    ]
