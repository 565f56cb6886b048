"""A survey keeps its promise: its questions and items, its address, and what a prompt shows."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from deniable import Survey, designs, identity
from deniable.server.desk.editor.starters import ready_questions
from deniable.survey.address import LETTERS, PATTERN, address_of
from deniable.survey.kind import MeetingQuestion
from deniable.survey.meeting import (
    asked_directly,
    asked_for_a_guess,
    can_be_played,
    in_meeting,
    played,
)
from deniable.survey.questions import Ask
from deniable.survey_file import read
from tests import vectors
from tests.kit import surveys


def test_no_survey_spends_more_than_it_promises(survey: Survey) -> None:
    spent = sum(item.epsilon_millionths for item in survey.items)
    dataclasses.replace(survey, epsilon_millionths=spent)
    with pytest.raises(ValueError, match=r"add up to 2\.999997, more than the 2\.999996 promised"):
        dataclasses.replace(survey, epsilon_millionths=spent - 1)


def test_the_dearest_draw_keeps_the_promise(asking: Survey) -> None:
    # 1 for the question of its own cost, of which one item is asked, and 1 for each of two others.
    assert asking.epsilon_of(asking.question("offered")) == 1
    assert asking.epsilon_of(asking.question("knew")) == 1
    assert asking.spent_millionths == 3_000_000
    with pytest.raises(ValueError, match=r"add up to 3\.0, more than the 2\.999999 promised"):
        dataclasses.replace(asking, epsilon_millionths=2_999_999)
    years = asking.items[8]
    dear = dataclasses.replace(years, reports=years.truths, channel=designs.k_ary(41, 2))
    items = (*asking.items[:8], dear, *asking.items[9:])
    with pytest.raises(ValueError, match=r"add up to 4\.0"):
        dataclasses.replace(asking, items=items)
    assert dataclasses.replace(asking, items=items, epsilon_millionths=4_000_000).epsilon == 4


@pytest.mark.parametrize(
    ("count", "questions"),
    [
        (0, ("doped", "knew")),
        (2, ("doped", "knew")),
        (True, ("doped", "knew")),
        (1, ("doped", "doped")),
        (1, ("doped", "nobody")),
        (1, ("doped", "age")),
        (1, ()),
    ],
)
def test_the_undrawable_is_refused(asking: Survey, count: int, questions: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, ask=Ask(count, questions))


@pytest.mark.parametrize(("id", "ask"), [("offered", 4), ("offered", 0), ("doped", 1), ("age", 1)])
def test_an_unaskable_part_of_a_question_is_refused(asking: Survey, id: str, ask: int) -> None:
    questions = tuple(
        dataclasses.replace(question, ask=ask) if question.id == id else question
        for question in asking.questions
    )
    with pytest.raises(ValueError, match="expected to ask"):
        dataclasses.replace(asking, questions=questions)


def test_comprehension_of_nothing_cannot_be(survey: Survey) -> None:
    (direct,) = [item for item in survey.items if item.epsilon is None]
    question = survey.question(direct.question)
    with pytest.raises(ValueError, match="expected a randomised question"):
        dataclasses.replace(survey, questions=(question,), items=(direct,), comprehension=True)


EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_every_example_fits_on_a_screen(path: Path) -> None:
    survey = read(path.read_text(encoding="utf-8")).survey
    lines = repr(survey).splitlines()
    assert len(lines) == 1 + len(survey.questions)
    assert f"ε {survey.epsilon:g}" in lines[0]
    assert survey.shown_number in lines[0]
    for question, line in zip(survey.questions, lines[1:], strict=True):
        assert line.split()[0] == question.id
        epsilon = survey.epsilon_of(question)
        assert ("direct" if epsilon is None else f"ε {epsilon:g}") in line
    direct = sum(" direct " in line for line in lines[1:])
    # No bound is said of a set that holds an answer without one.
    assert (f"ε {survey.epsilon:g}; {direct} asked directly;" in lines[0]) == (direct > 0)
    page = survey._repr_html_()
    assert page.count("<tr>") == len(lines)


@pytest.mark.parametrize(("count", "left"), [(60, "40 more questions"), (21, "1 more question")])
def test_a_survey_says_how_many_are_left_out(count: int, left: str) -> None:
    questions = (
        f"id: q{n}, text: 'A <b> & {'long ' * 50}', type: single, answers: [No, Yes]"
        for n in range(count)
    )
    survey = read(surveys.file_of(*questions, head="epsilon: 1")).survey
    assert repr(survey).endswith(f"… and {left}")
    assert "A &lt;b&gt; &amp; long" in survey._repr_html_()


def test_a_channel_shows_its_chances_truth_by_truth() -> None:
    assert repr(designs.k_ary(3, keep="1/2")) == (
        "Channel(3 truths, 3 reports, ε 0.693148: 0.5 0.25 0.25 / 0.25 0.5 0.25 / 0.25 0.25 0.5)"
    )
    assert "ε inf" in repr(identity(2))
    large = designs.k_ary(255, 3)
    assert "255 truths, 255 reports" in repr(large)
    rows = re.findall(r"<tr><th>([^<]*)</th>(.*?)</tr>", large._repr_html_())
    assert [name for name, _ in rows[1:]] == ["0", "1", "2", "3", "…", "254"]
    # The diagonal is the chance of the truth, in the first rows and in the last.
    kept = f"{large.probabilities[0, 0]:.4g}"
    assert [place for place, (_, cells) in enumerate(rows[1:]) if f"<td>{kept}</td>" in cells] == [
        0, 1, 2, 3, 5,
    ]  # fmt: skip


def test_three_surveys_have_texts_in_every_language() -> None:
    """A device lists them by their titles, and only one of them has a bound."""
    survey = read(ready_questions()["first-drink"]).survey
    (question,) = (one for one in survey.questions if can_be_played(survey, one))
    noisy = in_meeting(played(survey, question), MeetingQuestion("K7M4RX", 1))
    direct = asked_directly(noisy, 10)
    guess = asked_for_a_guess(noisy, 2, 10)
    titles = [
        [one.title, *(texts.title for texts in one.translations)] for one in (noisy, direct, guess)
    ]
    assert titles[1][0] == f"{survey.title} (asked directly)"
    for at, language in enumerate(survey.languages):
        told = [those[at] for those in titles]
        assert len(set(told)) == 3, language
        assert all(title.startswith(told[0]) for title in told), language
    assert [one.epsilon_of(one.questions[0]) for one in (direct, guess)] == [None, None]
    assert (noisy.asked_directly, guess.spent_millionths) == ((), 0)
    assert [one.code for one in guess.items[0].truths] == [str(number) for number in range(101)]
    # A guess names the question and the answer that it is about.
    assert guess.languages == noisy.languages == ("en", "de", "fr", "es", "ar")
    for asked, of in zip(guess.translations, noisy.translations, strict=True):
        (told_of,), (meant,) = asked.questions.values(), of.questions.values()
        assert meant.answers[noisy.items[0].truths[2].code] in told_of.text
        assert meant.text in told_of.text


KNOWN = json.loads((Path(vectors.__file__).parent / "addresses.json").read_text())


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known["at"])
def test_an_address_is_seven_letters_of_a_hash(known: dict[str, str]) -> None:
    named = known.get("address") == "named"
    kind = known.get("kind", "survey")
    assert address_of(known["survey"], kind, named=named) == known["at"]
    assert re.fullmatch(PATTERN, known["at"])


def test_no_address_is_a_word_or_page() -> None:
    assert {*"AEIOULQ"}.isdisjoint(LETTERS)
    for path in ("/device/", "/join/", "/client/", "/health/", "/s//", "/BCDFGH/", "/bcdfghj/"):
        assert not re.fullmatch(PATTERN, path)
