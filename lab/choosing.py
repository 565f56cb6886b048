"""Choosing the best: the exponential mechanism, and noisy counts of which the greatest wins."""

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.mechanisms import exponential, noisy_max
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent

_QUESTIONS: Final = {
    "eyes": "Most common eye colour",
    "names": "Most common first name",
    "near": "Near the truth: −|a − x|",
    "square": "Near the truth: −|a − x|²",
}
_SCALES: Final = {"2": "exp(εu/2Δ): ε-private", "1": "exp(εu/Δ): 2ε-private"}

_NAMES: Final = {"near": "−|a − x|", "square": "−|a − x|²"}

_COLOURS: Final = ("brown", "blue", "hazel", "green", "grey")
"""Of the eyes of 100 made-up people."""

_PLACES: Final = 101
_TRUTH: Final = 30

_LINES: Final = {
    "eyes": "utilities = np.array([46, 27, 14, 8, 5])  # made-up counts; Δ is 1",
    "names": "utilities = 2000 // np.arange(10, 10010)  # made-up counts of 10,000 names; Δ is 1",
    "near": "utilities = -abs(np.arange(101) - 30)  # 30 is the truth; one person moves it by 1",
    "square": "utilities = -((np.arange(101) - 30) ** 2)  # 30 is the truth, again",
}

_CODE: Final = """\
import numpy as np
{imports}
epsilon, sensitivity, scale = {epsilon}, {sensitivity}, {scale}
{utilities}
weights = np.exp(epsilon * (utilities - utilities.max()) / (scale * sensitivity))
chances = weights / weights.sum()
best = chances[utilities.argmax()]
short = chances @ (utilities.max() - utilities)  # by how much less than the best, on average
bound = scale * sensitivity / epsilon * np.log(len(utilities) / 0.05)  # more with 5 % at most

{loss}"""

_COUNTS_LOSS: Final = """\
# Try all neighbours: one person goes from one candidate to another.
each_chance = chances[np.unique(utilities, return_index=True)[1]]
a, b = np.meshgrid(each_chance, each_chance)
step = epsilon / (scale * sensitivity)
loss = (step + np.log1p(a * np.expm1(-step) + b * np.expm1(step))).max()
loss_joining = step - np.log1p(each_chance.min() * np.expm1(step))
noisy = noisy_max(utilities, scale / epsilon)[utilities.argmax()]  # Laplace noise in each count
"""
_NUMBER_LOSS: Final = """\
off = chances @ abs(np.arange(101) - 30)

# Try all neighbours: the truth is one place further on.
away = -abs(np.subtract.outer(range(101), range(101))) ** {power}
logs = epsilon * away / (scale * sensitivity)
logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
loss = abs(np.diff(logs, axis=0)).max()
"""


def _are_counts(question: str) -> bool:
    return question in ("eyes", "names")


def _sensitivity(question: str) -> int:
    """Return by how much one person can change a utility."""
    # (d + 1)² − d² is greatest where d is: from 99 to 100.
    return 2 * (_PLACES - 1) - 1 if question == "square" else 1


def _chances_of(question: str, epsilon: float, scale: int) -> FloatArray:
    """Return how often each candidate is chosen."""
    return exponential(utilities_of(question), epsilon, _sensitivity(question), scale)


