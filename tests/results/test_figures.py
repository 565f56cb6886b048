"""Figures of questions, what is told first of them, and how it goes from wave to wave."""

import re
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from deniable import designs
from deniable.analysis import Tally, count_reports, summarise
from deniable.analysis.findings import Interval, Mean, Share
from deniable.analysis.results import QuestionResults
from deniable.designs.numeric import two_point
from deniable.results.figures.question import question_figure
from deniable.results.figures.trend import trend_figure
from deniable.results.figures.watermark import marked
from deniable.results.headlines import Headline, are_whole, headlines
from deniable.survey.questions import Answer
from tests.analysis.surveys import DOPED, EVERY_KIND, OFTEN, survey
from tests.analysis.test_results import NUMBER_TALLY, NUMBERS, TALLY, number

ESTIMATE, OUTSIDE, RECEIVED = "#12545c", "#4a5a62", "#a8430a"
BEYOND = survey((number("beyond", "0", "1", "2"), two_point(3, 1)))
OF = {
    one.question.id: one
    for results in (
        summarise(NUMBERS, NUMBER_TALLY),
        summarise(EVERY_KIND, TALLY),
        summarise(BEYOND, Tally(BEYOND.revision, 20, (np.array([19, 1]),))),
    )
    for one in results.questions
}


def question_svg(question: QuestionResults, level: float, *, narrow: bool = False) -> str:
    return question_figure(question, level, "svg", narrow=narrow).decode()


@pytest.mark.parametrize(
    ("id", "there", "absent", "marks"),
    [
        (
            "doped",
            ["observed, with the noise", "share of people (n = 125)", "95 % interval", "Yes"],
            ["estimate outside 0 to 100 %"],
            {(ESTIMATE, 1): 2, (RECEIVED, 1): 2},
        ),
        (  # Of options only yes is shown, by the option's name.
            "offered",
            ["EPO, for $5 or $10", "Steroids <& others>", "estimate outside 0 to 100 %"],
            ["No", "Yes"],
            {(OUTSIDE, 1): 1, (ESTIMATE, 1): 1},
        ),
        ("often", ["In the season", "Never", "Out of season"], [], {(RECEIVED, 1): 6}),
        ("age", ["share"], ["estimate", "observed, with the noise"], {(RECEIVED, 1): 0}),
        (
            "hours",
            ["Mean", "2.5", "95 % interval", "mean of answers from 0 to 5"],
            [],
            {(ESTIMATE, 1): 1, (ESTIMATE, 2): 3, (RECEIVED, 1): 0, (RECEIVED, 2): 3},
        ),
        ("weeks", ["Mean", "20", "100", "estimate"], ["33", "33 %"], {(ESTIMATE, 1): 1}),
        ("beyond", ["mean beyond the answers"], [], {(OUTSIDE, 1): 1}),
    ],
)
def test_a_figure_shows_what_its_question_has(
    id: str, there: list[str], absent: list[str], marks: dict[tuple[str, int], int]
) -> None:
    svg = question_svg(OF[id], 0.95)
    words = {*_texts(svg)}
    assert {*there} <= words
    assert not {*absent} & words
    assert {key: len(_marks(svg, *key)) for key in marks} == marks
    assert "90 % interval" in _words(OF[id], level=0.9)


def test_marks_stand_where_their_numbers_are() -> None:
    svg = question_svg(OF["doped"], 0.95)
    shares = OF["doped"].items[0].shares
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


def test_long_answers_are_wrapped() -> None:
    long = "A very long answer that could not stand beside the figure in a single line"
    question = replace(DOPED, answers=(Answer("no", long), DOPED.answers[1]))
    asked = survey((question, designs.warner(flip="1/4")))
    (results,) = summarise(asked, count_reports([bytes(5)], asked)).questions
    lines = _texts(question_svg(results, 0.95))
    assert long not in lines
    assert re.sub(r"\s+", " ", " ".join(line for line in lines if line in long)).strip() == long


