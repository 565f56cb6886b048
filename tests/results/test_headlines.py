"""What is told first of a question, and how it goes from wave to wave."""

import re
from dataclasses import replace

import numpy as np
import pytest

from deniable import designs
from deniable.analysis import Tally, summarise
from deniable.analysis.findings import Mean, Share
from deniable.analysis.results import QuestionResults
from deniable.results.figures.trend import trend_figure
from deniable.results.headlines import Headline, are_whole, headlines
from deniable.survey.questions import Answer
from tests.analysis.surveys import DOPED, EVERY_KIND, survey
from tests.analysis.test_results import NUMBER_TALLY, NUMBERS, TALLY
from tests.results.test_figures import _texts, many_numbers

OF = {
    one.question.id: one
    for results in (summarise(EVERY_KIND, TALLY), summarise(NUMBERS, NUMBER_TALLY))
    for one in results.questions
}


def of_letters(counts: list[int], method: str = "auto") -> QuestionResults:
    answers = tuple(Answer(code, code) for code in "abcdefgh"[: len(counts)])
    asked = survey((replace(DOPED, answers=answers), designs.k_ary(len(answers), 4)))
    tally = Tally(asked.revision, sum(counts), (np.array(counts),))
    return summarise(asked, tally, method=method).questions[0]


def test_of_two_answers_the_second_is_told() -> None:
    (line,) = headlines(OF["doped"])
    assert (line.label, line.told) == ("Yes", OF["doped"].items[0].shares[1])


def test_of_each_option_yes_is_told() -> None:
    lines = headlines(OF["offered"])
    assert [line.label for line in lines] == ["EPO, for $5 or $10", "Steroids <& others>"]
    assert {line.answer.code for line in lines if line.answer} == {"yes"}


def test_of_each_row_what_most_people_answered_is_told() -> None:
    for line, item in zip(headlines(OF["often"]), OF["often"].items, strict=True):
        assert line.told.estimate == max(share.estimate or 0 for share in item.shares)
        assert line.label.startswith(f"{item.item.text}: ")


def test_of_a_number_the_mean_is_told() -> None:
    for results in (OF["hours"], many_numbers()):
        (line,) = headlines(results)
        assert isinstance(line.told, Mean)


def test_of_few_answers_all_are_told_and_of_many_those_of_most_people() -> None:
    assert [line.label for line in headlines(of_letters([10] * 6))] == [*"abcdef"]
    told = headlines(of_letters([90, 10, 10, 80, 10, 10, 10, 70]))
    assert [line.label for line in told] == ["a", "d", "h"]


def test_what_is_possible_lies_between_the_margins_and_the_rest_beyond_them() -> None:
    item = OF["doped"].items[0].item
    share = Headline(item, item.truths[1], "Yes", Share(item.truths[1]))
    mean = Headline(item, None, "Mean", Mean(20, 70))
    for line, values in (
        (share, (-0.5, -0.05, 0, 0.25, 1, 1.2)),
        (mean, (-5, 17.5, 20, 32.5, 70, 80)),
    ):
        assert [line.at(x) for x in values] == pytest.approx([0, 6, 10, 30, 90, 100])
        assert [line.beyond(x) for x in values] == [-1, 0, 0, 0, 0, 1]
    assert (share.ticks, mean.ticks) == ((0, 0.5, 1), (20, 45, 70))


def test_what_was_observed_is_told_where_it_is_noise() -> None:
    assert headlines(OF["doped"])[0].observed == OF["doped"].items[0].shares[1].observed
    assert {line.observed for one in ("age", "hours") for line in headlines(OF[one])} == {None}


def test_the_headlines_are_whole_where_the_figure_draws_no_more() -> None:
    whole = {id for id, one in OF.items() if are_whole(one)}
    assert {"doped", "offered"} <= whole
    assert not {"often", "hours"} & whole
    assert are_whole(of_letters([10] * 6))
    assert not are_whole(of_letters([10] * 7))


def drawn(*counts: list[int], narrow: bool = False) -> str:
    waves = [(wave, of_letters(each)) for wave, each in enumerate(counts, start=1)]
    return trend_figure(waves, 0.9, "svg", narrow=narrow).decode()


def test_a_line_goes_through_the_estimates_of_all_waves() -> None:
    counts = [[80, 20], [60, 40], [50, 50]]
    lines = re.findall(r'd="((?:[ML] [\d.]+ [\d.]+ \n?){3})"[^>]*stroke: #0072b2', drawn(*counts))
    line = lines[0]  # the other one is in the legend
    xs, ys = np.array(re.findall(r"([\d.]+) ([\d.]+) ", line), dtype=float).T
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1])
    estimates = [of_letters(each).items[0].shares[1].estimate for each in counts]
    slope, start = np.polyfit(np.array(estimates, dtype=float), ys, 1)
    assert slope < 0  # upwards
    assert ys == pytest.approx(start + slope * np.array(estimates, dtype=float), abs=0.01)


def test_each_answer_has_a_line_and_its_name() -> None:
    words = _texts(drawn([50, 30, 20], [30, 30, 40]))
    assert {"a", "b", "c", "1", "2", "wave; with 90 % intervals"} <= {*words}


@pytest.mark.parametrize("method", ["wald", "feldman-cousins"])
def test_an_interval_that_looks_too_certain_is_dashed(method: str) -> None:
    waves = [(wave, of_letters([100, 0], method)) for wave in (1, 2)]
    shown = trend_figure(waves, 0.9, "svg").decode()
    said = "less than a third of it possible" in _texts(shown)
    assert said == (shown.count("stroke-dasharray") == 3) == (method == "wald")


def test_a_wave_without_reports_is_passed_over() -> None:
    assert drawn([0, 0], [40, 60]).count("<svg") == 1


def test_on_a_phone_a_trend_fits() -> None:
    found = re.search(r'viewBox="0 0 ([\d.]+) ', drawn([50, 50], [40, 60], narrow=True))
    assert found
    assert float(found[1]) * 4 / 3 <= 320
