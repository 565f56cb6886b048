"""Estimates by wave, and changes, against what enumeration says that they must be."""

import csv
import io
import itertools
import json
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from deniable.analysis import intervals
from deniable.analysis.counts.tally import Tally, count_answers, count_waves
from deniable.analysis.findings import Mean, Share
from deniable.analysis.joint.groups import difference
from deniable.analysis.waves import Waves, panel_covariance, summarise_waves
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.simulation import Responses
from deniable.estimator import least_variance
from deniable.report import NOT_DRAWN
from deniable.results.changes import change_table
from deniable.results.files import FORMATS
from deniable.results.rows import WAVE_COLUMNS, lay_out, rows
from deniable.survey import Survey
from deniable.survey.items import Item
from deniable.survey_file import read
from tests.surveys_in_waves import TEXT, panel

REDRAWS = ["0", "1/10", "2/5"]

Sent = tuple[tuple[int, ...], ...]


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
def test_a_report_of_any_wave_estimates_what_is_true_then(redraw: str) -> None:
    for item in panel(redraw).items[:2]:
        G = least_variance(item.channel)
        for truths in itertools.product(range(len(item.truths)), repeat=2):
            law = history_law(item, truths)
            for wave, truth in enumerate(truths):
                mean = sum(chance * G[:, sent[wave]] for sent, chance in law.items())
                np.testing.assert_allclose(mean, np.eye(len(item.truths))[truth], atol=1e-7)


@pytest.mark.parametrize("redraw", REDRAWS)
def test_the_covariance_of_two_waves_is_what_enumeration_gives(redraw: str) -> None:
    for item in panel(redraw).items[:2]:
        G = least_variance(item.channel)
        stated = panel_covariance(item)
        assert (stated >= -1e-12).all()
        for truths in itertools.product(range(len(item.truths)), repeat=2):
            law = history_law(item, truths)
            first, second = (
                sum(chance * G[:, sent[wave]] for sent, chance in law.items()) for wave in (0, 1)
            )
            both = sum(chance * G[:, a] * G[:, b] for (a, b), chance in law.items())
            expected = stated[truths[0]] if truths[0] == truths[1] else np.zeros(len(item.truths))
            np.testing.assert_allclose(both - first * second, expected, atol=1e-9)


@pytest.mark.parametrize("redraw", ["0", "1/5"])
def test_both_waves_of_those_whom_chance_asks_are_unbiased_and_cost_what_is_said(
    redraw: str,
) -> None:
    """Of two people, everything that can be drawn and sent."""
    survey = read(
        f"version: 1\nsurvey: some\ntitle: Some\nepsilon: 2\nask: 1\nchances: {{a: 3}}\n"
        f"waves: {{count: 2, redraw: {redraw}}}\nbatch: 1\nquestions:\n"
        "  - {id: a, text: A, type: single, answers: [No, Yes]}\n"
        "  - {id: b, text: B, type: single, answers: [No, Yes]}\n"
    ).survey
    assert survey.asked_shares == (Fraction(3, 4), Fraction(1, 4))

    def sent(first: tuple[int, int], second: tuple[int, int]) -> dict[Sent, float]:
        """Return the chance of all reports of who answers so: the items of each wave."""
        laws = [
            history_law(item, truths)
            for item, truths in zip(survey.items, (first, second), strict=True)
        ]
        return {
            tuple((r, NOT_DRAWN) if place == 0 else (NOT_DRAWN, r) for r in history): share * chance
            for place, share in enumerate(map(float, survey.asked_shares))
            for history, chance in laws[place].items()
        }

    same = [sent((a, a), (b, b)) for a in (0, 1) for b in (0, 1)]
    columns = [[one[each] for one in same] for each in same[0] if same[0][each] > 0]
    ratio = max(max(column) / min(column) for column in columns)
    assert math.log(ratio) <= survey.epsilon
    assert math.log(ratio) == pytest.approx(2, abs=1e-5) or redraw != "0"
    shown, sums = np.zeros((3, 2)), np.zeros((3, 2))
    two = sent((0, 1), (1, 1)), sent((1, 1), (0, 1))
    for (one, chance), (other, more) in itertools.product(*(law.items() for law in two)):
        rows = [(*person[wave], wave) for person in (one, other) for wave in (0, 1)]
        tallies = count_waves([reports(survey, *rows)], survey)
        found = summarise_waves(survey, tallies)
        for item in (0, 1):
            told = [wave.questions[item].items[0].shares[1].estimate for wave in found.results]
            of = [one for one in found.changes if one.item == survey.items[item]]
            told.append(of[1].estimate if of else None)
            for row, estimate in enumerate(told):
                if estimate is not None:
                    shown[row, item] += chance * more
                    sums[row, item] += chance * more * estimate
    np.testing.assert_allclose(shown[:, 0], 1 - 1 / 16, atol=1e-12)
    assert sums / shown == pytest.approx(np.array([[0.5, 0.5], [1, 1], [0.5, 0.5]]), abs=1e-7)


