"""Checking a text: what it says against the planner, and what becomes of texts that take long."""

import ast
import io
import json
import math
import os
import pickle
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path as Folder
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, g

from deniable.server.desk.editor import lint, lint_worker
from deniable.server.desk.editor.edits import lined
from deniable.server.desk.editor.lint import answer_all, check
from deniable.server.desk.editor.lint_worker import Checker
from deniable.server.desk.editor.spoken import spoken
from deniable.server.desk.editor.starters import BLANK, examples, title_of
from deniable.study.planner import Wanted, plan
from deniable.survey_file import SurveyFileError, read
from deniable.survey_file.located import Path
from deniable.survey_file.meanings import KEYS
from deniable.text.sureness import Colour, at_most, implication, sureness
from tests.kit import Browser, surveys, until
from tests.server.desk.editor.test_drafts import begin
from tests.server.desk.editor.test_form import TEXT, answered, made

ROOT = Folder(__file__).parents[4]

pytestmark = pytest.mark.promise("drafts")

SLOW = "version: 1\nsurvey: x\ntitle: X\nepsilon: 9\nquestions:\n" + "".join(
    f"  - {{id: q{number}, text: T{number}, type: number, min: 0, max: 250, step: 1}}\n"
    for number in range(200)
)
"""Takes seconds to compile."""


@pytest.mark.parametrize("name", ["exams", "sampling", "season", "wellbeing"])
def test_the_cost_is_that_of_the_planner(name: str) -> None:
    text = examples()[name]
    survey = read(text).survey
    cost = check(text, 700)["cost"]
    rows = {row["question"]: row for row in plan(survey, Wanted(700)).result.export.rows}
    assert [one["id"] for one in cost["questions"]] == [one.id for one in survey.questions]
    for one in cost["questions"]:
        question = survey.question(one["id"])
        row = rows[one["id"]]
        assert one["too_wide"] == row["too_wide"]
        if not question.is_number:
            width, _, people = one["width"].partition(" if it applied to all ")
            assert width == f"±{100 * float(row['reach'] or 0):.1f} points"
            asked = round(float(row["respondents"] or 0))
            assert people == f"{asked:,}" * bool(question.ask_if)
        if one["epsilon"] != "direct":
            assert float(one["epsilon"]) == pytest.approx(survey.epsilon_of(question), abs=5e-4)
    assert cost["told"] == [*implication(survey)]
    found = sureness(survey)
    assert found is not None
    assert cost["colour"] == found.colour.value
    # The number beside what is wanted of all answers is that which the verdict is of.
    assert cost["sure"] == at_most(found.all)
    assert bool(cost["changed"]) is (survey.is_repeated)
    assert cost["warnings"] or found.colour is Colour.CALM
    assert cost["respondents"] == 700


def test_every_mistake_is_named_at_its_place() -> None:
    text = BLANK.replace("type: single", "type: singel").replace("version: 1", "version: 2")
    with pytest.raises(SurveyFileError) as error:
        read(text)
    found = check(text, 1000)
    assert found["cost"] is None
    assert [(one["line"], one["column"], one["message"]) for one in found["mistakes"]] == [
        (one.line, one.column, one.message) for one in error.value.mistakes
    ]
    assert len(found["mistakes"]) == 2


def test_a_skip_has_no_price_where_it_is_needed() -> None:
    head = "epsilon: 3\nskip: true\nwaves: {count: 2, redraw: 9/20}"
    text = surveys.file_of(*surveys.yes_or_no("", ""), head=head)
    # With two answers, a redraw of a half or more would leave nothing to learn.
    assert check(text, 700)["cost"]["skip"]
    assert check(text.replace("9/20", "11/20"), 700)["cost"]["skip"] == ""


