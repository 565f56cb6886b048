"""``deniable verify``: whether a server serves the program of this release."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable import __version__
from deniable.cli.help import ending
from deniable.cli.links import fetch_survey, link_type, split_link
from deniable.cli.options import form_option
from deniable.cli.output import TO_STDOUT
from deniable.cli.releases import SOON, days_until, last_day, read_manifest
from deniable.client.connection import Connection, Response
from deniable.results.text import table
from deniable.server.respondent.known_headers import Verdict, judge, may_differ
from deniable.server.respondent.manifest import Manifest, manifest_of
from deniable.server.respondent.program import BROWSER_FOLDER, integrity, load
from deniable.server.store.schedule import NO_SCHEDULE, Schedule, State
from deniable.survey import Survey
from deniable.text.safety import printable

_CONTEXT: Final = 40
"""Letters that are shown before a difference."""

_QUOTED: Final = 200
"""The most letters of a line that are shown."""


_PAGES: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

BROWSERS: Final[dict[str, dict[str, str]]] = {
    "a program": {},
    "Chromium in English": {
        "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like "
        "Gecko) Chrome/156.0.0.0 Safari/537.36",
        "Accept": _PAGES,
        "Accept-Language": "en-US,en;q=0.9",
        "Accept-Encoding": "gzip, br",
        "Sec-Fetch-Mode": "navigate",
        "Sec-CH-UA-Platform": '"Windows"',
    },
    "Firefox on a phone, in German": {
        "User-Agent": "Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0",
        "Accept": _PAGES,
        "Accept-Language": "de,en;q=0.5",
        "Accept-Encoding": "gzip, br",
        "DNT": "1",
    },
    "Safari with cookies, in Arabic": {
        "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
        "Accept": _PAGES,
        "Accept-Language": "ar",
        "Accept-Encoding": "gzip, br",
        "Cookie": "session=1; who=person-0001",
        "Referer": "https://mail.example.org/",
    },
}
"""The headers of the clients that fetch everything: all must get the same."""

NOT_JUDGED: Final = 3
"""The exit code if nothing differs, but the server sent a header that this release does not know,
or the release has expired."""

_WORST_FIRST: Final = (Verdict.NO, Verdict.NOT_JUDGED)
_SHOWN: Final = {
    Verdict.YES: "the same",
    Verdict.NO: "DIFFERS",
    Verdict.NOT_JUDGED: "NOT JUDGED",
}

_ANY_WORD: Final = "any-word"
"""An access word in place of the server's: no page contains the word it asks for."""

_GOOD_UNTIL: Final = "signed: good until"

_LINKED: Final = re.compile(rb'(?:href|src)="(/[^"#?]*)[^"]*"')


@dataclass(frozen=True)
class Compared:
    """A file, page or header that a browser gets, compared with this release's."""

    name: str
    address: str
    expected: str  # the hash of this release's; empty if it has none
    found: str | None  # the hash of the server's; None or empty if it has none
    difference: str | None  # the difference in words; None if there is none
    # False for a header whose effect on browsers this release does not know.
    is_known: bool = True

    @property
    def verdict(self) -> Verdict:
        """Yes if it is the release's; no if it differs; not judged if its effect is unknown."""
        if self.difference is None:
            return Verdict.YES
        return Verdict.NO if self.is_known else Verdict.NOT_JUDGED


def together(compared: Iterable[Compared]) -> Verdict:
    """Return the worst verdict: yes only if each is a yes."""
    found = {one.verdict for one in compared}
    return next((one for one in _WORST_FIRST if one in found), Verdict.YES)


