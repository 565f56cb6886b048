"""``deniable delete``: only by its name, and for good."""

import pytest

from deniable.cli import delete
from deniable.server.store import open_store
from deniable.survey_file import read
from deniable.trial import trial_of
from tests.cli.conftest import DOPING, Run, names


@pytest.fixture(autouse=True)
def answered(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 30, "--store", "deniable.db")


def test_it_is_gone_for_good(run: Run) -> None:
    assert names(run("delete", "doping", "--yes").stdout, "deniable.db", "'doping'", "deleted")
    assert "there is no survey in this store" in run("estimate", exits=1).stderr
    assert "there is no survey" in run("delete", "doping", "--yes", exits=1).stderr


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
        [] if exits == 0 else ["doping", "trial-doping"]
    )
    store.close()


def test_a_trial_is_never_meant_where_nothing_is_named(run: Run) -> None:
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    store.close()
    assert run("export").stdout.count("\n") == 31
    assert run("export", "trial-doping").stdout.count("\n") == 1
