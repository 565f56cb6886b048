"""Many questions: one budget for all of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable import designs
from deniable.analysis.planning.widths import half_width
from deniable.analysis.privacy.composition import compose
from deniable.channel import Channel
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import (
    Columns,
    Drag,
    Exercise,
    Guess,
    Number,
    Page,
    Pick,
    Picture,
    Series,
    Settings,
    Shown,
    Table,
    Value,
    fill,
    typed,
)
from deniable.lab.said import number, percent, points

MOST: Final = 20

_SIZES: Final = {size: f"{int(size):,}" for size in ("1000", "100", "300", "3000", "10000")}

_CODE: Final = """\
from fractions import Fraction

import numpy as np

from deniable import designs
from deniable.analysis.planning import half_width
from deniable.analysis.privacy import compose

epsilon, k, r, n, weight = Fraction("{epsilon}"), {k}, {r}, {n}, Fraction("{weight}")

# Everybody answers all k questions; the first one counts `weight` times as much as another.
each, first = epsilon / (weight + k - 1), epsilon * weight / (weight + k - 1)
channels = [designs.warner(epsilon=first)] + [designs.warner(epsilon=each)] * (k - 1)
total = compose(channels).epsilon
error_first, error = half_width(channels[0], n)[1], half_width(channels[-1], n)[1]

