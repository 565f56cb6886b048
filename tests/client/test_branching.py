"""Who skips what, and what is true of them then."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from deniable.channel import ROW_SUM
from deniable.client.branching import complete, skip
from deniable.client.panel import simulate_panel
from deniable.client.population import RateMistake, read_population
from deniable.client.randomness import seeded_words
from deniable.client.respondent import draw_report
from deniable.client.simulation import simulate
from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors
from tests.client.test_respondent import CREATED, answered_by, talking

pytestmark = pytest.mark.promise("branches")

ONE = Fraction(1)

TEXT = """\
version: 1
survey: b
title: T
branch: hidden
epsilon: 6
questions:
  - {id: doped, text: T, type: single, answers: [No, Yes, Unsure], prefer_not_to_say: true}
  - {id: taken, text: T, type: many, answers: [A, B], ask_if: {doped: [yes, unsure]}}
  - {id: knew, text: T, type: single, answers: [Does not apply, Nobody, Coach],
     ask_if: {taken.b: yes}}
  - {id: told, text: T, type: single, answers: [No, Yes], ask_if: {knew: does_not_apply}}
  - {id: age, text: T, type: single, answers: [Young, Old], protection: direct}
  - {id: retired, text: T, type: number, min: 0, max: 2, ask_if: {age: old, doped: no}}
