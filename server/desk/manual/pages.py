"""The pages of the manual: the Markdown of `docs/`, drawn as HTML."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import deniable
from deniable.server.desk.manual.printed import PRINTED
from deniable.server.desk.manual.reference import name_pages

ROOT: Final = Path(deniable.__file__).parent
"""The folder that the manual's links are relative to: it has `docs/` and the pages beside it."""

FIRST: Final = "docs/index"
_REFERENCE: Final = "docs/reference/"
BESIDE: Final = ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")

_LISTED: Final = re.compile(r"(?:(?P<title>.+) <)?(?P<target>[^<>]+?)>?")
_PRINTED: Final = re.compile(r"^```\{printed\} (.*)\n```$", re.MULTILINE)
_HEADING: Final = re.compile(r"#{1,6} (.+)")
_END: Final = "# end"
_ONWARD: Final = "Next"
"""The heading at the end of pages; it has links alone, which no search looks for."""
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS: Final = re.compile(r"[`*|]|:?-{3,}:?")

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass(frozen=True)
class Section:
    """The text below a heading of a page, without Markdown's marks."""

    page: str
    title: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page of the manual."""

    name: str
    title: str
    html: Markup


@dataclass(frozen=True)
class Chapter:
    """A group of pages in the contents: the name and the title of each."""

    title: str
    pages: Sequence[tuple[str, str]]


@cache
def names() -> frozenset[str]:
    """Return the names of all pages, such as ``docs/idea``."""
    listed = (path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))
    written = (path.with_suffix("").as_posix() for path in listed)
    return frozenset({*BESIDE, *written, *(_REFERENCE + name for name in name_pages())})


@cache
def chapters() -> Sequence[Chapter]:
    """Return the contents, as the first page lists them."""
    tokens = _MARKDOWN.parse(_text(FIRST))
    return [_chapter(one.content) for one in tokens if one.info.startswith("{toctree}")]


@cache
def page(name: str) -> Page:
    """Read and draw a page.

    Raises
    ------
    KeyError
        If there is no page of this name.
    """
    if name not in names():
        raise KeyError(name)
    tokens = [*_drawn_tokens(name, _MARKDOWN.parse(_asked(name)))]
    html = Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704  it escapes every text
    return Page(name, title_of(name), html)


def title_of(name: str) -> str:
    """Return the first heading of a page."""
    return _without_marks(_text(name).partition("\n")[0].lstrip("# "))


@cache
def sections(name: str) -> Sequence[Section]:
    """Return the sections of a page as plain text: the search draws no page."""
    anchors, found, lines = _Anchors(), list[Section](), list[str]()
    title = anchor = ""
    is_code = False
    for line in [*_asked(name).splitlines(), _END]:
        if line.startswith("```"):
            is_code = not is_code
        elif is_code or not (heading := _HEADING.fullmatch(line)):
            lines.append(line)
        else:
            if title and title != _ONWARD:
                found.append(Section(name, title, anchor, _without_marks(" ".join(lines))))
            title, lines = _without_marks(heading[1]), []
            anchor = anchors.of(title)
    return found


def is_reference(name: str) -> bool:
    """Return whether a page is generated from a docstring."""
    return name.removeprefix(_REFERENCE) in name_pages()


def _text(name: str) -> str:
    if generated := name_pages().get(name.removeprefix(_REFERENCE)):
        return generated.markdown()
    return (ROOT / f"{name}.md").read_text(encoding="utf-8")


def _asked(name: str) -> str:
    # With each `{printed}` directive replaced by what the program writes.
    return _PRINTED.sub(_ask, _text(name))


def _ask(directive: re.Match[str]) -> str:
    """Return what the program writes for a `{printed}` directive."""
    name, *of = directive[1].split()
    return PRINTED[name](*of)


def _chapter(listing: str) -> Chapter:
    """Read a list of pages: options, and a page on each line, perhaps with another title."""
    title, pages = "", []
    for line in listing.splitlines():
        option, _, value = line.partition(": ")
        if option == ":caption":
            title = value
        elif not line.startswith(":") and (one := _LISTED.fullmatch(line)):
            target = normpath(join("docs", one["target"]))
            pages.append((target, one["title"] or title_of(target)))
    return Chapter(title, pages)


def _drawn_tokens(name: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens to draw: headings with anchors, tables that scroll, links to pages."""
    anchors = _Anchors()
    for place, one in enumerate(tokens):
        if one.type == "heading_open":
            one.attrSet("id", anchors.of(_plain(tokens[place + 1])))
        elif one.type == "inline":
            one.children = [*_led(name, one.children or [])]
        elif one.info.startswith("{toctree}"):
            continue  # the contents stand beside each page
        elif one.type == "fence":
            # It can have the focus, so that the keyboard scrolls it.
            code = Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(one.content)
            # As plain text: joined to Markup, what is before it would be escaped.
            one.type, one.content = "html_block", str(code)
        if one.type == "table_open":
            yield _html('<div class="scroll" role="region" tabindex="0" aria-label="Table">')
        yield one
        if one.type == "table_close":
            yield _html("</div>\n")


def _led(name: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Point links to pages of the manual; keep the words of a link to a file not shown here."""
    dropped = False
    for one in tokens:
        if one.type == "image":
            source = normpath(join(dirname(name), str(one.attrs["src"])))
            one.attrs["src"] = f"/desk/help/{source}"
        elif one.type == "link_open" and "://" not in (target := str(one.attrs["href"])):
            path, mark, anchor = target.partition("#")
            led = normpath(join(dirname(name), path)).removesuffix(".md") if path else name
            if dropped := led not in names():
                continue
            one.attrs["href"] = f"/desk/help/{led}{mark}{anchor}"
        elif one.type == "link_close" and dropped:
            dropped = False
            continue
        yield one


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


class _Anchors:
    """The anchors of a page's headings, as GitHub makes them."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, heading: str) -> str:
        """Return the anchor of the next heading."""
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        again = self._seen.get(anchor, -1) + 1
        self._seen[anchor] = again
        return f"{anchor}-{again}" if again else anchor


def _without_marks(text: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def _plain(inline: Token) -> str:
    return "".join(
        " " if one.type in ("softbreak", "hardbreak") else one.content
        for one in inline.children or ()
    )
