import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from deniable import designs
from deniable.analysis.privacy.adversary import (
    averaging,
    belief,
    evidence,
    people_sending,
    posteriors,
)
from deniable.channel import ROW_SUM, Channel, identity
from tests.analysis.channels import channels


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


def test_the_bounds_are_attained_by_the_report_of_epsilon() -> None:
    channel = designs.warner(epsilon=1)
    believed = belief(channel, [0.8, 0.2], 1)
    beta, e = 0.2, math.e
    assert believed.posterior[1] == pytest.approx(beta / (beta + (1 - beta) / e), rel=1e-6)
    assert believed.highest[1] == pytest.approx(beta / (beta + (1 - beta) / e), rel=1e-12)
    assert believed.lowest[1] == pytest.approx(beta / (beta + (1 - beta) * e), rel=1e-12)
    assert believed.odds_without[1] == pytest.approx(0.25)
    assert believed.odds_with[1] == pytest.approx(0.25 * e, rel=1e-6)
    assert believed.factor == pytest.approx([1 / e, e], rel=1e-6)


def test_a_direct_answer_tells_everything() -> None:
    believed = belief(identity(3), [0.2, 0.3, 0.5], 1)
    assert believed.posterior.tolist() == [0, 1, 0]
    assert believed.factor.tolist() == [0, math.inf, 0]


def test_a_report_that_cannot_come_has_no_posterior() -> None:
    channel = designs.custom([["3/4", "0", "1/4"], ["1/4", "0", "3/4"]])
    found = posteriors(channel, [0.5, 0.5])
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


@settings(derandomize=True)
@given(channels(), st.integers(1, 1000))
def test_people_are_whole_and_close_to_their_shares(channel: Channel, people: int) -> None:
    sending = people_sending(channel, people)
    assert sending.sum(axis=1).tolist() == [people] * channel.truths
    assert np.abs(sending - people * channel.probabilities).max() < 1


@pytest.mark.parametrize("waves", [1, 2, 3, 4, 9])
def test_averaging_two_answers_is_a_majority_vote(waves: int) -> None:
    # With even odds the best guess is the majority, and a draw is a coin's.
    flip = 0.25
    right = sum(
        math.comb(waves, lies)
        * flip**lies
        * (1 - flip) ** (waves - lies)
        * (1.0 if 2 * lies < waves else 0.5 if 2 * lies == waves else 0.0)
        for lies in range(waves + 1)
    )
    attack = averaging(designs.warner(flip="1/4"), [0.5, 0.5], waves)
    assert attack.guessed == pytest.approx(right, rel=1e-12)
    assert attack.remembered == pytest.approx(0.75)
    assert attack.guessed_without == 0.5
    assert attack.epsilon == pytest.approx(waves * math.log(3), abs=1e-5)


def test_averaging_agrees_with_every_sequence_of_reports() -> None:
    channel = designs.custom([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"], ["0", "1/4", "3/4"]])
    prior = np.array([0.6, 0.3, 0.1])
    for waves in (1, 3):
        right = 0.0
        for reports in itertools.product(range(3), repeat=waves):
            right += (prior * channel.probabilities[:, reports].prod(axis=1)).max()
        assert averaging(channel, prior, waves).guessed == pytest.approx(right, rel=1e-12)


def test_the_posterior_after_fresh_reports_is_in_the_odds() -> None:
    believed = belief(designs.warner(flip="1/4"), [0.99, 0.01], [1] * 6 + [0] * 2)
    assert special.logit(believed.posterior[1]) == pytest.approx(
        math.log(1 / 99) + 4 * math.log(3), rel=1e-9
    )


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