def simulated(survey: Survey, answered: Iterator[Responses]) -> Waves:
    return summarise_waves(survey, tallied(survey, answered))


def tallied(survey: Survey, answered: Iterator[Responses]) -> dict[int, Tally]:
    return {one.wave: count_answers([one.answers], survey) for one in answered}


def test_the_standard_error_of_a_change_is_not_below_the_truth_for_a_panel() -> None:
    survey = panel()
    population = read_population(survey, ["doped.yes=30%"])
    words = seeded_words(3, 0)
    found = []
    for _ in range(300):
        answered = simulate_panel(population, 300, Fraction(1, 10), words)
        tallies = tallied(survey, answered)
        # As `summarise_waves` has it, which a test below holds.
        change = difference(tallies[2].counts[0], tallies[1].counts[0], survey.items[0].channel)
        found.append((change.difference[1], change.standard_error[1]))
    estimates, errors = np.array(found, dtype=float).T
    # The words are seeded: these are the same 300 panels each time.
    true = estimates.std()
    assert abs(estimates.mean()) < 6 * true / np.sqrt(300)
    assert true < 0.85 * errors.mean()


def test_reports_are_counted_by_the_wave_that_they_are_of() -> None:
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
    once = read(TEXT.replace("waves: {count: 3, redraw: 1/10}\n", "")).survey
    assert [tally.n for tally in count_waves([bytes(8)], once).values()] == [2]
    with pytest.raises(ValueError, match="expected waves up to 3, found 4"):
        count_waves([reports(survey, (0, 0, 0, 0, 3))], survey)


def tallies_of_three() -> dict[int, Tally]:
    survey = panel()
    chunk = b"".join(
        reports(survey, *[(i % 2, i % 3, i % 5, i % 2, wave) for i in range(40 + 10 * wave)])
        for wave in (0, 2)
    )
    return count_waves([chunk], survey)


def three(method: str = intervals.DEFAULT) -> Waves:
    return summarise_waves(panel(), tallies_of_three(), 0.9, method)


def test_a_change_has_no_interval_where_its_shares_have_none() -> None:
    for change in three("likelihood").changes:
        refused = change.item.question == "hours" and change.answer is not None  # of five answers
        assert (change.low is None) == refused
        assert change.estimate is not None
        table = change_table([change], 0.95)
        assert (table.cells(table.sections[0].rows[0])[2] == "–") == refused


def test_a_change_is_the_difference_of_two_waves_that_have_reports() -> None:
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


def test_the_files_say_which_wave_and_since_when() -> None:
    waves = three()
    laid_out = rows(waves)
    assert all(tuple(row) == WAVE_COLUMNS for row in laid_out)
    lines = list(csv.DictReader(io.StringIO(str(FORMATS["csv"].write(lay_out(waves))))))
    assert len(lines) == len(laid_out)
    statistics = {(row["wave"], row["since"], row["statistic"]) for row in lines}
    assert statistics == {
        ("1", "", "share"), ("1", "", "mean"), ("3", "", "share"), ("3", "", "mean"),
        ("3", "1", "change_of_share"), ("3", "1", "change_of_mean"),
    }  # fmt: skip
    document = json.loads(FORMATS["json"].write(lay_out(waves)))
    assert document["n_by_wave"] == {"1": 40, "3": 60}
    assert document["waves"]["count"] == 3
    assert len(document["estimates"]) == len(laid_out)


def test_nothing_is_kept_of_what_is_sent_as_it_is() -> None:
    with pytest.raises(ValueError, match="expected one that is remembered"):
        panel_covariance(panel().items[-1])
