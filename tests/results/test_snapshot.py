"""Results stay what they were: each number to 1e-12, each sentence to the letter.

Where they change on purpose, ``python -m tests.results.snapshot`` keeps the new ones.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.results.snapshot import PARTS, kept, made_by, results

QUICK: Final = ("pair Python", "few command")
LONG: Final = ("waves Python", "few Python", "weighed-waves ")
"""How those begin that take minutes and repeat most of what others show: for a campaign."""

NUMBER: Final = re.compile(r"-?\d+(?:\.\d+(?:e[-+]\d+)?|e-\d+)")


def is_alike(now: str, before: str, tolerance: float) -> bool:
    """Whether two lines are the same but for the last digits of their numbers."""
    numbers = zip(NUMBER.findall(now), NUMBER.findall(before), strict=False)
    return NUMBER.split(now) == NUMBER.split(before) and all(
        math.isclose(float(one), float(other), rel_tol=tolerance, abs_tol=0.1 * tolerance)
        for one, other in numbers
    )


def differences(one: Any, other: Any, tolerance: float, at: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key, value in one.items():
            yield from differences(value, other[key], tolerance, f"{at} · {key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, value in enumerate(one):
            yield from differences(value, other[place], tolerance, f"{at} · {place}")
    elif isinstance(one, str) and isinstance(other, str):
        lines = one.splitlines(), other.splitlines()
        if len(lines[0]) != len(lines[1]):
            yield f"{at}: {len(lines[1])} lines, now {len(lines[0])}: {one!r}, was {other!r}"
        for new, old in zip(*lines, strict=False):
            if not is_alike(new, old, tolerance):
                yield f"{at}: was {old!r}, is {new!r}"
    elif isinstance(one, float) and isinstance(other, float):
        # What is near 0 is a difference of numbers near 1, whose last digits depend on the order.
        if not (one != one and other != other) and not math.isclose(  # noqa: PLR0124  nan
            one, other, rel_tol=tolerance, abs_tol=0.1 * tolerance
        ):
            yield f"{at}: was {other!r}, is {one!r}"
    elif one != other:
        yield f"{at}: was {other!r}, is {one!r}"


@pytest.mark.parametrize(
    "part",
    [
        part
        if part in QUICK
        else pytest.param(
            part, marks=pytest.mark.campaign if part.startswith(LONG) else pytest.mark.slow
        )
        for part in PARTS
    ],
)
def test_results_are_what_they_were(part: str) -> None:
    before, now = kept()["parts"][part], dict(results(part))
    assert [*now] == [*before]
    # Other libraries and processors round otherwise, and stop searches elsewhere.
    tolerance = 1e-12 if made_by() == kept()["made by"] else 1e-5
    found = [*differences(now, before, tolerance, part)]
    assert not found, "\n".join(found[:40])