@click.command(epilog=ending("deniable verify https://survey.example.org/KVYTHNR/", "verify"))
@click.argument("link", metavar="[URL]", required=False, type=link_type)
@click.option(
    "--hashes",
    is_flag=True,
    help="Instead, print the hash of each file of this release that the page loads; with --format "
    "json, its manifest.",
)
@click.option(
    "--manifest",
    metavar="FILE|URL",
    help="Also check the signature of this manifest of a release, and that this program is the one "
    "that it names. The signature stands beside it, with .sig after its name.",
)
@click.option(
    "--key",
    metavar="FILE",
    help="The public key of releases (PEM), if not the one that came with this program.",
)
@click.option(
    "--not-after",
    metavar="DATE",
    help="The last day of the release whose manifest --hashes prints, such as 2027-11-30.",
)
@form_option
def verify_command(
    link: str | None,
    hashes: bool,
    manifest: str | None,
    key: str | None,
    not_after: str | None,
    form: str,
) -> None:
    """Compare what a server serves to respondents with this release.

    The exit code is 0 for yes, 1 for no, and 3 for not judged.
    """
    if hashes == (link is not None or manifest is not None):
        raise click.UsageError("expected either the link of a survey or --manifest, or --hashes.")
    if key is not None and manifest is None:
        raise click.UsageError("--key is for --manifest.")
    if not_after is not None and not (hashes and form == "json"):
        raise click.UsageError("--not-after is for --hashes --format json.")
    if hashes:
        _print_hashes(form, not_after)
        return
    compared = [] if manifest is None else compare_with_release(read_manifest(manifest, key))
    compared += [] if link is None else compare(link)
    if form == "json":
        found = _document(link, manifest, compared)
        TO_STDOUT.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    else:
        TO_STDOUT.show(*_as_table(link or str(manifest), compared))
    if code := {Verdict.NO: 1, Verdict.NOT_JUDGED: NOT_JUDGED}.get(together(compared)):
        raise click.exceptions.Exit(code)


def compare_with_release(signed: Manifest) -> list[Compared]:
    """Compare this copy's files and headers with the signed manifest of a release."""
    own = manifest_of(load(BROWSER_FOLDER))
    both = (signed, own)
    scripts, ours = (of["hashes"] for of in both)
    styles = [of["any_hashes"] for of in both]
    return [
        _signed("this release", "", signed["release"], own["release"]),
        _dated(signed["not_after"]),
        *(
            _signed(one.removeprefix("/client/"), one, scripts.get(one), ours.get(one))
            for one in sorted({*scripts, *ours})
        ),
        *(
            _signed("a style", "", *(one if one in all_ else None for all_ in styles))
            for one in sorted({*styles[0], *styles[1]})
        ),
        _signed("known headers", "", *(_hash_of(json.dumps(of["headers"])) for of in both)),
        _signed("the shell", "", *(_hash_of(json.dumps(of["shell"])) for of in both)),
    ]


def _signed(name: str, address: str, expected: str | None, found: str | None) -> Compared:
    said = f"expected {expected or 'none'}, found {found or 'none'}"
    difference = None if expected == found else said
    return Compared(f"signed: {name}", address, expected or "", found, difference)


def _dated(day: str) -> Compared:
    """Compare the last day of a release with today."""
    left = days_until(day)
    said = f"{-left} days ago its makers ceased to stand for it" if left < 0 else None
    return Compared(_GOOD_UNTIL, "", "", day, said, is_known=False)


def compare(link: str) -> list[Compared]:
    """Compare everything behind a survey's link with what this release serves for it."""
    survey = fetch_survey(link)
    origin, _ = split_link(link)
    with closing(Connection(origin)) as theirs:
        return _compare(theirs, survey)


