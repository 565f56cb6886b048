"""Survey files: what they compile into, and every mistake at its line and column."""

import json
import re
from base64 import b64encode
from fractions import Fraction

import pytest

from deniable import Survey
from deniable.survey.questions import Pages
from deniable.survey_file import SurveyFileError, json_schema, plan_of, read
from deniable.survey_file.located import parse
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("clear-errors")


def survey_of(*questions: str, head: str = "") -> Survey:
    """Read a survey of these questions, each in YAML's flow style."""
    return read(file_of(*questions, head=head)).survey


def mistakes(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(SurveyFileError) as error:
        read(text, "s.yaml")
    return [(found.line, found.column, found.message) for found in error.value.mistakes]


def test_all_mistakes_are_told_at_once() -> None:
    """Every question's own, those between questions, and the sum of what they cost."""
    found = mistakes(
        file_of(
            "id: a, text: T, type: single, answers: [No]",
            "id: a, text: T, type: single, answers: [No, Yes], flip: 3/4",
            "id: c, text: Tell us about it, type: text",
            "id: d, text: T, type: single, answers: [No, Yes], epsilon: 2",
            head="splt: equal\nepsilon: 1",
        )
    )
    facts = ["did you mean 'split'?", "overspent", "found 1", "an earlier question: line 7"]
    facts += ["up to but not including 1/2", "free text cannot be protected"]
    assert [place for place, *_ in found] == [4, 5, 7, 8, 8, 9]
    assert all(fact in said for fact, (*_, said) in zip(facts, found, strict=True)), found


@pytest.mark.parametrize(
    ("key", "line"),
    [("title", 3), ("epsilon", 4), ("questions", 5), ("id", 6), ("text", 7), ("max", 10)],
)
def test_a_key_with_nothing_after_it_is_named(key: str, line: int) -> None:
    # Before it was, such a question was left out of the survey without a word.
    number = "- id: q\n  text: T\n  type: number\n  min: 0\n  max: 2"
    text = f"version: 1\nsurvey: s\ntitle: T\nepsilon: 1\nquestions:\n{number}"
    lines = [
        f"{one.partition(':')[0]}:" if one.lstrip("- ").startswith(f"{key}:") else one
        for one in text.split("\n")
    ]
    if key == "questions":
        lines = lines[:5]
    ((found, _, message),) = mistakes("\n".join(lines))
    assert (found, message) == (line, f"expected a value for {key!r}, found nothing")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "version: 2\nsurvey: Big\ntitle: T\nquestions: []",
            r"s\.yaml:1:10: expected 1, found '2'\ns\.yaml:2:9:",
        ),
        ("a: \ud800", r"s\.yaml:1:1: not YAML"),  # no UTF-8
    ],
)
def test_the_error_names_file_line_and_column(text: str, said: str) -> None:
    with pytest.raises(SurveyFileError, match=f"^{said}"):
        read(text, "s.yaml")


def logo(wide: int, high: int) -> str:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + wide.to_bytes(4, "big") + high.to_bytes(4, "big")
    return f"data:image/png;base64,{b64encode(head).decode()}"


