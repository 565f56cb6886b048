"""The mean over waves: an error and an interval that hold whoever answered each time."""

import itertools

import numpy as np
import pytest
from scipy import special, stats

from benchmarks.coverage.samples import panel as panels
from deniable import Channel, designs, identity
from deniable.analysis import Results, Tally, intervals
from deniable.analysis.intervals import proportion
from deniable.analysis.mean_of_waves import (
    mean_of_items,
    mean_of_results,
    people_said,
)
from deniable.analysis.results import item_results, summarise
from tests.surveys_in_waves import panel


def tally(yes: int, *, of: int = 60) -> Tally:
    """Count made-up reports of a wave of `tests.surveys_in_waves.panel`."""
    survey = panel()
    counts = [np.zeros(item.channel.reports, dtype=np.int64) for item in survey.items]
    counts[0][:] = of - yes, yes
    counts[1][:] = of // 2, of // 4, of - of // 2 - of // 4
    counts[2][:5] = of // 5
    counts[2][0] += of - counts[2].sum()
    counts[3][:] = 0, of
    return Tally(survey.revision, of, tuple(counts))


def test_everything_is_the_mean_of_the_waves() -> None:
    survey = panel()
    # Their ends would stop at what is possible, and the mean of the waves' too early.
    each = {
        wave: summarise(survey, tally(yes), method=intervals.UNCUT)
        for wave, yes in ((1, 20), (2, 30), (3, 42))
    }
    found = mean_of_results(each, 0.95, intervals.DEFAULT)
    assert [one.question.id for one in found.questions] == ["doped", "sleep", "hours", "age"]
    assert (found.n, dict(found.n_by_wave)) == (60, {1: 60, 2: 60, 3: 60})

    def told(results: Results, place: int) -> list[float]:
        item = results.questions[place].items[0]
        shares = [*item.shares, *([] if item.mean is None else [item.mean])]
        return [
            getattr(one, name) or 0.0
            for one in shares
            for name in ("estimate", "standard_error", "low", "high", "maximum_likelihood")
        ]

    for place in range(4):
        expected = np.mean([told(one, place) for one in each.values()], axis=0)
        assert told(found, place) == pytest.approx(expected)


def test_one_wave_is_itself() -> None:
    survey = panel()
    alone = summarise(survey, tally(20)).questions[0].items
    assert (
        mean_of_results({2: summarise(survey, tally(20))}, 0.95, intervals.DEFAULT)
        .questions[0]
        .items
        == alone
    )
    nobody = item_results(survey.items[0], np.zeros(2, dtype=np.int64))
    assert mean_of_items([nobody, alone[0]]) == alone[0]
    assert mean_of_items([nobody, nobody]).shares == nobody.shares


def test_a_share_is_doubted_only_where_it_is_impossible() -> None:
    item = panel().items[0]
    odd, fair = item_results(item, np.array([200, 0])), item_results(item, np.array([40, 160]))
    assert odd.shares[1].p_value is not None
    doubted, not_doubted = mean_of_items([odd, odd]).shares[1], mean_of_items([odd, fair]).shares[1]
    assert doubted.outside
    assert doubted.p_value == pytest.approx(2 * odd.shares[1].p_value)
    assert not not_doubted.outside
    assert not_doubted.p_value == 1


def test_people_are_said_as_people() -> None:
    assert people_said({1: 600, 2: 600, 3: 600}) == "600 people in each of 3 waves"
    assert people_said({2: 9, 3: 1000}) == "9 to 1,000 people in each of the waves 2 and 3"


SHARES = (0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.99, 1)
DEPENDENCES = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)


