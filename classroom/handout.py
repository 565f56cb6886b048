"""The numbers of the handout: one page about two coins, whatever question the class is asked."""

from typing import Any, Final

from deniable import designs
from deniable.analysis.planning.reach import greatest_reach
from deniable.analysis.privacy.adversary import posteriors
from deniable.classroom.arithmetic import Unmixed, in_people, unmix
from deniable.lab.pictures import Table
from deniable.lab.said import number, percent, points

_COUNTS: Final = (18, 12)
"""Reports of the worked example: 12 of 30 say yes."""

_BELIEFS: Final = (0.01, 0.1, 0.5, 0.9)
_SIZES: Final = (10, 30, 100, 300, 1000, 3000)


def make_handout() -> dict[str, Any]:
    """Compute the numbers of the handout: of its worked example, and its three tables."""
    channel = designs.truth_or_random()
    way = unmix(channel, _COUNTS) or ()
    no, yes = channel.probabilities.tolist()
    return {
        "epsilon": number(channel.epsilon),
        "n": sum(_COUNTS),
        "yes": _COUNTS[1],
        "example": _lines(way[1]),
        "sent": Table(
            ("", "sends “no”", "sends “yes”"),
            (("no is true", *map(percent, no)), ("yes is true", *map(percent, yes))),
        ),
        "beliefs": Table(
            ("Belief in yes, before", "after a “no”", "after a “yes”"),
            tuple(
                (
                    percent(before),
                    *(percent(after[1]) for after in posteriors(channel, [1 - before, before])),
                )
                for before in _BELIEFS
            ),
        ),
        "widths": Table(
            ("People", "95 % interval, at most"),
            tuple(
                (f"{n:,}", f"± {points(float(greatest_reach(channel, n)[1]), 0)}") for n in _SIZES
            ),
        ),
    }


def _lines(one: Unmixed) -> tuple[str, ...]:
    n = sum(_COUNTS)
    people = in_people(one, n)
    return (
        f"ā = {people.reports} / {n} = {percent(one.observed)}",
        f"p × {n} = {people.chance}, and {people.reports} − {people.chance} = {people.left}",
        f"(1 − 2p) × {n} = {people.kept}, and {people.left} / {people.kept} = {people.share}",
    )
