"""``deniable board``: whether what a server publishes of a survey can be counted again."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from textwrap import fill
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable.cli.help import Group, ending
from deniable.cli.links import fetch_survey, link_type, split_link
from deniable.cli.options import form_option
from deniable.cli.output import STDOUT, show, write
from deniable.cli.public_results import check_results
from deniable.client.connection import Connection, ServerUnavailable
from deniable.crypto.board import (
    Board,
    BoardError,
    check_boards,
    check_on_board,
    check_receipt,
    warning_of,
)
from deniable.results.text import table
from deniable.survey import Survey
from deniable.survey.document import fingerprint_of, revision_of
from deniable.survey.history import history
from deniable.survey.items import Item
from deniable.text.safety import counted, printable

_MOST: Final = 100_000
"""Boards that are read at most: far more than a tenth more each time ever makes."""


@click.group(cls=Group, epilog=ending("deniable board verify https://survey.example.org/KVYTHNR/"))
def board_command() -> None:
    """Count the reports of a survey again.

    A survey whose file says 'publish: true' shows every noisy report to everybody, on signed
    boards. Each board holds all that the one before it held.
    """


@board_command.command(
    epilog=ending(
        "deniable board verify https://survey.example.org/KVYTHNR/",
        "deniable board verify https://survey.example.org/KVYTHNR/ --receipt receipt.json",
    )
)
@click.argument("link", metavar="URL", type=link_type)
@click.option(
    "--receipt",
    "receipts",
    metavar="FILE",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A receipt that must be on the last board. It can be given several times.",
)
@click.option(
    "--kept",
    metavar="SHA-256",
    multiple=True,
    help="The hash of a board that you saw before. It must be among the boards.",
)
@click.option(
    "--results",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The file results.json of a public page: all of its numbers must follow from the board.",
)
@form_option
def verify(
    link: str, receipts: tuple[Path, ...], kept: tuple[str, ...], results: Path | None, form: str
) -> None:
    """Check all boards of a survey, and compute its estimates again.

    URL is the link of the survey. The boards are held to the key in the survey's questions: their
    signatures, that none drops or changes a report of the one before, that each id and each token
    is there once, that there are no more reports than tokens and codes, that the words are those
    that were signed, and that the reports give the estimates. Compare the fingerprint with the one
    that respondents see. Keep the hash of the last board: with it you notice later if the boards
    were made anew.

    The exit code is 1 if anything does not hold. The boards do not prove that a person stands
    behind each report.
    """
    survey = fetch_survey(link)
    origin, _ = split_link(link)
    try:
        with closing(Connection(origin)) as connection:
            board, hashes, surveys = _checked(connection, survey)
        _check_kept(kept, hashes)
        for receipt in receipts:
            _check_receipt(receipt, survey, board)
        if results is not None:
            check_results(results, survey, surveys, board)
    except ServerUnavailable as error:
        raise click.ClickException(str(error)) from None
    except BoardError as mistake:
        raise click.ClickException(printable(f"{link}: {mistake}")) from None
    if form == "json":
        document = _document(link, survey, surveys, board, hashes)
        write(STDOUT, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        more = {
            "Each receipt finds its report on the last board.": bool(receipts),
            "The hash that you kept is that of a board.": bool(kept),
            "The results that everybody may see follow from the last board.": results is not None,
        }
        held = [sentence for sentence, was_asked in more.items() if was_asked]
        show(STDOUT, *_as_table(link, survey, surveys, board, hashes, held))


def _checked(connection: Connection, survey: Survey) -> tuple[Board, list[str], dict[str, Survey]]:
    """Read and check all boards; return the last one, the hash of each, and all revisions."""
    if not survey.board_key:
        raise BoardError("expected a survey that publishes its reports, found one that does not")
    address = survey.address
    revisions, signatures = _listed(_body(connection, f"{address}boards.json"))
    surveys = {
        one: _revision(_body(connection, f"{address}revisions/{one}.json"), one, survey)
        for one in revisions
    }
    hashes: list[str] = []

    def boards() -> Iterator[tuple[bytes, bytes]]:
        for number, signature in enumerate(signatures, start=1):
            written = _body(connection, f"{address}boards/{number}.json")
            hashes.append(revision_of(written))
            yield written, signature

    if not signatures:
        raise BoardError(
            "no board is published yet; the first one comes with the first batch of ten reports or "
            "more, or when the survey is closed"
        )
    return check_boards(survey.board_key, boards(), surveys), hashes, surveys


def _check_kept(kept: tuple[str, ...], hashes: list[str]) -> None:
    for one in kept:
        if one not in hashes:
            raise BoardError(
                f"none of the {len(hashes):,} boards has the hash {one}: they were made anew since "
                "you kept it, or it was kept wrong"
            )


def _body(connection: Connection, path: str) -> bytes:
    answer = connection.get(path)
    if answer.status != HTTPStatus.OK:
        raise BoardError(f"{path}: expected status 200, found {answer.status}")
    return answer.body


def _listed(body: bytes) -> tuple[list[str], list[bytes]]:
    """Read which revisions and boards there are."""
    try:
        fields = json.loads(body)
        revisions = [revision_name(one) for one in fields["revisions"]]
        signatures = [bytes.fromhex(one) for one in fields["signatures"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BoardError("boards.json: expected revisions and signatures") from None
    if max(len(revisions), len(signatures)) > _MOST:
        raise BoardError(f"boards.json: expected at most {_MOST:,} boards")
    return revisions, signatures


def revision_name(text: str) -> str:
    """Return a revision's name if it can be asked for."""
    if len(bytes.fromhex(text)) != len(revision_of(b"")) // 2:
        raise ValueError
    return text


