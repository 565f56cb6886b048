"""The packet's pages as Markdown, converted from their HTML, so that both say the same."""

import re
from html.parser import HTMLParser
from typing import Final

BLANK: Final = "\\_\\_\\_\\_\\_\\_\\_\\_"

_SKIPPED: Final = {"style", "form", "nav", "head", "details"}
_HEADINGS: Final = {"h1": "# ", "h2": "## ", "h3": "### "}
_MARKS: Final = {"strong": "**", "code": "`", "cite": "*"}
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|#])")


def plain(text: str) -> str:
    """Escape a text so that none of it is markup, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def markdown(page: str) -> str:
    """Convert an HTML page to Markdown, without its forms, menus and folded details."""
    writer = _Writer()
    writer.feed(page)
    text = re.sub(r"[ \t]+\n", "\n", "".join(writer.parts))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.skipped = 0
        self.quoted = False
        self.columns = 0
        self.in_code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipped += 1
        if self.skipped:
            return
        if tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]}")
        elif tag in _MARKS:
            self.in_code = tag == "code"
            self.parts.append(_MARKS[tag])
        elif tag in ("p", "ul", "dl", "blockquote", "table"):
            self.quoted = self.quoted or tag == "blockquote"
            self.parts.append("\n\n> " if tag == "p" and self.quoted else "\n\n")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag == "dt":
            self.parts.append("\n- **")
        elif tag == "tr":
            self.columns = 0
            self.parts.append("\n|")
        elif tag in ("th", "td"):
            self.columns += 1
            self.parts.append(" ")
        elif tag == "br":
            self.parts.append(" / ")
        if ("class", "blank") in attrs:
            self.parts.append(BLANK)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self.skipped -= 1
        elif self.skipped:
            return
        elif tag in _MARKS:
            self.in_code = False
            self.parts.append(_MARKS[tag])
        elif tag == "dt":
            self.parts.append(":** ")
        elif tag in ("th", "td"):
            self.parts.append(" |")
        elif tag == "thead":
            self.parts.append("\n|" + "---|" * self.columns)
        elif tag == "blockquote":
            self.quoted = False

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            flat = re.sub(r"\s+", " ", data)
            if flat.strip() or (self.parts and not self.parts[-1].endswith(("\n", " ", "- ", "|"))):
                self.parts.append(flat if self.in_code else _SPECIAL.sub(r"\\\1", flat))
