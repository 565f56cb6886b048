"""What browsers load is what stands in the repository, and its hashes are where one looks."""

import base64
import hashlib
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deniable.server.respondent.catalogues import spoken
from deniable.server.respondent.joining import contents
from deniable.server.respondent.program import BROWSER_FOLDER, integrity, load
from deniable.server.store import Store
from deniable.survey_file import read
from deniable.text.languages import LANGUAGES
from tests.kit import Caller, at, first_of

pytestmark = pytest.mark.promise("program")

ROOT = Path(__file__).parents[3]
PROGRAM = load(BROWSER_FOLDER)
NAMES = {content.decode(): name for name, content in PROGRAM.files.items()}


class Loads(HTMLParser):
    """The scripts that a page names or holds, with their hashes, and its styles, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.files: list[tuple[str, str | None]] = []
        self.styles: list[str] = []
        self._within = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and "src" in given:
            self.files.append((given["src"] or "", given.get("integrity")))
        self._within = tag

    def handle_data(self, data: str) -> None:
        if self._within == "style":
            self.styles.append(data)
        if self._within == "script" and (name := NAMES.get(data)):
            self.files.append((f"/client/{name}", integrity(data.encode())))
        self._within = ""


SAID = ("words-en", "words-de", "words-ar")
ALL = [f"words-{one}" for one in LANGUAGES]
STYLES = {
    *("grid.css", "language.css", "number.css", "sheet.css", "statement.css", "style.css"),
    "coins.css",
    "meeting.css",
    "poster.css",
    "privacy.css",
    "trial.css",
}


def expected(name: str) -> str:
    content = PROGRAM.files.get(name) or PROGRAM.styles[name].encode()
    digest = hashlib.sha256(content).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def test_a_hash_is_that_of_the_standard() -> None:
    """The example of a specification (W3C, Content Security Policy Level 2, section 7.17.2)."""
    script = b"alert('Hello, world.');"
    assert integrity(script) == ("sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=")


def test_every_script_and_style_has_one() -> None:
    assert list(PROGRAM.hashes) == sorted(
        [*contents(BROWSER_FOLDER), *spoken(BROWSER_FOLDER), *STYLES]
    )
    assert all(PROGRAM.hashes[name] == expected(name) for name in PROGRAM.hashes)


@pytest.mark.parametrize("file", first_of([*sorted(STYLES), *contents(BROWSER_FOLDER)], 12))
def test_anybody_can_rebuild_a_file(file: str) -> None:
    """The lines are those of the page, run by a plain shell and no program of ours."""
    text = (ROOT / "docs" / "verify.md").read_text()
    (block,) = re.findall(r"```bash\n(cd client/browser\n.*?)```", text, re.DOTALL)
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


def test_all_styles_are_served() -> None:
    others = {file.name for file in BROWSER_FOLDER.iterdir() if file.is_file()}
    # The contents are for people who read the program, and no browser needs them.
    assert others == {"contents.js", *STYLES}
    assert "contents.js" not in PROGRAM.files
    assert {*PROGRAM.styles} == STYLES


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/none",
        "/device",
        "/join",
        at("doping"),
        at("doping", "privacy"),
        at("doping", "sheet"),
    ],
)
def test_every_page_names_its_hashes(respondents: Caller, path: str) -> None:
    answer = respondents(path)
    loads = Loads(answer.text)
    assert loads.files or path in ("/", "/none", "/join")
    policy = answer.headers["Content-Security-Policy"]
    for address, named in loads.files:
        assert named == expected(address.removeprefix("/client/")), address
        assert f"'{named}'" in policy
    # A style is used because the policy names its hash, and for no other reason.
    assert loads.styles
    assert all(f"'{integrity(style.encode())}'" in policy for style in loads.styles)
    assert " style=" not in answer.text


def test_no_page_asks_for_styles() -> None:
    """There is none to load: a page that asked for one would stand without it."""
    pages = {page.name: page.read_text() for page in (ROOT / "templates").glob("*.html")}
    asking = [name for name, page in pages.items() if re.search(r'<link[^>]*"/client/', page)]
    assert "join.html" in pages
    assert asking == []


@pytest.mark.parametrize(
    ("path", "scripts"),
    [
        (at("doping"), ["leave", "main"]),
        (
            at("journeys"),
            [
                "leave",
                "language",
                *SAID,
                *("words-asking", "words-boxes", "words-number", "words-grid"),
                *("asking", "boxes", "number", "grid", "main"),
            ],
        ),
        (at("season"), ["leave", "waves", "main"]),
        (at("shops"), ["leave", "language", *ALL, "words-statement", "statement", "main"]),
        (at("classroom"), ["leave", "comprehension", "main"]),
        (at("kinds"), ["leave", "boxes", "number", "grid", "main"]),
        (
            "/device",
            [
                "leave",
                "language",
                *(f"words-{one}" for one in LANGUAGES),
                *("words-waves", "words-device", "waves", "device", "main"),
            ],
        ),
        (at("doping", "privacy"), ["leave"]),
        (at("journeys", "sheet"), ["leave"]),
    ],
)
def test_the_program_comes_last(
    respondents: Caller, store: Store, path: str, scripts: list[str]
) -> None:
    for name in ("journeys", "season", "shops"):
        store.register(read((ROOT / f"examples/{name}.yaml").read_text()).survey)
    store.register(read((ROOT / "tests/browser/kinds.yaml").read_text()).survey)
    asking = (ROOT / "examples" / "classroom.yaml").read_text() + "comprehension: true\n"
    store.register(read(asking).survey)
    loads = Loads(respondents(path).text)
    assert [address for address, _ in loads.files] == [f"/client/{name}.js" for name in scripts]
    # These have a style of their own, which comes after that of all pages.
    own = [name for name in ("language", "statement", "number", "grid") if name in scripts]
    assert loads.styles[len(loads.styles) - len(own) :] == [
        PROGRAM.styles[f"{name}.css"] for name in own
    ]
    if not path.endswith("/sheet"):
        assert loads.styles[0] == PROGRAM.styles["style.css"]


def test_the_privacy_page_lists_them(respondents: Caller) -> None:
    page = respondents(at("doping", "privacy")).text
    for name in PROGRAM.hashes:
        assert f"<code>{expected(name)}</code>" in page.replace("&#43;", "+"), name
    linked = re.findall('href="/client/([^"]*)"', page)
    assert linked == sorted(PROGRAM.files)  # styles are read in the page itself
