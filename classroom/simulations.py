"""Beyond this one class: made-up ones, the same phone asked again, and no coins at all."""

from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from deniable.analysis.planning.reach import greatest_reach
from deniable.analysis.privacy.adversary import belief
from deniable.analysis.privacy.cells import LEAST, hidden_cells
from deniable.analysis.privacy.composition import compose
from deniable.channel import ROW_SUM, Channel
from deniable.classroom.arithmetic import find, unmix
from deniable.classroom.class_state import LEAST_DIRECT, Class
from deniable.classroom.derivation import estimate
from deniable.classroom.pictures import (
    Row,
    Rows,
    Shown,
    believed,
    between,
    outside,
)
from deniable.lab.said import number, percent

SIZES: Final = (30, 300, 3000)
"""People of the made-up classes."""

_WIDE: Final = 0.4
"""From one end to the other: a longer interval holds so many shares that it says little."""

TIMES: Final = 50
"""How often the volunteer is asked."""


# ---------------------------------------------------------------- made-up classes


def sure(shown: Class) -> Shown:
    """Show the interval of this class, and of made-up ones of several sizes with the same truth."""
    true, name = true_shares(shown), shown.truths[shown.focus]
    own = _own(shown) if shown.n else {}
    rows = [*own.values()]
    for size in SIZES:
        found = find(shown.channel, made_up(shown.channel, true, size, shown.seed))
        id, said_of = f"made-up-{size}", f"{size:,} made up"
        rows.append(Row.of(id, said_of, found, shown.focus, "made-up"))
    said = (
        *(_interval(own[shown.focus], name) if own else ()),
        f"In the made-up classes, “{name}” is true of {percent(true[shown.focus])} of all people.",
        "Ten times as many people make the interval about three times as short.",
    )
    drawn = Rows.around(rows, mark=true[shown.focus], mark_text="the made-up truth")
    return Shown(said, drawn, _told(own[shown.focus], name) if own else "")


def _own(shown: Class) -> dict[int, Row]:
    """Return the bars of the class itself by their truths; there must be a report."""
    name = "This class" if len(shown.looked_at) == 1 else None
    return {truth: estimate(shown, truth, name) for truth in shown.looked_at}


def _told(row: Row, name: str) -> str:
    """Say an estimate with its interval, in a line."""
    share, ends = row.text, row.ends
    return f"“{name}”: {share}, between {ends}" if ends else f"“{name}”: {share}"


def _interval(row: Row, name: str) -> tuple[str, ...]:
    """Say what the interval of an estimate means."""
    said = outside(row.value, name)
    if row.low is None or row.high is None:
        return said
    if not said and not 0 <= row.low <= row.high <= 1:
        said = ("Nothing can be below 0 % or above 100 %. Chance leads there, and we show it.",)
    return ("Such an interval holds the true share in at least 95 of 100 classes.", *said)


def reach(shown: Class, n: int) -> float:
    """Return how far the interval of so many people reaches at most from a possible estimate."""
    return float(greatest_reach(shown.channel, n)[shown.focus])


def true_shares(shown: Class) -> tuple[float, ...]:
    """Return what is true in the made-up classes: what is most likely in this one."""
    return find(shown.channel, shown.totals).likely if shown.n else shown.beliefs


@lru_cache(maxsize=256)
def made_up(channel: Channel, shares: tuple[float, ...], n: int, seed: int) -> tuple[int, ...]:
    """Draw made-up people and their reports, and count these."""
    chance = np.random.default_rng([seed, n])
    likely = np.array(shares) / sum(shares)
    truths = chance.choice(len(shares), size=n, p=likely).tolist()
    words = chance.integers(0, ROW_SUM, n).tolist()
    drawn = [channel.sample(truth, word) for truth, word in zip(truths, words, strict=True)]
    return tuple(np.bincount(drawn, minlength=channel.reports).tolist())


# ---------------------------------------------------------------- asked again


