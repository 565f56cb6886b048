"""Choosing the best: the exponential mechanism, and the greatest noisy count."""

import math
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Series, Table, here
from deniable.lab.said import number, percent

_QUESTIONS: Final = {
    "eyes": "Most common eye colour",
    "names": "Most common first name",
    "median": "Median age",
    "near": "Near the truth: −|a − x|",
    "square": "Near the truth: −|a − x|²",
}
_SCALES: Final = {"2": "exp(εu/2Δ): ε-private", "1": "exp(εu/Δ): 2ε-private"}
_COLOURS: Final = ("brown", "blue", "hazel", "green", "grey")

_FAR: Final = 40.0
"""The range of integration, in scales of the noise: e^-40 of the noise lies beyond it."""

_NODES: Final = 8
"""Nodes of Gauss and Legendre in each piece, which is at most half a scale long."""


def exponential(
    utilities: npt.ArrayLike, epsilon: float, sensitivity: float = 1, scale: float = 2
) -> FloatArray:
    """Return the probability that the exponential mechanism chooses each candidate.

    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS.
    """
    exponents = epsilon * np.asarray(utilities, dtype=np.float64) / (scale * sensitivity)
    return np.asarray(scipy.special.softmax(exponents), dtype=np.float64)


def noisy_max(counts: npt.ArrayLike, scale: float) -> FloatArray:
    r"""Return the probability of each count to be the greatest after Laplace noise is added to all.

    With density f and distribution F of the noise, it is :math:`\int f(y - c_i) \prod_{j \ne i}
    F(y - c_j) dy`. The integrand is smooth between the counts, so it is integrated piece by piece.

    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, claim 3.9.
    """
    # Equal counts are equally likely, and many of thousands are equal.
    places, back, equal = np.unique(
        np.asarray(counts, dtype=np.float64) / scale, return_inverse=True, return_counts=True
    )
    # Only noisy values near the greatest count, or above it, can win; almost none lie far above.
    ends = places[places >= places[-1] - _FAR]
    ends = np.concatenate([[places[-1] - _FAR], ends, [places[-1] + _FAR]])
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    y, width = [], []
    for low, high in pairwise(ends.tolist()):
        cuts = np.linspace(low, high, math.ceil(2 * (high - low)) + 1)
        half = np.diff(cuts) / 2
        y.append(((cuts[:-1] + half)[:, None] + half[:, None] * nodes).ravel())
        width.append((half[:, None] * weights).ravel())
    at, each = np.concatenate(y), np.concatenate(width)
    away = at[:, None] - places
    density = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, density, 1 - density)
    logs = np.log(below)
    chances = each @ (density * np.exp((logs @ equal)[:, None] - logs))
    return np.asarray(chances[back], dtype=np.float64)


def lines(question: str, epsilon: float, scale: int) -> dict[str, Any]:
    """Compute how often each candidate is chosen, and the largest privacy loss of a neighbour."""
    places, sensitivity, truth = np.arange(101), 1, 30
    ages = (20 + 0.007 * np.arange(101) ** 2).round()  # of 101 made-up people
    younger = (ages[:, None] < places).sum(axis=0)
    if question == "eyes":
        utilities = np.array([46, 27, 14, 8, 5])  # counts of made-up people
    elif question == "names":
        utilities = 2000 // np.arange(10, 10010)  # made-up counts of 10,000 names
    elif question == "median":
        truth = int(np.median(ages))
        utilities = -abs(younger - 50)  # one person changes the number who are younger by 1
    elif question == "near":
        utilities = -abs(places - truth)  # one person moves the truth by 1
    else:
        utilities, sensitivity = -((places - truth) ** 2), 199

    chances = exponential(utilities, epsilon, sensitivity, scale)
    top = utilities.max()
    best = chances[utilities == top].sum()
    short = chances @ (top - utilities)  # by how much less than the best, on average
    bound = scale * sensitivity / epsilon * np.log(len(utilities) / 0.05)  # more with 5 % at most

    if question in ("eyes", "names"):
        # All neighbours: one person leaves a candidate of the chance a for one of the chance b.
        a, b = np.meshgrid(*[np.unique(chances)] * 2)
        step = epsilon / scale
        loss = (step + np.log1p(a * np.expm1(-step) + b * np.expm1(step))).max()
        loss_joining = step - np.log1p(chances.min() * np.expm1(step))
        noisy = noisy_max(utilities, scale / epsilon)  # Laplace noise in each count
        noisy_best = noisy[0]
    elif question == "median":
        # All neighbours: somebody of one age turns to another.
        old, new = (each.ravel()[:, None] for each in np.meshgrid(np.unique(ages), places))
        after = -abs(younger - (old < places) + (new < places) - 50)
        weights = np.exp(epsilon * after / scale)
        loss = abs(np.log(weights / weights.sum(axis=1, keepdims=True) / chances)).max()
    else:
        # All neighbours: the truth is one place further on.
        power = 1 if question == "near" else 2
        away = -(abs(np.subtract.outer(places, places)) ** power)
        logs = np.log([exponential(u, epsilon, sensitivity, scale) for u in away])
        loss = abs(np.diff(logs, axis=0)).max()
    if len(utilities) == 101:
        off = chances @ abs(places - truth)
    return locals()


