"""Local against central: where the noise is added, and who must be trusted."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
import scipy

from deniable import designs
from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.heaps import heap, table_rows
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number

DELTA: Final = 1e-6
"""The chance with which the promise of a shuffler may fail."""

_ENUMERATED: Final = 1000

LEVELS: Final = 21
"""On so many levels from 0 to the greatest salary this project would ask for it."""

_SIZES: Final = {size: f"{int(size):,}" for size in ("1000", "30", "100", "300", "10000")}

_CODE: Final = """\
import numpy as np

from deniable import designs

epsilon, most, n = {epsilon}, {most}, {n}
chance = np.random.default_rng({seed})
salaries = 40 * np.exp(0.6 * chance.standard_normal(n))  # made up, in thousands a year
clipped = salaries.clip(0, most)
true_mean, clipped_mean = salaries.mean(), clipped.mean()

# Local: each person adds noise. Central: somebody who knows all adds noise to the mean.
local_mean = (clipped + chance.laplace(scale=most / epsilon, size=n)).mean()
central_mean = clipped_mean + chance.laplace(scale=most / (epsilon * n))
local_error = (2 * most**2 / (epsilon**2 * n)) ** 0.5
central_error = (2 * (most / (epsilon * n)) ** 2) ** 0.5
people = n**2  # so many people make the local error as small as the central one of n

