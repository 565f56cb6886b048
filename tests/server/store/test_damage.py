"""What lies otherwise on the disk than it was written is named, and counted by nobody."""

import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from deniable.cli.doctor import of_store
from deniable.server.addresses import Place
from deniable.server.serving import serve
from deniable.server.store import State, Store, StoreError, open_store
from deniable.server.store.backups import back_up, look_into, restore
from deniable.server.store.keys import trouble_of
from deniable.server.store.sql.checksums import check_tallies
from deniable.server.store.sql.database import Unreadable
from deniable.server.store.sql.reading import read_records
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import adopt, first_of, report, reports_in, surveys
from tests.server.store.cluster import CLUSTER
from tests.server.store.engines import POSTGRES, SQLITE, Engine
from tests.server.store.filled import fill

pytestmark = pytest.mark.promise("damage")


SURVEY = surveys.survey(*(surveys.single(f"q{number}") for number in range(40)), batch=10)
IDS = {"reports": b"shown" + bytes(11), "held": b"held" + bytes(12)}
PAGE = {"sqlite": 1024, "postgres": 8192}


@pytest.fixture
def survey() -> Survey:
    return SURVEY


@pytest.fixture
def filled(store: Store) -> Store:
    """Fill a store: 300 reports that the desk sees and 4 that are held back, one of each known."""
    others = [report(SURVEY, bytes([number % 2] * 40)) for number in range(299)]
    store.insert_reports([report(SURVEY, id=IDS["reports"]), *others])
    for state in (State.CLOSED, State.OPEN):  # so that the desk sees all of them
        store.set_state("doping", state)
    store.insert_reports([report(SURVEY, id=IDS["held"]), *(report(SURVEY) for _ in range(3))])
    assert store.erase_order()
    assert store.check() == []
    return store


def spoil(
    engine: Engine, folder: Path, id: bytes, change: Callable[[bytearray, int], None]
) -> None:
    """Change the files of a store where a report lies."""
    with engine.files(folder) as files:
        spoilt = 0
        for file in files:
            content = bytearray(file.read_bytes())
            at = content.find(id)
            if at >= 0:
                change(content, at)
                file.write_bytes(content)
                spoilt += 1
        assert spoilt == 1


def lose_page(content: bytearray, at: int, size: int) -> None:
    content[at // size * size : at // size * size + size] = bytes(size)


def fill_page(content: bytearray, at: int, size: int) -> None:
    content[at // size * size : at // size * size + size] = b"\xa5" * size


def flip_key(content: bytearray, at: int, size: int) -> None:
    content[at + 15] ^= 4


def flip_answer(content: bytearray, at: int, size: int) -> None:
    content[at + 30] ^= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "harm"),
    [
        ("reports", fill_page),
        ("held", flip_answer),
        ("reports", lose_page),
        ("reports", flip_key),
        ("reports", flip_answer),
        ("held", flip_key),
        ("held", lose_page),
        ("held", fill_page),
    ],
)
def test_damage_to_a_report_is_named_alone(
    engine: Engine,
    filled: Store,
    tmp_path: Path,
    table: str,
    harm: Callable[[bytearray, int, int], None],
) -> None:
    before = reports_in(filled)
    back_up(filled, tmp_path / "good.backup")
    filled.close()
    spoil(engine, tmp_path, IDS[table], lambda content, at: harm(content, at, PAGE[engine.name]))

    with closing(open_store(engine.url(tmp_path))) as store:
        (*faults,) = store.check()
        assert faults
        assert all(fault.startswith(store.name) for fault in faults)
        assert any("'doping'" in fault or f"'{table}'" in fault for fault in faults), faults
        with pytest.raises(StoreError):
            back_up(store, tmp_path / "bad.backup")
    assert not list(tmp_path.glob("*bad.backup*"))
    with pytest.raises(StoreError, match="deniable restore"):
        serve(
            engine.url(tmp_path),
            [],
            on_ready=lambda ready: pytest.fail(f"serves what is damaged: {ready}"),
            respondents=Place(),
            desk=Place(),
        )
    with closing(open_store(engine.url(tmp_path, "new"))) as new:
        assert restore(tmp_path / "good.backup", new) == len(before) == 304
        assert reports_in(new) == before
        assert new.check() == []


