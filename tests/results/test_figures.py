import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from deniable import designs
from deniable.analysis import Tally, count_reports, summarise
from deniable.analysis.findings import Interval
from deniable.analysis.results import QuestionResults
from deniable.designs.numeric import two_point
from deniable.results.figures.question import question_figure
from deniable.survey.questions import Answer
from tests.analysis.surveys import DOPED, EVERY_KIND, OFTEN, survey
from tests.analysis.test_results import NUMBER_TALLY, NUMBERS, TALLY, number

DOPED_RESULTS, OFFERED_RESULTS, OFTEN_RESULTS, AGE_RESULTS, _ = summarise(
    EVERY_KIND, TALLY
).questions

ESTIMATE, OUTSIDE, RECEIVED = "#0072b2", "#d55e00", "#767676"


def question_svg(question: QuestionResults, level: float, *, narrow: bool = False) -> str:
    return question_figure(question, level, "svg", narrow=narrow).decode()


def test_the_legend_is_in_plain_words() -> None:
    words = _words(DOPED_RESULTS)
    assert {"observed share (noisy)", "estimate", "95 % interval", "No", "Yes"} <= words
    assert "90 % interval" in _words(DOPED_RESULTS, level=0.9)
    assert "estimate outside 0 to 100 %" not in words


def test_marks_stand_where_their_numbers_are() -> None:
    svg = question_svg(DOPED_RESULTS, 0.95)
    shares = DOPED_RESULTS.items[0].shares
    values = np.array(
        [
            *(share.observed for share in shares),
            *(share.estimate for share in shares),
            *(end for share in shares for end in (share.low, share.high)),
        ],
        dtype=float,
    )
    positions = [*_marks(svg, RECEIVED), *_marks(svg, ESTIMATE), *_ends(svg, ESTIMATE)]
    assert len(positions) == len(values) == 8
    slope, start = np.polyfit(values, positions, 1)
    assert slope > 0
    assert positions == pytest.approx(start + slope * values, abs=0.01)


def test_an_estimate_outside_has_its_own_mark_and_the_axis_follows_it() -> None:
    svg = question_svg(OFFERED_RESULTS, 0.95)
    assert len(_marks(svg, OUTSIDE)) == 1
    assert len(_marks(svg, ESTIMATE)) == 1
    assert len(_ends(svg, OUTSIDE)) == 2
    words = _words(OFFERED_RESULTS)
    assert "estimate outside 0 to 100 %" in words
    assert any(word.startswith("−") for word in words), "a tick below 0 %"


def test_of_many_options_only_yes_is_shown_by_the_option_s_name() -> None:
    words = _words(OFFERED_RESULTS)
    assert {"EPO, for $5 or $10", "Steroids <& others>"} <= words
    assert not {"No", "Yes"} & words


def test_a_grid_has_its_rows_below_each_other() -> None:
    svg = question_svg(OFTEN_RESULTS, 0.95)
    words = [word for word in _texts(svg) if word in {"In the season", "Out of season", "Never"}]
    assert words == ["In the season", "Never", "Out of season", "Never"]
    assert len(_marks(svg, RECEIVED)) == 6


def test_direct_answers_have_no_noise_to_show() -> None:
    words = _words(AGE_RESULTS)
    assert "share" in words
    assert not {"estimate", "observed share (noisy)"} & words
    assert _marks(question_svg(AGE_RESULTS, 0.95), RECEIVED) == []


def test_long_answers_are_wrapped() -> None:
    long = "A very long answer that could not stand beside the figure in a single line"
    question = replace(DOPED, answers=(Answer("no", long), DOPED.answers[1]))
    asked = survey((question, designs.warner(flip="1/4")))
    (results,) = summarise(asked, count_reports([bytes(5)], asked)).questions
    lines = _texts(question_svg(results, 0.95))
    assert long not in lines
    assert re.sub(r"\s+", " ", " ".join(line for line in lines if line in long)).strip() == long


@pytest.mark.parametrize("respondents", [0, 1])
def test_few_reports_are_drawn_too(respondents: int) -> None:
    results = summarise(EVERY_KIND, count_reports([bytes(7)] * respondents, EVERY_KIND))
    for question in results.questions:
        assert ("no reports yet" in _words(question)) == (respondents == 0)


