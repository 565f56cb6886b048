"""``deniable upgrade``: bring a store of an older release to this release."""

from __future__ import annotations

from pathlib import Path

import click

from deniable.cli.help import ending
from deniable.cli.options import store_option
from deniable.cli.stores import found_at_its_address, somebody_is_there
from deniable.server.store.errors import StoreError, StoreNotFound, StoreOutdated
from deniable.server.store.keys import key_file
from deniable.server.store.opening import age_of
from deniable.server.store.records import Age
from deniable.server.store.upgrading import upgrade


@click.command(epilog=ending("deniable upgrade --store study.db", "backup"))
@store_option
@click.option(
    "--yes",
    is_flag=True,
    help="Say that no server uses the store, where this cannot be seen. A script needs this "
    "option, because it cannot answer.",
)
def upgrade_command(store: str, *, yes: bool) -> None:
    """Bring a store to the version of this release.

    Stop every server that uses it first.
    """
    with found_at_its_address():
        age = age_of(store)
    if age.found < age.expected and age.unseen and not yes:
        _ask(age)
    kept = upgrade(store)
    click.echo(
        f"{age.name}: is of version {age.expected}, as this release expects. Nothing was changed."
        if kept is None
        else told(age, kept)
    )


def upgrade_to_serve(store: str, keys: str | None) -> str:
    """Upgrade a store before it is served; return a sentence on what was done, or nothing."""
    try:
        age = age_of(store)
    except StoreNotFound as error:
        place = key_file(store, keys)
        # Else people would answer, and backups of an empty store would replace those of the lost.
        if left := [one for one in (place.path, place.cookies) if one and one.exists()]:
            raise StoreError(
                f"{error}, but {left[0]} is what a server keeps beside one. Put the store back, or "
                f"a backup by 'deniable restore'; for an empty store, move {left[0]} away"
            ) from None
        return "A new store is made, because there is none."  # perhaps a typo
    if age.found < age.expected and age.unseen:
        raise StoreOutdated(age.name, age.found, age.expected)
    kept = upgrade(store)
    return "" if kept is None else told(age, kept)


def told(age: Age, kept: Path) -> str:
    """Say that a store was upgraded, and where the old one is."""
    return (
        f"{age.name}: upgraded from version {age.found} to {age.expected}. The store as it was is "
        f"kept in {kept}."
    )


def _ask(age: Age) -> None:
    """Ask whether all servers are stopped, where the program cannot find out."""
    if not somebody_is_there():
        raise click.ClickException(
            f"{age.name}: {age.unseen}, and would refuse reports for good after the upgrade. Stop "
            "every server that uses this store, and give --yes"
        )
    click.echo(
        f"{age.name}: {age.unseen}. What it takes after the upgrade would be lost.", err=True
    )
    if not click.confirm("Is every server that uses this store stopped?", err=True):
        raise click.ClickException("nothing was changed")
