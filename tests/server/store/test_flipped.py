"""Any single byte of a store's file may be changed: it is told as damage, or changes nothing."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from deniable.cli.diagnosis import of_store
from deniable.server.store import Store, StoreError, open_store
from deniable.server.store.backups import back_up, look_into
from deniable.server.store.keys import trouble_of
from deniable.server.store.store import AT_START
from deniable.survey_file import read
from tests.kit import report, reports_in

pytestmark = pytest.mark.promise("damage")

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

SURVEY: Final = read(FILE).survey

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
            store.register(SURVEY, FILE)
            some = random.Random(SEED)
            for _ in range(6):
                rows = [bytes([some.randrange(2), some.randrange(2)]) for _ in range(25)]
                store.insert_batch([report(SURVEY, row) for row in rows])
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
            store.make_sure(seconds=AT_START)
            return self._told(store)

    def _backed_up(self) -> object:
        place = self.path.with_name("a.backup")
        with closing(open_store(self.url, create=False, read_only=True)) as store, store.told():
            back_up(store, place)
        with look_into(place) as restored:
            return self._told(restored)

    def _served(self) -> object:
        with closing(open_store(self.url)) as store, store.told():
            store.make_sure(seconds=AT_START)
            store.register(SURVEY, FILE)
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


def _looked_at(harmed: Harmed, number: int, seed: int = SEED) -> None:
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


@pytest.mark.slow
def test_a_changed_bit_is_damage_or_nothing(harmed: Harmed) -> None:
    _looked_at(harmed, 100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_so_are_thousands(harmed: Harmed, seed: int) -> None:
    _looked_at(harmed, 300, seed)


def test_a_spoilt_table_name_is_damage(harmed: Harmed) -> None:
    # SQLite repeats it in its message, which then is no UTF-8.
    found = 0
    for name in (b"CREATE TABLE reports", b"CREATE TABLE revisions", b"CREATE TABLE surveys"):
        at = harmed.whole.find(name)
        assert at > 0
        for place in range(at, at + 40, 3):
            harmed.flip(place, 7)
            asked = harmed.asked()
            found += sum(isinstance(one, StoreError) for one in asked.values())
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
    assert all(isinstance(one, StoreError) for one in asked.values())


@pytest.mark.parametrize("bit", [0, 7])  # with 7 it is no UTF-8 any more
def test_a_changed_text_of_a_survey_is_damage(harmed: Harmed, bit: int) -> None:
    at = harmed.whole.find(SURVEY.to_json()[:40])
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
