"""Pairs of people: what is the same of both, and what is said if something else differs."""

from dataclasses import replace

import numpy as np
import pytest

from deniable.client.audit.judge import compare, object_to
from deniable.client.audit.pairs import Pair, pairs
from deniable.client.audit.tape import Tape, expected_body
from deniable.client.audit.visitor import Visit
from deniable.client.audit.wire import Arrival
from deniable.client.branching import complete
from deniable.report import NOT_DRAWN, Report
from deniable.survey import Survey
from deniable.survey.questions import Protection
from deniable.survey_file import read
from tests import vectors
from tests.kit import at, surveys
from tests.kit.surveys import EXAMPLES

pytestmark = pytest.mark.promise("audit")

SURVEYS = [read(path.read_text()).survey for path in sorted(EXAMPLES.glob("*.yaml"))]
SURVEYS += [read(vectors.asking_file()).survey, read(vectors.in_any_order_file()).survey]


def drawn(survey: Survey, count: int = 10, seed: int = 1, wave: int = 1) -> list[Pair]:
    return [*pairs(survey, count, np.random.default_rng(seed), wave)]


@pytest.mark.parametrize("survey", SURVEYS, ids=lambda survey: survey.slug)
def test_a_pair_sends_alike_whatever_is_true(survey: Survey) -> None:
    differing = set()
    for pair in drawn(survey):
        spun = {4 + place for place, item in enumerate(survey.items) if item.has_spinner}
        words = zip(pair.one.words, pair.other.words, strict=True)
        assert {place for place, (a, b) in enumerate(words) if a != b} <= spun
        one, other = (expected_body(survey, tape) for tape in (pair.one, pair.other))
        for tape in (pair.one, pair.other):  # what is true can be answered
            assert complete(survey, tape.truths) == [*tape.truths]
        if pair.alike:
            assert one == other
        if pair.is_timed:
            both = zip(pair.one.truths, pair.other.truths, strict=True)
            differing |= {place for place, (a, b) in enumerate(both) if a != b}
    randomised = {
        place
        for place, item in enumerate(survey.items)
        if item.protection is Protection.RANDOMISED and not survey.question(item.question).ask_if
    }
    assert differing >= randomised


def test_three_in_five_pairs_are_the_same() -> None:
    found = drawn(surveys.survey(surveys.single("a")))
    timed = [(pair.one.truths, pair.other.truths) for pair in found if pair.is_timed]
    assert len(timed) == 6
    assert len({*timed}) == 1
    assert [pair.alike for pair in found] == [turn % 5 != 1 for turn in range(10)]


def test_words_are_fresh_and_a_seed_repeats_them() -> None:
    survey = surveys.survey(surveys.single("a"))
    assert drawn(survey, seed=3) == drawn(survey, seed=3)
    assert drawn(survey, seed=3) != drawn(survey, seed=4)


def test_only_the_page_says_the_wave() -> None:
    (survey,) = [one for one in SURVEYS if one.is_repeated]
    for pair in drawn(survey, wave=2):
        assert (pair.one.wave, pair.other.wave) == (2, 2)


SURVEY = surveys.survey(surveys.single("a"))
TAPE = Tape((1,), (1, 2, 3, 4, 5))


def honest(body: str | None = None) -> Visit:
    head = (f"POST {at('x')}reports", "Accept: */*")
    sent = Arrival(head[0], head, body or expected_body(SURVEY, TAPE), 0.1)
    left = {"local": {"a": "1"}, "session": {}, "name": "", "history": [], "page": ""}
    return Visit(reports=[sent], drawn=[5], left=left, seconds=0.1)


def test_nothing_is_said_of_an_honest_visit() -> None:
    assert object_to(SURVEY, TAPE, honest(), honest()) == []
    assert compare(honest(), honest()) == []


def test_every_byte_of_a_message_counts() -> None:
    body = expected_body(SURVEY, TAPE)
    for place in range(len(body)):
        altered = body[:place] + ("0" if body[place] != "0" else "1") + body[place + 1 :]
        (said,) = object_to(SURVEY, TAPE, honest(altered), honest())
        assert said.startswith(f"a message is {altered}, expected")
    (said,) = object_to(SURVEY, TAPE, honest(body + " "), honest())
    assert "bytes, expected" in said


@pytest.mark.parametrize("name", ["local", "session", "name", "history", "state", "page", "token"])
def test_whatever_is_left_is_compared(name: str) -> None:
    other = honest()
    other.left = other.left | {name: "another"}
    (said,) = compare(honest(), other)
    assert said.endswith("depends on what is true")


def test_what_is_kept_follows_from_no_words() -> None:
    other = honest()
    other.left = other.left | {"local": {"a": "2"}}
    assert object_to(SURVEY, TAPE, other, honest()) == ["what it keeps tells what it sent"]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (lambda own: own[::-1], "message: the order"),
        (lambda own: (own[0], "Accept: text/html"), "message: Accept: text/html"),
    ],
)
def test_a_request_with_another_head_is_another_one(head: object, said: str) -> None:
    assert callable(head)
    sent = honest().reports[0]
    other = replace(honest(), reports=[replace(sent, head=head(sent.head))])
    (found,) = object_to(SURVEY, TAPE, other, honest())
    assert found.endswith(said)


@pytest.mark.parametrize("counts", [[], [5, 5], [4]])
def test_how_often_chance_is_drawn_counts(counts: list[int]) -> None:
    (said,) = object_to(SURVEY, TAPE, replace(honest(), drawn=counts), honest())
    assert "words from crypto.getRandomValues, expected 5 once" in said


def test_what_chance_leaves_out_is_reported_undrawn() -> None:
    survey = read(vectors.asking_file()).survey
    body = expected_body(survey, drawn(survey)[0].one)
    assert NOT_DRAWN in Report.from_json(body.encode()).answers
