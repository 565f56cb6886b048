"""Tallies that travel: against counting by hand, and against the reports themselves."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from deniable.study import CountedStudy, Study, open_tally
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import count_full
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import panel
from tests.study.test_study import NURSES

NOT_ASKED = 255


def made_up(survey: Survey, n: int = 400, seed: int = 5) -> npt.NDArray[np.uint8]:
    """Draw rows of reports; some people were not asked something."""
    random = np.random.default_rng(seed)
    counts = [min(count, 6) for count in survey.report_counts]
    answers = np.stack([random.integers(0, count, n) for count in counts], axis=1).astype(np.uint8)
    answers[random.integers(0, n, 30), random.integers(0, len(counts), 30)] = NOT_ASKED
    if survey.is_repeated:
        answers = np.column_stack([answers, random.integers(0, survey.waves, n).astype(np.uint8)])
    return answers


@pytest.fixture(scope="module")
def nurses() -> Survey:
    return read(NURSES).survey


def tallies_of(survey: Survey, answers: npt.NDArray[np.uint8]) -> Tallies:
    chunks = [answers[:150].tobytes(), answers[150:].tobytes()]
    return Tallies(survey, count_full(chunks, survey))


def test_a_byte_that_no_channel_reports_is_refused(nurses: Survey) -> None:
    answers = made_up(nurses)
    answers[3, 1] = 2
    with pytest.raises(ValueError, match="item 'signed': expected reports below 2"):
        count_full([answers.tobytes()], nurses)
    with pytest.raises(ValueError, match="whole answers of 4 bytes"):
        count_full([answers.tobytes()[1:]], nurses)


def test_a_tally_file_comes_back_as_it_was(tmp_path: Path, nurses: Survey) -> None:
    whole = tallies_of(nurses, made_up(nurses))
    (tmp_path / "t.json").write_bytes(whole.to_json())
    assert Tallies.from_json(whole.to_json()).to_json() == whole.to_json()
    assert open_tally(tmp_path / "t.json").n == 400
    survey = panel()
    waves = tallies_of(survey, made_up(survey))
    assert [*waves.waves] == [1, 2, 3]
    assert Tallies.from_json(waves.to_json()).to_json() == waves.to_json()
    assert waves.to_json() != tallies_of(survey, made_up(survey, 9)).to_json()


COUNTS = ("waves", 0)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ((*COUNTS, "table", 1, 0), -1, r"waves\[0\].table\[1\]\[0\]: .*, found -1"),
        ((*COUNTS, "table", 1, 0), True, r"table\[1\]\[0\]: expected a valid integer, found True"),
        ((*COUNTS, "table", 1, 0), 7, r"waves\[0\]: expected counts of 400 reports to each item"),
        ((*COUNTS, "table", 1, 1), 7, r"waves\[0\].table: expected \d+ reports to .error. by"),
        ((*COUNTS, "table", 2, 1), 10**17, r"table\[2\]\[1\]: expected less than .*, found 1000"),
        ((*COUNTS, "wave"), 1, r"waves\[0\].wave: expected a wave from 0 to 0"),
        ((*COUNTS, "n"), 399, r"waves\[0\]: expected counts of 399 reports"),
        (("version",), 2, "version: expected 1, found 2"),
        (("format",), "a letter", "format: expected 'deniable tally', found 'a letter'"),
        (("document",), "{}", "document: expected a protocol"),
    ],
)
def test_a_file_s_mistake_says_its_place(
    nurses: Survey, path: tuple[Any, ...], value: object, said: str
) -> None:
    written = json.loads(tallies_of(nurses, made_up(nurses)).to_json())
    place = written
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=said):
        Tallies.from_json(json.dumps(written).encode())


def test_no_tally_and_repeated_waves_are_told(nurses: Survey) -> None:
    for text in (b"{ x", b"\xff\xfe", b"[]"):
        with pytest.raises(ValueError, match="expected a tally file"):
            Tallies.from_json(text)
    written = json.loads(tallies_of(nurses, made_up(nurses)).to_json())
    written["waves"] *= 2
    with pytest.raises(ValueError, match=r"waves\[1\].wave: .* each once, found 0"):
        Tallies.from_json(json.dumps(written).encode())


def both(survey: Survey) -> tuple[Study, CountedStudy]:
    answers = made_up(survey)
    tallied = CountedStudy.of(Tallies.from_json(tallies_of(survey, answers).to_json()), "made up")
    return Study.of(survey, [answers.tobytes()], "made up"), tallied


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("shares", ()),
        ("shares", ("error",)),
        ("shares", ("years",)),
        ("by", ("ward", "error")),
        ("by", ("error", "signed")),
        ("cross", ("error", "signed")),
        ("cross", ("signed", "error")),
        ("cross", ("ward", "error")),
    ],
)
def test_a_tally_gives_the_reports_estimates(
    nurses: Survey, method: str, asked: tuple[str, ...]
) -> None:
    study, tallied = both(nurses)
    of_reports, of_tally = (getattr(one, method)(*asked) for one in (study, tallied))
    assert list(of_tally.export.rows) == list(of_reports.export.rows)
    assert str(of_tally) == str(of_reports)


@pytest.mark.slow
def test_a_tally_gives_the_waves_and_their_changes() -> None:
    study, tallied = both(panel())
    assert str(tallied.waves()) == str(study.waves())
    assert str(tallied.wave(2).shares("doped")) == str(study.wave(2).shares("doped"))
    with pytest.raises(ValueError, match="which has 3, found 4"):
        tallied.wave(4)


def test_what_needs_the_reports_says_so(nurses: Survey) -> None:
    _, tallied = both(nurses)
    with pytest.raises(ValueError, match="a regression needs the reports"):
        tallied.regress("error ~ years")
    with pytest.raises(ValueError, match="weights, strata and clusters need the reports"):
        tallied.weights(weights="years").shares("error")
    with pytest.raises(ValueError, match="weights, strata and clusters need the reports"):
        tallied.weights(clusters="years").by("ward", "error")
    with pytest.raises(ValueError, match="two different items"):
        tallied.cross("error", "error")


@pytest.mark.slow
def test_pairs_that_differ_from_singles_are_told(nurses: Survey) -> None:
    written = json.loads(tallies_of(nurses, made_up(nurses)).to_json())
    first, second = written["waves"][0]["table"][:2]
    first[3], second[2] = second[2], first[3]
    with pytest.raises(ValueError, match="reports to 'signed' by those who sent what row 0 counts"):
        Tallies.from_json(json.dumps(written).encode())
