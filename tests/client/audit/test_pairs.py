"""Pairs of visits: what is the same of both, and what is said if something else differs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deniable.analysis.audit import plan
from deniable.client.audit.pairs import Pair, compare, object_to, pairs
from deniable.client.audit.tapes import Tape, expected_body
from deniable.client.audit.visit import Sent, Visit
from deniable.client.branching import complete
from deniable.report import NOT_DRAWN, Report
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.survey_file import read
from tests import surveys, vectors
from tests.addresses import at

pytestmark = pytest.mark.promise("audit")

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))
SURVEYS = [read(path.read_text()).survey for path in EXAMPLES]
SURVEYS += [read(vectors.asking_file()).survey, read(vectors.in_any_order_file()).survey]


def drawn(survey: Survey, count: int = 10, seed: int = 1, wave: int = 1) -> list[Pair]:
    telling: list[tuple[int, int] | None] = []
    for item in survey.items:
        found = plan(item.channel) if item.protection is Protection.RANDOMISED else None
        telling.append(None if found is None else (found.truth, found.other))
    return [*pairs(survey, telling, count, np.random.default_rng(seed), wave)]


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.slug)
def test_the_two_of_a_pair_send_the_same_though_other_things_are_true(survey: Survey) -> None:
    found = drawn(survey)
    assert len(found) == 13
    differing = set()
    for pair in found:
        spun = {4 + place for place, item in enumerate(survey.items) if item.has_spinner}
        words = zip(pair.one.words, pair.other.words, strict=True)
        assert {place for place, (a, b) in enumerate(words) if a != b} <= spun
        assert len({*pair.one.words}) == len(pair.one.words)
        one, other = (expected_body(survey, tape) for tape in (pair.one, pair.other))
        for tape in (pair.one, pair.other):  # what is true can be answered
            assert complete(survey, tape.truths) == [*tape.truths]
        if pair.alike:
            assert one == other
        if pair.telling:
            both = zip(pair.one.truths, pair.other.truths, strict=True)
            differing |= {place for place, (a, b) in enumerate(both) if a != b}
    randomised = {
        place
        for place, item in enumerate(survey.items)
        if item.protection is Protection.RANDOMISED and not survey.question(item.question).ask_if
    }
    assert differing >= randomised


def test_words_are_fresh_and_a_seed_repeats_them() -> None:
    survey = surveys.survey(surveys.single("a"))
    assert drawn(survey, seed=3) == drawn(survey, seed=3)
    assert drawn(survey, seed=3) != drawn(survey, seed=4)


def test_which_wave_is_on_the_page_says_and_nobody_answers() -> None:
    (survey,) = [one for one in SURVEYS if one.waves]
    for pair in drawn(survey, wave=2):
        assert (pair.one.wave, pair.other.wave) == (2, 2)


SURVEY = surveys.survey(surveys.single("a"))
TAPE = Tape((1,), (1, 2, 3, 4, 5))


def honest(body: str | None = None) -> Visit:
    sent = Sent(body or expected_body(SURVEY, TAPE), (f"POST {at('x')}reports", "Accept: */*"))
    kept = {"local": {"a": "1"}, "session": {}, "cookie": "", "name": "", "history": []}
    return Visit(reports=[sent], drawn=[5], kept=kept, seconds=0.1)


def test_nothing_is_said_of_an_honest_visit() -> None:
    assert object_to(SURVEY, TAPE, honest(), honest().rest) == []
    assert compare(honest(), honest()) == []


def test_every_byte_of_a_message_counts() -> None:
    body = expected_body(SURVEY, TAPE)
    for place in range(len(body)):
        altered = body[:place] + ("0" if body[place] != "0" else "1") + body[place + 1 :]
        (said,) = object_to(SURVEY, TAPE, honest(altered), ())
        assert said.startswith(f"a message is {altered}, expected")
    (said,) = object_to(SURVEY, TAPE, honest(body + " "), ())
    assert "bytes, expected" in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("local", {"a": "2"}),
        ("session", {"a": ""}),
        ("cookie", "a"),
        ("name", "a"),
        ("history", [["/", ""]]),
    ],
)
def test_whatever_is_kept_is_compared(name: str, value: object) -> None:
    other = honest()
    other.kept = other.kept | {name: value}
    (said,) = compare(honest(), other)
    assert said.endswith("depends on what is true")


@pytest.mark.parametrize("sent", [{"connection": (0, True)}, {"after": 370}])
def test_when_and_by_what_a_report_is_sent_is_compared(sent: dict[str, Any]) -> None:
    other = replace(honest(), reports=[replace(honest().reports[0], **sent)])
    (said,) = compare(honest(), other)
    assert said.endswith("depends on what is true")


def test_what_is_shown_is_compared() -> None:
    for name in ("addresses", "after"):
        (said,) = compare(honest(), replace(honest(), shown={name: ["#1"]}))
        assert said.endswith("depends on what is true")


def test_headers_in_another_order_are_another_request() -> None:
    turned = Sent(honest().reports[0].body, honest().rest[::-1])
    (said,) = object_to(SURVEY, TAPE, replace(honest(), reports=[turned]), honest().rest)
    assert said.endswith("message: the order")


def test_clocks_and_chance_are_compared() -> None:
    other = honest()
    other.after = ["setTimeout 0"]
    assert compare(honest(), other) == [
        "the clocks that it sets when it sends depend on what is true"
    ]
    for counts in ([], [5, 5], [4]):
        other = replace(honest(), drawn=counts)
        (said,) = object_to(SURVEY, TAPE, other, ())
        assert "words from crypto.getRandomValues, expected 5 once" in said


def test_a_header_that_another_visit_did_not_have_is_named() -> None:
    sent = Sent(expected_body(SURVEY, TAPE), (f"POST {at('x')}reports", "Accept: text/html"))
    (said,) = object_to(SURVEY, TAPE, replace(honest(), reports=[sent]), honest().rest)
    assert said.endswith("message: Accept: text/html")


def test_a_question_that_chance_leaves_out_is_reported_as_not_drawn() -> None:
    survey = read(vectors.asking_file()).survey
    body = expected_body(survey, drawn(survey)[0].one)
    assert NOT_DRAWN in Report.from_json(body.encode()).answers
