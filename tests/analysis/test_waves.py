"""Estimates by wave and over waves, and changes, against what enumeration says."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.coverage.samples import panel as panels
from deniable.analysis import Results, intervals
from deniable.analysis.counts.tally import Tally, count_waves
from deniable.analysis.estimation import estimate
from deniable.analysis.findings import Mean, Share
from deniable.analysis.mean_of_waves import (
    ends_of_mean,
    mean_of_items,
    mean_of_results,
    people_said,
)
from deniable.analysis.results import item_results, summarise
from deniable.analysis.waves import CountedReports, Waves, changes_of, summarise_waves
from deniable.estimator import least_variance
from deniable.results.changes import change_table
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, panel

REDRAWS = ["0", "1/10", "2/5"]
DOCS = Path(__file__).parents[2] / "docs"
ONE_OF_A_PANEL = """\
version: 1
survey: panel
title: A panel
waves: {{count: 2, redraw: 0}}
questions:
  - {{id: doped, text: Doped, type: single, answers: [No, Yes], epsilon: {}}}
"""


def reports(survey: Survey, *answers: tuple[int, ...]) -> bytes:
    assert all(len(one) == survey.row_length for one in answers)
    return b"".join(map(bytes, answers))


def history_law(item: Item, truths: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Return the chance of every sequence of reports of one device."""
    assert item.memory is not None
    permanent, again = item.memory.permanent.probabilities, item.memory.instantaneous.probabilities
    law: dict[tuple[int, ...], float] = {}
    k = item.channel.reports
    for kept in itertools.product(range(k), repeat=len(permanent)):
        chance = np.prod([permanent[truth][answer] for truth, answer in enumerate(kept)])
        for sent in itertools.product(range(k), repeat=len(truths)):
            given = np.prod([again[kept[t]][a] for t, a in zip(truths, sent, strict=True)])
            law[sent] = law.get(sent, 0.0) + float(chance * given)
    return law


@pytest.mark.parametrize("redraw", REDRAWS)
def test_a_report_estimates_its_wave_s_truth(redraw: str) -> None:
    for item in panel(redraw).items[:2]:
        G = least_variance(item.channel)
        for truths in itertools.product(range(len(item.truths)), repeat=2):
            law = history_law(item, truths)
            for wave, truth in enumerate(truths):
                mean = sum(chance * G[:, sent[wave]] for sent, chance in law.items())
                np.testing.assert_allclose(mean, np.eye(len(item.truths))[truth], atol=1e-7)


def test_reports_are_counted_by_their_wave() -> None:
    survey = panel()
    chunk = reports(survey, (0, 1, 2, 0, 2), (1, 1, 2, 1, 0), (1, 2, 4, 1, 2))
    tallies = count_waves([chunk, reports(survey, (1, 0, 0, 0, 2))], survey)
    assert list(tallies) == [1, 3]
    assert [tally.n for tally in tallies.values()] == [1, 3]
    assert tallies[3].counts[0].tolist() == [1, 2]
    assert tallies[1].counts[0].tolist() == [0, 1]
    assert {wave: one.n for wave, one in count_waves([], survey).items()} == {1: 0}
    with pytest.raises(ValueError, match="whole answers of 5 bytes"):
        count_waves([b"\0"], survey)
    once = read(PANEL_TEXT.replace("waves: {count: 3, redraw: 1/10}\n", "")).survey
    assert [tally.n for tally in count_waves([bytes(8)], once).values()] == [2]
    with pytest.raises(ValueError, match="expected waves up to 3, found 4"):
        count_waves([reports(survey, (0, 0, 0, 0, 3))], survey)


def three(method: str = intervals.DEFAULT) -> Waves:
    chunks = (
        reports(panel(), *[(i % 2, i % 3, i % 5, i % 2, wave) for i in range(40 + 10 * wave)])
        for wave in (0, 2)
    )
    return summarise_waves(panel(), count_waves(chunks, panel()), 0.9, method)


def test_changes_without_shares_have_no_interval() -> None:
    for change in three("likelihood").changes:
        refused = change.item.question == "hours" and change.answer is not None  # of five answers
        assert (change.low is None) == refused
        assert change.estimate is not None
        table = change_table([change], 0.95)
        assert (table.cells(table.sections[0].rows[0])[2] == "–") == refused


