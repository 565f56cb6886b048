"""Many questions: one ε for all of them, and why to ask each person only some, drawn by lot."""

from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.planning.widths import half_width
from deniable.analysis.privacy.composition import compose
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent, points

N: Final = 1000
"""So many pupils are asked."""

SEEN: Final = 40
"""So many of them are in the picture."""

_QUESTIONS: Final = {
    "copied homework": 0.7,
    "cheated in an exam": 0.4,
    "read a diary": 0.2,
    "dodged a fare": 0.5,
    "stole in a shop": 0.1,
    "smoked cannabis": 0.3,
    "lied to a doctor": 0.6,
    "skipped school": 0.45,
    "bullied somebody": 0.15,
    "drove drunk": 0.05,
}
_SHARES: Final = tuple(_QUESTIONS.values())
MOST: Final = len(_QUESTIONS)

_CODE: Final = """\
from fractions import Fraction

import numpy as np

from deniable import designs
from deniable.analysis.planning import half_width
from deniable.analysis.privacy import compose

epsilon, k, n = Fraction("{epsilon}"), {k}, {n}
shares = {shares}[:k]  # what is true of the made-up pupils


def study(r):
    \"\"\"Ask each pupil r of the k questions, drawn by lot, with ε/r each.\"\"\"
    channel = designs.warner(epsilon=epsilon / r)
    p = channel.probabilities[0, 1]
    chance = np.random.default_rng([{seed}, r])
    true = chance.random((n, k)) < shares
    asked = chance.random((n, k)).argsort(axis=1) < r
    reports = true ^ (chance.random((n, k)) < p)
    yes = (reports & asked).sum(axis=0) / asked.sum(axis=0)
    return (yes - p) / (1 - 2 * p)  # the estimates


off_some, off_all = (abs(study(r) - shares).mean() for r in ({r}, k))

# The same by the formula: so many people answer each question, with the noise of ε/r.
each = epsilon / {r}
half = {{
    r: half_width(designs.warner(epsilon=epsilon / r), n * r // k)[1] for r in range(1, k + 1)
}}
error_some, error_all = half[{r}], half[k]
best = min(half, key=half.get)
total = compose([designs.warner(epsilon=each)] * {r}).epsilon  # of what one pupil sends
"""


class Study(NamedTuple):
    """What each of the made-up pupils was asked and sent, and what is estimated."""

    true: npt.NDArray[np.bool_]  # a row for each pupil, a column for each question
    asked: npt.NDArray[np.bool_]
    reports: npt.NDArray[np.bool_]
    estimates: FloatArray


def study(epsilon: Fraction, k: int, r: int, seed: int) -> Study:
    """Ask each pupil r of k questions, drawn by lot, with ε/r each."""
    p = designs.warner(epsilon=epsilon / r).probabilities[0, 1]
    chance = np.random.default_rng([seed, r])
    true = chance.random((N, k)) < _SHARES[:k]
    asked = chance.random((N, k)).argsort(axis=1) < r
    reports = true ^ (chance.random((N, k)) < p)
    yes = (reports & asked).sum(axis=0) / asked.sum(axis=0)
    return Study(true, asked, reports, (yes - p) / (1 - 2 * p))


