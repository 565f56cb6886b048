"""What a sheet of paper can ask, and which answers it can hold."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from deniable import Survey, coins, designs, disc, paper
from deniable.channel import ROW_SUM
from deniable.paper import Asking
from deniable.survey.items import Item
from deniable.survey.questions import Answer
from deniable.survey_file import read
from tests import vectors
from tests.kit import surveys

THREE = (Answer("a", "A"), Answer("b", "B"), Answer("c", "C"))


def mixed() -> Survey:
    """Build a survey with two options by hand, an item that no hand can do, and a direct one."""
    return surveys.survey(
        surveys.many("offered", ["EPO", "Steroids"]),
        surveys.single("odd", channel=designs.warner(epsilon=4)),
        surveys.single("three", THREE, designs.k_ary(3, 5)),
        surveys.single("age", THREE, direct=True),
    )


def test_a_sheet_asks_what_hands_can_do() -> None:
    survey = mixed()
    found = [paper.asking(survey, question) for question in survey.questions]
    assert found == [
        Asking.BY_HAND,
        Asking.NOT_MAKEABLE,
        Asking.NOT_MAKEABLE,
        Asking.AS_IT_IS,
    ]
    assert paper.places_on_sheet(survey) == {0, 1, 4}


def test_what_hands_hardly_decide_is_said() -> None:
    channels = {"a": designs.warner(flip="1/26"), "b": designs.warner(flip="1/13")}
    survey = surveys.survey(
        *(surveys.single(id, channel=channel) for id, channel in channels.items())
    )
    (told,) = paper.rare_by_hand(survey)
    assert "less than once in 20 times: a." in told


def test_the_impossible_is_not_called_rare() -> None:
    survey = surveys.survey(surveys.single(channel=designs.warner(epsilon=4.5)))
    assert paper.rare_by_hand(survey) == ()


def test_a_sheet_leaves_out_what_is_drawn() -> None:
    survey = read(vectors.asking_file()).survey
    found = {one.id: paper.asking(survey, one) for one in survey.questions}
    assert {id for id, how in found.items() if how is Asking.DRAWN} == {
        *("doped", "offered", "knew", "years")  # no hand makes this number's noise
    }
    head = "version: 1\nsurvey: part\ntitle: T\nquestions:\n"
    question = "{id: q, text: Q, type: many, answers: [a, b, c], ask: 1, flip: 1/4}"
    head = head.replace("title: T", "title: T\nwaves: {count: 2, redraw: 1/4}")
    waves = read(f"{head}  - {question}\n").survey
    assert paper.asking(waves, waves.questions[0]) is Asking.DRAWN
    assert "each wave's sheet would be drawn anew" in paper.left_to_chance(waves)[0]


DRAWN = """\
version: 1
survey: drawn
title: Drawn
epsilon: 7
ask: 2
questions:
  - {id: a, text: A, type: single, answers: [No, Yes]}
  - {id: b, text: B, type: many, answers: [x, y]}
  - {id: c, text: C, type: single, answers: [Never, Once, More]}
  - {id: odd, text: O, type: single, answers: [No, Yes], epsilon: 4}
  - {id: d, text: D, type: many, answers: [u, v, w], flip: 1/4, ask: 1}
  - {id: age, text: Age, type: number, min: 18, max: 99, protection: direct}
"""


def test_sheets_ask_as_often_as_devices() -> None:
    """By each set; a count further than 5.5 σ off in one of 12 sets comes in 5e-7 of the runs."""
    survey = read(DRAWN).survey
    assert survey.ask is not None
    assert survey.ask.chances
    n = 2000
    found = Counter(paper.draw_sheets(survey, n))
    odd, direct = survey.places["odd"][0], survey.places["age"][0]
    expected = {}
    for units in combinations(range(4), 2):
        for one in survey.places["d"]:
            own = {survey.draws[0].places[unit][0] for unit in units} | {one}
            expected[frozenset(own | {direct})] = float(survey.share_asked(own))
    assert sum(expected.values()) == pytest.approx(1)
    for asked, share in expected.items():
        assert odd not in asked
        assert abs(found[asked] - n * share) < 5.5 * math.sqrt(n * share * (1 - share))
    assert sum(found[asked] for asked in expected) == n


def example(name: str) -> Survey:
    return read((surveys.EXAMPLES / f"{name}.yaml").read_text()).survey


def law_by_disc(item: Item) -> list[list[Fraction]]:
    """Spin the disc for each truth, as the sheet tells people to."""
    parts = disc.disc_for(item)
    cells = item.channel.truths if item.group is None else len(item.group.cells)
    if not disc.has_steps(item):
        rest = 1 - sum(parts)
        return [
            [part + rest * (at == own) for at, part in enumerate(parts)] for own in range(cells)
        ]
    always, _, *steps = parts
    assert sum(parts) == 1
    high = [always + sum(steps[:truth]) for truth in range(cells)]
    return [[1 - one, one] for one in high]


@pytest.mark.parametrize(("name", "discs"), [("wellbeing", 2), ("exams", 3)])
def test_paper_draws_the_examples_very_channel(name: str, discs: int) -> None:
    survey = example(name)
    items = [one for one in survey.items if disc.disc_for(one) and not coins.can_be_forced(one)]
    assert len(items) == discs
    for item in items:
        channel = item.channel if item.group is None else item.group.channel
        weights = [[weight / Fraction(ROW_SUM) for weight in row] for row in channel.weights]
        assert law_by_disc(item) == weights
    assert paper.places_on_sheet(survey) == frozenset(range(len(survey.items)))
    assert paper.left_to_chance(survey) == ()


def test_what_no_disc_makes_is_left_out() -> None:
    """A part under 10 degrees; what needs an answer beside it."""
    text = (surveys.EXAMPLES / "exams.yaml").read_text()
    for old, new in [
        ("    max: 5\n", "    max: 30\n"),
        ("have you used help that was not allowed?\n    type: single", "H?\n    type: single"),
    ]:
        changed = text.replace(old, new, 1)
        if "H?" in new:
            changed = changed.replace("H?\n", "H?\n    ask_if: { year: [second, later] }\n")
        survey = read(changed).survey
        assert paper.draws_on_sheet(survey) == ()
        assert "no hand can randomise" in paper.left_to_chance(survey)[0]


def test_a_sheet_names_reports_in_each_language() -> None:
    survey = read(
        """\
version: 1
survey: s
title: {en: T, de: T}
languages: [en, de]
epsilon: 2
questions:
  - id: q
    text: {en: Q, de: Q}
    type: single
    answers: {a: {en: Gift, de: Geschenk}, b: {en: Poison, de: Gift}}
  - {id: odd, text: {en: Q, de: Q}, type: number, min: 0, max: 2, family: two_point}
"""
    ).survey
    gift, boxes = survey.items
    assert paper.printed(survey, gift) == {"Geschenk": 0, "Poison": 1}
    assert {"A": 0, "B": 1}.items() <= paper.printed(survey, boxes).items()
