"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import click

from deniable.analysis import intervals
from deniable.cli.output import KINDS

DEFAULT_STORE: Final = "sqlite:///deniable.db"

STORE_VARIABLE: Final = "DENIABLE_STORE"
URL_VARIABLE: Final = "DENIABLE_URL"


class StoreUrl(click.ParamType[str]):
    """A store as a URL, ``sqlite:///PATH``, or as the path of its file alone."""

    name = "store"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Write a path as a URL; whether a URL is that of a store is the store's to say."""
        if not value:
            self.fail("expected the file of a store, such as study.db.", param, ctx)
        return value if value.startswith("sqlite:") or "://" in value else f"sqlite:///{value}"


store_option = click.option(
    "--store",
    metavar="STORE",
    type=StoreUrl(),
    default=DEFAULT_STORE,
    show_default=True,
    envvar=STORE_VARIABLE,
    show_envvar=True,
    help="Where the reports are: a file such as study.db, or its URL, sqlite:///study.db.",
)

output_option = click.option(
    "--output",
    "-o",
    metavar="FILE",
    default="-",
    help="Write here instead of to standard output: the whole file, or nothing after a mistake.",
)

force_option = click.option(
    "--force",
    is_flag=True,
    help="Replace a file that exists already. A file that is read is never replaced.",
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
    help="For people, spreadsheets or programs.  [default: by the ending of --output: .txt, .csv "
    "or .json; otherwise table]",
)


def form_of(form: str | None, output: str) -> str:
    """Return the format that was asked for, or else the one that the file's ending names.

    Examples
    --------
    >>> form_of(None, "shares.csv"), form_of(None, "-"), form_of("json", "-")
    ('csv', 'table', 'json')
    """
    named = (each for each in ("csv", "json") if output.lower().endswith(KINDS[each].endings))
    return form or next(named, "table")


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
