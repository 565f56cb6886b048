"""The estimator: a thousand classes, and what their estimates do."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable import designs
from deniable.analysis.intervals.coverage import exact_coverage
from deniable.analysis.noncompliance import corrected
from deniable.analysis.numerics.arrays import FloatArray
from deniable.analysis.numerics.levels import normal_quantile
from deniable.analysis.sensitivity_curve import always
from deniable.channel import Channel
from deniable.estimator import least_variance
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import steps
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import percent, points

CLASSES: Final = 1000

_SIZES: Final = {size: f"{int(size):,}" for size in ("30", "10", "100", "300", "1000", "3000")}
_MOST_COVERED: Final = 300
"""The exact coverage of larger classes takes long, and is 95 % to a tenth by then."""

_CODE: Final = """\
import math

import numpy as np

from deniable import designs
{imports}from deniable.estimator import least_variance

flip, share, n = {flip}, {share}, {n}
channel = designs.warner(flip=flip)
table = channel.probabilities
yes_rate = (1 - share) * table[0, 1] + share * table[1, 1]
yes = np.random.default_rng({seed}).binomial(n, yes_rate, size=1000)  # a thousand classes
estimates = (least_variance(channel) @ [n - yes, yes])[1] / n
average, spread = estimates.mean(), estimates.std()

c = table[1, 1] - table[0, 1]  # 1 - 2 * flip, the share of coins that say “truth”
error = math.sqrt(yes_rate * (1 - yes_rate) / n) / c
error_direct = math.sqrt(share * (1 - share) / n)
error_known = math.sqrt(share * (1 - share) / (c * n))
{coverage}"""

_IMPORTS: Final = "from deniable.analysis.intervals.coverage import exact_coverage\n"
_COVERAGE: Final = """\
chances = [math.comb(n, x) * yes_rate**x * (1 - yes_rate) ** (n - x) for x in range(n + 1)]
a = np.arange(n + 1) / n  # the share of “yes” among the reports, and Wald's interval of it
half = 1.959963984540054 * np.sqrt(a * (1 - a) / n)
wald = np.array(chances) @ (np.abs(a - yes_rate) <= half + 1e-12)
default = exact_coverage(channel, n, [share]).coverage[0]
"""

_PARTS: Final = tuple(place / 20 for place in range(11))
_ASKED: Final = 10_000
_SHARES: Final = tuple(place / 100 for place in range(101))
_PEOPLE: Final = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10000)


def yes_rate(channel: Channel, share: float) -> float:
    """Return how likely a “yes” is from somebody of a population."""
    table = channel.probabilities
    return float((1 - share) * table[0, 1] + share * table[1, 1])


def simulate(channel: Channel, share: float, n: int, seed: int) -> npt.NDArray[np.int64]:
    """Return how many reports are “yes” in each of a thousand classes of n made-up people."""
    return np.random.default_rng(seed).binomial(n, yes_rate(channel, share), size=CLASSES)


def estimates_of(channel: Channel, yes: npt.ArrayLike, n: int) -> FloatArray:
    """Return the estimated share of each class."""
    counted = np.asarray(yes)
    estimates: FloatArray = (least_variance(channel) @ np.stack([n - counted, counted]))[1] / n
    return estimates


def errors(channel: Channel, share: float, n: int) -> tuple[float, float, float]:
    """Return the standard error of the estimate, and two to compare it with."""
    rate = yes_rate(channel, share)
    c = float(channel.probabilities[1, 1] - channel.probabilities[0, 1])
    truth = share * (1 - share)
    return math.sqrt(rate * (1 - rate) / n) / c, math.sqrt(truth / n), math.sqrt(truth / (c * n))


@lru_cache(maxsize=64)
def coverages(flip: Fraction, n: int, method: str) -> tuple[float, ...]:
    """Return how often a 95 % interval holds the share, at each share from 0 to 100 %."""
    channel = designs.warner(flip=flip)
    if method == "wald":
        return tuple(_wald_coverage(yes_rate(channel, share), n) for share in _SHARES)
    found = exact_coverage(channel, n, _SHARES, method=method)
    return tuple(found.coverage.tolist())


def _wald_coverage(rate: float, n: int) -> float:
    """Return how often the textbook's interval holds the rate of “yes” among n reports."""
    x = np.arange(n + 1)
    a = x / n
    half = normal_quantile(0.95) * np.sqrt(a * (1 - a) / n)
    return float(scipy.stats.binom.pmf(x, n, rate) @ (np.abs(a - rate) <= half + 1e-12))


