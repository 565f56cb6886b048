"""``deniable sign-in``: a new link for the researcher."""

import click

from deniable.cli.help import ending
from deniable.cli.options import desk_url_option, note_default_desk, store_option
from deniable.cli.stores import find_user, opened
from deniable.server.desk.auth.login_links import new_link


@click.command(epilog=ending("deniable sign-in ada", "accounts"))
@click.argument("name", metavar="[NAME]", required=False)
@store_option
@desk_url_option
def sign_in_command(name: str | None, store: str, desk_url: str) -> None:
    """Print a new sign-in link for the researcher."""
    with opened(store, writes=True) as accounts:
        note_default_desk()
        click.echo(new_link(accounts, desk_url, find_user(accounts, name)))