"""
# doped: 0 no, 1 yes, 2 unsure, 3 declines. taken.a, taken.b: 0 no, 1 yes, 2 does not apply.
# knew: 0 does not apply (also to be ticked), 1, 2. told: 2 does not apply. retired: 3 does not.


@pytest.fixture(scope="module")
def survey() -> Survey:
    return read(TEXT).survey


@pytest.fixture(scope="module")
def shown() -> Survey:
    return read(TEXT.replace("branch: hidden\n", "")).survey


SKIPPED = (None, 2, 2, 0, 2, None, 3)
"""What is true of those whom an item does not apply to."""


def given_by(truths: list[int]) -> list[int | None]:
    """Leave out what does not apply, as the file above says it in words."""
    doped, a, b, knew, told, age, retired = truths
    taken = doped in (1, 2)
    asked_knew = taken and b == 1
    asked_told = asked_knew and knew == 0
    return [
        doped,
        a if taken else None,
        b if taken else None,
        knew if asked_knew else None,
        told if asked_told else None,
        age,
        retired if age == 1 and doped == 0 else None,
    ]


def by_hand(truths: list[int]) -> list[int | None]:
    return [
        true if one is None else one for one, true in zip(given_by(truths), SKIPPED, strict=True)
    ]


def test_what_can_be_is_skipped_by_hand(survey: Survey) -> None:
    answers = [
        list(one) for one in product(range(4), *[range(2)] * 2, range(3), *[range(2)] * 2, range(3))
    ]
    skipped = skip(survey, np.array(answers, dtype=np.uint8))
    assert skipped.tolist() == [by_hand(one) for one in answers]
    # What was skipped already stays as it is, and need not be answered, but may.
    assert skip(survey, skipped).tolist() == skipped.tolist()
    for one, truths in zip(answers, skipped.tolist(), strict=True):
        assert complete(survey, given_by(one)) == complete(survey, truths) == truths


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0, 1, None, None, None, 0, None], r"taken\.a: expected no answer.*found 'yes'"),
        ([1, 0, 0, 1, None, 0, None], r"knew: expected no answer.*found 'nobody'"),
        ([1, 0, 1, 1, 0, 0, None], r"told: expected no answer"),
        ([1, 0, None, None, None, 0, None], r"taken\.b: expected an answer, found none"),
        ([1, 0, 2, None, None, 0, None], r"taken\.b: expected an answer, it applies"),
        ([0, None, None, None, None, 1, 3], r"retired: expected an answer, it applies"),
        ([4, None, None, None, None, 0, None], r"doped: expected 0 to 3, found 4"),
        ([None] * 7, r"doped: expected an answer, found none"),
        ([0], r"expected truths of 7 items, found 1"),
    ],
)
def test_contradictions_are_refused(survey: Survey, given: list[int | None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        complete(survey, given)


@pytest.mark.parametrize(
    ("given", "completed"),
    [
        # What is impossible is sent as it is said, also where what it needs was not said.
        ([0, 1, 0, 2, 1, 0, None], [0, 1, 0, 2, 1, 0, 3]),
        ([1, 2, 2, 0, 2, 0, None], [1, 2, 2, 0, 2, 0, 3]),
        ([1, 0, 1, 0, 1, 1, 2], [1, 0, 1, 0, 1, 1, 2]),
        ([0, None, None, None, None, 1, 3], [0, 2, 2, 0, 2, 1, 3]),
        # A direct answer decides all the same, and what is clear need not be said.
        ([0, None, None, None, None, 0, 1], r"retired: expected no answer"),
        ([1, 0, None, None, None, 0, None], r"taken\.b: expected an answer, found none"),
    ],
)
def test_what_is_shown_to_all_may_be_impossible(
    shown: Survey, given: list[int | None], completed: list[int] | str
) -> None:
    if isinstance(completed, list):
        assert complete(shown, given) == completed
    else:
        with pytest.raises(ValueError, match=completed):
            complete(shown, given)


def test_slips_say_the_opposite_of_what_is_true(shown: Survey, survey: Survey) -> None:
    truths = np.array([[0, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 1, 1, 2]], dtype=np.uint8)
    nobody = np.zeros((2, len(shown.questions)), dtype=np.bool_)
    assert skip(shown, truths, nobody).tolist() == skip(shown, truths).tolist()
    assert skip(survey, truths, ~nobody).tolist() == skip(survey, truths).tolist()
    taken = nobody.copy()
    taken[:, 1] = True
    assert skip(shown, truths, taken).tolist() == [
        [0, 1, 0, 0, 2, 0, 3],
        [1, 2, 2, 0, 2, 1, 3],
    ]
    in_waves = read(TEXT.replace("branch: hidden", "waves: {count: 2, redraw: 0}")).survey
    populations = [read_population(one, ["doped.no=100%"]) for one in (shown, in_waves)]
    once = simulate(populations[0], 4000, seeded_words(7), slips=ONE)
    twice = simulate_panel(populations[1], 4000, words=seeded_words(7), slips=ONE)
    for asked, made in zip((shown, in_waves, in_waves), (*once, *twice), strict=True):
        # It is true of nobody, and everybody says it.
        assert (made.truths[:, 1] == 2).all()
        expected = asked.items[1].channel.weights[0][2] / ROW_SUM
        assert abs((made.answers[:, 1] == 2).mean() - expected) < 6 * (expected / 4000) ** 0.5


def test_made_up_people_obey_the_branching(survey: Survey) -> None:
    rates = ["doped.yes=30%", "doped.unsure=0%", "doped.no=70%", "taken.b=25%", "knew.coach=80%"]
    population = read_population(survey, rates)
    assert [float(sum(shares)) for shares in population.shares] == [1] * 7
    assert [float(share) for share in population.shares[2]] == [0.75, 0.25, 0]
    n = 20_000
    (responses,) = simulate(population, n, seeded_words(5))
    truths = responses.truths
    assert truths.tolist() == [by_hand(one) for one in truths.tolist()]
    asked = truths[:, 0] == 1
    # Six standard errors: a false alarm in 5e8 for each of these.
    for share, of, expected in (
        ((truths[:, 2] == 1)[asked].mean(), asked.sum(), 0.25),
        ((truths[:, 3] == 2)[truths[:, 2] == 1].mean(), (truths[:, 2] == 1).sum(), 0.8),
    ):
        assert abs(share - expected) < 6 * (expected * (1 - expected) / of) ** 0.5
    # Skipping is no answer of its own: what everybody reports has the shape it always has.
    assert responses.answers.shape == (n, 7)
    assert responses.answers.max() < 255


def test_not_applying_is_no_rate(survey: Survey) -> None:
    with pytest.raises(RateMistake, match=r"question 'told' has no answer 'does_not_apply'"):
        read_population(survey, ["told.does_not_apply=50%"])
    shares = read_population(survey, ["knew.does_not_apply=50%"]).shares[3]
    assert float(shares[0]) == 0.5


def test_a_respondent_sends_draws_for_skips(survey: Survey) -> None:
    survey = Survey.from_document(survey.document)
    state = {"about": f"{survey.slug} {survey.revision}", "wave": 1, "state": "open"}
    answers = [answered_by(survey.document), answered_by(state), CREATED]
    with talking(answers * 2, survey) as (respondent, bodies):
        report = respondent.answer([0, *[None] * 4, 0, None], seeded_words(2))
        assert report == draw_report(survey, [0, 2, 2, 0, 2, 0, 3], seeded_words(2))
        assert bodies == [b"", b"", report.to_json()]
        everything = respondent.answer([1, 0, 1, 0, 1, 0, None])
    assert len(everything.to_json()) == len(report.to_json())


def test_the_shared_cases_give_the_shared_bytes() -> None:
    case = vectors.branching()
    survey = Survey.from_document(case["document"])
    for one in case["cases"]:
        assert complete(survey, one["given"]) == one["truths"]
        words = vectors.source_of([0, 0, 0, 1, *one["words"]])
        assert draw_report(survey, one["truths"], words).answers.hex() == one["answers"]
