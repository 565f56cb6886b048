"""What the differences of groups show: in a sentence, and two groups beside each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from deniable.analysis.findings import Association, Change, Coefficient, Contrast, GroupRatio
from deniable.analysis.results import ItemResults
from deniable.results.estimate import name_of
from deniable.results.headlines import Headline, Move, in_100
from deniable.results.numbers import coefficient, number, ratio
from deniable.results.result import plain_term
from deniable.survey.questions import PREFER_NOT_TO_SAY
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
    lines = [
        [
            Headline(group.item, one.answer, name_of(one), one)
            for one in ([group.mean] if compared.is_of_means and group.mean else group.shares)
        ]
        for group in groups
    ]
    both = (zip(*pair, strict=True) for pair in itertools.combinations(lines, 2))
    moves = [
        Move(first, second, one, (one.first.text, one.second.text))
        for one, (first, second) in zip(
            compared.differences, itertools.chain.from_iterable(both), strict=True
        )
    ]
    shares = groups[0].shares
    # With two answers, perhaps beside a skip, the yes tells it.
    has_two = sum(one.answer.code != PREFER_NOT_TO_SAY for one in shares) == 2
    return moves[yes_at :: len(shares)] if has_two and not compared.is_of_means else moves


def tries_said(count: int, level: float, where: str, if_none: str) -> str:
    """Say that so many differences hold together; `if_none`: what {} then show if there is none."""
    few = f"at most {number(100 * (1 - level), 0)} in 100 such"
    return (
        f"Chance has {count} tries {where}. So each interval is wider, and each p {count} times as "
        f"large (Bonferroni): if {if_none.format(few)}."
    )


def lead_of(moves: Sequence[Move]) -> str:
    """Say which group or wave has more, by how much, and whether that is more than chance.

    Of several differences it is the greatest one that is more than chance. Empty if an interval or
    an estimate is unknown.
    """
    known = [one for one in moves if None not in (one.change.interval, one.change.estimate)]
    if not moves or known != [*moves]:
        return ""
    # Who skips a question says nothing that the study asks.
    answers = [
        one
        for one in moves
        if one.after.answer is None or one.after.answer.code != PREFER_NOT_TO_SAY
    ]
    moves = answers or moves
    beyond = [one for one in moves if not one.may_be_chance]
    most = max(beyond or moves, key=lambda one: abs(one.change.estimate or 0))
    one = "change" if isinstance(most.change, Change) else "difference"
    said, ends = _difference(most)
    return _beside_chance(said, one, ends, len(beyond), len(moves))


def _beside_chance(said: str, one: str, ends: str, beyond: int, count: int) -> str:
    """Say whether what is said of one is more than chance, and of how many that holds."""
    if not beyond:
        rest = one if count == 2 else f"{count - 1} {one}s"
        others = f", and so may the other {rest}" * (count > 1)
        return f"{said}. This may be chance{others}: the {one} lies {ends}."
    verb = "is" if beyond == 1 else "are"
    of_all = f" {beyond} of {count} {one}s {verb} more than chance." * (count > 1)
    return f"{said}. This is more than chance: the {one} lies {ends}.{of_all}"


def lead_of_others(
    found: Sequence[Association | Coefficient], chance: float, share: str = "share"
) -> str:
    """Say what goes together, by how much, and whether that is more than chance.

    Of several ratios, which hold together, it is the first that is more than chance. `chance`:
    what each is where nothing goes together. `share`: what ratios are of. Empty if a correlation or
    a coefficient has no interval, or an impossible estimate.
    """
    ends = [one.interval or (-math.inf, math.inf) for one in found]
    told = [*zip(found, ends, strict=True)]
    beyond = [(one, pair) for one, pair in told if not pair[0] <= chance <= pair[1]]
    if not found:
        return ""
    most, pair = (beyond or told)[0]
    outside = (isinstance(one, Association) and one.outside for one in found)
    if any(outside) or not all(map(math.isfinite, itertools.chain(*ends))):
        return _ends_said(most, *pair, share) if isinstance(most, GroupRatio) else ""
    middle, name = most.estimate or 0.0, "correlation"
    write: Callable[[float], str] = number
    said = f"The answers go together with a correlation of about {number(middle)}"
    if not beyond and not isinstance(most, GroupRatio):
        return _none_said(most, pair, len(found))
    if isinstance(most, GroupRatio):
        name, write, of = "ratio", ratio, f"times the {share} in “{most.second.text}”"
        said = f"{most.answer.text}: in “{most.first.text}” about {ratio(middle)} {of}"
    elif isinstance(most, Coefficient):
        name, write, more = "coefficient", coefficient, "more" if middle > 0 else "less"
        what = f"{more} of the number" if most.answer == "mean" else f"“{most.answer}” {more} often"
        said = f"“{plain_term(most.term)}” goes with {what}"
    between = " and ".join(map(write, pair))
    return _beside_chance(said, name, f"between {between}", len(beyond), len(found))


def _ends_said(one: GroupRatio, low: float, high: float, share: str) -> str:
    """Say what is known of a ratio without an estimate that is possible, or without an end."""
    first, second = f"the {share} in “{one.first.text}”", f"“{one.second.text}”"
    if low <= 1 <= high:
        first = f"no difference can be seen: {first}"
    if math.isfinite(high):
        between = f"between {ratio(low)} and {ratio(high)} times that in {second}"
        return f"{one.answer.text}: {first} lies {between}."
    if low > 0:
        return f"{one.answer.text}: {first} is at least {ratio(low)} times that in {second}."
    return f"{one.answer.text}: {first} may be any number of times that in {second}."


def _none_said(one: Association | Coefficient, interval: tuple[float, float], count: int) -> str:
    """Say that no correlation or coefficient is more than chance, and where the first one lies."""
    if not isinstance(one, Coefficient):
        low, high = map(number, interval)
        return f"No connection can be seen: the correlation lies between {low} and {high}."
    low, high = map(coefficient, interval)
    what = "the number" if one.answer == "mean" else f"“{one.answer}”"
    said = f"No connection with {what} can be seen"
    of = f" of “{plain_term(one.term)}”" * (count > 1)
    return f"{said}: the coefficient{of} lies between {low} and {high}."


def _difference(move: Move) -> tuple[str, str]:
    """Write a difference and its ends, such as “Yes: about 23 in 100 of “North” and 20 of “South””.

    The group that has more comes first; waves stay in their order. An estimate that is impossible
    is not written.
    """
    is_change = isinstance(move.change, Change)
    names = (f"in {one.lower()}" if is_change else f"of “{one}”" for one in move.names)
    both = [*zip((move.before, move.after), names, strict=True)]
    more, (low, high) = move.change.estimate or 0.0, move.change.interval or (0.0, 0.0)
    if more < 0 and not is_change:
        both.reverse()
        more, low, high = -more, -high, -low
    (one, first), (other, second) = both
    write, unit = (in_100, " in 100") if one.answer else (partial(quantity, span=one.told.span), "")
    # Beyond what is possible no number is written.
    low, high = max(low, -one.told.span), min(high, one.told.span)
    between = " and ".join(f"{'−' * (end < 0)}{write(abs(end))}" for end in (low, high))
    if one.told.outside or other.told.outside:
        is_later = is_change and more > 0
        most, least = (second, first) if is_later else (first, second)
        said = f"{one.label}: more {most} than {least}"
        said += f", by about {write(abs(more))}{unit}" * (abs(more) <= one.told.span)
    else:
        each = [write(line.told.estimate or 0) for line in (one, other)]
        said = f"{one.label}: about {each[0]}{unit} {first} and {each[1]} {second}"
    return f"{said}{move.of}", f"between {between}{unit}"
