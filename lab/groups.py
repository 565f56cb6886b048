"""k-anonymity, for a lesson: people in groups who look the same, and what is known of each."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

Classes: TypeAlias = list[list[int]]
JOBS: Final = ("teacher", "nurse", "baker", "judge", "driver", "cook", "clerk", "painter")
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


def hundreds(seed: int) -> People:
    """Make up three hundred people."""
    chance = np.random.default_rng(seed)
    height = chance.normal(171, 9, 300).round().astype(int)
    weight = (height - 171) * 0.9 + chance.normal(73, 11, 300)
    age, postcode = chance.integers(18, 80, 300), chance.integers(10_000, 40_000, 300)
    rows = np.column_stack([height, weight.round().astype(int).clip(40), age, postcode])
    shares = np.arange(len(JOBS), 0, -1)
    jobs = chance.choice(len(JOBS), 300, p=shares / shares.sum())
    names = [f"No. {place + 1}" for place in range(300)]
    return People(names, rows.tolist(), [JOBS[job] for job in jobs])


def in_steps(people: People, steps: str, fields: Sequence[int]) -> Classes:
    """Put people together whose fields are in the same steps."""
    found: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(people.rows):
        key = tuple(row[field] // STEPS[steps][field] for field in fields)
        found.setdefault(key, []).append(place)
    return list(found.values())


def wide(people: People, group: Sequence[int], field: int) -> int:
    """Return how far a field reaches in a group."""
    column = [people.rows[place][field] for place in group]
    return max(column) - min(column)


def mondrian(people: People, k: int, fields: Sequence[int]) -> Classes:
    """Cut a table into groups of at least k people.

    A group is cut at the middle of the field in which it is widest, measured by the whole table, or
    of the next widest one if less than k people would be on a side. Equal values stay together.
    """
    everybody = list(range(len(people.rows)))
    whole = [max(1, wide(people, everybody, field)) for field in range(4)]

    def cut(group: list[int]) -> Classes:
        for field in sorted(fields, key=lambda one: -wide(people, group, one) / whole[one]):
            middle = sorted(people.rows[one][field] for one in group)[(len(group) - 1) // 2]
            low = [one for one in group if people.rows[one][field] <= middle]
            high = [one for one in group if people.rows[one][field] > middle]
            if min(len(low), len(high)) >= k:
                return cut(low) + cut(high)
        return [group]

    return cut(everybody)


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


def lost(people: People, classes: Classes, fields: Sequence[int]) -> float:
    """Return how wide the groups are on average, as a share of the whole table."""
    whole = [wide(people, range(len(people.rows)), field) for field in range(4)]
    total = 0.0
    for group in classes:
        told = sum(wide(people, group, field) / whole[field] for field in fields)
        total += len(group) * (told + 4 - len(fields)) / 4
    return total / len(people.rows)