def test_a_change_is_between_waves_with_reports() -> None:
    waves = three()
    assert (waves.waves, waves.n, waves.level) == ((1, 3), 100, 0.9)
    assert {(change.since, change.wave) for change in waves.changes} == {(1, 3)}
    assert "wave" not in {change.item.id for change in waves.changes}
    first, last = (results.questions for results in waves.results)
    for change in waves.changes:
        place = [one.question.id for one in first].index(change.item.question)
        before, after = first[place].items[0], last[place].items[0]
        pair: tuple[Mean | Share, Mean | Share]
        if change.answer is None:
            assert before.mean
            assert after.mean
            pair = before.mean, after.mean
        else:
            truth = change.item.truths.index(change.answer)
            pair = before.shares[truth], after.shares[truth]
        one, two = pair
        assert one.estimate is not None
        assert two.estimate is not None
        assert change.estimate is not None
        assert change.estimate == pytest.approx(two.estimate - one.estimate)
        assert change.standard_error == pytest.approx(
            np.hypot(one.standard_error or 0, two.standard_error or 0)
        )
        assert change.low is not None
        assert change.high is not None
        assert change.low < change.estimate < change.high


def tally(yes: int, *, of: int = 60) -> Tally:
    """Count made-up reports of a wave of `tests.kit.panel`."""
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


def test_of_other_people_variances_add() -> None:
    survey = panel()
    each = [
        summarise(survey, tally(yes, of=n), method=intervals.UNCUT)
        for yes, n in ((20, 60), (90, 150), (42, 60))
    ]
    of_each = dict(enumerate(each, 1))
    found = mean_of_results(of_each, 0.95, intervals.DEFAULT, independent=True)
    same = mean_of_results(of_each, 0.95, intervals.DEFAULT)
    for place in range(4):
        waves = [one.questions[place].items[0] for one in each]
        some, panels = (one.questions[place].items[0] for one in (found, same))
        told = [*zip(some.shares, panels.shares, *(one.shares for one in waves), strict=True)]
        if some.mean is not None:
            told.append((some.mean, panels.mean, *(one.mean for one in waves)))
        for mean, panel_s, *parts in told:
            estimate, error, low, high = (
                np.array([getattr(one, name) for one in parts], dtype=np.float64)
                for name in ("estimate", "standard_error", "low", "high")
            )
            assert mean.estimate == pytest.approx(estimate.mean()) == panel_s.estimate
            assert mean.standard_error == pytest.approx(np.sqrt((error**2).sum()) / 3)
            assert mean.low == pytest.approx(
                estimate.mean() - np.sqrt(((estimate - low) ** 2).sum()) / 3
            )
            assert mean.high == pytest.approx(
                estimate.mean() + np.sqrt(((high - estimate) ** 2).sum()) / 3
            )
            assert mean.maximum_likelihood == panel_s.maximum_likelihood
            assert panel_s.high - panel_s.low > 1.5 * (mean.high - mean.low)


def test_a_wave_without_an_estimate_widens_the_mean_of_others() -> None:
    estimates, ends = np.array([0.5, np.nan]), np.array([[0.4, 0.6], [0.0, 1.0]])
    assert ends_of_mean(estimates, ends, independent=True) == pytest.approx([0.2, 0.8])


@pytest.mark.parametrize("n", [4, 15, 40])
def test_the_mean_of_two_waves_of_others_covers(n: int) -> None:
    """By enumeration of all counts of two waves, at any two shares."""
    channel = panel("0").items[0].channel
    each = [estimate([n - yes, yes], channel) for yes in range(n + 1)]
    theta = np.array([one.theta[1] for one in each])
    ends = np.array([one.interval(0.95, intervals.UNCUT)[1] for one in each])
    first, second = np.indices((n + 1, n + 1)).reshape(2, -1)
    low, high = ends_of_mean(
        theta[np.stack([first, second])], ends[np.stack([first, second])], independent=True
    ).T
    shares = np.linspace(0, 1, 21)
    report = channel.probabilities[0, 1] + shares * np.diff(channel.probabilities[:, 1])
    chances = binom.pmf(np.arange(n + 1)[:, np.newaxis], n, report)
    covered = [
        chances[first, i]
        * chances[second, j]
        @ ((low <= (shares[i] + shares[j]) / 2) & ((shares[i] + shares[j]) / 2 <= high))
        for i, j in itertools.combinations_with_replacement(range(len(shares)), 2)
    ]
    assert min(covered) >= 0.945
    assert np.mean(covered) <= 0.99


