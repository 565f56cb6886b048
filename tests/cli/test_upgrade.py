"""Stores upgraded to this version, moved to another engine, and parted from surveys."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.server.store import open_store
from deniable.server.store.opening import age_of
from deniable.server.store.sql import tables
from deniable.server.store.sqlite import versions
from deniable.survey.about import About
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests.cli.conftest import DOPING, Run, names
from tests.kit import Clocks, report, reports_in, surveys
from tests.server.store.engines import POSTGRES, SQLITE
from tests.server.store.filled import COUNTS

SURVEY = surveys.survey()

EVERY = [
    ("estimate", "doping"),
    ("analyse", "doping", "--item", "doped"),
    ("export", "doping"),
    ("close", "doping"),
    ("open", "doping"),
    ("wave", "doping", "2"),
    ("sign-in",),
    ("user", "list"),
    ("user", "add", "ada"),
    ("collect", "doping", "--cap", "10"),
    ("invite", "doping", "-n", "3", "-o", "codes.csv"),
    ("delete", "doping", "--yes"),
    ("simulate", "doping.yaml", "-n", "5", "--rate", "doped.yes=20%"),
    ("serve", "--port", "0"),
    ("classroom", "doping.yaml"),
]
"""Commands with ``--store``, of all kinds."""


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a store, and let this program be of the version after it."""
    SQLITE.write_before(tmp_path, monkeypatch)
    return tmp_path / "store.db"


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store lie where a server on another machine would not be seen."""
    monkeypatch.setattr(versions, "is_over_network", lambda _: True)


@pytest.mark.promise("upgrade")
@pytest.mark.usefixtures("unseen")
def test_only_upgrade_changes_old_stores(run: Run, older: Path) -> None:
    before = older.read_bytes()
    copying = [("backup", older, "s.backup"), ("migrate", older, "new.db"), ("tally", older)]
    for words in (*((*one, "--store", older) for one in EVERY), *copying):
        said = run(*words, exits=1)
        assert names(said.stderr, "version 1", "version 2", "Stop every server"), words
        assert f"'deniable upgrade --store {older}'" in said.stderr, words
        assert older.read_bytes() == before, words
    assert not [*older.parent.glob("*.backup")]


@pytest.mark.promise("upgrade")
def test_the_doctor_only_reports_it(run: Run, older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.cli.doctor.of_server", lambda url: [])
    before = older.read_bytes()
    said = run("doctor", "http://127.0.0.1:9", "--store", older, exits=1)
    assert names(said.stdout, "version 1", "deniable upgrade")
    assert older.read_bytes() == before
    empty = older.with_name("empty.db")
    empty.touch()
    said = run("doctor", "http://127.0.0.1:9", "--store", empty, exits=1)
    assert "the file is empty" in said.stdout
    assert empty.read_bytes() == b""
    assert {file.name for file in older.parent.glob("*.db*")} == {"store.db", "empty.db"}


@pytest.mark.promise("upgrade")
@pytest.mark.usefixtures("unseen")
def test_an_upgrade_asks_about_what_it_cannot_see(run: Run, older: Path) -> None:
    before = older.read_bytes()
    said = run("upgrade", "--store", older, exits=1)
    assert names(said.stderr, "is not seen", "--yes")
    assert older.read_bytes() == before
    said = run("upgrade", "--store", older, "--yes")
    kept = older.with_name("store.db.v1.backup")
    assert names(said.stdout, "version 1 to 2", str(kept))
    assert said.stdout.count("\n") == 1
    said = run("upgrade", "--store", older)
    assert names(said.stdout, "version 2", "Nothing was changed")
    run("restore", kept, "again.db")
    with closing(open_store("sqlite:///again.db")) as again:
        assert len(reports_in(again)) == COUNTS["doping"]


@pytest.mark.promise("upgrade")
@pytest.mark.usefixtures("at_a_terminal", "unseen")
def test_somebody_at_a_terminal_is_asked(run: Run, older: Path) -> None:
    before = older.read_bytes()
    said = run("upgrade", "--store", older, typed="n\n", exits=1)
    assert names(said.stderr, "is not seen", "stopped?", "nothing was changed")
    assert older.read_bytes() == before
    assert "upgraded" in run("upgrade", "--store", older, typed="y\n").stdout
    # There is nothing to ask about.
    assert "Nothing was changed" in run("upgrade", "--store", older).stdout


@pytest.mark.promise("upgrade")
def test_without_a_store_there_is_no_upgrade(run: Run, tmp_path: Path) -> None:
    said = run("upgrade", "--store", "none.db", exits=1)
    assert names(said.stderr, "none.db", "no store here", "--store")
    assert not Path("none.db").exists()
    Path("text.db").write_text("no database " * 100)
    assert "expected a deniable store" in run("upgrade", "--store", "text.db", exits=1).stderr


@pytest.mark.promise("upgrade")
def test_a_server_upgrades_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = SQLITE.url(tmp_path)
    with closing(open_store(url)) as store:
        store.register(SURVEY)
    served: list[str] = []
    monkeypatch.setattr("deniable.cli.serve.serve", lambda store, *_, **__: served.append(store))
    before = tables.VERSION
    SQLITE.make_later(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(versions, "is_over_network", lambda _: True)
        assert "'deniable upgrade" in run("serve", "--store", url, exits=1).stderr
    said = run("serve", "--store", url)
    assert names(said.stderr, "upgraded", f"store.db.v{before}.backup")
    assert said.stderr.count("\n") == 1
    assert run("serve", "--store", url).stderr == ""
    assert served == [url, url]
    assert age_of(url).found == tables.VERSION


def test_a_move_to_postgresql_shows_no_password(run: Run, tmp_path: Path) -> None:
    run("simulate", "doping.yaml", "-n", 1200, "--store", "old.db")
    there = POSTGRES.url(tmp_path).replace("deniable@", "deniable:hunter2@")
    result = run("migrate", "old.db", there)
    assert "1,200 reports" in result.output
    assert "hunter2" not in result.output
    assert run("export", "doping", "--store", there).stdout.count("\n") == 1201


@pytest.fixture
def answered(run: Run) -> None:
    run("simulate", "doping.yaml", "-n", 30, "--store", "deniable.db")


@pytest.mark.usefixtures("answered")
def test_a_script_has_to_say_so(run: Run) -> None:
    said = run("delete", "doping", exits=1).stderr
    assert names(said, "'doping'", "30 reports", "--yes")
    assert run("export", "doping").stdout.count("\n") == 31


@pytest.mark.usefixtures("answered", "at_a_terminal")
@pytest.mark.parametrize(("typed", "exits"), [("doping\n", 0), ("Doping\n", 1), ("yes\n", 1)])
def test_the_name_is_typed(run: Run, typed: str, exits: int) -> None:
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    said = run("delete", "doping", typed=typed, exits=exits).stderr
    assert names(said, "30 reports", "and its trial", "Backups")
    assert [record.survey.slug for record in store.surveys()] == (
        [] if exits == 0 else ["doping", "trial.doping"]
    )
    store.close()


@pytest.mark.usefixtures("answered")
def test_an_unnamed_survey_is_no_trial(run: Run) -> None:
    store = open_store("sqlite:///deniable.db")
    store.register(trial_of(read(DOPING).survey))
    store.close()
    assert run("export").stdout.count("\n") == 31
    assert run("export", "trial.doping").stdout.count("\n") == 1


@pytest.mark.usefixtures("answered")
def test_reports_go_when_their_day_has_come(run: Run, clocks: Clocks) -> None:
    kept = replace(read(DOPING).survey, slug="kept", about=About(delete_reports="2999-01-31"))
    with closing(open_store("sqlite:///deniable.db")) as store:
        store.register(kept)
        store.insert_reports([report(kept) for _ in range(7)])
    run("backup", "deniable.db", "study.backup")
    assert "no day has come" in run("delete", "--due").stdout
    assert "are deleted" not in run("estimate", "kept").stderr
    clocks.go_on_to("2999-01-20")
    for word in ("estimate", "export", "close"):
        assert names(run(word, "kept").stderr, "are deleted on 2999-01-31, as the survey")
    clocks.go_on_to("2999-02-02")
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
