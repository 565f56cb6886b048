"""Questions that are randomised as one answer: their cells, their law, and who refuses what."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from deniable import Survey, exact
from deniable.channel import ROW_SUM
from deniable.client.memory import Kept
from deniable.client.respondent import draw_report
from deniable.report import NOT_ASKED, Report, ValueMistake
from deniable.survey.together import Group
from deniable.survey_file import SurveyFileError, read
from deniable.text.sureness import sureness
from tests import vectors
from tests.kit.surveys import DRAWN, TOGETHER, together


def of(*sizes: int, epsilon: object = 2) -> Survey:
    """Ask questions of so many answers each as one."""
    return read(together(*sizes, epsilon=epsilon)).survey


@pytest.mark.promise("noise")
@pytest.mark.parametrize("text", [together(2, 2), together(2, 3, 2), TOGETHER, DRAWN])
def test_a_group_costs_its_epsilon_once(text: str) -> None:
    survey = read(text).survey
    (group,) = survey.groups
    laws = {
        cell: {group.cells[at]: Fraction(w, ROW_SUM) for at, w in enumerate(row)}
        for cell, row in zip(group.cells, group.channel.weights, strict=True)
    }
    worst = max(
        laws[one][sent] / laws[other][sent] for one, other, sent in product(laws, laws, laws)
    )
    assert exact.log_millionths(worst) == group.channel.epsilon_millionths
    # Whoever knows all other answers learns as much of one alone.
    millionths = {survey.items[place].epsilon_millionths for place in survey.places_together[0]}
    assert millionths == {group.channel.epsilon_millionths}
    others = [one for one in survey.items if one.group is None]
    costs = [group.channel.epsilon_millionths, *(one.epsilon_millionths for one in others)]
    everything = max(costs) if survey.ask else sum(costs)
    assert survey.spent_millionths == everything <= survey.epsilon_millionths
    # The law of each question is what its own part of the cells says, to the integer.
    for at, place in enumerate(survey.places_together[0]):
        for cell, law in laws.items():
            sent = Counter[int]()
            for to, chance in law.items():
                sent[to[at]] += int(chance * ROW_SUM)
            row = survey.items[place].channel.weights[cell[at]]
            assert [sent[report] for report in range(len(row))] == list(row)
    assert Survey.from_json(survey.to_json()) == survey


def test_a_group_of_all_reads_as_one_answer() -> None:
    found = sureness(of(2, 2, epsilon="1.098612"))
    assert found is not None
    assert (found.one, found.all) == (75, 75)


def test_cells_that_cannot_be_are_none() -> None:
    survey = read(TOGETHER).survey
    (group,) = survey.groups
    codes = [[t.code for t in survey.items[place].truths] for place in survey.places_together[0]]
    cells = [
        tuple(own[truth] for own, truth in zip(codes, cell, strict=True)) for cell in group.cells
    ]
    declines, skipped = "prefer_not_to_say", "does_not_apply"
    assert cells == [
        ("no", skipped),
        ("yes", "no"),
        ("yes", "yes"),
        *((declines, one) for one in ("no", "yes", skipped)),
    ]


def test_the_impossible_is_neither_drawn_nor_taken() -> None:
    survey = read(TOGETHER).survey

    def words(count: int) -> npt.NDArray[np.uint32]:
        return np.arange(1, count + 1, dtype=np.uint32)

    # In the order of the survey: doped, slept, knew.
    with pytest.raises(ValueError, match="doped and knew: expected answers that can all be true"):
        draw_report(survey, [0, 0, 1], words)
    report = draw_report(survey, [0, 0, 2], words)
    report.check(survey)
    for answers in (bytes([0, 0, 1]), bytes([0, 0, NOT_ASKED])):
        with pytest.raises(ValueMistake, match="doped and knew that can all be true"):
            report._replace(answers=answers).check(survey)
    report._replace(answers=bytes([NOT_ASKED, 0, NOT_ASKED])).check(survey)


def test_the_shared_cases_give_the_shared_bytes() -> None:
    for case in vectors.together():
        survey = Survey.from_document(case["document"])
        assert [list(cell) for cell in survey.groups[0].cells] == case["cells"]
        for one in case["cases"]:
            words = vectors.source_of([0, 0, 0, 1, *one["words"]])
            report = draw_report(survey, one["truths"], words, wave=1)
            assert report.answers.hex() == one["answers"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ("00 fe 02", ""),
        ("fe 01 fe", ""),
        ("00 fe fe", "chance can draw together"),
        ("00 01 fe", "chance can draw together"),
        ("00 01 02", "chance can draw together"),
        ("00 fe ff", "doped and knew that can all be true"),
    ],
)
def test_a_group_is_drawn_whole_or_not(answers: str, said: str) -> None:
    survey = read(DRAWN).survey
    (draw,) = survey.draws
    assert (draw.choices, draw.places) == (("doped", "slept"), ((0, 2), (1,)))
    # The six cells need more people than two answers do.
    assert 0.75 < survey.share_asked((0, 2)) < 1
    report = Report("pair", survey.revision, bytes(16), bytes.fromhex(answers))
    with pytest.raises(ValueMistake, match=said) if said else nullcontext():
        report.check(survey)


def test_of_a_group_all_is_due_or_nothing() -> None:
    survey = read(TOGETHER).survey
    kept = Kept()
    kept.note(survey, np.array([True, False, False]))
    assert kept.due(survey).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("group", "keys", "line", "said"),
    [
        ("[doped, knwe]", {}, 5, "there is no question 'knwe': did you mean 'knew'?"),
        ("[doped]", {}, 5, "expected the ids of two questions or more"),
        ("doped", {}, 5, "expected ids of questions, such as [doped, knew]"),
        ("[doped, doped]", {}, 5, "'doped' stands here twice"),
        ("[[doped, knew], [age, knew]]", {}, 5, "'knew' stands here twice"),
        ("[doped, knew]", {"knew": ", protection: direct"}, 5, "'knew' is direct"),
        ("[doped, many]", {}, 5, "'many' has several items"),
        (
            "[doped, knew]",
            {"knew": ", style: statement, statements: [I never did, I did]"},
            5,
            "'knew' is asked by a spinner, which is its own chance: leave 'style' out",
        ),
        ("[doped, knew]", {"knew": ", flip: 1/4"}, 5, "leave 'flip' of 'knew' out"),
        ("[age, big]", {}, 5, "expected at most 254 combinations of answers, found 400"),
    ],
)
def test_conflicts_say_their_place(group: str, keys: dict[str, str], line: int, said: str) -> None:
    text = f"""version: 1
