"""The steps on this class: it joins and answers, what came is shown, and the noise taken out."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable.analysis.privacy.adversary import evidence, posterior_bounds, posteriors
from deniable.classroom.arithmetic import Unmixed, find, in_people, in_percent, unmix
from deniable.classroom.class_state import EVEN, Class
from deniable.classroom.pictures import (
    NOBODY,
    TRACE,
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
    of_all,
)
from deniable.coins import procedure_of
from deniable.lab.said import number, percent, points

SIZES: Final = (30, 300, 3000)
"""People in a usual class, which is the first size, and in the simulated classes."""

RECEIVED: Final = "as received"

TO_EACH: Final = "Is it what you answered? Do not say. Nobody can tell from what was sent."
"""What a phone says as well, below what it sent."""

_QUARTER: Final = Fraction(1, 4)


def _size(shown: Class) -> int:
    # The reports; before the first, the phones; before these, a usual class.
    return shown.n or shown.joined or SIZES[0]


def waiting(_: Class) -> Shown:
    """Tell why anybody would ask so, while phones join."""
    said = (
        (
            "An honest Yes to “Have you doped?” can cost an athlete everything. Asked directly, "
            "many say No, and the count is too low."
        ),
        (
            "In 2011 athletes at the World Championships were asked so that no Yes proved "
            "anything. The estimate: 44 of 100 had doped within a year. Tests find 1 or 2 of 100."
        ),
        "Today you try how that works.",
    )
    notes = (
        (
            "Tell the story while phones join. It is from R. Ulrich and others (2018), Sports "
            "Medicine 48, 211–219. There it was 43.6 %, and other chance than coins."
        ),
        "No account, no name, no app: the address and the code are enough.",
        "No phone? Just watch.",
    )
    return Shown(said, notes)


def question(shown: Class) -> Shown:
    """Show the question, and how many have answered it."""
    drawn = "Your phone plays the coins with a random number."
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
        Row(f"{truth}", f"“{name}” is true", sends[truth], chance, tone="noisy")
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
            f"About {nearest(max(flips) * _size(shown))} of {_size(shown):,} phones "
            f"({percent(max(flips))}) send something other than the answer."
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
        TO_EACH,
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


def bars(shown: Class) -> Shown:
    """Show how often each report came."""
    n, name = shown.n, shown.truths[shown.focus]
    share = shown.counts[shown.focus] / max(n, 1)
    notes = (
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
        Row.part(f"{place}", name, count, n)
        for place, (name, count) in enumerate(zip(shown.truths, shown.counts, strict=True))
    ]
    said = ("This is all that we hold. Some of it is true, and some is chance.",)
    asked = f"What share do you think truly meant “{name}”? Guess on your phone."
    return Shown(said, notes, Rows.around(rows), asked)


def people(shown: Class) -> Shown:
    """Show in people how many reports came, how many of them chance makes, and the rest.

    Each bar has an outline, of so many: of all reports, or of those that chance made or let
    through.
    """
    if not shown.n:
        return Shown((NOBODY,), ())
    one, name = unmix(shown.channel, shown.counts)[shown.focus], shown.truths[shown.focus]
    share, n = percent(one.share), shown.n
    came, chance, left, coins, kept = in_people(one, n)
    rows = (
        Row("kept", "let through", kept, one.kept, before=1.0),
        Row("came", f"sent “{name}”", came, one.observed, tone="noisy", before=1.0),
        Row("chance", "by chance", chance, one.none, tone="noisy", before=1 - one.kept),
        Row("left", "left", left, one.less, before=one.kept),
    )
    said = (
        f"Of {n:,} reports, chance alone makes {coins}, on average, and lets {kept} through.",
        (
            f"Of the {coins} by chance, {chance} say “{name}”. Take them away: {left} of the "
            f"{kept} that came through say “{name}” ({share})."
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
    )
    ends = (0, 1, *(row.value for row in rows))
    drawn = Rows(min(ends), max(ends), rows, people=n, outline="of so many")
    return Shown(said, notes, drawn, f"({came} − {chance}) / {kept} = {share}")


def unmixed(shown: Class) -> Shown:
    """Show the same in percent: the share of the reports, and (ā − p) / (1 − 2p)."""
    if not shown.n:
        return Shown((NOBODY,), ())
    way = unmix(shown.channel, shown.counts)
    one, name = way[shown.focus], shown.truths[shown.focus]
    rows = (
        Row(
            f"{truth}",
            shown.truths[truth],
            percent(way[truth].share),
            way[truth].share,
            before=way[truth].observed,
            noise=way[truth].none,
            guesses=tuple(guess / 100 for guess in shown.guesses) if truth == shown.focus else (),
        )
        for truth in shown.looked_at
    )
    by = "1 − 2p" if shown.channel.is_symmetric else "q − p"
    said = (
        (
            f"ā is what came, the dashed outline: {of_all(shown.counts[shown.focus], shown.n)} "
            f"sent “{name}”."
        ),
        (
            f"p is what chance alone makes say “{name}”: {percent(one.none)} of all. It lets {by} "
            f"of all answers through: {percent(one.kept)}."
        ),
        *_moved(shown, one),
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


def _moved(shown: Class, one: Unmixed) -> Iterator[str]:
    """Say how far chance moved an estimate that is far from what everybody expects."""
    if shown.expected is not None:
        n, rate = shown.n, one.none + shown.expected * one.kept
        usual, moved = math.sqrt(rate * (1 - rate) / n) / one.kept, one.share - shown.expected
        # Nearly normal, and counted in whole reports.
        far = abs(moved) - 0.5 / n / one.kept
        often = max(1, nearest(100 * math.erfc(far / usual / math.sqrt(2))))
        by = f"{'+' if moved > 0 else ''}{points(moved, 0)}"
        if abs(moved) > usual:
            yield (
                f"With {n:,} people, chance alone often moves the result by ±{points(usual, 0)}. "
                f"Here it moved by {by} from the expected "
                f"{percent(shown.expected)}: in {often} of 100 classes it moves as far or farther."
            )
    if not -TRACE <= one.share <= 1 + TRACE:
        yield (
            "Below 0 % or above 100 % nothing can be: chance moved the result there. We leave it, "
            "as the average over many classes is right."
        )


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
    low, high = posterior_bounds(EVEN, shown.channel.epsilon).tolist()
    name, odds = shown.truths[shown.focus], _odds(shown)
    said = (
        f"Before the report, we give {believed(EVEN)} to “{name}”.",
        "Your phone counts from 50:50, too.",
        (
            f"Whatever they sent, it stays between {believed(low)} and {believed(high)}: a report "
            f"makes the odds at most {odds} times larger or smaller."
        ),
    )
    return Shown(said, _point_notes(shown), dots)


def _odds(shown: Class) -> str:
    return number(math.exp(shown.channel.epsilon), 2)


def _point_notes(shown: Class) -> tuple[str, ...]:
    after_it = posteriors(shown.channel, shown.beliefs)[:, shown.focus].tolist()
    strongest = max(range(shown.channel.reports), key=lambda report: after_it[report])
    factor = number(float(evidence(shown.channel, strongest, shown.focus, shown.other)), 2)
    before, name, epsilon = EVEN, shown.truths[shown.focus], shown.channel.epsilon
    return (
        "We begin at 50:50, as phones do: of a stranger we know nothing.",
        "Let somebody point at a dot on the wall. Click that dot here, below “On the projector”.",
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
    said = (
        f"This one sent “{shown.truths[report]}”. Someone who thought “{name}” "
        f"{believed(before[shown.focus])} likely before thinks it {believed(after[shown.focus])} "
        "likely now, and still cannot be sure."
    )
    rows = (
        Row(f"belief-{truth}", name, believed(new), new, before=old)
        for truth, (name, old, new) in enumerate(zip(shown.truths, before, after, strict=True))
    )
    drawn = Rows.around(rows, outline="before we saw the report")
    return Told(f"sent “{shown.truths[report]}”", said, drawn)
