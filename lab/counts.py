"""A count with noise, and many counts: how far off they are."""

import math
from typing import Any, Final

import numpy as np

from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import heap, table_rows
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number, percent

RELEASES: Final = 1000

_CODE: Final = """\
import math

import numpy as np

epsilon, count, k, sensitivity = {epsilon}, {count}, {k}, {sensitivity}
scale = sensitivity / epsilon
chance = np.random.default_rng({seed})
published = count + chance.laplace(scale=scale)
deviation = math.sqrt(2) * scale
within = 1 - math.exp(-count / 10 / scale)  # at most a tenth of the count away

# The largest of k errors: a bound that holds with probability .95, and what is true.
bound = scale * math.log(k / 0.05)
exact = -scale * math.log(-math.expm1(math.log(0.95) / k))

# Published a thousand times: the largest of k errors each time, drawn at once by its distribution.
largest = -scale * np.log(-np.expm1(np.log(chance.random(1000)) / k))
beyond = (largest > bound).mean()
"""

_MANY: Final = {k: f"{int(k):,}" for k in ("1", "2", "10", "100", "1000", "10000")}
_WAYS: Final = {
    "histogram": "Each person is in one",
    "all": "Each person may be in all",
}
_EPSILONS: Final = ("0.01", "0.1", "1")


def _sensitivity(read: Any) -> int:
    """Return how many counts one person can be in."""
    return 1 if read.way == "histogram" else int(read.k)


def _scale(read: Any) -> float:
    """Return that of the noise."""
    return _sensitivity(read) / float(read.epsilon)


def within_a_tenth(count: float, scale: float) -> float:
    """Return how often Laplace noise is at most a tenth of a count."""
    return 1 - math.exp(-count / 10 / scale)


def compute(settings: Settings) -> Shown:
    """Return how far off counts are that are published with Laplace noise."""
    read = typed(settings, epsilon=float, count=int, k=int, way=str, seed=int)
    scale, k = _scale(read), read.k
    chance = np.random.default_rng(read.seed)
    published = float(read.count + chance.laplace(scale=scale))
    within = within_a_tenth(read.count, scale)
    bound = scale * math.log(k / 0.05)
    exact = -scale * math.log(-math.expm1(math.log(0.95) / k))
    largest = -scale * np.log(-np.expm1(np.log(chance.random(RELEASES)) / k))
    beyond = float((largest > bound).mean())
    return Shown(
        said=(
            (
                f"A count of {read.count:,} is published as {number(published, 1)}. Such a count "
                f"is at most a tenth off with {percent(within, 3)}."
            ),
            (
                f"The worst of {k:,} counts is at most {number(bound, 1)} off with 95 %."
                if k > 1
                else f"It is at most {number(bound, 1)} off with 95 %."
            ),
            f"In 1,000 made-up releases that failed {int((largest > bound).sum())} times.",
        ),
        values=(
            Value("published", "Published", published, number(published, 1)),
            Value("scale", "Scale of the noise", scale, number(scale)),
            Value("deviation", "Its standard deviation", math.sqrt(2) * scale, _short(scale)),
            Value("within", "At most a tenth off", within, percent(within, 3)),
            Value("bound", "All within, by the theorem", bound, number(bound, 1)),
            Value("exact", "All within, exactly", exact, number(exact, 1)),
            Value("beyond", "Releases beyond the bound", beyond, percent(beyond)),
        ),
        code=fill(_CODE, settings, sensitivity=_sensitivity(read)),
        pictures=(
            _neighbours(read),
            _tenths(),
            _largest(largest, bound, exact, k),
            _more(read),
        ),
    )


def _short(scale: float) -> str:
    return number(math.sqrt(2) * scale)


