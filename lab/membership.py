"""Were you in it: what published averages and a trained model tell of who took part."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import steps
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent

MOST: Final = 2000
"""Traits that each person has or not."""

TRAINED: Final = 200
"""So many made-up people the model has learned from."""

_SIZES: Final = {"100": "100", "50": "50", "200": "200"}
_TRAITS: Final = {each: f"{int(each):,}" for each in ("400", "10", "50", "100", "1000", "2000")}
_NOISE: Final = {"none": "none", "10": "for ε = 10", "1": "for ε = 1"}

_CODE: Final = """\
import numpy as np

from deniable.lab.membership import made_up, memories

n, traits = {n}, {traits}
made = made_up(n, seed={seed})  # made-up people: 1 for each trait that somebody has
published = made.members.mean(axis=0) + {scale} * made.noise

# Does somebody lean to the same side as the averages, trait by trait?
lean = (published - 0.5)[:traits]
inside = (made.members[:, :traits] - 0.5) @ lean
outside = (made.others[:, :traits] - 0.5) @ lean
line = traits / (8 * n)  # halfway between what is expected of a member and of others
right = ((inside > line).mean() + (outside <= line).mean()) / 2
advantage = (traits / n) ** 0.5

# A model predicts by the average of the nearest {near} people that it has learned from.
error_inside, error_outside = memories({near}, seed={seed})
limit = np.sqrt((error_inside**2).mean() * (error_outside**2).mean()) ** 0.5
trained_right = ((error_inside <= limit).mean() + (error_outside > limit).mean()) / 2
typical_inside, typical_outside = error_inside.mean(), error_outside.mean()
"""


@dataclass(frozen=True)
class Made:
    """Made-up people of a study, others who are like them, and noise."""

    members: npt.NDArray[np.uint8]  # 1 for each trait that somebody has
    others: npt.NDArray[np.uint8]
    noise: FloatArray  # laplace noise of scale 1


@lru_cache(maxsize=8)
def made_up(n: int, seed: int) -> Made:
    """Make up a study of n people, and n others: each trait is tossed with a fair coin."""
    chance = np.random.default_rng(seed)
    bytes_ = chance.integers(0, 256, (2, n, MOST // 8), dtype=np.uint8)
    members, others = np.unpackbits(bytes_, axis=2)
    return Made(members, others, chance.laplace(size=MOST))


@lru_cache(maxsize=256)
def memories(near: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return how far a model is off for people it has learned from, and for others.

    A made-up pulse: 80 − 3 x for x hours of sport a week, and ±10 that sport does not explain.
    """
    chance = np.random.default_rng(seed)
    hours = chance.uniform(0, 8, (2, TRAINED))
    pulse = 80 - 3 * hours + 10 * chance.standard_normal((2, TRAINED))
    errors = []
    for place in (0, 1):
        away = np.abs(hours[place][:, None] - hours[0][None, :])
        nearest = np.argpartition(away, near - 1, axis=1)[:, :near]
        errors.append(np.abs(pulse[place] - pulse[0][nearest].mean(axis=1)))
    return errors[0], errors[1]


def scale(noise: str, n: int, traits: int) -> float:
    """Return the scale of the noise that each average needs."""
    return 0.0 if noise == "none" else traits / (n * float(noise))


def limit(inside: FloatArray, outside: FloatArray) -> float:
    """Return the error below which somebody is taken for a member."""
    return float(np.sqrt(np.sqrt((inside**2).mean() * (outside**2).mean())))


def by_normal(traits: int, n: int) -> float:
    """Return how often the best guess is right if both heaps are normal: Φ(√(J/n)/2)."""
    return 0.5 * (1 + math.erf(math.sqrt(traits / n) / 2 / math.sqrt(2)))


def _leanings(read: Any) -> tuple[FloatArray, FloatArray]:
    """Return how much members and others lean to the side of the averages."""
    made = made_up(read.n, read.seed)
    published = made.members.mean(axis=0) + scale(read.noise, read.n, read.traits) * made.noise
    lean = (published - 0.5)[: read.traits]
    inside, outside = (
        (each[:, : read.traits] - 0.5) @ lean for each in (made.members, made.others)
    )
    return inside, outside


