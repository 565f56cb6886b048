"""Honest science with noise: a holdout that can be asked again and again."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import steps
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent

PEOPLE: Final = 1000
FEATURES: Final = 1000
REAL: Final = 20
"""So many features tell something, if any do."""

STRENGTH: Final = 0.15
SIZES: Final = tuple(range(10, 201, 10))
"""So many features the analyst tries to use."""

_TRUTHS: Final = {"none": "none: all is chance", "some": f"{REAL} of {FEATURES:,}"}

_CODE: Final = """\
from deniable.lab.holdout import Thresholdout, accuracy, honest, keep, made_up

# Made-up people, a thousand in each part: what is true of them, and a thousand features.
train, holdout, fresh = made_up("{truth}", seed={seed})

# An analyst who looks at the holdout itself, feature by feature, and keeps what agrees.
kept = keep(train.correlations, holdout.correlations)
kept_plain = len(kept)
train_plain = accuracy(train, train, kept[:{k}])
reported_plain = accuracy(train, holdout, kept[:{k}])
fresh_plain = accuracy(train, fresh, kept[:{k}])

# The same analyst, who asks Thresholdout instead.
guard = Thresholdout({threshold}, {noise}, {budget}, seed={seed})
answers = [guard.ask(*both) for both in zip(train.correlations, holdout.correlations)]
kept = keep(train.correlations, answers)
kept_guarded = len(kept)
reported = honest(guard, train, holdout, kept)  # for 10, 20, … 200 features
train_guarded = accuracy(train, train, kept[:{k}])
reported_guarded = reported[{place}]
fresh_guarded = accuracy(train, fresh, kept[:{k}])
used = guard.used
"""


@dataclass(frozen=True)
class Part:
    """Made-up people: a part of the data."""

    features: npt.NDArray[np.int8]  # 1 or −1: a row for each person
    labels: FloatArray  # what is to be predicted: 1 or −1
    correlations: FloatArray  # how well each feature agrees with it, from −1 to 1


@lru_cache(maxsize=4)
def made_up(truth: str, seed: int) -> tuple[Part, Part, Part]:
    """Simulate three parts of the data: training, holdout and fresh ones."""
    chance = np.random.default_rng(seed)
    return _part(chance, truth), _part(chance, truth), _part(chance, truth)


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


def keep(train: npt.ArrayLike, answers: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return the features that two looks agree on, the strongest in the training data first.

    Both must be beyond 1/√n on the same side, which happens to one in twenty by chance.
    """
    first, second = np.asarray(train, dtype=float), np.asarray(answers, dtype=float)
    least = PEOPLE**-0.5
    agree = ((first > least) & (second > least)) | ((first < -least) & (second < -least))
    found = np.flatnonzero(agree)
    return found[np.argsort(-np.abs(first[found]), kind="stable")]


def accuracy(train: Part, tested: Part, kept: npt.NDArray[np.intp]) -> float:
    """Return how often the features kept predict right, if each has one vote."""
    if len(kept) == 0:
        return 0.5
    votes = np.sign(train.correlations[kept]).astype(np.int8)
    # A row has at most 200 votes, which do not fit into a byte.
    total = (tested.features[:, kept] * votes).sum(axis=1, dtype=np.int32)
    right = np.sign(total) * tested.labels
    # Where votes are equal a coin decides.
    return float(((right + 1) / 2).mean())


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


def honest(
    guard: Thresholdout, train: Part, holdout: Part, kept: npt.NDArray[np.intp]
) -> list[float]:
    """Return what the guard says of the accuracy with the first 10, 20, … 200 features kept."""
    return [
        guard.ask(accuracy(train, train, kept[:size]), accuracy(train, holdout, kept[:size]))
        for size in SIZES
    ]


@dataclass(frozen=True)
class Result:
    """What comes of an analyst, for 10, 20, … 200 features."""

    kept: int  # features that the analyst believes in
    # Accuracy: in the training data, as the holdout says, and in truth. NaN is no answer.
    train: tuple[float, ...]
    reported: tuple[float, ...]
    fresh: tuple[float, ...]
    used: int = 0  # what is gone of the budget


def _everywhere(train: Part, tested: Part, kept: npt.NDArray[np.intp]) -> tuple[float, ...]:
    return tuple(accuracy(train, tested, kept[:size]) for size in SIZES)


@lru_cache(maxsize=64)
def plain(truth: str, seed: int) -> Result:
    """Let the analyst look at the holdout itself."""
    train, holdout, fresh = made_up(truth, seed)
    kept = keep(train.correlations, holdout.correlations)
    return Result(
        len(kept),
        _everywhere(train, train, kept),
        _everywhere(train, holdout, kept),
        _everywhere(train, fresh, kept),
    )


