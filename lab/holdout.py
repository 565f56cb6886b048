"""Honest science with noise: a holdout that can be asked again and again."""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray, IndexArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, here
from deniable.lab.said import number, percent

PEOPLE: Final = 1000
FEATURES: Final = 1000
REAL: Final = 20
"""The number of features that tell something, if any do."""

STRENGTH: Final = 0.15
SIZES: Final = tuple(range(10, 201, 10))
"""The numbers of features that the analyst tries to use."""

_TRUTHS: Final = {"none": "none: all is chance", "some": f"{REAL} of {FEATURES:,}"}


class Part(NamedTuple):
    """A part of the data: made-up people."""

    features: npt.NDArray[np.int8]  # 1 or −1: a row for each person
    labels: FloatArray  # to be predicted: 1 or −1
    correlations: FloatArray  # of each feature with the labels, from −1 to 1


def _part(chance: np.random.Generator, truth: str) -> Part:
    coins = np.unpackbits(
        chance.integers(0, 256, (PEOPLE, FEATURES // 8), dtype=np.uint8), axis=1
    ).astype(np.int8)
    features = 2 * coins - 1
    labels = (2 * chance.integers(0, 2, PEOPLE) - 1).astype(np.float64)
    if truth == "some":
        # Some of these features are set to the label: they agree with it more often.
        told = chance.random((PEOPLE, REAL)) < STRENGTH
        copies = np.broadcast_to(labels[:, None], told.shape).astype(np.int8)
        features[:, :REAL] = np.where(told, copies, features[:, :REAL])
    correlations = labels.astype(np.float32) @ features.astype(np.float32) / PEOPLE
    return Part(features, labels, correlations.astype(np.float64))


@lru_cache(maxsize=4)
def made_up(truth: str, seed: int) -> tuple[Part, Part, Part]:
    """Simulate three parts of the data: training, holdout and fresh ones."""
    chance = np.random.default_rng(seed)
    return _part(chance, truth), _part(chance, truth), _part(chance, truth)


def keep(train: npt.ArrayLike, answers: npt.ArrayLike) -> IndexArray:
    """Return the features that two looks agree on, the strongest in the training data first.

    Both must be beyond 1/√n on the same side, which happens to one in twenty by chance.
    """
    first, second = np.asarray(train, dtype=float), np.asarray(answers, dtype=float)
    least = 1000**-0.5
    agree = ((first > least) & (second > least)) | ((first < -least) & (second < -least))
    found = np.flatnonzero(agree)
    return found[np.argsort(-np.abs(first[found]), kind="stable")]


def accuracy(train: Part, tested: Part, kept: IndexArray) -> FloatArray:
    """Return the share of right predictions by votes of the first 10, 20, … 200 features kept."""
    votes = tested.features[:, kept] * np.sign(train.correlations[kept])
    # Without features, or if votes are equal, a coin decides.
    total = np.pad(votes.cumsum(axis=1), ((0, 0), (1, 0)))[:, np.minimum(SIZES, len(kept))]
    return np.asarray((np.sign(total).T * tested.labels + 1).mean(axis=1) / 2)


class Thresholdout:
    """A holdout that answers only if the training data mislead, and then with noise."""

    def __init__(self, threshold: float, noise: float, budget: int, seed: int) -> None:
        self.threshold, self.noise, self.budget = threshold, noise, budget
        self.used = 0
        self._chance = np.random.default_rng(seed)

    def ask(self, train: float, holdout: float) -> float:
        """Return an answer to a question, or NaN if the budget is used up."""
        if self.used >= self.budget:
            return float("nan")
        doubt, added = self.noise * self._chance.standard_normal(2)
        if abs(holdout - train) <= self.threshold + doubt:
            return train
        self.used += 1
        return holdout + float(added)


def lines(
    truth: str, k: int, threshold: float, noise: float, budget: int, seed: int
) -> dict[str, Any]:
    """Compute what two analysts report of the same data, and what is true."""
    # Made-up people, a thousand in each part: what is true of them, and a thousand features.
    train, holdout, fresh = made_up(truth, seed)
    at, real = k // 10 - 1, 20 if truth == "some" else 0

    # An analyst who looks at the holdout itself, feature by feature, and keeps what agrees.
    kept = keep(train.correlations, holdout.correlations)
    all_plain, true_plain = (accuracy(train, part, kept) for part in (holdout, fresh))
    kept_plain, reported_plain, fresh_plain = len(kept), all_plain[at], true_plain[at]
    false_plain = (kept >= real).mean()  # of what was "discovered": the first 20 may be real

    # The same analyst, who asks Thresholdout instead.
    guard = Thresholdout(threshold, noise, budget, seed)
    answers = [
        guard.ask(*both) for both in zip(train.correlations, holdout.correlations, strict=True)
    ]
    kept = keep(train.correlations, answers)
    train_guarded, holds, true_guarded = (
        accuracy(train, part, kept) for part in (train, holdout, fresh)
    )
    all_guarded = [guard.ask(*both) for both in zip(train_guarded, holds, strict=True)]
    kept_guarded, reported_guarded, fresh_guarded = len(kept), all_guarded[at], true_guarded[at]
    false_guarded = (kept >= real).mean() if len(kept) else 0
    used = guard.used
    return locals()


def _show(found: Found) -> Shown:
    """Show what two analysts report of the same data, and what is true."""
    answered = not np.isnan(found.reported_guarded)
    repeats = found.reported_guarded == found.train_guarded[found.at]
    rows = [
        ("kept_plain", "Features kept, open holdout", number),
        ("false_plain", "False ones among these", percent),
        ("reported_plain", "Open holdout reports", percent),
        ("fresh_plain", "In truth, fresh people", percent),
        ("kept_guarded", "Features kept, Thresholdout", number),
        ("false_guarded", "False ones among these", percent),
        ("reported_guarded", "Thresholdout reports", percent),
        ("fresh_guarded", "In truth, fresh people", percent),
        ("used", f"Budget used, of {found.budget}", number),
    ]
    return Shown(
        said=(
            (
                "An analyst who looks at the holdout again and again reports "
                f"{percent(found.reported_plain)} right. On fresh people it is "
                f"{percent(found.fresh_plain)}. Of the features that were kept, "
                f"{percent(found.false_plain)} are false discoveries."
            ),
            f"Thresholdout reports {percent(found.reported_guarded)}, and on fresh people it is "
            f"{percent(found.fresh_guarded)}. It used {found.used} of {found.budget}."
            if answered
            else f"Thresholdout has used up its {found.budget} answers, and says nothing any more.",
            f"Here both parts agree within τ, about {percent(found.threshold)}, so it repeats what "
            "the training data say, and may be off by as much."
            if repeats
            else "",
        ),
        values=values(found, *(row for row in rows if answered or row[0] != "reported_guarded")),
        pictures=(_reports(found),),
    )


def _reports(found: Found) -> Picture:
    # Refused questions are not drawn.
    answered = [at for at, one in enumerate(found.all_guarded) if not np.isnan(one)]
    guarded = Columns(
        [SIZES[at] for at in answered],
        {"Thresholdout": [found.all_guarded[at] for at in answered]},
    )
    columns = {
        "the open holdout": found.all_plain,
        "true of the open one": found.true_plain,
        "true of Thresholdout": found.true_guarded,
    }
    at_k = [at for at in answered if at == found.at]
    return Picture(
        id="reports",
        caption="What two analysts report of their models, and what is true on fresh people.",
        finding="What the open holdout says is far from it. Thresholdout believes the training "
        "data up to τ, no further.",
        x="Features that the analyst uses",
        y="Right predictions",
        series=(
            *Columns(SIZES, columns, tones=(1, 2, 3)).series,
            *(guarded.series if answered else ()),
            here(found.k, found.reported_plain, *(found.all_guarded[at] for at in at_k)),
        ),
        table=Columns(SIZES, columns | {"Thresholdout": found.all_guarded}).table(
            "Features", lambda share: "no answer" if np.isnan(share) else percent(share)
        ),
        x_range=(SIZES[0], SIZES[-1]),
        y_range=(0.4, 1),
    )


PAGE: Final = Page(
    slug="holdout",
    title="Honest science with noise",
    summary="Test an idea too often on the same people, and chance looks like a finding.",
    idea=(
        "An analyst keeps some data back, the holdout, to test what the rest has taught. That "
        "is honest once. But an analyst who looks, changes the model and looks again has soon "
        "fitted the holdout too. Here the features are coin tosses, and still a model looks "
        "good."
    ),
    why=(
        "Privacy is the cure. An answer that hardly depends on any one person cannot be fitted "
        "to them. Thresholdout compares both parts. Where they agree up to τ, it repeats what "
        "the training data say. Else it says what the holdout says, with noise σ. It does so B "
        "times, and then is silent."
    ),
    sources=(
        (
            "C. Dwork, V. Feldman, M. Hardt, T. Pitassi, O. Reingold and A. Roth (2015). The "
            "reusable holdout: preserving validity in adaptive data analysis. Science 349. (This "
            "is the method with normal noise, as in their own experiment.)"
        ),
        (
            "Y. Benjamini and Y. Hochberg (1995). Controlling the false discovery rate. Journal of "
            "the Royal Statistical Society B 57."
        ),
        (
            "D. A. Freedman (1983). A note on screening regression equations. The American "
            "Statistician 37."
        ),
    ),
    inputs=(
        Choice("truth", "Features that tell something", _TRUTHS),
        Slider("k", "Features that the analyst uses", "10", "200", "10", "50"),
        Slider("threshold", "τ: how far apart both may be", "0", "0.3", "0.01", "0.12"),
        Slider("noise", "σ: noise", "0", "0.1", "0.01", "0.03"),
        Slider("budget", "B: budget", "0", "200", "5", "100"),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "8"),
    ),
    lines=lines,
    show=_show,
    exercises=(
        Exercise(
            "Ask Thresholdout instead. What does it say of a model with 100 features?",
            "The model is right for three of four people in the training data, and the holdout "
            "says one half. They are further apart than τ, so Thresholdout answers about 50 %. The "
            "analyst now knows that the model is worth nothing.",
            {"truth": "none", "k": "100"},
            check=Number(50, 1, "%"),
        ),
        Exercise(
            "A feature that is kept and tells nothing is a false discovery. Now 20 features are "
            "real. How many of the kept ones are false, and what lowers that rate?",
            "With the open holdout 49 of 69 are false: one in twenty of the 980 others agrees by "
            "luck. That is the trouble with a test that each of 1,000 ideas may pass with 5 %. "
            "Benjamini and Hochberg demand more of each test, the more there are, so that the "
            "false discovery rate stays at 5 %. Thresholdout keeps still more false ones, as it "
            "repeats the training data up to τ. It promises something else: to say rightly what "
            "the whole model is worth. And it hides nothing that is real, as both parts agree "
            "there.",
            {"truth": "some", "k": "20"},
            check=Pick(
                "More than half; a stricter test for each feature",
                ("One in twenty; a larger budget", "None, as 20 are real"),
            ),
        ),
    ),
    guess=Guess(
        "The data are pure chance: half of all predictions come true. An analyst tries many "
        "features on one holdout. What does it report?",
        "reported_plain",
        (40, 100),
        "% right",
        at=50,
        seen=("true of the open one", "true of Thresholdout"),
    ),
)
