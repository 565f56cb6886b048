"""Composition: what many answers cost together, by five ways to add up."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.privacy.composition import Composition, compose
from deniable.analysis.privacy.divergence import kullback_leibler, renyi
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Records, Series, Table
from deniable.lab.said import number, percent

DELTAS: Final = {f"1e-{power}": f"1 in {10**power:,}" for power in (6, 3, 4, 5, 7, 8, 9)}
_ORDERS: Final = tuple(1 + place / 4 for place in range(77))
_PLACES: Final = (1, 2, 5, 10, 20, 30, 50, 75, 100, 125, 150, 175, 200)
PEOPLE: Final = 30
_SEEN: Final = 50  # so many steps of each walk are drawn at most

_CODE: Final = """\
from math import exp, log, sqrt

import numpy as np

from deniable import designs
from deniable.analysis.privacy import compose, kullback_leibler

epsilon, k, delta = {epsilon}, {k}, {delta}
coin = designs.warner(epsilon="{epsilon}")  # no ε-private answer tells more than this one
together = compose([coin], waves=k)

# Thirty people answer. Who sends the truth loses ε, and who sends the opposite wins it back.
told = np.random.default_rng(31).random(({people}, {most})) < coin.probabilities[0, 0]
losses = epsilon * (2 * told[:, :k] - 1).sum(axis=1)
largest = losses.max()

basic = k * epsilon
advanced = epsilon * sqrt(2 * k * log(1 / delta)) + k * epsilon * (exp(epsilon) - 1)
course = epsilon * sqrt(6 * k * log(1 / delta))  # a simpler form, for small ε
rho = k * epsilon**2 / 2
concentrated = rho + 2 * sqrt(rho * log(1 / delta))
by_renyi = together.epsilon_at(delta, method="renyi")
exact = together.epsilon_at(delta, method="optimal")

