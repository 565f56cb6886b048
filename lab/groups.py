"""k-anonymity, for a lesson: people in groups who look the same, and what is known of each."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

Classes: TypeAlias = list[list[int]]
STEPS: Final = {
    "ten": (10, 20, 20, 10_000),
    "exact": (1, 1, 1, 1),
    "five": (5, 10, 10, 100),
    "twenty": (20, 40, 40, 100_000),
}


class People(NamedTuple):
    """A table of made-up people."""

    names: list[str]  # not published
    rows: list[list[int]]  # height, weight, age and postcode
    jobs: list[str]  # their secret


FIVE: Final = People(
    ["Ada", "Ben", "Cem", "Dot", "Eli"],
    [
        [174, 71, 34, 10115],
        [178, 76, 38, 13357],
        [163, 58, 45, 20095],
        [167, 52, 41, 22301],
        [161, 49, 57, 20537],
    ],
    ["teacher", "nurse", "baker", "judge", "baker"],
)


def in_steps(people: People, steps: str, fields: Sequence[int]) -> Classes:
    """Put people together whose fields are in the same steps."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(people.rows):
        key = tuple(row[field] // STEPS[steps][field] for field in fields)
        found.setdefault(key, []).append(place)
    return list(found.values())


def certain(people: People, classes: Classes) -> list[int]:
    """List the people whose job everybody knows who can tell their group."""
    alike = [group for group in classes if len({people.jobs[one] for one in group}) == 1]
    return [one for group in alike for one in group]


def known_within(people: People, classes: Classes) -> list[int]:
    """List the people whose job somebody else of their group knows, by striking out themselves."""
    found = []
    for group in classes:
        jobs = Counter(people.jobs[one] for one in group)
        for person in group:
            unlike = len(group) - jobs[people.jobs[person]]
            if unlike == 1 or (unlike == 0 and len(group) > 1):
                found.append(person)
    return found
