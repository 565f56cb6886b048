"""The steps beyond this class: simulated classes, a phone asked again, and a direct question."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from deniable.analysis.planning.reach import fewest_within
from deniable.analysis.privacy.adversary import belief
from deniable.analysis.privacy.disclosure import LEAST, hidden_cells
from deniable.channel import ROW_SUM, Channel, identity
from deniable.classroom.arithmetic import find, unmix
from deniable.classroom.class_state import EVEN, LEAST_DIRECT, Class
from deniable.classroom.pictures import Crowd, Row, Rows, Shown, believed, between, of_all
from deniable.classroom.scene import RECEIVED, SIZES, estimate, expected
from deniable.lab.said import number, percent

_WITHIN: Final = 0.03

MADE_UP: Final = 0.2
"""The true share in simulated classes, where nobody expects another one."""

TIMES: Final = 50
"""How often one person is asked."""


def sure(shown: Class) -> Shown:
    """Show the interval of this class above those of made-up ones, which are shorter if larger."""
    true, name = true_shares(shown), shown.truths[shown.focus]
    noisy, plain = (
        int(fewest_within(channel, _WITHIN)[shown.focus])
        for channel in (shown.channel, identity(shown.channel.truths))
    )
    # What is true of simulated classes says nothing of this one.
    own = [replace(estimate(shown, shown.focus, "This class"), crossed=False)] if shown.n else []
    drawn = Rows.around(
        (*own, *_made_up(shown, true)), mark=true[shown.focus], mark_text="the simulated truth"
    )
    said = (
        (
            "The line on each bar is its interval: it says how far chance may have moved the "
            "result. In at least 95 of 100 classes the true share lies on it."
        ),
        "Ten times as many people make it about three times as short, and the protection stays.",
    )
    found = [f"“{name}”: {row.text} · {row.ends}" for row in own if row.ends]
    notes = (
        "That is the price of deniability, and it is known before anybody answers.",
        (
            f"For ± 3 points one needs {noisy:,} people with these coins, and {plain:,} without: "
            f"{number(noisy / plain, 1)} times as many."
        ),
        "Ask: what would you pay for a shorter one? More people, or less protection.",
        (
            f"In the simulated classes, “{name}” is true of {percent(true[shown.focus])} of all "
            "people. Draw new ones a few times: about 1 interval in 20 misses the line."
        ),
    )
    return Shown(said, notes, drawn, *found)


def _made_up(shown: Class, true: tuple[float, ...]) -> Iterator[Row]:
    """Yield a bar for a made-up class of each size."""
    for size in SIZES:
        found = find(shown.channel, made_up(shown.channel, true, size, shown.seed))
        yield Row.of(f"made-up-{size}", f"{size:,} simulated", found, shown.focus, "made-up")


def true_shares(shown: Class) -> tuple[float, ...]:
    """Return the true shares in simulated classes: never those that this class seems to have."""
    share = MADE_UP if shown.expected is None else shown.expected
    rest = (1 - share) / (shown.channel.truths - 1)
    return tuple(share if truth == shown.focus else rest for truth in range(shown.channel.truths))


@lru_cache(maxsize=256)
def made_up(channel: Channel, shares: tuple[float, ...], n: int, seed: int) -> tuple[int, ...]:
    """Simulate n people and their reports; return how often each report came."""
    chance = np.random.default_rng([seed, n])
    likely = np.array(shares) / sum(shares)
    truths = chance.choice(len(shares), size=n, p=likely).tolist()
    words = chance.integers(0, ROW_SUM, n).tolist()
    drawn = [channel.sample(truth, word) for truth, word in zip(truths, words, strict=True)]
    return tuple(np.bincount(drawn, minlength=channel.reports).tolist())


def again(shown: Class) -> Shown:
    """Show that new coins find a person out, and copies of one report do not.

    Two made-up people, of whom different answers are true, happen to send the same first report.
    """
    channel, name = shown.channel, shown.truths[shown.focus]
    people = [(truth, shown.truths[truth]) for truth in (shown.focus, shown.other)]
    # As often as is typical, in an order without a pattern, which is what chance looks like.
    chance = np.random.default_rng(shown.seed)
    tossed = {t: tuple(chance.permutation(typical(channel, t, TIMES)).tolist()) for t, _ in people}
    new = [
        _pile(shown, f"new-{t}", f"“{true}” is true: {TIMES} new tosses", tossed[t])
        for t, true in people
    ]
    kept = [
        _pile(shown, f"kept-{t}", f"“{true}” is true: {TIMES} copies", (shown.focus,))
        for t, true in people
    ]
    found = f"New coins, {TIMES} times, find you out. One report, sent {TIMES} times, does not."
    said = (
        (
            f"Two simulated people. Each dot is a report, full for “{name}”. Bars: how sure we are "
            f"of “{name}”."
        ),
        (
            f"Our phones repeat one report, which tells nothing new. Both happen to say “{name}”: "
            "who is who?"
        ),
    )
    notes = (
        "Cover the names at the left. Ask: who is who? Above all can tell, below nobody can.",
        "The reports come as often as chance makes them on average.",
        (
            f"Each new toss costs ε = {number(channel.epsilon)} again. {TIMES} of them cost "
            f"{number(TIMES * channel.epsilon, 1)}, and nothing is left to hide."
        ),
        (
            "Next, phones ask directly. Ask the class now whether it wants this. If one person "
            "says no, press “Compare without asking”: the lesson ends with the other bars."
        ),
    )
    before = f"before any report: {believed(EVEN)}"
    more = {"reports": TIMES, "mark": EVEN, "mark_text": before}
    return Shown(said, notes, Rows.around((*new, *kept), **more), found)


def _pile(shown: Class, id: str, name: str, sent: tuple[int, ...]) -> Row:
    """Return the bar of the belief in the focus after some reports."""
    found = belief(shown.channel, list(shown.beliefs), sent).posterior[shown.focus]
    reports = tuple(report == shown.focus for report in sent)
    # A report that is kept is sent again as often, which tells nothing new.
    again = TIMES // len(reports)
    reports *= again
    return Row(id, name, believed(found), float(found), reports=reports, copies=again > 1)


def typical(channel: Channel, truth: int, times: int) -> tuple[int, ...]:
    """Return reports of one truth, each as often as chance makes it on average."""
    due = np.round(channel.probabilities[truth] * times, 6)
    counts = np.floor(due).astype(int)
    behind = (due - counts).tolist()
    # What rounding leaves goes to those that are farthest behind, of equal ones to the truth first.
    order = sorted(range(len(due)), key=lambda report: (-behind[report], report != truth))
    counts[order[: times - counts.sum()]] += 1
    return tuple(np.repeat(np.arange(len(due)), counts).tolist())


_SEEN: Final = "A report is a hint, never proof. All reports together tell the share roughly."

_NOTES: Final = (
    (
        "If all give the same answer, the total tells it of everybody. Ask: what would "
        "protect them? Coins."
    ),
    (
        "Compare. Did people answer in another way? What would they do with a more "
        "embarrassing question?"
    ),
)


def direct(shown: Class) -> Shown:
    """Show the received shares, the un-mixed ones and the direct ones."""
    came = shown.came or 0
    if shown.direct is None:
        said = (
            (
                "Now we ask once more without coins: what is sent is your answer. Nobody has to "
                "answer."
            ),
            (
                "We show totals only, after the question is closed, and only if "
                f"{LEAST_DIRECT} people answer or more."
            ),
        )
        asked = f"Without coins, do as many say “{shown.truths[shown.focus]}”?"
        return Shown(said, _NOTES, Crowd(came, max(shown.joined, shown.n)), asked)
    notes = _NOTES if shown.direct else ()
    found, told = _SEEN, tuple(_direct_said(shown))
    if shown.n and not _hidden(shown)[shown.focus]:
        name, told = shown.truths[shown.focus], (*told, _SEEN)
        share = find(shown.channel, shown.counts).shares[shown.focus]
        asked = percent(shown.direct[shown.focus] / shown.answered_directly)
        found = f"Asked directly, {asked} say “{name}”. With coins, we estimate {percent(share)}."
    return Shown(told, notes, _direct_bars(shown), found)


def _direct_bars(shown: Class) -> Rows | None:
    hidden = _hidden(shown)
    way = unmix(shown.channel, shown.counts) if shown.n else ()
    # Several answers leave no room for three bars each.
    alone = len(shown.looked_at) == 1
    rows = []
    for truth in shown.looked_at:
        name = shown.truths[truth]
        if way:
            came = way[truth].observed
            unmixed = estimate(shown, truth, f"“{name}” without the coins")
            if alone:
                sent = shown.counts[truth]
                rows.append(Row.part(f"received-{truth}", f"sent “{name}”", sent, shown.n))
            rows.append(unmixed if alone else replace(unmixed, before=came))
        if not hidden[truth]:
            count, people = (shown.direct or ())[truth], shown.answered_directly
            asked = f"“{name}”, asked directly"
            rows.append(Row.part(f"direct-{truth}", asked, count, people, "direct"))
    outline = "" if alone else RECEIVED
    return Rows.around(rows, outline=outline, **expected(shown)) if rows else None


def _direct_said(shown: Class) -> Iterator[str]:
    people, hidden = shown.answered_directly, _hidden(shown)
    if not shown.direct:
        yield "Nobody is asked directly."
        return
    if people < LEAST_DIRECT:
        yield f"Fewer than {LEAST_DIRECT} people answered. We do not show their totals."
        return
    if any(hidden):
        yield (
            f"Fewer than {LEAST} people gave one of the answers. We show no share from which that "
            "one would follow."
        )
    if hidden[shown.focus]:
        return
    if shown.n:
        yield _compared(shown)
    # Of several answers none is the one to hide, and the wall is full.
    if len(shown.looked_at) > 1:
        return
    yield (
        f"If “{shown.truths[shown.focus]}” is embarrassing, fewer admit it when they are asked "
        "directly. That is what coins are for."
    )


def _hidden(shown: Class) -> list[bool]:
    """Return for each answer whether its direct share is suppressed."""
    if shown.answered_directly < LEAST_DIRECT:
        return [True] * shown.channel.truths
    hidden: list[bool] = hidden_cells(shown.direct or ()).tolist()
    return hidden


def _compared(shown: Class) -> str:
    """Say whether the interval holds the direct share."""
    ends = find(shown.channel, shown.counts).ends[shown.focus]
    count, people = (shown.direct or (0,))[shown.focus], shown.answered_directly
    name, said = shown.truths[shown.focus], of_all(count, people)
    if ends is not None and ends[0] <= count / people <= ends[1]:
        return (
            f"The interval, between {between(*ends)}, holds the direct share of “{name}”, {said}. "
            "So chance alone can make the difference."
        )
    return (
        f"The interval misses the direct share of “{name}”, {said}. That happens in 5 of 100 "
        "classes, and wherever people answer a direct question in another way."
    )