# The average privacy loss (Kullback and Leibler), of one answer, of two, and of k.
kl_one = kullback_leibler(coin)
pair = np.kron(coin.probabilities, coin.probabilities)
kl_two = pair[0] @ np.log(pair[0] / pair[3])
kl_all = together.renyi(1)
"""


@lru_cache(maxsize=512)
def _together(epsilon: Fraction, k: int) -> Composition:
    # No ε-private answer tells more than Warner's: every other one is that one, processed.
    return compose([designs.warner(epsilon=epsilon)], waves=k)


@lru_cache(maxsize=4096)
def totals(epsilon: Fraction, k: int, delta: float) -> Mapping[str, float]:
    """Return the ε of k answers together, by several ways to add up.

    `advanced` is theorem 3.20 of Dwork and Roth (2014). `concentrated` goes by ρ = kε²/2.
    """
    each, chance = float(epsilon), math.log(1 / delta)
    rho = k * each**2 / 2
    together = _together(epsilon, k)
    return {
        "basic": k * each,
        "advanced": each * math.sqrt(2 * k * chance) + k * each * (math.exp(each) - 1),
        "course": each * math.sqrt(6 * k * chance),
        "concentrated": rho + 2 * math.sqrt(rho * chance),
        "by_renyi": together.epsilon_at(delta, method="renyi"),
        "exact": together.epsilon_at(delta, method="optimal"),
    }


def walks(epsilon: Fraction) -> FloatArray:
    """Return the privacy loss of each person after 0, 1, 2 … answers."""
    keep = designs.warner(epsilon=epsilon).probabilities[0, 0]
    told = np.random.default_rng(31).random((PEOPLE, _PLACES[-1])) < keep
    # Whole steps are added up before they are scaled: sums of floats would drift apart.
    steps = np.pad((2 * told - 1).cumsum(axis=1), ((0, 0), (1, 0)))
    return np.asarray(float(epsilon) * steps)


_SAID: Final = {
    "basic": "Sum of all ε",
    "advanced": "Advanced composition",
    "course": "The same, for small ε",
    "concentrated": "By way of ρ (zCDP)",
    "by_renyi": "By Rényi, best order",
    "exact": "Exactly",
}


def compute(settings: Settings) -> Shown:
    """Return what many answers cost together."""
    read = typed(settings, epsilon=Fraction, k=int, delta=float)
    found = totals(read.epsilon, read.k, read.delta)
    coin = designs.warner(epsilon=read.epsilon)
    pair = np.kron(coin.probabilities, coin.probabilities)
    one, two = kullback_leibler(coin), float(pair[0] @ np.log(pair[0] / pair[3]))
    every = _together(read.epsilon, read.k).renyi(1)
    paths = walks(read.epsilon)
    largest = float(paths[:, read.k].max())
    wins = found["basic"] / found["exact"] if found["exact"] else math.inf
    return Shown(
        said=(
            (
                f"Answers: {read.k}, with ε = {number(float(read.epsilon))} each. Of {PEOPLE} "
                f"people the one who loses most has lost {number(largest)}, and the sum says "
                f"{number(found['basic'])}."
            ),
            (
                "The sum is exact, too, without δ."
                if wins < 1.005
                else f"If that may fail with a chance of {DELTAS[str(settings['delta'])]}, the "
                f"total is {number(found['exact'])} exactly: {number(wins, 1)} times less."
            ),
        ),
        values=(
            Value("largest", f"Largest loss of {PEOPLE} people", largest, number(largest)),
            *(Value(name, _SAID[name], found[name], number(found[name])) for name in _SAID),
            Value("kl_one", "Average loss of one answer", one, number(one, 5)),
            Value("kl_two", "Of two: it adds up", two, number(two, 5)),
            Value("kl_all", f"Of all {read.k}", every, number(every, 5)),
        ),
        code=fill(_CODE, settings, people=PEOPLE, most=_PLACES[-1]),
        pictures=(_walks(read, paths), _loss(read, found["exact"]), _orders(read)),
        records=(_ways(read),),
    )


def _walks(read: Any, paths: FloatArray) -> Picture:
    seen = np.unique(np.linspace(0, read.k, min(read.k, _SEEN) + 1).round().astype(int))
    most, x = paths[:, read.k].argmax(), tuple(seen.tolist())
    edge = float(_PLACES[-1] * read.epsilon)
    exact = {k: totals(read.epsilon, k, read.delta)["exact"] for k in _PLACES}
    return Picture(
        id="walks",
        drag=Drag("k"),
        caption=(
            f"{PEOPLE} people answer again and again. Who sends the truth loses ε, and who sends "
            "the opposite wins it back. To lose the sum, all that one sends would have to be true."
        ),
        x="Answers",
        y="Privacy loss so far",
        series=(
            *(
                Series("", "line", x, tuple(path[seen].round(4).tolist()), 0)
                for place, path in enumerate(paths)
                if place != most
            ),
            Series(f"who of {PEOPLE} loses most", "line", x, tuple(paths[most][seen].tolist()), 0),
            Series("exact ε, with δ", "line", (0, *exact), (0.0, *exact.values()), 1),
            Series("sum of all ε", "line", (_PLACES[-1], 0, _PLACES[-1]), (-edge, 0.0, edge), 2),
        ),
        table=Table(
            ("Answers", "Least of them", "On average", "Largest", "Exactly", "Sum"),
            tuple(
                (
                    str(k),
                    *(number(float(one)) for one in (at.min(), at.mean(), at.max())),
                    *(number(one) for one in (exact[k], float(k * read.epsilon))),
                )
                for k, at in ((k, paths[:, k]) for k in _PLACES)
            ),
        ),
        x_range=(0, _PLACES[-1]),
        y_range=(-edge, edge),
    )


def _ways(read: Any) -> Records:
    places = sorted({1, 2, 10, 50, 200, read.k})
    rows = [totals(read.epsilon, k, read.delta) for k in places]
    return Records(
        id="ways",
        caption=(
            f"What the textbooks say for so many answers, and for your {read.k}. The sum grows "
            "with their number and the others with its root: for few answers the sum is least."
        ),
        table=Table(
            ("ε in all, by", *(str(k) for k in places)),
            tuple((said, *(number(row[name]) for row in rows)) for name, said in _SAID.items()),
        ),
        marked=([*_SAID].index("exact"),),
    )


def _loss(read: Any, exact: float) -> Picture:
    loss, chance = _together(read.epsilon, read.k).loss_distribution
    seen = chance > chance.max() / 1e4
    loss, chance = loss[seen], chance[seen]
    every = max(1, len(loss) // 10)
    dots = Columns(loss, {"privacy loss": chance}, mark="dots")
    return Picture(
        id="loss",
        caption=(
            "Where the walks end, for everybody who might answer so often. Beyond the exact ε "
            "hardly anybody does, and the sum is further out."
        ),
        x="Privacy loss",
        y="Probability",
        series=(
            *dots.series,
            Series("exact ε, with δ", "upright", (exact,), (0.0,), 1),
            Series("sum of all ε", "upright", (float(read.k * read.epsilon),), (0.0,), 2),
        ),
        table=dots.table(
            ("Privacy loss", "Probability"), percent, 3, at=range(0, len(loss), every), x=number
        ),
    )


def _orders(read: Any) -> Picture:
    coin = designs.warner(epsilon=read.epsilon)
    one = np.array([renyi(coin, order) for order in _ORDERS])
    lines = Columns(_ORDERS, {"one answer": one, "two": 2 * one, "ten": 10 * one}, (0, 1, 3))
    return Picture(
        id="orders",
        caption=(
            "Rényi’s divergence of each order α. Order 1 is the average loss (Kullback and "
            "Leibler), and far to the right is ε. At each order two answers add up."
        ),
        x="Order α",
        y="Divergence",
        series=lines.series,
        table=lines.table(
            ("Order", "One answer", "Two", "Ten"),
            number,
            5,
            at=(0, 1, 2, 4, 8, 12, 16, 24, 36, 56, 76),
            x=lambda order: number(order, 2),
        ),
        x_range=(_ORDERS[0], _ORDERS[-1]),
    )


PAGE: Final = Page(
    slug="composition",
    title="Adding up ε",
    summary="What many answers cost together: the sum of all ε, and how much less it may be.",
    paragraphs=(
        (
            "Each answer costs ε, and k answers cost kε. That is composition, and it holds in any "
            "case, even if each question is chosen after the answer before. But to lose all of "
            "kε, each answer would have to be the worst one. That hardly ever happens if there are "
            "many: some point to the truth and some away from it."
        ),
        (
            "So allow the loss to be greater with a tiny chance δ. The total then grows with the "
            "root of k only. Textbooks have formulas for it: advanced composition, and "
            "concentrated privacy, whose ρ adds up. Today’s programs compute the whole law of the "
            "loss and are below all of them."
        ),
    ),
    sources=(
        (
            "C. Dwork, G. N. Rothblum and S. Vadhan (2010). Boosting and differential privacy. "
            "FOCS. (Advanced composition.)"
        ),
        (
            "P. Kairouz, S. Oh and P. Viswanath (2015). The composition theorem for differential "
            "privacy. ICML. (The exact one.)"
        ),
        (
            "M. Bun and T. Steinke (2016). Concentrated differential privacy: simplifications, "
            "extensions, and lower bounds. TCC."
        ),
        "I. Mironov (2017). Rényi differential privacy. IEEE Computer Security Foundations.",
        (
            "C. Canonne, G. Kamath and T. Steinke (2020). The discrete Gaussian for differential "
            "privacy. NeurIPS. (From Rényi’s divergence to ε: Mironov’s own way gives more, 5.58 "
            "instead of 5.07 in exercise 1.)"
        ),
    ),
    inputs=(
        Slider("epsilon", "ε of each answer", "0.01", "1", "0.01", "0.1"),
        Slider("k", "Answers", "1", "200", "1", "100"),
        Choice("delta", "δ", DELTAS),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "A hundred answers with ε = 0.1 each, and δ = 1 in a million. Compare the five totals.",
            "The sum is 10. Advanced composition: 0.1 × √(200 ln 1,000,000) + 10 × (e^0.1 − 1) = "
            "5.26 + 1.05 = 6.31. By ρ = 0.5: 0.5 + 2√(0.5 × 13.8) = 5.76. By Rényi’s best order: "
            "5.07. Exactly: 4.77.",
            {"epsilon": "0.1", "k": "100", "delta": "1e-6"},
            check=Number(4.77, 0.01, "exactly"),
        ),
        Exercise(
            "A simpler form of advanced composition is ε√(6k ln 1/δ). When is it of use?",
            "It is √3 = 1.7 times the first part of the longer formula, and that must cover the "
            "second part. So it holds if ε is small: with ε = 0.1 for up to 1,300 answers. It is "
            "easy to remember, and costs much: for a hundred answers it says 9.1, where the sum "
            "is 10.",
            {"epsilon": "0.1", "k": "100", "delta": "1e-6"},
            check=Pick("To reckon in one’s head, if ε is small", ("Never", "For few answers")),
        ),
        Exercise(
            "Show that the sum always holds: two answers with ε₁ and ε₂ cost ε₁ + ε₂.",
            "Both answers together come with the product of their chances. Each factor changes by "
            "e^ε₁ and e^ε₂ at most from one table to its neighbour. The product changes by "
            "e^(ε₁ + ε₂) at most. If the second question depends on the first answer, fix that "
            "answer: the same holds for each. With δ₁ and δ₂, those add up as well.",
            {"k": "2"},
            check=Pick(
                "Chances multiply, so their logarithms add up",
                ("The noise of both is added", "It holds without δ only"),
            ),
        ),
        Exercise(
            "Call an answer KL-private with κ if its average loss (Kullback and Leibler) is κ at "
            "most. Show that two answers have 2κ.",
            "The loss of both is the sum of the two losses, as the logarithm of a product is a "
            "sum. The average of a sum is the sum of the averages. So it is 2κ, and kκ for k "
            "answers. On the page, the table of both answers gives just twice that of one.",
            {"epsilon": "0.5", "k": "2"},
            check=Pick(
                "The average of a sum is the sum of averages",
                ("The largest loss is twice as large", "Both answers are the same"),
            ),
        ),
        Exercise(
            "Is KL-privacy as good a promise as ε?",
            "No. It is about the average loss, and ε is about the worst one. Somebody who is given "
            "away in one of a million cases has a large loss that hardly shows in the average. "
            "But each ε gives a κ: it is at most ε times (e^ε − 1) ÷ (e^ε + 1), about ε²/2.",
            {"epsilon": "1", "k": "1"},
            check=Pick(
                "No, it is about the average loss", ("Yes, it is the same", "Yes, it is stronger")
            ),
        ),
        Exercise(
            "The sum is exact without δ. Why do programs for real releases use δ all the same?",
            "As they answer thousands of questions. Move k up to 200: the sum keeps growing, and "
            "the exact total falls ever further behind it. A δ far below 1 in the number of "
            "people costs little.",
            {"epsilon": "0.1", "k": "200"},
            check=Pick(
                "They answer thousands of questions",
                ("A δ is more honest", "The sum is wrong without δ"),
            ),
        ),
    ),
    topics=(
        "advanced composition",
        "post-processing, composition, group privacy",
        "ε as a bound on the privacy loss, on divergence of order ∞; KL-privacy",
    ),
    guess=Guess(
        "30 people give 100 answers each, with ε = 0.1 for each. At worst somebody loses 10. How "
        "much does the one lose who loses most?",
        "largest",
        0,
        10,
        "",
        scale=1,
        step=0.1,
    ),
)
