"""Asked again and again: what fresh answers give away, and a remembered one does not."""

from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np

from deniable import designs
from deniable.analysis.privacy.adversary import averaging, belief
from deniable.analysis.privacy.composition import compose
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent

MOST: Final = 60

_CODE: Final = """\
import numpy as np

from deniable import designs
from deniable.analysis.privacy import averaging, compose

channel = designs.warner(flip="{flip}")
attack = averaging(channel, [1 - {prior}, {prior}], waves={times})
without, remembered, fresh = attack.guessed_without, attack.remembered, attack.guessed
epsilon_fresh = compose([channel], waves={times}).epsilon
epsilon_remembered = compose([channel], waves={times}, remembered=True).epsilon

# One made-up person, of whom it is true, by the sampler of the project.
words = np.random.default_rng({seed}).integers(0, 2**32, {most})
answers = [channel.sample(1, word) for word in words.tolist()]
yes = sum(answers[:{times}])
"""


@lru_cache(maxsize=256)
def _guessed(flip: Fraction, prior: float) -> tuple[float, ...]:
    """Return how often the best guess is right after 1, 2, … fresh answers."""
    channel = designs.warner(flip=flip)
    return tuple(
        averaging(channel, [1 - prior, prior], waves).guessed for waves in range(1, MOST + 1)
    )


def answers(flip: Fraction, seed: int) -> list[int]:
    """Draw the fresh answers of one made-up person of whom it is true: 1 is a yes."""
    channel = designs.warner(flip=flip)
    words = np.random.default_rng(seed).integers(0, 2**32, MOST)
    return [channel.sample(1, word) for word in words.tolist()]


def compute(settings: Settings) -> Shown:
    """Return how well fresh and remembered answers give a person away."""
    flip, prior, times, seed = typed(settings, flip=Fraction, prior=float, times=int, seed=int)
    channel = designs.warner(flip=flip)
    attack = averaging(channel, [1 - prior, prior], waves=times)
    none, once = attack.guessed_without, attack.remembered
    fresh = compose([channel], waves=times).epsilon
    remembered = compose([channel], waves=times, remembered=True).epsilon
    yes = sum(answers(flip, seed)[:times])
    return Shown(
        said=(
            (
                f"Asked {times} times, each time with new coins, the best guess about a person is "
                f"right with {percent(attack.guessed)}. If the first answer is remembered and sent "
                f"again, it stays at {percent(attack.remembered)}."
            ),
            f"One made-up person, of whom it is true, sent “yes” {yes} times of {times}.",
        ),
        values=(
            Value("without", "Best guess without any answer", none, percent(none)),
            Value("remembered", "Best guess, one remembered answer", once, percent(once)),
            Value("fresh", "Best guess, fresh answers", attack.guessed, percent(attack.guessed)),
            Value("epsilon_fresh", "ε of all fresh answers", fresh, number(fresh)),
            Value("epsilon_remembered", "ε of a remembered one", remembered, number(remembered)),
            Value("yes", "“Yes” of one made-up person", yes, f"{yes} of {times}"),
        ),
        code=fill(_CODE, settings, most=MOST),
        pictures=(
            _found(flip, prior, times),
            _beliefs(flip, prior, times, seed),
            _ledger(channel.epsilon, times),
        ),
    )


def _found(flip: Fraction, prior: float, times: int) -> Picture:
    guessed = _guessed(flip, prior)
    none = max(prior, 1 - prior)
    lines = Columns(
        range(1, MOST + 1),
        {"fresh answers": guessed, "a remembered answer": [guessed[0]] * MOST},
        tones=(1, 0),
    )
    return Picture(
        id="found",
        drag=Drag("times"),
        caption="How often the best guess about a person is right. Fresh answers find them out.",
        x="How often they are asked",
        y="Best guess is right",
        series=(
            lines.series[0],
            Series("a remembered answer", "line", (1, MOST), (guessed[0], guessed[0]), 0),
            Series("no answer", "line", (1, MOST), (none, none), 2),
            Series("", "dots", (times,), (guessed[times - 1],), 1),
        ),
        table=lines.table(
            ("Asked", "Fresh answers", "A remembered one"),
            percent,
            2,
            at=(0, 1, 2, 4, 9, 19, 29, 39, 49, 59),
        ),
        x_range=(1, MOST),
        y_range=(0.5, 1),
    )


