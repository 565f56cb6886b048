"""How somebody visits a page: by what device, how fast, and what goes wrong meanwhile."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

SILENT: Final = "silence"
OFFLINE: Final = "offline"
_TROUBLES: Final = ("429", "503", SILENT, OFFLINE)
# Time that is told to pass waits for ever for the page that was gone back from.
_ONCE_MORE: Final = {False: ("reload", "return", "back"), True: ("reload", "return")}


@dataclass(frozen=True)
class Manner:
    """What two visits of a pair have in common, whatever is true."""

    is_slow: bool = False  # a minute passes at each press, and an hour after the last
    once_more: str = ""  # how the page is opened a second time before anything is answered
    trouble: str = ""  # what the first report meets
    is_phone: bool = False
    by_keys: bool = False
    moves: bool = False  # whether the pointer comes from elsewhere
    hides: bool = False  # whether another tab is looked at meanwhile
    is_foreign: bool = False  # whether the browser speaks a language that the survey does not
    is_odd: bool = False  # whether the server answers with what no page knows


def manners(rng: np.random.Generator) -> Iterator[Manner]:
    """Draw manners by twos: what the one does the other does not, so every two meet all."""
    turn = 0
    while True:
        drawn = rng.integers(2, size=8).astype(bool)
        for flags in (drawn, ~drawn):
            slow, opens, *others = map(bool, flags)
            ways = _ONCE_MORE[slow]
            again = ways[turn // 2 % len(ways)] if opens else ""
            trouble = _TROUBLES[turn // 2 % 4] if slow else ""
            yield Manner(slow, again, trouble, *others)
            turn += 1


def quick(rng: np.random.Generator) -> Iterator[Manner]:
    """Draw manners of those alone by whom time is compared, who come at once and once."""
    for one in manners(rng):
        if not one.is_slow:
            yield replace(one, once_more="", moves=False)