def test_the_same_results_are_the_same_file_from_any_thread() -> None:
    questions = [DOPED_RESULTS, OFFERED_RESULTS, OFTEN_RESULTS, AGE_RESULTS]
    expected = [question_svg(question, 0.95) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: question_svg(question, 0.95), questions))
    assert found == expected
    assert "<dc:date>" not in expected[0]


def test_drawing_leaves_the_caller_s_settings_alone() -> None:
    mpl.rcParams["backend"]  # to look at it settles it
    before = mpl.rcParams.copy()
    question_svg(DOPED_RESULTS, 0.95)
    assert mpl.rcParams == before


NUMBER_RESULTS = {
    question.question.id: question for question in summarise(NUMBERS, NUMBER_TALLY).questions
}


def test_the_mean_of_a_number_stands_above_its_shares() -> None:
    svg = question_svg(NUMBER_RESULTS["hours"], 0.95)
    assert _texts(svg).index("Mean") < _texts(svg).index("2.5")
    assert len(_marks(svg, ESTIMATE, panel=1)) == 1
    assert len(_marks(svg, ESTIMATE, panel=2)) == 3
    assert len(_marks(svg, RECEIVED, panel=1)) == 0
    assert len(_marks(svg, RECEIVED, panel=2)) == 3
    assert "95 % interval" in _texts(svg)


def test_a_mean_is_drawn_on_the_scale_of_the_numbers() -> None:
    mean = NUMBER_RESULTS["weeks"].items[0].mean
    assert mean is not None
    svg = question_svg(NUMBER_RESULTS["weeks"], 0.95)
    # The axis reaches from 0 to 100 or as far as the interval, and a margin of 3 %.
    assert mean.low is not None
    assert mean.high is not None
    assert mean.estimate is not None
    least, greatest = min(0, mean.low), max(100, mean.high)
    margin = 0.03 * (greatest - least)
    background = next(_axes(svg).iter("{http://www.w3.org/2000/svg}path"))
    edges = [float(x) for x in re.findall(r"[ML] ([\d.]+) ", background.attrib["d"])]
    start, width = min(edges), max(edges) - min(edges)
    expected = [
        start + width * (value - least + margin) / (greatest - least + 2 * margin)
        for value in (mean.estimate, mean.low, mean.high)
    ]
    drawn = [*_marks(svg, ESTIMATE), *_ends(svg, ESTIMATE)]
    assert drawn == pytest.approx(expected, abs=0.01)


def test_a_mean_stands_alone_where_the_shares_are_not_told() -> None:
    words = _words(NUMBER_RESULTS["weeks"])
    assert {"Mean", "estimate", "20", "100"} <= words
    assert "33" not in words
    assert not any("%" in word for word in words - {"95 % interval"})


@pytest.mark.parametrize(("method", "named"), [("wald", True), ("feldman-cousins", False)])
def test_an_interval_of_which_little_is_possible_is_dashed_and_named(
    method: str, *, named: bool
) -> None:
    (item,) = DOPED_RESULTS.items
    ends = Interval(0.95, 1.3)
    shares = tuple(replace(one, estimate=1.1, interval=ends, method=method) for one in item.shares)
    found = replace(DOPED_RESULTS, items=(replace(item, shares=shares),))
    assert ("less than a third of it possible" in _words(found)) is named
    assert ("stroke-dasharray" in question_svg(found, 0.95)) is named


def test_a_mean_beyond_the_answers_has_the_mark_of_what_is_outside() -> None:
    asked = survey((number("often", "0", "1", "2"), two_point(3, 1)))
    tally = Tally(asked.revision, 20, (np.array([19, 1]),))
    (results,) = summarise(asked, tally).questions
    svg = question_svg(results, 0.95)
    assert len(_marks(svg, OUTSIDE)) == 1
    assert "mean beyond the answers" in _texts(svg)


def test_a_mean_that_is_not_known_says_why() -> None:
    for question in summarise(NUMBERS, count_reports([], NUMBERS)).questions:
        assert "no reports yet" in _words(question)
    asked = survey((number("often", "0", "1", declining=True), two_point(3, 1)))
    (results,) = summarise(asked, Tally(asked.revision, 9, (np.array([4, 5]),))).questions
    assert "not told by these reports" in _words(results)


