"""The audit's statistics: closed forms, enumerations, and programs that lie in one way each."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from deniable import designs
from deniable.analysis import audit
from deniable.analysis.audit import (
    Plan,
    Samples,
    delay,
    epsilon_interval,
    plan,
    samples_needed,
)
from deniable.analysis.intervals.proportion import clopper_pearson, least_seen
from deniable.channel import Channel
from deniable.report import NOT_DRAWN
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import surveys, vectors
from tests.surveys import single

pytestmark = pytest.mark.promise("audit")

Bytes = npt.NDArray[np.uint8]

REACH = 0.6
"""Enough to tell the liars below from honest programs, with few samples."""

RNG = 20_240


def test_the_interval_of_no_samples_says_nothing() -> None:
    low, high = clopper_pearson(np.array([0]), 0, 1e-9)
    assert (low[0], high[0]) == (0, 1)


@pytest.mark.parametrize("n", [1, 7, 30])
def test_each_end_is_the_probability_of_which_the_tail_is_just_so_likely(n: int) -> None:
    hits = np.arange(n + 1)
    low, high = clopper_pearson(hits, n, 1e-7)
    assert stats.binom.sf(hits[1:] - 1, n, low[1:]) == pytest.approx(1e-7, rel=1e-6)
    assert stats.binom.cdf(hits[:-1], n, high[:-1]) == pytest.approx(1e-7, rel=1e-6)


@pytest.mark.parametrize(("p", "n", "tail"), [(0.25, 200, 1e-4), (0.75, 300, 1e-9), (0, 9, 0.01)])
def test_the_least_that_is_seen_is_seen_just_so_often(p: float, n: int, tail: float) -> None:
    """Every count is tried against the interval itself."""
    excess = float(least_seen(np.array(p), np.array(n), tail, 0.99))
    seen = clopper_pearson(np.arange(n + 1), n, tail)[0] > p
    assert stats.binom.pmf(np.arange(n + 1), n, p + excess)[seen].sum() == pytest.approx(0.99)


def test_what_no_count_shows_is_never_seen() -> None:
    assert least_seen(np.array([0.9, 1.0]), np.array([20, 20]), 1e-6, 0.99).tolist() == [
        math.inf,
        0,
    ]


def test_the_interval_of_epsilon_is_that_of_the_ratio() -> None:
    low, high = epsilon_interval(300, 400, 90, 410, alpha=0.02)
    one, other = stats.binomtest(300, 400), stats.binomtest(90, 410)
    (a, b), (c, d) = (test.proportion_ci(0.98, "exact") for test in (one, other))
    assert low == pytest.approx(math.log(a / d))
    assert high == pytest.approx(math.log(b / c))


def test_the_lower_end_is_too_high_no_oftener_than_alpha_says() -> None:
    """Every outcome of 12 and 12 samples, for probabilities of ratio 3."""
    n, alpha = 12, 0.1
    hits = np.arange(n + 1)
    wrong = 0.0
    for one, other in itertools.product(hits, hits):
        low, _ = epsilon_interval(int(one), n, int(other), n, alpha)
        if low > math.log(3):
            wrong += stats.binom.pmf(one, n, 0.75) * stats.binom.pmf(other, n, 0.25)
    assert 0 < wrong <= alpha


@pytest.mark.parametrize(
    ("answers", "epsilon", "samples"),
    [(2, "1/2", 123_000), (2, 1, 38_000), (2, 2, 20_000), (5, 1, 95_000), (10, 1, 190_000)],
)
def test_the_samples_needed_for_a_power_of_99_percent(
    answers: int, epsilon: str | int, samples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures of an independent calculation, for the report that is the truth."""
    monkeypatch.setattr(audit, "NEVER", 0.01)
    channel = designs.k_ary(answers, Fraction(epsilon))
    assert plan(channel).samples <= 1.05 * samples
    if answers == 2:
        assert plan(channel).samples == pytest.approx(samples, rel=0.05)