SINGLE = "id: q, text: T, type: single, answers: [No, Yes]"
DECLINED = "id: q, text: T, type: single, answers: {prefer_not_to_say: x, b: y}"
MANY = "id: q, text: T, type: many, answers: [a, b, c]"
NUMBER = "id: q, text: T, type: number"
FIVE = [f"id: q{number}, text: T, type: single, answers: [No, Yes]" for number in range(5)]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("id: q, text: T", "expected the key 'type', found none"),
        ("id: Q, text: T, type: single, answers: [a, b]", "a lower-case letter, then"),
        ("id: q, text: '', type: single, answers: [a, b]", "expected a text, found nothing"),
        ("id: q, text: T, type: singel, answers: [a, b]", "single, many, number or grid, found"),
        ("id: q, text: T, type: single", "expected the key 'answers', found none"),
        ("id: q, text: T, type: single, answers: [a, [b]]", "expected a text, found a list"),
        (
            "id: q, text: T, type: single, answers: [a, a]",
            "people can tell apart, found 'a' and 'a'",
        ),
        ("id: q, text: T, type: single, answers: {a b: A, c: C}", "expected a code of letters"),
        ("id: q, text: T, type: single, answers: [a]", "found 1: with fewer, there is no choice"),
        ("id: q, text: T, type: many, answers: []", "expected 1 to 254 answers, found 0"),
        (f"{SINGLE}, rows: [a]", "'rows' is for grid, not for single"),
        ("id: q, text: T, type: grid, answers: [a, b]", "expected the key 'rows', found none"),
        (f"{SINGLE}, flip: 0.1, epsilon: 1", "one of flip, epsilon and design, found 'epsilon'"),
        (f"{SINGLE}, flip: 1/2", "from 0 up to but not including 1/2"),
        (f"{SINGLE}, flip: some", "expected a number such as 0.25 or 1/4, found 'some'"),
        (f"{SINGLE}, epsilon: 0", "expected a number above 0"),
        (f"{SINGLE}, epsilon: 1e-7", "at least 0.000001"),
        (f"{SINGLE}, flip: 0.1, weight: 2", "does not share the survey's epsilon: leave 'weight'"),
        (f"{SINGLE}, protection: none", "expected randomised or direct"),
        (f"{SINGLE}, protection: direct, flip: 0.1", "sent as it is given: leave 'flip' out"),
        (f"{SINGLE}, prefer_not_to_say: maybe", "expected true or false, found 'maybe'"),
        (f"{SINGLE}, design: warner", "expected a design by name with its parameters"),
        (f"{SINGLE}, design: {{wanner: {{flip: 0.1}}}}", "found no design 'wanner'"),
        (f"{SINGLE}, design: {{warner: {{p: 0.1}}}}", "warner has no parameter 'p'"),
        (f"{SINGLE}, design: {{warner: {{}}, k_ary: {{}}}}", "expected one design, found 2"),
        (f"{SINGLE}, design: {{forced_response: {{truth: 1/2, yes: 1}}}}", "the report 'No' would"),
        (f"{SINGLE}, design: {{custom: {{table: [[.5, .5], [.5, .5]]}}}}", "nothing could be"),
        ("id: q_noisy, text: T, type: single, answers: [a, b], flip: .1", "an id must not end in"),
        (f"{NUMBER}", "a number needs the key 'min'"),
        (f"{NUMBER}, min: 3, max: 3", "expected max above min = 3"),
        (f"{NUMBER}, min: 0, max: 1, step: 0.3", "whole number of steps from min to max"),
        (f"{NUMBER}, min: 0, max: 5000", "a larger step, such as 20"),
        (f"{NUMBER}, min: 0, max: 610, step: 4", "choose another step, such as 2.5"),
        (f"{NUMBER}, min: 0, max: 1/3000, step: 1/3000000", "choose a larger step"),
        (f"{NUMBER}, min: 0, max: 254", "at most 254 values from min to max, found 255"),
        (f"{NUMBER}, min: 0, max: 9, levels: 11, epsilon: 1", "expected 2 to 10 levels, the"),
        (f"{NUMBER}, min: 0, max: 9, levels: 5, flip: .1", "has no effect together with 'flip'"),
        (f"{NUMBER}, min: 0, max: 9, family: laplace, prefer_not_to_say: true", "expected k_ary"),
        (f"{SINGLE}, family: laplace, epsilon: 1", "'laplace' is for the type number, not for"),
        (f"{SINGLE}, family: worst, epsilon: 1", "a family of designs: best, k_ary, laplace"),
        (f"{SINGLE}, family: best, protection: direct", "leave 'family' out"),
        (f"{MANY}, ask: 4, epsilon: 1", "expected at most 3, the number of options or rows, found"),
        (SINGLE, "no flip, epsilon or design, and the survey has no epsilon to share"),
        (f"{DECLINED}, flip: 0.1, prefer_not_to_say: true", "'prefer_not_to_say' belongs to"),
        (f"{SINGLE}, anwsers: [a, b]", "unknown key 'anwsers': did you mean 'answers'?"),
        ("id: q, text: T, type: single, options: [a, b]", "'options': did you mean 'answers'?"),
        ("id: q, label: T, type: single, answers: [a, b]", "'label': did you mean 'text'?"),
        ("id: q, text: T, type: likert, answers: [a, b]", "found 'likert': did you mean 'grid'?"),
        ("id: q, text: T, type: radio, answers: [a, b]", "found 'radio': did you mean 'single'?"),
        (f"{SINGLE}, flip: 25%", "expected a number such as 0.25 or 1/4, found '25%': write 0.25"),
        (f"{SINGLE}, text: again", "the key 'text' is used twice"),
    ],
)
def test_a_question_s_mistake_is_named_there(question: str, message: str) -> None:
    found = mistakes(file_of(question))
    assert any(message in said for *_, said in found), found
    assert {line for line, *_ in found} == {5}


