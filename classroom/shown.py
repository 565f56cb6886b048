"""What a step is shown from, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from deniable.channel import Channel
from deniable.survey import Survey


@dataclass(frozen=True)
class Kept:
    """The tally of another class that was asked the same. Read by `deniable.classroom.kept`.

    Parameters
    ----------
    name : str
        What the class is called.
    channel : Channel
        By which its reports were drawn: perhaps with other coins.
    counts : tuple of int
        How often each report came.
    """

    name: str
    channel: Channel = field(repr=False)
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Class:
    """What is known of a class: all that a step is shown from, besides which step it is.

    Parameters
    ----------
    survey : Survey
        With the one question that is played.
    counts : tuple of int
        How often each report came from the phones.
    joined : int, optional
        How many phones have joined, where that is known.
    paper : tuple of int, optional
        How often each report was written on paper; added to the others.
    prior : float
        What the class believes of anybody before: the chance that `focus` is true of them.
    focus : int
        The truth that is looked at, by its place among the answers.
    chosen : int, optional
        The dot that is pointed at, by its place.
    direct : tuple of int, optional
        How often each answer was given directly, once that question is closed.
    kept : Kept, optional
        Another class, shown beside this one.
    volunteer : int
        The made-up answer of the volunteer of the attack, by its place among the answers.
    seed : int
        Of all that is made up: simulated classes, the volunteer's coins, the places of the dots.
    """

    survey: Survey
    counts: tuple[int, ...]
    joined: int | None = None
    paper: tuple[int, ...] = ()
    prior: float = 0.5
    focus: int = 1
    chosen: int | None = None
    direct: tuple[int, ...] | None = None
    kept: Kept | None = None
    volunteer: int = 1
    seed: int = 1
