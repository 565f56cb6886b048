import sqlite3
import stat
from collections import Counter
from pathlib import Path

import pytest

from deniable.channel import Channel
from deniable.server import schema
from deniable.server.records import Outcome, State
from deniable.server.store import Store, StoreError, open_store
from deniable.survey import Answer, Survey
from tests import surveys
from tests.server.calling import report


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def test_a_store_has_exactly_these_columns(store: Store) -> None:
    # The allow-list: a column about a respondent, a time or a sequence fails here.
    with sqlite3.connect(store.path) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE sql > ''")]
        columns = {
            table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in tables
        }
        (rowid_sql,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'reports'").fetchone()
    db.close()
    assert columns == {
        "surveys": ["slug", "revision", "state", "wave"],
        "revisions": ["number", "revision", "survey", "document", "waves"],
        "reports": ["revision", "id", "answers"],
        "sign_ins": ["token_hash", "expires"],
    }
    assert "WITHOUT ROWID" in rowid_sql


def test_every_connection_is_durable_and_overwrites_what_it_deletes(store: Store) -> None:
    with store._connections.lend() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_only_the_owner_can_read_the_files(store: Store, survey: Survey) -> None:
    store.insert_batch([report(survey)])
    files = list(store.path.parent.iterdir())
    assert {file.name for file in files} == {"store.db", "store.db-wal", "store.db-shm"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


@pytest.mark.parametrize(
    "bad", ["postgresql://localhost/x", "store.db", "sqlite:store.db", "sqlite:///", ""]
)
def test_another_kind_of_store_is_refused(bad: str) -> None:
    with pytest.raises(StoreError, match="expected sqlite:///PATH"):
        open_store(bad)


def test_a_missing_file_is_made_only_if_asked_for(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.db"):
        open_store(url(tmp_path / "gone.db"), create=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="found no folder"):
        open_store(url(tmp_path / "no" / "store.db"))


def test_a_newer_store_is_refused_and_left_alone(store: Store) -> None:
    store.close()
    with sqlite3.connect(store.path) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match=r"version 3, expected at most version 2.*newer deniable"):
        open_store(url(store.path))
    assert store.path.read_bytes() == before


def test_other_files_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("This is not a database, though it is long enough to be one. " * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(url(text))
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()
    with pytest.raises(StoreError, match="another program's"):
        open_store(url(other))
    with pytest.raises(StoreError, match=r"expected a deniable store|cannot be opened"):
        open_store(url(tmp_path))


def test_an_old_store_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(url(tmp_path / "s.db")).close()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("CREATE TABLE later (x)",)))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    opened = open_store(url(tmp_path / "s.db"))
    with opened._connections.lend() as db:
        assert "later" in db.table_names()
        assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
    opened.close()


def test_a_new_revision_keeps_the_reports_and_the_state_of_the_old(
    store: Store, survey: Survey
) -> None:
    store.insert_batch([report(survey)])
    store.set_state("doping", State.CLOSED)
    changed = surveys.survey(title="Doping, asked again")
    store.register(changed)
    assert store.survey("doping") == changed
    assert store.revision("doping", survey.revision) == survey
    assert store.state("doping") is State.CLOSED
    assert [(r.revision, r.count) for r in store.revisions("doping")] == [
        (changed.revision, 0),
        (survey.revision, 1),
    ]
    assert store.count("doping") == store.count("doping", survey.revision) == 1
    (record,) = store.surveys()
    assert (record.survey, record.state, record.count) == (changed, State.CLOSED, 1)


def test_reports_to_an_older_revision_are_still_taken(store: Store, survey: Survey) -> None:
    store.register(surveys.survey(title="Doping, asked again"))
    assert store.insert_batch([report(survey)]) == [Outcome.STORED]


def test_what_is_not_there_is_a_key_error(store: Store, survey: Survey) -> None:
    other = surveys.survey(slug="other")
    store.register(other)
    for call in (
        lambda: store.survey("none"),
        lambda: store.state("none"),
        lambda: store.count("none"),
        lambda: store.revisions("none"),
        lambda: store.set_state("none", State.OPEN),
        lambda: store.revision("doping", other.revision),
        lambda: store.revision("doping", "\ud800" * 32),
        lambda: next(store.answers("doping", "0" * 32)),
    ):
        with pytest.raises(KeyError):
            call()


def test_outcomes(store: Store, survey: Survey) -> None:
    first = report(survey)
    other = report(survey, b"\1", first.id)
    assert store.insert_batch([first]) == [Outcome.STORED]
    assert store.insert_batch([first, other]) == [Outcome.REPEATED, Outcome.CONFLICT]
    store.set_state("doping", State.CLOSED)
    assert store.insert_batch([first, other, report(survey)]) == [
        Outcome.REPEATED,
        Outcome.CONFLICT,
        Outcome.CLOSED,
    ]
    stranger = surveys.survey(slug="stranger")
    assert store.insert_batch([report(stranger)]) == [Outcome.UNKNOWN]
    assert list(store.answers("doping", survey.revision)) == [b"\0"]


def test_of_two_reports_with_one_id_in_a_batch_the_first_stays(
    store: Store, survey: Survey
) -> None:
    first = report(survey, b"\1")
    second = report(survey, b"\0", first.id)
    assert store.insert_batch([first, second, first]) == [
        Outcome.STORED,
        Outcome.CONFLICT,
        Outcome.REPEATED,
    ]
    assert list(store.answers("doping", survey.revision)) == [b"\1"]


def test_every_byte_survives_and_every_report_comes_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [Answer(f"a{number}", f"A{number}") for number in range(255)]
    weights = [[2**32 - 254 if x == a else 1 for a in range(255)] for x in range(255)]
    question = surveys.single("q", codes, Channel(weights))
    big = surveys.survey(question, surveys.single("r", codes, Channel(weights)), slug="big")
    store.register(big)
    sent = [bytes([a, 255 - a]) for a in range(256) for _ in range(3)]
    store.insert_batch([report(big, answers) for answers in sent])
    # Respondents choose their keys: here some hundred chose neighbouring ones.
    crowd = [bytes(14) + number.to_bytes(2) for number in range(300)]
    store.insert_batch([report(big, b"\7\0", key) for key in crowd])
    for size in (2, 14, 200, 2**22):
        monkeypatch.setattr("deniable.server.store._CHUNK_BYTES", size)
        chunks = list(store.answers("big", big.revision))
        assert max(map(len, chunks)) <= max(size, 2)
        joined = b"".join(chunks)
        got = Counter(joined[at : at + 2] for at in range(0, len(joined), 2))
        assert got == Counter(sent) + Counter({b"\7\0": 300})


def test_no_reports_are_no_chunks(store: Store, survey: Survey) -> None:
    assert list(store.answers("doping", survey.revision)) == []


def test_a_sign_in_works_once_and_not_after_it_expired(store: Store) -> None:
    store.add_sign_in(b"h", expires=100, now=0)
    store.add_sign_in(b"late", expires=100, now=0)
    assert store.take_sign_in(b"h", now=99)
    assert not store.take_sign_in(b"h", now=99)
    assert not store.take_sign_in(b"late", now=100)
    store.add_sign_in(b"old", expires=100, now=0)
    store.add_sign_in(b"new", expires=300, now=200)
    with store._connections.lend() as db:
        assert db.execute("SELECT token_hash FROM sign_ins").fetchall() == [(b"new",)]


def test_a_closed_store_keeps_no_connection(store: Store) -> None:
    store.count("doping")
    store.close()
    assert not store._connections._idle