def test_quotation_marks_that_yaml_does_not_know_are_remarked() -> None:
    """Typed by word processors: people read them, and codes are made of the words between."""
    quoted = "id: q, text: “Twice”?, type: single, answers: [“No”, „Nie“, «Oui», Say “no”]"
    found = read(file_of(f"{quoted}, flip: 0.1")).notes
    assert [(one.line, one.column) for one in found] == [(5, 53), (5, 59), (5, 66)]
    assert all("part of the words" in one.message for one in found)
    assert not read(file_of(f"{quoted}, flip: 0.1".replace("“No”", '"No"'))).notes[2:]


def known(margins: str) -> str:
    """Write a survey file with shares of the population on line 4; `r` is randomised."""
    direct = "id: q, text: T, type: single, answers: [a, b], protection: direct"
    randomised = "id: r, text: T, type: single, answers: [a, b], flip: 0.1"
    return file_of(direct, randomised, head=f"plan: {{margins: {{{margins}}}}}")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", (1, 1), "found an empty file"),
        ("- a", (1, 1), "expected keys and values, found a list"),
        ("a: [\n", (2, 1), "not YAML"),
        ("a: 'x\n", (1, 4), "unexpected end of stream"),
        ("a: b: c", (1, 5), "a text with a colon needs quotes"),
        ("a:\n\tb: c", (2, 1), "expected spaces, found a tab"),
        (file_of(SINGLE, head="waves: {count: 2, redraw: 10%}"), (4, 27), "found '10%': write 0.1"),
        ("a: &a [*a]", (1, 1), "at most 50,000 values"),
        (file_of() + " []", (4, 12), "expected at least one question"),
        (file_of() + " 7", (4, 12), "expected a list of questions, found '7'"),
        (file_of(SINGLE, head="epsilon: 1\nepsilon: 2"), (5, 1), "is used twice"),
        (file_of(SINGLE, head="epsilon: 1\nsplit: best"), (5, 8), "equal, weight, even or optimal"),
        (file_of(SINGLE, head="epsilon: 1\nask: 2"), (5, 6), "at most 1, because q share"),
        (file_of(SINGLE, head="epsilon: 1\nask: 0"), (5, 6), "a whole number above 0, found '0'"),
        (file_of(f"{SINGLE}, flip: 0.1", head="ask: 1"), (4, 6), "no question shares an epsilon"),
        (file_of(SINGLE, head="epsilon: 1\n? [a]\n: b"), (5, 3), "expected a plain word as key"),
        (file_of(f"{SINGLE}, epsilon: 2", head="epsilon: 1"), (4, 10), "overspent"),
        (file_of(f"{SINGLE}, epsilon: 1", FIVE[0], head="epsilon: 1"), (7, 5), "too little to ask"),
        (known("q: {a: 60}"), (4, 21), "a percentage of 'b' too: without it, they sum to 60"),
        (known("q: {a: 60, c: 40}"), (4, 29), "expected one of a, b; found 'c'"),
        (known("p: {a: 60, b: 40}"), (4, 18), "there is no question 'p'"),
        (known("r: {a: 60, b: 40}"), (4, 18), "'r' is randomised: only direct"),
    ],
)
def test_mistakes_are_named_in_their_place(text: str, place: tuple[int, int], message: str) -> None:
    found = mistakes(text)
    assert any(said[:2] == place and message in said[2] for said in found), found


@pytest.mark.parametrize(("opening", "column"), [("[", 51), ("- ", 101), ("{a: ", 49 * 4 + 2)])
def test_too_deep_nesting_is_refused_there(opening: str, column: int) -> None:
    with pytest.raises(SurveyFileError) as refused:
        read(opening * 20_000)
    (mistake,) = refused.value.mistakes
    assert (mistake.line, mistake.column) == (1, column)
    assert mistake.message == "not YAML: expected at most 50 levels of nested values"


def test_a_question_mark_in_braces_needs_no_quotes() -> None:
    parsed = parse("[{id: a, text: Have you?, type: single}, {answers: [No, Yes? , Unsure]}]", "f")
    assert parsed.value == [
        {"id": "a", "text": "Have you?", "type": "single"},
        {"answers": ["No", "Yes?", "Unsure"]},
    ]


def test_aliases_that_stand_for_billions_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert mistakes("\n".join(lines)) == [
        (1, 1, "expected at most 50,000 values, counting what aliases stand for")
    ]
    assert "at most 1,000,000 characters" in mistakes("#" * 1_000_001)[0][2]