KEPT = {
    "UPDATE checksums SET reports = reports + 1": "the reports do not give the sum",
    "UPDATE checksums SET tallies = tallies + 1": "the tallies do not give the sum",
    "UPDATE tallies SET count = count + 1 WHERE place = 39 AND report = 1": "tallies",
    "UPDATE revisions SET document = replace(document, 'q39', 'q38')": "text of a revision",
}


def test_what_was_kept_is_held_against_reports(filled: Store) -> None:
    for place, (change, named) in enumerate(KEPT.items()):
        with filled._engine.transaction() as db:
            db.execute(change)
        faults = filled.check()
        assert len(faults) == place + 1
        assert any(named in fault for fault in faults)
        assert all("'doping'" in fault for fault in faults)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE surveys SET revision = 'another'",
        "UPDATE surveys SET state = 'ajar'",
        "UPDATE revisions SET survey = 'another'",
        "UPDATE revisions SET document = replace(document, '{', '(')",
    ],
)
def test_an_unwritten_value_is_damage(store: Store, tmp_path: Path, change: str) -> None:
    with store._engine.transaction() as db:
        db.execute(change)
    (fault,) = store.check()
    assert fault.startswith(store.name)
    assert "'doping'" in fault
    for use in (
        lambda: back_up(store, tmp_path / "bad.backup"),
        lambda: (store.survey("doping"), store.state("doping")),
    ):
        with pytest.raises(StoreError, match=re.escape(store.name)), store.told():
            use()
    assert not list(tmp_path.glob("*bad.backup*"))


def test_a_full_store_is_not_damaged(store: Store, second: Store) -> None:
    fill(store)
    adopt(second, store, "panel")
    assert second.check() == []
    store.delete("panel")
    assert store.check() == []


@pytest.mark.slow
def test_postgresql_checks_itself_where_allowed(tmp_path: Path) -> None:
    store = open_store(POSTGRES.url(tmp_path))
    shown_at_once = surveys.survey(batch=1)
    store.register(shown_at_once)
    store.insert_reports([report(shown_at_once, id=IDS["reports"])])
    name = POSTGRES.schema(tmp_path)
    CLUSTER.admin().execute(b"CREATE EXTENSION amcheck")
    try:
        assert store.check() == []  # it is not for this role
        CLUSTER.admin().execute(b"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO deniable")
        assert store.check() == []
        store.close()
        index = _index_of(name)
        CLUSTER.admin().execute(b"CHECKPOINT")
        CLUSTER.stop()
        content = bytearray(index.read_bytes())
        at = content.find(IDS["reports"])
        content[at] ^= 4
        index.write_bytes(content)
        CLUSTER.start()
        with closing(open_store(POSTGRES.url(tmp_path))) as store:
            (fault,) = store.check()
            assert "'reports'" in fault
            # Nobody else would notice, for it is a table's index that is damaged.
            CLUSTER.admin().execute(b"DROP EXTENSION amcheck; CREATE EXTENSION amcheck")
            assert store.check() == []
    finally:
        CLUSTER.admin().execute(b"DROP EXTENSION amcheck")


def _index_of(schema: str) -> Path:
    """Return the file of the index in which the one report stands."""
    rows: list[tuple[str]] = (
        CLUSTER.admin()
        .execute(
            "SELECT pg_relation_filepath(indexrelid) FROM pg_index JOIN pg_class AS t "
            "ON t.oid = indrelid WHERE relnamespace = to_regnamespace(%s) "
            "AND relname LIKE 'reports\\__' AND pg_relation_size(t.oid) > 0",
            (schema,),
        )
        .fetchall()
    )
    ((path,),) = rows
    return CLUSTER.data / path


FILE: Final = """\
version: 1
survey: ward
title: On the ward
purpose: To know how common these errors are.
minutes: 1
organisation: Hospital Research Group
contact: {text: Write to us, link: "mailto:ward@example.org"}
questions:
  - {id: error, text: An error, type: single, answers: [No, Yes], flip: 1/4}
  - {id: ward, text: Ward, type: single, answers: [One, Two], protection: direct}
"""
FLIPPED: Final = read(FILE).survey
SEED: Final = 18


def doctor_of(url: str) -> list[str]:
    """Return what doctor says of a store, but not that the tests' files may lie in memory."""
    of_place = ("lies in memory", "fsync returns")
    return [one for one in of_store(url) if not any(said in one for said in of_place)]