def compute(settings: Settings) -> Shown:
    """Return what the estimates of a thousand classes do."""
    flip, share, n, seed = typed(settings, flip=Fraction, share=float, n=int, seed=int)
    channel = designs.warner(flip=flip)
    yes = simulate(channel, share, n, seed)
    estimates = estimates_of(channel, yes, n)
    average, spread = float(estimates.mean()), float(estimates.std())
    noisy, direct, known = errors(channel, share, n)
    values = [
        Value("average", "Average of 1,000 estimates", average, percent(average)),
        Value("spread", "Their spread (standard deviation)", spread, points(spread)),
        Value("error", "Spread by the formula", noisy, points(noisy)),
        Value("error_direct", "Spread if all said the truth", direct, points(direct)),
        Value("error_known", "Spread if one knew who did", known, points(known)),
    ]
    said = [
        (
            f"The truth is {percent(share)}. The estimates of 1,000 classes of {n:,} average to "
            f"{percent(average)}, and one class is typically {points(spread)} off."
        ),
    ]
    pictures = [_histogram(channel, yes, share, n), _ignoring(channel, share, seed)]
    pictures.append(_falling(channel, share, n))
    if n <= _MOST_COVERED:
        place = round(100 * share)
        wald, default = (coverages(flip, n, method)[place] for method in ("wald", "auto"))
        values += [
            Value("wald", "Wald’s interval holds the truth", wald, percent(wald)),
            Value("default", "The results’ interval holds the truth", default, percent(default)),
        ]
        said.append(
            f"A 95 % interval should hold the truth in 95 of 100 classes. Wald’s does so in "
            f"{percent(wald)}, and that of the results pages in {percent(default)}."
        )
        pictures.append(_covering(flip, n))
    code = fill(
        _CODE,
        settings,
        imports=_IMPORTS if n <= _MOST_COVERED else "",
        coverage=_COVERAGE if n <= _MOST_COVERED else "",
    )
    return Shown(tuple(said), tuple(values), tuple(pictures), code=code)


