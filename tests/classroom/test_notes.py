"""What the presenter reads with the numbers of this class, and the questions that are ready."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from deniable import designs
from deniable.analysis.planning.reach import greatest_reach
from deniable.classroom.class_state import Class, can_be_taught
from deniable.classroom.steps import STEPS, beside, step_of
from deniable.cli.classroom import DEFAULT
from deniable.cli.main import commands
from deniable.server.desk.editor.starters import expected_share, ready_questions
from deniable.server.desk.live.state import texts_of
from deniable.server.store.meetings import FIRST_STEP
from deniable.server.web.words import words
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.classroom.classes import FOUR, a_class, notes, scene

CLASSES = [
    a_class(0, 0),
    a_class(18, 12),
    a_class(*range(1, 5), law="epsilon: 1", answers=FOUR),
    a_class(6, 0),
    a_class(900, 300),
]


def nearer(yes: int, n: int) -> float:
    """Return how often the un-mixed share is nearer to the truth than the received one.

    Two coins, and each way in which they can fall for those who say yes in truth and the others.
    """
    x = np.arange(n + 1)
    kept = np.asarray(stats.binom.pmf(x[: yes + 1], yes, 3 / 4))
    turned = np.asarray(stats.binom.pmf(x[: n - yes + 1], n - yes, 1 / 4))
    # In quarters of a person, as whole numbers: un-mixed, x reports are 2x − n/2 people.
    helps = abs(4 * (2 * x - yes) - 2 * n) < abs(4 * (x - yes))
    return float(np.convolve(kept, turned)[helps].sum())


def wall(shown: Class, step: str) -> tuple[str, ...]:
    found = scene(shown, step)
    return *found["said"], found["formula"]


THIRTY, TEN = a_class(18, 12), a_class(4, 6)
COINS = "“What chance decided: for your eyes only”"


@pytest.mark.parametrize(
    ("told", "shown", "step", "sentence"),
    [
        (notes, THIRTY, "sure", "4,335 people with these coins, and 1,101 without: 3.9 times"),
        (wall, THIRTY, "sure", "“Yes”: 30 % · between 0 % and 67 %"),
        # Of 30 people a quarter send something else; of ten a half of a phone goes up.
        (notes, THIRTY, "coins", "About 8 of 30 phones (25 %)"),
        (notes, TEN, "coins", "About 3 of 10 phones (25 %)"),
        (wall, TEN, "sent", COINS),
        # One report of 30, times 1 / (1 − 2p).
        (notes, THIRTY, "people", "6.7 points"),
        # 12 of 30 less 7.5 by chance, stretched.
        (wall, THIRTY, "unmix", "(ā − p) / (1 − 2p) = (40 − 25) / (100 − 50) = 30 %"),
        (wall, THIRTY, "unmix", "ā is what came, the dashed outline: 12 of 30 (40 %) sent “Yes”."),
        (wall, THIRTY, "unmix", "p is what chance alone makes say “Yes”: 25 % of all."),
        # Where the divisor comes from, in people and in percent.
        (
            wall,
            THIRTY,
            "people",
            "chance alone makes 15, on average, and lets 15",
        ),
        (wall, a_class(25, 16), "people", "and lets 20.5 through."),
        (wall, THIRTY, "unmix", "It lets 1 − 2p of all answers through: 50 %."),
        (wall, THIRTY, "people", "Of the 15 by chance, 7.5 say “Yes”."),
        (wall, THIRTY, "people", "4.5 of the 15 that came through say “Yes” (30 %)."),
        (wall, THIRTY, "people", "(12 − 7.5) / 15 = 30 %"),
        (wall, THIRTY, "point", "makes the odds at most 3 times larger or smaller"),
        (notes, THIRTY, "point", "the logarithm of the factor 3 of the odds, so 1.099"),
        # 50 ln 3, and three of four after one report.
        (notes, THIRTY, "again", "54.9"),
        (
            wall,
            THIRTY,
            "again",
            "Our phones repeat one report, which tells nothing new.",
        ),
    ],
)
def test_the_arithmetic_of_a_class_is_said(
    told: Callable[[Class, str], tuple[str, ...]], shown: Class, step: str, sentence: str
) -> None:
    assert sentence in " ".join(told(shown, step))


def test_people_come_before_percent() -> None:
    shown = a_class(18, 12, direct=(20, 10), chosen=3)
    for step in STEPS:
        said = json.dumps([step.scene(shown), notes(shown, step.slug)], ensure_ascii=False)
        assert not re.search(r"\d %[^.]{0,12} of \d", said), step.slug
        assert not re.search(r"\d %\)? \(\d+ of", said), step.slug
    assert "12 of 30 (40 %)" in json.dumps(scene(shown, "bars"))
    assert "10 of 30 (33.3 %)" in json.dumps(scene(shown, "direct"))


def test_coins_are_on_the_phone_as_said() -> None:
    coins = Path(__file__).parents[2] / "client" / "browser" / "page" / "coins.js"
    assert COINS.strip("“”") in coins.read_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_name_the_parts_of_the_presenter_s_page(language: str) -> None:
    say = words(language).say
    for step, part in (("again", "Compare without asking"), ("point", "On the projector")):
        told = words(language).rendered_all(notes(THIRTY, step), texts_of(THIRTY))
        assert say(part) in " ".join(told)
        assert f'_("{part}")' in PRESENTER


PRESENTER = (Path(__file__).parents[2] / "templates" / "desk" / "meeting.html").read_text()


def test_steps_lead_from_first_to_last_and_back() -> None:
    way = [FIRST_STEP]
    while (following := beside(way[-1], 1)) is not None:
        assert beside(following.slug, -1) == step_of(way[-1])
        way.append(following.slug)
    assert way == [step.slug for step in STEPS]
    assert beside(FIRST_STEP, -1) is None
    # A lesson of 45 minutes has time for a question.
    assert sum(step.minutes for step in STEPS) <= 42


PLAN = (Path(__file__).parents[2] / "docs" / "first-lesson.md").read_text()
LESSON = PLAN.partition("## A lesson")[2].partition("\n## ")[0]


def test_the_lesson_plan_has_steps_and_minutes() -> None:
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", LESSON, re.MULTILINE)
    assert rows == [(str(step.minutes), step.title) for step in STEPS]
    assert LESSON.startswith(f" of {sum(step.minutes for step in STEPS)} minutes")


def test_the_lesson_plan_has_the_intervals_reach() -> None:
    people, points = re.findall(r"^\| (?:People|± points) \| (.*) \|$", PLAN, re.MULTILINE)
    sizes = [int(size.replace(",", "")) for size in people.split(" | ")]
    reaches = [float(greatest_reach(designs.truth_or_random(), n)[1]) for n in sizes]
    assert [int(one) for one in points.split(" | ")] == [round(100 * reach) for reach in reaches]
    # Of so many classes, where 30 % say yes, in how many five or more do, or none.
    shown = re.findall(
        r"(\d+)(?: of 100 classes)? of (20|30|40)\b", PLAN.partition("It is shown")[2]
    )
    assert [n for _, n in shown[:3]] == ["20", "30", "40"]
    for of_100, n in shown[:3]:
        small = float(np.sum(stats.binom.pmf(range(1, 5), int(n), 0.3)))
        assert int(of_100) == min(round(100 * (1 - small)), 99)
    hidden = sum(math.comb(40, yes) * 9 ** (40 - yes) for yes in range(1, 5)) / 10**40
    assert f"10 % say yes, in {100 * hidden:.0f} of 100 classes of 40" in PLAN
    near, far = (nearer(3 * n // 10, n) for n in (40, 120))
    assert f"In {100 * near:.0f} of 100 classes of 40 the bar without the coins’ share" in PLAN
    assert f"and in {100 * far:.0f} of 100 classes of 120." in PLAN
    # Fewer than a quarter of 30 reports, where nobody says yes: a sum over all that can be.
    below = sum(math.comb(30, yes) * 3 ** (30 - yes) for yes in range(8)) / 4**30
    assert below == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_no_english_is_left_however_many_have_answered(language: str) -> None:
    english = re.compile(r"\b(the|with|and|is|at|from)\b", re.IGNORECASE)
    for shown in CLASSES:
        texts = texts_of(shown)
        for step in STEPS:
            found = scene(shown, step.slug)
            told = [*notes(shown, step.slug), *found["said"]]
            said = words(language).rendered_all(told, texts)
            # Written from right to left, what has no translation has marks around it.
            kept = [one for one, now in zip(told, said, strict=True) if one in now]
            assert kept == [], step.slug
            whole = json.dumps(words(language).rendered_all([told, found], texts))
            assert english.findall(whole) == [], step.slug


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_and_percent_signs_stay_together(language: str) -> None:
    shown = a_class(18, 12)
    told = [of(shown, step.slug) for step in STEPS for of in (notes, scene)]
    said = json.dumps(words(language).rendered_all(told, texts_of(shown)), ensure_ascii=False)
    assert not re.search(r"\d [%٪]", said)
    assert re.search(r"\d\u00a0[%٪]", said)


def test_numbers_have_as_many_digits_as_useful() -> None:
    """Of ε = ln 3 it reads 1.099 or 54.9, and nowhere 1.098612."""
    for shown in (
        a_class(18, 12, direct=(20, 9)),
        a_class(19, 12, 8, 1, law="epsilon: 1", answers=FOUR),
    ):
        for step in STEPS:
            picture = step.scene(shown).pop("picture")  # its values are for the script that draws
            told = [step.scene(shown) | {"picture": None}, notes(shown, step.slug)]
            texts = [row["text"] for row in (picture or {}).get("rows", ())]
            assert not re.findall(r"\d\.\d{4,}", json.dumps([told, texts])), step.slug


READY = ready_questions()


@pytest.mark.parametrize("name", READY)
def test_each_is_checked_and_played_in_five_languages(name: str, tmp_path: Path) -> None:
    file = tmp_path / "ready.yaml"
    file.write_text(READY[name], encoding="utf-8")
    found = CliRunner().invoke(commands, ["check", str(file), "--respondents", "30"])
    assert found.exit_code == 0, found.output
    survey = read(READY[name]).survey
    assert survey.slug == name
    assert survey.languages == LANGUAGES
    # In each language other words: nothing was forgotten.
    (question,) = survey.questions
    texts = [question.text, *(one.questions[question.id].text for one in survey.translations)]
    assert len({*texts}) == len(LANGUAGES)
    assert can_be_taught(survey.items[0])


def test_the_first_have_shares_to_check() -> None:
    first, second, *_ = READY
    assert first == DEFAULT
    assert "108 of 365 days, so 30 %" in READY[first]
    assert "one of ten digits, so 10 %" in READY[second]
    assert (12 * 9, round(100 * 108 / 365)) == (108, 30)
    # Nobody takes the truth for the chance by which the coins change an answer.
    flips = read(READY[first]).survey.items[0].flips or ()
    assert 0.3 not in {round(float(flip), 2) for flip in flips}
    for name, shares in ((first, [0.7, 0.3]), (second, [0.9, 0.1]), ("first-drink", [None] * 2)):
        survey = read(READY[name]).survey
        asked = survey.questions[0]
        said = [asked.text, *(one.questions[asked.id].text for one in survey.translations)]
        for text in said:
            assert [expected_share(text, truth) for truth in (0, 1)] == shares
