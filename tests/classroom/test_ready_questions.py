"""The questions that are ready for a class: a dozen, in five languages, and all can be played."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.classroom.class_state import can_be_shown
from deniable.cli.classroom import DEFAULT
from deniable.cli.main import commands
from deniable.server.desk.editor.starters import ready_questions
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES

READY = ready_questions()


def test_there_are_a_dozen_of_two_kinds() -> None:
    assert len(READY) == 12
    answers = [len(read(text).survey.items[0].truths) for text in READY.values()]
    assert sum(count == 2 for count in answers) >= 6
    assert sum(count > 2 for count in answers) >= 3


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
    texts = [question.text, *(dict(one.questions)[question.id].text for one in survey.translations)]
    assert len({*texts}) == len(LANGUAGES)
    assert can_be_shown(survey.items[0])


def test_the_first_have_shares_to_check() -> None:
    first, second, *_ = READY
    assert first == DEFAULT
    assert "one of ten digits, so 10 %" in READY[first]
    assert "90 of 365 days, so 25 %" in READY[second]
    assert (31 + 28 + 31, round(100 * 90 / 365)) == (90, 25)
