"""People who sent the same are one row, which is how many people sent it: nothing else changes."""

import io
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deniable.analysis.counts import reports_csv
from deniable.analysis.counts import rows as counted_rows
from deniable.analysis.counts.pooling import pool_rows, rows_of_reports
from deniable.analysis.counts.reports_csv import csv_of, csv_of_rows
from deniable.analysis.counts.rows import count_rows, join_rows, merge_rows, repeated
from deniable.analysis.numerics import memory
from deniable.analysis.privacy.columns import few, grouped, holding
from deniable.analysis.regression.fit import Fit
from deniable.report import NOT_ASKED
from deniable.results.regression import Options
from deniable.results.result import Result
from deniable.study import opening
from deniable.study.opening import from_csv
from deniable.study.study import Study
from deniable.survey.grouped import read_columns
from deniable.survey_file import read
from tests.kit.surveys import file_of

WARD = read(
    file_of(
        "id: error, text: An error, type: single, answers: [No, Yes], flip: 1/4",
        "id: drug, text: A drug, type: single, answers: [A, B, C], epsilon: 2",
        "id: pills, text: Pills, type: number, min: 0, max: 5, epsilon: 3",
        "id: ward, text: Ward, type: single, answers: [One, Two, Three], protection: direct",
        "id: years, text: Years, type: number, min: 0, max: 9, protection: direct",
    )
).survey

N = 1500


@pytest.fixture(scope="module")
def studies() -> tuple[Study, Study]:
    """Take the same reports with a row for each person and with equal rows counted."""
    random = np.random.default_rng(7)
    answers = np.stack(
        [random.integers(0, reports, N) for reports in WARD.report_counts], axis=1
    ).astype(np.uint8)
    answers[random.random(N) < 0.05, 0] = NOT_ASKED
    chunks = [answers[:700].tobytes(), answers[700:].tobytes()]
    each, counted = Study.of(WARD, chunks, "made up"), Study.counted(WARD, chunks, "made up")
    assert counted.times is not None
    assert len(counted.answers) < N == counted.times.sum()
    return each, counted


def _alike(one: object, other: object, place: str = "", rel: float = 2e-6) -> None:
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            _alike(one[key], other[key], f"{place}/{key}", rel)
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        assert len(one) == len(other), place
        for row, pair in enumerate(zip(one, other, strict=True)):
            _alike(*pair, f"{place}/{row}", rel)
    elif isinstance(one, float) and isinstance(other, float) and not math.isnan(one):
        assert other == pytest.approx(one, rel=rel, abs=1e-8 if rel > 1e-9 else 1e-11), place
    elif place != "/converged":  # the decrement there is rounding
        assert one == other or (one != one and other != other), place  # noqa: PLR0124  nan


ASKED: dict[str, Callable[[Study], Result]] = {
    "shares": lambda one: one.shares(),
    "by": lambda one: one.by("ward", "error"),
    "cross": lambda one: one.cross("error", "drug"),
    "correlation": lambda one: one.correlation("error", "pills"),
    "ratios": lambda one: one.ratios("ward", "error"),
    "logit": lambda one: one.regress("error ~ ward + years"),
    "sandwich": lambda one: one.regress("error ~ ward + years", errors="sandwich"),
    "opg": lambda one: one.regress("error ~ C(ward) * I(years^2)", errors="opg", link="probit"),
    "profile": lambda one: one.regress("error ~ years", ends="profile"),
    "several": lambda one: one.regress("drug ~ ward"),
    "mean": lambda one: one.regress("pills ~ ward + years"),
    "moments of a column": lambda one: one.regress("error ~ center(years)"),
    "a scaled column": lambda one: one.regress("error ~ scale(years)"),
    "polynomials": lambda one: one.regress("error ~ poly(years, 2)"),
    "splines": lambda one: one.regress("error ~ bs(years, df=4)"),
    "splines of a mean": lambda one: one.regress("pills ~ bs(years, df=4) + ward"),
    "groups": lambda one: one.regress("error ~ 1", within="ward"),
    "groups and a number": lambda one: one.regress("error ~ years", within="ward"),
    "on a randomised item": lambda one: one.regress("years ~ error + ward"),
}


@pytest.mark.slow
@pytest.mark.parametrize("asked", ASKED)
def test_counted_rows_are_found_as_people(asked: str, studies: tuple[Study, Study]) -> None:
    each, counted = (ASKED[asked](one) for one in studies)
    _alike(each.export.document, counted.export.document)
    _alike([*each.export.rows], [*counted.export.rows])
    assert f"{each}" == f"{counted}"


MARGINS = {
    "ward": {"One": 0.5, "Two": 0.3, "Three": 0.2},
    "years": {str(years): 0.1 for years in range(10)},
}

