"""``deniable verify``: whether a server serves the program of this release."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from itertools import zip_longest
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable import __version__
from deniable.cli.help import ending
from deniable.cli.links import Link, fetch_survey, split_link
from deniable.cli.output import STDOUT, show, table, write
from deniable.client.connection import Connection, Response, ServerUnavailable
from deniable.client.respondent import wave_on
from deniable.plain import printable
from deniable.server.loopback import loopback
from deniable.server.respondent.program import BROWSER_FOLDER, integrity, load
from deniable.survey import Survey

_CONTEXT: Final = 40
"""How many letters before a difference are shown."""

_QUOTED: Final = 200
"""How many letters of a line are shown."""


@dataclass(frozen=True)
class Compared:
    """Something that a respondent's browser gets, beside what this release serves in its place.

    Parameters
    ----------
    name : str
    address : str
    expected : str
        The hash of this release's.
    found : str or None
        The hash of the server's; None if it has none.
    difference : str or None
        What differs; None if nothing.
    """

    name: str
    address: str
    expected: str
    found: str | None
    difference: str | None


@click.command(
    epilog=ending(
        "deniable verify https://survey.example.org/s/doping",
        "deniable verify --hashes",
    )
)
@click.argument("link", metavar="[URL]", required=False, type=Link())
@click.option(
    "--hashes",
    is_flag=True,
    help="Instead, print the hash of each file of this release that the page loads.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="For people or for programs.",
)
def verify_command(link: str | None, hashes: bool, form: str) -> None:
    """Compare what a server serves to respondents with this release.

    URL is the link of a survey. This program makes the survey's page again and compares it with the
    page that the server sent: the files that it loads, the hashes of these files, and the rules
    that it sets for the browser. Then it compares each file.

    The exit code is 1 if anything differs. A server could give this program other files than it
    gives a browser. 'deniable audit' runs what a browser gets.
    """
    if hashes == (link is not None):
        raise click.UsageError("expected either the link of a survey or --hashes.")
    if link is None:
        _print_hashes(form)
        return
    compared = compare(link)
    if form == "json":
        write(STDOUT, json.dumps(_document(link, compared), indent=2, ensure_ascii=False) + "\n")
    else:
        show(STDOUT, *_as_table(link, compared))
    if any(one.difference for one in compared):
        raise click.exceptions.Exit(1)


def compare(link: str) -> list[Compared]:
    """Compare all that the page of a survey consists of.

    Parameters
    ----------
    link : str

    Returns
    -------
    list of Compared
        The page and its rules first, then each file.

    Raises
    ------
    RespondentError
        If nothing answers there, or no survey.
    click.ClickException
        If the server stops answering.
    """
    survey = fetch_survey(link)
    origin, _ = split_link(link)
    try:
        with closing(Connection(origin)) as theirs:
            return _compare(theirs, survey)
    except ServerUnavailable as error:
        raise click.ClickException(str(error)) from None


def _compare(theirs: Connection, survey: Survey) -> list[Compared]:
    address = f"/s/{survey.slug}"
    page = theirs.get(address)
    with (
        loopback(
            survey, closed=page.status == HTTPStatus.GONE, wave=wave_on(page.body)
        ) as own_link,
        closing(Connection(split_link(own_link)[0])) as ours,
    ):
        own_page = ours.get(address)
        compared = [
            _compared("the page", address, own_page, page),
            _compared_policy(address, own_page.policy or "", page.policy or ""),
        ]
        for name in load(BROWSER_FOLDER).files:
            path = f"/client/{name}"
            compared.append(_compared(name, path, ours.get(path), theirs.get(path)))
    return compared


def _compared(name: str, address: str, ours: Response, theirs: Response) -> Compared:
    expected = integrity(ours.body)
    if theirs.status != ours.status:
        missing = f"expected status {ours.status}, found {theirs.status}"
        return Compared(name, address, expected, None, missing)
    difference = None if ours.body == theirs.body else _first_difference(ours.body, theirs.body)
    return Compared(name, address, expected, integrity(theirs.body), difference)


def _compared_policy(address: str, ours: str, theirs: str) -> Compared:
    difference = None if ours == theirs else f"expected {ours}, found {theirs or 'none'}"
    found = integrity(theirs.encode()) if theirs else None
    name = "its Content-Security-Policy"
    return Compared(name, address, integrity(ours.encode()), found, difference)


def _first_difference(ours: bytes, theirs: bytes) -> str:
    lines = zip_longest(*(body.decode(errors="replace").split("\n") for body in (ours, theirs)))
    for number, (expected, found) in enumerate(lines, start=1):
        if expected != found:
            # A line may be long: from shortly before they part.
            letters = zip_longest(expected or "", found or "")
            same = next(place for place, (one, other) in enumerate(letters) if one != other)
            start = max(0, same - _CONTEXT)
            parts = [_quoted(line and line[start:]) for line in (expected, found)]
            return f"line {number}: expected {parts[0]}, found {parts[1]}"
    return "bytes that are no text"


def _quoted(line: str | None) -> str:
    if line is None:
        return "the end"
    return f"“{printable(line, lines=False).strip()[:_QUOTED]}”"


def _print_hashes(form: str) -> None:
    hashes = load(BROWSER_FOLDER).hashes
    if form == "json":
        write(STDOUT, json.dumps({"release": __version__, "files": hashes}, indent=2) + "\n")
        return
    rows = table("File", "Hash")
    for name, found in hashes.items():
        rows.add_row(name, found)
    show(STDOUT, f"The respondent's program of deniable {__version__}:", "", rows)


def _as_table(link: str, compared: list[Compared]) -> list[RenderableType]:
    rows = table("Served", "Hash", "Verdict")
    for one in compared:
        rows.add_row(one.name, one.found or "–", "DIFFERS" if one.difference else "the same")
    differing = [one for one in compared if one.difference]
    release = f"deniable {__version__}"
    return [
        link,
        "",
        rows,
        "",
        *(f"{one.name}: {one.difference}" for one in differing),
        f"{len(differing)} of {len(compared)} differ: this is not the program of {release}."
        if differing
        else f"This is the program of {release}.",
    ]


def _document(link: str, compared: list[Compared]) -> dict[str, Any]:
    return {
        "link": link,
        "release": __version__,
        "same": not any(one.difference for one in compared),
        "compared": [
            {
                "name": one.name,
                "address": one.address,
                "expected": one.expected,
                "found": one.found,
                "difference": one.difference,
            }
            for one in compared
        ],
    }
