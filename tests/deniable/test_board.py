"""Boards and receipts: each promise by an attack that fails."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from deniable.crypto.board import (
    Board,
    BoardError,
    Entry,
    board_of,
    check_boards,
    check_on_board,
    check_receipt,
    estimates_of,
    receipt_of,
    sign_board,
)
from deniable.estimator import for_values
from deniable.report import Report
from deniable.survey import Survey
from deniable.survey.revisions import follow
from deniable.survey.trial import trial_of
from deniable.survey_file import read
from tests import surveys
from tests.blind_keys import KEYS, PUBLIC, token

pytestmark = pytest.mark.promise("board")

TOKENS, BOARDS, OTHER = KEYS[:3]
SURVEY = replace(surveys.survey(), token_keys=(PUBLIC[0],), board_key=PUBLIC[1])
KNOWN = {SURVEY.revision: SURVEY}


def entry(number: int, *, answer: int = 0, paper: bool = False) -> Entry:
    report = Report(SURVEY.slug, SURVEY.revision, bytes([number]) * 16, bytes([answer]))
    return Entry(report, b"" if paper else bytes.fromhex(token(report, TOKENS)))


def again(one: Entry) -> Entry:
    """Return an entry under another id."""
    return replace(one, report=one.report._replace(id=bytes([1]) * 16))


ENTRIES = [entry(number, answer=number % 2) for number in (7, 3, 5)]
PAPER = entry(9, paper=True)


def chain(*groups: list[Entry]) -> list[Board]:
    boards: list[Board] = []
    for entries in groups:
        before = boards[-1].to_json() if boards else None
        known = [one for one in entries if one.report.answers[0] < 2]
        board = board_of(
            SURVEY.slug, known, before=before, closed=False, issued=9, spent=4, surveys=KNOWN
        )
        ordered = tuple(sorted(entries, key=lambda one: one.report.id))
        boards.append(replace(board, entries=ordered))
    return boards


def signed(boards: list[Board]) -> list[tuple[bytes, bytes]]:
    return [(one.to_json(), sign_board(BOARDS, one)) for one in boards]


def check(boards: list[Board]) -> Board:
    return check_boards(BOARDS.public, signed(boards), KNOWN)


def test_an_honest_chain_holds_and_counts_paper_apart() -> None:
    boards = chain(ENTRIES[:2], [*ENTRIES, PAPER])
    last = check(boards)
    assert last == boards[1]
    assert (len(last.entries), last.without_token) == (4, 1)
    assert [one.report.id[0] for one in last.entries] == [3, 5, 7, 9]
    assert b"does not prove that a person stands behind" in last.to_json()


@pytest.mark.parametrize(
    ("attack", "told"),
    [
        (lambda first: [*first[1:], *ENTRIES[2:]], "was dropped or changed"),
        (lambda first: [replace(first[0], token=b""), *first[1:]], "was dropped or changed"),
        (lambda first: [entry(7, answer=0), *first[1:]], "was dropped or changed"),
        (lambda first: [*first, first[0]], "each id once"),
        (lambda first: [*first, again(first[0])], "token is not good"),
        (lambda first: [*first, replace(PAPER, token=ENTRIES[2].token)], "token is not good"),
        (lambda first: [*first, *(entry(n) for n in (20, 21, 22))], "no more reports than tokens"),
        (lambda first: [*first, entry(20, answer=7, paper=True)], "expected a report below"),
    ],
    ids=[
        "dropped",
        "token taken away",
        "changed",
        "twice",
        "doubled",
        "forged",
        "added",
        "impossible",
    ],
)
def test_what_an_operator_alters_is_found(
    attack: Callable[[list[Entry]], list[Entry]], told: str
) -> None:
    first = ENTRIES[:2]
    with pytest.raises(BoardError, match=f"board 2: .*{told}"):
        check(chain(first, attack(first)))


WAVES = """
version: 1
survey: doping
title: Doping
publish: true
epsilon: 2
waves: {count: 2, redraw: 1/5}
questions: [{id: doped, text: "Have you ever doped?", type: single, answers: [No, Yes]}]
"""


@pytest.mark.parametrize(
    ("wave", "key", "told"),
    [(1, 0, "no more tokens than codes, 3, found 4 in wave 1"), (2, 0, "token is not good")],
)
def test_each_code_gives_one_report_in_each_wave(wave: int, key: int, told: str) -> None:
    asked = read(WAVES).survey
    survey = replace(asked, token_keys=tuple(PUBLIC[:2]), board_key=PUBLIC[2])
    reports = [Report(survey.slug, survey.revision, bytes([n]) * 16, b"\1", wave) for n in range(4)]
    entries = [Entry(one, bytes.fromhex(token(one, KEYS[key]))) for one in reports]
    known = {survey.revision: survey}
    board = board_of(
        survey.slug, entries, before=None, closed=True, issued=3, spent=6, surveys=known
    )
    with pytest.raises(BoardError, match=told):
        check_boards(PUBLIC[2], [(board.to_json(), sign_board(KEYS[2], board))], known)


def test_an_estimate_that_the_reports_do_not_give_is_found() -> None:
    (honest,) = chain([*ENTRIES, PAPER])
    shares = honest.estimates[SURVEY.revision]["0"]["doped"]
    # Three yes of four; k-ary noise of epsilon 1 flips one report in 1 + e.
    flip = 1 / (1 + math.e)
    assert float(shares[1]) == pytest.approx((0.75 - flip) / (1 - 2 * flip), abs=1e-4)
    better = f"{float(shares[1]) + 0.0002:.4f}"
    for told in ([shares[0], better], [shares[0]], [shares[0], "NaN"], [shares[0], 0.5], "no"):
        said: dict[str, Any] = {"doped": told}
        forged = replace(honest, estimates={SURVEY.revision: {"0": said}})
        with pytest.raises(BoardError, match="item 'doped': expected the estimates"):
            check([forged])
    none: dict[str, Any]
    for none in ({}, {SURVEY.revision: {"0": {}}}, {SURVEY.revision: {"0": {"more": shares}}}):
        with pytest.raises(BoardError, match="an estimate of each item"):
            check([replace(honest, estimates=none)])


def test_other_words_than_those_that_were_signed_are_found() -> None:
    survey = replace(SURVEY, title="Titel", token_keys=(), before=())
    reports = [Entry(Report(survey.slug, survey.revision, bytes(16), bytes(1)), b"")]
    known = {survey.revision: survey}
    board = board_of(
        survey.slug, reports, before=None, closed=True, issued=0, spent=0, surveys=known
    )
    later = follow(replace(survey, title="Title"), survey)
    lie = replace(survey, title="Tattle")
    assert lie.revision == later.revision == survey.revision
    for asked in (survey, later):
        check_boards(BOARDS.public, signed([board]), {survey.revision: asked})
    numbers: Any
    for words, numbers, told in (
        (lie, board.numbers, "expected the words with the check number"),
        (survey, {}, "expected the check number of each revision"),
        (survey, {**board.numbers, "0" * 64: "0"}, "expected the check number of each revision"),
        (survey, {survey.revision: [1]}, "expected the words with the check number"),
    ):
        forged = replace(board, numbers=numbers)
        with pytest.raises(BoardError, match=told):
            check_boards(BOARDS.public, signed([forged]), {survey.revision: words})


def test_a_board_of_another_key_or_out_of_the_chain_is_found() -> None:
    boards = chain(ENTRIES[:2], ENTRIES)
    for signature in (sign_board(OTHER, boards[0]), b"", bytes(256), ENTRIES[0].token[32:]):
        with pytest.raises(BoardError, match="board 1: it is not signed"):
            check_boards(BOARDS.public, [(boards[0].to_json(), signature)], KNOWN)
    with pytest.raises(BoardError, match="found one that follows another"):
        check(boards[1:])
    with pytest.raises(BoardError, match="does not follow"):
        check([boards[0], boards[0], boards[1]])
    twin = replace(boards[0], spent=3)
    with pytest.raises(BoardError, match="does not follow"):
        check([twin, boards[1]])
    with pytest.raises(BoardError, match="to no revision that was asked"):
        check_boards(BOARDS.public, signed(boards), {})


def test_bytes_that_are_no_board_are_refused() -> None:
    (board,) = chain(ENTRIES)
    good = board.to_json()
    for written in (
        b"",
        b"[]",
        b"{}",
        good + b" ",
        good.replace(b'"without_token":0', b'"without_token":1'),
        good.replace(b'"issued":9', b'"issued":"9"'),
        good.replace(b'"closed":false', b'"closed":0'),
        good.replace(b'"reports":[', b'"reports":[[],'),
    ):
        with pytest.raises(BoardError, match="expected a board"):
            Board.from_json(written)
    assert Board.from_json(good) == board
    assert board.before == ""
    assert hashlib.sha256(good).hexdigest() == chain(ENTRIES, ENTRIES)[1].before


def test_a_receipt_proves_a_report_that_is_missing() -> None:
    mine = ENTRIES[0].report
    receipt = receipt_of(BOARDS, mine)
    report = check_receipt(BOARDS.public, receipt)
    assert report == mine
    (whole,) = chain(ENTRIES)
    check_on_board(report, whole)
    (without,) = chain(ENTRIES[1:])
    with pytest.raises(BoardError, match=r"is missing.* may still wait"):
        check_on_board(report, without)
    with pytest.raises(BoardError, match=r"is missing.* was dropped"):
        check_on_board(report, replace(without, closed=True))
    (changed,) = chain([entry(7, answer=0), *ENTRIES[1:]])
    with pytest.raises(BoardError, match="reads otherwise"):
        check_on_board(report, changed)
    # Nobody can make one up: not of other answers, not by another key, not from a board.
    altered = {**receipt, "answers": "00"}
    for forged in (altered, receipt_of(OTHER, mine), {}, {**receipt, "signature": "no"}):
        with pytest.raises(BoardError):
            check_receipt(BOARDS.public, forged)


def test_a_number_is_estimated_by_its_mean_unless_people_can_decline_it() -> None:
    asked = read(NUMBERS).survey
    rows = [
        Entry(Report(asked.slug, asked.revision, bytes([number]) * 16, bytes([answer, 0])), b"")
        for number, answer in enumerate((0, 1, 1, 0))
    ]
    found = estimates_of({asked.revision: asked}, rows)[asked.revision]["0"]
    (mean,) = found["hours"]
    channel = asked.items[0].channel
    numbers = for_values(channel, [0, 1, 2, 3, 4])
    assert float(mean) == pytest.approx(sum(numbers[[0, 1, 1, 0]]) / 4, abs=1e-4)
    # Whoever declines has no number: there are shares, if the design tells them.
    assert len(found.get("errors", [""] * 6)) == 6


NUMBERS = """version: 1
survey: hours
title: Hours
epsilon: 2
publish: true
questions:
  - {id: hours, text: Hours, type: number, min: 0, max: 4}
  - {id: errors, text: Errors, type: number, min: 0, max: 4, prefer_not_to_say: true}
"""


def test_nothing_is_published_but_noise_and_no_trial() -> None:
    direct = surveys.survey(surveys.single(), surveys.single("age", direct=True))
    with pytest.raises(ValueError, match="'age' is direct: expected only randomised questions"):
        replace(direct, board_key=PUBLIC[1])
    with pytest.raises(ValueError, match="another key for boards than for tokens"):
        replace(SURVEY, board_key=PUBLIC[0])
    for key in ("0", PUBLIC[1].upper(), f"{PUBLIC[1]}0"):
        with pytest.raises(ValueError, match="expected a key of boards"):
            replace(SURVEY, board_key=key)
    assert trial_of(SURVEY).board_key is None
    assert Survey.from_json(SURVEY.to_json()) == SURVEY