def _beliefs(flip: Fraction, prior: float, times: int, seed: int) -> Picture:
    channel = designs.warner(flip=flip)
    drawn = answers(flip, seed)
    before = [1 - prior, prior]
    after = [prior] + [
        float(belief(channel, before, drawn[: place + 1]).posterior[1]) for place in range(times)
    ]
    once = float(belief(channel, before, drawn[0]).posterior[1])
    return Picture(
        id="belief",
        caption=(
            "One made-up person, of whom it is true: what somebody believes after each fresh "
            "answer. The line ends at the truth sooner or later."
        ),
        x="Answers seen",
        y="Belief that it is true",
        series=(
            Series("fresh answers", "line", tuple(range(times + 1)), tuple(after), 1),
            Series(
                "a remembered answer",
                "line",
                (0, 1, *((times,) if times > 1 else ())),
                (prior, once, *((once,) if times > 1 else ())),
                0,
            ),
        ),
        table=Table(
            ("Answers seen", "The last one", "Belief"),
            tuple(
                (
                    str(place),
                    ("no", "yes")[drawn[place - 1]] if place else "",
                    percent(after[place], 2),
                )
                for place in range(times + 1)
            ),
        ),
        x_range=(0, max(times, 2)),
        y_range=(0, 1),
    )


def _ledger(epsilon: float, times: int) -> Picture:
    return Picture(
        id="ledger",
        drag=Drag("times"),
        caption=(
            "The ledger: what a person has given away so far. Each fresh answer is added. A "
            "remembered one is counted once."
        ),
        x="How often they are asked",
        y="ε in all",
        series=(
            Series("fresh answers", "line", (1, MOST), (epsilon, MOST * epsilon), 1),
            Series("a remembered answer", "line", (1, MOST), (epsilon, epsilon), 0),
            Series("", "dots", (times,), (times * epsilon,), 1),
        ),
        table=Table(
            ("Asked", "ε, fresh answers", "ε, a remembered one"),
            tuple(
                (str(place), number(place * epsilon), number(epsilon))
                for place in (1, 2, 5, 10, 20, 60)
            ),
        ),
        x_range=(1, MOST),
    )


PAGE: Final = Page(
    slug="again",
    title="Asked again and again",
    summary="Why new coins each time find you out, and why your device remembers its answer.",
    paragraphs=(
        (
            "One noisy answer tells little. But what if the same question comes every week, and "
            "you toss new coins each time? The noise averages out. Whoever counts your answers "
            "sees what you are, in a few months."
        ),
        (
            "The cure is simple: remember the first noisy answer and send that one again. It says "
            "the same each time, so it says nothing new. That is why a device keeps what it sent, "
            "and why it keeps a ledger of all the ε that its person has spent."
        ),
    ),
    sources=(
        (
            "Ú. Erlingsson, V. Pihur and A. Korolova (2014). RAPPOR: randomized aggregatable "
            "privacy-preserving ordinal response. CCS."
        ),
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 3.5."
        ),
    ),
    inputs=(
        Slider("times", "How often they are asked", "1", str(MOST), "1", "20"),
        Slider("flip", "p: chance that a report is flipped", "0.05", "0.45", "0.05", "0.25"),
        Slider("prior", "Belief before", "0.05", "0.95", "0.05", "0.5"),
        Slider("seed", "Data (made up; each number is another person)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "With p = 1/4, how often must somebody be asked until a guess is right 99 times of "
            "100?",
            "19 times: the page says 99.1 % for 19 fresh answers, and 98.8 % for 17. A person who "
            "is asked each week is found out in less than half a year.",
            {"flip": "0.25", "prior": "0.5", "times": "19"},
            check=Number(19, 0, "times"),
        ),
        Exercise(
            "Each fresh answer has ε = ln 3 ≈ 1.099. What is the ε of ten?",
            "The losses add up: 10 × 1.099 ≈ 10.99. Ten answers that all say “yes” are 3 to the "
            "power of 10 = 59,049 times as likely if it is true.",
            {"flip": "0.25", "times": "10"},
            check=Number(10.99, 0.01),
        ),
        Exercise(
            "Protect a person who is asked 20 times with fresh coins as well as one answer with "
            "ε = 1 would. What ε may each answer have?",
            "1/20 = 0.05, by the sum. That is a flip of 0.4875, so nearly a fair coin. Most of "
            "what each answer could tell is gone. To remember costs nothing.",
            check=Number(0.05),
        ),
        Exercise(
            "A device that remembers sends the same answer for years. What does it not protect?",
            "A truth that changes. If the device draws a new answer for it, that costs ε again, "
            "and the change itself may be seen. If it does not, the answer is about the past. A "
            "survey in waves must be designed for that from the start.",
            check=Pick(
                "A truth that changes", ("A truth that somebody guesses", "The first answer")
            ),
        ),
    ),
    topics=("asked again and again",),
    guess=Guess(
        "Somebody answers the same question 20 times, each time with new coins. How sure can "
        "one be of the truth?",
        "fresh",
        50,
        100,
    ),
)
