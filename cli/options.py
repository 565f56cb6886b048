"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import click

from deniable.analysis import intervals

DEFAULT_STORE: Final = "sqlite:///deniable.db"

store_option = click.option(
    "--store",
    metavar="URL",
    default=DEFAULT_STORE,
    show_default=True,
    help="Where the reports are: sqlite:///PATH, relative to this folder, or sqlite:////PATH.",
)

output_option = click.option(
    "--output",
    "-o",
    metavar="FILE",
    default="-",
    help="Write here instead of to standard output. An existing file is replaced, once all of the "
    "new one is there.",
)

revision_option = click.option(
    "--revision",
    metavar="REVISION",
    help="A revision of the survey that was served before, or the first digits of it; "
    "by default the current one.",
)

level_option = click.option(
    "--level",
    metavar="LEVEL",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of each interval.",
)

method_option = click.option(
    "--method",
    type=click.Choice(intervals.NAMES),
    default=intervals.DEFAULT,
    show_default=True,
    help="Kind of interval of a share: auto is blaker where one proportion tells it and tail where "
    "not, blaker and exact never cover too rarely, wald is the textbook's, always-valid holds "
    "whenever and however often you look.",
)

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="For people, spreadsheets or programs.",
)


class Address(click.ParamType[str]):
    """The address of a server, ``http://host`` or ``https://host``, with a path if `path`."""

    name = "address"

    def __init__(self, *, path: bool = False) -> None:
        self._path = path

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check an address, and take a slash off its end."""
        try:
            parts = urlsplit(value)
            # Asking for the port checks it.
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
                raise ValueError
        except ValueError:
            self.fail(f"{value!r} is not an address such as http://127.0.0.1:8000.", param, ctx)
        if parts.path.strip("/") and not self._path:
            self.fail(
                f"{value!r} has a path; expected the address of a whole server, such as "
                f"{parts.scheme}://{parts.netloc}.",
                param,
                ctx,
            )
        return value.rstrip("/")