def test_any_thread_draws_the_same_file() -> None:
    questions = [OF["doped"], OF["offered"], OF["often"], OF["age"]]
    expected = [question_svg(question, 0.95) for question in questions]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: question_svg(question, 0.95), questions))
    assert found == expected
    assert "<dc:date>" not in expected[0]


@pytest.mark.parametrize(("method", "named"), [("wald", True), ("feldman-cousins", False)])
def test_an_interval_of_little_possible_is_dashed(method: str, *, named: bool) -> None:
    (item,) = OF["doped"].items
    ends = Interval(0.95, 1.3)
    shares = tuple(replace(one, estimate=1.1, interval=ends, method=method) for one in item.shares)
    found = replace(OF["doped"], items=(replace(item, shares=shares),))
    waves = [(wave, of_letters([100, 0], method)) for wave in (1, 2)]
    for svg in (question_svg(found, 0.95), trend_figure(waves, 0.9, "svg").decode()):
        assert ("less than a third of it possible" in _texts(svg)) is named
        assert ("stroke-dasharray" in svg) is named


def test_a_mean_that_is_not_known_says_why() -> None:
    for asked in (NUMBERS, EVERY_KIND):
        for question in summarise(asked, count_reports([], asked)).questions:
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


def told(id: str) -> list[tuple[str, object]]:
    return [(line.label, line.told) for line in headlines(OF[id])]


def test_a_figure_has_the_page_s_colours() -> None:
    theme = (Path(__file__).parents[2] / "server/desk/static/theme.css").read_text()
    names = {"accent": ESTIMATE, "soft": OUTSIDE, "noise": RECEIVED}
    for name, colour in names.items():
        assert re.search(rf"--{name}: light-dark\([^#]*{colour}", theme)


def test_each_kind_of_question_tells_its_headline() -> None:
    assert told("doped") == [("Yes", OF["doped"].items[0].shares[1])]
    options = [item.shares[1] for item in OF["offered"].items]
    assert told("offered") == [
        ("EPO, for $5 or $10", options[0]),
        ("Steroids <& others>", options[1]),
    ]
    for (label, share), item in zip(told("often"), OF["often"].items, strict=True):
        assert share == max(item.shares, key=lambda one: one.estimate or 0)
        assert label.startswith(f"{item.item.text}: ")
    assert told("hours") == [("Mean", OF["hours"].items[0].mean)]
    (line,) = headlines(many_numbers())
    assert isinstance(line.told, Mean)
    # What was observed is told where it is noise.
    assert headlines(OF["doped"])[0].observed == OF["doped"].items[0].shares[1].observed
    assert {line.observed for one in ("age", "hours") for line in headlines(OF[one])} == {None}


def test_many_numbers_are_a_low_histogram() -> None:
    svg = question_svg(many_numbers(), 0.95)
    bars = [*_marks(svg, ESTIMATE, panel=2), *_marks(svg, OUTSIDE, panel=2)]
    assert len(bars) == 46
    steps = np.diff(sorted(bars))
    assert steps == pytest.approx(np.full(45, steps[0]), abs=0.01)
    # Who gave no number stands below it, in words.
    assert "Skipped" in _texts(svg)
    assert _size(svg)[1] < 450


def test_groups_of_many_numbers_have_means() -> None:
    svg = question_svg(many_numbers("Day", "Night"), 0.95)
    assert {"Day", "Night"} <= {*_texts(svg)}
    assert len(_marks(svg, ESTIMATE)) == 2
    assert 'id="axes_2"' not in svg


@pytest.mark.slow
def test_on_a_phone_letters_stay_large() -> None:
    for question in (OF["doped"], OF["often"], many_numbers(), many_numbers("Day", "Night")):
        wide, narrow = (question_svg(question, 0.95, narrow=one) for one in (False, True))
        sizes = {float(size) for size in re.findall(r"font-size: ([\d.]+)px", narrow)}
        assert min(sizes) >= 9
        assert {*_texts(wide)} & {"No", "Never", "Day"} <= {*_texts(narrow)}


