"""The waves of a study are those of the analysis, and of one wave's reports alone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import deniable
from deniable.analysis.counts.rows import join_rows
from deniable.analysis.counts.tally import count_waves
from deniable.analysis.waves import summarise_waves
from deniable.results.result import Result
from deniable.results.rows import lay_out
from deniable.study import CountedStudy, Study
from deniable.study.questions import QuestionStudy
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import count_full
from deniable.survey import Survey
from deniable.text.doors import at_command, at_desk
from deniable.text.wording import brief_loss
from tests.kit import others, panel


def in_waves(seed: int, *people: tuple[int, int], of: Survey | None = None) -> Study:
    """Draw reports of so many people in each of some waves, which are numbered from 0."""
    survey, random = of or panel(), np.random.default_rng(seed)
    answers = [
        [*random.integers(0, survey.report_counts), wave] for wave, n in people for _ in range(n)
    ]
    made: Study = deniable.open(survey, np.array(answers, dtype=np.uint8))
    return made


@pytest.fixture
def study() -> Study:
    return in_waves(2, (0, 40), (2, 42))


def rows(study: Study) -> list[bytes]:
    return [join_rows(study.answers, study.of_wave, study.survey).tobytes()]


def test_waves_and_changes_are_the_analysis_s(study: Study) -> None:
    expected = lay_out(summarise_waves(study.survey, count_waves(rows(study), study.survey))).rows
    found = study.waves()
    assert list(found.export.rows) == list(expected)
    assert "Wave 3 of 3: 42 respondents" in repr(found)
    assert "Wave 2" not in repr(found)
    changes = study.changes().export.rows
    assert list(changes) == [row for row in expected if row["since"] is not None]
    assert {(row["since"], row["wave"]) for row in changes} == {(1, 3)}
    assert "<table" in study.changes()._repr_html_()
    frame = study.waves("doped").to_frame()
    assert set(frame["question"]) == {"doped"}


def test_one_wave_is_the_study_of_its_reports(study: Study) -> None:
    third = study.of_wave == 3
    alone = Study.of(
        study.survey,
        [join_rows(study.answers[third], study.of_wave[third], study.survey).tobytes()],
        "",
    )
    one = study.wave(3).shares("doped").export.rows
    assert list(one) == list(alone.shares("doped").export.rows)
    assert study.wave(3).n == 42
    assert study.wave(2).n == 0
    for wave in (0, 4):
        with pytest.raises(ValueError, match="of panel, which has 3, found"):
            study.wave(wave)


@pytest.mark.slow
def test_the_trend_of_a_question_is_drawn(study: Study, tmp_path: Path) -> None:
    study.waves("doped").figure(tmp_path / "trend.svg")
    assert (tmp_path / "trend.svg").read_text().startswith("<?xml")
    with pytest.raises(ValueError, match="ask for one question"):
        study.changes().figure()
    with pytest.raises(ValueError, match="no reports yet"):
        Study.of(study.survey, [], "").waves()
    with pytest.raises(ValueError, match="'dopd'"):
        study.waves("dopd")


@pytest.fixture
def answered() -> Study:
    """Forty people in two waves: the same ones, as far as anybody knows."""
    return in_waves(5, (0, 40), (1, 40))


def tallied(study: Study) -> CountedStudy:
    counted = count_full(rows(study), study.survey)
    return CountedStudy.of(Tallies(study.survey, counted), study.source)


def test_over_waves_it_is_the_people_s_mean(
    answered: Study,
) -> None:
    waves = [answered.wave(wave).shares("doped", method="exact").export.rows for wave in (1, 2)]
    for study in (answered, tallied(answered)):
        found = study.shares("doped")
        for row, *each in zip(found.export.rows, *waves, strict=True):
            assert row["high"] == pytest.approx(np.mean([float(str(one["high"])) for one in each]))
            assert row["n"] == 40
        assert found.export.document["n"] == 40
        assert found.export.document["n_by_wave"] == {"1": 40, "2": 40}
        assert "40 people in each of 2 waves" in repr(found)
        for shown in (repr(found), repr(study.shares()), repr(study.by("age", "doped"))):
            assert "80 " not in shown
        assert study.n == 40
    assert "40 people in each of 2 waves" in repr(answered)


def test_groups_over_waves_are_mean_differences(answered: Study) -> None:
    waves = [differences(answered.wave(wave).by("age", "doped")) for wave in (1, 2)]
    for study in (answered, tallied(answered)):
        found = study.by("age", "doped")
        assert len(differences(found)) == 2
        for place, one in enumerate(differences(found)):
            for name in ("estimate", "standard_error", "low", "high"):
                each = [wave[place][name] for wave in waves]
                assert one[name] == pytest.approx(np.mean(each))
            # What leaves 0 out of the interval is below .05, and nothing else is.
            assert (one["low"] > 0 or one["high"] < 0) == (one["p_value"] < 0.05)
        assert found.export.document["homogeneity"] is None  # the only difference tells it


def test_of_other_people_the_waves_are_independent_samples() -> None:
    answered = in_waves(5, (0, 40), (1, 70), of=others())
    waves = [answered.wave(wave) for wave in (1, 2)]
    asked: list[Callable[[QuestionStudy], Result]] = [
        lambda of: of.shares("doped", method="exact"),
        lambda of: of.by("age", "doped"),
        lambda of: of.by("age", "hours"),
        lambda of: of.shares(method="exact"),
    ]
    for study in (answered, tallied(answered)):
        for ask in asked:
            found = ask(study)
            rows = zip(found.export.rows, *(ask(one).export.rows for one in waves), strict=True)
            for row, *each in rows:
                if row["standard_error"] is not None:
                    errors = [float(str(one["standard_error"])) for one in each]
                    assert row["standard_error"] == pytest.approx(np.linalg.norm(errors) / 2)
            for one in differences(found):
                assert (one["low"] > 0 or one["high"] < 0) == (one["p_value"] < 0.05)
            assert "other people answered each time" in repr(found)
            assert "the same people" not in repr(found)


def test_of_other_people_waves_may_share_clusters() -> None:
    """Whole schools may be drawn in each wave, so no variances add."""
    survey = others()
    answered = in_waves(5, (0, 40), (1, 40), of=survey)
    schools = [str(number % 10) for number in range(80)]
    study = replace(answered, beside={"school": schools}).weights(clusters="school")
    found = study.shares("doped")
    assert "the same clusters may have answered each time" in repr(found)
    errors = [
        [float(str(row["standard_error"])) for row in study.wave(wave).shares("doped").export.rows]
        for wave in (1, 2)
    ]
    told = [row["standard_error"] for row in found.export.rows]
    assert told == pytest.approx(np.mean(errors, axis=0))


def test_of_other_people_two_questions_need_one_wave_for_another_reason() -> None:
    answered = in_waves(5, (0, 40), (1, 40), of=others())
    asked: list[Callable[[], object]] = [
        lambda: answered.cross("doped", "sleep"),
        lambda: answered.by("doped", "sleep"),
        lambda: answered.correlation("doped", "age"),
        lambda: answered.ratios("age", "doped"),
        lambda: answered.regress("doped ~ age"),
    ]
    for refused in asked:
        with pytest.raises(ValueError, match="what changed from wave to wave would look like"):
            refused()


def test_its_privacy_loss_is_that_of_all_waves(answered: Study) -> None:
    item = answered.item("doped")
    report, all_waves = item.channel.epsilon, item.epsilon
    assert all_waves is not None
    assert report < all_waves - 0.01
    found = answered.by("age", "doped")
    said = f"ε {brief_loss(report)} a report, {brief_loss(all_waves)} over all waves"
    assert said in repr(found)
    assert {row["epsilon"] for row in found.export.rows} == {all_waves}
    assert {row["epsilon"] for row in answered.waves("doped").export.rows} == {all_waves}
    assert found.export.document["epsilon"] == all_waves


def differences(found: Result) -> list[dict[str, Any]]:
    return [dict(row) for row in found.export.rows if row["statistic"] == "difference"]


def test_a_wave_without_a_group_is_out(answered: Study) -> None:
    answers = answered.answers.copy()
    answers[40:, 3] = 0
    study = replace(answered, answers=answers)
    alone = study.wave(1).by("age", "doped")
    assert list(study.by("age", "doped").export.rows) == list(alone.export.rows)
    answers[:40, 3] = 1
    with pytest.raises(ValueError, match="found none among the waves 1 and 2"):
        replace(answered, answers=answers).by("age", "doped")


@pytest.mark.slow
def test_what_cannot_be_joined_over_waves_names_them(answered: Study) -> None:
    for study in (answered, tallied(answered)):
        for refused in (study.cross, study.by):
            with pytest.raises(ValueError, match=r"the waves 1 and 2, .*wave\(2\)") as caught:
                refused("doped", "sleep")
            assert at_command(caught.value).endswith("take one, such as --wave 2")
            assert at_desk(caught.value).endswith("answered: choose one")
        assert study.wave(2).cross("doped", "age").export.document["n"] == 40
        assert study.wave(2).by("doped", "sleep").export.document["n"] == 40
        with pytest.raises(ValueError, match="'wave' is which wave it is"):
            study.by("wave", "doped")
    with pytest.raises(ValueError, match="one wave for a regression, found the waves 1 and 2"):
        answered.regress("doped ~ age")
    assert "40 respondents" in repr(answered.wave(1).regress("doped ~ age"))
