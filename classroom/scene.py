"""From a class's totals to the numbers and sentences of a step."""

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable.analysis.privacy.adversary import posterior_bounds, posteriors
from deniable.classroom import derivation, simulations
from deniable.classroom.class_state import Class
from deniable.classroom.pictures import (
    COINS,
    NOBODY,
    Dots,
    Row,
    Rows,
    Shown,
    Told,
    believed,
    nearest,
)
from deniable.classroom.steps import step_of
from deniable.lab.said import number, percent


def scene(shown: Class, step: str) -> dict[str, Any]:
    """Return what the projector shows of a class at a step."""
    found = step_of(step)
    return {
        "step": step,
        "title": found.title,
        "question": shown.survey.questions[0].text,
        "answers": list(shown.truths),
        "n": shown.n,
        **_SHOWN[step](shown).document(),
    }


# ---------------------------------------------------------------- before the numbers


def _waiting(shown: Class) -> Shown:
    return Shown((f"Joined so far: {shown.joined:,}.",))


def _question(shown: Class) -> Shown:
    tosses = "Your phone tosses coins before it sends anything."
    return Shown((*(() if shown.item.has_spinner else (tosses,)), _received(shown)))


def _coins(shown: Class) -> Shown:
    """Show how often phones send the report that is looked at, whatever is true."""
    sending = [round(100 * row[shown.focus]) for row in shown.channel.probabilities.tolist()]
    others = sorted({count for truth, count in enumerate(sending) if truth != shown.focus})
    about = f"{others[0]}" if len(others) == 1 else f"{others[0]} to {others[-1]}"
    name = shown.truths[shown.focus]
    chances = shown.channel.probabilities[:, shown.focus].tolist()
    rows = [
        Row.at(f"{truth}", f"“{name}” is true", chances[truth], "noisy")
        for truth, name in enumerate(shown.truths)
    ]
    said = (
        (
            f"Of 100 people for whom “{name}” is true, about {sending[shown.focus]} send “{name}”. "
            f"Of 100 others, about {about} do."
        ),
        f"So anybody may have sent “{name}”.",
    )
    return Shown(said, Rows.around(rows))


def _sent(shown: Class) -> Shown:
    said = [
        "Look at your phone. It shows what it sent.",
        *(() if shown.item.has_spinner else (COINS,)),
        "Is it what you answered? Do not say. Your neighbour cannot tell.",
    ]
    flips = shown.item.flips or ()
    if shown.n:
        low, high = (nearest(flip * shown.n) for flip in (min(flips), max(flips)))
        about = f"{low}" if low == high else f"{low} to {high}"
        said.append(
            f"About {about} of {shown.n:,} people sent something that is not true. "
            "Nobody knows which."
        )
    return Shown(tuple(said))


def _received(shown: Class) -> str:
    paper = sum(shown.paper)
    if not shown.n:
        return NOBODY
    if paper:
        return f"Reports so far: {shown.n:,}, {paper:,} of them on paper."
    return f"Reports so far: {shown.n:,}."


# ---------------------------------------------------------------- the reports


def _bars(shown: Class) -> Shown:
    if not shown.n:
        return Shown((NOBODY,))
    n = shown.n
    rows = [
        Row(f"{place}", name, f"{count:,} ({percent(count / n)})", count / n, tone="noisy")
        for place, (name, count) in enumerate(zip(shown.truths, shown.totals, strict=True))
    ]
    said = (
        _received(shown),
        "This is all that we hold. Some of it is true, and some is chance.",
    )
    return Shown(said, Rows.around(rows))


def _point(shown: Class) -> Shown:
    if not shown.n:
        return Shown((NOBODY,))
    told = tuple(_told(shown, report) for report in range(shown.channel.reports))
    # With its report, what is pointed at goes.
    chosen = shown.chosen if 0 <= shown.chosen < shown.n else None
    dots = Dots(_places(shown.totals, shown.seed), told, chosen)
    low, high = posterior_bounds(shown.prior, shown.channel.epsilon).tolist()
    name = shown.truths[shown.focus]
    said = (
        f"Before: we believe “{name}” of anybody with {believed(shown.prior)}.",
        (
            f"Whatever they sent, it stays between {believed(low)} and {believed(high)}: no report "
            f"changes the odds more than {number(math.exp(shown.channel.epsilon), 2)} to 1. "
            f"That is ε = {number(shown.channel.epsilon)}."
        ),
    )
    return Shown(said, dots)


@lru_cache(maxsize=64)
def _places(totals: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """Return the report of each dot, in an order that chance drew: none tells who came when."""
    reports = np.repeat(np.arange(len(totals)), totals)
    return tuple(np.random.default_rng(seed).permutation(reports).tolist())


def _told(shown: Class, report: int) -> Told:
    """Say what one report tells."""
    before = shown.beliefs
    after = posteriors(shown.channel, before)[report].tolist()
    name = shown.truths[shown.focus]
    said = (
        f"This one sent “{shown.truths[report]}”. We believe “{name}” of them with "
        f"{believed(after[shown.focus])} now. Before, it was {believed(before[shown.focus])}."
    )
    rows = (
        Row(f"belief-{truth}", name, believed(new), new, before=old)
        for truth, (name, old, new) in enumerate(zip(shown.truths, before, after, strict=True))
    )
    return Told(shown.truths[report], said, Rows.around(rows))


_SHOWN: Final[Mapping[str, Callable[[Class], Shown]]] = {
    "waiting": _waiting,
    "question": _question,
    "coins": _coins,
    "sent": _sent,
    "bars": _bars,
    "unmix": derivation.unmixed,
    "people": derivation.people,
    "point": _point,
    "sure": simulations.sure,
    "again": simulations.again,
    "direct": simulations.direct,
}
