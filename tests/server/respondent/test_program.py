"""What browsers load is what stands in the repository, and its hashes are where one looks."""

import base64
import hashlib
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deniable.server.respondent.joining import contents
from deniable.server.respondent.program import BROWSER_FOLDER, integrity, load
from deniable.server.store import Store
from deniable.survey_file import read
from tests.server.calling import Caller

ROOT = Path(__file__).parents[3]
PROGRAM = load(BROWSER_FOLDER)


class Loads(HTMLParser):
    """What a page loads, with the hashes that it names, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.files: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and given.get("type") != "application/json":
            self.files.append((given["src"] or "", given.get("integrity")))
        elif tag == "link" and given["rel"] == "stylesheet":
            self.files.append((given["href"] or "", given.get("integrity")))


STYLES = {
    *("grid.css", "languages.css", "number.css", "sheet.css", "statement.css", "style.css"),
    "meeting.css",
    "pin.css",
    "poster.css",
    "trial.css",
}


def expected(name: str) -> str:
    digest = hashlib.sha256(PROGRAM.files[name]).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def test_a_hash_is_that_of_the_standard() -> None:
    """The example of a specification (W3C, Content Security Policy Level 2, section 7.17.2)."""
    script = b"alert('Hello, world.');"
    assert integrity(script) == ("sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=")


def test_every_script_and_style_has_one() -> None:
    assert list(PROGRAM.hashes) == sorted([*contents(BROWSER_FOLDER), *STYLES])
    assert all(PROGRAM.hashes[name] == expected(name) for name in PROGRAM.hashes)


@pytest.mark.parametrize("file", contents(BROWSER_FOLDER))
def test_anybody_can_rebuild_a_script_as_the_documentation_says(file: str) -> None:
    """The lines are those of the page, run by a plain shell."""
    text = (ROOT / "docs" / "respondents.md").read_text()
    (block,) = re.findall(r"```sh\n(cd client/browser\n.*?)```", text, re.DOTALL)
    lines = block.replace("file=main.js ", f"file={file} ")
    assert lines.count(f"file={file} ") == 1
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", lines],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert f"sha256-{done.stdout.strip()}" == PROGRAM.hashes[file]


def test_what_is_no_script_is_served_as_it_is() -> None:
    others = {file.name for file in BROWSER_FOLDER.iterdir() if file.is_file()}
    # The contents are for people who read the program, and no browser needs them.
    assert others == {"contents.js", *STYLES}
    assert "contents.js" not in PROGRAM.files
    for name in others - {"contents.js"}:
        assert PROGRAM.files[name] == (BROWSER_FOLDER / name).read_bytes()


def test_the_program_is_read_once() -> None:
    assert load(BROWSER_FOLDER) is PROGRAM


@pytest.mark.parametrize("path", ["/", "/none", "/device", "/s/doping", "/s/doping/privacy"])
def test_every_page_names_the_hashes_of_what_it_loads(call: Caller, path: str) -> None:
    files = Loads(call(path).text).files
    assert files
    for address, named in files:
        assert named == expected(address.removeprefix("/client/")), address


@pytest.mark.parametrize(
    ("path", "scripts"),
    [
        ("/s/doping", ["leave", "main"]),
        ("/s/journeys", ["leave", "language", "boxes", "number", "grid", "main"]),
        ("/s/season", ["leave", "waves", "main"]),
        ("/s/classroom", ["leave", "comprehension", "main"]),
        ("/s/kinds", ["leave", "boxes", "number", "grid", "main"]),
        ("/device", ["leave", "language", "waves", "device", "main"]),
        ("/s/doping/privacy", ["leave"]),
        ("/s/journeys/sheet", ["leave"]),
    ],
)
def test_a_page_loads_what_it_needs_and_the_program_last(
    call: Caller, store: Store, path: str, scripts: list[str]
) -> None:
    for file in ("examples/journeys.yaml", "examples/season.yaml", "tests/browser/kinds.yaml"):
        store.register(read((ROOT / file).read_text()).survey)
    asking = (ROOT / "examples" / "classroom.yaml").read_text() + "comprehension: true\n"
    store.register(read(asking).survey)
    files = [address for address, _ in Loads(call(path).text).files]
    loaded = [address for address in files if address.endswith(".js")]
    assert loaded == [f"/client/{name}.js" for name in scripts]
    # These have a style of their own, which comes after that of all pages.
    own = [f"/client/{name}.css" for name in ("statement", "number", "grid")]
    styles = [address for address in files if address in own]
    assert styles == [style for style in own if style.replace(".css", ".js") in loaded]
    if styles:
        assert files.index("/client/style.css") < files.index(styles[0])


def test_the_privacy_page_lists_them(call: Caller) -> None:
    page = call("/s/doping/privacy").text
    for name in PROGRAM.hashes:
        assert f"<code>{expected(name)}</code>" in page.replace("&#43;", "+"), name
