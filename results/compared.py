"""What the differences of groups show: in a sentence, and two groups beside each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from deniable.analysis.findings import Contrast
from deniable.analysis.results import ItemResults
from deniable.results.estimate import name_of
from deniable.results.headlines import Headline, Move, in_100
from deniable.text.wording import quantity


@dataclass(frozen=True)
class Comparison:
    """The differences of every two groups, by answer, or of their means.

    `test`: of equal groups; None where a single difference tells it. `method`: the kind of interval
    that was asked for.
    """

    differences: tuple[Contrast, ...]
    test: Mapping[str, float | None] | None
    method: str

    @property
    def is_of_means(self) -> bool:
        """Whether they are the differences of means."""
        return self.differences[0].answer is None


def moves_of(compared: Comparison, groups: Sequence[ItemResults], yes_at: int) -> list[Move]:
    """Return the estimates of every two groups beside each other; of two answers only the yes."""
    both = (
        zip(*(_headlines(one, compared) for one in pair), strict=True)
        for pair in itertools.combinations(groups, 2)
    )
    moves = [
        Move(first, second, one, (one.first.text, one.second.text))
        for one, (first, second) in zip(
            compared.differences, itertools.chain.from_iterable(both), strict=True
        )
    ]
    # With two answers, one difference is the negative of the other.
    has_two = not compared.is_of_means and len(groups[0].shares) == 2
    return moves[yes_at::2] if has_two else moves


def _headlines(group: ItemResults, compared: Comparison) -> Iterator[Headline]:
    for one in [group.mean] if compared.is_of_means and group.mean else group.shares:
        yield Headline(group.item, one.answer, name_of(one), one)


def lead_of(moves: Sequence[Move]) -> str:
    """Say which group has more, by how much, and whether that is more than chance.

    Of several differences it is the greatest one that is more than chance. Empty if an interval or
    an estimate is unknown.
    """
    known = [one for one in moves if None not in (one.change.interval, one.change.estimate)]
    if not moves or known != [*moves]:
        return ""
    beyond = [one for one in moves if not one.may_be_chance]
    most = max(beyond or moves, key=lambda one: abs(one.change.estimate or 0))
    said, ends = _difference(most)
    if not beyond:
        others = f", and so may the other {len(moves) - 1} differences" * (len(moves) > 1)
        return f"{said}. This may be chance{others}: the difference lies {ends}."
    count = f" {len(beyond)} of {len(moves)} differences are more than chance." * (len(moves) > 1)
    return f"{said}. This is more than chance: the difference lies {ends}.{count}"


def _difference(move: Move) -> tuple[str, str]:
    """Write a difference and its ends, such as “Yes: about 23 in 100 of “North” and 20 of “South””.

    The group that has more comes first. An estimate that is impossible is not written.
    """
    groups = [*zip((move.before, move.after), move.names, strict=True)]
    more, (low, high) = move.change.estimate or 0.0, move.change.interval or (0.0, 0.0)
    if more < 0:
        groups.reverse()
        more, low, high = -more, -high, -low
    (most, first), (least, second) = groups
    write, unit = (
        (in_100, " in 100") if most.answer else (partial(quantity, span=most.told.span), "")
    )
    # Beyond what is possible no number is written.
    low, high = max(low, -most.told.span), min(high, most.told.span)
    between = " and ".join(f"{'−' * (one < 0)}{write(abs(one))}" for one in (low, high))
    if most.told.outside or least.told.outside:
        said = f"{most.label}: more of “{first}” than of “{second}”"
        said += f", by about {write(more)}{unit}" * (more <= most.told.span)
    else:
        each = [write(one.told.estimate or 0) for one in (most, least)]
        said = f"{most.label}: about {each[0]}{unit} of “{first}” and {each[1]} of “{second}”"
        said += f", {write(more)} more"
    return said, f"between {between}{unit}"