class Harmed:
    """A store, and its file with one bit changed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "store.db"
        self.url = f"sqlite:///{self.path}"
        with closing(open_store(self.url)) as store:
            store.register(FLIPPED, FILE)
            some = random.Random(SEED)
            for _ in range(6):
                rows = [bytes([some.randrange(2), some.randrange(2)]) for _ in range(25)]
                store.insert_reports([report(FLIPPED, row) for row in rows])
            assert store.erase_order()
        self.whole = self.path.read_bytes()
        self.good = self.asked()

    def flip(self, place: int, bit: int | None) -> None:
        """Write the file with one bit changed, or none, and nothing beside it."""
        for left in self.path.parent.iterdir():
            left.unlink()
        content = bytearray(self.whole)
        content[place] ^= 0 if bit is None else 1 << bit
        self.path.write_bytes(content)
        self.path.chmod(0o600)

    def asked(self) -> dict[str, object]:
        """Return what each use of the store finds; a store's error in the place of it."""
        found: dict[str, object] = {}
        for use in (self._counted, self._backed_up, self._served):
            try:
                found[use.__name__] = use()
            except StoreError as error:
                found[use.__name__] = error
        found["doctor"] = doctor_of(self.url)
        return found

    def _counted(self) -> object:
        with closing(open_store(self.url, create=False, read_only=True)) as store, store.told():
            return self._told(store)

    def _backed_up(self) -> object:
        place = self.path.with_name("a.backup")
        with closing(open_store(self.url, create=False, read_only=True)) as store, store.told():
            back_up(store, place)
        with look_into(place) as restored:
            return self._told(restored)

    def _served(self) -> object:
        with closing(open_store(self.url)) as store, store.told():
            store.make_sure()
            store.register(FLIPPED, FILE)
            assert trouble_of(store) is None
            return self._told(store)

    @staticmethod
    def _told(store: Store) -> object:
        survey = store.survey("ward")
        return survey, reports_in(store, "ward"), store.snapshot("ward"), store.state("ward")


@pytest.fixture(scope="module")
def harmed(tmp_path_factory: pytest.TempPathFactory) -> Harmed:
    return Harmed(tmp_path_factory.mktemp("harmed"))


def places(file: bytes, number: int, seed: int) -> Iterator[int]:
    """Choose places: a quarter of them in the header, and the others anywhere."""
    some = random.Random(seed)
    for _ in range(number // 4):
        yield some.randrange(100)
        for _ in range(3):
            yield some.randrange(len(file))


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_of(range(10), 1, pytest.mark.campaign))
def test_a_changed_bit_is_damage_or_nothing(harmed: Harmed, seed: int) -> None:
    number = 300
    some, told = random.Random(seed), 0
    for place in places(harmed.whole, number, seed):
        bit = some.randrange(8)
        harmed.flip(place, bit)
        try:
            found = harmed.asked()
        except Exception as error:
            raise AssertionError(f"byte {place}, bit {bit}") from error
        for use, what in found.items():
            if use != "doctor" and not isinstance(what, StoreError):
                assert what == harmed.good[use], (place, bit, use)
        told += found != harmed.good
    assert 0.2 * number < told < number


def test_a_spoilt_table_name_is_damage(harmed: Harmed) -> None:
    # SQLite repeats it in its message, which then is no UTF-8.
    found = 0
    for name in (b"CREATE TABLE reports", b"CREATE TABLE revisions", b"CREATE TABLE surveys"):
        at = harmed.whole.find(name)
        assert at > 0
        for place in range(at, at + 40, 3):
            harmed.flip(place, 7)
            asked = harmed.asked()
            errors = [f"{one}" for one in asked.values() if isinstance(one, StoreError)]
            assert all("deniable restore" in one for one in errors)
            found += len(errors)
            assert asked["doctor"]
    assert found > 60


