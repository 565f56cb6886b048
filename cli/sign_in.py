"""``deniable sign-in``: a new link for the researcher."""

from __future__ import annotations

import click

from deniable.cli.help import ending
from deniable.cli.options import URL_VARIABLE, Address, store_option
from deniable.cli.stores import opened
from deniable.server.sign_in import new_link


@click.command(
    epilog=ending(
        "deniable sign-in --url https://survey.example.org",
    )
)
@store_option
@click.option(
    "--url",
    metavar="URL",
    type=Address(),
    default="http://127.0.0.1:8000",
    show_default=True,
    envvar=URL_VARIABLE,
    show_envvar=True,
    help="Address of the server that the link is for.",
)
def sign_in_command(store: str, url: str) -> None:
    """Print a new sign-in link for the researcher.

    It signs in once, within a day, and works on the server that serves this store, whether it is
    running already or not.
    """
    with opened(store) as links:
        click.echo(new_link(links, url))
