"""Estimates by wave and over waves, and changes, against what enumeration says."""

import itertools

import numpy as np
import pytest

from benchmarks.coverage.samples import panel as panels
from deniable.analysis import Results, intervals
from deniable.analysis.counts.tally import Tally, count_waves
from deniable.analysis.findings import Mean, Share
from deniable.analysis.mean_of_waves import mean_of_items, mean_of_results, people_said
from deniable.analysis.results import item_results, summarise
from deniable.analysis.waves import Waves, summarise_waves
from deniable.estimator import least_variance
from deniable.results.changes import change_table
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey_file import read
from tests.kit import PANEL_TEXT, panel

REDRAWS = ["0", "1/10", "2/5"]


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


def test_people_are_said_as_people() -> None:
    assert people_said({1: 600, 2: 600, 3: 600}) == "600 people in each of 3 waves"
    assert people_said({2: 9, 3: 1000}) == "9 to 1,000 people in each of the waves 2 and 3"


def test_a_panel_that_never_changes_holds() -> None:
    """By 1000 panels: at .95, less than .91 comes in 2 of 10 million runs."""
    held, counted_each_time = panels("0", 4, 40, 0.0, 1000, np.random.default_rng(40))
    assert held >= 0.91
    assert counted_each_time < 0.80
