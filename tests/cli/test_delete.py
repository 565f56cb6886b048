"""``deniable delete``: only by its name, and for good."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.cli import delete
from deniable.server.store import open_store
from deniable.server.store.sql import retention
from deniable.survey.about import About
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run, names
from tests.kit import report


@pytest.fixture(autouse=True)
def answered(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 30, "--store", "deniable.db")


def test_a_script_has_to_say_so(run: Run) -> None:
    said = run("delete", "doping", exits=1).stderr
    assert names(said, "'doping'", "30 reports", "--yes")
    assert run("export", "doping").stdout.count("\n") == 31


@pytest.mark.parametrize(("typed", "exits"), [("doping\n", 0), ("Doping\n", 1), ("yes\n", 1)])
def test_the_name_is_typed(
    run: Run, monkeypatch: pytest.MonkeyPatch, typed: str, exits: int
) -> None:
    monkeypatch.setattr(delete, "somebody_is_there", lambda: True)
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    said = run("delete", "doping", typed=typed, exits=exits).stderr
    assert names(said, "30 reports", "and its trial", "Backups")
    assert [record.survey.slug for record in store.surveys()] == (
        [] if exits == 0 else ["doping", "trial.doping"]
    )
    store.close()


def test_an_unnamed_survey_is_no_trial(run: Run) -> None:
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    store.close()
    assert run("export").stdout.count("\n") == 31
    assert run("export", "trial.doping").stdout.count("\n") == 1


def test_reports_go_when_their_day_has_come(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = replace(read(DOPING).survey, slug="kept", about=About(delete_reports="2999-01-31"))
    with closing(open_store("sqlite:///deniable.db")) as store:
        store.register(kept)
        store.insert_batch([report(kept) for _ in range(7)])
    run("backup", "deniable.db", "study.backup")
    assert "no day has come" in run("delete", "--due").stdout
    assert "are deleted" not in run("estimate", "kept").stderr
    monkeypatch.setattr(retention, "utc_day", lambda: "2999-01-20")
    for command in ("estimate", "export", "close"):
        assert names(run(command, "kept").stderr, "are deleted on 2999-01-31, as the survey")
    monkeypatch.setattr(retention, "utc_day", lambda: "2999-02-02")
    # Restored into a folder of its own, so that the backup stays as it was.
    Path("other").mkdir()
    said = run("restore", "study.backup", "other/new.db").stdout
    assert names(said, "37 reports", "'kept' were deleted")
    assert "30 reports" in run("backup", "other/new.db", "other/new.backup").stdout
    said = run("delete", "--due").stdout
    assert names(said, "'kept' were deleted", "2999-01-31", "Copies elsewhere")
    assert "30 reports" in run("restore", "study.backup", "newer.db").stdout
    assert "deleted on 2999-02-02" in run("export", "kept").stderr
    assert "deleted on 2999-02-02" in run("open", "kept", exits=1).stderr
    for wrong in (("delete",), ("delete", "kept", "--due")):
        assert "--due" in run(*wrong, exits=2).stderr