def test_a_table_of_no_name_is_damage(harmed: Harmed) -> None:
    # One bit says of a value whether it is a text.
    harmed.flip(0, None)
    with closing(sqlite3.connect(harmed.path)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET name = CAST(name AS BLOB) WHERE name = 'reports'")
        db.commit()
    asked = harmed.asked()
    assert asked.pop("doctor")
    assert isinstance(asked["_served"], StoreError)
    for use, what in asked.items():
        assert isinstance(what, StoreError) or what == harmed.good[use]


@pytest.mark.parametrize("bit", [0, 7])  # with 7 it is no UTF-8 any more
def test_a_changed_text_of_a_survey_is_damage(harmed: Harmed, bit: int) -> None:
    at = harmed.whole.find(FLIPPED.to_json()[:40])
    assert at > 0
    for place in range(at, at + 40, 7):
        harmed.flip(place, bit)
        asked = harmed.asked()
        assert asked["doctor"]
        for use in ("_counted", "_backed_up", "_served"):
            assert isinstance(asked[use], StoreError)
            assert "damaged" in f"{asked[use]}" or "was changed" in f"{asked[use]}"


def test_a_changed_survey_file_is_told(harmed: Harmed) -> None:
    harmed.flip(0, None)
    with closing(sqlite3.connect(harmed.path)) as db:
        db.execute("UPDATE revisions SET source = replace(source, 'flip: 1/4', 'flip: 1/2')")
        db.commit()
    (said,) = doctor_of(harmed.url)
    assert "the file that is kept with survey 'ward' is not what was published" in said
    # As it says: estimates and backups are right, and the server is given the survey's own file.
    assert harmed.asked() == harmed.good
    assert harmed.good["doctor"] == []


SPOILT: Final = {
    "an answer": ("UPDATE reports SET answers = {other} WHERE id = {id}", "reports"),
    "an id": ("UPDATE reports SET id = {other_id} WHERE id = {id}", "reports"),
    "a report that is gone": ("DELETE FROM reports WHERE id = {id}", "reports"),
    "a held answer": ("UPDATE held SET answers = {other} WHERE id = {held}", "reports"),
    "a count": ("UPDATE tallies SET count = count + 1 WHERE place = 39 AND report = 1", "tallies"),
    "a byte": ("UPDATE tallies SET report = 3 WHERE place = 39 AND report = 1", "tallies"),
    "a count that is gone": ("DELETE FROM tallies WHERE place = 39", "tallies"),
    "all counts": ("DELETE FROM tallies", "tallies"),
}
READ: Final[dict[str, Callable[[Store], object]]] = {
    "tallies": lambda store: store.snapshot("doping"),
    "reports": lambda store: [*store.rows("doping", SURVEY.revision)],
    "shown reports": lambda store: [*store.snapshot_rows("doping", SURVEY.revision)],
    "a copy": reports_in,
}


@pytest.mark.parametrize("what", SPOILT)
def test_who_reads_what_is_damaged_is_told(filled: Store, engine: Engine, what: str) -> None:
    """Each reader finds the damage to what it reads, however many reports there are."""
    for read_it in READ.values():
        read_it(filled)
    change, damaged = SPOILT[what]
    values = {"other": bytes([1] * 40), "other_id": b"\xff" * 16, **IDS, "id": IDS["reports"]}
    written = {name: _blob(engine, value) for name, value in values.items()}
    with filled._engine.transaction() as db:
        db.execute(change.format_map(written))
    for name, read_it in READ.items():
        if (name == "tallies") == (damaged == "tallies"):
            expected = rf"the {damaged} do not give.*deniable restore"
            with pytest.raises(StoreError, match=expected), filled.told():
                read_it(filled)
        else:
            read_it(filled)  # what was not read is not checked


def _blob(engine: Engine, value: bytes) -> str:
    return f"x'{value.hex()}'" if engine is SQLITE else f"'\\x{value.hex()}'::bytea"


def test_a_survey_s_state_that_is_gone_is_damage(filled: Store) -> None:
    with filled._engine.transaction() as db:
        db.execute("DELETE FROM surveys")
    (fault,) = filled.check()
    assert "survey 'doping': its state is missing" in fault


class Disordered:
    """A database whose keys do not follow one another, as in a damaged index."""

    JOINED = "joined"

    def execute(self, sql: str, _values: Sequence[object] = ()) -> "Disordered":
        found = {"OFFSET": b"\1", "joined": b"", "length": 20}
        self._found = next((value for part, value in found.items() if part in sql), "survey")
        return self

    def fetchone(self) -> tuple[object]:
        return (self._found,)


@pytest.mark.parametrize("count", [None, "many"])
def test_a_count_that_is_no_number_is_damage(filled: Store, count: object) -> None:
    with filled._engine.snapshot() as db, pytest.raises(Unreadable, match="do not give the sum"):
        check_tallies(db, 1, [(1, 0, 0, count)])  # type: ignore[list-item]


def test_keys_out_of_order_are_damage() -> None:
    with pytest.raises(Unreadable, match="not in order"):
        [*read_records(Disordered(), 1)]  # type: ignore[arg-type]
