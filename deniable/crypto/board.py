"""The board: all reports of a survey, signed, so that everybody can count again.

Each board holds every report that the one before it held, and its hash: what was once published
cannot be dropped, added to or changed later without somebody noticing who kept a board or a
receipt. A *receipt* is what a sender gets: the server's signature under the report. A report that
has a receipt and is missing on a later board proves that it was dropped.

What a board does not prove: that a person stands behind each token. Whoever hands codes out can
answer with those that nobody used, up to as many as they made. It says so itself (`WARNING`).

Signatures are RSA-PSS with SHA-384, by a key of the same kind as those of tokens: what checks a
token checks a board, also in a browser without TLS. The key is another one, or the signature under
a board could be taken for a token.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeAlias

from deniable import exact
from deniable.crypto.blind import PrivateKey, is_token, sign, verifies
from deniable.report import NOT_ASKED, NOT_DRAWN, Report, ReportError
from deniable.survey import Survey
from deniable.survey.document import canonical_json, fingerprint_of
from deniable.survey.items import Item
from deniable.survey.questions import NO_NUMBERS, Protection, Question

_NUMBER: Final = re.compile(r"-?[0-9]{1,12}\.[0-9]{4}")

WARNING: Final = (
    "This board proves which reports were counted, and that each came with a token of its own. It "
    "does not prove that a person stands behind each token: whoever made the codes could have used "
    "those that nobody else did."
)


NO_CODES: Final = (
    "This board proves which reports were counted. The survey needs no codes, so the board does "
    "not prove that a person stands behind any of them."
)

_DROPPED: Final = {
    True: "the survey is closed, so it was dropped, unless fewer reports than one batch came to "
    "the same questions (and in the same wave)",
    False: "the survey has not ended, so it may still wait for others",
}

Estimates: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]
"""By revision, wave ("0" if there are none) and item: the estimates, as they are printed."""

DIGITS: Final = 4
"""Decimal places of an estimate. Computers differ in the last ones of their numbers, and not in
these."""


class BoardError(ValueError):
    """A board, or a receipt, that does not hold; says what is wrong and where."""


@dataclass(frozen=True)
class Entry:
    """A report on a board."""

    report: Report
    token: bytes


@dataclass(frozen=True)
class Board:
    """All reports of a survey as they were at one moment.

    `survey`: the slug. `before`: SHA-256 of the board before it, in hex digits; empty of the first.
    `closed`: whether the survey was closed when it was made. Then nothing waits any more, but
    groups of reports that are too small to be shown. `issued`, `spent`: codes that were made, and
    tokens that were signed for them. `entries`: sorted by the reports' ids. `estimates`: what the
    reports say of each randomised item, as `estimates_of` gives it. `numbers`: the check number of
    the words that were asked, as `numbers_of` gives it.
    """

    survey: str
    before: str
    closed: bool
    issued: int
    spent: int
    entries: tuple[Entry, ...]
    estimates: Estimates
    numbers: Mapping[str, str]

    @property
    def without_token(self) -> int:
        """How many reports came without a token.

        In a survey by invitation they were typed from paper, or came before there were codes: they
        are counted apart.
        """
        return sum(not entry.token for entry in self.entries)

    def to_json(self) -> bytes:
        """Write the board as it is signed and hashed."""
        return canonical_json(
            {
                "warning": warning_of(self.issued),
                "survey": self.survey,
                "before": self.before,
                "closed": self.closed,
                "issued": self.issued,
                "spent": self.spent,
                "without_token": self.without_token,
                "reports": [_row(entry) for entry in self.entries],
                "estimates": self.estimates,
                **({"numbers": self.numbers} if self.numbers else {}),
            }
        )

    @classmethod
    def from_json(cls, written: bytes) -> Board:
        """Read a board strictly, or raise a `BoardError`: there is one way to write each."""
        try:
            fields = json.loads(written)
            board = cls(
                fields["survey"],
                fields["before"],
                fields["closed"],
                fields["issued"],
                fields["spent"],
                tuple(_entry(fields["survey"], row) for row in fields["reports"]),
                fields["estimates"],
                fields.get("numbers", {}),
            )
            kinds = [type(one) for one in (board.closed, board.issued, board.spent)]
            same = kinds == [bool, int, int] and board.to_json() == written
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BoardError("expected a board, found something else") from None
        if not same:
            raise BoardError("expected a board in its one form, found other bytes")
        return board


def warning_of(issued: int) -> str:
    """Return what a board does not prove, by how many codes were made."""
    return WARNING if issued else NO_CODES


def board_of(
    survey: str,
    entries: Iterable[Entry],
    *,
    before: bytes | None,
    closed: bool,
    issued: int,
    spent: int,
    surveys: Mapping[str, Survey],
) -> Board:
    """Make the next board of a survey. `surveys`: each revision that was asked, by its hash."""
    chain = "" if before is None else hashlib.sha256(before).hexdigest()
    ordered = tuple(sorted(entries, key=lambda one: one.report.id))
    told = estimates_of(surveys, ordered), numbers_of(surveys, ordered)
    return Board(survey, chain, closed, issued, spent, ordered, *told)


def numbers_of(surveys: Mapping[str, Survey], entries: Iterable[Entry]) -> dict[str, str]:
    """Return the check number of the last wording of each revision that has reports.

    Reports name the law alone, which vouches for no words. Without wordings it holds its texts.
    """
    revisions = sorted({entry.report.revision for entry in entries})
    return {one: surveys[one].number for one in revisions if surveys[one].before is not None}


def estimates_of(surveys: Mapping[str, Survey], entries: Iterable[Entry]) -> Estimates:
    """Estimate each randomised item from the reports, by revision and wave.

    `surveys`: each revision, by its hash. Result: of a number its unbiased mean, unless people can
    decline it; of all else the unbiased share of each answer. An item of which nothing was
    reported, or that cannot be estimated, is left out.
    """
    groups: dict[tuple[str, int], list[bytes]] = {}
    for entry in entries:
        report = entry.report
        groups.setdefault((report.revision, report.wave), []).append(report.answers)
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for (revision, wave), answers in groups.items():
        items = _estimate(surveys[revision], answers)
        found.setdefault(revision, {})[str(wave)] = items
    return found


def _estimate(survey: Survey, answers: Sequence[bytes]) -> dict[str, list[str]]:
    # Late, for they load numpy, which nothing else that knows boards needs.
    from deniable.estimator import NotIdentifiable, for_values, least_variance  # noqa: PLC0415

    joined, width = b"".join(answers), len(survey.items)
    found = {}
    for place, item in enumerate(survey.items):
        if item.protection is not Protection.RANDOMISED:
            continue
        counts = Counter(joined[place::width])
        for byte in {NOT_ASKED, NOT_DRAWN}.difference(range(item.channel.reports)):
            counts.pop(byte, None)
        if not counts:
            continue
        try:
            if _is_number(survey.question(item.question), item):
                values = [float(exact.fraction(truth.code)) for truth in item.truths]
                table = [for_values(item.channel, values)]
            else:
                table = [*least_variance(item.channel)]
        except NotIdentifiable:
            continue
        number = counts.total()
        found[item.id] = [
            f"{sum(float(row[byte]) * times for byte, times in counts.items()) / number:.{DIGITS}f}"
            for row in table
        ]
    return found


def _is_number(question: Question, item: Item) -> bool:
    """Return whether a mean tells of all who answered: who declines has no number."""
    return question.is_number and all(truth.code not in NO_NUMBERS for truth in item.truths)


def sign_board(key: PrivateKey, board: Board) -> bytes:
    """Sign a board."""
    return sign(key, b"deniable board\n" + board.to_json())


def receipt_of(key: PrivateKey, report: Report) -> dict[str, str]:
    """Acknowledge a report: the file that its sender may keep."""
    signature = sign(key, b"deniable receipt\n" + report.to_json())
    return {**json.loads(report.to_json()), "signature": signature.hex()}


def check_receipt(key: str, receipt: Mapping[str, str]) -> Report:
    """Return the report of a receipt, or raise a `BoardError` if this key did not sign it."""
    try:
        fields = {name: value for name, value in receipt.items() if name != "signature"}
        report = Report.from_json(json.dumps(fields).encode())
        signature = bytes.fromhex(receipt["signature"])
    except (ReportError, KeyError, ValueError, TypeError):
        raise BoardError("expected a receipt, found something else") from None
    if not verifies(key, b"deniable receipt\n" + report.to_json(), signature):
        raise BoardError("the receipt is not signed by the survey's key")
    return report


def check_boards(
    key: str, boards: Iterable[tuple[bytes, bytes]], surveys: Mapping[str, Survey]
) -> Board:
    """Check the boards of a survey, from the first to the last, and return the last.

    Raises
    ------
    BoardError
        At the first thing that does not hold: a signature, the chain, an id that is there twice, a
        token, a report that fits no revision, one that was dropped or changed, more reports than
        tokens, or tokens than codes, or an estimate that the reports do not give.
    """
    last: tuple[bytes, Board] | None = None
    for number, (written, signature) in enumerate(boards, start=1):
        try:
            if not verifies(key, b"deniable board\n" + written, signature):
                raise BoardError("it is not signed by the survey's key")
            board = Board.from_json(written)
            _check(board, surveys)
            _check_chain(board, last)
        except BoardError as mistake:
            raise BoardError(f"board {number}: {mistake}") from None
        last = written, board
    if last is None:
        raise BoardError("expected a board, found no board at all")
    return last[1]


def check_on_board(report: Report, board: Board) -> None:
    """Check that a report is on a board as it was sent, or raise a `BoardError`."""
    found = {entry.report.id: entry.report for entry in board.entries}.get(report.id)
    if found is None:
        raise BoardError(f"the report is missing on this board: {_DROPPED[board.closed]}")
    if found != report:
        raise BoardError("the report reads otherwise on this board")


def _check(board: Board, surveys: Mapping[str, Survey]) -> None:
    """Check what a board says by itself."""
    ids = [entry.report.id for entry in board.entries]
    if ids != sorted({*ids}):
        raise BoardError("expected each id once, and all of them in order")
    keys = max((len(survey.token_keys) for survey in surveys.values()), default=0)
    tokens: Counter[int] = Counter()
    for entry in board.entries:
        survey = surveys.get(entry.report.revision)
        if survey is None or survey.slug != board.survey:
            raise BoardError(f"report {entry.report.id.hex()}: is to no revision that was asked")
        try:
            entry.report.check(survey)
        except ReportError as mistake:
            raise BoardError(f"report {entry.report.id.hex()}: {mistake}") from None
        # A page that was opened before there were codes sends a token of the keys since.
        wave = entry.report.wave
        known = {key for one in surveys.values() if (key := one.token_key(wave))}
        if entry.token and not any(is_token(key, entry.report.id, entry.token) for key in known):
            raise BoardError(f"report {entry.report.id.hex()}: its token is not good")
        tokens[wave] += bool(entry.token)
    for wave, count in tokens.items():
        if count > board.issued:
            raise BoardError(
                f"expected no more tokens than codes, {board.issued}, found {count}"
                f"{f' in wave {wave}' if wave else ''}"
            )
    with_token = tokens.total()
    if not with_token <= board.spent <= board.issued * keys:
        raise BoardError(
            f"expected no more reports than tokens, and no more tokens than codes, found "
            f"{with_token}, {board.spent} and {board.issued}"
        )
    _check_numbers(board, surveys)
    _check_estimates(board, surveys)


def _check_numbers(board: Board, surveys: Mapping[str, Survey]) -> None:
    """Check that the words are those that were signed, or corrections of them since."""
    found = numbers_of(surveys, board.entries)
    if not isinstance(board.numbers, dict) or board.numbers.keys() != found.keys():
        raise BoardError("expected the check number of each revision that has wordings")
    for revision, number in board.numbers.items():
        if number not in surveys[revision].numbers:
            raise BoardError(
                f"revision {fingerprint_of(revision)}: expected the words with the check number "
                f"{number}, as the board says, found {found[revision]}"
            )


def _check_estimates(board: Board, surveys: Mapping[str, Survey]) -> None:
    """Check that the reports give what the board says of them."""
    said, found = _flat(board.estimates), _flat(estimates_of(surveys, board.entries))
    if said.keys() != found.keys():
        raise BoardError("expected an estimate of each item, and none besides")
    for (_, wave, item), values in found.items():
        told = said[_, wave, item]
        if len(told) != len(values) or not all(map(_agree, told, values)):
            of = f" in wave {wave}" if wave != "0" else ""
            raise BoardError(
                f"item {item!r}{of}: expected the estimates {', '.join(values)}, as the reports "
                f"give them, found {', '.join(map(str, told))}"
            )


def _flat(estimates: Estimates) -> dict[tuple[str, str, str], Sequence[str]]:
    try:
        return {
            (revision, wave, item): values
            for revision, waves in estimates.items()
            for wave, items in waves.items()
            for item, values in items.items()
        }
    except AttributeError:
        raise BoardError("expected estimates by revision, wave and item") from None


def _agree(told: object, found: str) -> bool:
    """Return whether two estimates are the same but for the rounding of the last digit."""
    if not isinstance(told, str) or not _NUMBER.fullmatch(told):
        return False
    return abs(Decimal(told) - Decimal(found)) <= Decimal(1).scaleb(-DIGITS)


def _check_chain(board: Board, last: tuple[bytes, Board] | None) -> None:
    """Check that a board goes on from the one before it."""
    if last is None:
        if board.before:
            raise BoardError("expected the first board, found one that follows another")
        return
    written, before = last
    if board.before != hashlib.sha256(written).hexdigest():
        raise BoardError("it does not follow the board before it")
    if board.survey != before.survey:
        raise BoardError("it is of another survey than the board before it")
    entries = {entry.report.id: entry for entry in board.entries}
    for entry in before.entries:
        if entries.get(entry.report.id) != entry:
            raise BoardError(f"report {entry.report.id.hex()} was dropped or changed")


def _row(entry: Entry) -> list[str]:
    report = entry.report
    row = [report.id.hex(), report.revision, report.answers.hex(), entry.token.hex()]
    return [*row, f"{report.wave:02x}"] if report.wave else row


def _entry(survey: str, row: Any) -> Entry:
    id, revision, answers, token, *waves = row
    wave = int(waves[0], 16) if waves else 0
    report = Report(survey, revision, bytes.fromhex(id), bytes.fromhex(answers), wave)
    return Entry(report, bytes.fromhex(token))
