"""After the noise: whatever is done with an answer, it gives no more away."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.mechanisms import geometric
from deniable.lab.page import Page, Settings, Shown, Value, fill
from deniable.lab.pictures import Columns, Drag, Picture, Table
from deniable.lab.said import number, percent

MOST: Final = 20
REACH: Final = 200

_AFTER: Final = {
    "cut": "Cut off at 0 and 20",
    "nothing": "Do nothing",
    "fives": "Round to fives",
    "more": "Say only: is it more than 10?",
    "odd": "Say only: is it odd?",
    "double": "Double it",
    "forget": "Throw it away, and print 7",
}
_FUNCTIONS: Final[Mapping[str, tuple[Callable[[FloatArray], FloatArray], str]]] = {
    "cut": (lambda y: y.clip(0, MOST), "noisy.clip(0, 20)"),
    "nothing": (lambda y: y, "noisy"),
    "fives": (lambda y: 5 * np.floor(y / 5 + 0.5), "5 * np.floor(noisy / 5 + 0.5)"),
    "more": (lambda y: (y > MOST / 2).astype(np.float64), "(noisy > 10).astype(float)"),
    "odd": (lambda y: y % 2, "noisy % 2"),
    "double": (lambda y: 2 * y, "2 * noisy"),
    "forget": (lambda y: np.full_like(y, 7), "np.full_like(noisy, 7)"),
}

_CODE: Final = """\
import numpy as np

epsilon, count = {epsilon}, {count}
noisy = np.arange(-200, 201)  # what may be published; the ends stand for all beyond them
alpha = np.exp(-epsilon)


def law(true_count):
    chances = (1 - alpha) / (1 + alpha) * alpha ** abs(noisy - true_count)
    chances[[0, -1]] /= 1 - alpha  # a geometric series: all that lies beyond
    return chances


without, joined = law(count), law(count + 1)
loss_before = abs(np.log(joined / without)).max()
average_before = joined @ np.log(joined / without)

printed, place = np.unique({function}, return_inverse=True)
after, after_joined = np.bincount(place, without), np.bincount(place, joined)
loss_after = abs(np.log(after_joined / after)).max()
average_after = after_joined @ np.log(after_joined / after)
"""


def law(count: int, epsilon: float) -> FloatArray:
    """Return how likely each whole number from -200 to 200 is to be published for a count.

    The first and the last stand for all beyond them, so that nothing is left out.
    """
    chances = geometric(epsilon, REACH + count)[: 2 * REACH + 1].copy()
    chances[[0, -1]] /= 1 - math.exp(-epsilon)
    return chances


def processed(after: str, chances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what can be printed, and how likely it is."""
    noisy = np.arange(-REACH, REACH + 1).astype(np.float64)
    printed, place = np.unique(_FUNCTIONS[after][0](noisy), return_inverse=True)
    return printed, np.asarray(np.bincount(place, chances), dtype=np.float64)


def losses(joined: FloatArray, without: FloatArray) -> tuple[float, float]:
    """Return the largest privacy loss, and the average one."""
    logs = np.log(joined / without)
    return float(np.abs(logs).max()), float(joined @ logs)


def compute(settings: Settings) -> Shown:
    """Return what a noisy count gives away before and after something is done with it."""
    epsilon = float(Fraction(settings["epsilon"]))
    count, after = int(Fraction(settings["count"])), str(settings["after"])
    without, joined = law(count, epsilon), law(count + 1, epsilon)
    before, average = losses(joined, without)
    printed, then = processed(after, without)
    then_joined = processed(after, joined)[1]
    loss, average_then = losses(then_joined, then)
    kept = average_then / average
    return Shown(
        said=(
            (
                f"A noisy count has the largest privacy loss {number(before)}. After this it has "
                f"{number(loss)}."
            ),
            (
                "It still tells the same of you."
                if kept > 1 - 1e-9
                else f"It tells less of you on average: {percent(kept)} of what it did."
            ),
        ),
        values=(
            Value("loss_before", "Largest loss before", before, number(before)),
            Value("loss_after", "Largest loss after", loss, number(loss)),
            Value("average_before", "Average loss before", average, number(average, 4)),
            Value("average_after", "Average loss after", average_then, number(average_then, 4)),
        ),
        code=fill(_CODE, settings, function=_FUNCTIONS[after][1]),
        pictures=(
            _laws(without, joined),
            _printed(printed, then, then_joined),
            _all(without, joined),
        ),
    )


def _laws(without: FloatArray, joined: FloatArray) -> Picture:
    places = range(-12, 33)  # the same for each count, so that one sees the curves move
    near = slice(REACH + places[0], REACH + places[-1] + 1)
    lines = Columns(places, {"without you": without[near], "with you": joined[near]})
    return Picture(
        id="before",
        drag=Drag("count"),
        caption="The noisy count before anything is done with it, without you and with you.",
        x="Noisy count",
        y="Probability",
        series=lines.series,
        table=lines.table(("Noisy count", "Without you", "With you"), percent, 2, x=number),
    )


