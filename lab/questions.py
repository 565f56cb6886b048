"""Many questions: one ε for all of them, and why to ask each person only some, drawn at random."""

from typing import Any, Final

import numpy as np

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning.reach import greatest_reach
from deniable.analysis.privacy.composition import compose
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Records, Table, here
from deniable.lab.said import number, percent, points

_QUESTIONS: Final = (
    "copied from a classmate",
    "cheated in an exam",
    "read a diary",
    "dodged a fare",
    "stole in a shop",
    "smoked cannabis",
    "lied to a doctor",
    "skipped school",
    "bullied somebody",
    "drove drunk",
)


def study(shares: FloatArray, epsilon: float, r: int, seed: int) -> FloatArray:
    """Ask 1,000 pupils r questions each, drawn by lot, with ε/r for each answer."""
    p = designs.warner(epsilon=epsilon / r).probabilities[0, 1]
    chance = np.random.default_rng([seed, r])
    size = (1000, len(shares))
    true = chance.random(size) < shares
    asked = chance.random(size).argsort(axis=1) < r
    wrong = chance.random(size) < p
    yes = ((true ^ wrong) & asked).sum(axis=0) / asked.sum(axis=0)
    return np.asarray((yes - p) / (1 - 2 * p))  # the estimates


def lines(r: int, k: int, epsilon: float, seed: int) -> dict[str, Any]:
    """Compute what is learned of k questions if each pupil is asked r of them."""
    shares = np.array([0.7, 0.4, 0.2, 0.5, 0.1, 0.3, 0.6, 0.45, 0.15, 0.05])[:k]
    some = min(r, k)  # nobody answers more questions than there are
    each = epsilon / some
    total = compose([designs.warner(epsilon=each)] * some).epsilon  # of what one pupil sends

    of_some, of_all = (study(shares, epsilon, one, seed) for one in (some, k))
    off_some, off_all = abs(of_some - shares).mean(), abs(of_all - shares).mean()

    # How far the interval of the results pages reaches at most: so many pupils answer a question.
    reach = [
        greatest_reach(designs.warner(epsilon=epsilon / one), 1000 * one // k)[1]
        for one in range(1, k + 1)
    ]
    reach_some, reach_all = reach[some - 1], reach[-1]
    best = 1 + np.argmin(reach)
    return locals()


def _show(found: Found) -> Shown:
    return Shown(
        said=(
            (
                f"Each pupil answers {found.some} of {found.k} questions, with ε = "
                f"{number(found.each)} for each answer. So {1000 * found.some // found.k:,} answer "
                f"a question, and the interval of its share reaches {points(found.reach_some)} at "
                "most."
            ),
            (
                f"If all answer all, each answer has ε = {number(found.epsilon / found.k)} only, "
                f"and the interval reaches up to {points(found.reach_all)}."
            ),
            f"To ask {found.best} would be best."
            if found.best != found.some
            else "No other number is better.",
        ),
        values=values(
            found,
            ("each", "ε of each answer", number),
            ("total", "ε of all that a pupil sends", number),
            ("reach_some", "95 % interval reaches at most ±", points),
            ("reach_all", "If all are asked all: ±", points),
            ("off_some", "Off here, on average", points),
            ("off_all", "If all are asked all", points),
            ("best", "Best number to ask", number),
        ),
        pictures=(_by_number(found),),
        records=(_found(found),),
    )


def _found(found: Found) -> Records:
    rows = zip(_QUESTIONS, found.shares, found.of_some, found.of_all, strict=False)
    return Records(
        id="found",
        caption=(
            "What the study finds for each question, beside the truth: with so many questions for "
            "each pupil, and with all of them."
        ),
        table=Table(
            ("Have you ever …", "The truth", "Asked so many", "All asked all"),
            tuple((name, *map(percent, shares)) for name, *shares in rows),
        ),
    )


def _by_number(found: Found) -> Picture:
    asked = tuple(range(1, found.k + 1))
    line = Columns(asked, {"": [100 * one for one in found.reach]})
    return Picture(
        id="by-number",
        caption=(
            "How far the interval of a share reaches at most, by how many questions a pupil is "
            "asked. Few answers with little noise, or many with much? It depends on ε."
        ),
        x="Questions that each pupil is asked",
        y="± points, at most (95 %)",
        series=(*line.series, here(found.some, 100 * found.reach_some)),
        table=Table(
            ("Asked", "Pupils a question", "ε of an answer", "± at most"),
            tuple(
                (
                    str(r),
                    f"{1000 * r // found.k:,}",
                    number(found.epsilon / r),
                    points(found.reach[r - 1]),
                )
                for r in asked
            ),
        ),
        x_range=(1, len(_QUESTIONS)),
        y_range=(0, 110 * max(found.reach)),
    )


PAGE: Final = Page(
    slug="questions",
    title="Many questions",
    summary="Ask 1,000 pupils ten things with one ε, and find out how many to ask each of them.",
    paragraphs=(
        (
            "A school wants to know what its 1,000 pupils have ever done: copied, stolen, driven "
            "drunk. Each answer gives a little away, and the losses add up: k answers with ε each "
            "come to kε. So the survey promises one ε for everything that a pupil sends, and the "
            "questions share it."
        ),
        (
            "There are two ways to share. Ask everybody everything, with ε/k for each answer and "
            "much noise. Or draw lots: each pupil is asked only some of the questions, and "
            "answers them with less noise. Then fewer answer each one. Which way tells more?"
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
        Slider("r", "Questions that each pupil is asked", "1", "10", "1", "1"),
        Slider("k", "Questions in all", "2", "10", "1", "5"),
        Slider("epsilon", "ε for everything", "0.2", "6", "0.1", "2"),
        Slider("seed", "Data (made up; each number is other pupils)", "1", "200", "1", "1"),
    ),
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "With ε = 1 and ten questions: is it better to ask everybody all, or each person one?",
            "One. With all, each answer has ε = 0.1, and its error is about 9 times that of "
            "ε = 1. With one, a tenth of the people answer each, and the error is about √10 = 3.2 "
            "times as large. If ε is small, ask few questions.",
            {"epsilon": "1", "k": "10", "r": "1"},
            check=Pick("Each person one", ("Everybody all",)),
        ),
        Exercise(
            "The survey promises ε = 6 and has ten questions. How many should it ask each pupil?",
            "Three: 300 pupils answer each question with ε = 2, and its interval reaches 7.6 "
            "points at most. With one it reaches 10.2, with hardly any noise, and with all 10.8. "
            "The larger ε is, the more questions one should ask.",
            {"epsilon": "6", "k": "10", "r": "3"},
            check=Number(3, 0, "questions"),
        ),
        Exercise(
            "Must each pupil’s lot stay secret?",
            "No. It is drawn before anybody answers, and depends on nothing that is true of the "
            "pupil. The report says which questions it answers, and the noise hides the answers.",
            check=Pick("No, it depends on no answer", ("Yes, else ε is larger",)),
        ),
    ),
    guess=Guess(
        "1,000 pupils answer five questions with ε = 2 for all of them: the interval of each "
        "share reaches up to 16 points. If each pupil answers only one of them, drawn by lot?",
        "reach_some",
        0,
        40,
        "points, more or less",
    ),
)
