"""Counts and averages with noise: Laplace's, and Gaussian noise with a δ."""

from functools import partial
from math import exp, expm1, log, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.page import Found, Page, Shown, values
from deniable.lab.pictures import Columns, Picture, Series, Table, here, table_rows
from deniable.lab.said import number, percent, three_digits

_COUNTED: Final = ("what", "counts")
_AVERAGED: Final = ("what", "average")
DOTS: Final = 100  # the number of dots; each stands for people with neighbouring values
_DATA: Final = {
    "ages": "Ages, in years",
    "salaries": "Salaries, in dollars",
    "heights": "Heights, in metres",
}
_COUNTS: Final = ("1", "2", "8", "9", "10", "100", "1000", "10000")
_POWERS: Final = (6, 3, 4, 5, 7, 8, 9)


def gaussian_delta(sigma: float, epsilon: float) -> float:
    """Return the least δ at which Gaussian noise in one count is (ε, δ)-private.

    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy.
    ICML, theorem 8.
    """
    half, cut = 1 / (2 * sigma), epsilon * sigma
    above = scipy.special.log_ndtr(half - cut)
    beyond = epsilon + scipy.special.log_ndtr(-half - cut)
    # The difference of two nearly equal chances, without losing the digits in which they differ.
    return float(np.exp(above) * -np.expm1(beyond - above))


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Return the least standard deviation at which Gaussian noise in a count is (ε, δ)-private."""
    found = scipy.optimize.brentq(
        lambda log_sigma: gaussian_delta(exp(log_sigma), epsilon) - delta,
        log(1e-3),
        log(1e6),
        xtol=1e-14,
    )
    return exp(found)


def made_up(data: str, n: int, chance: np.random.Generator) -> FloatArray:
    """Draw the true values of n made-up people."""
    if data == "salaries":
        return np.asarray(40_000 * np.exp(0.6 * chance.standard_normal(n)))
    middle, spread = (45, 15) if data == "ages" else (1.7, 0.1)
    return np.asarray(chance.normal(middle, spread, n))


def typical(errors: FloatArray) -> float:
    """Return the error that half of the releases exceed."""
    return float(np.median(abs(errors)))


def lines(  # noqa: PLR0913  an argument for each input
    *,
    what: str,
    epsilon: float,
    k: int,
    way: str,
    count: int,
    delta: float,
    limit: int,
    data: str,
    n: int,
    seed: int,
) -> dict[str, Any]:
    """Compute how far off counts and averages are."""
    # Counts. One person who joins moves all of them together by so much.
    step = 1 if way == "one" else k
    scale = step / epsilon  # of Laplace noise, which keeps the promise ε
    laplace = sqrt(2) * scale  # its standard deviation
    within = 1 - exp(-count / 10 / scale)  # at most a tenth of the count away
    # The largest of k errors: a bound that holds with probability .95, and what is true.
    bound = scale * log(k / 0.05)
    exact = -scale * log(-expm1(log(0.95) / k))

    # Gaussian noise goes by the straight distance √step. Its promise (ε, δ) may fail.
    least = gaussian_sigma(epsilon, delta)  # the standard deviation for one count
    gaussian = least * sqrt(step)
    usual = sqrt(2 * log(1.25 / delta)) / epsilon * sqrt(step)  # a formula for ε below 1
    # By way of concentrated privacy: ρ is such that ρ + 2√(ρ ln 1/δ) = ε.
    rho = (sqrt(epsilon + log(1 / delta)) - sqrt(log(1 / delta))) ** 2
    concentrated = sqrt(step / (2 * rho))
    people = n * delta
    many = [1, 2, 5, 10, 20, 50, 100, 1000, 10_000]
    noises = {
        "Laplace, each person in one count": [sqrt(2) / epsilon for m in many],
        "Laplace, each person in all": [sqrt(2) * m / epsilon for m in many],
        "Gaussian, each person in all": [least * sqrt(m) for m in many],
    }

    # An average. Nobody can have more than this, and values above the limit count as the limit.
    most = {"ages": 100, "salaries": 200_000, "heights": 2.5}[data]
    cut = most * limit / 100
    chance = np.random.default_rng(seed)
    true = made_up(data, n, chance).clip(0, most)
    clipped = true.clip(0, cut)
    true_mean, clipped_mean = true.mean(), clipped.mean()
    # How far off it is in 2,000 releases, by four ways to add noise.
    noise = chance.laplace(size=(4, 2000))
    useless = typical(cut / epsilon * noise[0])  # one person may move an average of few by the cut
    noisy_sum = clipped.sum() + 2 * cut / epsilon * noise[1]  # half of ε for the sum,
    noisy_count = n + 2 / epsilon * noise[2]  # and half for the count
    published = noisy_sum / noisy_count
    composed = typical(published - clipped_mean)
    known = typical(cut / n / epsilon * noise[3])
    sums = chance.gamma(n, size=(2, 2000))  # a sum of n Laplace noises is a difference of these
    local = typical(cut / n / epsilon * (sums[0] - sums[1]))
    closer = useless / composed
    epsilon_of_one = cut / 1  # of a sum with noise of the scale 1
    # What clipping takes off, and the noise if the number of people is known.
    limits = [most * part / 100 for part in range(10, 101, 5)]
    lost = [true_mean - true.clip(0, each).mean() for each in limits]
    both = [one + log(2) * each / (n * epsilon) for one, each in zip(lost, limits, strict=True)]
    best = limits[both.index(min(both))]
    return locals()


def _counts(found: Found) -> Shown:
    k, gaussian, laplace = found.k, found.gaussian, found.laplace
    worst = f"The worst of {k:,} counts" if k > 1 else "It"
    return Shown(
        said=(
            f"A count of {found.count:,} is at most a tenth off with {percent(found.within, 3)}.",
            f"{worst} is at most {number(found.bound, 1)} off with 95 %.",
            (
                f"Laplace noise of {number(laplace, 2)} never fails. With (ε, δ), Gaussian noise "
                f"of {number(gaussian, 2)} would do: "
                f"{'less' if gaussian < laplace else 'more'} than Laplace’s."
            ),
            (
                f"If each of {found.n:,} people were given away with the chance δ, that would be "
                f"{_people(found.people)}."
            ),
            "The usual formula is for ε below 1." if found.epsilon >= 1 else "",
        ),
        values=values(
            found,
            ("scale", "Scale of Laplace noise", number),
            ("within", "At most a tenth off", percent, 3),
            ("bound", "All within, by the theorem", number, 1),
            ("exact", "All within, exactly", number, 1),
            ("laplace", "Laplace, standard deviation", number, 2),
            ("gaussian", "σ, the least that will do", number, 2),
            ("usual", "σ by the usual formula", number, 2),
            ("concentrated", "σ by way of ρ", number, 2),
            ("rho", "ρ", number, 5),
            ("people", "People × δ", number, 5),
        ),
        pictures=(_noises(found),),
    )


def _people(expected: float) -> str:
    if expected >= 1:
        return f"{number(expected, 0)} on average"
    return f"one person in {number(1 / expected, 0)} such releases"


def _noises(found: Found) -> Picture:
    curves = Columns(found.many, found.noises)
    return Picture(
        id="noises",
        caption="More counts, and the noise of each of them. Each axis multiplies.",
        finding="If each person is in one of them, it does not grow. If a person may be in all, "
        "Laplace’s grows with their number, and Gaussian noise with the root of it.",
        x="Counts",
        y="Standard deviation",
        series=(*curves.series, here(found.k, found.laplace)),
        table=curves.table("Counts", number, 1, x="{:,}".format),
        logarithmic=True,
    )


def _average(found: Found) -> Shown:
    cut, taken = three_digits(found.cut), three_digits(found.true_mean - found.clipped_mean)
    composed, useless = three_digits(found.composed), three_digits(found.useless)
    closer = number(found.closer, 0 if found.closer >= 10 else 1)
    return Shown(
        said=(
            (
                f"Clipping at {cut} takes {taken} off the average, and the noise must hide {cut}. "
                f"Both together are least at {three_digits(found.best)}, if the number of people "
                "is known."
            ),
            (
                f"The average is {three_digits(found.true_mean)}. If half of ε is for the sum and "
                f"half for the count, it is typically {composed} off. With noise for an average of "
                f"an unknown number of people it is {useless} off: {closer} times as much."
            ),
        ),
        values=values(
            found,
            ("true_mean", "True average", three_digits),
            ("clipped_mean", "Average after clipping", three_digits),
            ("useless", "Off, number unknown", three_digits),
            ("composed", "Off, sum ÷ count", three_digits),
            ("known", "Off, number known", three_digits),
            ("local", "Off, local noise", three_digits),
            ("closer", "Sum ÷ count is closer by this factor", number, 1),
            ("epsilon_of_one", "ε of a sum, noise of scale 1", number, 2),
            ("best", "Limit at which both are least", three_digits),
        ),
        pictures=(_dots(found),),
    )


def stacked(
    numbers: npt.ArrayLike, low: float, width: float
) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the place of a dot for each number, stacked in columns of this width.

    A column includes its right end and not its left one.

    >>> stacked([1, 2, 0.5, 1.5], 0, 1)
    ((0.5, 1.5, 0.5, 1.5), (1, 1, 2, 2))
    """
    columns = np.ceil((np.asarray(numbers, dtype=np.float64) - low) / width).tolist()
    heights = tuple(columns[: place + 1].count(one) for place, one in enumerate(columns))
    return tuple(low + (one - 0.5) * width for one in columns), heights


