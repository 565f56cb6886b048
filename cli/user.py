"""``deniable user``: the accounts of the people at the desk."""

import sys
import time

import click

from deniable.cli.failures import blamed
from deniable.cli.help import Group, ending
from deniable.cli.options import desk_url_option, note_default_desk, store_option
from deniable.cli.stores import find_user, opened
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk.auth.passwords import hash_password, read_name
from deniable.server.store.accounts import LastAdministratorError, Role, Scope
from deniable.text.safety import counted


@click.group(
    cls=Group,
    epilog=ending("deniable user add ada", "accounts"),
)
def user_command() -> None:
    """Give people accounts at the desk."""


@user_command.command(epilog=ending("deniable user add olu --role analyst", "accounts"))
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    help="What the account may do. The first one is the administrator's, others are owners unless "
    "you say otherwise.",
)
@click.option(
    "--password", "asks", is_flag=True, help="Ask for a password instead of making a sign-in link."
)
@store_option
@desk_url_option
def add(name: str, role: str | None, store: str, desk_url: str, *, asks: bool) -> None:
    """Add an account, and print a link that signs its person in once."""
    with opened(store, writes=True) as accounts:
        usual = Role.OWNER if accounts.users() else Role.ADMINISTRATOR
        with blamed():
            name = read_name(name)
        try:
            accounts.add_user(name, Role(role or usual), _new_password() if asks else "")
        except LastAdministratorError:
            raise click.UsageError(
                "expected --role administrator: the first account is the administrator's"
            ) from None
        except ValueError:
            raise click.ClickException(
                f"there is an account {name!r} already; 'deniable sign-in {name}' makes a link, "
                f"'deniable user password {name}' changes the password"
            ) from None
        click.echo(f"{name} has an account, as {accounts.user(name).role}.", err=True)
        if not asks:
            note_default_desk()
            click.echo(new_link(accounts, desk_url, name))


@user_command.command("list", epilog=ending("deniable user list", "accounts"))
@store_option
def list_users(store: str) -> None:
    """List the accounts: name, role, and how each signs in."""
    with opened(store) as accounts:
        users = accounts.users()
        if not users:
            click.echo("There are no accounts. Anyone who has a sign-in link may do everything.")
        width = max((len(user.name) for user in users), default=0)
        for user in users:
            count = len(accounts.sessions(user.name, int(time.time())))
            shares = accounts.shared_with(user.name)
            surveys = ", ".join(f"{slug} ({role})" for slug, role in shares.items()) or "none"
            if user.role is Role.ADMINISTRATOR:
                surveys = "all"
            how = "password" if user.password else "links"
            click.echo(
                f"{user.name:<{width}}  {user.role:<13}  {how:<8}  "
                f"{counted(count, 'session')}; surveys: {surveys}"
            )


@user_command.command(epilog=ending("deniable user remove olu", "accounts"))
@click.argument("name")
@store_option
def remove(name: str, store: str) -> None:
    """Remove an account, and end its sessions, links and tokens."""
    with opened(store, writes=True) as accounts:
        name = find_user(accounts, name)
        try:
            accounts.remove_user(name)
        except LastAdministratorError:
            raise click.ClickException(
                f"{name} is the last administrator: make somebody else one at the desk, or remove "
                "the others first"
            ) from None
        click.echo(f"{name} has no account any more.")


@user_command.command(epilog=ending("deniable user password ada", "accounts"))
@click.argument("name")
@click.option("--none", "takes", is_flag=True, help="Take the password away: only links sign in.")
@store_option
def password(name: str, store: str, *, takes: bool) -> None:
    """Change a password, and end sessions, links and tokens."""
    with opened(store, writes=True) as accounts:
        name = find_user(accounts, name)
        accounts.set_password(name, "" if takes else _new_password())
        click.echo(f"{name} has {'no password' if takes else 'a new password'}.")


@user_command.command(epilog=ending("deniable user token ada --for figures", "scripts"))
@click.argument("name", required=False)
@click.option("--for", "called", metavar="TEXT", help="What the token is for. It is listed so.")
@click.option(
    "--may",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.READ.value,
    show_default=True,
    help="What a script may do with it: read what its person may read, or all that they may do.",
)
@click.option("--end", "ended", metavar="TEXT", help="End the token that is for this.")
@store_option
def token(name: str | None, called: str | None, may: str, ended: str | None, store: str) -> None:
    """Make a token for a script of somebody, and print it."""
    if (called is None) == (ended is None):
        raise click.UsageError("expected one of --for and --end.")
    with opened(store, writes=True) as accounts:
        name = find_user(accounts, name)
        if called is not None:
            with blamed():
                click.echo(make_token(accounts, name, called, Scope(may)))
            return
        tokens = {one.name: one for one in accounts.tokens(name, int(time.time()))}
        if ended not in tokens:
            there = f"there are {', '.join(tokens)}" if tokens else "there are none"
            raise click.ClickException(f"there is no token for {ended!r}; {there}")
        accounts.end_token(name, tokens[ended].token_hash)
        click.echo(f"The token for {ended} has ended.")


def _new_password() -> str:
    """Ask for a password, twice on a terminal, and return its hash."""
    typed = ""
    if sys.stdin is not None and sys.stdin.isatty():
        typed = click.prompt("New password", hide_input=True, confirmation_prompt=True, err=True)
    elif sys.stdin is not None:
        typed = sys.stdin.readline().rstrip("\r\n")
    with blamed():
        return hash_password(typed)