def _histogram(channel: Channel, yes: npt.NDArray[np.int64], share: float, n: int) -> Picture:
    # So many numbers of “yes” that some six columns are within the spread to either side.
    together = max(1, round(math.sqrt(n * yes_rate(channel, share)) / 6))
    first, last = int(yes.min()) // together, int(yes.max()) // together
    counts = np.bincount(yes // together - first, minlength=last - first + 1)
    starts = (np.arange(first, last + 2) * together).astype(np.int64)
    # The ends of a column lie between two possible estimates.
    ends = estimates_of(channel, starts - 0.5, n)
    estimates = estimates_of(channel, yes, n)
    outside = int(np.sum((estimates < 0) | (estimates > 1)))
    return Picture(
        id="classes",
        drag=Drag("share"),
        caption=(
            "The estimates of a thousand classes, and the truth as an upright line. "
            + (
                f"{outside:,} of them are below 0 % or above 100 %. They are kept: else the "
                "average would be wrong."
                if outside
                else "None of them is below 0 % or above 100 %."
            )
        ),
        x="Estimated share of “yes”",
        y="Classes",
        series=(
            steps("estimates", ends, counts, 0),
            Series("the truth", "upright", (share,), (0.0,), 1),
        ),
        table=Table(
            ("Estimate from", "to", "Classes"),
            tuple(
                (percent(low), percent(high), f"{count:,}")
                for low, high, count in zip(ends[:-1], ends[1:], counts.tolist(), strict=True)
            ),
        ),
        x_range=(min(0.0, float(ends[0])), max(1.0, float(ends[-1]))),
    )


def ignoring(channel: Channel, share: float, part: float) -> float:
    """Return the estimate on average, if a part of the people says “no” whatever the coin says."""
    rate = (1 - part) * yes_rate(channel, share)
    return float(least_variance(channel)[1] @ [1 - rate, rate])


def controlled(channel: Channel, share: float, part: float, seed: int) -> float:
    """Return what a control item makes of the answers of so many made-up people."""
    yes, control = yes_rate(channel, share), yes_rate(channel, 0)
    follow = (1 - part) * np.outer([1 - yes, yes], [1 - control, control])
    follow[0, 0] += part  # the others say “no” to both
    pairs = (
        np.random.default_rng([seed, int(100 * part)])
        .multinomial(_ASKED, follow.ravel())
        .reshape(2, 2)
    )
    no = always(channel, 0)
    found = corrected(pairs, channel, channel, [1, 0], behaviour=no, control_behaviour=no)
    return float(found.theta[1])


def _ignoring(channel: Channel, share: float, seed: int) -> Picture:
    columns = Columns(
        _PARTS,
        {
            "with the coins": [ignoring(channel, share, part) for part in _PARTS],
            "corrected by the control item": [
                controlled(channel, share, part, seed) for part in _PARTS
            ],
            "the truth": [share] * len(_PARTS),
        },
        tones=(1, 0, 2),
    )
    series = [replace(one, mark="dots") if "control" in one.name else one for one in columns.series]
    return Picture(
        id="ignoring",
        caption=(
            "Some people say “no” whatever the coin says, to be safe. The estimate then is too "
            "low, and no interval knows of it. A control item asks everybody something that is "
            "true of nobody, such as “Were you born on 30 February?”: too few say “yes” to it, "
            "and that tells how many ignore the coin. The dots are 10,000 made-up people each; in "
            "a class this is too noisy."
        ),
        x="People who say “no” whatever the coin says",
        y="Estimated share of “yes”",
        series=tuple(series),
        table=columns.table("Ignore the coin", percent, x=percent),
        x_range=(0, 0.5),
    )


def _falling(channel: Channel, share: float, n: int) -> Picture:
    names = ("with the coins", "all say the truth", "one knows who said the truth")
    rows = np.array([errors(channel, share, people) for people in _PEOPLE])
    lines = Columns(_PEOPLE, dict(zip(names, rows.T, strict=True)))
    return Picture(
        id="falling",
        drag=Drag("n"),
        caption=(
            "The spread of the estimate falls with the number of people. Each axis multiplies, so "
            "that “a hundred times as many, a tenth of the error” is a straight line."
        ),
        x="People",
        y="Spread, in points",
        series=(
            *(
                Series(name, "line", _PEOPLE, tuple((100 * row).tolist()), tone)
                for name, row, tone in zip(names, rows.T, (1, 0, 2), strict=True)
                if row[0] > 0  # a spread of 0 has no place on such an axis
            ),
            Series("", "dots", (float(n),), (100 * errors(channel, share, n)[0],), 1),
        ),
        table=lines.table("People", points, x="{:,}".format),
        logarithmic=True,
    )


def _covering(flip: Fraction, n: int) -> Picture:
    lines = Columns(
        _SHARES,
        {"Wald": coverages(flip, n, "wald"), "Results pages": coverages(flip, n, "auto")},
        tones=(1, 0),
    )
    least = min(min(column) for column in lines.columns.values())
    return Picture(
        id="covering",
        drag=Drag("share"),
        caption=(
            "How often a 95 % interval really holds the truth, for each truth. It should be at "
            "or above the line at 95 %. Wald’s is the textbook’s: 1.96 times √(ā(1 − ā) ÷ n) to "
            "either side of ā, and then as the estimate. The results pages show Feldman and "
            "Cousins’s."
        ),
        x="True share of “yes”",
        y="Coverage",
        series=(*lines.series, Series("95 %", "line", (0.0, 1.0), (0.95, 0.95), 2)),
        table=lines.table("True share", percent, at=range(0, 101, 10), x=percent),
        x_range=(0, 1),
        y_range=(min(0.9, math.floor(20 * least) / 20), 1),
    )


PAGE: Final = Page(
    slug="estimator",
    title="The estimator",
    summary="How the truth about a class comes out of its noise, and how far off it can be.",
    paragraphs=(
        (
            "Nobody knows which reports are true. Yet the coins mislead in a known way: a share p "
            "of the reports is flipped. Take the share of “yes” that was sent, subtract p, and "
            "divide by 1 − 2p. On average that is the truth."
        ),
        (
            "One class may still be far off. So let a thousand made-up classes answer the same "
            "question. Their estimates lie around the truth, and this page shows how widely. Turn "
            "up the number of people or turn down the flip, and watch the heap become narrow."
        ),
    ),
    sources=(
        (
            "S. L. Warner (1965). Randomized response: a survey technique for eliminating evasive "
            "answer bias. Journal of the American Statistical Association 60."
        ),
        (
            "G. J. Feldman and R. D. Cousins (1998). Unified approach to the classical statistical "
            "analysis of small signals. Physical Review D 57."
        ),
        (
            "Who ignores the coin: U. Böckenholt and P. G. M. van der Heijden (2007). "
            "Psychometrika 72. M. Höglinger and A. Diekmann (2017). Political Analysis 25. Y. "
            "Atsusaka and R. T. Stevenson (2023). Political Analysis 31."
        ),
    ),
    inputs=(
        Choice("n", "People in each class", _SIZES),
        Slider("share", "True share of “yes”", "0", "1", "0.01", "0.3"),
        Slider("flip", "p: chance that a report is flipped", "0.01", "0.49", "0.01", "0.25"),
        Slider("seed", "Data (made up; each number is other classes)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "In a class of 30, with p = 1/4, 55 % of the reports are “yes”. What is the estimate?",
            "(0.55 − 0.25) ÷ (1 − 0.5) = 0.6. So 60 %. By the formula the spread is 18 points "
            "for such a class, so it may well be 40 % or 80 %.",
            {"n": "30", "share": "0.6", "flip": "0.25"},
            check=Number(60, 0, "%"),
        ),
        Exercise(
            "Show that the estimator is unbiased.",
            "Let θ be the true share. Somebody sends “yes” with probability λ = θ(1 − p) + "
            "(1 − θ)p = p + (1 − 2p)θ. So the average of (ā − p) ÷ (1 − 2p) over all classes is "
            "(λ − p) ÷ (1 − 2p) = θ, for each number of people.",
            check=Pick(
                "p + (1 − 2p)θ is the chance of a “yes”",
                ("ā is θ on average", "The number of people must be large"),
            ),
        ),
        Exercise(
            "A share c of the coins says “truth”. How does the error depend on c and on the "
            "number n of people?",
            "c = 1 − 2p. If one knew which cn people told the truth, one would ask only them, and "
            "the error would be about 1/√(cn). But one does not know. The others’ coins are noise "
            "that stays in, and the error is √(λ(1 − λ)) ÷ (c√n). Half of the coins then cost as "
            "much as three quarters of the people: four times as many are needed.",
            {"share": "0.5", "flip": "0.25"},
            check=Pick("As 1 ÷ (c√n)", ("As 1 ÷ √(cn)", "As 1 ÷ (cn)")),
        ),
        Exercise(
            "Does more data make privacy easier?",
            "Yes. The error is about 1 ÷ (2c√n). With four times as many people c may be half as "
            "large, and the error stays the same. A small c means a small ε, as ε = ln((1 + c) ÷ "
            "(1 − c)) is about 2c. So a large survey can protect each person better. A class of "
            "30 cannot.",
            check=Pick("Yes", ("No",)),
        ),
        Exercise(
            "Asked directly, Wald’s interval fails where the true share is near 0 or 1. Set n = 10 "
            "and p = 1/4. At which shares does it hold the truth least often here?",
            "At 8 % and 92 %: there it holds the truth in 79 of 100 classes. Asked directly, all "
            "reports are alike at 0 and 1. With the coins at least a quarter of them is “yes” and "
            "a quarter “no”, on average. So at 0 % it holds the truth in 92 of 100 classes, and in "
            "the middle in 87 to 95. That is too few at each share: ten reports give eleven "
            "intervals, and the curve falls where one of them stops holding the share. The "
            "interval of Feldman and Cousins never falls below the line, at any share and any n. "
            "That is why the results pages of real surveys use it.",
            {"n": "10", "share": "0.08", "flip": "0.25"},
            check=Pick("At 8 % and 92 %", ("At 0 % and 100 %", "At 40 % and 60 %")),
        ),
        Exercise(
            "One in five says “no” whatever the coin says. The truth is 30 %, and p is 1/4. What "
            "is the estimate on average? How does a control item find out?",
            "(0.8 × (0.25 + 0.5 × 0.3) − 0.25) ÷ 0.5 = 0.14. Nobody was born on 30 February, so "
            "25 % should say “yes” to that by chance, and 20 % do: 1 − 0.2 ÷ 0.25 = 1/5 ignore "
            "the coin. Among the others 0.32 ÷ 0.8 = 40 % sent “yes”, and (0.4 − 0.25) ÷ 0.5 = "
            "0.3. This holds if the same people ignore both coins, whatever is true of them.",
            {"share": "0.3", "flip": "0.25"},
            check=Number(14, 0.5, "%"),
        ),
    ),
    topics=("the estimator",),
    guess=Guess(
        "In a class of 30, each answer is flipped with 1 in 4. How far off is the estimated "
        "share of “yes”, typically?",
        "spread",
        0,
        40,
        "points",
    ),
)