def _size(svg: str) -> tuple[float, float]:
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


def of_letters(counts: list[int], method: str = "auto") -> QuestionResults:
    answers = tuple(Answer(code, code) for code in "abcdefgh"[: len(counts)])
    asked = survey((replace(DOPED, answers=answers), designs.k_ary(len(answers), 4)))
    tally = Tally(asked.revision, sum(counts), (np.array(counts),))
    return summarise(asked, tally, method=method).questions[0]


def test_of_many_answers_the_commonest_are_told() -> None:
    assert [line.label for line in headlines(of_letters([10] * 6))] == [*"abcdef"]
    told = headlines(of_letters([90, 10, 10, 80, 10, 10, 10, 70]))
    assert [line.label for line in told] == ["a", "d", "h"]


def test_the_possible_lies_between_the_margins() -> None:
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


def test_headlines_are_whole_if_figures_add_nothing() -> None:
    whole = {id for id, one in OF.items() if are_whole(one)}
    assert {"doped", "offered"} <= whole
    assert not {"often", "hours"} & whole
    assert are_whole(of_letters([10] * 6))
    assert not are_whole(of_letters([10] * 7))


def drawn(*counts: list[int], narrow: bool = False) -> str:
    waves = [(wave, of_letters(each)) for wave, each in enumerate(counts, start=1)]
    return trend_figure(waves, 0.9, "svg", narrow=narrow).decode()


def test_a_line_joins_the_estimates_of_all_waves() -> None:
    counts = [[80, 20], [60, 40], [50, 50]]
    lines = re.findall(r'd="((?:[ML] [\d.]+ [\d.]+ \n?){3})"[^>]*stroke: #12545c', drawn(*counts))
    line = lines[0]  # the other one is in the legend
    xs, ys = np.array(re.findall(r"([\d.]+) ([\d.]+) ", line), dtype=float).T
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1])
    estimates = [of_letters(each).items[0].shares[1].estimate for each in counts]
    slope, start = np.polyfit(np.array(estimates, dtype=float), ys, 1)
    assert slope < 0  # upwards
    assert ys == pytest.approx(start + slope * np.array(estimates, dtype=float), abs=0.01)


