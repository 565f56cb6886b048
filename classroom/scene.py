"""The steps on this class: it joins and answers, what came is shown, and the noise taken out."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable.analysis.planning.reach import greatest_reach
from deniable.analysis.privacy.adversary import evidence, posterior_bounds, posteriors
from deniable.classroom.arithmetic import find, in_people, in_percent, unmix
from deniable.classroom.class_state import LEAST_DIRECT, Class
from deniable.classroom.pictures import (
    NOBODY,
    Coins,
    Crowd,
    Dots,
    Row,
    Rows,
    Shown,
    Told,
    Way,
    believed,
    nearest,
    outside,
)
from deniable.coins import procedure_of
from deniable.lab.said import number, percent, points

SIZES: Final = (30, 300, 3000)
"""People in a usual class, which is the first size, and in the simulated classes."""

RECEIVED: Final = "as received"

_QUARTER: Final = Fraction(1, 4)

_MANY: Final = 10
"""The fewest people who are told as whole people."""


def widths(shown: Class) -> str:
    """Say how far intervals reach, for this class and for simulated ones."""
    sizes = sorted({_size(shown), *SIZES})
    return " · ".join(f"± {points(reach(shown, size), 0)} with {size:,}" for size in sizes)


def reach(shown: Class, n: int) -> float:
    """Return the greatest half-width of the interval of n people, from a possible estimate."""
    return float(greatest_reach(shown.channel, n)[shown.focus])


def _size(shown: Class) -> int:
    # The reports; before the first, the phones; before these, a usual class.
    return shown.n or shown.joined or SIZES[0]


# ---------------------------------------------------------------- before the numbers


def waiting(shown: Class) -> Shown:
    """Show how many have joined."""
    notes = (
        "No account, no name, no app: the address and the code are enough.",
        "No phone? Just watch.",
        "A phone that opens the address again before it has answered is counted twice.",
    )
    return Shown((f"Joined so far: {shown.joined:,}.",), notes)


def question(shown: Class) -> Shown:
    """Show the question, and how many have answered it."""
    drawn = "Your phone has no coins: a random number decides in their place what it sends."
    said = () if shown.item.has_spinner else (drawn,)
    notes = (
        "Read the question aloud. Then be quiet: nobody should look at another phone.",
        "What the projector shows from now on is noisy. The count grows at once, bars come later.",
        "Anybody may leave it out. Do not ask who did.",
    )
    return Shown(said, notes, Crowd(shown.n, shown.joined))


def coins(shown: Class) -> Shown:
    """Show how often phones send the report in focus, for each truth."""
    chances = shown.channel.probabilities[:, shown.focus].tolist()
    sending = [round(100 * chance) for chance in chances]
    others = sorted({count for truth, count in enumerate(sending) if truth != shown.focus})
    about = f"{others[0]}" if len(others) == 1 else f"{others[0]} to {others[-1]}"
    name, flips = shown.truths[shown.focus], shown.item.flips or ()
    sends = [f"{count} of 100 send “{name}”" for count in sending]
    bars = Rows.around(
        replace(Row.at(f"{truth}", f"“{name}” is true", chance, "noisy"), text=sends[truth])
        for truth, (name, chance) in enumerate(zip(shown.truths, chances, strict=True))
    )
    ways = _ways(shown)
    said = (
        (
            f"Of 100 people for whom “{name}” is true, about {sending[shown.focus]} send “{name}”. "
            f"Of 100 others, about {about} do."
        ),
        f"So anybody may have sent “{name}”.",
    )
    notes = (
        *(("Do it once by hand, where all can see it.",) if procedure_of(shown.item) else ()),
        (
            f"On average, {percent(max(flips))} of phones send something other than the answer. In "
            f"a class of {_size(shown)} that is about {nearest(max(flips) * _size(shown))} of the "
            "phones."
        ),
        "Stop the answers when the count stands still.",
    )
    return Shown(said, notes, Coins(ways, bars) if ways else bars)


def _ways(shown: Class) -> tuple[Way, ...]:
    """Return how two coins can fall, if it is they that decide; else nothing."""
    procedure = procedure_of(shown.item)
    if procedure is None or procedure.chances != (_QUARTER, _QUARTER):
        return ()
    first, second = (f"“{name}” is sent" for name in shown.truths)
    return (
        Way(("heads",), "your answer is sent"),
        Way(("tails", "heads"), second),
        Way(("tails", "tails"), first),
    )


def sent(shown: Class) -> Shown:
    """Show how many phones sent another answer than the true one; all look at their own phone."""
    has_coins, flips = not shown.item.has_spinner, shown.item.flips or ()
    said = [
        "Look at your phone. It shows what it sent.",
        *(("Below it, open “What chance decided: for your eyes only”.",) if has_coins else ()),
        "Is it what you answered? Do not say. Your neighbour cannot tell.",
    ]
    if shown.n:
        low, high = (nearest(flip * shown.n) for flip in (min(flips), max(flips)))
        about = f"{low}" if low == high else f"{low} to {high}"
        said.append(
            f"About {about} of {shown.n:,} people sent something that is not true. "
            "Nobody else knows which."
        )
    notes = (
        (
            "Ask: whose phone sent something else? Let nobody raise a hand: anybody who saw "
            "the report would know the answer."
        ),
        (
            "Ask: who would answer more openly on paper, in an envelope? Those who open the "
            "envelopes see the answers. Here nobody can."
        ),
    )
    return Shown(tuple(said), notes, Crowd(shown.n, shown.joined))


# ---------------------------------------------------------------- the reports


def bars(shown: Class) -> Shown:
    """Show how often each report came."""
    n, name = shown.n, shown.truths[shown.focus]
    share = shown.counts[shown.focus] / max(n, 1)
    notes = (
        "What is the true share? Each phone asks for a guess, and nobody sees whose it is.",
        *((f"Ask: is {percent(share)} the share in the class? Let two disagree.",) if n else ()),
        (
            f"Ask: in a class in which it is true of nobody, how many reports would still say "
            f"“{name}”? Hear some numbers, and press Next only then: the projector tells it."
        ),
        "Here each report shows at once. A real survey shows ten at a time, to hide who sent what.",
    )
    if not n:
        return Shown((NOBODY,), notes)
    rows = [
        Row(f"{place}", name, f"{count:,} ({percent(count / n)})", count / n, tone="noisy")
        for place, (name, count) in enumerate(zip(shown.truths, shown.counts, strict=True))
    ]
    said = ("This is all that we hold. Some of it is true, and some is chance.",)
    return Shown(said, notes, Rows.around(rows), "Guess on your phone")


def people(shown: Class) -> Shown:
    """Show in people how many reports came, how many of them chance makes, and the rest."""
    if not shown.n:
        return Shown((NOBODY,), ())
    one, name = unmix(shown.channel, shown.counts)[shown.focus], shown.truths[shown.focus]
    share, n = percent(one.share), shown.n
    # Half a person is not drawn, and of few people a tenth is. The sum is exact, and what is
    # drawn and told is about right.
    parts = 1 if n >= _MANY else 10
    came, chance, full = (
        nearest(share * n * parts) / parts for share in (one.observed, one.none, one.everybody)
    )
    left, kept = came - chance, full - chance
    rows = (
        Row("came", f"say “{name}”", number(came), came / n, tone="noisy"),
        Row("chance", "by chance, about", number(chance), chance / n, tone="noisy"),
        Row("left", "left, about", number(left), left / n, before=kept / n),
    )
    said = (
        (
            f"{number(came)} of {n:,} people sent “{name}”. If it were true of nobody, chance "
            f"would still make about {number(chance)} send it. Take these away."
        ),
        (
            f"Left: about {number(left)}. If “{name}” were true of everybody, about "
            f"{number(full)} of {n:,} would have sent it: less the {number(chance)}, "
            f"{number(kept)}. So the share is {share}."
        ),
    )
    notes = (
        (
            "Think of a class in which it is true of nobody, then of everybody. Write the sum on "
            "the board."
        ),
        (
            f"One report more or less moves the estimate by {points(1 / one.kept / shown.n)} in "
            f"this class of {shown.n}."
        ),
        (
            "An estimate below 0 % is no mistake. If we replaced it by 0, the average over many "
            "classes would be too high."
        ),
    )
    ends = (0, came / n, chance / n, left / n, kept / n)
    outline = "if it were true of everybody"
    drawn = Rows(min(ends), max(ends), rows, people=n, outline=outline)
    return Shown(said, notes, drawn, in_people(one, n))


def unmixed(shown: Class) -> Shown:
    """Show the same in percent: the share of the reports, and (ā − p) / (1 − 2p)."""
    if not shown.n:
        return Shown((NOBODY,), ())
    way = unmix(shown.channel, shown.counts)
    one, name = way[shown.focus], shown.truths[shown.focus]
    rows = (
        replace(
            Row.at(f"{truth}", shown.truths[truth], way[truth].share, before=way[truth].observed),
            noise=way[truth].none,
            guesses=tuple(guess / 100 for guess in shown.guesses) if truth == shown.focus else (),
        )
        for truth in shown.looked_at
    )
    by, everybody = (
        ("1 − 2p", percent(one.everybody))
        if shown.channel.is_symmetric
        else ("q − p", f"{percent(one.everybody)} (q)")
    )
    said = (
        (
            f"ā is what came: {percent(one.observed)} of {shown.n:,} reports say “{name}”, the "
            "dashed outline."
        ),
        (
            f"p is what chance alone makes: {percent(one.none)}. If “{name}” were true of "
            f"everybody, {everybody} of reports would say it."
        ),
        *outside(one.share, name),
        *_guessed(shown),
    )
    notes = (
        "Say “a-bar” for ā: the line means the average of what came.",
        "What is left is stretched, and so is each accident of the coins.",
        "Look at your guesses again: who was nearest?",
    )
    formula = f"(ā − p) / ({by}) = {in_percent(one, is_symmetric=shown.channel.is_symmetric)}"
    drawn = Rows.around(rows, outline=RECEIVED, **expected(shown))
    return Shown(said, notes, drawn, formula)


def expected(shown: Class) -> dict[str, Any]:
    """Return the line of the share that everybody expects, if it is known."""
    if shown.expected is None:
        return {}
    return {"mark": shown.expected, "mark_text": f"expected: {percent(shown.expected)}"}


def _guessed(shown: Class) -> tuple[str, ...]:
    if not shown.guesses:
        return ()
    count, mean = len(shown.guesses), sum(shown.guesses) / len(shown.guesses) / 100
    return (f"The dots: what {count:,} of you guessed, {percent(mean)} on average.",)


def estimate(shown: Class, truth: int, name: str | None = None) -> Row:
    """Return the bar of a share with its interval, from at least one report."""
    found = find(shown.channel, shown.counts)
    return Row.of(f"{truth}", name or shown.truths[truth], found, truth)


def point(shown: Class) -> Shown:
    """Show a dot for each report, and what the report tells about its sender."""
    if not shown.n:
        return Shown((NOBODY,), _point_notes(shown))
    told = tuple(_beliefs_by_report(shown, report) for report in range(shown.channel.reports))
    # A chosen dot beyond the last one had a report that was removed since.
    chosen = shown.chosen if 0 <= shown.chosen < shown.n else None
    dots = Dots(_places(shown.counts, shown.seed), told, chosen)
    low, high = posterior_bounds(shown.prior, shown.channel.epsilon).tolist()
    name, odds = shown.truths[shown.focus], _odds(shown)
    said = (
        f"Before the report, we give {believed(shown.prior)} to “{name}”.",
        *(("That is your mean guess.",) if _is_guessed(shown) else ()),
        (
            f"Whatever they sent, it stays between {believed(low)} and {believed(high)}: a report "
            f"makes the odds at most {odds} times larger or smaller."
        ),
    )
    return Shown(said, _point_notes(shown), dots)


def _odds(shown: Class) -> str:
    return number(math.exp(shown.channel.epsilon), 2)


def _is_guessed(shown: Class) -> bool:
    """Return whether the belief is the mean of what people guessed."""
    guesses = shown.guesses
    return bool(guesses) and math.isclose(sum(guesses), 100 * shown.prior * len(guesses))


def _point_notes(shown: Class) -> tuple[str, ...]:
    after_it = posteriors(shown.channel, shown.beliefs)[:, shown.focus].tolist()
    strongest = max(range(shown.channel.reports), key=lambda report: after_it[report])
    other = next(truth for truth in range(shown.channel.truths) if truth != shown.focus)
    factor = number(float(evidence(shown.channel, strongest, shown.focus, other)), 2)
    before, name, epsilon = shown.prior, shown.truths[shown.focus], shown.channel.epsilon
    return (
        (
            f"How likely is “{name}” of anybody, before any report? The number below is the mean "
            f"guess. If fewer than {LEAST_DIRECT} people guessed, ask aloud, and type a number."
        ),
        "Let somebody point at a dot on the wall. Click that dot here, below “On the projector”.",
        "Ask: do you know now? The dots stand in a random order.",
        (
            f"The arithmetic: the report “{shown.truths[strongest]}” is {factor} times as likely "
            f"if “{name}” is true. The odds were {percent(before)} to {percent(1 - before)}, and "
            f"become {factor} times as large. So {percent(before)} becomes "
            f"{believed(after_it[strongest])}."
        ),
        (
            f"ε, “epsilon”, says how much a report can tell of its sender: 0 is nothing. It is the "
            f"logarithm of the factor {_odds(shown)} of the odds, so {number(epsilon)}."
        ),
        "Try a belief of 1 %, of 50 %, of 99 %. A report changes a firm belief little.",
    )


@lru_cache(maxsize=64)
def _places(totals: tuple[int, ...], seed: int) -> tuple[int, ...]:
    """Return the report of each dot in random order, so that no place tells when it arrived."""
    reports = np.repeat(np.arange(len(totals)), totals)
    return tuple(np.random.default_rng(seed).permutation(reports).tolist())


def _beliefs_by_report(shown: Class, report: int) -> Told:
    """Return what one report tells: the beliefs before and after it."""
    before = shown.beliefs
    after = posteriors(shown.channel, before)[report].tolist()
    name = shown.truths[shown.focus]
    count = nearest(100 * after[shown.focus])
    said = (
        f"This one sent “{shown.truths[report]}”. The chance that “{name}” is true of them was "
        f"{believed(before[shown.focus])}, and is {believed(after[shown.focus])} now."
    )
    if 0 < count < 100:
        said = (
            f"This one sent “{shown.truths[report]}”. The chance that “{name}” is true of them was "
            f"{believed(before[shown.focus])}, and is {believed(after[shown.focus])} now: it is "
            f"true of about {count} of 100 such people, and nobody can tell of whom."
        )
    rows = (
        Row(f"belief-{truth}", name, believed(new), new, before=old)
        for truth, (name, old, new) in enumerate(zip(shown.truths, before, after, strict=True))
    )
    drawn = Rows.around(rows, outline="before we saw the report")
    return Told(f"sent “{shown.truths[report]}”", said, drawn)
