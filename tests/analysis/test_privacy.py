"""What an adversary learns: beliefs, what several reports add up to, and divergences."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deniable import Channel, designs, identity
from deniable.analysis import estimate, poisoning
from deniable.analysis.privacy.adversary import averaging, belief, evidence, posteriors
from deniable.analysis.privacy.composition import Composition, _hockey_stick, compose
from deniable.analysis.privacy.divergence import _divergences, kullback_leibler, renyi
from deniable.channel import ROW_SUM
from tests.analysis.channels import channels
from tests.analysis.surveys import GAP
from tests.kit import first_of


def exact_posterior(
    channel: Channel, prior: list[Fraction], reports: list[int]
) -> list[Fraction] | None:
    """Bayes' rule in fractions."""
    joint = [
        believed * math.prod(Fraction(row[report], ROW_SUM) for report in reports)
        for believed, row in zip(prior, channel.weights, strict=True)
    ]
    return [part / sum(joint) for part in joint] if sum(joint) else None


@settings(derandomize=True)
@given(
    channels(),
    st.lists(st.integers(0, 20), min_size=5, max_size=5),
    st.lists(st.integers(0, 7), min_size=1, max_size=6),
)
def test_beliefs_follow_bayes_rule(channel: Channel, held: list[int], drawn: list[int]) -> None:
    held[0] += 1
    total = sum(held[: channel.truths])
    prior = [Fraction(one, total) for one in held[: channel.truths]]
    reports = [report % channel.reports for report in drawn]
    expected = exact_posterior(channel, prior, reports)
    floats = [float(one) for one in prior]
    if expected is None:
        with pytest.raises(ValueError, match="expected reports that a truth"):
            belief(channel, floats, reports)
        return
    believed = belief(channel, floats, reports)
    assert believed.posterior == pytest.approx([float(one) for one in expected], rel=1e-9)
    assert (believed.lowest <= believed.posterior * (1 + 1e-9)).all()
    assert (believed.posterior <= believed.highest * (1 + 1e-9)).all()
    if len(reports) == 1:
        assert posteriors(channel, floats)[reports[0]] == pytest.approx(
            [float(one) for one in expected], rel=1e-9
        )


def test_the_bounds_are_attained_by_some_report() -> None:
    channel = designs.warner(epsilon=1)
    believed = belief(channel, [0.8, 0.2], 1)
    beta, e = 0.2, math.e
    assert believed.posterior[1] == pytest.approx(beta / (beta + (1 - beta) / e), rel=1e-6)
    assert believed.highest[1] == pytest.approx(beta / (beta + (1 - beta) / e), rel=1e-12)
    assert believed.lowest[1] == pytest.approx(beta / (beta + (1 - beta) * e), rel=1e-12)
    assert believed.factor == pytest.approx([1 / e, e], rel=1e-6)


def test_a_report_that_cannot_come_has_no_posterior() -> None:
    found = posteriors(GAP, [0.5, 0.5])
    assert np.isnan(found[1]).all()
    assert found[[0, 2]] == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))


@settings(derandomize=True)
@given(channels())
def test_evidence_is_exact_and_never_above_epsilon(channel: Channel) -> None:
    pairs = itertools.product(range(channel.reports), range(channel.truths), range(channel.truths))
    for report, truth, other in pairs:
        p, q = channel.weights[truth][report], channel.weights[other][report]
        if p == q == 0:
            with pytest.raises(ValueError, match="expected a report that truth"):
                evidence(channel, report, truth, other)
            continue
        found = evidence(channel, report, truth, other)
        assert found == (Fraction(p, q) if q else math.inf)
        assert found <= math.exp(channel.epsilon)


