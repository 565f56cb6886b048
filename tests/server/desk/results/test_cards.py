"""What the results page says beside its tables."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from deniable.analysis import intervals
from deniable.server.desk.results.formula import term_in_words
from deniable.server.desk.results.query import METHODS
from deniable.server.store import Store
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from deniable.text.sureness import at_most, sureness
from tests.kit import Browser, Caller, panel, report, surveys, url_for
from tests.server.desk.test_pages import fill

LEFT, RIGHT = 10.0, 90.0
"""Where 0 and 100 % stand, in percent of the width of a figure."""


def figures(page: str) -> list[ElementTree.Element]:
    return [
        ElementTree.fromstring(one)  # noqa: S314  the desk's own
        for one in re.findall(r'<svg class="strip" role="img".*?</svg>(?=\s*</li>)', page, re.S)
    ]


def marks(figure: ElementTree.Element, name: str, *at: str) -> list[float]:
    found = [one for one in figure.iter() if one.get("class") == name]
    return [float(one.get(each, "").rstrip("%")) for one in found for each in at]


def test_marks_stand_where_their_numbers_are(
    researcher: Browser, store: Store, survey: Survey
) -> None:
    fill(store, survey, [650, 350])
    yes = researcher.see("results.estimates", form="json").json["estimates"][1]
    page = researcher.see("results.page").text
    (figure,) = figures(page)
    drawn = [
        *marks(figure, "interval", "x1", "x2"),
        *marks(figure, "estimated", "cx"),
        *marks(figure, "observed", "cx"),
    ]
    values = [yes[key] for key in ("low", "high", "estimate", "observed")]
    assert drawn == pytest.approx([LEFT + (RIGHT - LEFT) * x for x in values], abs=0.01)
    assert marks(figure, "tick", "x1") == [LEFT, (LEFT + RIGHT) / 2, RIGHT]
    assert figure.get("aria-label") == (
        "Figure from 0 to 100 %: estimate 17.5 %, 95 % interval 11.2 % to 24.1 %, observed 35.0 %"
    )
    axis = re.findall(r'<text x="([\d.]+)%"[^>]*>([^<]*)<', page)
    assert axis == [("10.0", "0"), ("50.0", "50"), ("90.0", "100 %")]
    assert 'data-n="1000">n = 1,000<' in page
    assert figures(researcher.see("status.page").text)


@pytest.mark.parametrize(
    ("counts", "outside", "at_the_edge"),
    [([700, 300], False, 0), ([740, 260], True, 0), ([74, 26], True, 0), ([900, 100], True, 2)],
)
def test_what_lies_outside_stands_there_or_has_an_arrow_at_the_edge(
    researcher: Browser,
    store: Store,
    survey: Survey,
    counts: list[int],
    outside: bool,
    at_the_edge: int,
) -> None:
    """Never a mark at 0 for what is below it."""
    fill(store, survey, counts)
    (figure,) = figures(researcher.see("results.page").text)
    yes = researcher.see("results.estimates", form="json").json["estimates"][1]
    low, estimate, high = (LEFT + (RIGHT - LEFT) * yes[key] for key in ("low", "estimate", "high"))
    assert (estimate < LEFT) is outside
    arrows_and_diamond = [float(one.get("x", "").rstrip("%")) for one in figure.findall("svg")]
    diamond = [estimate] if outside and estimate > 0 else []
    assert sorted(arrows_and_diamond) == pytest.approx([0] * at_the_edge + diamond, abs=0.01)
    assert sum(x < 0 for x in (low, estimate, high)) == at_the_edge
    assert marks(figure, "interval", "x1", "x2") == pytest.approx(
        [max(low, 0), max(high, 0)], abs=0.01
    )
    assert len(figure.findall("circle[@class='estimated']")) == (not outside)
    assert (", outside," in (figure.get("aria-label") or "")) is outside


def test_each_interval_that_can_be_chosen_has_a_name() -> None:
    assert [*METHODS] == [*intervals.NAMES]


def test_each_bound_names_what_it_is_of(researcher: Browser, store: Store) -> None:
    store.register(panel())
    page = researcher.see("results.page", slug="panel").text
    found = sureness(panel())
    assert found is not None
    assert found.all < (found.changing or 0)
    assert re.findall(r"<dt>(From one|From all|If)\b[^<]*</dt><dd[^>]*>([^<]*)<", page) == [
        ("From one", at_most(found.one)),
        ("From all", at_most(found.all)),
        ("If", at_most(found.changing or 0)),
    ]


TEXT = """\
version: 1
survey: rooms
title: Rooms
batch: 10
questions:
  - {id: part, text: Part, type: single, answers: [Stayed, Took part], yes: took_part, DESIGN}
  - {id: plain, text: Plain, type: single, answers: [No, Yes], DESIGN}
  - {id: alike, text: Alike, type: single, answers: [Stayed, Took part], flip: 1/4}
  - {id: ward, text: Ward, type: single, answers: [Surgery, Care], protection: direct}
"""

DESIGN = "design: {forced_response: {truth: 2/3, yes: 1/4}}"
"""It treats a yes and a no differently."""

SAID = ["Yes of the design: “Took part”."]


def said(page: str) -> list[str]:
    return re.findall(r'<p class="hint attached">([^<]*)</p>', page)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", SAID),
        ("/compare?item=part&by=ward", SAID),
        ("/compare?item=plain&by=ward", []),
        ("/compare?item=alike&by=ward", []),
        ("/cross?first=plain&second=part", SAID),
        ("/regress?formula=part%20~%20ward", SAID),
    ],
)
def test_a_yes_of_other_words_is_named_above_what_is_shown(
    researcher: Browser, store: Store, desk: Caller, address: str, expected: list[str]
) -> None:
    survey = read(TEXT.replace("DESIGN", DESIGN)).survey
    store.register(survey)
    store.insert_batch(
        [report(survey, bytes([k % 3 == 0, k % 2, k % 2, k % 5 < 2])) for k in range(200)]
    )
    page = researcher(url_for("results.page", slug="rooms") + address).text
    assert said(page) == expected
    if expected and address:
        assert page.index("hint attached") < page.index("<table")
    if not address:
        assert page.index("hint attached") < page.index("headlines")
        assert said(researcher(url_for("status.page", slug="rooms")).text) == SAID
        store.set_public("rooms", public=True)
        assert said(desk("/public/rooms").text) == SAID


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("Intercept", "Intercept"),
        ("years", "Years"),
        ("ward[T.night]", "Which ward? Night"),
        ("C(years)[T.2]", "Years: 2"),
        ("C(years)[T.2]:sex.self[man]", "Years: 2 × Sex: Man"),
        ("I(years ** 2)", "I(Years ** 2)"),
        ("log(years):scale(years)", "log(Years) × scale(Years)"),
    ],
)
def test_a_term_in_the_words_of_the_survey(term: str, said: str) -> None:
    answers = {
        ("ward", "Which ward?"): ["day", "night"],
        ("sex.self", "Sex"): ["woman", "man"],
        ("years", "Years"): ["0", "1", "2"],
    }
    items = {}
    for (id, text), codes in answers.items():
        asked = surveys.single("x", [Answer(code, code.title()) for code in codes], direct=True)
        items[id] = replace(asked[1][0], id=id, text=text)
    assert term_in_words(term, items) == said