WEIGHED: dict[str, Callable[[Study], Result]] = {
    name: ASKED[name]
    for name in ("shares", "by", "cross", "ratios", "logit", "several", "mean", "a scaled column")
} | {
    "probit": lambda one: one.regress("error ~ ward * years", link="probit"),
    "changed": lambda one: one.regress("error ~ bs(years, df=4)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("trim", [None, 1.6])
@pytest.mark.parametrize("asked", WEIGHED)
def test_weights_to_margins_are_of_counted_rows(
    asked: str, trim: float | None, studies: tuple[Study, Study]
) -> None:
    weighed = [one.weights(margins=MARGINS, trim=trim) for one in studies]
    assert len(weighed[1].answers) == len(studies[1].answers)
    each, counted = (WEIGHED[asked](one) for one in weighed)
    _alike(each.export.document, counted.export.document, rel=1e-9)
    _alike([*each.export.rows], [*counted.export.rows], rel=1e-9)
    assert f"{each}" == f"{counted}"


def test_weights_to_a_plan_s_margins_count(studies: tuple[Study, Study]) -> None:
    each, counted = (replace(one, margins={"ward": MARGINS["ward"]}) for one in studies)
    seen = [one.among(one.item("error")) for one in (each, counted)]
    # No, yes and no answer on three wards: all of these people are weighed.
    assert [len(one.answers) for one in seen] == [9, 9]
    assert seen[0].n == seen[1].n
    found = [one.regress("error ~ ward") for one in (each, counted)]
    _alike(found[0].export.document, found[1].export.document, rel=1e-9)


def test_what_does_not_fit_is_said_first(
    studies: tuple[Study, Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = [f"{place}.5" for place in range(N)]
    people = replace(studies[0], beside={"weight": weights})
    people.regress("error ~ weight")
    monkeypatch.setattr(memory, "left", lambda: 500_000)
    asked = int((people.answers[:, 0] != NOT_ASKED).sum())
    said = (
        rf"needs about 0\.00054 GB of memory and 0\.0005 GB are left, for {asked:,} rows that "
        rf"differ and 2 columns: round or group 'weight', which has {asked:,} different values"
    )
    with pytest.raises(ValueError, match=said):
        people.regress("error ~ weight")
    # What repeats is counted, and fits.
    rounded = replace(people, beside={"weight": [one[-3:] for one in weights]})
    rounded.regress("error ~ weight")


def test_memory_is_what_a_limit_leaves() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30));"
        "from deniable.analysis.numerics import memory; print(memory.left());"
        "taken = bytes(2**28); print(memory.left())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(float, ran.stdout.split())
    assert 0 < after <= before <= 2**30
    # Of macOS it is not known what was taken.
    assert sys.platform != "linux" or before - after > 2**27


def test_counted_rows_take_clusters_by_the_study_alone(studies: tuple[Study, Study]) -> None:
    fit = studies[1].regression("error ~ ward", Options()).fit
    assert isinstance(fit, Fit)
    with pytest.raises(ValueError, match=r"weights\(\) of the study"):
        fit.covariance(clusters=np.zeros(fit.n))


BESIDE: dict[str, Callable[[Study], Result]] = {
    "weights": lambda one: one.weights("weight").regress("error ~ ward + years"),
    "strata": lambda one: one.weights("weight", strata="region").regress("error ~ ward"),
    "clusters": lambda one: one.weights(clusters="town").regress("error ~ ward + years"),
    "everything": lambda one: one.weights(
        "weight", strata="region", clusters="town", margins={"ward": MARGINS["ward"]}
    ).regress("drug ~ ward"),
    "a mean": lambda one: one.weights("weight", clusters="town").regress("pills ~ ward + years"),
    "a column": lambda one: one.regress("error ~ region + dose"),
    "a column of a mean": lambda one: one.regress("pills ~ dose"),
    "a column and weights": lambda one: one.weights("weight").regress("error ~ dose"),
    "groups": lambda one: one.regress("error ~ dose", within="town"),
    "on a randomised item": lambda one: one.regress("years ~ error + region"),
}


@pytest.mark.slow
@pytest.mark.parametrize("asked", BESIDE)
def test_columns_beside_the_survey_are_counted(
    asked: str, studies: tuple[Study, Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(9)
    town = random.integers(0, 12, N)
    # Towns lie in regions, and there are more of the people than of the combinations.
    beside = {
        "town": [f"T{one}" for one in town],
        "region": [f"R{one % 3}" for one in town],
        "weight": random.choice(["1", "1.5", "4"], N).tolist(),
        "dose": random.choice(["", "0.1", "0.2", "0.5"], N).tolist(),
    }
    people = replace(studies[0], beside=beside)
    rows: list[int] = []
    merged = Study.merged

    def counting(study: Study, *asked: Any) -> Study:
        found = merged(study, *asked)
        rows.append(len(found.answers))
        return found

    monkeypatch.setattr(Study, "merged", counting)
    counted = BESIDE[asked](people)
    assert len(rows) == 1
    assert rows[0] < N
    monkeypatch.setattr(Study, "merged", lambda study, *_: study)
    each = BESIDE[asked](people)
    rel = 1e-7 if asked == "groups" else 1e-9  # a variance near 0 is reached in other steps
    _alike(each.export.document, counted.export.document, rel=rel)
    _alike([*each.export.rows], [*counted.export.rows], rel=rel)


READ: dict[str, Callable[[Study], Result]] = BESIDE | {
    "shares": lambda one: one.weights("weight", clusters="town").shares(),
    "by": lambda one: one.weights("weight").by("ward", "error"),
    "cross": lambda one: one.weights("weight", strata="region").cross("error", "drug"),
    "margins": lambda one: one.weights(margins={"region": {"R0": 0.5, "R1": 0.25, "R2": 0.25}}).by(
        "ward", "pills"
    ),
}


@pytest.fixture(scope="module")
def read_twice(studies: tuple[Study, Study]) -> tuple[Study, Study]:
    """Return a file's study twice: of its rows, and of the rows that it counted while it read."""
    random = np.random.default_rng(9)
    (header, *lines) = "".join(csv_of([studies[0].answers.tobytes()], WARD)).splitlines()
    table = [f"{header},town,region,weight,dose"]
    for line in lines:
        town, weight, dose = random.integers(0, [6, 2, 3]).tolist()
        table.append(f"{line},T{town},R{town % 3},{1 + weight},0.{dose}")
    beside = ["town", "region", "weight", "dose"]
    read = [from_csv(WARD, io.StringIO("\n".join(table)), "made up", beside)]
    with pytest.MonkeyPatch.context() as patch:
        for module in (opening, reports_csv):
            patch.setattr(module, "AT_A_TIME", 100)
        read.append(from_csv(WARD, io.StringIO("\n".join(table)), "made up", beside))
    return read[0], read[1]


@pytest.mark.slow
@pytest.mark.parametrize("asked", READ)
def test_columns_beside_reports_are_counted_when_read(
    asked: str, read_twice: tuple[Study, Study]
) -> None:
    assert read_twice[0].times is None
    assert read_twice[1].times is not None
    assert len(read_twice[1].answers) < N == read_twice[1].n
    each, counted = (READ[asked](one) for one in read_twice)
    _alike(each.export.document, counted.export.document, rel=1e-9)
    _alike([*each.export.rows], [*counted.export.rows], rel=1e-9)
    assert f"{each}" == f"{counted}"


@pytest.mark.parametrize("width", [1, 8, 9, 30])
def test_rows_are_merged_in_byte_order(width: int) -> None:
    random = np.random.default_rng(3)
    rows = random.choice(np.array([0, 1, 127, 128, 255], dtype=np.uint8), (300, width))
    rows = np.vstack([rows, rows[:50]])
    found, times = merge_rows(rows, np.ones(len(rows), dtype=np.int64))
    listed = sorted(map(bytes, rows))
    assert [*map(bytes, found)] == sorted({*listed})
    assert times.tolist() == [listed.count(bytes(row)) for row in found]


@pytest.mark.parametrize("at_once", [10, 200, 10**6])
def test_no_report_is_lost_or_counted_twice(
    at_once: int, studies: tuple[Study, Study], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted_rows, "_AT_ONCE", at_once)
    sent = join_rows(studies[0].answers, studies[0].of_wave, WARD).tobytes()
    length = 50 * WARD.row_length
    chunks = [sent[start : start + length] for start in range(0, len(sent), length)]
    rows, times = count_rows(iter(chunks), WARD)
    again = np.repeat(rows, times, axis=0)
    assert sorted(map(bytes, again)) == sorted(map(bytes, studies[0].answers))


def test_files_of_counted_rows_hold_every_person() -> None:
    random = np.random.default_rng(5)
    answers = np.stack([random.integers(0, 2, 4000) for _ in WARD.items], axis=1).astype(np.uint8)
    answers[:3, 3] = 2  # three people of a ward of their own
    each, counted = (
        rows_of_reports(WARD, [answers.tobytes()]),
        pool_rows(WARD, [(WARD, [answers.tobytes()])]),
    )
    assert len(counted.answers) < len(each.answers) == counted.n
    for asked in ("ward", "years", "ward:One+[Two Three],years:0+1-9"):
        wanted = read_columns(asked.lower(), WARD)
        held = holding(each, wanted)
        assert held == holding(counted, wanted)
        assert few(each, wanted, each.least) == few(counted, wanted, each.least)
        files = ["".join(csv_of_rows(grouped(rows, held))) for rows in (each, counted)]
        assert files[0] == files[1]
        assert files[0].count("\n") == 1 + 4000


@pytest.mark.parametrize("chunk", [1, 7, 10**6])
def test_a_common_row_is_written_in_parts(chunk: int) -> None:
    rows, times = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.uint8), np.array([33, 20])
    chunks = [*repeated(rows, times, 3 * chunk)]
    assert np.concatenate(chunks).tolist() == np.repeat(rows, times, axis=0).tolist()
    assert max(map(len, chunks)) <= chunk