def test_aliases_serve_for_scales_that_repeat() -> None:
    survey = survey_of(
        "id: a, text: A, type: single, answers: &scale [Never, Often]",
        "id: b, text: B, type: single, answers: *scale",
        head="epsilon: 2",
    )
    assert survey.questions[0].answers == survey.questions[1].answers


def test_too_many_items_are_refused() -> None:
    rows = "[" + ", ".join(f"r{n}" for n in range(254)) + "]"
    questions = [
        f"id: q{n}, text: T, type: grid, answers: [a, b], rows: {rows}, flip: 0.4" for n in range(4)
    ]
    assert "at most 1000 items" in mistakes(file_of(*questions))[0][2]


def test_codes_are_made_or_chosen() -> None:
    survey = survey_of(
        "id: a, text: A, type: single, answers: {n: No, y: Yes}",
        "id: b, text: B, type: many, answers: [Does not apply, '-1', C, C++, ø, '!']",
        head="epsilon: 2",
    )
    assert [answer.code for answer in survey.items[0].reports] == ["n", "y"]
    codes = [item.id.removeprefix("b.") for item in survey.items[1:]]
    assert codes == ["does_not_apply", "-1", "c", "c_2", "ø", "answer_6"]


def test_a_plan_stands_in_no_document() -> None:
    text = file_of(SINGLE, head="epsilon: 1\nplan: {people: 800, within: 2.5, groups: [10, 25]}")
    plan = read(text).plan
    assert (plan.people, plan.within) == (800, Fraction(5, 2))
    assert plan.groups == (Fraction(10), Fraction(25))
    assert plan_of(text) == plan
    assert read(text).survey.document == survey_of(SINGLE, head="epsilon: 1").document
    # Of a text that is being written, as much as can be read.
    assert plan_of("plan: {people: 800, within: wide}\nquestions: 7").people == 800
    assert plan_of("plan: [").people is None


def test_the_schema_lists_every_key() -> None:
    schema = json_schema()
    keys, question = schema["properties"], schema["properties"]["questions"]["items"]
    assert {"version", "survey", "title", "questions"} == set(schema["required"])
    own = {"flip", "epsilon", "design", "prefer_not_to_say", "family", "levels", "ask"}
    assert own <= set(question["properties"])
    assert schema["additionalProperties"] is False
    first = {name: keys[name]["anyOf"][0] for name in ("split", "pages", "order", "exit", "ask")}
    assert first["split"]["enum"] == ["equal", "weight", "even", "optimal"]
    assert first["pages"]["enum"] == ["one", "each"]
    assert first["order"]["const"] == "random"
    assert question["properties"]["order"]["anyOf"][0]["const"] == "random"
    assert first["exit"]["pattern"].startswith("^(?:https://")
    assert first["ask"] == {"type": "integer", "minimum": 1}
    assert keys["help"]["anyOf"][1]["required"] == ["text"]
    assert re.search(r"forced_response", json.dumps(question["properties"]["design"]))


@pytest.mark.parametrize("pages", Pages)
def test_pages_are_as_written(pages: Pages) -> None:
    assert survey_of(f"{SINGLE}, flip: 1/4", head=f"pages: {pages.value}").pages is pages
    assert survey_of(f"{SINGLE}, flip: 1/4").pages is None


def test_orders_survive_json() -> None:
    survey = survey_of(
        f"{SINGLE}, order: random", MANY.replace("id: q", "id: r"), head="epsilon: 2\norder: random"
    )
    assert survey.shuffled
    assert [question.shuffled for question in survey.questions] == [True, False]
    document = json.loads(json.dumps(survey.document))
    assert (document["order"], document["questions"][0]["order"]) == ("random", "random")
    assert "order" not in document["questions"][1]
    assert Survey.from_document(document) == survey
    with pytest.raises(ValueError, match="does not agree with itself"):
        Survey.from_document({**document, "order": "backwards"})


def test_facts_are_asked_again_or_refused() -> None:
    direct = f"{SINGLE}, protection: direct".replace("id: q", "id: d")
    asked = [SINGLE, SINGLE.replace("id: q", "id: n"), direct, MANY.replace("id: q", "id: m")]
    head = "epsilon: 1\nsame_fact: [q, d, m]"
    assert mistakes(file_of(*asked, head=head)) == [
        (5, 16, "'d' is direct, so that it tells the fact itself: leave it out"),
        (5, 19, "'m' has several items: expected questions of one answer each"),
    ]
    survey = survey_of(*asked, head=head.replace("d, m", "n"))
    assert survey.document["same_fact"] == ["q", "n"]
    assert Survey.from_document(json.loads(json.dumps(survey.document))) == survey