def test_a_file_says_its_caption() -> None:
    draw = partial(question_figure, OF["doped"], 0.95)
    caption = draw("txt").decode()
    assert caption.startswith("Have you doped? Filled dots are estimates of all people")
    assert (
        "Lines are 95 % intervals (Feldman and Cousins 1998). n = 125. A report differs" in caption
    )
    assert caption.endswith(" with probability 25.0 % (the flip probability). ε = 1.099.\n")
    svg = ElementTree.fromstring(draw("svg").decode())  # noqa: S314 — drawn here
    said = [svg.findtext(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc")]
    assert said == ["Have you doped?", caption.rstrip("\n")]
    assert Image.open(BytesIO(draw("png"))).info["Description"] == caption.rstrip("\n")
    subject = re.search(rb"/Subject (<[0-9a-f]+>|\((?:[^()\\]|\\.)*\))", draw("pdf"))
    assert subject
    assert b"n = 125" in subject[1].replace(b"\0", b"")


@pytest.mark.parametrize(
    ("id", "there"),
    [
        ("offered", ["Diamonds are estimates beyond what is possible"]),
        ("hours", ["both tails of a test", "n = 125"]),
        ("age", ["Dots are shares of the answers", "Asked directly"]),
    ],
)
def test_a_caption_says_what_its_figure_has(id: str, there: list[str]) -> None:
    caption = question_figure(OF[id], 0.9, "txt").decode()
    assert [one for one in there if one not in caption] == []
    assert "Diamonds" not in caption or id == "offered"


def test_a_table_s_caption_says_both_designs() -> None:
    first = replace(OF["offered"].items[0].item, text="Offered")
    found = OF["doped"]
    unseen = tuple(replace(one, observed=None) for one in found.items[0].shares)
    table = replace(found, items=(replace(found.items[0], shares=unseen),))
    caption = question_figure(table, 0.95, "txt", by=first).decode()
    assert "Of the groups: A report differs from the true answer with probability 30.0 %" in caption
    assert "probability 25.0 %" in caption
    assert "Hollow" not in caption


def test_a_trend_names_answers_and_waves() -> None:
    waves = [(wave, of_letters(each)) for wave, each in ((1, [80, 20]), (2, [600, 800]))]
    caption = trend_figure(waves, 0.9, "txt").decode()
    words = {*_texts(drawn([50, 30, 20], [30, 30, 40]))}
    assert {"a", "b", "c", "1", "2", "wave and n; with 90 % intervals"} <= words
    assert "90 % intervals (Feldman and Cousins 1998). n = 100 in wave 1, n = 1,400 in" in caption
    assert {"100", "1,400"} <= {
        line for text in _texts(drawn([80, 20], [600, 800])) for line in text.split("\n")
    }


def test_a_trial_s_caption_begins_with_it() -> None:
    with marked(replace(EVERY_KIND, parent="study")):
        assert question_figure(OF["doped"], 0.95, "txt").startswith(b"Trial: made-up answers. ")


@pytest.mark.parametrize("id", ["doped", "often"])
def test_a_vector_figure_holds_its_letters(id: str) -> None:
    svg = question_svg(OF[id], 0.95)
    faces = re.findall(r'font-weight:(\d+);src:url\("data:font/woff;base64,([^"]+)"', svg)
    assert [weight for weight, _ in faces] == (["400", "700"] if id == "often" else ["400"])
    for _, face in faces:
        with TTFont(BytesIO(b64decode(face))) as font:
            assert {*map(ord, "".join(_texts(svg)))} <= {*font.getBestCmap(), ord("\n")}
    pdf = question_figure(OF[id], 0.95, "pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"SourceSans3" in pdf
    assert b"DejaVu" not in pdf


def test_a_figure_has_one_typeface() -> None:
    own, other = "Source Sans 3", "DejaVu Sans"
    for text, family in (("Gedopt?", own), ("Łódź", other), ("допинг", other)):
        question = replace(DOPED, answers=(Answer("no", text), DOPED.answers[1]))
        asked = survey((question, designs.warner(flip="1/4")))
        (found,) = summarise(asked, count_reports([bytes(1)] * 9, asked)).questions
        svg = question_svg(found, 0.95)
        assert {*re.findall(r"font-family:\"([^\"]+)\"", svg)} == {family}
        assert (own in svg) is (family == own)


def test_lines_differ_without_their_colours() -> None:
    svg = drawn(*[[10, 20, 30, 40, 50, 60], [60, 50, 40, 30, 20, 10]])
    marks = set()
    for colour in {*re.findall(r'<use [^>]*style="[^"]*stroke: (#\w+)', svg)} - {"#16242b"}:
        uses = re.findall(rf'<use xlink:href="#(\w+)"[^>]*fill: (#\w+); stroke: {colour}', svg)
        for name, fill in uses:
            shape = re.search(rf'<path id="{name}" d="([^"]+)"', svg)
            assert shape
            marks.add((shape[1], fill == "#ffffff"))
    assert len(marks) == 6
    assert {hollow for _, hollow in marks} == {False, True}


def test_a_figure_fits_two_columns_or_one() -> None:
    for narrow, millimetres in ((False, 183), (True, 84)):
        width, _ = _size(question_svg(OF["doped"], 0.95, narrow=narrow))
        assert width / 72 * 25.4 == pytest.approx(millimetres, abs=0.3)
        assert _size(drawn([50, 50], [40, 60], narrow=narrow))[0] == width
