"""Every file of the zip can be written, whatever the names; one that fails is told, not hidden."""

from pathlib import Path

import pyreadstat
import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.publication.material import Material
from deniable.publication.parcel import CANNOT, contents_of, listed
from deniable.survey import Survey
from tests.publication import made_up

SENTENCE = "i_fear_that_i_would_lose_my_job_if_i_told_anybody_of_it"
ARABIC = "هل_سبق_لك_أن_تناولت_أي_مادة_محظورة_في_العام_الماضي"


def drawn(survey: Survey, n: int) -> Material:
    return Material(survey, rows_of_reports(survey, [made_up.answers(survey, n).tobytes()]))


def long_names(n: int) -> str:
    """Write a survey of `n` columns whose names all have to be cut: items, options, rows."""
    options = ", ".join(f"{SENTENCE}_{one}" for one in range(3))
    many = [f"  - {{id: saw_{SENTENCE}, text: Saw, type: many, answers: [{options}]}}"]
    rows = ", ".join(f"{ARABIC}_{one}" for one in range(3))
    grid = [f"  - {{id: knew, text: Knew, type: grid, rows: [{rows}], answers: [a, b]}}"]
    single = [
        f"  - {{id: q{one}_{SENTENCE}, text: Q {one}, type: single, answers: [No, Yes]}}"
        for one in range(n - 6)
    ]
    head = ["version: 1", "survey: names", "title: Names", "epsilon: 60", "questions:"]
    return "\n".join([*head, *many, *grid, *single, ""])


@pytest.mark.parametrize("n", [10, 11, 25, pytest.param(101, marks=pytest.mark.slow)])
def test_long_names_fit_into_every_file(n: int, tmp_path: Path) -> None:
    """At each number of digits that the writer adds to the name of a column's labels."""
    survey = made_up.survey(long_names(n))
    material = drawn(survey, 20)
    assert CANNOT not in listed(material).values()
    written = contents_of(material)
    assert b"Left out" not in written["README.md"]
    for name, read in (("reports.dta", pyreadstat.read_dta), ("reports.sav", pyreadstat.read_sav)):
        (tmp_path / name).write_bytes(written[name])
        frame, meta = read(str(tmp_path / name))
        assert frame.shape == (20, n)
        assert len({*meta.column_names}) == n
        assert {*meta.variable_value_labels} == {*meta.column_names}


def test_the_zip_holds_what_is_listed() -> None:
    survey = made_up.survey()
    material = drawn(survey, 40)
    found = listed(material)
    assert {name for name, why in found.items() if not why} == {*contents_of(material)}
    if lacking := {name: why for name, why in found.items() if why}:
        assert [*lacking] == ["reports.parquet"]
        assert "pyarrow" in lacking["reports.parquet"] or "parquet" in lacking["reports.parquet"]
