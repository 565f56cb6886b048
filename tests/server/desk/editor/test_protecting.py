"""Protection in the form: designs, their chances, and what a slider moves."""

import math
from typing import Any

import pytest

from deniable import designs
from deniable.server.desk.editor.edits import edited
from deniable.server.desk.editor.form import designs_for, form_of
from deniable.server.desk.editor.lint import check
from deniable.server.desk.editor.starters import BLANK
from deniable.survey_file import read
from tests.server.desk.editor.test_form import TEXT, made

pytestmark = pytest.mark.promise("drafts")


def test_the_editor_offers_each_collectable_design() -> None:
    made = {name: designs.from_mapping({name: row.example}) for name, row in designs.NAMED.items()}
    del made["custom"]  # a table is no parameter
    can_be = {name for name, one in made.items() if one.truths == 2 and one.epsilon < math.inf}
    assert not can_be - {*designs_for(2)}


def test_a_design_asks_for_its_yes() -> None:
    text = """\
version: 1
survey: s
title: S
questions:
  - id: q
    text: Q
    type: single
    answers: [Stayed, Took part]
    design: {forced_response: {truth: 2/3, yes: 1/4}}
"""

    def field(text: str) -> dict[str, Any]:
        (card,) = form_of(text, check(text, 1000))["cards"]
        named = {str(one["place"][-1]): one for one in card["more"]}
        found: dict[str, Any] = named.get("yes", {})
        return found

    asked = field(text)
    assert asked["choices"] == {
        "": "as the words say",
        "stayed": "Stayed",
        "took_part": "Took part",
    }
    told = edited(
        text,
        {"do": "set", "place": ["questions", 0, "yes"], "value": "took_part"},
        check(text, 1000),
    )
    assert field(told)["value"] == "took_part"
    assert not check(told, 1000)["mistakes"]
    assert not field(text.replace("[Stayed, Took part]", "[Ja, Nein]"))
    assert not field(text.replace("design: {forced_response: {truth: 2/3, yes: 1/4}}", "flip: 1/4"))


def test_a_slider_leaves_others_what_they_had() -> None:
    text = made(do="protect", number=2, value="2")
    before, after = (read(one).survey for one in (TEXT, text))
    assert after.epsilon_of(after.question("why")) == pytest.approx(2, abs=1e-3)
    for id in ("sick", "days"):
        old, new = before.epsilon_of(before.question(id)), after.epsilon_of(after.question(id))
        assert new == pytest.approx(old, abs=2e-3)
    assert made(text, do="protect", number=2, value="direct").count("epsilon") == 1


def test_the_protection_follows_a_design_s_chances() -> None:
    text = made(do="design", number=0, value="forced_response")
    assert "design: { forced_response: { truth: 2/3, yes: 1/2 } }" in text
    survey = read(text).survey
    assert survey.epsilon_of(survey.question("sick")) == pytest.approx(1.609438, abs=1e-5)
    days = survey.epsilon_of(survey.question("days"))
    before = read(TEXT).survey
    assert days == pytest.approx(before.epsilon_of(before.question("days")), abs=2e-3)
    text = made(text, do="parameter", number=0, key="truth", value="1/2")
    assert "{ truth: 1/2, yes: 1/2 }" in text
    (card, *_) = form_of(text, check(text, 10))["cards"]
    (field,) = (one for one in card["more"] if one["kind"] == "design")
    assert field["parameters"] == {"truth": "1/2", "yes": "1/2"}
    assert {"warner", "kuk"} <= {*field["designs"]}
    assert "k_ary" not in field["designs"]
    assert "design" not in made(text, do="design", number=0, value="")
    two = [("", "A"), ("", "B")]
    three = made(text, do="lines", place=["questions", 2, "answers"], value=two)
    assert "forced: [1/2, 1/2]" in made(three, do="design", number=2, value="forced_response_k")


def test_a_precision_is_aimed_at_one_question_alone() -> None:
    before = check(TEXT, 800)["cost"]["questions"]
    text = made(do="aim", number=0, value="±10")
    after = check(text, 1000)["cost"]["questions"]
    assert 9.6 < float(after[0]["width"][1:].partition(" ")[0]) <= 10
    for old, new in zip(before[1:], after[1:], strict=True):
        assert float(new["epsilon"]) == pytest.approx(float(old["epsilon"]), abs=2e-3)
    for value in ("0.5", "x", "0"):
        with pytest.raises(ValueError, match="expected"):
            made(do="aim", number=0, value=value)


@pytest.mark.parametrize(
    ("ask", "key", "shut"),
    [("", "", []), ("ask: 1\n", "", [0]), ("ask: 1\n", "direct", []), ("", "together", [0, 3])],
)
def test_a_design_that_cannot_be_is_not_offered(ask: str, key: str, shut: list[int]) -> None:
    """What can be chosen makes no mistake, and what cannot would make one."""
    last = "  - {id: else, text: T, type: single, answers: [A, B]}\n"
    text = ask + "together: [sick, else]\n" * (key == "together") + TEXT + last
    if key == "direct":
        text = text.replace("    type: single\n", "    type: single\n    protection: direct\n", 1)
    cards = form_of(text, check(text, 10))["cards"]
    fields = {card["number"]: one for card in cards for one in card["more"] if "designs" in one}
    assert [number for number, one in fields.items() if one["shut"]] == shut
    for number, one in fields.items():
        chosen = made(text, do="design", number=number, value="forced_response")
        found = check(chosen, 10)["mistakes"] if "forced_response" in one["designs"] else []
        assert bool(found) == one["shut"], found


def test_a_new_question_gets_protection_beside_others() -> None:
    own = BLANK.replace("answers: [No, Yes]", "answers: [No, Yes]\n    epsilon: 1")
    added = made(own, do="add", kind="yes_no", number=1, at=1)
    found = read(added).survey
    assert [found.epsilon_of(one) for one in found.questions] == [1, 1]
    # Where one shares already, the bound of all stays.
    assert read(made(added, do="add", kind="yes_no", number=2, at=2)).survey.epsilon == 2
