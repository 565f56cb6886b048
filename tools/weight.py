"""``python -m tools.weight [SURVEY.yaml ...]``: the bytes that a phone loads before it can ask."""

import gzip
import re
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import brotli
import click

from deniable.results.text import console, table
from deniable.server.loopback import loopback
from deniable.server.respondent.joining import contents
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.survey import Survey
from deniable.survey_file import read

EXAMPLE = "examples/doping.yaml"
"""A survey in one language that needs no optional part of the program."""

BUDGET = {"br": 42_000, "gzip": 46_000}
"""The most bytes that such a survey may load, with the headers of the answers. Browsers ask for
brotli over https only."""

MOST = {"br": 60_000, "gzip": 70_000}
"""The most bytes that any example may load, with all its languages and the headers."""

PART = 5_000
"""The most bytes of each optional part, which only some surveys need."""

PARTS = tuple(sorted({*contents(BROWSER_FOLDER)} - {"leave.js", "main.js"}))

_UNPACK = {"br": brotli.decompress, "gzip": gzip.decompress}
_LOADED = re.compile(r'<link\b[^>]*\bhref="((?:survey|state)\.json)"')
_PATIENCE = 30.0
"""Seconds within which a server has packed a page by brotli."""


def weighed(survey: Survey, coding: str) -> tuple[dict[str, int], int]:
    """Return the bytes of each answer that a survey's page loads, and those of their heads."""
    with loopback(survey) as link:
        address = urlsplit(link).path
        page = _sent(link, address, coding)
        files = (urljoin(address, one) for one in _LOADED.findall(page[2]))
        answers = {address: page} | {file: _sent(link, file, coding) for file in files}
    return {one: body for one, (body, _, _) in answers.items()}, sum(
        head for _, head, _ in answers.values()
    )


def parts() -> dict[str, int]:
    """Return the bytes of each optional part of the program, with its style, by its name."""
    survey = read(Path(EXAMPLE).read_text(encoding="utf-8")).survey
    with loopback(survey) as link:
        # The page itself contains the style; empty if the part has none.
        styles = load(BROWSER_FOLDER).styles
        style_of = {name: styles.get(f"{Path(name).stem}.css", "").encode() for name in PARTS}
        return {
            name: _sent(link, f"/client/{name}", "gzip")[0] + len(gzip.compress(style))
            for name, style in style_of.items()
        }


def _sent(link: str, address: str, coding: str) -> tuple[int, int, str]:
    """Request a file as a browser does; return the bytes of body and head, and the text."""
    end = time.monotonic() + _PATIENCE
    while True:
        with closing(HTTPConnection(urlsplit(link).netloc)) as connection:
            connection.request("GET", address, headers={"Accept-Encoding": coding})
            answer = connection.getresponse()
            body = answer.read()
        found = answer.getheader("Content-Encoding")
        # A small body is sent as it is; a large one, until it is packed.
        if found == coding or len(body) < 512 or time.monotonic() > end:
            break
        time.sleep(0.05)
    lines = ["HTTP/1.1 200 OK", *map(": ".join, answer.getheaders()), ""]
    text = (_UNPACK[found](body) if found in _UNPACK else body).decode()
    return len(body), sum(len(line) + 2 for line in lines), text


@click.command()
@click.argument("files", metavar="[SURVEY.yaml]...", nargs=-1, type=click.Path(exists=True))
def main(files: tuple[str, ...]) -> None:
    """Print what surveys load, by default examples/doping.yaml."""
    rows = table("What", "Loads", "By", "Bytes", "At most", numbers=("Bytes", "At most"))
    for file in files or (EXAMPLE,):
        survey = read(Path(file).read_text(encoding="utf-8")).survey
        for coding, most in (BUDGET if file == EXAMPLE else MOST).items():
            loaded, heads = weighed(survey, coding)
            for address, size in loaded.items():
                rows.add_row(file, address, coding, f"{size:,}", "")
            rows.add_row(file, "the heads of the answers", coding, f"{heads:,}", "")
            together = sum(loaded.values()) + heads
            rows.add_row(file, "together", coding, f"{together:,}", f"{most:,}")
    for name, size in parts().items():
        rows.add_row("a part", name, "gzip", f"{size:,}", f"{PART:,}")
    console(sys.stdout).print(rows)


if __name__ == "__main__":
    main()