def many_numbers(*groups: str) -> QuestionResults:
    """Return the results of a number with 46 values and one more answer, in groups or not."""
    asked = survey((number("drinks", *map(str, range(46)), declining=True), designs.k_ary(47, 3)))
    counts = np.random.default_rng(4).multinomial(3000, np.full(47, 1 / 47))
    (results,) = summarise(asked, Tally(asked.revision, 3000, (counts,))).questions
    if not groups:
        return results
    items = tuple(
        replace(results.items[0], item=replace(results.items[0].item, id=name, text=name))
        for name in groups
    )
    question = replace(OFTEN, rows=tuple(Answer(name, name) for name in groups))
    return QuestionResults(question, items)


def test_many_numbers_are_a_histogram_no_higher_than_a_screen() -> None:
    svg = question_svg(many_numbers(), 0.95)
    bars = [*_marks(svg, ESTIMATE, panel=2), *_marks(svg, OUTSIDE, panel=2)]
    assert len(bars) == 46
    steps = np.diff(sorted(bars))
    assert steps == pytest.approx(np.full(45, steps[0]), abs=0.01)
    # Who gave no number stands below it, in words.
    assert "Prefer not to say" in _texts(svg)
    assert _size(svg)[1] < 450


def test_of_groups_that_gave_many_numbers_there_are_the_means() -> None:
    svg = question_svg(many_numbers("Day", "Night"), 0.95)
    assert {"Day", "Night"} <= {*_texts(svg)}
    assert len(_marks(svg, ESTIMATE)) == 2
    assert 'id="axes_2"' not in svg


def test_the_axis_begins_at_0_and_ends_with_what_is_shown() -> None:
    words = _words(many_numbers())
    ticks = [
        float(word[:-2].replace("−", "-")) for word in words if re.fullmatch(r"−?[\d.]+ %", word)
    ]
    assert 0 in ticks
    assert max(ticks) < 20
    rare = summarise(EVERY_KIND, count_reports([bytes(7)] * 500, EVERY_KIND)).questions[3]
    assert "100 %" in _words(rare)  # all people gave the first answer


def test_on_a_phone_the_letters_are_as_large_and_nothing_is_beside_the_marks() -> None:
    for question in (DOPED_RESULTS, OFTEN_RESULTS, many_numbers(), many_numbers("Day", "Night")):
        wide, narrow = (question_svg(question, 0.95, narrow=one) for one in (False, True))
        # 375 CSS pixels less the margins of a page; a point is 4/3 of a pixel.
        assert _size(narrow)[0] * 4 / 3 <= 320
        sizes = {float(size) for size in re.findall(r"font-size: ([\d.]+)px", narrow)}
        assert min(sizes) >= 9
        assert {*_texts(wide)} & {"No", "Never", "Day"} <= {*_texts(narrow)}


def _size(svg: str) -> tuple[float, float]:
    """Return width and height, in points."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found
    return float(found[1]), float(found[2])


def _texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)  # noqa: S314 — drawn here
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def _words(question: QuestionResults, level: float = 0.95) -> set[str]:
    return set(_texts(question_svg(question, level)))


def _marks(svg: str, colour: str, panel: int = 1) -> list[float]:
    """Return where along the axis the marks of a colour stand, from the top of the panel down."""
    return [
        float(use.attrib["x"])
        for use in _axes(svg, panel).iter("{http://www.w3.org/2000/svg}use")
        if f"stroke: {colour}" in use.attrib["style"]
    ]


def _ends(svg: str, colour: str) -> list[float]:
    """Return where along the axis the intervals of a colour begin and end."""
    return [
        float(end)
        for path in _axes(svg).iter("{http://www.w3.org/2000/svg}path")
        if re.search(f"stroke: {colour}; stroke-width: 2.2", path.attrib.get("style", ""))
        for end in re.findall(r"[ML] ([\d.]+) ", path.attrib["d"])
    ]


def _axes(svg: str, panel: int = 1) -> ElementTree.Element:
    axes = ElementTree.fromstring(svg).find(f".//*[@id='axes_{panel}']")  # noqa: S314 — drawn here
    assert axes is not None
    return axes