# The best local design of this project, on 21 levels.
best = designs.best_numeric(21, "{epsilon}")
best_error = most / 20 * (designs.worst_case_variance(best) / n) ** 0.5
"""

_PEOPLE: Final = (10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000)


def errors(epsilon: float, most: float, n: int) -> tuple[float, float]:
    """Return the standard deviation of the noise in a mean, with the noise local and central.

    Laplace noise of scale b has the variance 2b². Locally b is ``most / ε`` for each of n people,
    whose mean has an n-th of it. Centrally one person moves the mean of a known number of people by
    ``most / n`` at most, and b is that over ε.
    """
    local = math.sqrt(2 * most**2 / (epsilon**2 * n))
    return local, math.sqrt(2 * (most / (epsilon * n)) ** 2)


@lru_cache(maxsize=64)
def _worst(epsilon: Fraction) -> float:
    return designs.worst_case_variance(designs.best_numeric(LEVELS, epsilon))


def best_error(epsilon: Fraction, most: float, n: int) -> float:
    """Return the same for the design that this project would choose, in its worst case."""
    return most / (LEVELS - 1) * math.sqrt(_worst(epsilon) / n)


@dataclass(frozen=True)
class Made:
    """Made-up salaries, in thousands a year, and what comes of them."""

    # What is true, what is left of it, and what a person sends in the local model.
    salaries: FloatArray
    clipped: FloatArray
    sent: FloatArray
    central: float  # the mean that is published in the central model


def made_up(epsilon: float, most: float, n: int, seed: int) -> Made:
    """Make up salaries, and add the noise of both models."""
    chance = np.random.default_rng(seed)
    salaries = 40 * np.exp(0.6 * chance.standard_normal(n))
    clipped = salaries.clip(0, most)
    sent = clipped + chance.laplace(scale=most / epsilon, size=n)
    central = float(clipped.mean() + chance.laplace(scale=most / (epsilon * n)))
    return Made(salaries, clipped, sent, central)


def compute(settings: Settings) -> Shown:
    """Return how far off an average salary is, with the noise added here or there."""
    read = typed(settings, epsilon=Fraction, most=int, n=int, seed=int)
    epsilon, most, n = float(read.epsilon), read.most, read.n
    made = made_up(epsilon, most, n, read.seed)
    true, clipped = float(made.salaries.mean()), float(made.clipped.mean())
    local_mean = float(made.sent.mean())
    local, central = errors(epsilon, most, n)
    best = best_error(read.epsilon, most, n)
    return Shown(
        said=(
            (
                f"The average is {_money(true)}. If each person adds noise, {_money(local_mean)} "
                f"comes out. If somebody who knows all salaries adds it, {_money(made.central)}."
            ),
            (
                f"The local noise is {number(local / central, 1)} times as large, which is the "
                f"root of {n:,}. {n**2:,} people would make up for it."
            ),
        ),
        values=(
            Value("true_mean", "True average", true, _money(true)),
            Value("clipped_mean", "Average after clipping", clipped, _money(clipped)),
            Value("local_mean", "Local estimate", local_mean, _money(local_mean)),
            Value("central_mean", "Central estimate", made.central, _money(made.central)),
            Value("local_error", "Local noise", local, f"± {_money(local)}"),
            Value("central_error", "Central noise", central, f"± {_money(central)}"),
            Value("best_error", "This project’s local design", best, f"± {_money(best)}"),
            Value("people", "People for the same, locally", n**2, f"{n**2:,}"),
        ),
        code=fill(_CODE, settings),
        pictures=(
            _noise(read),
            _shuffled(epsilon),
            _seen(made, epsilon, most),
            _clipping(made.salaries, epsilon, most),
        ),
    )


def _money(thousands: float) -> str:
    """Write a salary: three digits are enough."""
    digits = max(0, 3 - 1 - math.floor(math.log10(1000 * max(abs(thousands), 1e-6))))
    return number(1000 * thousands, digits if digits < 3 else 2)


def _noise(read: Any) -> Picture:
    epsilon, most = float(read.epsilon), read.most
    local, central = zip(*(errors(epsilon, most, n) for n in _PEOPLE), strict=True)
    best = [best_error(read.epsilon, most, n) for n in _PEOPLE]
    lines = Columns(
        _PEOPLE,
        {"local": local, "central": central, "this project’s local design": best},
        tones=(1, 0, 3),
    )
    here = errors(epsilon, most, read.n)
    return Picture(
        id="noise",
        drag=Drag("n"),
        caption=(
            "The noise in the average. Ten times as many people make the central noise ten times "
            "as small, and the local noise only three times. Each axis multiplies."
        ),
        x="People",
        y="Noise in the average (standard deviation, thousands a year)",
        series=(
            *lines.series,
            Series("", "dots", (read.n,), (here[0],), 1),
            Series("", "dots", (read.n,), (here[1],), 0),
        ),
        table=lines.table("People", _money, x="{:,}".format),
        logarithmic=True,
    )


def clones(epsilon: float, n: int) -> float:
    """Return the ε of n shuffled reports by Feldman, McMillan and Talwar's theorem, for any noise.

    It is that of a single report where the theorem says nothing: with few people.
    """
    if math.exp(epsilon) > n / (16 * math.log(4 / DELTA)):
        return epsilon
    odds = math.exp(epsilon)
    far = 8 * math.sqrt(odds * math.log(4 / DELTA) / n) + 8 * odds / n
    return math.log1p((odds - 1) / (odds + 1) * far)


@lru_cache(maxsize=256)
def coins(epsilon: float, n: int) -> float:
    """Return the least ε of n shuffled coins of two answers, from all numbers of “yes”.

    The worst of some fifty classes of others, from all “no” to all “yes”.
    """
    flip = 1 / (1 + math.exp(epsilon))
    pairs = []
    for yes in {*range(0, n, max(1, n // 50)), n - 1}:
        others = np.convolve(
            scipy.stats.binom.pmf(np.arange(yes + 1), yes, 1 - flip),
            scipy.stats.binom.pmf(np.arange(n - yes), n - 1 - yes, flip),
        )
        heaps = [np.convolve(others, (flip, 1 - flip)), np.convolve(others, (1 - flip, flip))]
        pairs += [heaps, heaps[::-1]]
    one, other = np.moveaxis(np.array(pairs), 1, 0)

    def fails(within: float) -> float:
        """Return with which chance the promise fails, less the one that it may."""
        return float(np.maximum(one - math.exp(within) * other, 0).sum(axis=1).max()) - DELTA

    return float(scipy.optimize.brentq(fails, 0, epsilon, xtol=1e-6)) if fails(0) > 0 else 0.0


def _shuffled(epsilon: float) -> Picture:
    exact = [coins(epsilon, n) if n <= _ENUMERATED else math.nan for n in _PEOPLE]
    lines = Columns(
        _PEOPLE,
        {
            "each report": [epsilon] * len(_PEOPLE),
            "shuffled, any noise": [clones(epsilon, n) for n in _PEOPLE],
            "shuffled, coins": exact,
        },
        tones=(1, 0, 3),
    )
    known = [one for one in exact if one > 0]
    return Picture(
        id="shuffled",
        caption=(
            "Between the two: people add noise, and somebody shuffles the reports before anybody "
            "sees them. What the heap tells of one person has a smaller ε, which may fail with a "
            "chance of one in a million (δ). For any noise it is the bound of Feldman, McMillan "
            "and Talwar; for coins of two answers it is computed from all that can come, up to "
            "1,000 people. Somebody is trusted, but only to shuffle: if they do not, the ε of "
            "each report still holds."
        ),
        x="People",
        y="ε",
        series=(
            *lines.series[:2],
            Series("shuffled, coins", "line", _PEOPLE[: len(known)], tuple(known), 3),
        ),
        table=lines.table("People", lambda one: "" if math.isnan(one) else number(one)),
        logarithmic=True,
    )


def _seen(made: Made, epsilon: float, most: float) -> Picture:
    ends = (-3 * most / epsilon, most + 3 * most / epsilon)
    (true, counts), (noisy, noisy_counts) = (
        heap(name, each, ends, tone)
        for name, each, tone in (
            ("central: the true ones", made.clipped, 0),
            ("local: with noise", made.sent, 1),
        )
    )
    return Picture(
        id="seen",
        caption=(
            "What somebody sees who collects the salaries. In the central model these are the "
            "true ones, and in the local model there is noise in each."
        ),
        x="Salary, thousands a year",
        y="People",
        series=(true, noisy),
        table=Table(
            ("Thousands from", "to", "Central", "Local"),
            table_rows(ends, counts, noisy_counts, digits=0),
        ),
        x_range=ends,
    )


def _clipping(salaries: FloatArray, epsilon: float, most: float) -> Picture:
    places = range(20, 201, 10)
    lost = [float(salaries.mean() - salaries.clip(0, place).mean()) for place in places]
    noise = [errors(epsilon, place, len(salaries))[0] for place in places]
    both = np.hypot(lost, noise)
    lines = Columns(
        places,
        {"lost by clipping": lost, "local noise": noise, "both together": both},
        tones=(2, 1, 0),
    )
    return Picture(
        id="clipping",
        drag=Drag("most"),
        caption=(
            "A low limit cuts the large salaries off, and a high one needs more noise. In between "
            "both together are least."
        ),
        x="Salaries above this count as this, thousands a year",
        y="Error in the average, thousands a year",
        series=(
            *lines.series,
            Series("", "dots", (most,), (float(both[places.index(int(most))]),), 0),
        ),
        table=lines.table("Limit", _money, x=_money),
        x_range=(20, 200),
    )


PAGE: Final = Page(
    slug="central",
    title="Local against central",
    summary="Who adds the noise, who must be trusted for it, and how many more people that takes.",
    paragraphs=(
        (
            "What is the average salary? There are two ways to ask without giving anybody away. "
            "Local: each person adds noise and sends the sum. Central: everybody sends the truth "
            "to one office, and the office adds noise to the average before it tells anybody."
        ),
        (
            "The promise ε is the same to all who see the result. But in the central model there "
            "is an office that knows everything, and it can be robbed, sued or bought. In the "
            "local model nobody has to be trusted. The price is noise, which only more people "
            "make up for. Surveys of this project are local."
        ),
    ),
    sources=(
        (
            "C. Dwork, F. McSherry, K. Nissim and A. Smith (2006). Calibrating noise to "
            "sensitivity in private data analysis. TCC."
        ),
        (
            "J. C. Duchi, M. I. Jordan and M. J. Wainwright (2013). Local privacy and statistical "
            "minimax rates. FOCS."
        ),
        (
            "N. Wang et al. (2019). Collecting and analyzing multidimensional data with local "
            "differential privacy. ICDE."
        ),
        (
            "V. Feldman, A. McMillan and K. Talwar (2021). Hiding among the clones: a simple and "
            "nearly optimal analysis of privacy amplification by shuffling. FOCS. A. Bittau et al. "
            "(2017). Prochlo. SOSP. (A shuffler at Google.)"
        ),
        (
            "Who uses which: Ú. Erlingsson, V. Pihur and A. Korolova (2014). RAPPOR. CCS. Apple "
            "(2017). Learning with privacy at scale. B. Ding, J. Kulkarni and S. Yekhanin (2017). "
            "Collecting telemetry data privately. NeurIPS. (Microsoft.) J. M. Abowd (2018). The "
            "U.S. Census Bureau adopts differential privacy. KDD. N. Johnson, J. P. Near and D. "
            "Song (2018). Towards practical differential privacy for SQL queries. VLDB. (Uber.)"
        ),
    ),
    inputs=(
        Slider("epsilon", "ε", "0.1", "5", "0.1", "1"),
        Choice("n", "People", _SIZES),
        Slider("most", "Salaries are clipped at (thousands)", "20", "200", "10", "100"),
        Slider("seed", "Data (made up; each number is other people)", "1", "200", "1", "1"),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "A hundred people, salaries up to B = 100 thousand, ε = 1. How large is the noise in "
            "the average, locally and centrally?",
            "Local: the variance is 2B²/(ε²n) = 2 × 100² ÷ 100 = 200, so about ± 14.1 thousand. "
            "Central: 2(B/(εn))² = 2 × 1² = 2, so about ± 1.41 thousand. The ratio is √n = 10.",
            {"n": "100", "most": "100", "epsilon": "1"},
            check=Number(14.1, 0.1, "thousand, locally"),
        ),
        Exercise(
            "How many people does the local model need to be as precise as the central one?",
            "The square: 2B²/(ε²N) = 2B²/(ε²n²) gives N = n². What 1,000 people tell an office "
            "that they trust takes a million who trust nobody.",
            {"n": "1000"},
            check=Pick("The square of them", ("Ten times as many", "Twice as many")),
        ),
        Exercise(
            "Why must salaries be clipped? Which limit is best?",
            "The noise must hide the largest salary that there could be. Without a limit that is "
            "without end. With a low limit much is cut off the true salaries. The picture shows "
            "where both errors together are least. The limit must not be chosen by looking at "
            "the salaries, as it would tell something of them.",
            {"n": "1000", "epsilon": "1", "most": "100"},
            check=Pick(
                "Without a limit the noise has no end",
                ("Large salaries are wrong", "It is quicker"),
            ),
        ),
        Exercise(
            "The office says that all salaries are sent to it encrypted. Does that make the "
            "central model local?",
            "No. Encryption hides the salaries on their way, from everybody but the office. The "
            "office reads them. It also does not hide what the published average tells: noise "
            "does that.",
            check=Pick("No, the office reads them", ("Yes",)),
        ),
        Exercise(
            "10,000 people send reports of ε = 1 through a shuffler. Which ε does the theorem "
            "promise to each of them?",
            "ln(1 + (e − 1) ÷ (e + 1) × (8√(e × ln(4/δ) ÷ n) + 8e ÷ n)) = ln(1 + 0.462 × 0.516) = "
            "0.214, with δ = one in a million. With a hundred times as many people it is about a "
            "tenth of that.",
            {"epsilon": "1", "n": "10000"},
            check=Number(0.214, 0.01, "is ε"),
        ),
        Exercise(
            "Who would use which model?",
            "A census office has a law, and people whom it can hold to it: the United States used "
            "the central model for its census of 2020, and Uber for what its analysts may ask of "
            "trips. Makers of phones, browsers and systems are not trusted with everything, and "
            "have millions of users: Google (RAPPOR), Apple and Microsoft have used the local "
            "one. A survey on what nobody may know is local, too.",
            check=Pick(
                "The local one, where nobody is trusted",
                ("The central one, always", "Neither with many people"),
            ),
        ),
    ),
    topics=("local against central", "who uses it", "cryptography is not enough"),
    guess=Guess(
        "If 1,000 people each add noise to their salary, the average is off by 4,472. If one "
        "trusted person adds it to the sum?",
        "central_error",
        0,
        5000,
        "dollars",
        scale=1000,
        step=10,
    ),
)
