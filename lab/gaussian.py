"""Gaussian noise: a promise that may fail with a tiny chance δ."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import scipy

from deniable.lab.composition import DELTAS
from deniable.lab.exercises import Exercise, Guess, Number, Pick
from deniable.lab.inputs import Choice, Slider
from deniable.lab.mechanisms import gaussian_delta, gaussian_sigma
from deniable.lab.page import Page, Settings, Shown, Value, fill, typed
from deniable.lab.pictures import Columns, Drag, Picture, Series, Table
from deniable.lab.said import number

_PEOPLE: Final = {n: f"{int(n):,}" for n in ("10000", "100", "1000000")}
_COUNTS: Final = (1, 2, 3, 5, 10, 20, 30)
DRAWN: Final = 60  # noises of each kind

HALF: Final = (1.6783469900166610, math.sqrt(2 * math.log(2)))
"""Half of the noise in two counts is within: of |x| + |y| if it is Laplace’s, and of the straight
distance if it is Gaussian, both of the scale 1."""

_CODE: Final = """\
from math import log, sqrt

from deniable.lab.mechanisms import gaussian_delta, gaussian_sigma

epsilon, delta, m, n = {epsilon}, {delta}, {m}, {n}
sensitivity = sqrt(m)  # one person moves each of m counts by 1: so far, straight across
classical = sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon  # for ε below 1 only
without_root = sensitivity * 2 * log(1.25 / delta) / epsilon  # as one text prints it
exact = gaussian_sigma(epsilon, delta, sensitivity)  # the least that keeps the promise

# By way of concentrated privacy: ρ is such that ρ + 2√(ρ ln 1/δ) = ε.
rho = (sqrt(epsilon + log(1 / delta)) - sqrt(log(1 / delta))) ** 2
concentrated = sensitivity / sqrt(2 * rho)

laplace = sqrt(2) * m / epsilon  # its standard deviation; its promise never fails
from_pure = epsilon**2 / 2 + epsilon * sqrt(2 * log(1 / delta))  # what ε alone becomes
delta_of_classical = gaussian_delta(classical, epsilon, sensitivity)
people = n * delta
"""


def classical(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the standard deviation that the usual theorem asks for."""
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def concentrated(epsilon: float, delta: float) -> float:
    """Return the ρ of concentrated privacy that becomes (ε, δ).

    Bun, M. and Steinke, T. (2016). Concentrated differential privacy. TCC, proposition 1.3.
    """
    chance = math.log(1 / delta)
    return (math.sqrt(epsilon + chance) - math.sqrt(chance)) ** 2


def compute(settings: Settings) -> Shown:
    """Return how much Gaussian noise (ε, δ) takes, by four ways to find it."""
    read = typed(settings, epsilon=float, delta=float, m=int, n=int)
    epsilon, delta, m = read.epsilon, read.delta, read.m
    sensitivity = math.sqrt(m)
    usual = classical(epsilon, delta, sensitivity)
    exact = gaussian_sigma(epsilon, delta, sensitivity)
    rho = concentrated(epsilon, delta)
    by_rho = sensitivity / math.sqrt(2 * rho)
    rootless = 2 * sensitivity * math.log(1.25 / delta) / epsilon
    laplace = math.sqrt(2) * m / epsilon
    from_pure = epsilon**2 / 2 + epsilon * math.sqrt(2 * math.log(1 / delta))
    failing = gaussian_delta(usual, epsilon, sensitivity)
    people = read.n * delta
    return Shown(
        said=(
            (
                f"With (ε, δ), Gaussian noise of {number(exact, 2)} would do for so many counts: "
                f"{m}. Laplace noise of {number(laplace, 2)} needs no δ."
            ),
            ("Gaussian noise is less here." if exact < laplace else "Laplace noise is less here."),
            (
                f"If each of {read.n:,} people were given away with the chance δ, that would be "
                f"{_people(people)}."
            ),
            (
                "The usual formula holds for ε below 1. Here it is only for comparison."
                if epsilon >= 1
                else ""
            ),
        ),
        values=(
            Value("exact", "σ, the least that will do", exact, number(exact, 2)),
            Value("classical", "σ by the usual formula", usual, number(usual, 2)),
            Value("concentrated", "σ by way of ρ", by_rho, number(by_rho, 2)),
            Value("without_root", "σ, if the root is forgotten", rootless, number(rootless, 2)),
            Value("laplace", "Laplace, standard deviation", laplace, number(laplace, 2)),
            Value("rho", "ρ", rho, number(rho, 5)),
            Value("from_pure", "ε alone becomes, with δ", from_pure, number(from_pure)),
            Value("delta_of_classical", "True δ of the usual formula", failing, _one_in(failing)),
            Value("people", "People × δ", people, number(people, 5)),
        ),
        code=fill(_CODE, settings),
        pictures=(
            _shapes(read),
            _profile(read, exact, usual),
            _loss(read, exact),
        ),
    )