survey: s
title: T
epsilon: 4
together: {group}
questions:
  - {{id: doped, text: Doped, type: single, answers: ["No", "Yes"]}}
  - {{id: knew, text: Knew, type: single, answers: ["No", "Yes"]{keys.get("knew", "")}}}
  - {{id: many, text: Took, type: many, answers: [Iron, Gold]}}
  - {{id: age, text: Age, type: number, min: 1, max: 20}}
  - {{id: big, text: Big, type: number, min: 1, max: 20}}
{keys.get("survey", "")}
"""
    with pytest.raises(SurveyFileError) as found:
        read(text)
    first = min(one for one in found.value.mistakes if said in one.message)
    assert first.line == line


def test_a_group_that_lies_is_refused() -> None:
    survey = of(2, 2)
    (group,) = survey.groups
    for other in (0, ROW_SUM // 4, 1.5, True):
        with pytest.raises(ValueError, match="weight of each other cell"):
            Group(group.questions, group.cells, other)  # type: ignore[arg-type]  # what a server may send
    less = replace(group, other=group.other - 1)
    with pytest.raises(ValueError, match="its part of what is drawn together"):
        replace(survey.items[0], group=less)
    with pytest.raises(ValueError, match="answers that can all be true, found none"):
        Group(group.questions, (), group.other)
    fewer = Group(group.questions, group.cells[:3], group.other)
    items = [replace(one, group=fewer, channel=fewer.law(one.question)[1]) for one in survey.items]
    with pytest.raises(ValueError, match="randomised together"):
        replace(survey, items=tuple(items), epsilon_millionths=5_000_000)