def _compare(theirs: Connection, survey: Survey) -> list[Compared]:
    # Here and not above: it loads a web server.
    from deniable.server.loopback import loopback  # noqa: PLC0415

    address = survey.address
    said = theirs.get(f"{address}state.json").said
    with (
        loopback(
            survey,
            state=_state(said),
            schedule=_schedule(said),
            wave=said["wave"] if type(said.get("wave")) is int else 1,
        ) as own_link,
        closing(Connection(split_link(own_link)[0])) as ours,
    ):
        # The page of questions has no links, so the pages that it leads to are listed here.
        pages = _pages(ours, address, f"{address}privacy", "/device", f"{address}unscripted")
        # An altered link leads to a page that leads on; that page must be this release's, too.
        pages += [address.rstrip("/"), f"{address}?utm_source=x"]
        addresses = [*pages, f"{address}survey.json", f"{address}state.json"]
        files = [f"/client/{name}" for name in load(BROWSER_FOLDER).files]
        compared: dict[str, Compared] = {}
        for one in dict.fromkeys([*addresses, *files]):
            name = "the page" if one == address else one.removeprefix("/client/")
            for found in _compared(name, one, ours, theirs):
                # A header that differs the same way everywhere is named once.
                header = found.name.removeprefix(name)
                key = f"{header} {found.difference}" if header else name
                compared.setdefault(key, found)
    return list(compared.values())


def _state(found: dict[str, Any]) -> State:
    # The server's own state; open if it names no known one.
    return State(found["state"]) if found.get("state") in {*State} else State.OPEN


def _schedule(found: dict[str, Any]) -> Schedule:
    """Return the survey's schedule from the server's state, as its owner chose it."""
    opens, words = found.get("opens"), found.get("words")
    asks_word = isinstance(words, list) and "pin" in words
    try:
        return Schedule(
            opens=opens if type(opens) is int else None,
            access_word=_ANY_WORD if asks_word else None,
        )
    except ValueError:
        return NO_SCHEDULE


def _pages(ours: Connection, *starts: str) -> list[str]:
    """Return the starting pages and all pages of the same origin that links lead to."""
    found = [*starts]
    for one in found:
        answer = ours.get(one)
        if ("Content-Type", "text/html; charset=utf-8") in answer.headers:
            linked = [link.decode() for link in _LINKED.findall(answer.body)]
            found += [link for link in dict.fromkeys(linked) if link not in found]
    return found


def _compared(name: str, address: str, ours: Connection, theirs: Connection) -> list[Compared]:
    """Compare the body at an address and its headers, as every browser gets them."""
    found = Compared(name, address, "", None, None)
    headers: dict[str, Compared] = {}
    # This release's answer depends on Accept alone, so one request for each value is enough.
    own = {
        accept: ours.get(address, {"Accept": accept} if accept else {})
        for accept in {asked.get("Accept") for asked in BROWSERS.values()}
    }
    for browser, asked in BROWSERS.items():
        as_whom = "" if not asked else f" (as {browser})"
        expected_answer, got = own[asked.get("Accept")], theirs.get(address, asked)
        if found.difference is None:
            found = _compared_bodies(name, address, expected_answer, got, as_whom)
        if got.status != expected_answer.status:
            continue
        same = got.body == expected_answer.body
        for header, expected, was, verdict in _differing(expected_answer, got):
            if header == "etag" and not same:
                continue  # it is a hash of the body, whose difference is named already
            said = f"expected {_shown(expected)}, found {_shown(was)}{as_whom}"
            label = f"{name}: {header}"
            is_known = verdict is not Verdict.NOT_JUDGED
            one = Compared(label, address, _hash_of(expected), _hash_of(was), said, is_known)
            headers.setdefault(label, one)
    return [found, *headers.values()]


def _compared_bodies(
    name: str, address: str, ours: Response, theirs: Response, as_whom: str
) -> Compared:
    expected = integrity(ours.body)
    if theirs.status != ours.status:
        to = "".join(f" to {_shown(value)}" for value in theirs.header("location"))
        missing = f"expected status {ours.status}, found {theirs.status}{to}{as_whom}"
        return Compared(name, address, expected, None, missing)
    difference = None
    if ours.body != theirs.body:
        difference = _first_difference(ours.body, theirs.body) + as_whom
    return Compared(name, address, expected, integrity(theirs.body), difference)


