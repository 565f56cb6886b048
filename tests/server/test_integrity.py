"""The hashes of the respondent's program, where a browser or a person looks for them."""

import base64
import hashlib
from html.parser import HTMLParser
from pathlib import Path

import pytest

from deniable.server.integrity import integrity, program_hashes
from deniable.server.joining import starts
from deniable.server.program import served
from deniable.server.respondent import BROWSER_FOLDER
from deniable.server.store import Store
from deniable.survey_file import read
from tests.server.calling import Caller

ROOT = Path(__file__).parents[2]


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


def expected(name: str) -> str:
    digest = hashlib.sha256(served(BROWSER_FOLDER / name)).digest()
    return "sha256-" + base64.b64encode(digest).decode()


def test_a_hash_is_that_of_the_standard() -> None:
    """The example of a specification (W3C, Content Security Policy Level 2, section 7.17.2)."""
    script = b"alert('Hello, world.');"
    assert integrity(script) == ("sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=")


def test_every_program_and_style_has_one() -> None:
    hashes = program_hashes(BROWSER_FOLDER)
    programs = [f"{start}.js" for start in starts(BROWSER_FOLDER)]
    assert list(hashes) == sorted([*programs, "languages.css", "sheet.css", "style.css"])
    assert all(hashes[name] == expected(name) for name in hashes)


@pytest.mark.parametrize("path", ["/", "/none", "/device", "/s/doping", "/s/doping/privacy"])
def test_every_page_names_the_hashes_of_what_it_loads(call: Caller, path: str) -> None:
    files = Loads(call(path).text).files
    assert files
    for address, named in files:
        assert named == expected(address.removeprefix("/client/")), address


@pytest.mark.parametrize(
    ("path", "first"),
    [("/s/doping", "main.js"), ("/s/journeys", "main.js"), ("/device", "device.js")],
)
def test_one_program_is_loaded(call: Caller, store: Store, path: str, first: str) -> None:
    store.register(read((ROOT / "examples" / "journeys.yaml").read_text()).survey)
    loaded = [address for address, _ in Loads(call(path).text).files if address.endswith(".js")]
    assert loaded == [f"/client/{first}"]


def test_the_privacy_page_lists_them(call: Caller) -> None:
    page = call("/s/doping/privacy").text
    for name in program_hashes(BROWSER_FOLDER):
        assert f"<code>{expected(name)}</code>" in page.replace("&#43;", "+"), name


def test_no_other_kind_of_file_is_code() -> None:
    others = {file.suffix for file in Path(BROWSER_FOLDER).iterdir()} - {".js", ".css"}
    assert others == {".svg"}
