"""Whether the design was followed: validity by enumeration, power by exact tails."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, special, stats

from deniable import designs
from deniable.analysis import Tally, design_test, summarise
from deniable.analysis.counts.tally import count_waves
from deniable.analysis.means import estimate_mean
from deniable.analysis.results import Results, item_results, verdict
from deniable.analysis.waves import summarise_waves
from deniable.channel import Channel, identity
from deniable.designs.numeric import piecewise, two_point
from deniable.estimator import least_variance
from deniable.survey.questions import Answer, Protection, Question, QuestionType
from tests.analysis.enumeration import compositions
from tests.analysis.surveys import survey
from tests.kit import panel
from tests.kit.surveys import single

pytestmark = pytest.mark.promise("no-false-alarm")

WARNER = designs.warner(flip="1/4")
KUK = designs.kuk("1/4", "2/3", draws=3)
LEVELS = designs.laplace(3, 3)
UNEVEN = designs.custom([["1/2", "1/4", "1/4"], ["1/5", "1/2", "3/10"], ["0", "2/5", "3/5"]])


def outcomes(n: int, reports: int) -> npt.NDArray[np.int64]:
    return np.array(compositions(n, reports))


@pytest.mark.parametrize(
    ("counts", "k"), [([47, 3], 3), ([3, 47], 3), ([50, 0], 0), ([38, 12], 12)]
)
def test_one_proportion_has_its_binomial_tail(counts: list[int], k: int) -> None:
    expected = min(1, 2 * float(stats.binom.cdf(k, 50, 0.25)))
    assert design_test.p_values_of_shares(counts, WARNER) == pytest.approx([expected] * 2, rel=1e-6)


def test_possible_shares_have_a_p_value_of_1() -> None:
    assert design_test.p_values_of_shares([30, 20], WARNER).tolist() == [1, 1]
    assert design_test.p_values_of_shares([3, 0, 7], identity(3)).tolist() == [1, 1, 1]
    assert design_test.p_values_of_shares([5, 4, 3], UNEVEN).tolist() == [1, 1, 1]


@pytest.mark.parametrize("channel", [WARNER, KUK, LEVELS, UNEVEN, designs.k_ary(4, 2)])
@pytest.mark.parametrize("n", [1, 7])
def test_honest_surveys_are_doubted_as_rarely_as_said(channel: Channel, n: int) -> None:
    """For every p-value that can come out, and many populations: all outcomes are enumerated."""
    counts = outcomes(n, channel.reports)
    alone = design_test.p_values_of_shares(counts, channel)
    tested = 1 if channel.truths == 2 else channel.truths
    together = tested * alone.min(axis=1)
    order = np.argsort(together)
    grid = outcomes(4, channel.truths) / 4
    log_ways = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(axis=1)
    for theta in grid:
        log_chances = log_ways + special.xlogy(counts, theta @ channel.probabilities).sum(axis=1)
        so_small = np.cumsum(np.exp(log_chances[order]))
        # At ties, the last of the cumulated chances is the one that counts.
        last = np.append(np.diff(together[order]) > 0, True)
        assert (so_small[last] <= together[order][last] * (1 + 1e-9)).all()
    assert n == 1 or together.min() < 0.8


def test_means_are_tested_as_validly_as_shares() -> None:
    channel, n = designs.k_ary(4, 2), 9
    counts = outcomes(n, 4)
    for values in ([1, 2, 3, 4], [0, 5, 20, math.nan], [7, math.nan, 7, 8]):
        alone = np.array([estimate_mean(one, channel, values).p_value_of_design for one in counts])
        assert alone.min() < 0.3
        order = np.argsort(alone)
        last = np.append(np.diff(alone[order]) > 0, True)
        for theta in outcomes(3, 4) / 3:
            chances = stats.multinomial.pmf(counts, n, theta @ channel.probabilities)[order]
            assert (np.cumsum(chances)[last] <= alone[order][last] * (1 + 1e-9)).all()


def test_a_mean_among_some_needs_their_share() -> None:
    """Nobody says 20; that a third declined explains a small total, but no mean below 10."""
    channel, values = designs.k_ary(3, 2), [10, 20, math.nan]
    result = estimate_mean([66, 1, 33], channel, values)
    q = float(channel.probabilities[0, 1])
    assert result.theta < 10
    # What is tested, the total less 10 for each who has a value, is 10 times the share of 20.
    assert result.p_value_of_design == pytest.approx(2 * stats.binom.cdf(1, 100, q), rel=1e-6)
    assert result.p_value_of_design < 0.01


@pytest.mark.parametrize("counts", [[400, 0, 0, 0], [0, 0, 320, 80], [10, 20, 300, 70]])
def test_the_bound_is_chernoff_s_at_best(counts: list[int]) -> None:
    """Against a minimum that is searched for by another program."""
    C, G = KUK.probabilities, least_variance(KUK)

    def chance(g: npt.NDArray[np.float64]) -> float:
        def log_bound(log_s: float) -> float:
            s = math.exp(log_s)
            sums = special.logsumexp(-s * g, b=C, axis=1)
            return float(np.dot(counts, g) * s + sum(counts) * sums.max())

        found = optimize.minimize_scalar(log_bound, bounds=(-12, 8), method="bounded")
        return math.exp(min(found.fun, 0))

    expected = 2 * min(chance(G[1]), chance(-G[1]), 0.5)
    (_, found) = design_test.p_values_of_shares(counts, KUK)
    assert found == pytest.approx(expected, rel=0.02)


def test_several_surveys_are_tested_as_one() -> None:
    many = np.random.default_rng(1).multinomial(60, [0.6, 0.3, 0.1], size=(4, 5))
    for channel in (LEVELS, UNEVEN, designs.k_ary(3, 1)):
        counts = np.zeros((4, 5, channel.reports), dtype=np.int64)
        counts[..., :3] = many
        found = design_test.p_values_of_shares(counts, channel)
        assert found.shape == (4, 5, 3)
        for place in np.ndindex(4, 5):
            alone = design_test.p_values_of_shares(counts[place], channel)
            np.testing.assert_allclose(found[place], alone, rtol=1e-12)


def test_what_cannot_vary_is_no_evidence() -> None:
    assert design_test.p_value([3, 4], WARNER, [5, 5]) == 1
    assert estimate_mean([47, 3], WARNER, [5, 5]).p_value_of_design == 1
    assert estimate_mean([47, 3], WARNER, [5, 5]).against_design() == ()


def test_reports_that_no_truth_sends_are_left_out() -> None:
    shifted = designs.custom([["0", "3/4", "1/4"], ["0", "1/4", "3/4"]])
    assert design_test.p_values_of_shares([0, 47, 3], shifted) == pytest.approx(
        design_test.p_values_of_shares([47, 3], WARNER), rel=1e-6
    )


def test_millions_of_reports_are_no_trouble() -> None:
    n = 10**9
    honest = np.round(n * (np.eye(5)[0] @ piecewise(5, 1).probabilities)).astype(np.int64)
    assert design_test.p_values_of_shares(honest, piecewise(5, 1)).min() > 0.5
    assert design_test.p_values_of_shares(honest[::-1], piecewise(5, 1)).min() > 0.5
    assert design_test.p_values_of_shares([n, n // 4], WARNER)[1] == 0


TEN = tuple(Answer(str(one), f"Answer {one}") for one in range(10))


def asked(*channels: Channel) -> list[tuple[Question, Channel]]:
    return [
        (Question(f"q{place}", "Which?", QuestionType.SINGLE, TEN[: channel.truths]), channel)
        for place, channel in enumerate(channels)
    ]


def found(channels: list[Channel], counts: list[list[int]]) -> Results:
    described = survey(*asked(*channels))
    arrays = tuple(np.array(each) for each in counts)
    return summarise(described, Tally(described.revision, int(arrays[0].sum()), arrays))


def test_a_survey_is_doubted_as_a_whole() -> None:
    """The same answer is doubted by itself, and not among forty others."""
    odd, plain = [42, 8], [30, 20]
    alone = found([WARNER], [odd]).verdict
    assert alone.tested == 1
    assert alone.p_value == pytest.approx(2 * stats.binom.cdf(8, 50, 0.25), abs=1e-9)
    assert alone.p_value > 0.05
    worse = found([WARNER], [[45, 5]]).verdict
    (doubt,) = worse.doubts
    assert worse.p_value == pytest.approx(2 * stats.binom.cdf(5, 50, 0.25))
    one = doubt.found
    assert (doubt.item.id, one.answer, one.least, one.greatest) == ("q0", TEN[1], 0, 1)
    assert one.estimate == pytest.approx(-0.3, abs=1e-6)
    among = found([WARNER] * 8, [[45, 5]] + [plain] * 7).verdict
    assert among.tested == 8
    assert among.p_value == pytest.approx(8 * worse.p_value)
    assert among.doubts == ()


def test_what_was_asked_directly_is_never_doubted() -> None:
    number = Question("n", "?", QuestionType.NUMBER, TEN[:3], protection=Protection.DIRECT)
    described = survey((number, identity(3)))
    results = summarise(described, Tally(described.revision, 50, (np.array([50, 0, 0]),)))
    direct = results.verdict
    (item,) = single("q", TEN[:2], WARNER)[1]
    assert verdict([item_results(item, np.zeros(2, dtype=np.int64))]).tested == 0
    assert not verdict([]).rejects(1.0)
    assert not verdict([]).rejects(None)
    assert (direct.tested, direct.p_value) == (0, 1)
    assert not any(direct.rejects(share.p_value) for share in results.questions[0].items[0].shares)
    assert direct.doubts == ()


def test_a_mean_is_one_more_that_is_tested() -> None:
    number = Question("n", "How many?", QuestionType.NUMBER, tuple(Answer(c, c) for c in "012"))
    described = survey((number, two_point(3, 1)))
    results = summarise(described, Tally(described.revision, 60, (np.array([59, 1]),)))
    (doubt,) = results.verdict.doubts
    assert results.verdict.tested == 1
    assert doubt.found.answer is None
    assert (doubt.found.least, doubt.found.greatest) == (0, 2)
    told = survey((number, designs.k_ary(3, 1)))
    results = summarise(told, Tally(told.revision, 60, (np.array([20, 20, 20]),)))
    assert results.verdict.tested == 4


def test_all_waves_are_one_family() -> None:
    described = panel()
    items = len(described.items)
    everything = [b"".join(bytes([0] * items + [wave]) * 40 for wave in range(2))]
    both = summarise_waves(described, count_waves(everything, described))
    one, other = (each.verdict for each in both.results)
    assert both.verdict.tested == one.tested + other.tested == 2 * one.tested
    assert both.verdict.p_value == pytest.approx(min(1, 2 * one.p_value))
    assert len(both.verdict.doubts) >= 2
