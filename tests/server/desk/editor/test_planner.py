"""The desk's pages before anybody is asked: the planner and the ethics packet."""

import re
from fractions import Fraction
from html import unescape
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from deniable.publication.ethics import Submission
from deniable.server.desk.editor.better_ways import better_ways
from deniable.server.store import Store
from deniable.server.web.words import words
from deniable.study import planner
from deniable.survey import Survey
from deniable.survey_file import packet_of, plan_of, read
from tests.kit import Answer, Browser, url_for
from tests.kit.surveys import TOGETHER, together
from tests.server.desk.editor.test_drafts import begin

SHARED = """\
version: 1
survey: shared
title: Shared
epsilon: 2
questions:
  - {id: a, text: A, type: single, answers: [No, Yes]}
  - {id: b, text: B, type: single, answers: [1, 2, 3, 4, 5]}
  - {id: n, text: N, type: number, min: 0, max: 10}
"""


@pytest.fixture
def shared(store: Store) -> Survey:
    survey = read(SHARED).survey
    store.register(survey, SHARED)
    return survey


def rows(page: Answer, table: int) -> list[dict[str, str]]:
    """Read a table of the page: its cells by their headings, and the question."""
    (text,) = re.findall(rf'id="table-{table}".*?</table>', page.text, re.DOTALL)
    found = []
    for row in re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", text, re.DOTALL):
        cells = dict(re.findall(r'data-label="([^"]*)">([^<]*)</td>', row))
        found.append({"question": row.partition("</th>")[0], **cells})
    return found


def widths(page: Answer, table: int) -> list[str]:
    return [row["95 % interval"] for row in rows(page, table)]


@pytest.mark.usefixtures("shared")
def test_a_warning_names_questions_as_the_form_does(researcher: Browser) -> None:
    page = researcher.see("planner.page", slug="shared", n="20")
    assert "with 20 respondents: question 1 (±50 points or more" in page.text


@pytest.mark.usefixtures("shared")
def test_all_that_is_chosen_stands_in_the_address(researcher: Browser) -> None:
    page = researcher.see(
        "planner.page",
        slug="shared",
        n="4000",
        epsilon="3",
        split="",
        ask="1",
        design="k_ary",
        prior="20",
        low="",
        effect="2",
    )
    assert rows(page, 1)[0].keys() >= {"20 in 100 becomes", "People for ±5"}
    assert "Power" not in rows(page, 1)[0]
    k_ary = SHARED.replace("min: 0", "family: k_ary, min: 0")
    spent = read(k_ary.replace("epsilon: 2", "epsilon: 3\nask: 1")).survey
    (first, *_) = planner.plan(spent, planner.Wanted(4000, design_effect=2)).result.export.rows
    assert widths(page, 2)[0] == f"about ±{100 * float(first['reach'] or 0):.1f}"
    assert widths(page, 1) != widths(page, 2)
    for kept in ('name="n" min="10" max="1000000" step="1" value="4000"', 'value="1" selected'):
        assert kept in page.text
    # The flip of one question, which pays for itself.
    page = researcher.see("planner.page", slug="shared", question="a", flip="0.25")
    assert [rows(page, 1)[0][name] for name in ("Flip", "50 in 100 becomes")] == ["0.2500", "75"]
    # An empty field says of no question what its flip is: the table does, whatever ε is.
    flips = []
    for epsilon in ("2", "1"):
        page = researcher.see("planner.page", slug="shared", epsilon=epsilon)
        assert re.search(r'name="flip"[^>]* value=""', page.text)
        flips.append(rows(page, 1)[0]["Flip"])
    assert flips[0] < flips[1]


FOLLOWED = SHARED.replace("max: 10}", "max: 10, ask_if: {a: yes}}")