@pytest.mark.parametrize(
    ("question", "head", "place", "message"),
    [
        (f"{SINGLE}, order: random", "order: backwards\nepsilon: 1", (4, 8), "expected random, or"),
        (SINGLE, "epsilon: 1\npages: two", (5, 8), "expected one (for all questions) or each"),
        (SINGLE, "epsilon: 1\nexit: http://example.org", (5, 7), "such as https://example.org/"),
        (SINGLE, "epsilon: 1\nbatch: 1001", (5, 8), "expected 1 to 1000 reports, found '1001'"),
        (SINGLE, f"epsilon: 1\nminutes: {'9' * 5000}", (5, 10), "at most 15 digits, found one"),
        (SINGLE, "epsilon: 1\nhelp: {text: T, lnik: a}", (5, 17), "did you mean 'link'?"),
        (SINGLE, "epsilon: 1\nhelp: {text: T, link: 'javascript:a'}", (5, 23), "such as tel:+49"),
        (SINGLE, "epsilon: 1\ndelete_reports: 31.1.2028", (5, 17), "such as 2028-01-31, found"),
        (SINGLE, "epsilon: 1\nlogo: logo.png", (5, 7), "data:image/png;base64,…, found 'logo.png'"),
        (SINGLE, f"epsilon: 1\nlogo: {logo(1, 1001)}", (5, 7), "1,000 pixels in width and height"),
        (SINGLE, "epsilon: 1\ncolour: '#ffcc00'", (5, 9), "of at least 4.5 to white, found #ffc"),
        (SINGLE, "epsilon: 1\ndelete_reports: 2028-02-30", (5, 17), "found '2028-02-30'"),
        (SINGLE, "epsilon: 1\nresults: http://example.org", (5, 10), "an address such as https://"),
        (SINGLE, "epsilon: 1\nsame_fact: q", (5, 12), "ids of questions, such as [drank, drank"),
        (SINGLE, "epsilon: 1\nsame_fact: [q]", (5, 12), "expected the ids of two questions"),
        (SINGLE, "epsilon: 1\nsame_fact: [q, w]", (5, 16), "no question 'w': expected one of q"),
        (SINGLE, "epsilon: 1\nplan: {groups: [0.1, 0.25]}", (5, 16), "did you mean [10, 25]?"),
        (SINGLE, "epsilon: 1\nplan: {within: 0.05}", (5, 16), "found 0.05: did you mean 5?"),
        (SINGLE, "epsilon: 1\nplan: {peopel: 9}", (5, 8), "did you mean 'people'?"),
        (SINGLE, "epsilon: 1\ncomprehension: 2", (5, 16), "expected true or false, found '2'"),
        (f"{SINGLE}, protection: direct", "comprehension: true", (4, 16), "question is direct, so"),
    ],
)
def test_mistakes_of_the_way_through_are_located(
    question: str, head: str, place: tuple[int, int], message: str
) -> None:
    ((*found, said),) = mistakes(file_of(question, head=head))
    assert tuple(found) == place
    assert message in said


def test_the_usual_exit_is_not_written() -> None:
    survey = survey_of(SINGLE, head="epsilon: 1\nexit: https://example.org/weather?today")
    assert survey.neutral_site == "https://example.org/weather?today"
    assert survey.document["exit"] == survey.neutral_site
    assert Survey.from_document(survey.document) == survey
    usual = survey_of(SINGLE, head="epsilon: 1")
    assert "exit" not in usual.document
    assert usual.neutral_site == "https://www.wikipedia.org/"
    harmless = survey_of(SINGLE, head="epsilon: 1\nexit: none")
    assert (harmless.neutral_site, harmless.document["exit"]) == ("", "none")
    with pytest.raises(ValueError, match="a site to leave to, or none, found 'Old'"):
        Survey.from_document({**survey.document, "exit": "Old"})


def test_a_title_has_an_end() -> None:
    short = file_of(f"{SINGLE}, flip: 1/4")
    assert read(short.replace("title: T", f"title: {'x' * 300}")).survey.title == "x" * 300
    with pytest.raises(SurveyFileError, match="a title of at most 300 characters, found 100,000"):
        read(short.replace("title: T", f"title: {'x' * 100_000}"))