def test_one_wave_is_itself() -> None:
    survey = panel()
    alone = summarise(survey, tally(20)).questions[0].items
    found = mean_of_results({2: summarise(survey, tally(20))}, 0.95, intervals.DEFAULT)
    assert found.questions[0].items == alone
    nobody = item_results(survey.items[0], np.zeros(2, dtype=np.int64))
    assert mean_of_items([nobody, alone[0]]) == alone[0]
    assert mean_of_items([nobody, nobody]).shares == nobody.shares


def test_only_impossible_shares_are_doubted() -> None:
    item = panel().items[0]
    odd, fair = item_results(item, np.array([200, 0])), item_results(item, np.array([40, 160]))
    assert odd.shares[1].p_value is not None
    doubted, not_doubted = mean_of_items([odd, odd]).shares[1], mean_of_items([odd, fair]).shares[1]
    assert doubted.outside
    assert doubted.p_value == pytest.approx(2 * odd.shares[1].p_value)
    assert not not_doubted.outside
    assert not_doubted.p_value == 1


@pytest.mark.parametrize(
    ("told", "together"),
    [
        ("| 20 in 100 change", [[0.6, 0.1], [0.1, 0.2]]),
        ("| all change", [[0.0, 0.5], [0.5, 0.0]]),
    ],
)
def test_the_page_says_how_far_the_error_of_a_change_is_off(
    told: str, together: list[list[float]]
) -> None:
    """By the law of a device's two reports: `together`, of the answers in both waves."""
    (row,) = (line for line in (DOCS / "waves.md").read_text().split("\n") if told in line)
    for place, epsilon in ((2, "1"), (3, "3")):
        item = read(ONE_OF_A_PANEL.format(epsilon)).survey.items[0]
        g = least_variance(item.channel)[1]
        law = np.zeros((2, 2))
        for truths in itertools.product(range(2), repeat=2):
            for sent, chance in history_law(item, truths).items():
                law[sent] += together[truths[0]][truths[1]] * chance
        variances = [of @ g**2 - (of @ g) ** 2 for of in (law.sum(axis=1), law.sum(axis=0))]
        change = g - g[:, np.newaxis]
        true = (law * change**2).sum() - (law * change).sum() ** 2
        printed = float(row.split("|")[place])
        assert np.sqrt(sum(variances) / true) == pytest.approx(printed, abs=0.006)


@pytest.mark.slow
def test_the_interval_of_a_change_of_people_who_take_turns_is_too_short() -> None:
    """By 4,000 panels of 400 in which half say yes each time.

    At the page's coverage, 2.6 points more or less come in less than 1 of a million runs.
    """
    item = read(ONE_OF_A_PANEL.format("3")).survey.items[0]
    random, n = np.random.default_rng(3), 400
    assert item.memory is not None
    truth = random.random((4000, n)) < 0.5
    keep = random.random((4000, n, 2)) < item.memory.permanent.probabilities[:, 1]
    sent = [np.where(of, keep[..., 1], keep[..., 0]).sum(axis=1) for of in (truth, ~truth)]
    held = []
    for first, last in zip(*sent, strict=True):
        before, after = (
            CountedReports(item.channel, np.array([n - yes, yes])) for yes in (first, last)
        )
        _, change = changes_of((1, 2), item, (before, after))
        assert change.low is not None
        assert change.high is not None
        held.append(change.low <= 0 <= change.high)
    assert np.mean(held) == pytest.approx(0.869, abs=0.026)


def test_people_are_said_as_people() -> None:
    assert people_said({1: 600, 2: 600, 3: 600}) == "600 people in each of 3 waves"
    assert people_said({2: 9, 3: 1000}) == "9 to 1,000 people in each of the waves 2 and 3"


def test_a_panel_that_never_changes_holds() -> None:
    """By 1000 panels: at .95, less than .91 comes in 2 of 10 million runs."""
    held, counted_each_time = panels("0", 4, 40, 0.0, 1000, np.random.default_rng(40))
    assert held >= 0.91
    assert counted_each_time < 0.80
