"""The Python lines that a page shows are those that computed its numbers."""

import math
import os
from typing import Any, Final

from deniable.lab.code import code_of, set_lines

FACTOR: Final = 2
OTHER: Final = os.sep


def twice(x: float) -> float:
    """Return twice as much."""
    return FACTOR * x


def other(x: float) -> float:
    return x


def lines(*, start: float, name: str) -> dict[str, Any]:
    """Compute something."""
    # Why it is so.
    end = twice(math.floor(start))

    if name == "third":
        end /= 3
    return locals()


def test_lines_are_shown_with_what_they_use() -> None:
    above, below = code_of(lines)
    assert above == (
        "import math\n\nFACTOR = 2\n\n"
        'def twice(x: float) -> float:\n    """Return twice as much."""\n    return FACTOR * x'
    )
    assert below == (
        '# Why it is so.\nend = twice(math.floor(start))\n\nif name == "third":\n    end /= 3'
    )


def test_the_lines_find_what_the_function_finds() -> None:
    given = {"start": 4.5, "name": "third"}
    above, below = code_of(lines)
    found: dict[str, Any] = {}
    exec(f"{above}\n{set_lines(given)}\n{below}", found)  # noqa: S102  lines of this file
    assert found["end"] == lines(start=4.5, name="third")["end"] == 8 / 3