def _neighbours(read: Any) -> Picture:
    scale, count = _scale(read), read.count
    y = np.unique(np.concatenate([count + np.linspace(-5, 5, 81) * scale, [count, count + 1.0]]))
    without, joined = (
        np.exp(-np.abs(y - middle) / scale) / (2 * scale) for middle in (count, count + 1)
    )
    lines = Columns(y, {"without you": without, "with you": joined})
    return Picture(
        id="neighbours",
        caption=(
            f"One count with its noise, without you and with you. At no place is one curve more "
            f"than {number(math.exp(1 / scale), 2)} times as high as the other."
        ),
        x="Published count",
        y="Density",
        series=lines.series,
        table=lines.table(
            ("Published", "Without you", "With you"),
            number,
            5,
            at=range(0, len(y), 8),
            x=lambda published: number(published, 1),
        ),
        x_range=(float(y[0]), float(y[-1])),
    )


def _tenths() -> Picture:
    bars = Columns(
        _EPSILONS,
        {
            f"a count of {count:,}": [
                within_a_tenth(count, 1 / float(epsilon)) for epsilon in _EPSILONS
            ]
            for count in (1000, 100)
        },
        mark="bars",
    )
    return Picture(
        id="tenths",
        caption=(
            "How often a single count is at most a tenth off. The noise does not grow with the "
            "count, so large counts are known better."
        ),
        x="ε",
        y="At most a tenth off",
        series=bars.series,
        table=bars.table(("ε", "1,000", "100"), percent, 2),
        y_range=(0, 1),
    )


def _largest(largest: np.ndarray, bound: float, exact: float, k: int) -> Picture:
    ends = (0.0, max(bound * 1.4, exact * 1.4))
    series, counts = heap("releases", largest, ends, 0)
    return Picture(
        id="largest",
        caption=(
            "How far off the worst count is, in a thousand made-up releases (counts in each: "
            f"{k:,}). The theorem’s bound is nearly the best there is."
        ),
        x="Largest error",
        y="Releases",
        series=(
            series,
            Series("the theorem’s bound", "upright", (bound,), (0.0,), 1),
            Series("95 % exactly", "upright", (exact,), (0.0,), 3),
        ),
        table=Table(("Largest error from", "to", "Releases"), table_rows(ends, counts)),
        x_range=ends,
    )


def _more(read: Any) -> Picture:
    many = [int(k) for k in _MANY]
    one = [1 / read.epsilon * math.log(k / 0.05) for k in many]
    every = [k / read.epsilon * math.log(k / 0.05) for k in many]
    lines = Columns(many, {"each person in one of them": one, "each person may be in all": every})
    return Picture(
        id="more",
        drag=Drag("k"),
        caption=(
            "More counts: how far off the worst one may be. It hardly matters how many there are "
            "if each person is in one of them. Each axis multiplies."
        ),
        x="Counts",
        y="Largest error (95 %)",
        series=(
            *lines.series,
            Series("", "dots", (read.k,), (_scale(read) * math.log(read.k / 0.05),), 3),
        ),
        table=lines.table(
            ("Counts", "Each person in one", "Each person in all"), number, 1, x="{:,}".format
        ),
        logarithmic=True,
    )