def test_the_price_of_a_skip_is_of_the_question_that_it_costs_most() -> None:
    head = "version: 1\nsurvey: x\ntitle: X\nepsilon: 2\nskip: true\nquestions:\n"
    asked = "  - {id: a, text: A?, type: single, answers: [No, Yes], epsilon: 1}\n"
    number = "  - {id: b, text: B?, type: number, min: 0, max: 5, epsilon: 1%s}\n"
    said = "To be as precise as 1,000 people without it, you need 1,600 with it, 1.6 times"
    # The interval of the follow-up is the widest, and a skip does not change it.
    for of_some in ("", ", ask_if: {a: yes}"):
        assert check(head + asked + number % of_some, 1000)["cost"]["skip"].startswith(said)


def test_starters_have_titles_and_no_mistake() -> None:
    assert {"classroom", "doping", "exams"} <= examples().keys()
    for text in (BLANK, *examples().values()):
        checked = check(text, 1000)
        assert checked["mistakes"] == []
        assert title_of(text) == checked["cost"]["title"]
    assert title_of("title: [") == "["
    for written in ("{en: Ours, de: Unsere}", '{"en": "Ours, all", de: X}', "\n  en: Ours"):
        assert title_of(f"title: {written}").startswith("Ours")
    for nothing in ("titel: X", "title: |\n  Ours", "title: # Ours", "titles: [Ours]"):
        assert title_of(nothing) == "Without a title"
    for quoted in ("Ours  # not yours", '"Ours"', "{en: Ours, de: X}  # both", "\n  en: Ours\n"):
        assert title_of(f"version: 1\ntitle: {quoted}\nsurvey: s") == "Ours"


def test_blanks_in_a_title_take_no_time() -> None:
    # The square of their number would be hours.
    blanks = " \t" * 500_000
    assert title_of(f"title: x{blanks}y\n") == f"x{blanks}y"
    assert lined(f" x{blanks}y \n{blanks}\r\n\n z ") == f"x{blanks}y\nz"


def test_mistakes_are_said_and_texts_not_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("deniable.server.desk.editor.lint.check", fail)
    request = {"text": "a secret", "respondents": 1}
    answers = io.BytesIO()
    answer_all(io.BytesIO(json.dumps(request).encode()), answers)
    assert json.loads(answers.getvalue())["failed"]
    assert "RuntimeError" in caplog.text
    assert "a secret" not in caplog.text


def test_the_process_ends_itself_if_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[int] = []
    monkeypatch.setattr("signal.alarm", set_to.append)
    monkeypatch.setattr("deniable.server.desk.editor.lint.answer", lambda _: {"asked": [*set_to]})
    answers = io.BytesIO()
    answer_all(io.BytesIO(b"{}\n{}\n"), answers)
    seconds = set_to[0]
    assert lint_worker.SECONDS < seconds < 600
    assert [json.loads(line)["asked"][-1] for line in answers.getvalue().splitlines()] == [
        seconds,
        seconds,
    ]
    assert set_to[-1] == 0


@pytest.mark.slow
@pytest.mark.promise("checker")
def test_a_slow_text_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    checker = Checker(seconds=0.1)
    found = checker.check(SLOW, 1000)
    assert "longer than" in found["failed"]
    assert found["mistakes"] == []
    # It is known by now, and costs nobody a second time; another text has a new process.
    with monkeypatch.context() as patched:
        patched.delattr(lint_worker.Checker, "_answer")
        assert checker.check(SLOW, 1000) == found
    checker._seconds = 60
    assert checker.compile(BLANK) == read(BLANK).survey
    assert checker.compile(BLANK + "titel: x") is None


@pytest.mark.slow
@pytest.mark.promise("checker")
def test_what_is_computed_beside_has_bounds() -> None:
    checker = Checker(seconds=20)
    assert checker.call(partial(divmod, 7, 2)) == (3, 1)
    for wrong, said in (
        (partial(int, "x"), "Invalid literal"),
        (partial(math.exp, 1000), "Math range error"),
        (
            partial(bytes, 2**31),
            r"needs more memory than the desk gives. Choose fewer answers",
        ),
        (partial(os.abort), "more memory than the desk gives"),  # as libraries in C++ end
        (partial(os._exit, 1), "could not compute this"),
    ):
        with pytest.raises(ValueError, match=said):
            checker.call(wrong)
    assert checker.call(partial(abs, -1)) == 1
    with pytest.raises(ValueError, match=r"It took longer than 0\.1 seconds, so the desk stopped"):
        Checker(seconds=0.1).call(partial(time.sleep, 60))