@lru_cache(maxsize=4)
def utilities_of(question: str) -> FloatArray:
    """Return how good each candidate is, for made-up people."""
    if question == "eyes":
        return np.array([46, 27, 14, 8, 5], dtype=np.float64)
    if question == "names":
        return np.asarray(2000 // np.arange(10, 10010), dtype=np.float64)
    away = np.abs(np.arange(_PLACES) - _TRUTH).astype(np.float64)
    return -away if question == "near" else -(away**2)


def loss_of_counts(chances: FloatArray, step: float) -> float:
    """Return the largest privacy loss if one person goes from one candidate to another."""
    # With a of the chance left and b joined, all weights together change by the factor R, and the
    # one that is left by e^-step: the loss at it is step + ln R.
    a, b = np.meshgrid(np.unique(chances), np.unique(chances))
    return float((step + np.log1p(a * np.expm1(-step) + b * np.expm1(step))).max())


def loss_of_joining(chances: FloatArray, step: float) -> float:
    """Return the largest privacy loss if one person joins."""
    # All weights together change by 1 + p (e^step - 1): less than the weight that the person adds.
    return float(step - np.log1p(chances.min() * np.expm1(step)))


def loss_of_numbers(epsilon: float, power: int, sensitivity: int, scale: int) -> float:
    """Return the largest privacy loss if one person moves the truth by one place."""
    places = np.arange(_PLACES)
    laws = [
        exponential(-(np.abs(places - truth).astype(float) ** power), epsilon, sensitivity, scale)
        for truth in places
    ]
    return float(np.abs(np.diff(np.log(laws), axis=0)).max())


def compute(settings: Settings) -> Shown:
    """Return what a private choice chooses."""
    read = typed(settings, question=str, epsilon=float, scale=int)
    utilities, chances = (
        utilities_of(read.question),
        _chances_of(read.question, read.epsilon, read.scale),
    )
    best = float(chances[utilities.argmax()])
    short = float(chances @ (utilities.max() - utilities))
    bound = (
        read.scale * _sensitivity(read.question) / read.epsilon * math.log(len(utilities) / 0.05)
    )
    values = [
        Value("best", "The best is chosen", best, percent(best, 2)),
        Value("short", "Worse than the best, on average", short, number(short, 2)),
        Value("bound", "Worse than this: 5 % at most", bound, number(bound, 1)),
    ]
    said = [
        (
            f"Of {len(utilities):,} candidates the best is chosen with {percent(best)}. By pure "
            f"chance it would be {percent(1 / len(utilities), 2)}."
        )
    ]
    if _are_counts(read.question):
        step = read.epsilon / read.scale
        loss = loss_of_counts(chances, step)
        joining = loss_of_joining(chances, step)
        noisy = _noisy(read.question, read.scale / read.epsilon)
        values += [
            Value("noisy", "The same by noisy counts", noisy, percent(noisy, 2)),
            Value("loss_joining", "Privacy loss of joining", joining, number(joining)),
        ]
        said.append(f"If each count gets noise, the greatest wins with {percent(noisy)}.")
    else:
        power = 1 if read.question == "near" else 2
        loss = loss_of_numbers(read.epsilon, power, _sensitivity(read.question), read.scale)
        values.append(Value("off", "Distance, on average", away(chances), number(away(chances), 2)))
    values.append(Value("loss", "Largest privacy loss found", loss, number(loss)))
    said.append(
        f"One person changes their answer, in all ways that there are: the largest privacy loss is "
        f"{number(loss)}. The promise is {number(2 * read.epsilon / read.scale)}."
    )
    pictures = (
        (_chances(read, chances), _along(read, best))
        if _are_counts(read.question)
        else (_law(read, chances), _distance(read, away(chances)))
    )
    code = fill(
        _CODE,
        settings,
        imports="\nfrom deniable.lab.mechanisms import noisy_max\n"
        if _are_counts(read.question)
        else "",
        sensitivity=_sensitivity(read.question),
        utilities=_LINES[read.question],
        loss=_COUNTS_LOSS
        if _are_counts(read.question)
        else _NUMBER_LOSS.format(power=1 if read.question == "near" else 2),
    )
    return Shown(said=tuple(said), values=tuple(values), code=code, pictures=pictures)


def _chances(read: Any, chances: FloatArray) -> Picture:
    counts = utilities_of(read.question)
    noisy = noisy_max(counts, read.scale / read.epsilon)
    shown = min(8, len(counts))
    names = list(_COLOURS) if read.question == "eyes" else [f"{n + 1}" for n in range(shown)]
    columns = []
    for found in (chances, noisy):
        column = found[:shown].tolist()
        columns.append((*column, float(found[shown:].sum())) if len(found) > shown else column)
    if len(counts) > shown:
        names.append("rest")
    said = [f"{count:,.0f}" for count in counts[:shown]] + ["fewer"][: len(names) - shown]
    return Picture(
        id="chances",
        caption="How often each is chosen. The more people stand behind one, the more often.",
        x="Candidate" if read.question == "eyes" else "Name, the most common one first",
        y="Probability",
        series=Columns(
            names,
            {"exponential mechanism": columns[0], "greatest noisy count": columns[1]},
            mark="bars",
        ).series,
        table=Table(
            ("Candidate", "People", "Exponential mechanism", "Greatest noisy count"),
            tuple(
                (name, people, *(percent(column[place], 2) for column in columns))
                for place, (name, people) in enumerate(zip(names, said, strict=True))
            ),
        ),
        y_range=(0, 1),
    )


def _law(read: Any, chances: FloatArray) -> Picture:
    other = "square" if read.question == "near" else "near"
    others = _chances_of(other, read.epsilon, read.scale)
    lines = Columns(
        range(_PLACES), {f"{_NAMES[read.question]}, as set": chances, _NAMES[other]: others}
    )
    return Picture(
        id="law",
        caption=(
            "How often each place is chosen. The distance gives Laplace’s pointed tent. Its square "
            "gives a bell, like Gaussian noise, which is wide here as Δ is 199."
        ),
        x="Place a",
        y="Probability",
        series=(*lines.series, Series("the truth x", "upright", (_TRUTH,), (0.0,), 2)),
        table=lines.table(
            ("Place", _NAMES[read.question], _NAMES[other]), percent, 2, at=range(0, _PLACES, 10)
        ),
        x_range=(0, _PLACES - 1),
    )


_EPSILONS: Final = (
    *(place / 20 for place in range(20)),
    *(1 + place / 5 for place in range(16)),
)
_SHOWN: Final = (0, 1, 2, 4, 10, 20, 25, 35)
"""The places of those that the tables name."""


def _along(read: Any, here: float) -> Picture:
    counts = utilities_of(read.question)
    top, even = int(counts.argmax()), 1 / len(counts)
    most = max(1.0, read.epsilon)
    x = [epsilon for epsilon in _EPSILONS if epsilon <= most]
    lines = Columns(
        x,
        {
            "exponential mechanism": [
                float(_chances_of(read.question, epsilon, read.scale)[top]) for epsilon in x
            ],
            "greatest noisy count": (
                even,
                *(_noisy(read.question, read.scale / epsilon) for epsilon in x[1:]),
            ),
        },
    )
    return Picture(
        id="along",
        drag=Drag("epsilon"),
        caption=(
            "How often the best is chosen. With ε = 0 all are equally likely, and with a large ε "
            "it is nearly sure."
        ),
        x="ε",
        y="The best is chosen",
        series=(
            *lines.series,
            Series("pure chance", "line", (0.0, most), (even, even), 2),
            Series("", "dots", (read.epsilon,), (here,), 0),
        ),
        table=lines.table(
            ("ε", "Exponential mechanism", "Greatest noisy count"),
            percent,
            at=[place for place in _SHOWN if place < len(x)],
            x=number,
        ),
        x_range=(0, most),
        y_range=(0, 1),
    )


def away(chances: FloatArray) -> float:
    """Return how far from the truth the place is that is chosen, on average."""
    return float(chances @ np.abs(np.arange(_PLACES) - _TRUTH))


def _distance(read: Any, here: float) -> Picture:
    lines = Columns(
        _EPSILONS,
        {
            name: [away(_chances_of(question, epsilon, read.scale)) for epsilon in _EPSILONS]
            for question, name in _NAMES.items()
        },
        tones=(0, 1) if read.question == "near" else (1, 0),
    )
    return Picture(
        id="distance",
        caption=(
            "How far from the truth the place is, on average. With ε = 0 all places are equally "
            "likely, and with a large ε it is close."
        ),
        x="ε",
        y="Distance, on average",
        series=(
            *lines.series,
            Series("", "dots", (read.epsilon,), (here,), 0),
        ),
        table=lines.table("ε", number, 1, at=_SHOWN, x=number),
        x_range=(0, _EPSILONS[-1]),
    )


@lru_cache(maxsize=256)
def _noisy(question: str, scale: float) -> float:
    """Return how often the best is the greatest, with noise of a scale in each count."""
    counts = utilities_of(question)
    return float(noisy_max(counts, scale)[counts.argmax()])


PAGE: Final = Page(
    slug="choosing",
    title="Choosing the best",
    summary="How to name the most common one, or the best one, and give nobody away.",
    paragraphs=(
        (
            "What eye colour is most common? The answer is not a number, so noise cannot be added "
            "to it. Instead, chance chooses. Each candidate has a utility u, which says how good "
            "it is, such as how many people have it. The better one is, the more likely it is "
            "chosen: its weight is e to the power of εu/2Δ. This is the exponential mechanism."
        ),
        (
            "There is a second way. Add noise to each count, and say only which one is the "
            "greatest. The counts stay secret, so this costs ε once, and not once for each "
            "candidate. A real release needs safer noise than a lesson, such as OpenDP’s."
        ),
    ),
    sources=(
        "F. McSherry and K. Talwar (2007). Mechanism design via differential privacy. FOCS.",
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "sections 3.3 and 3.4. (Report noisy max.)"
        ),
    ),
    inputs=(
        Choice("question", "Question (on made-up people)", _QUESTIONS),
        Slider("epsilon", "ε", "0.02", "4", "0.02", "0.1"),
        Choice("scale", "Weight", _SCALES),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Which eye colour is most common? How often is the true one named with ε = 0.1? What "
            "happens as ε goes to 0, and as it grows?",
            "Brown has 46 of 100 people, blue 27. Their weights are as e^(0.1 × 19 ÷ 2) = 2.6 to "
            "1, and brown is named with 53.6 %. With ε near 0 each of the five has 20 %. With ε = "
            "1 it is brown with 99.99 %.",
            {"question": "eyes", "epsilon": "0.1"},
            check=Number(53.6, 0.1, "% with ε = 0.1"),
        ),
        Exercise(
            "One text weighs with exp(εu), another one with exp(εu/2Δ). Who is right?",
            "Both. With Δ = 1 the first is 2ε-private and the second ε-private. It is the same "
            "mechanism on another scale: what one calls ε the other calls 2ε. With ε "
            "= 0.1 the one finds the same losses as the other with ε = 0.2.",
            {"question": "eyes", "epsilon": "0.1", "scale": "1"},
            check=Pick("Both, on two scales of ε", ("The first", "The second")),
        ),
        Exercise(
            "Show that exp(εu/2Δ) is ε-private. Where do the two halves of ε go?",
            "Let one person change. The weight of a candidate changes by the factor e^(ε/2) at "
            "most, as its utility changes by Δ at most. The sum of all weights, by which it is "
            "divided, changes by e^(ε/2) at most, too. Both together are e^ε.",
            {"question": "eyes"},
            check=Pick(
                "One in the weight, one in the sum of all weights",
                ("Both in the weight", "One in each of two people"),
            ),
        ),
        Exercise(
            "The utility is how near a number a is to the truth x: u = −|a − x|, with Δ = 1. "
            "Which mechanism is this?",
            "The weight is e^(−ε|a − x|/2). That is Laplace noise of the scale 2/ε, on whole "
            "numbers. So to add Laplace noise is one case of the exponential mechanism, but for "
            "the factor 2. Far from the ends it is not needed: the sum of all weights then stays "
            "as it is when x moves, and only one half of ε is spent.",
            {"question": "near", "epsilon": "0.5"},
            check=Pick(
                "Laplace noise of the scale 2/ε",
                ("Laplace noise of the scale 1/ε", "Gaussian noise"),
            ),
        ),
        Exercise(
            "Now u = −|a − x|², so a place twice as far is four times as bad. What changes?",
            "The weight is a bell: e^(−ε|a − x|²/2Δ), as for Gaussian noise. But one step of x "
            "changes u by up to 2 × 100 − 1 = 199, for a place at the other end. So Δ is 199, and "
            "the bell is wide. Without ends Δ would have no end either: it then promises nothing.",
            {"question": "square", "epsilon": "0.5"},
            check=Number(199, 0, "is Δ"),
        ),
        Exercise(
            "Some texts add noise of the scale 1/ε to each count, and not 2/ε. Are they wrong?",
            "No. They take tables for neighbours where one person joins or leaves. Then no count "
            "falls while another grows, and half of the noise will do. If a person goes from one "
            "candidate to another, the same noise promises 2ε. The exponential mechanism has just "
            "the same two cases: compare the two privacy losses on this page.",
            {"question": "eyes", "epsilon": "0.1", "scale": "1"},
            check=Pick("No, their neighbours join or leave", ("Yes", "Only for large counts")),
        ),
        Exercise(
            "Which of 10,000 first names is most common? How far may the count of the name that "
            "is chosen be below that of the best?",
            "By more than (2Δ/ε) ln(10,000 ÷ 0.05) with 5 % at most. For ε = 1 that is 24.4. "
            "The best name has 200 here and the next one 181, so it is nearly always found.",
            {"question": "names", "epsilon": "1"},
            check=Number(24.4, 0.1, "people"),
        ),
    ),
    topics=("exponential mechanism", "report noisy max"),
    guess=Guess(
        "Which eye colour is the commonest? With ε = 0.1, how often is it the right one of five "
        "that is named?",
        "best",
        0,
        100,
    ),
)