def _differing(
    ours: Response, theirs: Response
) -> Iterator[tuple[str, str | None, str | None, Verdict]]:
    """Yield each header that differs and is not harmless, with both values and the verdict."""
    names = {name.lower() for name, _ in (*ours.headers, *theirs.headers)}
    for name in sorted(names):
        verdicts = {judge(name, value) for value in theirs.header(name)}
        expected, found = (", ".join(one.header(name)) or None for one in (ours, theirs))
        if name == "etag":
            # Compressing proxies weaken an ETag or drop it. A different one could track a browser.
            found = expected if found is None else found.removeprefix("W/")
            expected = expected and expected.removeprefix("W/")
        if not may_differ(name) and Verdict.NOT_JUDGED not in verdicts and expected != found:
            verdicts.add(Verdict.NO)
        worst = next((one for one in _WORST_FIRST if one in verdicts), Verdict.YES)
        if worst is not Verdict.YES:
            yield name, None if may_differ(name) else expected, found, worst


def _shown(value: str | None) -> str:
    return "none" if value is None else _quoted(value)


def _hash_of(value: str | None) -> str:
    return "" if value is None else integrity(value.encode())


def _first_difference(ours: bytes, theirs: bytes) -> str:
    lines = zip_longest(*(body.decode(errors="replace").split("\n") for body in (ours, theirs)))
    for number, (expected, found) in enumerate(lines, start=1):
        if expected != found:
            # A line may be long, so it is shown from shortly before the difference.
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


def _print_hashes(form: str, not_after: str | None) -> None:
    program = load(BROWSER_FOLDER)
    if form == "json":
        manifest = manifest_of(program)
        if not_after is not None:
            manifest["not_after"] = last_day(not_after)
        TO_STDOUT.write(json.dumps(manifest, indent=2) + "\n")
        return
    rows = table("File", "Hash")
    for name, found in program.hashes.items():
        rows.add_row(name, found)
    TO_STDOUT.show(f"The respondent's program of deniable {__version__}:", "", rows)


def _as_table(link: str, compared: list[Compared]) -> list[RenderableType]:
    rows = table("Served", "Hash", "Verdict")
    for one in compared:
        rows.add_row(one.name, one.found or "–", _SHOWN[one.verdict])
    differing = [one for one in compared if one.difference]
    return [
        link,
        "",
        rows,
        "",
        *(f"{one.name}: {one.difference}" for one in differing),
        *_conclusion(compared),
    ]


def _conclusion(compared: list[Compared]) -> list[str]:
    release = f"deniable {__version__}"
    different = sum(one.verdict is Verdict.NO for one in compared)
    unjudged = [one.name for one in compared if one.verdict is Verdict.NOT_JUDGED]
    unknown = [name for name in unjudged if name != _GOOD_UNTIL]
    days = [one.found for one in compared if one.name == _GOOD_UNTIL and one.found]
    said = []
    if different:
        said.append(
            f"No: {different} of {len(compared)} differ. This is not the program of {release}."
        )
    if unknown:
        start = "Not judged either" if different else "Not judged"
        said.append(
            f"{start}: {release} does not know what a browser does by "
            f"{'this header' if len(unknown) == 1 else 'these headers'}: {', '.join(unknown)}."
        )
    if _GOOD_UNTIL in unjudged:
        said.append(
            f"Not judged: {release} was good until {days[0]}. Its makers do not stand for it any "
            "more. Take the next release."
        )
    said = said or [f"Yes: this is the program of {release}."]
    if days and 0 <= days_until(days[0]) < SOON:
        said.append(f"{release} is good until {days[0]}. Look for the next release.")
    return said


def _document(link: str | None, manifest: str | None, compared: list[Compared]) -> dict[str, Any]:
    return {
        "link": link,
        "manifest": manifest,
        "release": __version__,
        "verdict": together(compared),
        "same": together(compared) is Verdict.YES,
        "compared": [
            {
                key: getattr(one, key)
                for key in ("name", "address", "expected", "found", "difference", "verdict")
            }
            for one in compared
        ],
    }