def test_each_question_has_its_plan(researcher: Browser, store: Store) -> None:
    """Its own ±, and to how many a follow-up applies: from the file, the page or neither."""
    text = f"{FOLLOWED}plan: {{within: 4, within_of: {{n: 0.5}}, applies: {{n: 40}}}}\n"
    store.register(read(text).survey, text)
    page = researcher.see("planner.page", slug="shared", **{"within_of.b": "9", "applies.n": "20"})
    own = {"n": 0.05, "b": 0.09}
    wanted = planner.Wanted(within=0.04, within_of=own, applies_of={"n": 0.2})
    planned = planner.plan(read(text).survey, wanted).result.export.rows
    shown = [row["People for its own ±"] for row in rows(page, 1)]
    ends = ("(±4)", "(±9)", "(±0.5)")
    assert shown == [f"{p['n_within']:,} {end}" for p, end in zip(planned, ends, strict=True)]
    # As the command and Python say by the file alone.
    asked = planner.wanted_of(read(text).survey, plan_of(text), 1000)
    by_file = planner.plan(read(text).survey, asked).result
    assert [row["within"] for row in by_file.export.rows] == [0.04, 0.04, 0.05]
    assert "of the people: n 40 %." in repr(by_file)
    plain = researcher.see("planner.page", slug="shared", **{"within_of.n": "", "applies.n": "100"})
    assert "People for ±4" in rows(plain, 1)[0]
    assert "of the people: n 100 %." in plain.text


def test_what_is_planned_of_questions_is_kept_with_the_draft(
    researcher: Browser, store: Store
) -> None:
    store.register(read(FOLLOWED).survey, FOLLOWED)
    address = researcher.send("editor.edit", slug="shared").headers["Location"] + "/plan"
    asked = {"n": "800", "within": "6", "within_of.n": "0.5", "applies.n": "30"}
    asked |= {"epsilon": "", "one": "70", "low": "5", "high": "20"}
    page = researcher(f"{address}?{urlencode(asked)}").text
    said = "800 people, ±6, the limits on sureness, the numbers of single questions, the two groups"
    assert f">Keep in the draft: {said}</button>" in page
    kept = r"<textarea name=\"text\" hidden>\n(.*?)</textarea><button[^>]*>Keep"
    (text,) = re.findall(kept, page, re.S)
    plan = plan_of(unescape(text))
    assert (plan.people, plan.within) == (800, Fraction(6))
    assert plan.applied == {"n": 0.3}
    assert plan.within_of == {"n": Fraction(1, 2)}
    assert (plan.one, plan.all, plan.groups) == (Fraction(70), None, (Fraction(5), Fraction(20)))
    keep = address.removesuffix("/plan")
    there = researcher.post(keep, text=unescape(text), then="planned").headers["Location"]
    assert there == address
    page = researcher(there).text
    assert '<p class="done" role="status">Kept in the draft.' in page
    assert ">Keep in the draft" not in page
    (draft,) = store.drafts()
    assert plan_of(draft.text) == plan
    assert "800" in researcher(f"{keep}/ethics").text
    used = researcher.post(keep, text=draft.text, then="used").headers["Location"]
    assert ">Changed in the draft, as you chose, and" in researcher(used).text


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("asked", "said", "links"),
    [
        (
            "n=1000&within=12",
            "±12 wanted",
            ["n=", "look=1", "within="],
        ),
        ("n=1000&within=50", "no interval is wider than wanted", ["n=", "look=1"]),
        ("n=1000&within=", "", []),
        (
            "n=1000&within_of.b=8&within=50",
            "±8 wanted",
            ["n=", "look=1"],
        ),
    ],
)
def test_what_is_missed_leads_to_what_mends_it(
    researcher: Browser, asked: str, said: str, links: list[str]
) -> None:
    draft = researcher.send("editor.edit", slug="shared").headers["Location"]
    page = researcher(f"{draft}/plan?{asked}").text
    (part,) = re.findall(
        r'<section class="part" aria-labelledby="verdict">.*?</section>', page, re.S
    ) or [""]
    assert said in part
    to = [unescape(one) for one in re.findall(r'href="([^"#]+/plan[?][^"#]+)', part)]
    chosen = dict(parse_qsl(asked))
    changed = [{*parse_qsl(urlsplit(one).query)} - {*chosen.items()} for one in to]
    assert sorted(
        f"{name}=" if name != "look" else "look=1" for one in changed for name, _ in one
    ) == sorted(links)
    for one in to:
        if "look" not in one:
            assert "no interval is wider than wanted" in researcher(one).text


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("n=9", "People"),
        ("n=many", "&#39;many&#39;"),
        ("epsilon=0", "0.05 to 20"),
        ("epsilon=1/0", "0.05 to 20"),
        ("low=10&high=10", "same share"),
        ("ask=12345", "12345"),
        ("ask=9", "at most 3"),
        ("split=best", "equal, even, optimal"),
        ("flip=0.9", "not the truth"),
        ("question=x&flip=0.2", "&#39;x&#39;"),
        ("power=6&level=90", "power"),
    ],
)
def test_what_cannot_be_planned_is_explained(researcher: Browser, asked: str, said: str) -> None:
    page = researcher(url_for("planner.page", slug="shared") + f"?{asked}")
    assert page.status == 422
    (mistake,) = re.findall(r'id="mistake">(.*?)</div>', page.text, re.DOTALL)
    assert said in mistake
    # The form stays, with what was typed.
    assert 'id="planner"' in page.text