def test_averaging_agrees_with_every_sequence_of_reports() -> None:
    channel = designs.custom([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"], ["0", "1/4", "3/4"]])
    prior = np.array([0.6, 0.3, 0.1])
    for waves in (1, 3):
        right = 0.0
        for reports in itertools.product(range(3), repeat=waves):
            right += (prior * channel.probabilities[:, reports].prod(axis=1)).max()
        assert averaging(channel, prior, waves).guessed == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([0.5, 0.6], "sum to 1"),
        ([1.5, -0.5], "sum to 1"),
        ([math.nan, 1], "sum to 1"),
        ([1], "expected 2 prior probabilities"),
    ],
)
def test_priors_that_are_none_are_refused(prior: list[float], message: str) -> None:
    channel = designs.warner(flip="1/4")
    for ask in (
        lambda: belief(channel, prior, 0),
        lambda: posteriors(channel, prior),
        lambda: averaging(channel, prior, 3),
    ):
        with pytest.raises(ValueError, match=message):
            ask()


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


def test_every_method_holds_and_optimal_is_least() -> None:
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


def test_renyi_divergences_add_up() -> None:
    one, other = designs.k_ary(3, 1), designs.forced_response("2/3", "1/4")
    rows = np.kron(one.probabilities, other.probabilities)
    for order in (0.5, 2, 9):
        joint = max(
            math.log(float((p**order * q ** (1 - order)).sum())) / (order - 1)
            for p, q in itertools.product(rows, repeat=2)
        )
        assert compose([one, other]).renyi(order) == pytest.approx(joint, rel=1e-9)
        assert compose([one, other], waves=3).renyi(order) == pytest.approx(3 * joint, rel=1e-9)


def test_a_large_delta_needs_no_epsilon() -> None:
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


def renyi_divergence(channel: Channel, order: float, truth: int, other: int) -> float:
    C = channel.probabilities
    return float(_divergences(C[truth], C[[other]], order)[0])


@pytest.mark.parametrize("flip", ["1/20", "1/4", "9/20"])
@pytest.mark.parametrize("order", [0.25, 0.5, 2, 3, 20])
def test_two_answers_have_the_closed_form_of_mironov(flip: str, order: float) -> None:
    # Mironov (2017), section VI-A, with his p the chance of the truth.
    channel = designs.warner(flip=flip)
    q, p = channel.probabilities[0, 1], channel.probabilities[0, 0]
    expected = math.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)
    assert renyi(channel, order) == pytest.approx(expected, rel=1e-12)
    # And its limits.
    assert kullback_leibler(channel) == pytest.approx((p - q) * math.log(p / q), rel=1e-12)
    assert renyi(channel, math.inf) == pytest.approx(channel.epsilon, abs=1e-6)
    assert renyi(channel, 0) == pytest.approx(0, abs=1e-15)


@settings(derandomize=True)
@given(channels(), st.integers(2, 6))
def test_whole_orders_agree_with_exact_arithmetic(channel: Channel, order: int) -> None:
    for truth, row in enumerate(channel.weights):
        for other, beside in enumerate(channel.weights):
            found = renyi_divergence(channel, order, truth, other)
            if any(p > 0 == q for p, q in zip(row, beside, strict=True)):
                assert found == math.inf
                continue
            exact = sum(
                Fraction(p, ROW_SUM) * Fraction(p, q) ** (order - 1)
                for p, q in zip(row, beside, strict=True)
                if q
            )
            assert found == pytest.approx(math.log(exact) / (order - 1), rel=1e-9, abs=1e-15)


def test_an_impossible_report_counts_from_order_1_on() -> None:
    channel = designs.custom([["1/2", "1/2"], ["0", "1"]])
    assert renyi_divergence(channel, 1, 0, 1) == renyi_divergence(channel, 2, 0, 1) == math.inf
    assert renyi_divergence(channel, 0.5, 0, 1) == pytest.approx(math.log(2), rel=1e-12)
    assert renyi_divergence(channel, 2, 1, 0) == pytest.approx(math.log(2), rel=1e-12)


