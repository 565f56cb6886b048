"""What the differences of groups show: in a sentence, and two groups beside each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from deniable.analysis.findings import Change, Contrast
from deniable.analysis.results import ItemResults
from deniable.results.estimate import name_of
from deniable.results.headlines import Headline, Move
from deniable.results.numbers import number
from deniable.text.wording import percent, quantity


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


def tries_said(count: int, level: float, where: str, if_none: str) -> str:
    """Say that so many differences hold together; `if_none`: what {} then show if there is none."""
    few = f"at most {number(100 * (1 - level), 0)} in 100 such"
    return (
        f"Chance has {count} tries {where}. So each interval is wider, and each p {count} times as "
        f"large (Bonferroni): if {if_none.format(few)}."
    )


def lead_of(moves: Sequence[Move]) -> str:
    """Say the greatest difference or change, and whether it is more than chance.

    Empty if a group's estimate is impossible, or if an interval is unknown.
    """
    unknown = any(one.change.interval is None for one in moves)
    outside = any(line.told.outside for one in moves for line in (one.before, one.after))
    if not moves or unknown or outside:
        return ""
    beyond = [one for one in moves if not one.may_be_chance]
    most = max(beyond or moves, key=lambda one: abs(one.change.estimate or 0))
    one = "change" if isinstance(most.change, Change) else "difference"
    if not beyond:
        what = f"the greatest of {len(moves)}" if len(moves) > 1 else "it"
        return f"No {one} can be seen: {what} lies {_ends(most)}. {_estimates(most)}."
    count = f" {len(beyond)} of {len(moves)} {one}s are more than chance." * (len(moves) > 1)
    said = f"{_estimates(most)}. This is more than chance: the {one} lies {_ends(most)}."
    return f"{said}{count}"


def _estimates(move: Move) -> str:
    """Write the two estimates, such as “Yes: 20 % of “North” and 23 % of “South””."""
    is_change = isinstance(move.change, Change)
    lines = move.before, move.after
    write = percent if move.after.answer else partial(quantity, span=move.after.told.span)
    of_each = (
        f"{write(line.told.estimate or 0)} {f'in {name.lower()}' if is_change else f'of “{name}”'}"
        for line, name in zip(lines, move.names, strict=True)
    )
    return f"{move.after.label}: {' and '.join(of_each)}{move.of}"


def _ends(move: Move) -> str:
    low, high = map(move.write, move.change.interval or (0.0, 0.0))
    return f"between {low} and {high}{' points' if move.after.answer else ''}"
