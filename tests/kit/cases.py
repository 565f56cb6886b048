"""Cases of a test: which of them `make test` takes, and which wait."""

from collections.abc import Iterable

import pytest


def first_of(
    values: Iterable[object], quick: int = 1, later: pytest.MarkDecorator = pytest.mark.slow
) -> list[object]:
    """Mark all values but the first, for `parametrize`: they wait for `make test-slow`."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[] if place < quick else [later],
        )
        for place, value in enumerate(values)
    ]
