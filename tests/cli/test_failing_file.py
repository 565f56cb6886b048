"""A file of the zip that cannot be written: the others are, and the command says so."""

from pathlib import Path

import pytest

from deniable.analysis.counts.pooling import rows_of_reports
from deniable.publication import parcel
from deniable.publication.material import Material
from deniable.publication.parcel import CANNOT, listed
from tests.cli.conftest import Run
from tests.publication import made_up


def test_a_file_that_fails_is_told_before_and_after(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Material) -> bytes:
        raise ValueError("a library failed")

    monkeypatch.setattr(parcel, "dta_file", fails)
    survey = made_up.survey()
    material = Material(survey, rows_of_reports(survey, [made_up.answers(survey, 5).tobytes()]))
    assert listed(material)["reports.dta"] == CANNOT
    run("simulate", "doping.yaml", "-n", 20, "--seed", 3, "--store", "s.db")
    said = run("export", "--store", "s.db", "--zip", "a.zip", exits=1).stderr
    assert f"a.zip: has no reports.dta: {CANNOT}." in said
    assert Path("a.zip").exists()
