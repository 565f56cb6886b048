"""Known words: all that matter are on the tapes, and whatever differs is found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deniable.channel import ROW_SUM, Channel
from deniable.client.audit.engine import EngineError
from deniable.client.audit.node import find_node, node
from deniable.client.audit.tapes import (
    boundary_words,
    check_tapes,
    expected_body,
    tapes,
    words_for_orders,
)
from deniable.report import NOT_DRAWN, Report
from deniable.survey import Survey
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import needs, surveys, vectors
from tests.client.audit.altered import MUTANTS, OF_CHANCE, OF_GROUPS, altered
from tests.quickly import first_of
from tests.surveys import single
from tests.surveys_in_waves import panel
from tests.surveys_together import DRAWN, IN_WAVES, TOGETHER, together

pytestmark = pytest.mark.promise("audit")

ASKING = read(vectors.asking_file()).survey
EXAMPLES = Path(__file__).parents[3] / "examples"
ABC = tuple(Answer(letter, letter) for letter in "abc")
IN_ANY_ORDER = read(vectors.in_any_order_file()).survey
GROUPS = read(DRAWN).survey
SURVEYS = {
    "all": surveys.survey(single("a", ABC)),
    "a part, in any order": IN_ANY_ORDER,
    "a part": ASKING,
    "by a spinner": read((EXAMPLES / "shops.yaml").read_text()).survey,
}


def test_the_words_are_on_both_sides_of_every_threshold() -> None:
    channel = Channel([[3, ROW_SUM - 4, 1], [1, 1, ROW_SUM - 2]])
    assert boundary_words(channel, 0) == [0, 2, 3, ROW_SUM - 2, ROW_SUM - 1]
    assert boundary_words(channel, 1) == [0, 1, 2, ROW_SUM - 1]


@pytest.mark.parametrize("survey", first_of(SURVEYS.values(), 2), ids=SURVEYS)
def test_every_item_meets_every_word_of_every_truth_while_it_is_asked(survey: Survey) -> None:
    met = [set[tuple[int, int]]() for _ in survey.items]
    for tape in tapes(survey):
        answers = bytes.fromhex(json.loads(expected_body(survey, tape))["answers"])
        for place, found in enumerate(met):
            if answers[place] != NOT_DRAWN:
                found.add((tape.truths[place], tape.words[4 + place]))
    for item, found in zip(survey.items, met, strict=True):
        channel = item.channel
        assert found >= {
            (truth, word)
            for truth in range(channel.truths)
            for word in boundary_words(channel, 1 if item.has_spinner else truth)
        }


class Played:
    """An engine that answers as it should, but for what a test changes."""

    def __init__(self, survey: Survey, change: Callable[[str, Any], Any]) -> None:
        self._bodies = iter([expected_body(survey, tape) for tape in tapes(survey)])
        self._change = change

    def __call__(self, operation: str, job: dict[str, Any]) -> dict[str, Any]:
        assert operation == "exact"
        outcomes = []
        for _ in job["cases"]:
            body = next(self._bodies)
            outcome = {"requests": [{"body": body, "rest": "[]"}], "problem": None}
            outcomes.append(self._change(body, outcome) or outcome)
        return {"outcomes": outcomes}


def altered_body(change: Callable[[str], str]) -> Callable[[str, Any], Any]:
    return lambda body, _: {"requests": [{"body": change(body), "rest": ""}], "problem": None}


def other_id(body: str) -> str:
    report = Report.from_json(body.encode())
    return Report(report.survey, report.revision, bytes(16), report.answers).to_json().decode()


def other_answer(body: str) -> str:
    return body.replace('"00"}', '"01"}')


DIFFERENCES: dict[str, tuple[Callable[[str, Any], Any], str]] = {
    "length": (altered_body(lambda body: body + " "), "bytes, expected 152 whatever"),
    "id": (altered_body(other_id), "a message is"),
    "key": (altered_body(lambda body: body.replace("survey", "surbey")), "a message is"),
    "end": (altered_body(lambda body: body.replace('"}', "'}")), "a message is"),
    "no hex": (altered_body(lambda body: body[:-4] + 'zz"}'), "a message is"),
    "answer": (altered_body(other_answer), "it sends report 1, expected report 0"),
    "no request": (lambda _, one: {**one, "requests": []}, "by 0 requests, expected one"),
    "error": (lambda _, one: {**one, "problem": "no words"}, "no words"),
    "header": (
        lambda body, one: {**one, "requests": [{"body": body, "rest": body[-4:]}]},
        "differs in more than its message",
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_whatever_differs_is_said(name: str) -> None:
    survey = SURVEYS["all"]
    change, said = DIFFERENCES[name]
    verdict = check_tapes(Played(survey, change), survey)
    assert said in verdict.failures[0]


def test_nothing_is_said_of_what_is_as_it_should_be() -> None:
    survey = SURVEYS["all"]
    done: list[int] = []
    verdict = check_tapes(Played(survey, lambda *_: None), survey, done.append)
    assert verdict.failures == ()
    assert verdict.length == 152
    assert sum(done) == verdict.tapes == sum(1 for _ in tapes(survey))


@pytest.mark.parametrize(
    "survey",
    [
        *first_of(SURVEYS.values(), 2),
        *(read(text).survey for text in (together(2, 2), TOGETHER, DRAWN, IN_WAVES)),
        *(panel(redraw) for redraw in ("0", "1/10")),
    ],
)
def test_the_modules_pass_in_node(survey: Survey) -> None:
    needs.program("node", "make install")
    with node(survey) as engine:
        assert check_tapes(engine, survey).failures == ()


def test_a_tape_has_a_word_for_each_place_of_a_random_order() -> None:
    """Of four questions, three answers, three options and two rows."""
    assert words_for_orders(IN_ANY_ORDER) == [4, 3, 3, 2]
    assert words_for_orders(ASKING) == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_is_found_in_node(mutant: str, tmp_path: Path) -> None:
    needs.program("node", "make install")
    alike = surveys.survey(single("a", ABC), single("b"))
    others = {**dict.fromkeys(OF_CHANCE, IN_ANY_ORDER), **dict.fromkeys(OF_GROUPS, GROUPS)}
    survey = others.get(mutant, alike)
    with node(survey, altered(tmp_path, mutant)) as engine:
        assert check_tapes(engine, survey).failures != ()


def test_modules_that_do_not_load_are_an_error(tmp_path: Path) -> None:
    needs.program("node", "make install")
    copy = altered(tmp_path, "% 3")
    (copy / "core" / "channel.js").write_text("export const nothing = 1;")
    survey = SURVEYS["all"]
    with pytest.raises(EngineError, match="does not run"), node(survey, copy):
        pass


def test_node_is_found_beside_this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.program("node", "make install")
    monkeypatch.setenv("PATH", "")
    assert find_node() is None or Path(find_node() or "").exists()