PAGE: Final = Page(
    slug="counts",
    title="Counts with noise",
    summary="How much noise hides one person in a count, and how far off that makes it.",
    paragraphs=(
        (
            "An office knows who has what, and it publishes only a count. Whoever knows all the "
            "others subtracts them, and finds you. So the office adds noise first. It must be "
            "large enough to hide one person: the count may change by 1 if you join. That step "
            "is called the sensitivity Δ. The noise has the scale Δ/ε."
        ),
        (
            "The noise is the same for a count of ten and for one of a million. Many counts at "
            "once need more noise, if a person may be in all of them. If each is in just one, as "
            "in a histogram, they need no more than a single count. What you see here is a "
            "lesson: whoever publishes real counts needs safer noise, such as that of OpenDP."
        ),
    ),
    sources=(
        (
            "C. Dwork, F. McSherry, K. Nissim and A. Smith (2006). Calibrating noise to "
            "sensitivity in private data analysis. TCC."
        ),
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 3.3. (The error of many counts.)"
        ),
        (
            "I. Mironov (2012). On significance of the least significant bits for differential "
            "privacy. CCS. (Why this is not yet safe in a computer.)"
        ),
    ),
    inputs=(
        Slider("epsilon", "ε", "0.01", "2", "0.01", "0.1"),
        Choice("count", "True count", {"1000": "1,000", "100": "100"}),
        Choice("k", "Counts published together", _MANY),
        Choice("way", "Who is in them", _WAYS),
        Slider("seed", "Data (made up; each number is other noise)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "Counts of 1,000 and of 100 are published with ε = 0.01, 0.1 and 1. When are they at "
            "most a tenth off?",
            "The noise is at most t scales away with 1 − 1/e^t. A tenth of 1,000 is 100, and the "
            "scale is 100, 10 or 1. So t is 1, 10 or 100: 63.2 %, 99.995 %, and sure. For the "
            "count of 100 it is t = 0.1, 1 and 10: 9.5 %, 63.2 % and 99.995 %.",
            {"epsilon": "0.01", "count": "1000"},
            check=Number(63.2, 0.1, "%: the count of 1,000, at ε = 0.01"),
        ),
        Exercise(
            "Show that Laplace noise of the scale Δ/ε keeps the promise ε.",
            "At y the densities are as e^(−ε|y − f|/Δ) to e^(−ε|y − f′|/Δ), where f and f′ are "
            "the two counts. Their ratio is at most e^(ε|f − f′|/Δ), as |y − f′| is at most "
            "|y − f| + |f − f′|. And |f − f′| is at most Δ. So the ratio is at most e^ε.",
            {"epsilon": "1"},
            check=Pick(
                "|f − f′| is at most Δ", ("Laplace’s curve is narrow", "The noise is 0 on average")
            ),
        ),
        Exercise(
            "A town counts its 10,000 first names, each person under one. With ε = 1, how far "
            "off is the worst count?",
            "By the theorem at most ln(10,000 ÷ 0.05) = 12.2 with a chance of 95 %. That is "
            "little beside a name that 200 people have, and it is much beside one that two have.",
            {"epsilon": "1", "k": "10000"},
            check=Number(12.2, 0.1),
        ),
        Exercise(
            "Ten counts: how many smoke, how many drive, and so on. Why do they need more noise "
            "than the ten columns of a histogram?",
            "One person may be in all ten counts. If they leave, each of them falls by 1, so Δ is "
            "10. In a histogram a person stands in one column, and only that one falls: Δ is 1. "
            "With ε = 1 the worst error goes from 5.3 up to 53.",
            {"epsilon": "1", "k": "10", "way": "all"},
            check=Pick(
                "One person may be in all ten",
                ("Ten counts are larger", "The columns of a histogram overlap"),
            ),
        ),
        Exercise(
            "Somebody does not leave, but changes columns of the histogram. What is Δ then?",
            "It is 2: one column falls by 1, and another grows by 1. A step from one table to the "
            "next is then two steps of leaving and joining. Always ask which tables are taken "
            "for neighbours.",
            check=Number(2),
        ),
        Exercise(
            "What is the variance of the noise, and how often is it more than 3 scales away?",
            "With the scale b it is 2b². It is more than t scales away with 1/e^t, so for t = 3 "
            "with 5 %.",
            {"epsilon": "1", "k": "1"},
            check=Number(5, 0.1, "% are more than 3 scales away"),
        ),
    ),
    topics=("Laplace, sensitivity", "accuracy"),
    guess=Guess(
        "A count of 1,000 gets noise so that ε is 0.1. How far off is it in 95 of 100 releases, "
        "at most?",
        "exact",
        0,
        200,
        "people",
        scale=1,
    ),
)