# Everybody answers r of them, drawn by lot.
some = designs.warner(epsilon=epsilon / r)
error_some = half_width(some, n * r // k)[1]

# Two questions are one table: the product of theirs.
pair = np.kron(channels[0].probabilities, channels[-1].probabilities)
epsilon_pair = np.log((pair.max(axis=0) / pair.min(axis=0)).max())
"""


def channels_of(epsilon: Fraction, k: int, weight: Fraction) -> list[Channel]:
    """Return the channels of k questions that share ε, the first of them by its weight."""
    each = epsilon / (weight + k - 1)
    return [designs.warner(epsilon=weight * each)] + [designs.warner(epsilon=each)] * (k - 1)


def error_asking(epsilon: Fraction, k: int, r: int, n: int) -> float:
    """Return the ± of a question where each of n people answers r of k, drawn by lot."""
    return float(half_width(designs.warner(epsilon=epsilon / r), n * r // k)[1])


def compute(settings: Settings) -> Shown:
    """Return how precise many questions are that share one ε."""
    epsilon, k, r, n, weight = typed(
        settings, epsilon=Fraction, k=int, r=int, n=int, weight=Fraction
    )
    r = min(r, k)  # nobody answers more questions than there are
    channels = channels_of(epsilon, k, weight)
    total = compose(channels).epsilon
    first, error = (float(half_width(channels[place], n)[1]) for place in (0, -1))
    some = error_asking(epsilon, k, r, n)
    pair = np.kron(channels[0].probabilities, channels[-1].probabilities)
    pair_epsilon = float(np.log((pair.max(axis=0) / pair.min(axis=0)).max()))
    return Shown(
        said=(
            (
                f"{k} questions share ε = {number(float(epsilon))}. With {n:,} people, each is "
                f"known to ± {points(error)}, and the first one to ± {points(first)}."
            ),
            _by_lot(k, r, some),
        ),
        values=(
            Value("total", "ε of all answers of a person", total, number(total)),
            Value("error", "All asked: ± of a question", error, points(error)),
            Value("error_first", "± of the first question", first, points(first)),
            Value("error_some", f"{r} of {k} asked: ±", some, points(some)),
            Value("epsilon_pair", "ε of two answers together", pair_epsilon, number(pair_epsilon)),
        ),
        code=fill(_CODE, settings, r=r),
        pictures=(_more(epsilon, k, n), _fewer(epsilon, k, r, n), _pair(pair)),
    )


def _by_lot(k: int, r: int, error: float) -> str:
    if r == k:
        return f"If all have the same weight, each is known to ± {points(error)}."
    return (
        f"If each person is asked {r} of the {k}, drawn by lot, it is ± {points(error)}: fewer "
        f"people answer a question, but with less noise."
    )


def _more(epsilon: Fraction, k: int, n: int) -> Picture:
    counts = range(1, MOST + 1)
    lines = Columns(
        counts,
        {
            "everybody answers all": [100 * error_asking(epsilon, k, k, n) for k in counts],
            "everybody answers one, by lot": [100 * error_asking(epsilon, k, 1, n) for k in counts],
        },
        tones=(1, 0),
    )
    return Picture(
        id="more",
        drag=Drag("k"),
        caption="More questions for the same ε: each is known less well.",
        x="Questions",
        y="± points (95 %)",
        series=(*lines.series, Series("", "dots", (k,), (lines.series[0].y[k - 1],), 1)),
        table=lines.table(
            ("Questions", "All asked", "One asked"),
            lambda error: points(error / 100),
            at=(0, 1, 2, 4, 9, 14, 19),
        ),
        x_range=(1, MOST),
    )


def _fewer(epsilon: Fraction, k: int, r: int, n: int) -> Picture:
    asked = tuple(range(1, k + 1))
    errors = tuple(error_asking(epsilon, k, each, n) for each in asked)
    best = asked[errors.index(min(errors))]
    return Picture(
        id="fewer",
        caption=(
            f"How many of the {k} questions to ask each person. Here the best is {best}: "
            f"± {points(min(errors))}."
        ),
        x="Questions that each person is asked",
        y="± points (95 %)",
        series=Columns(
            [str(each) for each in asked], {"": [100 * error for error in errors]}, mark="bars"
        ).series,
        table=Table(
            ("Asked", "People a question", "ε a question", "±"),
            tuple(
                (
                    f"{each}{' (chosen)' if each == r else ''}",
                    f"{n * each // k:,}",
                    number(float(epsilon) / each),
                    points(error),
                )
                for each, error in zip(asked, errors, strict=True)
            ),
        ),
    )


_PAIRS: Final = ("no, no", "no, yes", "yes, no", "yes, yes")


def _pair(pair: npt.NDArray[np.floating]) -> Picture:
    sent = {f"Sends “{name}”": column for name, column in zip(_PAIRS, pair.T, strict=True)}
    return Picture(
        id="pair",
        caption=(
            "Two questions are one table: chances are multiplied. The widest ratio is that of "
            "“yes, yes”, and its logarithm is the sum of both ε."
        ),
        x="Both reports",
        y="Probability",
        series=Columns(
            _PAIRS, {f"“{_PAIRS[truth]}” is true": pair[truth] for truth in (0, 3)}, mark="bars"
        ).series,
        table=Columns(_PAIRS, sent).table("True answers", percent),
        y_range=(0, 1),
    )


PAGE: Final = Page(
    slug="questions",
    title="Many questions",
    summary="One budget of ε for all questions, and how to spend it.",
    paragraphs=(
        (
            "Each answer gives a little away, and the losses add up. Who answers k questions with "
            "ε each has given away kε. So a survey promises one ε for everything, and its "
            "questions share it: ε/k each, or more for the one that matters."
        ),
        (
            "There is another way. Ask each person only some of the questions, drawn by lot. Then "
            "fewer people answer each one, but with less noise. Turn the sliders, and see which "
            "way is better."
        ),
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 3.5."
        ),
        (
            "T. Wang, J. Blocki, N. Li and S. Jha (2017). Locally differentially private protocols "
            "for frequency estimation. USENIX Security."
        ),
    ),
    inputs=(
        Slider("epsilon", "ε for everything", "0.2", "6", "0.1", "2"),
        Slider("k", "Questions", "2", str(MOST), "1", "5"),
        Slider("r", "Questions that each person is asked", "1", str(MOST), "1", "2"),
        Slider("weight", "Weight of the first question", "1", "5", "0.5", "2"),
        Choice("n", "People", _SIZES),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "A survey promises ε = 2 and asks five questions of the same weight. What is ε for "
            "each?",
            "2/5 = 0.4. All five together have 5 × 0.4 = 2 again.",
            {"epsilon": "2", "k": "5", "weight": "1"},
            check=Number(0.4),
        ),
        Exercise(
            "With ε = 1 and ten questions: is it better to ask everybody all, or each person one?",
            "One. With all, each answer has ε = 0.1, and its error is about 9 times that of "
            "ε = 1. With one, a tenth of the people answer each, and the error is about √10 = 3.2 "
            "times as large. If ε is small, ask few questions.",
            {"epsilon": "1", "k": "10", "r": "1", "weight": "1"},
            check=Pick("Each person one", ("Everybody all",)),
        ),
        Exercise(
            "When is it better to ask everybody all questions?",
            "When ε is large. At ε = 6 and two questions an answer has little noise even at ε = 3, "
            "and so it is better to have twice as many of them.",
            {"epsilon": "6", "k": "2", "r": "2", "weight": "1"},
            check=Pick("When ε is large", ("When ε is small", "Never")),
        ),
        Exercise(
            "Why is it right to add the ε of two questions? Use the picture of the pairs.",
            "The coins of two questions are tossed apart, so the chance of both reports is a "
            "product. The ratio of two products is the product of the ratios, and its logarithm "
            "is the sum: ln(e^ε₁ × e^ε₂) = ε₁ + ε₂.",
            check=Pick(
                "The chances of both reports are multiplied",
                ("The answers are alike", "The errors add up"),
            ),
        ),
    ),
    topics=("post-processing, composition, group privacy",),
    guess=Guess(
        "Five questions share ε = 2, and 1,000 people answer all of them. To how many points is "
        "each share known?",
        "error",
        0,
        40,
        "points, more or less",
    ),
)