def _revision(body: bytes, revision: str, current: Survey) -> Survey:
    try:
        survey = Survey.from_json(body)
    except ValueError as mistake:
        raise BoardError(f"revision {fingerprint_of(revision)}: {mistake}") from None
    if survey.revision != revision:
        raise BoardError(f"revision {fingerprint_of(revision)}: it is another one")
    if survey.revision == current.revision and survey.numbers != current.numbers:
        raise BoardError(
            f"revision {fingerprint_of(revision)}: has other words than survey.json; if one was "
            "corrected just now, ask again"
        )
    if survey.token_keys and len(survey.token_keys) != len(current.token_keys):
        raise BoardError(f"revision {fingerprint_of(revision)}: has codes for other waves")
    if survey.is_published and survey.board_key != current.board_key:
        raise BoardError(f"revision {fingerprint_of(revision)}: has another key for its boards")
    return survey


def _check_receipt(path: Path, survey: Survey, board: Board) -> None:
    try:
        fields = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise BoardError(f"{path}: expected a receipt, found something else") from None
    try:
        check_on_board(check_receipt(survey.board_key or "", fields), board)
    except BoardError as mistake:
        raise BoardError(f"{path}: {mistake}") from None


def _rows(surveys: Mapping[str, Survey], board: Board) -> Iterator[tuple[str, str, str, str]]:
    """Yield revision, item with its wave, answer and estimate of all that was computed again."""
    for revision, waves in board.estimates.items():
        for wave, items in waves.items():
            for id, values in items.items():
                of = id if wave == "0" else f"{id}, wave {wave}"
                for answer, value in zip(
                    _answers(surveys[revision], id, len(values)), values, strict=True
                ):
                    yield fingerprint_of(revision)[:9], of, answer, value


def _answers(survey: Survey, id: str, count: int) -> list[str]:
    items: Mapping[str, Item] = {item.id: item for item in survey.items}
    named = [truth.code for truth in items[id].truths] if id in items else []
    if len(named) == count:
        return named
    return ["mean"] if count == 1 else [str(place + 1) for place in range(count)]


def _unsigned(survey: Survey, surveys: Mapping[str, Survey], board: Board) -> Iterator[str]:
    """Yield what was corrected after the last board: no board signs that people read it."""
    for revision, number in board.numbers.items():
        asked = surveys[revision]
        since = "after the last board"
        if revision != survey.revision:
            since += ", and nobody is asked these questions any more"
        for line in history(asked)[asked.numbers.index(number) :]:
            yield f"Revision {fingerprint_of(revision)}, corrected {since}: {line}"


def _as_table(
    link: str,
    survey: Survey,
    surveys: Mapping[str, Survey],
    board: Board,
    hashes: list[str],
    held: list[str],
) -> list[RenderableType]:
    rows = table("Revision", "Item", "Answer", "Estimate")
    for row in _rows(surveys, board):
        rows.add_row(*row)
    total, count = len(board.entries), len(hashes)
    invited = f", of {board.issued:,} codes" if board.issued else ""
    told = (
        f"{counted(count, 'board')}, the last with {total:,} reports: "
        f"{total - board.without_token:,} with a token{invited}, {board.without_token:,} without."
    )
    return [
        link,
        f"Fingerprint: {survey.fingerprint}",
        "",
        told,
        f"The survey {'had' if board.closed else 'had not'} ended when the last board was made.",
        f"SHA-256 of the last board: {hashes[-1]}",
        "",
        rows,
        "",
        "All signatures, the chain, the count and each estimate hold.",
        *held,
        *_unsigned(survey, surveys, board),
        fill(warning_of(board.issued), 95),
    ]


def _document(
    link: str, survey: Survey, surveys: Mapping[str, Survey], board: Board, hashes: list[str]
) -> dict[str, Any]:
    return {
        "link": link,
        "revision": survey.revision,
        "boards": hashes,
        "closed": board.closed,
        "reports": len(board.entries),
        "without_token": board.without_token,
        "issued": board.issued,
        "spent": board.spent,
        "estimates": board.estimates,
        "unsigned": [*_unsigned(survey, surveys, board)],
        "warning": warning_of(board.issued),
    }