TERNARY = designs.custom([["3/5", "1/5", "1/5"], ["1/10", "7/10", "1/5"], ["0", "1/2", "1/2"]])
MORE_REPORTS = designs.custom([["1/2", "1/4", "1/5", "1/20"], ["1/20", "1/5", "1/4", "1/2"]])


@pytest.mark.parametrize(
    ("k", "epsilon", "printed"),
    [
        (2, 0.5, "4.08"),
        (10, 2, "2.6"),
    ],
)
def test_k_ary_amplification_is_the_published_formula(k: int, epsilon: float, printed: str) -> None:
    found = poisoning(designs.k_ary(k, epsilon), 100).amplification
    expected = (math.exp(epsilon) + k - 1) / (math.exp(epsilon) - 1)
    assert found == pytest.approx(np.full(k, expected), rel=1e-6)
    assert f"{found[0]:.{len(printed.partition('.')[2])}f}" == printed


@pytest.mark.promise("poisoning")
@pytest.mark.parametrize(
    "channel", [designs.warner(flip="1/4"), TERNARY, MORE_REPORTS, identity(3)]
)
@pytest.mark.parametrize("n", first_of([2, 1, 4]))
def test_enumeration_attains_the_bound_and_never_exceeds_it(channel: Channel, n: int) -> None:
    bound = poisoning(channel, n)
    for colluding in range(n + 1):
        greatest = np.zeros(channel.truths)
        for honest in itertools.product(range(channel.reports), repeat=n):
            before = _theta(channel, honest)
            for sent in itertools.product(range(channel.reports), repeat=colluding):
                moved = np.abs(_theta(channel, (*sent, *honest[colluding:])) - before)
                greatest = np.maximum(greatest, moved)
        assert greatest == pytest.approx(bound.shift(colluding), rel=1e-12)


def test_lies_move_the_expected_estimate_by_no_more() -> None:
    channel, n, liars = designs.warner(flip="1/5"), 40, 6
    C = channel.probabilities
    honest, lying = 10 * C[1] + 30 * C[0], 16 * C[1] + 24 * C[0]
    # The estimate is linear in the counts, so that its expectation is the one at their mean.
    moved = (lying - honest)[1] / (1 - 2 * 0.2) / n
    assert poisoning(channel, n).shift_by_lies(liars) == pytest.approx(moved, rel=1e-6)


def test_a_mean_moves_by_the_range_of_reports() -> None:
    # Duchi's two reports over the levels 0 to 8: g is -4 or 12, and the levels themselves span 8.
    channel = designs.custom([[f"{12 - x}/16", f"{4 + x}/16"] for x in range(9)])
    bound = poisoning(channel, 100, values=range(9))
    assert bound.amplification == pytest.approx([16])
    assert bound.shift(10) == pytest.approx([1.6])
    assert bound.shift_by_lies(10) == pytest.approx(0.8)


def test_an_impossible_report_is_no_weapon() -> None:
    channel = designs.custom([["9/10", "0", "1/10"], ["3/5", "0", "2/5"]])
    without = designs.custom([["9/10", "1/10"], ["3/5", "2/5"]])
    found = poisoning(channel, 10).amplification
    assert found == pytest.approx(poisoning(without, 10).amplification)
    # Of a mean of 10s and 11s each report counts for 9.67 or 13, far from the 0 of that one.
    assert poisoning(channel, 10, values=[10, 11]).amplification == pytest.approx([10 / 3])


def test_as_many_as_the_noise_is_rounded_up() -> None:
    bound = poisoning(designs.warner(flip="1/4"), 1000)
    assert bound.as_much_as([0.0619, 0.0621]).tolist() == [31, 32]
    assert bound.as_much_as(0).tolist() == [0, 0]
    for half in (0.01, 0.0333):
        enough = int(bound.as_much_as(half)[0])
        assert bound.shift(enough)[0] >= half > bound.shift(enough - 1)[0]


def _theta(
    channel: Channel, reports: tuple[int, ...]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    counts = np.bincount(reports, minlength=channel.reports)
    return estimate(counts, channel).theta
