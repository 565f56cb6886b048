"""Options that several commands share, so that they mean the same everywhere."""

import os
import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import click
from click.core import ParameterSource
from click.decorators import FC

from deniable import exact
from deniable.cli.failures import blamed
from deniable.server.addresses import LAST_PORT
from deniable.server.store import store_url
from deniable.server.web.names import name_in
from deniable.study.addresses import is_desk

DEFAULT_STORE: Final = store_url("deniable.db")

STORE_VARIABLE: Final = "DENIABLE_STORE"
URL_VARIABLE: Final = "DENIABLE_URL"
KEYS_VARIABLE: Final = "DENIABLE_KEYS"
DESK_URL_VARIABLE: Final = "DENIABLE_DESK_URL"

PORT: Final = 8000
"""The default port of respondents' pages; the desk is at the next one."""

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")

DESK_URL: Final = f"http://127.0.0.1:{PORT + 1}"
"""The default address of the desk."""


def store_type(value: str) -> str:
    """Return the URL of a store, which may be named by its file; the store need not exist."""
    if not value:
        raise click.BadParameter("expected the file of a store, such as study.db.")
    return store_url(value)


store_option = click.option(
    "--store",
    metavar="STORE",
    type=store_type,
    default=DEFAULT_STORE,
    show_default=True,
    envvar=STORE_VARIABLE,
    show_envvar=True,
    help="Where the reports are kept: a file such as study.db, its URL (sqlite:///study.db), or a "
    "database (postgresql://deniable@host/study).",
)

keys_option = click.option(
    "--keys",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    envvar=KEYS_VARIABLE,
    show_envvar=True,
    help="The private keys for codes of invitations, in a file that its owner alone can read. By "
    "default it stands beside the store's file, with .keys behind its name.",
)

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="For people or for programs.",
)

output_option = click.option(
    "--output",
    "-o",
    metavar="FILE",
    default="-",
    help="Write to this file instead of standard output. After a mistake, nothing is written.",
)

force_option = click.option(
    "--force",
    is_flag=True,
    help="Replace a file that exists already. The command's own input is never replaced.",
)

revision_option = click.option(
    "--revision",
    metavar="REVISION",
    help="Only the reports to this revision; its first digits are enough. By default those to all "
    "revisions are counted, where a question is the same as in the current one.",
)


def percent_type(
    name: str = "percent",
    example: int = 20,
    unit: str = "%",
    *,
    zero: bool = False,
    below: bool = False,
) -> Callable[[str], float]:
    """Return a function that reads an option as a part of 1, with errors of `exact.percent`."""
    bounds = f"{'from 0' if zero else 'above 0'} {'and below' if below else 'to'} 100"

    def read(value: str) -> float:
        with blamed(kind=click.BadParameter):
            found = exact.percent(value, name, example=example, unit=unit)
        if (found == 0 and not zero) or (found == 1 and below):
            raise click.BadParameter(f"expected {name} {bounds}, found {value!r}")
        return float(found)

    return read


def address_type(value: str) -> str:
    """Check an address on a server; return it without a slash at its end."""
    try:
        parts = urlsplit(value)
        # Reading the port checks it.
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not an address such as http://127.0.0.1:8000."
        ) from None
    return value.rstrip("/")


def server_type(value: str) -> str:
    """Check the address of a whole server, ``http://host`` or ``https://host``."""
    address = address_type(value)
    parts = urlsplit(address)
    if parts.path:
        raise click.BadParameter(
            f"{value!r} has a path; expected the address of a whole server, such as "
            f"{parts.scheme}://{parts.netloc}."
        )
    if not address.isascii():  # a browser asks for the other form
        raise click.BadParameter(
            f"{value!r} has letters beyond ASCII; expected its name in the form xn--…, such as "
            "http://xn--mller-kva.example for müller.example."
        )
    return address


def name_type(value: str) -> str:
    """Check the name of a host; return it as browsers compare names."""
    if not _NAME.fullmatch(value):
        raise click.BadParameter(
            f"{value!r} is no name of a host, without http://, port and path, such as "
            "survey.example.org."
        )
    return name_in(value)


class Reports(click.Path):
    """The type of ``--reports``: a CSV of noisy reports, or the address of a desk."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True, allow_dash=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Check a file; leave the address of a desk to the code that reads it."""
        if is_desk(value):
            return str(value)
        return super().convert(value, param, ctx)


def note_default_desk() -> None:
    """Print a note if the desk's address is the default, which is a guess."""
    source = click.get_current_context().get_parameter_source("desk_url")
    if source is ParameterSource.DEFAULT:
        click.echo(
            f"Note: {DESK_URL} is where a desk usually is. If yours is elsewhere, give --desk-url.",
            err=True,
        )


def address_option(name: str, said: str, default: str | None = None) -> Callable[[FC], FC]:
    """Return the option of a server's address, ``--url`` or ``--desk-url``."""
    is_desk_url = name == "--desk-url"
    return click.option(
        name,
        metavar="DESK_URL" if is_desk_url else "PUBLIC_URL",
        type=server_type,
        default=default,
        show_default=default is not None,
        envvar=DESK_URL_VARIABLE if is_desk_url else URL_VARIABLE,
        show_envvar=True,
        help=said,
    )


def port_option(said: str) -> Callable[[FC], FC]:
    """Return the option of the port at which respondents reach a server."""
    return click.option(
        "--port", type=click.IntRange(0, LAST_PORT), default=PORT, show_default=True, help=said
    )


desk_url_option = address_option(
    "--desk-url", "Address of the desk that the link is for.", DESK_URL
)
