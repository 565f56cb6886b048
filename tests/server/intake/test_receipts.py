"""Receipts: what acknowledges a report that is published, and that nobody else waits for one."""

import json
import time
from dataclasses import replace
from itertools import count

import pytest

from deniable.crypto.blind import is_key
from deniable.crypto.board import BoardError, check_boards, check_on_board, check_receipt
from deniable.report import Report
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.intake.receipts import Receipts
from deniable.server.store import State, Store
from deniable.survey import Survey
from tests import surveys
from tests.addresses import at
from tests.blind_keys import KEYS
from tests.server.calling import Answer, Caller, report

pytestmark = pytest.mark.promise("board")

BOARDS = KEYS[-1]
ASKED = replace(surveys.survey(slug="seen"), board_key=BOARDS.public)


@pytest.fixture
def asked(store: Store) -> Survey:
    return store.register(ASKED)


def send(call: Caller, mine: Report) -> Answer:
    headers = {"Content-Type": "application/json"}
    return call(at("seen", "reports"), mine.to_json(), method="POST", headers=headers)


def receipt(call: Caller, mine: Report, status: int = 201) -> dict[str, str]:
    answer = send(call, mine)
    assert answer.status == status, answer.text
    return {**json.loads(mine.to_json()), "signature": answer.json["receipt"]}


def test_a_receipt_proves_a_report_that_is_dropped(
    call: Caller, store: Store, asked: Survey
) -> None:
    mine, other = report(asked), report(asked)
    mine_signed = receipt(call, mine)
    receipt(call, other)
    # Asked again, since the answer was lost: it is acknowledged again, and counts once.
    assert check_receipt(BOARDS.public, receipt(call, mine, 200)) == mine
    store.set_state("seen", State.CLOSED)
    deadline = time.monotonic() + 20
    while store.due_boards():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    listed = call(at("seen", "boards.json")).json
    count = len(listed["signatures"])
    boards = [
        (call(f"{at('seen')}boards/{number}.json").body, bytes.fromhex(signature))
        for number, signature in enumerate(listed["signatures"], start=1)
    ]
    known = {
        one: Survey.from_json(call(f"{at('seen')}revisions/{one}.json").body)
        for one in listed["revisions"]
    }
    board = check_boards(BOARDS.public, boards, known)
    assert len(board.entries) == 2
    check_on_board(check_receipt(BOARDS.public, mine_signed), board)
    # What the operator would show without it is no board that the receipt is on.
    without = replace(board, entries=tuple(e for e in board.entries if e.report != mine))
    with pytest.raises(BoardError, match="is missing"):
        check_on_board(check_receipt(BOARDS.public, mine_signed), without)
    assert call(f"{at('seen')}boards/{count + 1}.json").status == 404
    assert call(f"{at('seen')}revisions/{'0' * 64}.json").status == 404


def test_nothing_else_is_signed_or_published(call: Caller, store: Store, asked: Survey) -> None:
    store.set_state("seen", State.CLOSED)
    refused = send(call, report(asked))
    assert refused.status == 410
    assert "receipt" not in refused.text
    quiet = call.send(report(store.survey("doping")))
    assert quiet.json == {"status": "stored"}
    for path in (
        "boards.json",
        "boards/1.json",
        f"revisions/{store.current_revision('doping')}.json",
    ):
        assert call(f"{at('doping')}{path}").status == 404


def test_a_report_whose_receipt_cannot_be_signed_is_to_be_sent_again(
    call: Caller, store: Store, asked: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = report(asked)

    def broken(*_: object) -> str:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(Receipts, "_signed", broken)
        assert send(call, mine).status == 503
    assert check_receipt(BOARDS.public, receipt(call, mine, 200)) == mine
    assert store.count("seen") == 1


def test_the_process_that_signs_is_another_one_and_comes_back(
    call: Caller, commit: GroupCommit, asked: Survey
) -> None:
    # So that reports to other surveys wait for no signature.
    receipt(call, report(asked))
    process = commit.receipts._process
    assert process is not None
    process.kill()
    process.wait()
    mine = report(asked)
    assert check_receipt(BOARDS.public, receipt(call, mine)) == mine


def test_without_the_key_nothing_is_taken(call: Caller, store: Store) -> None:
    # Whose primes are in no file here.
    others = (f"{number:x}" for number in count(int(BOARDS.public, 16) + 2, 2))
    elsewhere = next(filter(is_key, others))
    asked = store.register(replace(ASKED, board_key=elsewhere))
    assert send(call, report(asked)).status == 503
    assert store.count("seen") == 0
