"""What every store promises of boards, whichever engine it has."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deniable.crypto.board import Board, BoardError, check_boards
from deniable.report import Report
from deniable.server.intake.publishing import publish_board
from deniable.server.store import Outcome, State, Store, StoreError, open_store
from deniable.server.store.backups import back_up, restore
from deniable.server.store.errors import KeyFileError
from deniable.server.store.invitations import new_codes
from deniable.server.store.keys import KeyFile, register
from deniable.survey import Survey
from tests import surveys
from tests.blind_keys import KEYS, MARKS, PUBLIC, DrawnBefore, by_invitation, token
from tests.server.calling import report
from tests.server.stored import adopt

pytestmark = pytest.mark.promise("board")

BOARDS = KEYS[-1]
ASKED = replace(surveys.survey(slug="seen", batch=10), board_key=BOARDS.public)


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return DrawnBefore(tmp_path / "keys")


@pytest.fixture
def asked(store: Store) -> Survey:
    """Register a published survey by invitation."""
    store.register(ASKED)
    by_invitation(store, "seen", new_codes(40))
    return store.survey("seen")


MADE: list[tuple[Report, bytes]] = []
"""Reports with their tokens, made once: to sign takes long."""


def send(store: Store, asked: Survey, first: int, last: int) -> list[Report]:
    """Send some of the reports that were made, and return them."""
    while len(MADE) < last:
        one = report(asked)
        MADE.append((one, bytes.fromhex(token(one))))
    reports = [one for one, _ in MADE[first:last]]
    proofs = [proof for _, proof in MADE[first:last]]
    outcomes = store.insert_batch(reports, [MARKS[0]] * len(reports), proofs)
    assert {*outcomes} == {Outcome.STORED}
    return reports


def checked(store: Store) -> Board:
    """Check all boards as a stranger does."""
    signatures = store.board_signatures("seen")
    boards = [
        (store.board("seen", number), signature)
        for number, signature in enumerate(signatures, start=1)
    ]
    known = {one: store.revision("seen", one) for one in store.revisions("seen")}
    return check_boards(BOARDS.public, boards, known)


@pytest.mark.promise("board-batches")
def test_a_board_shows_what_the_snapshot_shows_and_no_report_more(
    store: Store, asked: Survey, keys: KeyFile
) -> None:
    assert store.due_boards() == []
    send(store, asked, 0, 19)
    assert store.due_boards() == []  # nothing has moved: whoever watches boards learns no time
    send(store, asked, 19, 20)
    assert store.snapshot("seen").count() == 10
    assert store.due_boards() == ["seen"]
    assert publish_board(store, keys, "seen")
    board = checked(store)
    assert (len(board.entries), board.without_token, board.issued, board.spent) == (10, 0, 40, 10)
    assert store.due_boards() == []
    store.set_state("seen", State.CLOSED)
    assert store.due_boards() == ["seen"]
    publish_board(store, keys, "seen")
    last = checked(store)
    assert len(last.entries) == store.count("seen") == 20
    # So a receipt that is missing there is missing for good.
    assert (board.closed, last.closed) == (False, True)
    assert store.due_boards() == []
    # Nobody is told of a report to the survey that is open again: "it was dropped".
    store.set_state("seen", State.OPEN)
    assert store.due_boards() == ["seen"]
    publish_board(store, keys, "seen")
    assert not checked(store).closed
    assert store.due_boards() == []


def test_a_board_comes_with_each_tenth_and_each_batch(store: Store, keys: KeyFile) -> None:
    now, counts = store.register(ASKED), []
    for number in range(90, 136):  # sheets of paper, which wait for no others
        sheets = [report(now) for _ in range(1 if number > 90 else 90)]
        store.enter(sheets, bytes([number]))
        if store.due_boards():
            publish_board(store, keys, "seen")
            counts.append(number)
    assert counts == [90, 100, 110, 121, 134]
    # At the end there is a board of all, however few came since, and of none as well.
    store.set_state("seen", State.CLOSED)
    assert store.due_boards() == ["seen"]
    publish_board(store, keys, "seen")
    assert len(checked(store).entries) == 135


@pytest.mark.promise("board-batches")
@pytest.mark.parametrize("batch", [1, 9])
def test_nobody_learns_when_a_report_came_where_batches_are_small(
    store: Store, keys: KeyFile, batch: int
) -> None:
    now = store.register(replace(ASKED, batch=batch))
    store.register(ASKED)  # a revision with the usual batch does not let the others be seen
    store.insert_batch([report(now) for _ in range(30)])
    assert store.due_boards() == []
    store.set_state("seen", State.CLOSED)
    publish_board(store, keys, "seen")
    assert len(checked(store).entries) == 30
    # Open again, the board says so, and shows nothing of who came first.
    store.set_state("seen", State.OPEN)
    store.insert_batch([report(now)])
    assert store.due_boards() == ["seen"]
    publish_board(store, keys, "seen")
    assert (len(checked(store).entries), checked(store).closed) == (30, False)
    assert store.due_boards() == []


def test_what_an_operator_takes_out_of_the_store_is_found(
    store: Store, asked: Survey, keys: KeyFile
) -> None:
    send(store, asked, 0, 30)
    publish_board(store, keys, "seen")
    material = store.board_material("seen")
    assert material.number == 2
    for entries in (material.entries[1:], (replace(material.entries[0], token=b""),)):
        less = _Altered(store, replace(material, entries=entries))
        assert publish_board(less, keys, "seen")  # type: ignore[arg-type]
        with pytest.raises(BoardError, match="was dropped or changed"):
            checked(store)
        with store._engine.transaction() as db:
            db.execute("DELETE FROM boards WHERE number = 2")


class _Altered:
    """A store whose operator says otherwise what the next board holds."""

    def __init__(self, store: Store, material: object) -> None:
        self._material = material
        self.add_board = store.add_board

    def board_material(self, slug: str) -> object:
        return self._material


def test_of_two_servers_one_publishes(store: Store, asked: Survey, keys: KeyFile) -> None:
    send(store, asked, 0, 20)
    material = store.board_material("seen")
    assert publish_board(store, keys, "seen")
    late = _Altered(store, material)
    assert not publish_board(late, keys, "seen")  # type: ignore[arg-type]
    assert len(store.board_signatures("seen")) == 1
    checked(store)


def test_no_board_is_made_without_the_key(store: Store, asked: Survey, tmp_path: Path) -> None:
    send(store, asked, 0, 20)
    with pytest.raises(KeyFileError):
        publish_board(store, KeyFile(tmp_path / "none"), "seen")
    assert store.board_signatures("seen") == []


def test_no_board_is_kept_of_a_survey_that_was_deleted_meanwhile(
    store: Store, asked: Survey, keys: KeyFile
) -> None:
    assert {*store.enter([report(asked)], b"pile")} == {Outcome.STORED}
    late = _Altered(store, store.board_material("seen"))
    store.delete("seen")
    assert not publish_board(late, keys, "seen")  # type: ignore[arg-type]
    assert store.board_signatures("seen") == []


def test_a_token_is_kept_only_of_what_was_stored(
    store: Store, asked: Survey, keys: KeyFile
) -> None:
    reports = send(store, asked, 0, 20)
    # Sent again with another token, which is as good: the first stays, or a board would change.
    again = [bytes.fromhex(token(one)) for one in reports[:3]]
    outcomes = store.insert_batch(reports[:3], [MARKS[0]] * 3, again)
    assert {*outcomes} == {Outcome.REPEATED}
    publish_board(store, keys, "seen")
    assert checked(store).without_token == 0
    assert store.check() == []


def test_boards_and_tokens_come_along_and_go_with_their_survey(
    store: Store, second: Store, asked: Survey, keys: KeyFile, tmp_path: Path
) -> None:
    send(store, asked, 0, 25)
    publish_board(store, keys, "seen")
    signatures = store.board_signatures("seen")
    back_up(store, tmp_path / "all.backup")
    adopt(second, store, "seen")
    _goes_on(second, signatures, keys)
    with closing(open_store(f"sqlite:///{tmp_path}/restored.db")) as restored:
        restore(tmp_path / "all.backup", restored)
        _goes_on(restored, signatures, keys)
    store.delete("seen")
    assert store.board_signatures("seen") == []
    assert store.due_boards() == []
    with store._engine.lend() as db:
        assert db.execute("SELECT count(*) FROM proofs").fetchone()[0] == 0


def _goes_on(store: Store, signatures: list[bytes], keys: KeyFile) -> None:
    """Check that another store goes on where the first one stood."""
    assert store.board_signatures("seen") == signatures
    assert store.check() == []
    store.set_state("seen", State.CLOSED)
    publish_board(store, keys, "seen")
    board = checked(store)
    assert (len(board.entries), board.without_token) == (25, 0)


def test_damage_to_a_token_is_noticed(store: Store, asked: Survey) -> None:
    send(store, asked, 0, 3)
    assert store.check() == []
    with store._engine.transaction() as db:
        db.execute("UPDATE proofs SET token = ?", (bytes(288),))
    assert any("do not give the sum" in fault for fault in store.check())


@pytest.mark.promise("published")
def test_nobody_is_published_who_was_told_otherwise(store: Store) -> None:
    quiet = surveys.survey(slug="quiet")
    store.register(quiet)
    store.register(replace(quiet, board_key=PUBLIC[0]))  # nobody has answered
    store.register(quiet)
    assert store.insert_batch([report(quiet)]) == [Outcome.STORED]
    with pytest.raises(StoreError, match="has reports, expected 'publish' as it was"):
        store.register(replace(quiet, board_key=PUBLIC[0]))
    store.register(ASKED)
    assert store.insert_batch([report(ASKED)]) == [Outcome.STORED]
    with pytest.raises(StoreError, match="has reports, expected 'publish' as it was"):
        store.register(replace(ASKED, board_key=None))


def test_what_came_on_paper_is_counted_apart_and_stays(
    store: Store, asked: Survey, keys: KeyFile
) -> None:
    sheets = [report(asked) for _ in range(10)]
    assert {*store.enter(sheets[:9], b"pile")} == {Outcome.STORED}
    assert store.due_boards() == []  # the snapshot has them, and they are no batch
    assert {*store.enter(sheets[9:], b"more")} == {Outcome.STORED}
    assert store.due_boards() == ["seen"]
    publish_board(store, keys, "seen")
    assert not store.take_back(sheets, b"pile")  # what a board shows stays
    board = checked(store)
    assert (len(board.entries), board.without_token, board.spent) == (10, 10, 0)


def test_a_survey_keeps_the_key_of_its_boards(store: Store, keys: KeyFile, tmp_path: Path) -> None:
    written = replace(ASKED, board_key="")  # as a survey file says it
    first = register(store, keys, written)
    assert first.board_key == PUBLIC[0]
    again = register(store, keys, replace(written, title="Another title"))
    assert again.board_key == first.board_key
    assert again.revision != first.revision
    with pytest.raises(KeyFileError):  # nobody could sign
        register(store, KeyFile(tmp_path / "elsewhere"), written)


def test_the_codes_of_a_published_survey_stay(store: Store, asked: Survey, keys: KeyFile) -> None:
    send(store, asked, 0, 20)
    publish_board(store, keys, "seen")
    # Without them an honest board would have more tokens than codes.
    with pytest.raises(StoreError, match="expected its codes to stay"):
        store.end_invitations("seen")
    store.set_state("seen", State.CLOSED)
    publish_board(store, keys, "seen")
    assert checked(store).issued == 40