@lru_cache(maxsize=256)
def guarded(truth: str, seed: int, threshold: float, noise: float, budget: int) -> Result:
    """Let the analyst ask Thresholdout."""
    train, holdout, fresh = made_up(truth, seed)
    guard = Thresholdout(threshold, noise, budget, seed)
    both = zip(train.correlations.tolist(), holdout.correlations.tolist(), strict=True)
    kept = keep(train.correlations, [guard.ask(one, other) for one, other in both])
    reported = tuple(honest(guard, train, holdout, kept))
    return Result(
        len(kept),
        _everywhere(train, train, kept),
        reported,
        _everywhere(train, fresh, kept),
        guard.used,
    )


def compute(settings: Settings) -> Shown:
    """Return what two analysts report of the same data, and what is true."""
    truth, k, threshold, noise, budget, seed = typed(
        settings, truth=str, k=int, threshold=float, noise=float, budget=int, seed=int
    )
    open_, shut = plain(truth, seed), guarded(truth, seed, threshold, noise, budget)
    at = SIZES.index(k)
    answered = not np.isnan(shut.reported[at])
    return Shown(
        said=(
            (
                "Whoever looks at the holdout again and again reports "
                f"{percent(open_.reported[at])} right. On fresh people it is "
                f"{percent(open_.fresh[at])}."
            ),
            (
                f"Thresholdout reports {percent(shut.reported[at])}, and on fresh people it is "
                f"{percent(shut.fresh[at])}. It used {shut.used} of {budget}."
                if answered
                else f"Thresholdout has used up its {budget} answers, and says nothing any more."
            ),
            (
                f"Here both parts agree within τ, about {percent(threshold)}, so it repeats what "
                "the training data say, and may be off by as much."
                if shut.reported[at] == shut.train[at]
                else ""
            ),
        ),
        values=(
            Value("kept_plain", "Features kept, open holdout", open_.kept, str(open_.kept)),
            Value("reported_plain", "Open holdout reports", *_share(open_.reported[at])),
            Value("fresh_plain", "In truth, fresh people", *_share(open_.fresh[at])),
            Value("kept_guarded", "Features kept, Thresholdout", shut.kept, str(shut.kept)),
            *(
                [Value("reported_guarded", "Thresholdout reports", *_share(shut.reported[at]))]
                if answered
                else []
            ),
            Value("fresh_guarded", "In truth, fresh people", *_share(shut.fresh[at])),
            Value("used", "Budget used", shut.used, f"{shut.used} of {budget}"),
        ),
        code=fill(_CODE, settings, place=at),
        pictures=(
            _curves(
                "open",
                "The analyst looks at the holdout itself. What it says is far from what is true.",
                open_,
                at,
            ),
            _curves(
                "guarded",
                "The analyst asks Thresholdout. It believes the training data up to τ, no further.",
                shut,
                at,
            ),
            _looks(truth, seed, threshold),
        ),
    )


def _share(value: float) -> tuple[float, str]:
    return value, percent(value)


def _curves(id: str, caption: str, result: Result, at: int) -> Picture:
    # Nothing is drawn where there is no answer.
    answered = [place for place, each in enumerate(result.reported) if not np.isnan(each)]
    reported = Columns(
        [SIZES[place] for place in answered],
        {"the holdout reports": [result.reported[place] for place in answered]},
        tones=(1,),
    )
    columns = {"Training data": result.train, "Holdout reports": result.reported}
    return Picture(
        id=id,
        drag=Drag("k"),
        caption=caption,
        x="Features that the analyst uses",
        y="Right predictions",
        series=(
            Series("training data", "line", SIZES, result.train, 2),
            *(reported.series if answered else ()),
            Series("fresh people: the truth", "line", SIZES, result.fresh, 0),
            Series("", "upright", (SIZES[at],), (0.5,), 3),
        ),
        table=Columns(SIZES, columns | {"Fresh people": result.fresh}).table(
            "Features", lambda share: "no answer" if np.isnan(share) else percent(share)
        ),
        x_range=(SIZES[0], SIZES[-1]),
        y_range=(0.4, 1),
    )


