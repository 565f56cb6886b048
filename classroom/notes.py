"""What the presenter alone reads at a step: what to say, with the numbers of this class."""

from collections.abc import Callable, Mapping
from typing import Final

from deniable.analysis.planning.reach import fewest_within
from deniable.analysis.privacy.adversary import averaging, evidence, posteriors
from deniable.analysis.privacy.cells import LEAST
from deniable.channel import identity
from deniable.classroom.arithmetic import find, in_people, nearer, unmix
from deniable.classroom.by_hand import by_hand
from deniable.classroom.class_state import LEAST_DIRECT, Class
from deniable.classroom.pictures import COINS, believed, nearest
from deniable.classroom.simulations import SIZES, TIMES, reach
from deniable.lab.said import number, percent, points

_WITHIN: Final = 0.03

_GUESSED: Final = 3
"""Reports up to which it is worked out how often the best guess is right: more take too long."""


def notes(shown: Class, step: str) -> list[str]:
    """Return what the presenter reads at a step."""
    return list(_POINTS[step](shown))


def _size(shown: Class) -> int:
    """Return how many there are, or will be: reports, else phones, else a usual class."""
    return shown.n or shown.joined or SIZES[0]


def _widths(shown: Class) -> str:
    """Say how wide intervals are, of this class and of others."""
    sizes = sorted({_size(shown), *SIZES})
    return " · ".join(f"± {points(reach(shown, size), 0)} with {size:,}" for size in sizes)


def _waiting(shown: Class) -> tuple[str, ...]:
    return (
        "No account, no name, no app: the address and the code are enough.",
        f"Say it now: the interval reaches at most {_widths(shown)}.",
        (
            "Whoever has no phone writes a report on paper, with coins. You type the totals."
            if by_hand(shown.item)
            else "No coin or die makes these chances. Whoever has no phone leaves this out."
        ),
    )


def _question(_: Class) -> tuple[str, ...]:
    return (
        "Read the question aloud. Then be quiet: nobody should look at another phone.",
        "What the projector shows from now on is noisy. The count grows at once, bars come later.",
        "Who wants to leave it out, leaves it out. Do not ask who did.",
    )


def _coins(shown: Class) -> tuple[str, ...]:
    flips = shown.item.flips or ()
    return (
        *(("Do it once by hand, where all can see it.",) if by_hand(shown.item) else ()),
        (
            f"A phone sends something else with {percent(max(flips))}. In a class of "
            f"{_size(shown)} that is about {nearest(max(flips) * _size(shown))} phones."
        ),
        "Stop the answers when the count stands still.",
    )


def _sent(shown: Class) -> tuple[str, ...]:
    return (
        *(() if shown.item.has_spinner else ("Each phone shows what it sent.", COINS)),
        "Ask: whose phone sent something else than the answer? No hands! It is a trap.",
        "Ask: who would answer more openly on paper, in an envelope? Who counts the envelopes?",
    )


def _received(shown: Class) -> tuple[str, ...]:
    """Say what came in, of the answer that is looked at; nothing before a report."""
    if not shown.n:
        return ()
    yes, name = shown.totals[shown.focus], shown.truths[shown.focus]
    return (f"Here {yes:,} of {shown.n:,} reports say “{name}”: {percent(yes / shown.n)}.",)


def _bars(shown: Class) -> tuple[str, ...]:
    return (
        *_received(shown),
        "Let them guess: what is the true share? Collect three guesses, and write them down.",
        "This table is all that the server has. Whoever steals it, has this and no more.",
        (
            "These bars appear one report at a time. In a real survey, reports are shown ten at a "
            "time, because who sees you send could watch the bar."
        ),
    )


def _point(shown: Class) -> tuple[str, ...]:
    after_it = posteriors(shown.channel, shown.beliefs)[:, shown.focus].tolist()
    strongest = max(range(shown.channel.reports), key=lambda report: after_it[report])
    other = next(truth for truth in range(shown.channel.truths) if truth != shown.focus)
    ratio = evidence(shown.channel, strongest, shown.focus, other)
    before, name = shown.prior, shown.truths[shown.focus]
    return (
        (
            f"How likely is “{name}” of anybody? Ask the phones if at least {LEAST_DIRECT} take "
            "part. Else ask aloud, and type a number."
        ),
        "Let somebody point at a dot. Ask: do you know now? The dots stand in a random order.",
        (
            f"The arithmetic: “{shown.truths[strongest]}” is {number(float(ratio), 2)} times as "
            f"likely if “{name}” is true. The odds were {percent(before)} to "
            f"{percent(1 - before)}, and become {number(float(ratio), 2)} times as large. So "
            f"{percent(before)} becomes {believed(after_it[strongest])}."
        ),
        "Try a belief of 1 %, of 50 %, of 99 %. No report changes much of a firm belief.",
    )


