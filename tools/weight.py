"""``python -m tools.weight [SURVEY.yaml ...]``: the bytes that a phone loads before it can ask."""

import gzip
import re
import sys
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import click

from deniable.results.text import console, table
from deniable.server.loopback import loopback
from deniable.server.respondent.joining import contents
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.survey import Survey
from deniable.survey_file import read

EXAMPLE = "examples/doping.yaml"
"""A survey in one language that needs no optional part of the program."""

BUDGET = 42_000
"""The most bytes that such a survey may load, with the headers of the answers."""

MOST = 66_000
"""The most bytes that any example may load, with all its languages and the headers."""

PART = 5_000
"""The most bytes of each optional part, which only some surveys need."""

PARTS = tuple(sorted({*contents(BROWSER_FOLDER)} - {"leave.js", "main.js"}))

_LOADED = re.compile(r'<link\b[^>]*\bhref="((?:survey|state)\.json)"')


def _weighed(survey: Survey) -> tuple[dict[str, int], dict[str, int]]:
    """Return the bytes of each answer that a survey's page loads: of bodies, and of headers."""
    with loopback(survey) as link:
        address = urlsplit(link).path
        body, head, page = _sent(link, address)
        bodies, heads = {address: body}, {address: head}
        for file in (urljoin(address, one) for one in _LOADED.findall(page)):
            bodies[file], heads[file], _ = _sent(link, file)
    return bodies, heads


def parts() -> dict[str, int]:
    """Return the bytes of each optional part of the program, with its style, by its name."""
    survey = read(Path(EXAMPLE).read_text(encoding="utf-8")).survey
    with loopback(survey) as link:
        # The page itself contains the style; empty if the part has none.
        styles = load(BROWSER_FOLDER).styles
        style_of = {name: styles.get(f"{Path(name).stem}.css", "").encode() for name in PARTS}
        return {
            name: _sent(link, f"/client/{name}")[0] + len(gzip.compress(style))
            for name, style in style_of.items()
        }


def _sent(link: str, address: str) -> tuple[int, int, str]:
    """Request a file as a browser does; return the bytes of body and headers, and the text."""
    with closing(HTTPConnection(urlsplit(link).netloc)) as connection:
        connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
    lines = ["HTTP/1.1 200 OK", *map(": ".join, answer.getheaders()), ""]
    is_packed = answer.getheader("Content-Encoding") == "gzip"
    text = (gzip.decompress(body) if is_packed else body).decode()
    return len(body), sum(len(line) + 2 for line in lines), text


@click.command()
@click.argument("files", metavar="[SURVEY.yaml]...", nargs=-1, type=click.Path(exists=True))
def main(files: tuple[str, ...]) -> None:
    """Print what surveys load, by default examples/doping.yaml."""
    rows = table(
        "What", "Loads", "Bytes, by gzip", "At most", numbers=("Bytes, by gzip", "At most")
    )
    for file in files or (EXAMPLE,):
        survey = read(Path(file).read_text(encoding="utf-8")).survey
        loaded, heads = _weighed(survey)
        for address, size in loaded.items():
            rows.add_row(file, address, f"{size:,}", "")
        most = BUDGET if file == EXAMPLE else MOST
        rows.add_row(file, "the heads of the answers", f"{sum(heads.values()):,}", "")
        together = sum(loaded.values()) + sum(heads.values())
        rows.add_row(file, "together", f"{together:,}", f"{most:,}")
    for name, size in parts().items():
        rows.add_row("a part", name, f"{size:,}", f"{PART:,}")
    console(sys.stdout).print(rows)


if __name__ == "__main__":
    main()