def _looks(truth: str, seed: int, threshold: float) -> Picture:
    train, holdout, _ = made_up(truth, seed)
    apart = np.abs(train.correlations - holdout.correlations)
    edges = np.linspace(0, 0.3, 31)
    counts = np.histogram(apart, edges)[0]
    beyond = [int((apart > edge).sum()) for edge in edges]
    return Picture(
        id="apart",
        drag=Drag("threshold"),
        caption=(
            "How far training data and holdout are apart, feature by feature. Right of τ the "
            "holdout itself is asked, and each time costs 1 of the budget. Noise blurs the line."
        ),
        x="Difference of the two correlations",
        y="Features",
        series=(
            steps("features", edges, counts, 2),
            Series("τ", "upright", (threshold,), (0,), 1),
        ),
        table=Table(
            ("Difference", "Features that are further apart"),
            tuple((number(edges[place], 2), str(beyond[place])) for place in range(0, 31, 3)),
        ),
        x_range=(0, 0.3),
    )


PAGE: Final = Page(
    slug="holdout",
    title="Honest science with noise",
    summary="Test an idea too often on the same people, and chance looks like a finding.",
    paragraphs=(
        (
            "An analyst keeps some data back, the holdout, to test what the rest has taught. That "
            "is honest once. But whoever looks, changes the model and looks again has soon fitted "
            "the holdout too. Here the features are coin tosses, and still a model looks good."
        ),
        (
            "Privacy is the cure. An answer that hardly depends on any one person cannot be fitted "
            "to them. Thresholdout compares both parts. Where they agree up to τ, it repeats what "
            "the training data say. Else it says what the holdout says, with noise σ. It does so B "
            "times, and then is silent."
        ),
    ),
    sources=(
        (
            "C. Dwork, V. Feldman, M. Hardt, T. Pitassi, O. Reingold and A. Roth (2015). The "
            "reusable holdout: preserving validity in adaptive data analysis. Science 349. (This "
            "is the method with normal noise, as in their own experiment.)"
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
    compute=compute,
    exercises=(
        Exercise(
            "All features are coin tosses. Why does the holdout report much more than 50 %?",
            "The analyst kept the features that agree in both parts, about 50 of 1,000 by luck. "
            "They fit the holdout because they were chosen by it. On fresh people each of them is "
            "a coin again.",
            {"truth": "none", "k": "50"},
            check=Pick(
                "The features were chosen by the holdout",
                ("The coins are not fair", "There are too few features"),
            ),
        ),
        Exercise(
            "Ask Thresholdout instead. What does it say of a model with 100 features?",
            "The model is right for three of four people in the training data, and the holdout "
            "says one half. They are further apart than τ, so Thresholdout answers about 50 %. The "
            "analyst now knows that the model is worth nothing.",
            {"truth": "none", "k": "100"},
            check=Number(50, 1, "%"),
        ),
        Exercise(
            "With 10 features Thresholdout reports more than is true, and perhaps more than the "
            "open holdout. Why is that allowed?",
            "A model of 10 features fits the training data by less than τ = 12 points more than "
            "the holdout. Up to τ Thresholdout repeats the training data, so all that it promises "
            "is an error of about τ. In most of these data it is then worse than the open holdout. "
            "With 50 features it is 2 points off on average, and the open one 13. With more people "
            "τ can be smaller.",
            {"truth": "none", "k": "10"},
            check=Pick(
                "Up to τ it repeats the training data", ("It has a fault", "The budget is gone")
            ),
        ),
        Exercise(
            "Set τ = 0 and σ = 0, with B = 200. What goes wrong? And with τ = 0.3?",
            "At τ = 0 each question is answered from the holdout, and the budget is gone before "
            "the first model is tested. At τ = 0.3 it believes the training data in nearly "
            "everything. The error that it may make is about τ.",
            {"threshold": "0", "noise": "0", "budget": "200"},
            check=Pick(
                "The budget is gone at once",
                ("It believes the training data in everything", "Nothing goes wrong"),
            ),
        ),
        Exercise(
            "Now 20 features do tell something. Does the noise hide what is real?",
            "No. What is real is in both parts, so they agree, and the answer passes without any "
            "cost. The best model has about 20 features, and it holds on fresh people.",
            {"truth": "some", "k": "20"},
            check=Pick("No", ("Yes",)),
        ),
        Exercise(
            "What does a small budget do? Why is there one?",
            "Each answer from the holdout tells a little of it, like an ε that is spent. With B = "
            "5 the analyst gets no answer soon. Questions that the training data can answer cost "
            "nothing, so that there may be very many of these.",
            {"budget": "5"},
            check=Pick(
                "Each answer from the holdout tells a little of it",
                ("To save time", "It makes answers more exact"),
            ),
        ),
    ),
    topics=("the reusable holdout",),
    guess=Guess(
        "The data are pure chance: half of all predictions come true. An analyst tries many "
        "features on one holdout. What does it report?",
        "reported_plain",
        40,
        100,
        "% right",
    ),
)