def _unmix(_: Class) -> tuple[str, ...]:
    return (
        "Ask: is this the share in the class? Let two people disagree.",
        "Think of a class in which it is true of nobody. The coins still make some reports.",
        "How many, on average? That is p, and we know it exactly: we made the coins.",
        "What is left gets longer, and so does each accident of the coins.",
    )


def _people(shown: Class) -> tuple[str, ...]:
    if not shown.n:
        return ("The estimate is right on average, over all that the coins could have done.",)
    one = unmix(shown.channel, shown.totals)[shown.focus]
    counted = in_people(one, shown.n)
    return (
        f"Write it on the board: {counted}.",
        (
            f"One report more or less moves the estimate by {points(1 / one.kept / shown.n)} in "
            f"this class of {shown.n}."
        ),
        "Look at the guesses of before. Who was nearest?",
        "An estimate below 0 % is no mistake. If we cut it off, the average of classes is wrong.",
    )


def _sure(shown: Class) -> tuple[str, ...]:
    noisy = int(fewest_within(shown.channel, _WITHIN)[shown.focus])
    plain = int(fewest_within(identity(shown.channel.truths), _WITHIN)[shown.focus])
    return (
        f"The interval reaches at most {_widths(shown)}.",
        "That is the price of deniability, and it is known before anybody answers.",
        (
            f"For ± 3 points one needs {noisy:,} people with these coins, and {plain:,} without: "
            f"{number(noisy / plain, 1)} times as many."
        ),
        "Draw new made-up classes a few times. Which interval misses the line? About 1 in 20 may.",
    )


def _again(shown: Class) -> tuple[str, ...]:
    epsilon = shown.channel.epsilon
    said = [
        "Ask a volunteer to make up an answer and say it aloud. It must not be their own.",
        (
            f"Each new toss costs ε = {number(epsilon)} again. {TIMES} of them cost "
            f"{number(TIMES * epsilon, 1)}, and nothing is left to hide."
        ),
        "That is why each phone keeps what it sent, and sends the same when it is asked again.",
    ]
    if shown.channel.reports <= _GUESSED:
        attack = averaging(shown.channel, list(shown.beliefs), TIMES)
        said.append(
            f"Over all that the coins can do, the best guess is right in "
            f"{believed(attack.guessed)} of all cases after {TIMES} tosses, and in "
            f"{believed(attack.remembered)} after a remembered report."
        )
    said.append(
        "Next, phones ask directly. Ask the class now whether it wants this. If one person says "
        "no, stop here."
    )
    return tuple(said)


def _direct(shown: Class) -> tuple[str, ...]:
    return (
        (
            f"Say before anybody answers: this goes without coins, as totals only, after the "
            f"question is closed, and never if fewer than {LEAST_DIRECT} answer."
        ),
        "If all give the same answer, the total tells it of everybody. Ask what would help.",
        "Received, un-mixed, asked directly. The coins are between the first two.",
        f"If fewer than {LEAST} give one of the answers, a direct bar is left out.",
        *_nearer(shown),
        "Compare. Did people answer in another way? What would they do with a worse question?",
    )


def _nearer(shown: Class) -> tuple[str, ...]:
    """Say in how many classes like this one the un-mixed bar lies nearer to the truth."""
    if not shown.n or shown.channel.truths != 2:
        return ()
    yes = round(find(shown.channel, shown.totals).likely[1] * shown.n)
    first, _ = nearer(shown.channel, yes, shown.n)
    return (
        (
            f"If it is true of {yes} of {shown.n}, the un-mixed bar lies nearer to the truth than "
            f"the received one in {nearest(100 * first)} of 100 such classes. If not in this one, "
            "the coins did it: larger classes are surer."
        ),
    )


_POINTS: Final[Mapping[str, Callable[[Class], tuple[str, ...]]]] = {
    "waiting": _waiting,
    "question": _question,
    "coins": _coins,
    "sent": _sent,
    "bars": _bars,
    "unmix": _unmix,
    "people": _people,
    "point": _point,
    "sure": _sure,
    "again": _again,
    "direct": _direct,
}
