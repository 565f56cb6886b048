"""The texts about a survey: who asks, why, how long, who helps, and what happens afterwards."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from deniable.text.safety import check_plain

LINKED: Final = ("contact", "help", "complaints")
"""The texts that can have a link: the text's name with ``_link``."""

TEXTS: Final = ("organisation", *LINKED, "purpose", "consent", "approval", "results")
"""The texts that a survey has in each of its languages."""

MAX_MINUTES: Final = 600

SITE: Final = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[!-~]*)?")
"""An https address: others could read a connection without TLS."""

MAIL: Final = re.compile("[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+")

LINK: Final = re.compile(rf"tel:\+?[0-9][0-9.-]*|mailto:{MAIL.pattern}|{SITE.pattern}")
"""A link for calls, mail or a site. The browser rejects all others too: a link with a script would
run it beside the answers."""


PANEL: Final = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[!\"$->@-~]*)?")
"""An https address without a query or a fragment, which could name a person or an answer."""

LOGO_SIDE: Final = 1000
"""The greatest width and height of a logo in pixels: a short PNG can decompress to a huge one."""

MAX_LOGO: Final = 8000
"""The greatest length of a logo in characters: everybody loads it with the survey."""

LOGO: Final = re.compile(r"data:image/png;base64,([A-Za-z0-9+/]+={0,2})")
"""A picture in the document itself: a server could give one person another file."""

COLOUR: Final = re.compile("#[0-9a-f]{6}")

LEAST_CONTRAST: Final = 4.5
"""The least contrast between text and background (WCAG 2.2, success criterion 1.4.3)."""


@dataclass(frozen=True)
class About:
    """The texts about a survey, all optional.

    `organisation`: who asks. `contact`, `help`, `complaints`: whom to ask about the survey, who
    helps people whom its questions trouble, and whom to complain to. `contact_link`, `help_link`,
    `complaints_link`: the links of these texts, if any: `LINK`. `approval`: who approved the study.
    `minutes`: how long it takes, 1 to `MAX_MINUTES`; 0 if unknown. `purpose`: its purpose,
    in a sentence. `consent`: what people have to agree to before it starts; their consent stays on
    their device. `results`: where its results will appear: a sentence, or an address (`SITE`).
    `delete_reports`: the day, such as ``2028-01-31``, at whose beginning (UTC) the server deletes
    all reports. `panel`: the address of a button on the last screen (`PANEL`), the same for
    everybody. `logo`: a picture of the institution (`LOGO`), at most `MAX_LOGO` characters.
    `colour`: the institution's colour (`COLOUR`), dark enough to be read on white.
    """

    organisation: str = ""
    contact: str = ""
    contact_link: str = ""
    minutes: int = 0
    purpose: str = ""
    help: str = ""
    help_link: str = ""
    complaints: str = ""
    complaints_link: str = ""
    consent: str = ""
    approval: str = ""
    results: str = ""
    delete_reports: str = ""
    panel: str = ""
    logo: str = ""
    colour: str = ""

    def __post_init__(self) -> None:
        for key, text in self.texts:
            if not isinstance(text, str):
                raise ValueError(f"expected a text as {key}, found {text!r}")
            check_plain(text, lines=key == "consent")
        for key in LINKED:
            link = getattr(self, f"{key}_link")
            if link and not (getattr(self, key) and LINK.fullmatch(link)):
                raise ValueError(f"expected a text with a tel:, mailto: or https link: {link!r}")
        if self.delete_reports and not is_day(self.delete_reports):
            raise ValueError(f"expected a day to delete reports, found {self.delete_reports!r}")
        if self.panel and not PANEL.fullmatch(self.panel):
            raise ValueError(f"expected an https address without query or fragment: {self.panel!r}")
        if type(self.minutes) is not int or not 0 <= self.minutes <= MAX_MINUTES:
            raise ValueError(f"expected 1 to {MAX_MINUTES} minutes, found {self.minutes!r}")
        if self.logo:
            check_logo(self.logo)
        if self.colour:
            check_colour(self.colour)

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The texts that are not empty, with their names."""
        return tuple((key, getattr(self, key)) for key in TEXTS if getattr(self, key))

    def document(self) -> dict[str, Any]:
        """Return the fields that are not empty as JSON-ready values."""
        return {key: value for key, value in asdict(self).items() if value}

    def written(self, key: str) -> str:
        """Return a text with the address of its link, for print."""
        text: str = getattr(self, key)
        address = getattr(self, f"{key}_link").removeprefix("tel:").removeprefix("mailto:")
        return text if address in text else f"{text} ({address})"


def check_logo(text: object) -> None:
    """Reject a logo that is not a PNG of at most `MAX_LOGO` characters.

    >>> check_logo("logo.png")
    Traceback (most recent call last):
      ...
    ValueError: expected a picture as data:image/png;base64,…, found 'logo.png'
    """
    found = LOGO.fullmatch(text) if isinstance(text, str) else None
    try:
        picture = b64decode(found[1], validate=True) if found else b""
    except Error:
        picture = b""
    if not picture.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ValueError(f"expected a picture as data:image/png;base64,…, found {repr(text)[:40]}")
    if len(str(text)) > MAX_LOGO:
        raise ValueError(
            f"expected a picture of at most {MAX_LOGO:,} letters, which everybody loads, found "
            f"{len(str(text)):,}"
        )


def check_logo_side(text: str) -> None:
    """Reject a PNG that is too wide or high, in survey files only: stored surveys keep theirs."""
    # Its first chunk, IHDR, begins with both (PNG, section 11.2.1).
    picture = b64decode(text.partition(",")[2])
    wide, high = (int.from_bytes(picture[place : place + 4], "big") for place in (16, 20))
    if not (wide and high and max(wide, high) <= LOGO_SIDE):
        raise ValueError(
            f"expected a picture of at most {LOGO_SIDE:,} pixels in width and height, found "
            f"{wide:,} × {high:,}"
        )


def check_colour(text: object) -> None:
    """Reject an invalid colour, or one too light to be read on white (contrast by WCAG 2.2).

    >>> check_colour("#12545c")
    >>> check_colour("#ffcc00")
    Traceback (most recent call last):
      ...
    ValueError: expected a colour with a contrast of at least 4.5 to white, found #ffcc00 with 1.5
    """
    if not (isinstance(text, str) and COLOUR.fullmatch(text)):
        raise ValueError(f"expected a colour such as '#12545c', found {text!r}")
    red, green, blue = (int(text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [
        x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (red, green, blue)
    ]
    contrast = 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
    if contrast < LEAST_CONTRAST:
        raise ValueError(
            f"expected a colour with a contrast of at least {LEAST_CONTRAST} to white, found "
            f"{text} with {contrast:.1f}"
        )


def is_day(text: str) -> bool:
    """Return whether a text is a day of the calendar in the form of ISO 8601.

    >>> is_day("2028-02-29"), is_day("2027-02-29"), is_day("20280229")
    (True, False, False)
    """
    try:
        return date.fromisoformat(text).isoformat() == text
    except (TypeError, ValueError):
        return False


NOTHING: Final = About()
"""The texts of a survey without any."""
