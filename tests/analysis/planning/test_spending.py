"""ε spent otherwise is what the survey file would say, and what need not change does not."""

from fractions import Fraction
from pathlib import Path

import pytest

from deniable.analysis.planning.spending import Spend, coin_questions, redesign
from deniable.survey import Survey
from deniable.survey_file import read
from deniable.text.sureness import sureness
from tests.quickly import first_of
from tests.surveys_in_waves import panel

EXAMPLES = Path(__file__).parents[3] / "examples"

MIXED = """\
version: 1
survey: mixed
title: Mixed
epsilon: 4
questions:
  - {id: a, text: A, type: single, answers: [No, Yes]}
  - {id: b, text: B, type: single, answers: [1, 2, 3, 4, 5]}
  - {id: c, text: C, type: many, answers: [One, Two, Three], prefer_not_to_say: true}
  - {id: d, text: D, type: number, min: 0, max: 100}
  - {id: e, text: E, type: number, min: 0, max: 9, prefer_not_to_say: true}
  - {id: own, text: F, type: single, answers: [No, Yes],
     design: {forced_response: {truth: 3/4, yes: 2/3}}}
  - {id: plain, text: G, type: single, answers: [No, Yes], protection: direct}
"""


def mixed(budget: str = "") -> Survey:
    return read(MIXED.replace("questions:", f"{budget}\nquestions:")).survey


def alike(one: Survey, other: Survey) -> None:
    """Hold two surveys to the same chances and the same promise."""
    assert [item.channel for item in one.items] == [item.channel for item in other.items]
    assert (one.ask, one.epsilon_millionths) == (other.ask, other.epsilon_millionths)


@pytest.mark.parametrize("split", first_of(["optimal", "equal", "even"]))
def test_a_split_is_that_of_the_survey_file(split: str) -> None:
    alike(redesign(mixed(), Spend(split=split)), mixed(f"split: {split}"))
    # From another split as well: nothing of the former one is left.
    alike(redesign(mixed("split: even"), Spend(split=split)), mixed(f"split: {split}"))


def test_questions_and_epsilon_are_the_survey_file_s() -> None:
    alike(redesign(mixed(), Spend(ask=2)), mixed("ask: 2"))
    alike(redesign(mixed("ask: 2"), Spend(split="equal")), mixed())
    six = read(MIXED.replace("epsilon: 4", "epsilon: 6\nsplit: even")).survey
    alike(redesign(mixed(), Spend(Fraction(6), "even")), six)


def test_another_family_is_that_of_the_survey_file() -> None:
    lines = [
        line[:-1] + ", family: k_ary}" if "id: d," in line else line for line in MIXED.splitlines()
    ]
    alike(redesign(mixed(), Spend(split="equal", design="k_ary")), read("\n".join(lines)).survey)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_nothing_asked_for_changes_nothing(path: Path) -> None:
    survey = read(path.read_text()).survey
    assert redesign(survey, Spend()) == survey
    # A promise in round numbers must not become another one by a rounding.
    if len(survey.questions) == 1:
        for spend in (Spend(split="even"), Spend(design="best")):
            assert sureness(redesign(survey, spend)) == sureness(survey)


@pytest.mark.parametrize("budget", ["", "ask: 2", "split: optimal"])
def test_another_epsilon_moves_all_that_share_it_alike(budget: str) -> None:
    before, after = mixed(budget), redesign(mixed(budget), Spend(Fraction(5)))
    assert after.epsilon == 5
    assert after.spent_millionths <= 5_000_000
    assert after.spent_millionths > 5_000_000 - 20
    grown = {
        round(new.epsilon_millionths / old.epsilon_millionths, 4)
        for new, old in zip(after.items, before.items, strict=True)
        if old.epsilon_millionths and old.question != "own"
    }
    assert len(grown) == 1
    own = before.question("own")
    assert after.items_of(own) == before.items_of(own)


def test_a_flip_is_that_of_the_survey_file_and_pays_for_itself() -> None:
    survey = read((EXAMPLES / "doping.yaml").read_text()).survey
    assert coin_questions(survey) == {"doped": 0.25}
    after = redesign(survey, Spend(flips=(("doped", Fraction(1, 10)),)))
    assert after.items[0].flips == pytest.approx((0.1, 0.1))
    assert after.epsilon == pytest.approx(2.197225, abs=1e-6)


def test_waves_keep_what_a_device_keeps() -> None:
    survey = panel()
    after = redesign(survey, Spend(survey.epsilon_millionths * Fraction(2, 10**6)))
    old, new = survey.randomised[0], after.randomised[0]
    assert old.memory is not None
    assert new.memory is not None
    assert new.memory.redraw == old.memory.redraw
    assert new.epsilon == pytest.approx(2 * (old.epsilon or 0), abs=1e-4)


@pytest.mark.parametrize(
    ("spend", "said"),
    [
        (Spend(split="best"), "equal, even, optimal"),
        (Spend(design="warner"), "k_ary, best"),
        (Spend(Fraction(0)), "above 0"),
        (Spend(Fraction(1, 2)), "own cost"),
        (Spend(Fraction("2.302588")), "'a'"),
        (Spend(ask=9), "1 to 7"),
        (Spend(flips=(("plain", Fraction(1, 4)),)), "'plain'"),
        (Spend(flips=(("a", Fraction(3, 4)),)), "1/2"),
    ],
)
def test_what_cannot_be_is_refused(spend: Spend, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        redesign(mixed(), spend)