def _one_in(chance: float) -> str:
    return f"1 in {number(float(f'{1 / chance:.2g}'), 0)}" if chance > 1e-15 else "below 1 in 10¹⁵"


def _people(expected: float) -> str:
    if expected >= 1:
        return f"{number(expected, 0)} on average"
    return f"one person in {number(1 / expected, 0)} such releases"


def _shapes(read: Any) -> Picture:
    def reach(m: int) -> tuple[float, float]:
        scales = m / read.epsilon, gaussian_sigma(read.epsilon, read.delta, math.sqrt(m))
        return HALF[0] * scales[0], HALF[1] * scales[1]

    chance = np.random.default_rng(31)
    drawn = chance.laplace(size=(2, DRAWN)) / HALF[0], chance.standard_normal((2, DRAWN)) / HALF[1]
    turn = np.linspace(0, 2 * math.pi, 65)
    outlines = ((1, 0, -1, 0, 1), (0, 1, 0, -1, 0)), (np.cos(turn), np.sin(turn))
    edge = HALF[0] * _COUNTS[-1] / read.epsilon
    ends = np.array([[edge], [edge / 2]])
    series: list[Series] = []
    for name, half, noise, outline, tone in zip(
        ("Laplace, ε", "Gaussian, (ε, δ)"), reach(read.m), drawn, outlines, (1, 0), strict=True
    ):
        seen = half * noise[:, (np.abs(half * noise) <= ends).all(axis=0)]
        x, y = (half * np.array(outline)).tolist()
        series.append(Series(name, "line", tuple(x), tuple(y), tone))
        x, y = seen.tolist()
        series.append(Series("", "dots", tuple(x), tuple(y), tone))
    return Picture(
        id="shapes",
        drag=Drag("m", HALF[0] / read.epsilon),
        caption=(
            "Noise in two of the m counts. Drag the corner of the diamond: it holds half of "
            "Laplace’s noise, and grows with m. The circle holds half of the Gaussian noise, and "
            "grows with the root of m only."
        ),
        x="Noise in the first count",
        y="Noise in the second count",
        series=tuple(series),
        table=Table(
            ("Counts m", "Corner of the diamond", "Radius of the circle"),
            tuple((str(m), *(number(one, 1) for one in reach(m))) for m in _COUNTS),
        ),
        x_range=(-edge, edge),
        y_range=(-edge / 2, edge / 2),
        equal=True,
    )


def _profile(read: Any, exact: float, usual: float) -> Picture:
    sensitivity = math.sqrt(read.m)
    epsilons = np.linspace(0, 2 * read.epsilon, 61).tolist()
    deltas = {
        name: [gaussian_delta(sigma, epsilon, sensitivity) for epsilon in epsilons]
        for name, sigma in (("the least noise", exact), ("the usual formula", usual))
    }
    lowest = math.log10(read.delta) - 3
    return Picture(
        id="profile",
        caption=(
            "One noise keeps many promises: for each ε, the δ that it really has. A promise of a "
            "smaller ε fails more often."
        ),
        x="ε",
        y="δ, as a power of ten",
        series=(
            *(
                Series(name, "line", *_above(lowest, epsilons, column), tone)
                for tone, (name, column) in enumerate(deltas.items())
            ),
            Series("as set", "dots", (read.epsilon,), (math.log10(read.delta),), 3),
        ),
        table=Columns(epsilons, deltas).table(
            ("ε", "δ, the least noise", "δ, the usual formula"),
            "{:.1e}".format,
            at=range(0, 61, 6),
            x=lambda epsilon: number(epsilon, 2),
        ),
        x_range=(0.0, 2 * read.epsilon),
        y_range=(lowest, 0),
    )