def _show(found: Found) -> Shown:
    """Show the choices of a private mechanism, and its privacy loss."""
    are_counts = hasattr(found, "noisy_best")
    said = (
        (
            f"Of {len(found.utilities):,} candidates the best is chosen with "
            f"{percent(found.best)}. By pure chance it would be "
            f"{percent(1 / len(found.utilities), 2)}."
        ),
        f"If each count gets noise, the greatest wins with {percent(found.noisy_best)}."
        if are_counts
        else "",
        (
            "One person changes their answer, in all ways that there are: the largest privacy "
            f"loss is {number(found.loss)}. The promise is "
            f"{number(2 * found.epsilon / found.scale)}."
        ),
    )
    rows: list[tuple[Any, ...]] = [
        ("best", "The best is chosen", percent, 2),
        ("short", "Worse than the best, on average", number, 2),
        ("bound", "Worse than this: 5 % at most", number, 1),
    ]
    if are_counts:
        rows.append(("noisy_best", "The same by noisy counts", percent, 2))
        rows.append(("loss_joining", "Privacy loss of joining", number))
    else:
        rows.append(("off", "Distance, on average", number, 2))
    rows.append(("loss", "Largest privacy loss found", number))
    return Shown(
        said=said,
        values=values(found, *rows),
        pictures=(_counts(found) if are_counts else _distribution(found), _along(found)),
    )


def _counts(found: Found) -> Picture:
    shown = min(8, len(found.utilities))
    rest = ["rest"] if len(found.utilities) > shown else []
    names = [*_COLOURS] if found.question == "eyes" else [f"{n + 1}" for n in range(shown)]
    people = [str(count) for count in found.utilities[:shown]] + ["fewer"] * len(rest)
    columns = [
        [*one[:shown].tolist(), *([float(one[shown:].sum())] if rest else [])]
        for one in (found.chances, found.noisy)
    ]
    return Picture(
        id="chances",
        caption="How often each is chosen.",
        finding="The more people stand behind one, the more often.",
        x="Candidate" if found.question == "eyes" else "Name, the most common one first",
        y="Probability",
        series=Columns(
            names + rest,
            {"exponential mechanism": columns[0], "greatest noisy count": columns[1]},
            mark="bars",
        ).series,
        table=Table(
            ("Candidate", "People", "Exponential mechanism", "Greatest noisy count"),
            tuple(
                (name, count, percent(one, 2), percent(other, 2))
                for name, count, one, other in zip(names + rest, people, *columns, strict=True)
            ),
        ),
        y_range=(0, 1),
    )


def _distribution(found: Found) -> Picture:
    lines = Columns(found.places, {"chosen": found.chances})
    return Picture(
        id="distribution",
        caption=(
            "How often each place is chosen. The distance gives Laplace’s pointed tent. Its square "
            "gives a bell, like Gaussian noise, which is wide here as Δ is 199. Of the median’s "
            "places all between two ages are equally good."
        ),
        x="Place a",
        y="Probability",
        series=(*lines.series, Series("the truth x", "upright", (found.truth,), (0.0,), 2)),
        table=lines.table("Place", percent, 2, at=range(0, 101, 10)),
        x_range=(0, 100),
    )


