"""The waves of a study are those of the analysis, and of one wave's reports alone."""

from pathlib import Path

import numpy as np
import pytest

import deniable
from deniable.analysis.export import lay_out
from deniable.analysis.waves import count_waves, summarise_waves
from deniable.study import Study
from tests.surveys_in_waves import panel


@pytest.fixture
def study() -> Study:
    survey, random = panel(), np.random.default_rng(2)
    counts = [item.channel.reports for item in survey.items[:-1]]
    answers = [[*random.integers(0, counts), wave] for wave in (0, 2) for _ in range(40 + wave)]
    made: Study = deniable.open(survey, np.array(answers, dtype=np.uint8))
    return made


def test_all_waves_and_the_changes_are_those_of_the_analysis(study: Study) -> None:
    expected = lay_out(
        summarise_waves(study.survey, count_waves([study.answers.tobytes()], study.survey))
    ).rows
    found = study.waves()
    assert list(found.export.rows) == list(expected)
    assert "Wave 3 of 3: 42 respondents" in repr(found)
    assert "Wave 2" not in repr(found)
    changes = study.changes().export.rows
    assert list(changes) == [row for row in expected if row["since"] is not None]
    assert {(row["since"], row["wave"]) for row in changes} == {(1, 3)}
    assert "<table>" in study.changes()._repr_html_()
    frame = pytest.importorskip("pandas") and study.waves("doped").to_frame()
    assert set(frame["question"]) == {"doped"}


def test_one_wave_is_the_study_of_its_reports(study: Study) -> None:
    alone = deniable.open(study.survey, study.answers[study.answers[:, -1] == 2])
    one = study.shares("doped", wave=3).export.rows
    assert list(one) == list(alone.shares("doped").export.rows)
    assert study.wave(3).n == 42
    assert study.wave(2).n == 0
    for wave in (0, 4):
        with pytest.raises(ValueError, match="from 1 to 3"):
            study.wave(wave)


def test_the_trend_of_a_question_is_drawn(study: Study, tmp_path: Path) -> None:
    study.waves("doped").figure(tmp_path / "trend.svg")
    assert (tmp_path / "trend.svg").read_text().startswith("<?xml")
    with pytest.raises(ValueError, match="ask for one question"):
        study.changes().figure()
    with pytest.raises(ValueError, match="no reports yet"):
        Study.of(study.survey, [], "").waves()
    with pytest.raises(ValueError, match="'dopd'"):
        study.waves("dopd")