def _above(
    lowest: float, epsilons: Sequence[float], deltas: Sequence[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return a falling line of the δ, as powers of ten, up to where it leaves the frame."""
    logs = [math.log10(max(one, 1e-300)) for one in deltas]
    inside = sum(one >= lowest for one in logs)
    x, y = list(epsilons[:inside]), logs[:inside]
    if 0 < inside < len(logs):
        part = (logs[inside - 1] - lowest) / (logs[inside - 1] - logs[inside])
        x.append(epsilons[inside - 1] + part * (epsilons[inside] - epsilons[inside - 1]))
        y.append(lowest)
    return tuple(x), tuple(y)


def _loss(read: Any, sigma: float) -> Picture:
    # The loss of Gaussian noise is Gaussian itself: of the mean η and the variance 2η.
    mean = read.m / (2 * sigma**2)
    deviation = math.sqrt(2 * mean)
    losses = np.linspace(mean - 4 * deviation, mean + 5.5 * deviation, 96)
    density = np.exp(-(((losses - mean) / deviation) ** 2) / 2) / (
        deviation * math.sqrt(2 * math.pi)
    )
    bell = Columns(losses, {"privacy loss": density})
    beyond = float(scipy.special.ndtr((mean - read.epsilon) / deviation))
    return Picture(
        id="loss",
        caption=(
            f"The privacy loss of Gaussian noise is a bell. It is mostly far below ε, and above "
            f"it in {_one_in(beyond)} releases. δ is for these. It is smaller, as it counts "
            "only how far above they are."
        ),
        x="Privacy loss",
        y="Density",
        series=(*bell.series, Series("ε", "upright", (read.epsilon,), (0.0,), 1)),
        table=bell.table(("Privacy loss", "Density"), number, 5, at=range(0, 96, 8), x=number),
    )


PAGE: Final = Page(
    slug="gaussian",
    title="Gaussian noise and δ",
    summary="A second kind of noise, whose promise fails with a tiny chance, and why that may pay.",
    paragraphs=(
        (
            "The normal curve, or bell, makes good noise, too. But far out, one table becomes ever "
            "more likely than its neighbour, and no ε bounds that. So the promise is a weaker "
            "one: chances change by the factor e^ε at most, but for a tiny chance δ, such as 1 in "
            "a million. Whatever happens within δ may give somebody away."
        ),
        (
            "Why would one want it? If a person may be in many counts, Laplace noise must grow "
            "with their number m. For the bell the straight distance counts, which is the root of "
            "m. But keep δ far below 1/n: else somebody could give a few people away and keep the "
            "promise. For real releases take a checked library such as OpenDP."
        ),
    ),
    sources=(
        (
            "C. Dwork and A. Roth (2014). The algorithmic foundations of differential privacy, "
            "appendix A. (The usual formula.)"
        ),
        (
            "M. Bun and T. Steinke (2016). Concentrated differential privacy: simplifications, "
            "extensions, and lower bounds. TCC. (The way by ρ.)"
        ),
        (
            "B. Balle and Y.-X. Wang (2018). Improving the Gaussian mechanism for differential "
            "privacy. ICML. (The least noise.)"
        ),
    ),
    inputs=(
        Slider("m", "Counts that one person may be in (m)", "1", "30", "1", "20"),
        Slider("epsilon", "ε", "0.05", "4", "0.05", "0.5"),
        Choice("delta", "δ", DELTAS),
        Choice("n", "People in the table", _PEOPLE),
    ),
    compute=compute,
    exercises=(
        Exercise(
            "For one count, ε = 0.5 and δ = 1 in a million: how much noise does the usual formula "
            "ask for, how much is needed, and how much does Laplace need?",
            "The usual formula: √(2 ln 1,250,000) ÷ 0.5 = 10.6. Enough is 8.06. Laplace’s standard "
            "deviation is √2 ÷ 0.5 = 2.83, and it never fails. So for one count take Laplace.",
            {"epsilon": "0.5", "delta": "1e-6", "m": "1"},
            check=Pick("Laplace’s", ("The bell of 8.06", "The usual formula’s")),
        ),
        Exercise(
            "From how many counts on is Gaussian noise less than Laplace’s, for the same ε and δ?",
            "Laplace: 2.83 m. The bell: 8.06 √m. They meet where √m = 2.85, so from 9 counts on. "
            "A larger δ moves that place down.",
            {"epsilon": "0.5", "delta": "1e-6", "m": "9"},
            check=Number(9, 0, "counts"),
        ),
        Exercise(
            "One text prints c ≥ 2 ln(1.25/δ), another one c² ≥ 2 ln(1.25/δ), where σ = cΔ/ε. "
            "Which is right?",
            "The second one. Without the root c is about 28 and not 5.3 for δ = 1 in a million. "
            "That still keeps the promise, with five times too much noise. If 2 ln(1.25/δ) were "
            "below 1 it would be too little, but no sensible δ is so large.",
            {"epsilon": "0.5", "delta": "1e-6", "m": "1"},
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
            "What does a mechanism with ε alone promise, if δ is allowed as well? Go by ρ.",
            "ε alone gives ρ = ε²/2. That gives ε²/2 + ε√(2 ln 1/δ), with δ. For one release that "
            "is more than ε, so nothing is won. It is won when many are added up: see the page "
            "on composition.",
            {"epsilon": "0.1"},
            check=Pick("More than ε: nothing is won", ("Less than ε", "The same ε")),
        ),
    ),
    topics=("Gaussian, (ε, δ), zCDP",),
    guess=Guess(
        "Laplace noise for 20 counts has a standard deviation of 56.6. If the promise may fail "
        "once in a million, what does Gaussian noise need?",
        "exact",
        0,
        100,
        "",
        scale=1,
        step=0.5,
    ),
)