def any_dependence(n: int) -> tuple[float, float]:
    """Compute the least coverage of the mean of two shares, and if people are counted twice."""
    both, first, second = (
        each.ravel() for each in np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
    )
    some = both + first + second <= n
    both, first, second = both[some], first[some], second[some]
    neither = n - both - first - second
    ways = special.gammaln(n + 1) - sum(
        special.gammaln(each + 1) for each in (both, first, second, neither)
    )
    low, high = proportion.exact(np.arange(n + 1.0), n, 0.95)
    twice = proportion.exact(np.arange(2 * n + 1.0), 2 * n, 0.95)
    one, other = both + first, both + second
    ends = (
        ((low[one] + low[other]) / 2, (high[one] + high[other]) / 2),
        (twice[0][one + other], twice[1][one + other]),
    )
    least = [1.0, 1.0]
    for p, q in itertools.combinations_with_replacement(SHARES, 2):
        fewest, most = max(0.0, p + q - 1), min(p, q)
        for part in DEPENDENCES:
            shared = fewest + part * (most - fewest)
            chances = np.clip([shared, p - shared, q - shared, 1 - p - q + shared], 0, 1)
            powers = special.xlogy(np.stack([both, first, second, neither]), chances[:, np.newaxis])
            chance, truth = np.exp(ways + powers.sum(axis=0)), (p + q) / 2
            for which, (bottom, top) in enumerate(ends):
                held = chance[(bottom <= truth + 1e-12) & (truth - 1e-12 <= top)].sum()
                least[which] = min(least[which], float(held))
    return least[0], least[1]


@pytest.mark.parametrize("n", [3, 8])
def test_two_waves_hold_whatever_reports_share(n: int) -> None:
    """Exactly, by all tables of pairs of reports; people counted twice do not hold."""
    held, counted_twice = any_dependence(n)
    assert held >= 0.95
    assert counted_twice < 0.90


@pytest.mark.parametrize(
    ("channel", "coverage", "narrower"),
    [
        (designs.warner(epsilon=1), (0.997, 0.937), 16),
        (designs.warner(epsilon=3), (0.991, 0.961), 7),
        (identity(2), (0.975, 0.961), 5),
    ],
    ids=["1", "3", "direct"],
)
def test_the_ends_of_each_wave_s_interval_keep_a_promise_each(
    channel: Channel, coverage: tuple[float, float], narrower: int
) -> None:
    """Exactly, of two waves of others, over a grid."""
    n, (none, everybody) = 20, channel.probabilities[:, 1]
    x = np.arange(n + 1.0)
    held, width = np.ones(2), np.zeros(2)
    for which, ends in enumerate(
        (proportion.exact(x, n, 0.95), proportion.feldman_cousins(x, n, 0.95, none, everybody))
    ):
        shares = [(end - none) / (everybody - none) for end in ends]
        low, high = (np.add.outer(end, end) / 2 for end in shares)
        for s, t in itertools.combinations_with_replacement(np.linspace(0, 1, 21), 2):
            chance = np.outer(
                *(stats.binom.pmf(x, n, none + (everybody - none) * one) for one in (s, t))
            )
            inside = (low - 1e-12 <= (s + t) / 2) & ((s + t) / 2 <= high + 1e-12)
            held[which] = min(held[which], chance[inside].sum())
            width[which] += (chance * (high.clip(0, 1) - low.clip(0, 1))).sum()
    assert tuple(np.floor(1000 * held) / 1000) == coverage
    assert round(100 * (1 - width[1] / width[0])) == narrower


def test_a_panel_that_never_changes_holds() -> None:
    """By 1000 panels: at .95, less than .91 comes in 2 of 10 million runs."""
    held, counted_each_time = panels("0", 4, 40, 0.0, 1000, np.random.default_rng(40))
    assert held >= 0.91
    assert counted_each_time < 0.80


def test_waves_of_equal_reports_are_not_more_certain_than_one() -> None:
    """Minkowski's bound is reached where the waves are copies of one another."""
    item = panel().items[0]
    one = item_results(item, np.array([35, 25]))
    found = mean_of_items([one, one, one]).shares[1]
    assert found.standard_error == pytest.approx(one.shares[1].standard_error)
    assert (found.low, found.high) == pytest.approx((one.shares[1].low, one.shares[1].high))
