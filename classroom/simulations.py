"""The steps beyond this class: simulated classes, a phone asked again, and a direct question."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from deniable.analysis.planning.reach import fewest_within
from deniable.analysis.privacy.adversary import averaging, belief
from deniable.analysis.privacy.composition import compose
from deniable.analysis.privacy.disclosure import LEAST, hidden_cells
from deniable.channel import ROW_SUM, Channel, identity
from deniable.classroom.arithmetic import find, nearer, unmix
from deniable.classroom.class_state import LEAST_DIRECT, Class
from deniable.classroom.pictures import (
    NOBODY,
    TRACE,
    Crowd,
    Row,
    Rows,
    Shown,
    believed,
    between,
    nearest,
    outside,
)
from deniable.classroom.scene import RECEIVED, SIZES, estimate, expected, widths
from deniable.lab.said import number, percent

_WITHIN: Final = 0.03

_MADE_UP: Final = 0.2
"""The true share in simulated classes, where nobody expects another one."""

_WIDE: Final = 0.4
"""The length of an interval above which it says little, because it holds so many shares."""

TIMES: Final = 50
"""How often the volunteer is asked."""

_GUESSED: Final = 3
"""Most reports of a channel for which the success of the best guess is computed: more are slow."""


# ---------------------------------------------------------------- made-up classes


def more(shown: Class) -> Shown:
    """Show the intervals of simulated classes of several sizes: they get short."""
    true, name = true_shares(shown), shown.truths[shown.focus]
    said = (
        "Ten times as many people make the interval about three times as short.",
        f"In the made-up classes, “{name}” is true of {percent(true[shown.focus])} of all people.",
        "Such an interval holds the true share in at least 95 of 100 classes.",
    )
    noisy, plain = (
        int(fewest_within(channel, _WITHIN)[shown.focus])
        for channel in (shown.channel, identity(shown.channel.truths))
    )
    notes = (
        f"The interval reaches at most {widths(shown)}.",
        "That is the price of deniability, and it is known before anybody answers.",
        (
            f"For ± 3 points one needs {noisy:,} people with these coins, and {plain:,} without: "
            f"{number(noisy / plain, 1)} times as many."
        ),
        (
            "Draw new made-up classes a few times. About 1 interval in 20 misses the line, also "
            "the shortest one, and also in the first draw."
        ),
    )
    drawn = _made_up(shown)
    return Shown(said, (*notes, *_beyond(drawn)), drawn)


def sure(shown: Class) -> Shown:
    """Show the interval of this class below those of larger ones."""
    notes = ("A class is small. What is wide here is short in a survey of 3,000 people.",)
    if not shown.n:
        return Shown((NOBODY,), notes)
    name, own, drawn = shown.truths[shown.focus], _own(shown), _made_up(shown)
    said = (
        *_interval(own[shown.focus], name),
        f"{shown.n:,} people are few: more people make it short, and the protection stays.",
    )
    every = Rows.around((*drawn.rows, *own.values()), mark=drawn.mark, mark_text=drawn.mark_text)
    asked = "Ask: what would you pay for a shorter one? More people, or less protection."
    return Shown(
        said, (*notes, asked, *_beyond(every)), every, _estimate_line(own[shown.focus], name)
    )


def _beyond(drawn: Rows) -> tuple[str, ...]:
    """Explain why an interval can begin at its estimate, if one does."""
    if all(-TRACE <= row.value <= 1 + TRACE for row in drawn.rows):
        return ()
    return (
        (
            "Where a bar ends below 0 % or above 100 %, its interval begins there. Of the shares "
            "that can be, the nearest fits these reports best: the interval goes from the bar to "
            "the last share that fits nearly as well (Feldman and Cousins)."
        ),
    )


def _made_up(shown: Class) -> Rows:
    """Return a bar for a made-up class of each size."""
    true = true_shares(shown)
    rows = []
    for size in SIZES:
        found = find(shown.channel, made_up(shown.channel, true, size, shown.seed))
        id, said_of = f"made-up-{size}", f"{size:,} made up"
        rows.append(Row.of(id, said_of, found, shown.focus, "made-up"))
    return Rows.around(rows, mark=true[shown.focus], mark_text="the made-up truth")


def _own(shown: Class) -> dict[int, Row]:
    """Return the bars of the class itself by truth, from at least one report."""
    name = "This class" if len(shown.looked_at) == 1 else None
    return {truth: estimate(shown, truth, name) for truth in shown.looked_at}


def _estimate_line(row: Row, name: str) -> str:
    """Write an estimate with its interval in a line."""
    share = row.text
    if row.low is None or row.high is None:
        return f"“{name}”: {share}"
    ends = between(row.low, row.high)
    return f"“{name}”: {share}, between {ends}"


def _interval(row: Row, name: str) -> tuple[str, ...]:
    """Explain the interval of an estimate."""
    said = outside(row.value, name)
    if row.low is None or row.high is None:
        return said
    if not said and (row.low < -TRACE or row.high > 1 + TRACE):
        said = ("Nothing can be below 0 % or above 100 %. Chance leads there, and we show it.",)
    return ("Such an interval holds the true share in at least 95 of 100 classes.", *said)


def true_shares(shown: Class) -> tuple[float, ...]:
    """Return the true shares in simulated classes: never those that this class seems to have."""
    share = _MADE_UP if shown.expected is None else shown.expected
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


# ---------------------------------------------------------------- asked again


def again(shown: Class) -> Shown:
    """Show the belief about a volunteer with a made-up answer who is asked again and again."""
    sent = volunteer_sends(shown.channel, shown.focus, shown.seed)
    before = shown.beliefs
    fresh = _beliefs_in_truth(shown.channel, before, shown.focus, sent)
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
    return Shown(said, _again_notes(shown), drawn)


def _again_notes(shown: Class) -> tuple[str, ...]:
    epsilon = shown.channel.epsilon
    found: tuple[str, ...] = ()
    if shown.channel.reports <= _GUESSED:
        attack = averaging(shown.channel, list(shown.beliefs), TIMES)
        found = (
            (
                f"If we repeated this many times, the best guess would be right in "
                f"{believed(max(shown.beliefs))} of all cases without any report, in "
                f"{believed(attack.remembered)} with the remembered one, and in "
                f"{believed(attack.guessed)} after {TIMES} tosses."
            ),
        )
    return (
        (
            "Ask a volunteer to make up an answer and say it aloud. It must not be their own. "
            "Choose it below, at “The volunteer said”."
        ),
        (
            f"Each new toss costs ε = {number(epsilon)} again. {TIMES} of them cost "
            f"{number(TIMES * epsilon, 1)}, and nothing is left to hide."
        ),
        "That is why each phone keeps what it sent, and sends the same when it is asked again.",
        *found,
        (
            "Next, phones ask directly. Ask the class now whether it wants this. If one person "
            "says no, press Next and at once Stop answers: the lesson ends with the other bars."
        ),
    )


@lru_cache(maxsize=64)
def volunteer_sends(channel: Channel, truth: int, seed: int) -> tuple[int, ...]:
    """Draw the reports of a volunteer whose phone tosses new coins each time."""
    words = np.random.default_rng([seed, TIMES]).integers(0, ROW_SUM, TIMES)
    return tuple(channel.sample(truth, word) for word in words.tolist())


@lru_cache(maxsize=64)
def _beliefs_in_truth(
    channel: Channel, before: tuple[float, ...], truth: int, sent: tuple[int, ...]
) -> tuple[float, ...]:
    # The belief in the truth before any report, after the first, and so on.
    return (
        before[truth],
        *(
            float(belief(channel, list(before), sent[:place]).posterior[truth])
            for place in range(1, len(sent) + 1)
        ),
    )


# ---------------------------------------------------------------- without coins

_SEEN: Final = "No report proves anything about its sender. All reports together tell the share."

_WANTED: Final = (
    "Why anybody wants this: an athlete who is asked about doping can lose everything by an "
    "honest Yes. With coins, no Yes proves anything, and the share of all still comes out."
)


def direct(shown: Class) -> Shown:
    """Show the received shares, the un-mixed ones and the direct ones."""
    came, notes = shown.came or 0, _direct_notes(shown)
    if shown.direct is None:
        said = (
            "Now we ask once more, and no coin is tossed. Nobody has to answer.",
            (
                "We show totals only, after the question is closed, and only if "
                f"{LEAST_DIRECT} people answer or more."
            ),
        )
        return Shown(said, notes, Crowd(came, shown.joined))
    return Shown(tuple(_direct_said(shown)), (*notes, _WANTED), _direct_bars(shown), _SEEN)


def _direct_notes(shown: Class) -> tuple[str, ...]:
    return (
        (
            f"Say before anybody answers: this goes without coins, as totals only, after the "
            f"question is closed, and never if fewer than {LEAST_DIRECT} answer."
        ),
        (
            "If all give the same answer, the total tells it of everybody. Ask: what would "
            "protect them? Coins."
        ),
        "Received, un-mixed, asked directly. The coins are between the first two.",
        f"If fewer than {LEAST} give one of the answers, a direct bar is left out.",
        *_nearer(shown),
        (
            "Compare. Did people answer in another way? What would they do with a more "
            "embarrassing question?"
        ),
    )


def _nearer(shown: Class) -> tuple[str, ...]:
    """Say in how many classes like this one the un-mixed bar is nearer to the truth."""
    if not shown.n or shown.channel.truths != 2:
        return ()
    yes = round(find(shown.channel, shown.counts).likely[1] * shown.n)
    first, _ = nearer(shown.channel, yes, shown.n)
    return (
        (
            f"If it is true of {yes} of {shown.n}, the un-mixed bar lies nearer to the truth than "
            f"the received one in {nearest(100 * first)} of 100 such classes. If not in this one, "
            "the coins did it: larger classes are surer."
        ),
    )


def _direct_bars(shown: Class) -> Rows | None:
    hidden = _hidden(shown)
    way = unmix(shown.channel, shown.counts) if shown.n else ()
    # Several answers leave no room for three bars each.
    alone = len(shown.looked_at) == 1
    rows = []
    for truth in shown.looked_at:
        answer = shown.truths[truth]
        if way:
            came = way[truth].observed
            unmixed = estimate(shown, truth, f"{answer}, un-mixed")
            if alone:
                rows.append(Row.at(f"received-{truth}", f"{answer}, received", came, "noisy"))
            rows.append(unmixed if alone else replace(unmixed, before=came))
        if not hidden[truth]:
            share = (shown.direct or ())[truth] / shown.answered_directly
            rows.append(Row.at(f"direct-{truth}", f"{answer}, asked directly", share, "direct"))
    outline = "" if alone else RECEIVED
    return Rows.around(rows, outline=outline, **expected(shown)) if rows else None


def _direct_said(shown: Class) -> Iterator[str]:
    people, hidden, name = shown.answered_directly, _hidden(shown), shown.truths[shown.focus]
    if people < LEAST_DIRECT:
        yield f"Fewer than {LEAST_DIRECT} people answered. We do not show their totals."
        return
    yield f"{people:,} people answered directly."
    if any(hidden):
        yield (
            f"Fewer than {LEAST} of them gave one of the answers. We show no share from which that "
            "one would follow."
        )
    if shown.n and not hidden[shown.focus]:
        yield _compared(shown)
        yield from outside(find(shown.channel, shown.counts).shares[shown.focus], name)


def _hidden(shown: Class) -> list[bool]:
    """Return for each answer whether its direct share is suppressed."""
    if shown.answered_directly < LEAST_DIRECT:
        return [True] * shown.channel.truths
    hidden: list[bool] = hidden_cells(shown.direct or ()).tolist()
    return hidden


def _compared(shown: Class) -> str:
    """Say whether the interval holds the direct share."""
    ends = find(shown.channel, shown.counts).ends[shown.focus]
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
