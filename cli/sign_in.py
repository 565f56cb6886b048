"""``deniable sign-in``: a new link for the researcher."""

from __future__ import annotations

import click

from deniable.cli.help import ending
from deniable.cli.options import DESK_URL, DESK_URL_VARIABLE, Address, store_option
from deniable.cli.stores import opened
from deniable.server.desk.sign_in import new_link


@click.command(
    epilog=ending(
        "deniable sign-in --desk-url https://desk.example.org",
    )
)
@store_option
@click.option(
    "--desk-url",
    metavar="DESK_URL",
    type=Address(),
    default=DESK_URL,
    show_default=True,
    envvar=DESK_URL_VARIABLE,
    show_envvar=True,
    help="Address of the desk that the link is for.",
)
def sign_in_command(store: str, desk_url: str) -> None:
    """Print a new sign-in link for the researcher.

    It signs in once, within a day, and works on the server that serves this store, whether it is
    running already or not.
    """
    with opened(store) as links:
        click.echo(new_link(links, desk_url))
