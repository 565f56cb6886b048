"""Sums and averages: four ways, and what clipping is for."""

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import stacked, table_rows
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import decimal, number

RELEASES: Final = 2000

_DATA: Final = {
    "ages": "Ages, in years",
    "salaries": "Salaries, in dollars",
    "heights": "Heights, in metres",
}
_MOST: Final = {"ages": 100.0, "salaries": 200_000.0, "heights": 2.5}
"""No person can have more; it is known before anybody looks."""
_LINES: Final = {
    "ages": "chance.normal(45, 15, n).clip(0, {most})  # made up",
    "salaries": "(40_000 * np.exp(0.6 * chance.standard_normal(n))).clip(0, {most})  # made up",
    "heights": "chance.normal(1.7, 0.1, n).clip(0, {most})  # made up",
}
_SIZES: Final = {n: f"{int(n):,}" for n in ("1000", "100", "10000")}
_PERCENTS: Final = range(10, 101, 5)  # where the limit can be
DOTS: Final = 100  # so many people are drawn; each stands for those next to them
DRAWN: Final = 30  # so many releases are drawn
_COLUMNS: Final = 50

_CODE: Final = """\
import numpy as np

epsilon, n, limit = {epsilon}, {n}, {limit}
chance = np.random.default_rng({seed})
data = {data}
clipped = data.clip(0, limit)
true_mean, clipped_mean = data.mean(), clipped.mean()


def typical(errors):
    return np.median(abs(errors))


# What each way does to the average, in 2,000 releases.
b = limit / epsilon
noise = chance.laplace(size=(4, 2000))
useless = typical(b * noise[0])  # one person can move the average of few people by the limit
noisy_sum = clipped.sum() + 2 * b * noise[1]  # half of ε for the sum,
noisy_count = n + 2 / epsilon * noise[2]  # and half for the count
composed = typical(noisy_sum / noisy_count - clipped_mean)
known = typical(b / n * noise[3])
sums = chance.gamma(n, size=(2, 2000))  # a sum of n Laplace noises is a difference of these
local = typical(b / n * (sums[0] - sums[1]))
closer = useless / composed
epsilon_of_one = limit / 1  # of a sum with noise of the scale 1


def both(percent):  # what clipping takes off, and the noise of a known number of people
    c = {most} * percent / 100
    return true_mean - data.clip(0, c).mean() + np.log(2) * c / (n * epsilon)


best = {most} * min(range(10, 101, 5), key=both) / 100
"""


def made_up(data: str, n: int, chance: np.random.Generator) -> FloatArray:
    """Make up what is true of n people."""
    if data == "salaries":
        found = 40_000 * np.exp(0.6 * chance.standard_normal(n))
    else:
        middle, spread = (45.0, 15.0) if data == "ages" else (1.7, 0.1)
        found = chance.normal(middle, spread, n)
    return np.asarray(found.clip(0, _MOST[data]), dtype=np.float64)