def error(epsilon: Fraction, k: int, r: int) -> float:
    """Return the ± of a question if each pupil answers r of k, drawn by lot."""
    return float(half_width(designs.warner(epsilon=epsilon / r), N * r // k)[1])


def compute(settings: Settings) -> Shown:
    """Return what is learned of k questions if each pupil is asked some of them."""
    read = typed(settings, epsilon=Fraction, k=int, r=int, seed=int)
    # Nobody answers more questions than there are.
    read = read._replace(r=min(read.r, read.k))
    some, every = (study(read.epsilon, read.k, r, read.seed) for r in (read.r, read.k))
    errors = [error(read.epsilon, read.k, r) for r in range(1, read.k + 1)]
    off, off_all = (float(abs(one.estimates - _SHARES[: read.k]).mean()) for one in (some, every))
    best, each = 1 + errors.index(min(errors)), read.epsilon / read.r
    total = compose([designs.warner(epsilon=each)] * read.r).epsilon
    return Shown(
        said=(
            (
                f"Each pupil answers {read.r} of {read.k} questions, with ε = "
                f"{number(float(each))} for each answer. So {N * read.r // read.k:,} answer a "
                f"question, and its share is known to ± {points(errors[read.r - 1])}."
            ),
            (
                f"If all answer all, each answer has ε = {number(float(read.epsilon / read.k))} "
                f"only, and it is ± {points(errors[-1])}."
            ),
            (f"To ask {best} would be best." if best != read.r else "No other number is better."),
        ),
        values=(
            Value("each", "ε of each answer", float(each), number(float(each))),
            Value("total", "ε of all that a pupil sends", total, number(total)),
            Value("error_some", "Known to ±", errors[read.r - 1], points(errors[read.r - 1])),
            Value("error_all", "If all are asked all: ±", errors[-1], points(errors[-1])),
            Value("off_some", "Off here, on average", off, points(off)),
            Value("off_all", "If all are asked all", off_all, points(off_all)),
            Value("best", "Best number to ask", best, str(best)),
        ),
        code=fill(_CODE, settings, r=read.r, n=N, shares=list(_SHARES)),
        pictures=(_sent(some), _by_number(read, errors), _found(some, every)),
    )


def _sent(made: Study) -> Picture:
    asked, wrong = made.asked[:SEEN], (made.true ^ made.reports)[:SEEN]
    kinds = {
        "sent the truth": asked & ~wrong,
        "sent the opposite, by chance": asked & wrong,
    }
    places = {name: np.nonzero(which) for name, which in kinds.items()}
    rows = zip(*([str(n) for n in one.sum(axis=0)] for one in kinds.values()), strict=True)
    return Picture(
        id="sent",
        caption=(
            f"What leaves the phones of the first {SEEN} pupils: a column for each pupil, a row "
            "for each question. Who is asked more must hide each answer better."
        ),
        x="Pupils",
        y="Questions",
        series=tuple(
            Series(name, "dots", tuple((1 + at[0]).tolist()), tuple((1 + at[1]).tolist()), tone)
            for tone, (name, at) in enumerate(places.items())
            if len(at[0])
        ),
        table=Table(
            ("Have you ever …", *kinds),
            tuple((name, *row) for name, row in zip(_QUESTIONS, rows, strict=False)),
        ),
        x_range=(0, SEEN + 1),
        y_range=(0, asked.shape[1] + 1),
    )


def _by_number(read: Any, errors: list[float]) -> Picture:
    asked = tuple(range(1, read.k + 1))
    line = Columns(asked, {"": [100 * one for one in errors]})
    return Picture(
        id="by-number",
        drag=Drag("r"),
        caption=(
            "How well each share is known, by how many questions a pupil is asked. Few answers "
            "with little noise, or many with much? It depends on ε."
        ),
        x="Questions that each pupil is asked",
        y="± points (95 %)",
        series=(*line.series, Series("", "dots", (read.r,), (100 * errors[read.r - 1],), 1)),
        table=Table(
            ("Asked", "Pupils a question", "ε of an answer", "±"),
            tuple(
                (str(r), f"{N * r // read.k:,}", number(float(read.epsilon) / r), points(one))
                for r, one in zip(asked, errors, strict=True)
            ),
        ),
        x_range=(1, MOST),
        y_range=(0, 110 * max(errors)),
    )


def _found(some: Study, every: Study) -> Picture:
    k = len(some.estimates)
    columns = {
        "the truth": np.array(_SHARES[:k]),
        "asked so many": some.estimates,
        "all asked all": every.estimates,
    }
    dots = Columns(range(1, k + 1), columns, (2, 0, 1), "dots")
    return Picture(
        id="found",
        caption=(
            "What the study finds for each question, beside the truth: with so many questions for "
            "each pupil, and with all of them."
        ),
        x="Question",
        y="Share of “yes”",
        series=dots.series,
        table=Columns([*_QUESTIONS][:k], columns).table("Have you ever …", percent),
        x_range=(0, k + 1),
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
        Slider("r", "Questions that each pupil is asked", "1", str(MOST), "1", "1"),
        Slider("k", "Questions in all", "2", str(MOST), "1", "5"),
        Slider("epsilon", "ε for everything", "0.2", "6", "0.1", "2"),
        Slider("seed", "Data (made up; each number is other pupils)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "A survey promises ε = 2 and asks everybody five questions. What is ε for each?",
            "2/5 = 0.4. All five together have 5 × 0.4 = 2 again.",
            {"epsilon": "2", "k": "5", "r": "5"},
            check=Number(0.4),
        ),
        Exercise(
            "With ε = 1 and ten questions: is it better to ask everybody all, or each person one?",
            "One. With all, each answer has ε = 0.1, and its error is about 9 times that of "
            "ε = 1. With one, a tenth of the people answer each, and the error is about √10 = 3.2 "
            "times as large. If ε is small, ask few questions.",
            {"epsilon": "1", "k": "10", "r": "1"},
            check=Pick("Each person one", ("Everybody all",)),
        ),
        Exercise(
            "When is it better to ask everybody all questions?",
            "When ε is large. At ε = 6 and two questions an answer has little noise even at ε = 3, "
            "and so it is better to have twice as many of them.",
            {"epsilon": "6", "k": "2", "r": "2"},
            check=Pick("When ε is large", ("When ε is small", "Never")),
        ),
        Exercise(
            "The survey promises ε = 6 and has ten questions. How many should it ask each pupil?",
            "Three: 300 pupils answer each question with ε = 2, and it is known to ± 7.4 points. "
            "One gives ± 9.9 with hardly any noise, and all ten give ± 10.6 with much.",
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
    topics=("post-processing, composition, group privacy",),
    guess=Guess(
        "1,000 pupils answer five questions with ε = 2 for all of them: each share is known to "
        "± 15.7 points. If each pupil answers only one of them, drawn by lot?",
        "error_some",
        0,
        40,
        "points, more or less",
    ),
)
