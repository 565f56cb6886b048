import itertools
import math

import numpy as np
import pytest

from deniable import designs, identity
from deniable.analysis.privacy.composition import Composition, _hockey_stick, compose
from deniable.analysis.privacy.divergence import renyi


def delta_at(composition: Composition, epsilon: float) -> float:
    return _hockey_stick(*composition.loss_distribution, epsilon)


def kairouz_oh_viswanath(epsilon: float, k: int, i: int) -> tuple[float, float]:
    """Return the pair (ε', δ) of theorem 3.3, for k designs of ε and i from 0 to k/2."""
    delta = (
        sum(
            math.comb(k, j) * (math.exp((k - j) * epsilon) - math.exp((k - 2 * i + j) * epsilon))
            for j in range(i)
        )
        / (1 + math.exp(epsilon)) ** k
    )
    return (k - 2 * i) * epsilon, delta


@pytest.mark.parametrize("k", [1, 2, 5, 30])
@pytest.mark.parametrize("epsilon", [0.1, 1, 2.5])
def test_the_optimal_composition_is_that_of_the_theorem(k: int, epsilon: float) -> None:
    composition = compose([designs.warner(epsilon=epsilon)], waves=k)
    assert composition.epsilon == pytest.approx(k * epsilon)
    for i in range(k // 2 + 1):
        at, delta = kairouz_oh_viswanath(epsilon, k, i)
        assert delta_at(composition, at) == pytest.approx(delta, rel=1e-9, abs=1e-15)
        if 0 < delta < 1:
            assert composition.epsilon_at(delta) == pytest.approx(at, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.1, 2.9])
def test_binary_symmetric_items_attain_it_by_enumeration(epsilon: float) -> None:
    items = [designs.warner(epsilon=each) for each in ("0.3", "1", "1.7")]
    # max over events of P(event | all yes) - e^ε P(event | all no), report by report.
    delta = 0.0
    for reports in itertools.product((0, 1), repeat=3):
        yes, no = (
            math.prod(c.probabilities[truth, a] for c, a in zip(items, reports, strict=True))
            for truth in (1, 0)
        )
        delta += max(0.0, yes - math.exp(epsilon) * no)
    assert delta_at(compose(items), epsilon) == pytest.approx(delta, rel=1e-6, abs=1e-7)
    if delta:
        assert compose(items).epsilon_at(delta) == pytest.approx(epsilon, abs=2e-6)


def test_every_method_holds_and_optimal_is_least_for_two_answers() -> None:
    composition = compose([designs.warner(epsilon="0.5")] * 20)
    for delta in (1e-12, 1e-6, 0.01, 0.5):
        optimal = composition.epsilon_at(delta)
        for method in ("renyi", "advanced", "basic"):
            bound = composition.epsilon_at(delta, method)
            # ε is rounded up to a multiple of 1e-6, and `renyi` works on the channels themselves.
            assert optimal - 1e-5 <= bound <= composition.epsilon
            assert delta_at(composition, bound) <= delta * 1.0001


def test_the_advanced_bound_is_that_of_the_paper() -> None:
    epsilon, k, delta = 0.1, 400, 1e-5
    composition = compose([designs.k_ary(7, epsilon)] * k)
    mean = k * epsilon * (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    expected = mean + epsilon * math.sqrt(2 * k * math.log(1 / delta))
    assert composition.epsilon_at(delta, "advanced") == pytest.approx(expected, rel=1e-9)


def test_the_conversion_takes_the_best_order() -> None:
    channel = designs.k_ary(6, "0.5")
    composition, delta = compose([channel], waves=50), 1e-6
    orders = 1 + np.logspace(-2, 3, 500)
    grid = min(
        50 * renyi(channel, order)
        + math.log((order - 1) / order)
        - math.log(delta * order) / (order - 1)
        for order in orders
    )
    assert composition.epsilon_at(delta, "renyi") == pytest.approx(grid, rel=1e-4)
    # Mironov's own conversion, proposition 3, is never below it.
    mironov = min(50 * renyi(channel, o) + math.log(1 / delta) / (o - 1) for o in orders)
    assert composition.epsilon_at(delta, "renyi") < mironov
    assert composition.epsilon_at(delta, "renyi") < composition.epsilon_at(delta)


def test_renyi_divergences_add_as_those_of_the_joint_channel() -> None:
    one, other = designs.k_ary(3, 1), designs.forced_response("2/3", "1/4")
    rows = np.kron(one.probabilities, other.probabilities)
    for order in (0.5, 2, 9):
        joint = max(
            math.log(float((p**order * q ** (1 - order)).sum())) / (order - 1)
            for p, q in itertools.product(rows, repeat=2)
        )
        assert compose([one, other]).renyi(order) == pytest.approx(joint, rel=1e-9)
        assert compose([one, other], waves=3).renyi(order) == pytest.approx(3 * joint, rel=1e-9)


def test_a_large_delta_asks_for_no_epsilon_at_all() -> None:
    composition = compose([designs.warner(epsilon="0.1")])
    assert composition.epsilon_at(0.9) == 0
    assert composition.epsilon_at(0.9, "renyi") == 0
    # At ε = 0, δ is the total variation, tanh(1/2) = .46.
    one = compose([designs.warner(epsilon=1)])
    assert one.epsilon_at(0.5) == 0 < one.epsilon_at(0.46)


def test_direct_answers_have_no_bound() -> None:
    composition = compose([identity(2), designs.warner(flip="1/4")])
    assert composition.epsilon == composition.renyi(2) == math.inf
    with pytest.raises(ValueError, match="expected a bounded epsilon"):
        composition.epsilon_at(0.1)
