"""Choosing the best: laws by enumeration, by drawing, and over all neighbours."""

import math
from itertools import product

import numpy as np
import pytest

from deniable.lab.choosing import PAGE, exponential, lines, noisy_max
from tests.lab.shown import picture, values

EYES = [46, 27, 14, 8, 5]


def law(utilities: list[float], epsilon: float, sensitivity: float) -> list[float]:
    weights = [math.exp(epsilon * one / (2 * sensitivity)) for one in utilities]
    return [one / sum(weights) for one in weights]


@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "1"])
def test_the_choice_has_the_law_of_the_formula(epsilon: str) -> None:
    chances = law([float(one) for one in EYES], float(epsilon), 1)
    found = values(PAGE, epsilon=epsilon)
    assert found["best"] == pytest.approx(chances[0])
    assert found["short"] == pytest.approx(
        sum(chance * (46 - one) for chance, one in zip(chances, EYES, strict=True))
    )
    # A choice by exp(εu) at ε is that by exp(εu/2) at 2ε.
    assert values(PAGE, epsilon=epsilon, scale="1")["best"] == pytest.approx(
        law([float(one) for one in EYES], 2 * float(epsilon), 1)[0]
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("scale", [2, 1])
def test_the_largest_loss_is_that_over_all_neighbours(epsilon: float, scale: int) -> None:
    before = np.array(law([float(one) for one in EYES], 2 * epsilon / scale, 1))
    moved, joined = 0.0, 0.0
    for left, entered in product(range(5), repeat=2):
        other = [one - (place == left) + (place == entered) for place, one in enumerate(EYES)]
        more = [one + (place == entered) for place, one in enumerate(EYES)]
        for counts, worst in ((other, "moved"), (more, "joined")):
            after = np.array(law([float(one) for one in counts], 2 * epsilon / scale, 1))
            loss = float(np.abs(np.log(after / before)).max())
            moved, joined = (
                max(moved, loss if worst == "moved" else 0),
                max(joined, loss if worst == "joined" else 0),
            )
    found = values(PAGE, epsilon=str(epsilon), scale=str(scale))
    assert found["loss"] == pytest.approx(moved)
    assert found["loss_joining"] == pytest.approx(joined)
    assert moved <= 2 * epsilon / scale
    assert joined <= epsilon / scale


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_the_greatest_noisy_count_wins_as_drawn(scale: float) -> None:
    chances = noisy_max(EYES, scale)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    drawn = (EYES + np.random.default_rng(5).laplace(scale=scale, size=(40_000, 5))).argmax(axis=1)
    shares = np.bincount(drawn, minlength=5) / 40_000
    assert shares == pytest.approx(chances, abs=5 * math.sqrt(0.25 / 40_000))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_noisy_counts_keep_epsilon_when_somebody_joins(epsilon: float) -> None:
    worst = 0.0
    for entered in range(5):
        more = [one + (place == entered) for place, one in enumerate(EYES)]
        logs = np.log(noisy_max(more, 1 / epsilon) / noisy_max(EYES, 1 / epsilon))
        worst = max(worst, float(np.abs(logs).max()))
    assert 0.9 * epsilon < worst <= epsilon + 1e-9


def test_it_is_hardly_much_worse() -> None:
    for epsilon in ("0.1", "0.5"):
        found = values(PAGE, question="names", epsilon=epsilon)
        counts = lines("names", float(epsilon), 2)["utilities"]
        assert noisy_max(counts, 2 / float(epsilon)).sum() == pytest.approx(1, abs=1e-10)
        chances = exponential(counts, float(epsilon))
        assert chances[counts <= counts.max() - found["bound"]].sum() <= 0.05
    assert values(PAGE, question="names", epsilon="1")["bound"] == pytest.approx(24.4, abs=0.02)


@pytest.mark.parametrize("epsilon", ["0.5", "4"])
def test_distance_gives_a_tent_and_square_a_bell(epsilon: str) -> None:
    e = float(epsilon)
    near = picture(PAGE, "law", question="near", epsilon=epsilon).series[0].y
    square = picture(PAGE, "law", question="square", epsilon=epsilon).series[0].y
    for a in range(101):
        assert near[a] / near[30] == pytest.approx(math.exp(-e * abs(a - 30) / 2))
        assert square[a] / square[30] == pytest.approx(math.exp(-e * (a - 30) ** 2 / (2 * 199)))
    found = values(PAGE, question="square", epsilon=epsilon)["off"]
    assert found == pytest.approx(sum(p * abs(a - 30) for a, p in enumerate(square)))
    # The two-sided geometric law, whose ends are far: 2α/(1 - α²) with α = e^(-ε/2).
    if e == 4:
        formula = 2 * math.exp(-2) / (1 - math.exp(-4))
        assert values(PAGE, question="near", epsilon="4")["off"] == pytest.approx(formula, rel=1e-9)
    # Δ is the largest step of |a - x|², over all places and truths.
    steps = {(a - x) ** 2 - (a - x - 1) ** 2 for a in range(101) for x in range(100)}
    assert max(map(abs, steps)) == 199


@pytest.mark.parametrize(("question", "power"), [("near", 1), ("square", 2)])
def test_a_number_s_loss_is_over_all_truths(question: str, power: int) -> None:
    sensitivity = 1 if power == 1 else 199
    laws = [
        law([-float(abs(a - x) ** power) for a in range(101)], 2.0, sensitivity) for x in range(101)
    ]
    worst = max(abs(math.log(laws[x][a] / laws[x + 1][a])) for x in range(100) for a in range(101))
    found = values(PAGE, question=question, epsilon="2")["loss"]
    assert found == pytest.approx(worst)
    assert found <= 2


def test_the_median_splits_the_people() -> None:
    ages = [round(20 + 0.007 * place**2) for place in range(101)]
    truth = sorted(ages)[50]
    utilities = [-abs(sum(age < a for age in ages) - 50) for a in range(101)]
    assert max(utilities) == utilities[truth]
    chances = law([float(one) for one in utilities], 1, 1)
    found = values(PAGE, question="median", epsilon="1")
    assert found["best"] == pytest.approx(sum(chances[a] for a in range(101) if not utilities[a]))
    assert found["off"] == pytest.approx(sum(p * abs(a - truth) for a, p in enumerate(chances)))
    # All neighbours: one person has another age.
    worst = 0.0
    for place in range(0, 101, 5):
        for age in range(101):
            moved = [*ages[:place], age, *ages[place + 1 :]]
            after = law([-float(abs(sum(one < a for one in moved) - 50)) for a in range(101)], 1, 1)
            losses = (math.log(p / q) for p, q in zip(after, chances, strict=True))
            worst = max(worst, *map(abs, losses))
    assert worst == pytest.approx(found["loss"])
    assert found["loss"] <= 1


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_pure_mechanisms_are_exponential_of_their_logarithm(epsilon: float) -> None:
    """Randomised response with three answers: Δ of ln π is ε, and exp(εu/Δ) is π."""
    keep, other = math.exp(epsilon), 1.0
    table = np.array([[keep if a == x else other for a in range(3)] for x in range(3)])
    table /= keep + 2 * other
    scores = np.log(table)
    assert np.ptp(scores, axis=0).max() == pytest.approx(epsilon)
    for utility, row in zip(scores, table, strict=True):
        assert exponential(utility, epsilon, epsilon, scale=1) == pytest.approx(row)