def _printed(printed: FloatArray, then: FloatArray, then_joined: FloatArray) -> Picture:
    # Results that hardly ever come would only make the others small.
    likely = np.flatnonzero(then >= np.sort(then)[::-1][:14][-1])[:14]
    names = tuple(number(value) for value in printed[likely].tolist())
    columns = [one[likely].tolist() for one in (then, then_joined)]
    return Picture(
        id="after",
        caption=(
            "What is printed in the end. No two columns side by side are further apart than those "
            "of the noisy count were."
        ),
        x="Printed",
        y="Probability",
        series=Columns(
            names, {"without you": columns[0], "with you": columns[1]}, mark="bars"
        ).series,
        table=Table(
            ("Printed", "Without you", "With you", "Privacy loss"),
            tuple(
                (name, percent(a, 2), percent(b, 2), number(math.log(b / a)))
                for name, a, b in zip(names, *columns, strict=True)
            ),
        ),
    )


def _all(without: FloatArray, joined: FloatArray) -> Picture:
    found = {
        name: losses(processed(name, joined)[1], processed(name, without)[1]) for name in _AFTER
    }
    short = ("cut", "nothing", "fives", ">10", "odd", "×2", "7")
    return Picture(
        id="all",
        caption=(
            "The largest privacy loss after each of them. None is above that of the noisy count "
            "alone (“nothing”)."
        ),
        x="What is done",
        y="Largest privacy loss",
        series=Columns(short, {"": [loss for loss, _ in found.values()]}, mark="bars").series,
        table=Table(
            ("What is done", "Largest loss", "Average loss"),
            tuple(
                (_AFTER[name], number(loss), number(average, 4))
                for name, (loss, average) in found.items()
            ),
        ),
    )


PAGE: Final = Page(
    slug="afterwards",
    title="After the noise",
    summary="Whatever is done with a noisy answer, it cannot give more away.",
    paragraphs=(
        (
            "A noisy count may be below zero, which looks silly. May one cut it off, or round it? "
            "Yes: whatever is done after the noise was added costs nothing, as long as nobody "
            "looks at the true data again. It can make the answer better to read, but it cannot "
            "find you."
        ),
        (
            "The reason is simple. Each printed result comes from some noisy counts. If you join, "
            "each of them becomes at most e^ε times as likely, and so does their sum. This page "
            "adds up all of them, for a count of up to 20 people, and looks for the largest loss."
        ),
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "proposition 2.1."
        ),
        (
            "A. Ghosh, T. Roughgarden and M. Sundararajan (2009). Universally utility-maximizing "
            "privacy mechanisms. STOC. (Noise in whole numbers.)"
        ),
    ),
    inputs=(
        Choice("after", "What is done with the noisy count", _AFTER),
        Slider("epsilon", "ε", "0.1", "2", "0.1", "0.5"),
        Slider("count", "True count without you", "0", "19", "1", "3"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Show that ε still holds after anything is done with an ε-private answer.",
            "Let A be all answers from which the result r is made. With you, r has the "
            "probability P(A), without you Q(A). P(A) is the sum of P(a) over all a in A. Each "
            "P(a) is at most e^ε Q(a). So P(A) is at most e^ε Q(A). If chance is used to make r, "
            "the same holds for each way that it may fall.",
            {"after": "fives"},
            check=Pick(
                "P(A) is a sum, and each part keeps the bound",
                ("What is done has no chance in it", "The result is shorter than the answer"),
            ),
        ),
        Exercise(
            "Which of them make the largest loss smaller? Which ones do not?",
            "To double changes nothing: one can halve it again. To cut off keeps ε, as at some "
            "numbers in between all is as before. But “odd?” mixes numbers that you make more "
            "likely with such that you make less likely. And to print 7 tells nothing at all.",
            {"after": "odd", "epsilon": "0.5"},
            check=Pick("“Odd?” and “print 7”", ("“Double” and “cut off”", "None of them")),
        ),
        Exercise(
            "Is a count that is cut off at zero still right on average?",
            "No. A count of 0 then comes out above 0, as only the noise below is cut. Each single "
            "answer is nearer to the truth, but the average of many such counts is too high. So "
            "keep the noisy ones for sums, and cut off what you print.",
            {"after": "cut", "count": "0"},
            check=Pick("No, it is too high", ("Yes", "No, it is too low")),
        ),
        Exercise(
            "An office rounds the true count to fives, without noise. Is that post-processing?",
            "No. It looks at the true data. Where the true count goes from 7 to 8, the result "
            "goes from 5 to 10, and it gives that one person away. Add noise first, then round.",
            {"after": "fives", "count": "7"},
            check=Pick("No, it looks at the true count", ("Yes",)),
        ),
    ),
    topics=("post-processing, composition, group privacy",),
    guess=Guess(
        "A noisy count has a privacy loss of 0.5 at most. Now everything below 0 is cut off. "
        "What is the largest loss of what is printed?",
        "loss_after",
        0,
        1,
        "",
        scale=1,
        step=0.05,
    ),
)