@pytest.mark.usefixtures("shared")
def test_direct_questions_have_a_plan_too(researcher: Browser, store: Store) -> None:
    direct = "version: 1\nsurvey: direct\ntitle: D\nquestions:\n  - {id: a, text: A, type: single, "
    store.register(read(direct + "answers: [No, Yes], protection: direct}\n").survey)
    page = researcher.see("planner.page", slug="direct", split="", design="")
    assert page.status == 200
    assert widths(page, 1) == ["±3.1"]
    assert "table-2" not in page.text
    assert researcher.see("planner.page", slug="shared", level="42").status == 422
    assert researcher.see("planner.page", slug="nothing").status == 404


@pytest.mark.parametrize("text", [together(2, 2), TOGETHER])
def test_questions_of_one_answer_are_planned(researcher: Browser, store: Store, text: str) -> None:
    survey = read(text).survey
    store.register(survey)
    page = researcher.see("planner.page", slug=survey.slug)
    assert page.status == 200
    assert f"{len(survey.groups[0].cells)} cells, each ±" in page.text


@pytest.mark.parametrize("where", ["survey", "draft"])
def test_a_button_uses_a_better_way(researcher: Browser, store: Store, where: str) -> None:
    """The draft is the file with other keys, and the rest of it to the byte."""
    text = SHARED.replace("epsilon: 2", "epsilon: 2  # as agreed")
    text += "plan: {people: 1000, within: 10}\n"
    store.register(read(text).survey, text)
    address = url_for("planner.page", slug="shared")
    if where == "draft":
        address = researcher.send("editor.edit", slug="shared").headers["Location"] + "/plan"
    assert "Better ways</h2>" not in researcher(address).text
    page = researcher(f"{address}?look=1").text
    (table,) = re.findall(r'<caption id="ways-table">.*?</table>', page, re.DOTALL)
    found = better_ways(text, 1000, {})
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td [^>]*>(.*?)</td>', table)
    assert rows == [(one.words, one.width) for one in found.ways]
    assert found.told in unescape(page)
    # Of today's there is no button.
    forms = re.findall(r'<form method="post".*?</form>', table, re.DOTALL)
    assert len(forms) == len(rows) - 1
    (action,) = re.findall(r'action="([^"]+)"', forms[0])
    sent = dict(re.findall(r'name="(shown|csrf_token)" value="([^"]*)"', forms[0]))
    (sent["text"],) = map(unescape, re.findall("hidden>\n(.*?)</textarea>", forms[0], re.DOTALL))
    assert researcher(action, method="POST", form=sent).status == 303
    (draft,) = store.drafts()
    assert (draft.text, draft.survey) == (found.ways[1].text, "shared")
    assert {*draft.text.splitlines()} < {*text.splitlines()}


def test_better_ways_hold_to_the_own_width_of_a_question(researcher: Browser, store: Store) -> None:
    text = f"{SHARED}plan: {{people: 1000, within: 10, within_of: {{b: 25, n: 3}}}}\n"
    store.register(read(text).survey, text)
    draft = researcher.send("editor.edit", slug="shared").headers["Location"]
    page = researcher(f"{draft}/plan?look=1").text
    assert '<h2 id="verdict">As wanted</h2>' in page
    assert "The survey reaches each question’s ± with 1,000 people as it is." in page


def test_better_ways_are_a_step_from_the_editor(researcher: Browser, store: Store) -> None:
    address = begin(researcher)
    saved = researcher.post(address, text=SHARED.replace("epsilon: 2", "epsilon: 18"), then="ways")
    there = saved.headers["Location"]
    assert there.endswith("/plan?look=1#ways")
    assert '<span class="badge red">over 99</span>' in researcher(there.partition("#")[0]).text
    saved = researcher.post(address, text="peple: 1", then="ways")
    page = researcher(saved.headers["Location"].partition("#")[0])
    assert "mend=planned" in page.headers["Location"]
    direct = SHARED.replace("single,", "single, protection: direct,").partition("  - {id: n")[0]
    saved = researcher.post(address, text=direct, then="ways")
    page = researcher(saved.headers["Location"].partition("#")[0])
    assert page.status == 200
    assert "randomised, found none" in page.text