def _dots(found: Found) -> Picture:
    most, each, cut = found.most, found.n // DOTS, found.cut
    width, published = most / 50, found.published[:30]
    people = np.sort(found.true)[each // 2 :: each]
    x, y = (np.array(one, dtype=float) for one in stacked(people, 0, width))
    at, down = stacked(published.clip(width / 2, most), 0, width)
    series = [
        Series(name, "dots", tuple(x[which].tolist()), tuple(y[which].tolist()), tone)
        for name, which, tone in (
            ("people who count as they are", people <= cut, 0),
            ("who count as the limit", people > cut, 2),
        )
        if which.any()
    ]
    averages = ("true average", found.true_mean, 3), ("after clipping", found.clipped_mean, 2)
    shown = found.true, found.clipped, published.clip(0, most)
    edges = np.linspace(0, most, 11)
    counts = (np.histogram(one, edges)[0] for one in shown)
    return Picture(
        id="people",
        caption=(
            f"So many people to a dot: {each}. Below them hang 30 "
            "published averages, sum ÷ count. A low limit draws them together, and away from the "
            "true average. What is beyond the ends hangs there."
        ),
        x=_DATA[found.data],
        y="People, and below 0 published averages",
        series=(
            *series,
            Series("published", "dots", at, tuple(-float(one) for one in down), 1),
            *(Series(name, "upright", (x,), (0.0,), tone) for name, x, tone in averages),
        ),
        table=Table(
            ("From", "to", "People", "After clipping", "Of 30 published"),
            table_rows(edges, *counts, write=partial(number, digits=2)),
        ),
        x_range=(0, most),
        y_range=(-float(max(down)) - 1, float(y.max()) + 1),
    )


PAGE: Final = Page(
    slug="counts",
    title="Counts and averages with noise",
    summary="How much noise hides one person in counts or an average, and how far off that is.",
    idea=(
        "An office knows who has what, and publishes only a count. Anybody who knows all the "
        "others subtracts them, and finds you. So the office adds noise that hides one "
        "person: of the scale Δ/ε, where one person can move the result by Δ. The noise is "
        "the same for a count of ten and for one of a million. If a person may be in many "
        "counts, each needs more. Gaussian noise then grows more slowly, but its promise may "
        "fail with a tiny chance δ, and whatever happens then may give somebody away."
    ),
    why=(
        "In a sum a large salary moves a lot. So each value is first clipped at a limit C, "
        "and Δ is C. An average could be of very few people, so one of them may move it by "
        "nearly C: noise for that is useless. Spend half of ε on the sum and half on the "
        "count, and divide. All this is for lessons: who publishes real counts needs safer "
        "noise, such as that of OpenDP."
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
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "section 3.3 (the error of many counts) and appendix A (the usual formula)."
        ),
        (
            "M. Bun and T. Steinke (2016). Concentrated differential privacy: simplifications, "
            "extensions, and lower bounds. TCC. (The way by ρ.)"
        ),
        (
            "B. Balle and Y.-X. Wang (2018). Improving the Gaussian mechanism for differential "
            "privacy. ICML. (The least noise.)"
        ),
        (
            "I. Mironov (2012). On significance of the least significant bits for differential "
            "privacy. CCS. (Why this is not yet safe in a computer.)"
        ),
    ),
    inputs=(
        Choice("what", "What is published", {"counts": "Counts", "average": "An average"}),
        Slider("epsilon", "ε", "0.01", "2", "0.01", "0.1"),
        Choice("k", "Counts published together", {k: f"{int(k):,}" for k in _COUNTS}, _COUNTED),
        Choice(
            "way",
            "Who is in them",
            {"one": "Each is in one", "all": "Each may be in all"},
            _COUNTED,
        ),
        Choice(
            "delta",
            "δ, for Gaussian noise",
            {f"1e-{power}": f"1 in {10**power:,}" for power in _POWERS},
            _COUNTED,
        ),
        Slider("limit", "Clipped at (% of the highest)", "10", "100", "5", "100", _AVERAGED),
        Choice("data", "Data", _DATA, _AVERAGED),
        Choice("n", "People", {n: f"{int(n):,}" for n in ("1000", "100", "10000")}),
        Slider(
            "seed", "Data (made up; each number is other people)", "1", "200", "1", "1", _AVERAGED
        ),
        Choice("count", "True count", {"1000": "1,000", "100": "100"}, _COUNTED, below=True),
    ),
    lines=lines,
    show={"counts": _counts, "average": _average},
    exercises=(
        Exercise(
            "Show that Laplace noise of the scale Δ/ε keeps the promise ε.",
            "At y the densities are as e^(−ε|y − f|/Δ) to e^(−ε|y − f′|/Δ), where f and f′ are "
            "the two counts. Their ratio is at most e^(ε|f − f′|/Δ), as |y − f′| is at most "
            "|y − f| + |f − f′|. And |f − f′| is at most Δ. So the ratio is at most e^ε. A "
            "vector f of several numbers gets fresh noise in each place. The densities are then "
            "products over the places, and their ratio is at most e^(ε‖f − f′‖₁/Δ): the distances "
            "of all places add up, and Δ is the greatest sum ‖f − f′‖₁ of neighbours.",
            {"epsilon": "1"},
            check=Pick(
                "|f − f′| is at most Δ", ("Laplace’s curve is narrow", "The noise is 0 on average")
            ),
        ),
        Exercise(
            "Ten counts: how many smoke, how many drive, and so on. Why do they need more noise "
            "than the ten columns of a histogram?",
            "One person may be in all ten counts. If they leave, each of them falls by 1, so Δ is "
            "10. In a histogram a person stands in one column, and only that one falls: Δ is 1. "
            "With ε = 1 the worst error goes from 5.3 up to 53. Somebody who changes columns moves "
            "two of them, and then Δ is 2: always ask which tables are taken for neighbours.",
            {"epsilon": "1", "k": "10", "way": "all"},
            check=Pick(
                "One person may be in all ten",
                ("Ten counts are larger", "The columns of a histogram overlap"),
            ),
        ),
        Exercise(
            "With ε = 0.5 and δ = 1 in a million: which noise is least for one count? From how "
            "many counts on, if a person may be in all, is Gaussian noise less than Laplace’s?",
            "For one count the usual formula asks for √(2 ln 1,250,000) ÷ 0.5 = 10.6, and 8.06 is "
            "enough. Laplace’s standard deviation is √2 ÷ 0.5 = 2.83, and it never fails. With m "
            "counts Laplace needs 2.83 m, and the bell 8.06 √m. They meet where √m = 2.85, so it "
            "is from 9 counts on. A larger δ moves that place down.",
            {"epsilon": "0.5", "k": "9", "way": "all"},
            check=Number(9, 0, "counts"),
        ),
        Exercise(
            "One text prints c ≥ 2 ln(1.25/δ), another one c² ≥ 2 ln(1.25/δ), where σ = cΔ/ε. "
            "Which is right?",
            "The second one. Without the root c is about 28 and not 5.3 for δ = 1 in a million. "
            "That still keeps the promise, with five times too much noise. If 2 ln(1.25/δ) were "
            "below 1 it would be too little, but no sensible δ is so large. The same text has a "
            "second misprint: its definition says ε P(A | x′) + δ, where e^ε P(A | x′) + δ is "
            "meant.",
            {"epsilon": "0.5"},
            check=Pick("The second one", ("The first one",)),
        ),
        Exercise(
            "Each person’s record is published in full with a chance of δ, else nothing is. Is "
            "that (0, δ)-private? How small must δ be?",
            "Yes: the tables differ in one record, and it shows with the chance δ only. With "
            "10,000 people and δ = 1 in 1,000, ten people are in the newspaper. So δ must be far "
            "below 1/n.",
            {"delta": "1e-3", "n": "10000"},
            check=Pick("Yes, and it is far too large", ("No", "Yes, and that is enough")),
        ),
        Exercise(
            "A vector of d numbers gets Gaussian noise σ in each place. How far off is it as a "
            "whole, and how far is its worst place?",
            "The squares add up: the length ‖Y‖₂ of the error is about σ√d. One place is beyond t "
            "with 2e^(−t²/2σ²) at most. So all d are within σ√(2 ln(2d/β)), but for a chance β. "
            "With d = 10,000 and β = 5 % that is 5.1σ.",
            check=Number(5.1, 0.05, "σ: all of 10,000, with 95 %"),
        ),
        Exercise(
            "What does a mechanism with ε alone promise, if δ is allowed as well? Go by ρ (zCDP).",
            "ε alone gives ρ = ε²/2. That gives ε²/2 + ε√(2 ln 1/δ), with δ. For one release that "
            "is more than ε, so nothing is won. It is won when many are added up: see the page "
            "on composition.",
            check=Pick("More than ε: nothing is won", ("Less than ε", "The same ε")),
        ),
        Exercise(
            "Why is the Δ of an average C/n if the number n of people is known, and C if not?",
            "If n is fixed, a person can only change their value. That moves the sum by C at most "
            "and the average by C/n. If people can join, the first one moves the average of "
            "nobody to their own value, so up to C. A textbook calls Δ a Lipschitz constant: from "
            "a table to a neighbour, a step of length 1, the result moves by Δ at most.",
            check=Pick(
                "Somebody may join a table of nobody",
                ("The count has noise as well", "C is not known"),
            ),
        ),
        Exercise(
            "Turn the limit for the salaries of 100 people, with ε = 0.1: where are clipping and "
            "noise least together? Where is it for 10,000 people, and why not at the same place?",
            "At 70,000 dollars for these people. With 10,000 people the noise is a hundredth, so "
            "a high limit loses less, and with few a low one is better, though it cuts much off. "
            "The limit must not be chosen by a look at the salaries, as that would tell of them.",
            {"what": "average", "data": "salaries", "n": "100", "limit": "35"},
            check=Number(70_000, 0, "dollars, for 100 people"),
        ),
    ),
    guess=Guess(
        "A count of 1,000 gets noise so that ε is 0.1. How far off is it typically: what is its "
        "standard deviation?",
        "laplace",
        (0, 100),
        "people",
        factor=1,
        multiplies=True,
        at=1,
        seen=("Gaussian, each person in all",),
    ),
)