def errors(
    mean: float, n: int, limit: float, epsilon: float, chance: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return how far off an average is in each of 2,000 releases, by four ways to add noise."""
    b = limit / epsilon
    noise = chance.laplace(size=(4, RELEASES))
    useless = b * noise[0]
    composed = (mean * n + 2 * b * noise[1]) / (n + 2 / epsilon * noise[2]) - mean
    sums = chance.gamma(n, size=(2, RELEASES))
    return useless, composed, b / n * noise[3], b / n * (sums[0] - sums[1])


def trade(
    data: FloatArray, most: float, epsilon: float
) -> tuple[list[float], list[float], list[float]]:
    """Return limits, what clipping at each takes off an average, and the noise that each needs."""
    limits = [most * percent / 100 for percent in _PERCENTS]
    lost = [float(data.mean() - data.clip(0, limit).mean()) for limit in limits]
    return limits, lost, [math.log(2) * limit / (len(data) * epsilon) for limit in limits]


def typical(found: FloatArray) -> float:
    """Return the error that half of the releases exceed."""
    return float(np.median(np.abs(found)))


def compute(settings: Settings) -> Shown:
    """Return how far off an average is, by four ways to add noise."""
    most = _MOST[str(settings["data"])]
    limit = most * int(Fraction(settings["limit"])) / 100
    read = typed(settings, data=str, epsilon=float, n=int, seed=int, limit=limit)
    chance = np.random.default_rng(read.seed)
    data = made_up(read.data, read.n, chance)
    clipped = data.clip(0, read.limit)
    true, mean = float(data.mean()), float(clipped.mean())
    releases = errors(mean, read.n, read.limit, read.epsilon, chance)
    useless, composed, known, local = (typical(found) for found in releases)
    closer = useless / composed
    limits, lost, noise = trade(data, most, read.epsilon)
    both = np.add(lost, noise)
    best = limits[int(both.argmin())]
    return Shown(
        said=(
            (
                f"Clipping at {_digits(read.limit)} takes {_digits(true - mean)} off the average, "
                f"and the noise must hide {_digits(read.limit)}. Both together are least at "
                f"{_digits(best)}, if the number of people is known."
            ),
            (
                f"The average is {_digits(true)}. If half of ε is for the sum and half for the "
                f"count, it is typically {_digits(composed)} off. With noise for an average of an "
                f"unknown number of people it is {_digits(useless)} off: "
                f"{number(closer, 0 if closer >= 10 else 1)} times as much."
            ),
        ),
        values=(
            Value("true_mean", "True average", true, _digits(true)),
            Value("clipped_mean", "Average after clipping", mean, _digits(mean)),
            Value("useless", "Off, number unknown", useless, _digits(useless)),
            Value("composed", "Off, sum ÷ count", composed, _digits(composed)),
            Value("known", "Off, number known", known, _digits(known)),
            Value("local", "Off, local noise", local, _digits(local)),
            Value("closer", "Sum ÷ count is closer by", closer, f"{number(closer, 1)} times"),
            Value(
                "epsilon_of_one",
                "ε of a sum, noise of scale 1",
                read.limit,
                number(read.limit, 2),
            ),
            Value("best", "Limit at which both are least", best, _digits(best)),
        ),
        code=fill(
            _CODE,
            settings,
            limit=decimal(limit),
            most=decimal(most),
            data=_LINES[read.data].format(most=decimal(most)),
        ),
        pictures=(
            _people(read, data, mean + releases[1][:DRAWN]),
            _clipping(read, limits, lost, noise),
        ),
    )


def _digits(value: float) -> str:
    """Write a number with three digits."""
    size = math.floor(math.log10(max(abs(value), 1e-6)))
    return number(value, max(0, 2 - size))


def _people(read: Any, data: FloatArray, published: FloatArray) -> Picture:
    most, width, each = _MOST[read.data], _MOST[read.data] / _COLUMNS, read.n // DOTS
    people = np.sort(data)[each // 2 :: each]
    x, y = (np.array(one, dtype=float) for one in stacked(people, 0, width))
    at, down = stacked(published.clip(width / 2, most), 0, width)
    series = [
        Series(name, "dots", tuple(x[which].tolist()), tuple(y[which].tolist()), tone)
        for name, which, tone in (
            ("people who count as they are", people <= read.limit, 0),
            ("who count as the limit", people > read.limit, 2),
        )
        if which.any()
    ]
    averages = {
        "true average": (float(data.mean()), 3),
        "after clipping": (float(data.clip(0, read.limit).mean()), 1),
    }
    shown = data, data.clip(0, read.limit), published.clip(0, most)
    counts = (np.histogram(one, 10, (0, most))[0] for one in shown)
    return Picture(
        id="people",
        drag=Drag("limit", most / 100),
        caption=(
            f"Drag the limit over the people (so many to a dot: {each}). Below them hang {DRAWN} "
            "published averages, sum ÷ count. A low limit draws them together, and away from the "
            "true average. What is beyond the ends hangs there."
        ),
        x=_DATA[read.data],
        y="People, and below 0 published averages",
        series=(
            *series,
            Series("published", "dots", at, tuple(-float(one) for one in down), 1),
            *(Series(name, "upright", (x,), (0.0,), tone) for name, (x, tone) in averages.items()),
        ),
        table=Table(
            ("From", "to", "People", "After clipping", f"Of {DRAWN} published"),
            table_rows((0, most), *(tuple(one) for one in counts), digits=2),
        ),
        x_range=(0, most),
        y_range=(-float(max(down)) - 1, float(y.max()) + 1),
    )


def _clipping(read: Any, limits: list[float], lost: list[float], noise: list[float]) -> Picture:
    both = np.add(lost, noise).tolist()
    lines = Columns(
        limits,
        {"lost by clipping": lost, "noise, number known": noise, "both together": both},
        tones=(2, 1, 0),
    )
    return Picture(
        id="clipping",
        drag=Drag("limit", _MOST[read.data] / 100),
        caption=(
            "A low limit cuts large values off, and a high one needs more noise. Which limit is "
            "best depends on ε and on the number of people."
        ),
        x="Values above this count as this",
        y="Typical error",
        series=(
            *lines.series,
            Series("", "dots", (read.limit,), (both[limits.index(read.limit)],), 0),
        ),
        table=lines.table("Limit", _digits, x=_digits),
        x_range=(limits[0], limits[-1]),
    )


PAGE: Final = Page(
    slug="averages",
    title="Sums and averages",
    summary="Four ways to publish an average, from useless to good, and what clipping does.",
    paragraphs=(
        (
            "In a sum one person counts as much as their value: a large salary moves it a lot. So "
            "each value is first cut off at a limit C. This is called clipping. One person can "
            "then move the sum by C at most. The noise must be as large as that, over ε."
        ),
        (
            "An average could be of very few people, and then one of them moves it by nearly C. "
            "Noise for that is useless. Better spend half of ε on the sum and half on the count, "
            "and divide. If everybody knows the number of people anyway, it is better still."
        ),
    ),
    sources=(
        (
            "C. Dwork, F. McSherry, K. Nissim and A. Smith (2006). Calibrating noise to "
            "sensitivity in private data analysis. TCC."
        ),
        (
            "F. McSherry (2009). Privacy integrated queries. SIGMOD. (Noisy sums, counts and "
            "averages.)"
        ),
    ),
    inputs=(
        Slider("limit", "Values are clipped at (percent of the highest)", "10", "100", "5", "100"),
        Choice("data", "Data", _DATA),
        Slider("epsilon", "ε", "0.01", "1", "0.01", "0.01"),
        Choice("n", "People", _SIZES),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "The ages of 1,000 people, up to 100 years, with ε = 0.01. By how much is a noisy sum "
            "over a noisy count closer than noise for an unknown number of people?",
            "About 400 times. The useless noise has the scale 100 ÷ 0.01 = 10,000 years. The sum "
            "has twice that, but it is divided by about 1,000 people.",
            {"data": "ages", "epsilon": "0.01", "n": "1000", "limit": "100"},
            check=Number(400, 60, "times"),
        ),
        Exercise(
            "Why is the Δ of an average C/n if the number n of people is known, and C if not?",
            "If n is fixed, a person can only change their value. That moves the sum by C at most "
            "and the average by C/n. If people can join, the first one moves the average of "
            "nobody to their own value, so up to C.",
            check=Pick(
                "Somebody may join a table of nobody",
                ("The count has noise as well", "C is not known"),
            ),
        ),
        Exercise(
            "Somebody adds noise of the scale 1 to each sum they publish. How private are heights "
            "in metres, and salaries in dollars?",
            "A sum of heights up to 2.5 m has ε = 2.5. The same noise in a sum of salaries up to "
            "200,000 dollars has ε = 200,000, so it hides nobody. In thousands of dollars the "
            "same number hides a thousand times more. Noise has a unit.",
            {"data": "salaries", "limit": "100"},
            check=Number(2.5, 0, "is ε for heights up to 2.5 m"),
        ),
        Exercise(
            "Drag the limit over the salaries of 100 people, with ε = 0.1: where are clipping and "
            "noise least together? Where is it for 10,000 people, and why not at the same place?",
            "At 70,000 dollars for these people. With 10,000 people the noise is a hundredth, so "
            "a high limit loses less, and with few a low one is better, though it cuts much off. "
            "The limit must not be chosen by a look at the salaries, as that would tell of them.",
            {"data": "salaries", "epsilon": "0.1", "n": "100", "limit": "35", "seed": "1"},
            check=Number(70_000, 0, "dollars, for 100 people"),
        ),
        Exercise(
            "For the local way, how far off is the average of n people?",
            "Each adds noise of the variance 2C²/ε². The average of n has 2C²/(ε²n). That is "
            "between the ways that know the number and the way that does not.",
            {"n": "10000"},
            check=Pick("√2 · C ÷ (ε√n)", ("C ÷ (εn)", "√2 · C ÷ ε")),
        ),
    ),
    topics=("Laplace, sensitivity",),
    guess=Guess(
        "An average age of 1,000 people is published with ε = 0.01, from a noisy sum and a "
        "noisy count. How far off is it, typically?",
        "composed",
        0,
        100,
        "years",
        scale=1,
    ),
)