def test_the_packet_is_the_command_line_s(researcher: Browser, shared: Survey) -> None:
    page = researcher.see("planner.ethics", slug="shared", n="500")
    assert page.status == 200
    (body,) = re.findall(r"<h1>.*", page.text, re.DOTALL)
    (same,) = re.findall(r"<h1>.*", Submission(shared, 500, words=words).page("ethics"), re.DOTALL)
    assert body == same
    # The desk's pages hold no style of their own.
    assert "<style" not in page.text
    assert '<nav class="steps"' in page.text
    style, *_ = re.findall(r'rel="stylesheet" href="([^"]+)"', page.text)
    answer = researcher(style)
    assert answer.headers["Content-Type"].startswith("text/css")
    assert answer.text.strip() in Submission(shared, words=words).page("ethics")
    assert researcher.see("planner.ethics", slug="shared", n="0").status == 422


def test_the_packet_has_the_kept_file_s_epsilon(researcher: Browser, store: Store) -> None:
    text = SHARED.replace("survey: shared", "survey: kept").replace("epsilon: 2", "epsilon: 10/3")
    store.register(read(text).survey, text)
    assert "ε = 10/3;" in researcher.see("planner.ethics", slug="kept").text


def test_any_epsilon_is_planned_as_written(researcher: Browser, store: Store) -> None:
    text = SHARED.replace("epsilon: 2", "epsilon: 40")
    store.register(read(text).survey, text)
    page = researcher.see("planner.page", slug="shared")
    assert page.status == 200
    assert 'max="40"' in page.text


def test_the_best_already_is_said_to_be(researcher: Browser, store: Store) -> None:
    text = SHARED.replace("questions:", "split: even\nquestions:")
    store.register(read(text).survey, text)
    assert 'id="same"' not in researcher.see("planner.page", slug="shared").text
    page = researcher.see("planner.page", slug="shared", split="even")
    assert 'id="same"' in page.text
    assert "table-2" not in page.text


def test_blanks_are_kept_and_change_no_word(researcher: Browser, store: Store) -> None:
    text = (
        "version: 1\nsurvey: kept\ntitle: Kept\nquestions: # none is long\n"
        "  - {id: doped, text: Doped, type: single, answers: [No, Yes], flip: 1/4}\n"
    )
    survey = read(text).survey
    store.register(survey, text)
    path = url_for("planner.ethics", slug="kept")
    typed = {"server": "Basel\r\nroom 3", "hypotheses": "H1", "people": "  "}
    kept_at = researcher.post(f"{path}?n=40&language=en", **typed).headers["Location"]
    assert kept_at == f"{path}?n=40&language=en&kept=yes"
    assert "such as “Who asks”" in researcher(kept_at).text
    kept = store.source("kept", survey.revision)
    assert store.survey("kept").revision == survey.revision
    assert packet_of(kept).model_dump()["server"] == "Basel\nroom 3"
    assert kept.replace('packet: { server: "Basel\\nroom 3", hypotheses: H1 }\n', "") == text
    plan = url_for("planner.packet_file", slug="kept", document="preregistration", form="md")
    answer = researcher(plan)
    assert "\nH1\n" in answer.text
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=kept-")
    assert '<span class="filled">Basel\nroom 3</span>' in researcher(path).text
    assert researcher(plan.replace(".md", ".xls")).status == 404
    assert researcher.post(path).status == 303
    assert store.source("kept", survey.revision) == text


def test_the_change_between_waves_is_planned(researcher: Browser, store: Store) -> None:
    text = SHARED.replace("epsilon: 2", "epsilon: 2\nwaves: {count: 2, redraw: 0}")
    store.register(read(text.replace("shared", "again")).survey, text.replace("shared", "again"))
    page = researcher.see("planner.page", slug="again", n="2000")
    plan = planner.plan(read(text).survey, planner.Wanted(2000, within=0.05, detect=(0.1, 0.25)))
    (section,) = plan.parts().table.sections
    shown = [row["Change"] for row in rows(page, 1)]
    assert shown == [row.values[1] for row in section.rows]
    assert shown[0].startswith("about ±")
    assert "All changes of the survey hold together (Bonferroni)" in page.text