def again(shown: Class) -> Shown:
    """Show what is believed of a volunteer with a made-up answer, asked again and again."""
    sent = volunteer_sends(shown.channel, shown.focus, shown.seed)
    before = shown.beliefs
    fresh = _beliefs(shown.channel, before, shown.focus, sent)
    once = fresh[1]
    name = shown.truths[shown.focus]
    cost = shown.channel.epsilon
    all_of_it = compose([shown.channel], waves=TIMES).epsilon
    said = (
        f"A volunteer has the made-up answer “{name}”, and is asked {TIMES} times.",
        (
            f"With new coins each time, we believe it with {believed(fresh[-1])} in the end. "
            f"ε is {number(all_of_it, 1)}."
        ),
        (
            f"Our phones send the remembered report again. It was “{shown.truths[sent[0]]}”. Our "
            f"belief in “{name}” went from {believed(fresh[0])} to {believed(once)} and stays "
            f"there, and ε stays at {number(cost)}."
        ),
    )
    rows = [
        Row(
            f"asked-{times}",
            f"new coins, asked {times} times",
            believed(fresh[times]),
            fresh[times],
            tone="noisy",
        )
        for times in (2, 5, 10, TIMES)
    ]
    remembered = Row("once", "the remembered report", believed(once), once)
    drawn = Rows.around((remembered, *rows), mark=fresh[0], mark_text="the belief before")
    return Shown(said, drawn)


@lru_cache(maxsize=64)
def volunteer_sends(channel: Channel, truth: int, seed: int) -> tuple[int, ...]:
    """Draw the reports of a volunteer whose phone tosses new coins each time."""
    words = np.random.default_rng([seed, TIMES]).integers(0, ROW_SUM, TIMES)
    return tuple(channel.sample(truth, word) for word in words.tolist())


@lru_cache(maxsize=64)
def _beliefs(
    channel: Channel, before: tuple[float, ...], truth: int, sent: tuple[int, ...]
) -> tuple[float, ...]:
    """Return what is believed of a truth before any report, after the first, and so on."""
    return (
        before[truth],
        *(
            float(belief(channel, list(before), sent[:place]).posterior[truth])
            for place in range(1, len(sent) + 1)
        ),
    )


# ---------------------------------------------------------------- without coins


def direct(shown: Class) -> Shown:
    """Show what was received, what un-mixing made of it, and what was answered directly."""
    if shown.direct is None:
        return Shown(
            (
                "Now we ask once more, and no coin is tossed. Whoever does not want to, does not.",
                (
                    "We show totals only, after the question is closed, and only if "
                    f"{LEAST_DIRECT} people answer or more."
                ),
            )
        )
    people = shown.answered_directly
    if people < LEAST_DIRECT:
        return Shown((f"Fewer than {LEAST_DIRECT} people answered. We do not show their totals.",))
    hidden = hidden_cells(shown.direct).tolist()
    way = unmix(shown.channel, shown.totals) if shown.n else ()
    rows = []
    for truth in shown.looked_at:
        answer = shown.truths[truth]
        came = way[truth].observed if way else None
        # Of several answers there is no room for a third bar each.
        alone = len(shown.looked_at) == 1
        if came is not None and alone:
            rows.append(Row.at(f"received-{truth}", f"{answer}, received", came, "noisy"))
        if shown.n:
            unmixed = estimate(shown, truth, f"{answer}, un-mixed")
            rows.append(unmixed if alone else replace(unmixed, before=came))
        if not hidden[truth]:
            share = shown.direct[truth] / people
            rows.append(Row.at(f"direct-{truth}", f"{answer}, asked directly", share, "direct"))
    said, name = [f"{people:,} people answered directly."], shown.truths[shown.focus]
    if way and len(shown.looked_at) > 1:
        said.append("A dashed outline shows the share of the reports, as received.")
    if any(hidden):
        said.append(
            f"Fewer than {LEAST} of them gave one of the answers. We show no share from which that "
            "one would follow."
        )
    if shown.n and not hidden[shown.focus]:
        said.append(_compared(shown))
        said.extend(outside(find(shown.channel, shown.totals).shares[shown.focus], name))
    return Shown(tuple(said), Rows.around(rows) if rows else None)


def _compared(shown: Class) -> str:
    """Say whether the interval holds what was answered directly."""
    ends = find(shown.channel, shown.totals).ends[shown.focus]
    share = (shown.direct or (0,))[shown.focus] / shown.answered_directly
    name = shown.truths[shown.focus]
    if ends is not None and ends[0] <= share <= ends[1]:
        if ends[1] - ends[0] > _WIDE:
            return (
                f"The interval holds the direct share of “{name}”, {percent(share)}. With so few "
                f"reports it holds many other shares too: all between {between(*ends)}."
            )
        return (
            f"The interval holds the direct share of “{name}”, {percent(share)}. We found it "
            "without knowing one answer."
        )
    return (
        f"The interval misses the direct share of “{name}”, {percent(share)}. That happens in 5 "
        "of 100 classes, and wherever people answer a direct question in another way."
    )