def test_so_many_samples_are_enough_but_never_by_far() -> None:
    """The chance of every outcome near the expected one, added up."""
    channel = designs.k_ary(2, 1)
    found = plan(channel, reach=0.5)
    p, q = (channel.probabilities[truth, list(found.event)].sum() for truth in (0, 1))
    n = found.samples
    missed = []
    for size in (n, n // 2):
        spread = 7 * math.sqrt(size) / 2
        hits = np.arange(int(size * p - spread), int(size * p + spread))
        other = np.arange(int(size * q - spread), int(size * q + spread))
        low = clopper_pearson(hits, size, audit.ALPHA / 2)[0]
        high = clopper_pearson(other, size, audit.ALPHA / 2)[1]
        short = np.log(low[:, np.newaxis] / high) < 0.5 * channel.epsilon
        chance = np.outer(stats.binom.pmf(hits, size, p), stats.binom.pmf(other, size, q))
        missed.append(chance[short].sum())
    assert missed[0] < 1e-5
    assert missed[1] > 1e-5


def test_the_plan_is_the_best_of_all_sets_of_reports() -> None:
    channel = Channel.from_probabilities(
        [
            ["4/10", "3/10", "2/10", "1/10"],
            ["1/10", "2/10", "3/10", "4/10"],
            ["2/10", "3/10", "2/10", "3/10"],
        ]
    )
    found = plan(channel)
    table = channel.probabilities

    def needed(truth: int, other: int, event: tuple[int, ...]) -> float:
        p, q = table[truth, list(event)].sum(), table[other, list(event)].sum()
        spare = math.log(p / q) - 0.95 * channel.epsilon
        one, two = math.sqrt((1 - p) / p), math.sqrt((1 - q) / q)
        tail, miss = stats.norm.isf(0.005), stats.norm.isf(1e-6)
        spread = tail * (one + two) + miss * math.hypot(one, two)
        return math.inf if spare <= 0 else float((spread / spare) ** 2)

    best = min(
        needed(truth, other, event)
        for truth, other in itertools.permutations(range(3), 2)
        for size in (1, 2, 3)
        for event in itertools.combinations(range(4), size)
    )
    assert found.samples == math.ceil(best)
    assert found.samples == math.ceil(needed(found.truth, found.other, found.event))


def test_how_many_of_some_events_happen() -> None:
    chances = np.array([0.2, 0.5, 0.9])
    law = np.zeros(4)
    for outcome in itertools.product([0, 1], repeat=3):
        law[sum(outcome)] += np.prod(np.where(outcome, chances, 1 - chances))
    assert audit._number_of_events(chances) == pytest.approx(law)


def test_the_proportions_give_each_truth_its_samples() -> None:
    doped = single(answers=(*surveys.YES_NO, Answer("unsure", "Unsure")))
    survey = surveys.survey(doped, single("age", direct=True))
    plans = [plan(survey.items[0].channel, REACH), None]
    first, second = samples_needed(survey, plans)
    assert plans[0] is not None
    assert (first[[plans[0].truth, plans[0].other]] > plans[0].samples).all()
    assert (first >= 100).all()
    assert (second >= 100).all()


def test_what_half_of_the_people_are_asked_takes_twice_as_many_runs() -> None:
    survey = read(vectors.asking_file()).survey
    plans = plans_of(survey)
    asked = samples_needed(survey, plans)
    whole = samples_needed(surveys.survey(single()), [plan(survey.items[0].channel, REACH)])
    assert survey.asked_shares[0] == Fraction(1, 2)
    assert asked[0] == pytest.approx(2 * whole[0])


THREE = surveys.survey(single("a"), single("b"), single("age", direct=True))


def honest(survey: Survey, truths: Bytes, words: npt.NDArray[np.uint64]) -> Bytes:
    """Report as the channel says, from a word for each answer."""
    answers = np.empty_like(truths)
    for place, item in enumerate(survey.items):
        thresholds = np.array(item.channel.cumulative, dtype=np.uint64)[truths[:, place]]
        answers[:, place] = (thresholds <= words[:, [place]]).sum(axis=1)
    return answers


def draw(survey: Survey, n: int, seed: int = RNG) -> tuple[Bytes, npt.NDArray[np.uint64]]:
    rng = np.random.default_rng(seed)
    sizes = [item.channel.truths for item in survey.items]
    truths = rng.integers(sizes, size=(n, len(sizes))).astype(np.uint8)
    return truths, rng.integers(2**32, size=truths.shape, dtype=np.uint64)


def plans_of(survey: Survey) -> list[Plan | None]:
    return [None if item.epsilon is None else plan(item.channel, REACH) for item in survey.items]


def judged(survey: Survey, truths: Bytes, answers: Bytes) -> Samples:
    samples = Samples(survey, plans_of(survey))
    for part in np.array_split(np.arange(len(truths)), 3):
        samples.add(truths[part], answers[part])
    return samples


def failures(samples: Samples) -> str:
    items = [failure for one in samples.items(REACH) if one for failure in one.failures]
    joint = [samples.pairs(), samples.all_together()]
    return "; ".join([*items, *(failure for one in joint if one for failure in one.failures)])


def test_an_honest_program_passes() -> None:
    truths, words = draw(THREE, 40_000)
    samples = judged(THREE, truths, honest(THREE, truths, words))
    assert failures(samples) == ""
    first, _, age = samples.items(REACH)
    assert age is None
    assert first is not None
    assert first.low < 1 < first.high
    assert first.low > REACH
    pair, all_ = samples.pairs(), samples.all_together()
    assert pair is not None
    assert all_ is not None
    assert pair.items == all_.items == ("a", "b")
    assert pair.claimed == 2
    assert 1 < pair.low < 2
    assert 1 < all_.low < 2


def test_too_little_noise_reveals_more_than_is_claimed() -> None:
    truths, words = draw(THREE, 40_000)
    answers = honest(THREE, truths, words)
    answers[:8000, 1] = truths[:8000, 1]
    samples = judged(THREE, truths, answers)
    a, b, _ = samples.items(REACH)
    assert a is not None
    assert b is not None
    assert a.failures == ()
    assert b.violation > 1
    assert "reveals more than it claims" in b.failures[0]


def test_too_much_noise_does_not_reach_the_claim() -> None:
    truths, words = draw(THREE, 40_000)
    answers = honest(THREE, truths, words)
    answers[::2, 0] = words[::2, 1] % 2
    found = judged(THREE, truths, answers).items(REACH)[0]
    assert found is not None
    assert "more noise than claimed" in found.failures[0]


def test_of_an_epsilon_of_nothing_nothing_is_to_be_shown() -> None:
    survey = surveys.survey(single(channel=Channel([[2**31, 2**31]] * 2)))
    truths, words = draw(survey, 20_000)
    samples = judged(survey, truths, honest(survey, truths, words))
    found = samples.items(REACH)[0]
    assert found is not None
    assert (found.claimed, found.failures) == (0, ())
    telling = judged(survey, truths, truths)
    assert "reveals more than it claims" in failures(telling)


def test_a_draw_that_is_used_twice_shows_only_jointly() -> None:
    truths, words = draw(THREE, 40_000)
    words[:, 1] = words[:, 0]
    samples = judged(THREE, truths, honest(THREE, truths, words))
    assert all(one is None or one.failures == () for one in samples.items(REACH))
    pair, all_ = samples.pairs(), samples.all_together()
    assert pair is not None
    assert all_ is not None
    # With opposite truths some pairs of reports never come: more than both reveal by themselves.
    assert pair.low > 2
    assert "a and b reveal more together" in pair.failures[0]
    assert "not independent" in pair.failures[1]
    assert "the reports of all items are not independent" in all_.failures[-1]


@pytest.mark.parametrize("excess", [0.0, 1.0])
def test_a_bias_is_found_from_the_size_that_is_said(excess: float) -> None:
    """At that size in 99 of 100: fewer than 40 of 60 have a chance below 1e-20."""
    survey = surveys.survey(single("a", channel=designs.k_ary(2, 1)))
    n, found = 4_000, 0
    truths, _ = draw(survey, n)
    plain = judged(survey, truths, np.zeros_like(truths)).items(REACH)[0]
    assert plain is not None
    law = 1 - survey.items[0].channel.probabilities[:, 0] - excess * plain.seen
    for seed in range(60):
        words = np.random.default_rng(seed).random(truths.shape)
        answers = (words > 1 - law[truths]).astype(np.uint8)
        said = judged(survey, truths, answers).items(REACH)[0]
        assert said is not None
        found += any("is sent by" in failure for failure in said.failures)
    assert found == 0 if excess == 0 else found >= 40


def test_a_draw_that_the_next_report_takes_over_shows_in_turn() -> None:
    truths, words = draw(THREE, 40_001)
    words[1::2] = words[:-1:2]
    samples = judged(THREE, truths, honest(THREE, truths, words))
    assert failures(samples) == ""
    turn = samples.in_turn()
    assert turn is not None
    assert "the reports of a and the next report's a are not" in " ".join(turn.failures)


def test_three_draws_of_which_one_is_the_sum_of_the_others_show_only_all_together() -> None:
    survey = surveys.survey(*(single(id, channel=designs.k_ary(2, 1)) for id in "abc"))
    truths, words = draw(survey, 200_000)
    truths[:100_000], truths[100_000:] = 0, 1
    words[:, 2] = (words[:, 0] + words[:, 1]) % 2**32
    samples = judged(survey, truths, honest(survey, truths, words))
    pair, all_ = samples.pairs(), samples.all_together()
    assert pair is not None
    assert all_ is not None
    assert pair.failures == ()
    assert all_.failures


def test_a_direct_answer_that_is_changed_fails() -> None:
    truths, words = draw(THREE, 1000)
    answers = honest(THREE, truths, words)
    answers[7, 2] ^= 1
    assert "sent as it is given" in failures(judged(THREE, truths, answers))


def test_a_byte_that_stands_for_nothing_fails() -> None:
    truths, words = draw(THREE, 40_000)
    answers = honest(THREE, truths, words)
    answers[:50, 0] = 17
    assert "byte 17" in failures(judged(THREE, truths, answers))


@cache
def asking() -> tuple[Survey, Bytes, Bytes]:
    """Return a survey that asks each a part, and what an honest program sends of 300,000."""
    survey = read(vectors.asking_file()).survey
    truths, words = draw(survey, 300_000)
    answers = honest(survey, truths, words)
    rng = np.random.default_rng(RNG)
    for one in survey.draws:
        ranks = rng.random((len(truths), len(one.choices))).argsort(axis=1)
        for choice, places in enumerate(one.places):
            for place in places:
                answers[ranks[:, choice] >= one.count, place] = NOT_DRAWN
    return survey, truths, answers


def test_what_is_asked_of_some_only_passes() -> None:
    survey, truths, answers = asking()
    samples = Samples(survey, plans_of(survey))
    samples.add(truths, answers)
    law = [one for item in samples.items(0.01) if item for one in item.failures]
    assert law == []
    pair = samples.pairs()
    assert pair is not None
    assert pair.failures == ()


def test_being_asked_may_not_depend_on_the_truth() -> None:
    survey, truths, honestly = asking()
    answers = honestly.copy()
    answers[(truths[:, 0] == 1) & (np.arange(len(truths)) % 9 == 0), 0] = NOT_DRAWN
    samples = Samples(survey, plans_of(survey))
    samples.add(truths, answers)
    found = samples.items(0.01)[0]
    assert found is not None
    assert "reveals more" in found.failures[0]
    assert "is sent by" in found.failures[1]


def test_a_pause_is_found_and_noise_is_not() -> None:
    """The chance of a false alarm is at most 1e-6, by the law of signed ranks."""
    rng = np.random.default_rng(RNG)
    noise = rng.standard_t(2, size=300) / 100
    assert delay(noise.tolist()) is None
    assert delay((noise + 0.02).tolist()) == pytest.approx(0.02, abs=0.005)
    assert delay((noise - 0.02).tolist()) == pytest.approx(-0.02, abs=0.005)


def test_a_pause_takes_21_pairs_to_be_sure_of() -> None:
    """The chance that all differ the same way, either way, is 2 of 2^n."""
    longer = [0.7 + 0.001 * place for place in range(21)]
    assert delay(longer[:20]) is None
    assert delay(longer) == pytest.approx(0.71, abs=0.001)


def test_what_is_too_short_to_be_noticed_is_no_pause() -> None:
    assert delay([0.001 + 0.00001 * place for place in range(100)]) is None
    assert delay([]) is None
