"""What results hide, and what everybody may see."""

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

from deniable.analysis import intervals
from deniable.analysis.counts.tally import count_reports
from deniable.analysis.results import summarise
from deniable.server.desk.results import public
from deniable.server.desk.results.formula import term_in_words
from deniable.server.desk.results.query import METHODS
from deniable.server.store import Store
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from deniable.text.sureness import at_most, sureness
from tests.kit import Browser, Caller, of_wave, panel, report, surveys, url_for
from tests.server.desk.test_pages import fill

CLUB = f"{surveys.CLUB}batch: 1\n"


@pytest.fixture
def club(store: Store) -> Survey:
    """Register a club with two doctors, and store what its members answered."""
    survey = store.register(read(CLUB).survey)
    for count, role in ((30, 0), (20, 1), (2, 2)):
        store.insert_reports([report(survey, bytes([0, role])) for _ in range(count)])
    return survey


@pytest.mark.promise("few")
def test_a_small_cell_is_nowhere(researcher: Browser, store: Store, club: Survey) -> None:
    page = researcher.see("results.page", slug="club").text
    rows = re.findall(r'<th scope="row">(\w+)</th>\s*<td class="estimate"[^>]*>(.*?)</td>', page)
    assert ("Coach", "38.5 %") in rows
    assert {("Player", "–"), ("Doctor", "–")} < {*rows}
    assert "fewer than 5 people gave, and for others from which it could be worked out" in page
    assert "left out where fewer than 5 people would share a combination" in page
    estimates = researcher.see("results.estimates", slug="club", form="csv").rows
    told = {row["answer"]: row["estimate"] for row in estimates if row["item"] == "role"}
    assert (told["player"], told["doctor"]) == ("", "")
    assert float(told["coach"]) == pytest.approx(20 / 52)
    document = researcher.see("results.estimates", slug="club", form="json").json
    for row in document["estimates"]:
        if row["item"] == "role":
            known = row["answer"] == "coach"
            assert all(
                (row[key] is not None) == known
                for key in ("estimate", "standard_error", "low", "observed", "clipped")
            )
    written = researcher.see("results.reports", slug="club").rows
    assert len(written) == 52
    assert [*written[0]] == ["doped_noisy"]
    assert (
        "Doctor" in researcher.see("results.figure", slug="club", question="role", form="svg").text
    )
    store.insert_reports([report(club, b"\0\2") for _ in range(3)])
    page = researcher.see("results.page", slug="club").text
    assert "fewer than 5 people gave, and" not in page
    assert "9.1 %" in page
    written = researcher.see("results.reports", slug="club").rows
    assert sum(row["role"] == "doctor" for row in written) == 5


@pytest.mark.promise("few")
def test_a_revision_says_why_it_hides_answers(
    researcher: Browser, store: Store, club: Survey
) -> None:
    corrected = read(CLUB.replace("flip: 1/4", "flip: 1/3")).survey
    assert corrected.revision != club.revision
    store.register(corrected)
    store.insert_reports(
        [report(corrected, bytes([0, role])) for role in (0, 1) for _ in range(20)]
    )
    page = researcher.see("results.page", slug="club", revision=club.revision).text
    assert "fewer than 5 people gave" not in page
    assert "These are shown for all revisions together" in page
    assert "direct answers are left out, because they are shown for all revisions" in page
    written = researcher.see("results.reports", slug="club", revision=club.revision).rows
    assert [*written[0]] == ["doped_noisy"]
    zipped = researcher.see("export.page", slug="club", revision=club.revision, direct="role")
    assert "Direct answers are shown for all revisions together, not for one." in zipped.text


TEXT = """\
version: 1
survey: ward
title: On the ward
purpose: We ask how many, not who.
questions:
  - {id: error, text: "An error?", type: single, answers: [No, Yes], flip: 1/4}
  - {id: hours, text: "Hours?", type: number, min: 0, max: 3, epsilon: 2}
  - {id: club, text: "Which club?", type: single, answers: [Rowing, Chess], protection: direct}
"""
PAGE, NUMBERS = "/public/ward", "/public/ward/results.json"


def add(store: Store, survey: Survey, count: int) -> None:
    store.insert_reports([report(survey, bytes([k % 3 == 0, k % 2, k % 2])) for k in range(count)])


@pytest.fixture
def ward(store: Store) -> Survey:
    survey = store.register(read(TEXT).survey)
    add(store, survey, 60)
    return survey


@pytest.fixture
def shown(store: Store, ward: Survey) -> Survey:
    store.set_public("ward", public=True)
    return ward


@pytest.mark.promise("public")
def test_results_are_public_while_their_owner_says_so(
    store: Store, ward: Survey, desk: Caller, researcher: Browser
) -> None:
    none = desk("/public/nothing")
    for path in (PAGE, NUMBERS):
        assert (desk(path).status, desk(path).body) == (404, none.body)
    assert researcher.send("surveys.set_public", slug="ward", public="yes").status == 303
    assert [desk(path).status for path in (PAGE, NUMBERS)] == [200, 200]
    assert PAGE in researcher.see("results.page", slug="ward").text
    assert researcher.send("surveys.set_public", slug="ward", public="no").status == 303
    assert [desk(path).status for path in (PAGE, NUMBERS)] == [404, 404]