class _Full(io.BytesIO):
    """Requests of which no more than some bytes fit into memory at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= 2**16:
            raise MemoryError
        return super().read(size)


@pytest.mark.promise("checker")
def test_what_does_not_fit_is_told() -> None:
    given = [bytes(2**18), pickle.dumps(partial(divmod, 7, 2))]
    requests = _Full(
        b"".join(json.dumps({"call": len(one)}).encode() + b"\n" + one for one in given)
    )
    answers = io.BytesIO()
    answer_all(requests, answers)
    answers.seek(0)
    assert json.loads(answers.readline())["failed"] == lint.TOO_MUCH
    assert json.loads(answers.readline())["failed"] == ""
    assert pickle.loads(answers.read()) == (3, 1)  # noqa: S301  of this test


def test_a_library_s_memory_is_no_mistake() -> None:
    with pytest.raises(MemoryError):
        lint.computed(pickle.dumps(_of_a_library))


def _of_a_library() -> None:
    try:
        raise MemoryError
    except MemoryError:
        raise ValueError("Unable to evaluate factor") from None


@pytest.mark.slow
@pytest.mark.promise("checker")
def test_only_a_busy_machine_is_given_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_worker, "_PATIENCE", 100)
    checker = Checker(seconds=2)
    assert checker.call(partial(divmod, 7, 2)) == (3, 1)
    checker.call(partial(time.sleep, 2.5))
    begun = time.monotonic()
    with pytest.raises(ValueError, match="It took longer than 2 seconds"):
        checker.call(partial(sum, range(10**12)))
    assert time.monotonic() - begun < 100


@pytest.mark.promise("checker")
def test_few_wait_for_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    checker, over = Checker(), threading.Event()

    def answer(request: dict[str, Any], _: bytes) -> tuple[dict[str, Any], bytes]:
        over.wait()
        return {"text": request["text"], "failed": ""}, b""

    monkeypatch.setattr(checker, "_answer", answer)
    with ThreadPoolExecutor(8) as threads, ExitStack() as held:
        held.callback(over.set)
        asked = [threads.submit(checker.check, f"{number}", 1) for number in range(8)]
        until(lambda: sum(one.done() for one in asked) >= 8 - lint_worker._WAITING)
        busy = [one.result()["failed"] for one in asked if one.done()]
        assert len(busy) == 8 - lint_worker._WAITING
        assert all("Try again" in one for one in busy)
    assert sum("text" in one.result() for one in asked) == lint_worker._WAITING


@pytest.mark.slow
@pytest.mark.promise("checker")
def test_one_account_keeps_no_other_from_analyses() -> None:
    checker, ended = Checker(waiting=4), list[str]()

    def call(name: str, seconds: float) -> None:
        with Flask("desk").app_context():
            g.person = SimpleNamespace(name=name)
            try:
                checker.call(partial(time.sleep, seconds))
                ended.append(name)
            except ValueError as busy:
                ended.append(f"{name}: {busy}")

    call("ada", 0)  # the process starts
    with ThreadPoolExecutor(5) as threads:
        for name in ("ada", "ada", "ada", "ada", "olu"):
            threads.submit(call, name, 1)
            time.sleep(0.1)
    assert ended == ["ada", f"ada: {lint_worker.BUSY}", "ada", "olu", "ada", "ada"]


@pytest.mark.parametrize(
    ("message", "place", "said"),
    [
        (
            "'a' has no answer 'x': expected no, yes",
            ("questions", 1, "ask_if", "a"),
            "question 1 has no answer 'x': expected “No”, “Yes”",
        ),
        (
            "because a, b.stopped_early share the survey's epsilon, found 'a'",
            ("ask",),
            "because question 1, question 2 (Stopped early) share the survey's ε, found 'a'",
        ),
        (
            "leave 'contact' out, or the 'ask_if' on line 3: from min to max",
            ("contact",),
            "leave “Contact” out, or the “Ask only if”: from smallest to largest",
        ),
        (
            "With 'redraw: 1/4' the reports",
            (),
            "With “Chance that a wave's report is drawn anew: 1/4” the reports",
        ),
    ],
)
def test_the_form_says_no_id_code_or_key(message: str, place: Path, said: str) -> None:
    questions = [
        {"id": "a", "text": "A?", "type": "single", "answers": ["No", "Yes"]},
        {"id": "b", "text": "B?", "type": "many", "answers": ["Stopped early"]},
    ]
    assert spoken(message, {"questions": questions}, place) == said


KEY = "|".join({part for one in KEYS for part in one.split(".")})

IN_TEXT = re.compile(rf"(?<![“\w])({KEY}): (?!expected)[\w\[]|'({KEY})(: [^']*)?'|\bask_if\b")
"""A key as only the file has it."""

OF_FILES_ALONE = ("dictionary.py", "meanings.py", "beginnings.py")
"""Of data dictionaries, and texts that are no messages."""


def messages() -> Iterator[str]:
    """Return each text of the modules that read a survey file and advise on it, with 7 in gaps."""
    sources = [ROOT / "analysis/planning/advice.py", *(ROOT / "deniable/survey_file").glob("*.py")]
    for tree in (ast.parse(one.read_text()) for one in sources if one.name not in OF_FILES_ALONE):
        told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        whole = [one for one in ast.walk(tree) if isinstance(one, ast.JoinedStr)]
        told |= {id(part) for one in whole for part in one.values}
        for one in ast.walk(tree):
            parts = one.values if isinstance(one, ast.JoinedStr) else [one]
            said = "".join(
                str(getattr(part, "value", "")) if isinstance(part, ast.Constant) else "7"
                for part in parts
            )
            if (
                isinstance(one, ast.JoinedStr | ast.Constant)
                and " " in said
                and id(one) not in told
            ):
                yield said.replace("{}", "7")


def test_no_message_has_a_key_at_the_form() -> None:
    """Wherever its mistake may stand: at a question, or at the survey."""
    found = [*messages()]
    assert len(found) > 120
    assert any(IN_TEXT.search(one) for one in found)
    places: list[Path] = [(), ("questions", 0, "answers")]
    for one in found:
        asked = {"questions": [{"id": "q"}]}
        told = [re.sub("“.*?”", "", spoken(one, asked, place)) for place in places]
        assert not all(map(IN_TEXT.search, told)), told


@pytest.mark.parametrize("name", ["", "exams", "season"])
def test_one_more_question_is_priced_before_it_is_written(name: str, researcher: Browser) -> None:
    """By the ± that the cards then show, at the ε and where a question is added."""
    text = {"": BLANK, **examples()}[name]
    cost = check(text, 1000)["cost"]
    found = re.search(
        r"share ε ([\d.]+)\. Question (\d): (.*) with .*, and (.*) with", cost["shared"]
    )
    assert found
    number = int(found[2]) - 1
    copied = check(made(text, do="copy", number=number), 1000)["cost"]
    shown = [one["questions"][number]["width"] for one in (cost, copied)]
    assert [found[3], found[4]] == shown
    assert float(found[1]) == pytest.approx(float(cost["promised"]), abs=0.01)
    assert answered(researcher, begin(researcher), text).count(cost["shared"]) == 2


def test_questions_of_their_own_protection_share_nothing() -> None:
    own = TEXT.replace("    type: single\n", "    type: single\n    epsilon: 1\n", 1)
    assert (
        "The 2 protected questions of a person share what is left of ε"
        in (check(own, 10)["cost"]["shared"])
    )
    flipped = BLANK.replace("type: single", "type: single\n    epsilon: 1")
    assert check(flipped, 10)["cost"]["shared"] == ""