def _along(found: Found) -> Picture:
    """Draw the utility that is lost at each ε, without the noisy counts, which are slow."""
    most = max(1.0, found.epsilon)
    x = np.linspace(0, most, 41)
    distributions = [exponential(found.utilities, one, found.sensitivity, found.scale) for one in x]
    short: FloatArray = np.array(distributions) @ (found.top - found.utilities)
    lines = Columns(x, {"worse by": short})
    return Picture(
        id="along",
        caption=(
            "By how much the chosen one is worse than the best, on average. With ε = 0 all are "
            "equally likely, and with a large ε it is nearly always the best."
        ),
        x="ε",
        y="Utility that is lost",
        series=(*lines.series, here(found.epsilon, found.short)),
        table=lines.table("ε", number, 2, at=range(0, 41, 5), x=number),
        x_range=(0, most),
    )


PAGE: Final = Page(
    slug="choosing",
    title="Choosing the best",
    summary="How to name the most common one, or the best one, and give nobody away.",
    idea=(
        "What eye colour is most common? The answer is not a number, so noise cannot be added "
        "to it. Instead, chance chooses. Each candidate has a utility u, which says how good "
        "it is, such as how many people have it. The better one is, the more likely it is "
        "chosen: its weight is e to the power of εu/2Δ. This is the exponential mechanism."
    ),
    why=(
        "There is a second way, report noisy max: add noise to each count, and say only which "
        "one is the greatest. The counts stay secret, so this costs ε once, and not once for "
        "each candidate. A real release needs safer noise than a lesson, such as OpenDP’s."
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
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "Which eye colour is most common? How often is the true one named with ε = 0.1?",
            "Brown has 46 of 100 people, blue 27. Their weights are as e^(0.1 × 19 ÷ 2) = 2.6 to "
            "1, and brown is named with 53.6 %. With ε = 1 it is brown with 99.99 %.",
            {"question": "eyes", "epsilon": "0.1"},
            check=Number(53.6, 0.1, "% with ε = 0.1"),
        ),
        Exercise(
            "Show what happens as ε goes to 0, and as it grows without end. What if two candidates "
            "are equally good?",
            "As ε goes to 0, each weight e^(εu/2Δ) goes to 1, so each of k candidates has 1/k. For "
            "the other end divide all weights by that of the best. One that is worse by d then has "
            "e^(−εd/2Δ), which goes to 0, and each of the best has 1. So the best is chosen for "
            "sure. If m of them are equally good, each of these has 1/m.",
            {"question": "eyes", "epsilon": "4"},
            check=Pick(
                "Each of m that are equally good has 1/m",
                ("The first of them is chosen", "Each of them has 1/k"),
            ),
        ),
        Exercise(
            "One text weighs with exp(εu), another one with exp(εu/2Δ). Which is right?",
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
            "Show that every mechanism π that is ε-private without δ is an exponential mechanism. "
            "Which utility does it have?",
            "Take u(a) = ln π(a | x), the logarithm of how often the table x answers a. The weight "
            "e^u is then π(a | x) itself, and the weights add up to 1. One person changes ln π by "
            "ε at most: that is the promise. So Δ = ε, and e^u is exp(εu/Δ), the second weight on "
            "this page. The proof for any utility would say 2ε. Here the sum of all weights never "
            "changes, so one half is not needed.",
            {"scale": "1"},
            check=Pick("ln π(a | x)", ("π(a | x)", "The number of people who say a")),
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
            "The median age of 101 people from 0 to 100 years. In some tables one person can move "
            "it by 100 years, so Laplace noise is of no use. Which utility makes it easy?",
            "How well an age a splits the people: u(a) = −|number of people younger than a − 50|. "
            "One person changes that number by 1, so Δ = 1, whatever the ages are. With ε = 1 the "
            "age that is chosen is 1.3 years off on average. For the mode take the counts, as for "
            "the eye colours.",
            {"question": "median", "epsilon": "1"},
            check=Number(1.3, 0.05, "years off, with ε = 1"),
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
    ),
    guess=Guess(
        "Which eye colour is the commonest? With ε = 0.1, how often is it the right one of five "
        "that is named?",
        "best",
        (0, 100),
        at="brown",
    ),
)