def compute(settings: Settings) -> Shown:
    """Return how well somebody can tell who took part."""
    read = typed(settings, n=int, traits=int, near=int, seed=int, noise=str)
    inside, outside = _leanings(read)
    line = read.traits / (8 * read.n)
    right = float(((inside > line).mean() + (outside <= line).mean()) / 2)
    errors = memories(read.near, read.seed)
    edge = limit(*errors)
    trained = float(((errors[0] <= edge).mean() + (errors[1] > edge).mean()) / 2)
    advantage = math.sqrt(read.traits / read.n)
    by = "0" if read.noise == "none" else f"traits / ({read.noise} * n)"
    return Shown(
        said=(
            (
                f"{read.traits:,} averages of {read.n} people tell of {percent(right)} of all "
                "whether they took part. Guessing alone is right with 50 %."
            ),
            f"The model tells it of {percent(trained)}, as it averages so many: {read.near}.",
        ),
        values=(
            Value("right", "Right, by the averages", right, percent(right)),
            Value("line", "Line between the heaps", line, number(line)),
            Value("advantage", "How far the heaps are apart", advantage, number(advantage)),
            Value("trained_right", "Right, by the model", trained, percent(trained)),
            Value("typical_inside", "Model’s error, learned from", *_said(errors[0])),
            Value("typical_outside", "Model’s error, others", *_said(errors[1])),
        ),
        code=fill(_CODE, settings, scale=f"({by})").replace(" + (0) * made.noise", ""),
        pictures=(
            _heaps(inside, outside, line),
            _traits(read, right),
            _model(read, trained),
        ),
    )


def _said(errors: FloatArray) -> tuple[float, str]:
    mean = float(errors.mean())
    return mean, number(mean, 2)


def _heaps(inside: FloatArray, outside: FloatArray, line: float) -> Picture:
    both = np.concatenate([inside, outside])
    edges = np.linspace(both.min(), both.max(), 25)
    kept = [np.histogram(each, edges)[0] for each in (outside, inside)]
    return Picture(
        id="heaps",
        caption=(
            "How much each person leans to the side of the averages. Each member has pulled them a "
            "little, so members lean more. Right of the line one guesses “took part”."
        ),
        x="How much somebody leans to the averages",
        y="People",
        series=(
            *(
                steps(name, edges, counts, tone)
                for name, counts, tone in zip(("others", "members"), kept, (2, 1), strict=True)
            ),
            Series("the line", "upright", (line,), (0,), 0),
        ),
        table=Table(
            ("From", "to", "Others", "Members"),
            tuple(
                (
                    number(edges[first], 2),
                    number(edges[first + 3], 2),
                    *(f"{counts[first : first + 3].sum()}" for counts in kept),
                )
                for first in range(0, 24, 3)
            ),
        ),
    )


def _traits(read: Any, right: float) -> Picture:
    asked = (1, 10, *range(50, MOST + 1, 50))
    lines = Columns(
        asked,
        {f"{n} people": [by_normal(each, n) for each in asked] for n in (50, 100, 200)},
        tones=(3, 0, 2),
    )
    return Picture(
        id="traits",
        drag=Drag("traits"),
        caption=(
            "How often the guess is right, by the formula, if the averages are exact. The dot is "
            "what happened on this page."
        ),
        x="Averages that are published",
        y="Right about who took part",
        series=(*lines.series, Series("here", "dots", (read.traits,), (right,), 1)),
        table=lines.table(
            "Averages",
            percent,
            at=[asked.index(each) for each in (10, 50, 100, 400, 1000, 2000)],
            x="{:,}".format,
        ),
        x_range=(0, MOST),
        y_range=(0.5, 1),
    )


@lru_cache(maxsize=32)
def _by_near(seed: int) -> tuple[tuple[float, float, float], ...]:
    rows = []
    for near in _NEAR:
        inside, outside = memories(near, seed)
        edge = limit(inside, outside)
        trained = ((inside <= edge).mean() + (outside > edge).mean()) / 2
        rows.append((float(trained), float(inside.mean()), float(outside.mean())))
    return tuple(rows)


_NEAR: Final = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40)