@pytest.mark.promise("public")
def test_it_shows_the_desk_s_randomised_results(store: Store, shown: Survey, desk: Caller) -> None:
    rows = b"".join(store.snapshot_rows("ward", shown.revision))
    wanted = summarise(shown, count_reports([rows], shown), 0.95, public.BEFORE_ITS_END)
    document = desk(NUMBERS).json
    assert document["n"] == store.snapshot("ward").count()
    assert {row["item"] for row in document["estimates"]} == {"error", "hours"}
    (yes,) = [
        row for row in document["estimates"] if (row["item"], row["answer"]) == ("error", "yes")
    ]
    share = wanted.questions[0].items[0].shares[1]
    assert [yes[name] for name in ("estimate", "low", "high", "method")] == [
        pytest.approx(share.estimate),
        pytest.approx(share.low),
        pytest.approx(share.high),
        public.BEFORE_ITS_END,
    ]
    page = desk(PAGE).text
    assert re.findall('data-question="([^"]+)"', page) == ["error", "hours"]
    for hidden in ("club", "Rowing", "Chess"):
        assert hidden not in page
        assert hidden not in desk(NUMBERS).text


def test_it_says_which_intervals_look_too_certain(
    store: Store, shown: Survey, desk: Caller
) -> None:
    said = "No, Yes: Less than a third of the interval is possible."
    assert said not in desk(PAGE).text
    store.insert_reports([report(shown, bytes([0, k % 2, k % 2])) for k in range(400)])
    assert said in desk(PAGE).text


@pytest.mark.promise("public")
def test_no_choice_can_be_made_there(shown: Survey, desk: Caller) -> None:
    page = desk(PAGE).body
    for choice in (f"revision={shown.revision}", "level=99", "method=wald", "wave=1"):
        assert desk(f"{PAGE}?{choice}").body == page


@pytest.mark.promise("public-batches")
def test_more_reports_are_public_by_whole_batches(
    store: Store, shown: Survey, desk: Caller
) -> None:
    def n() -> int:
        return int(desk(NUMBERS).json["n"])

    seen = [n()]
    for _ in range(30):
        add(store, shown, 1)
        seen.append(n())
    steps = {later - earlier for earlier, later in pairwise(seen)} - {0}
    assert steps
    assert min(steps) >= 10


@pytest.mark.promise("public-batches")
@pytest.mark.parametrize("batch", [1, 9])
def test_closing_makes_smaller_batches_public(store: Store, desk: Caller, batch: int) -> None:
    survey = store.register(read(f"{TEXT}batch: {batch}\n").survey)
    store.set_public("ward", public=True)
    add(store, survey, 40)
    assert desk(NUMBERS).json["estimates"] == []
    assert 'id="nothing"' in desk(PAGE).text
    store.set_state("ward", State.CLOSED)
    assert desk(NUMBERS).json["n"] == 40
    assert 'id="nothing"' not in desk(PAGE).text
    # A revision with the usual batch does not let the others be seen.
    store.register(read(TEXT).survey)
    store.set_state("ward", State.OPEN)
    assert desk(NUMBERS).json["estimates"] == []


@pytest.mark.promise("public")
def test_it_is_made_once_for_each_snapshot(
    store: Store, shown: Survey, desk: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(*given: Any) -> object:
        made.append(1)
        return summarise(*given)

    monkeypatch.setattr(public, "summarise", counted)
    for _ in range(3):
        desk(PAGE)
        desk(NUMBERS)
    assert len(made) == 1
    add(store, shown, 30)
    desk(PAGE)
    assert len(made) == 2


@pytest.mark.promise("public")
def test_what_is_kept_tells_of_no_reader(
    store: Store, shown: Survey, researcher: Browser, desk: Caller
) -> None:
    # Something that the next page would tell this person.
    ended = researcher.send("account.new_token", called="x", may="read")
    assert ended.status == 201
    hashed = re.findall('name="ended" value="([0-9a-f]+)"', ended.text)[0]
    researcher.send("account.end_token", ended=hashed)
    first = researcher(PAGE)
    assert "has ended" not in first.text
    assert first.set_cookies == ()
    assert "csrf" not in first.text
    assert desk(PAGE).body == first.body


def test_each_wave_stands_by_itself(store: Store, desk: Caller) -> None:
    survey = store.register(panel())
    store.insert_reports([of_wave(survey, 1) for _ in range(20)])
    store.begin_wave("panel", 2)
    store.insert_reports([of_wave(survey, 2) for _ in range(20)])
    store.set_state("panel", State.CLOSED)
    store.set_public("panel", public=True)
    rows = desk("/public/panel/results.json").json["estimates"]
    assert {row["wave"] for row in rows} == {1, 2}
    assert not {"age", "wave"} & {row["item"] for row in rows}
    assert "Which wave" not in desk("/public/panel").text


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


@surveys.AT_ONCE
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


@pytest.mark.parametrize(
    ("counts", "outside", "at_the_edge"),
    [([700, 300], False, 0), ([740, 260], True, 0), ([74, 26], True, 0), ([900, 100], True, 2)],
)
@surveys.AT_ONCE
def test_what_lies_outside_has_an_arrow(
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


def test_each_choosable_interval_has_a_name() -> None:
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


CARDS = """\
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


def test_a_yes_in_other_words_is_named(researcher: Browser, store: Store, desk: Caller) -> None:
    survey = store.register(read(CARDS.replace("DESIGN", DESIGN)).survey)
    store.insert_reports(
        [report(survey, bytes([k % 3 == 0, k % 2, k % 2, k % 5 < 2])) for k in range(200)]
    )
    results = url_for("results.page", slug="rooms")
    for address, expected in (
        (results, SAID),
        (f"{results}/compare?item=part&by=ward", SAID),
        (f"{results}/compare?item=plain&by=ward", []),
        (f"{results}/compare?item=alike&by=ward", []),
        (f"{results}/cross?first=plain&second=part", SAID),
        (f"{results}/regress?formula=part%20~%20ward", SAID),
    ):
        assert said(researcher(address).text) == expected, address
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