def _model(read: Any, trained: float) -> Picture:
    rows = _by_near(read.seed)
    return Picture(
        id="model",
        drag=Drag("near"),
        caption=(
            "A model that averages few people knows those it has learned from by heart. Its error "
            "for them is small, and that tells who they are."
        ),
        x="People that the model averages",
        y="Right about who was learned from",
        series=(
            *Columns(_NEAR, {"by the model’s error": [row[0] for row in rows]}, (1,)).series,
            Series("guessing", "line", (1, 40), (0.5, 0.5), 2),
            Series("", "dots", (read.near,), (trained,), 1),
        ),
        table=Table(
            ("Averages", "Right", "Error, learned from", "Error, others"),
            tuple(
                (str(near), percent(row[0]), number(row[1], 2), number(row[2], 2))
                for near, row in zip(_NEAR, rows, strict=True)
            ),
        ),
        x_range=(1, 40),
        y_range=(0.4, 1),
    )


PAGE: Final = Page(
    slug="membership",
    title="Were you in it?",
    summary="Averages of a study, or a model trained on it, can tell that you took part.",
    paragraphs=(
        (
            "To have been in a study of an illness says that you have it. Can averages tell? Each "
            "person pulls each average a tiny bit to their own side. One average shows nothing. "
            "But studies of genes publish thousands, and a thousand tiny pulls add up."
        ),
        (
            "A trained model does the same if it has learned its data by heart. It is then better "
            "for people that it has seen. Whoever compares its error for you with its error for "
            "others can guess: was this record in the training set?"
        ),
    ),
    sources=(
        (
            "N. Homer et al. (2008). Resolving individuals contributing trace amounts of DNA to "
            "highly complex mixtures. PLoS Genetics 4. (Published allele shares.)"
        ),
        (
            "R. Shokri, M. Stronati, C. Song and V. Shmatikov (2017). Membership inference attacks "
            "against machine learning models. IEEE Symposium on Security and Privacy."
        ),
        (
            "S. Yeom, I. Giacomelli, M. Fredrikson and S. Jha (2018). Privacy risk in machine "
            "learning: analyzing the connection to overfitting. CSF."
        ),
    ),
    inputs=(
        Choice("n", "People in the study", _SIZES),
        Choice("traits", "Averages that are published", _TRAITS),
        Choice("noise", "Noise in the averages", _NOISE),
        Slider("near", "The model averages so many people", "1", "40", "1", "1"),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "How many averages of 100 people are enough to be right about nine in ten?",
            "Members and others are √(J/n) spreads apart, where J is the number of averages. One "
            "needs 2.56 for nine in ten, so J = 657. A study of genes publishes far more.",
            {"n": "100", "traits": "1000"},
            check=Number(657, 8, "averages"),
        ),
        Exercise(
            "The study has twice as many people. How many averages give as much away?",
            "Twice as many: only J/n matters. A large study protects better, but never when it "
            "publishes more than it has people.",
            {"n": "200", "traits": "2000"},
            check=Number(2, 0, "times as many"),
        ),
        Exercise(
            "Choose noise for ε = 1. What is left of the attack, and of the averages?",
            "The attack is a guess. But with 400 averages of 100 people the noise has the scale "
            "400/100 = 4, and shares lie between 0 and 1: nothing is left of them. Publish less, "
            "or ask more people. That is honest: so much was never there to be given.",
            {"n": "100", "traits": "400", "noise": "1"},
            check=Pick("Both are gone", ("Only the attack is gone", "Only the averages are gone")),
        ),
        Exercise(
            "The model averages one person. Why is the guess always right? Which number would you "
            "choose for real use?",
            "Somebody whom it has learned from is nearest to themselves. Their error is 0, that "
            "of others is not. With more people both errors come together, and the error for "
            "others falls too. A model that does not learn by heart is better for both.",
            {"near": "1"},
            check=Pick(
                "It knows that one by heart", ("It was lucky", "One person is typical of all")
            ),
        ),
    ),
    topics=("membership inference from a trained model", "aggregates give people away"),
    guess=Guess(
        "A study of 100 people publishes 400 averages and no names. Of how many people in 100 "
        "can one tell rightly whether they took part?",
        "right",
        50,
        100,
        "of 100",
    ),
)
