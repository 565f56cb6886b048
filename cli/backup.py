"""``deniable backup`` and ``restore``: a whole store in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option, store_type
from deniable.cli.output import STDOUT, Kind, target
from deniable.cli.stores import opened
from deniable.server.store import Store, files_of
from deniable.server.store.backups import back_up, check_backup, restore
from deniable.server.store.retention import keep_promises
from deniable.text.safety import counted

BACKUP: Final = Kind("a backup", (".backup", ".db"))


@click.command(
    epilog=ending(
        "deniable backup study.db study.backup",
        "deniable backup postgresql://deniable@db.example.org/study study.backup --force",
    )
)
@click.argument("store", metavar="STORE", type=store_type)
@click.argument("file", metavar="FILE")
@force_option
def backup_command(store: str, file: str, *, force: bool) -> None:
    """Write all of a store into one file, also while a server uses it.

    The file holds every survey with its reports, and the accounts, as they are at one moment. It
    holds nothing that was deleted and no order of arrival. Only its owner can read it. If the store
    is damaged, this says so and writes no backup. 'deniable restore' makes a store of it again.
    """
    if file == STDOUT:
        raise click.UsageError("FILE expects the name of a file.")
    target(file, BACKUP, force=force, others=files_of(store), option="FILE")
    with opened(store) as source:
        count = back_up(source, Path(file))
        click.echo(f"{file}: {count:,} reports of {source.name} are in this backup.")


@click.command(
    "restore",
    epilog=ending(
        "deniable restore study.backup new.db",
        "deniable restore study.backup postgresql://deniable@db.example.org/new",
    ),
)
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.argument("store", metavar="STORE", type=store_type)
def restore_command(file: str, store: str) -> None:
    """Make a store of a backup, in a place where nothing is.

    STORE is a new file, or an empty database. The backup may come from the other engine. All
    reports are counted anew, and you get all of it or nothing. Everybody signs in again. What was
    received after the backup is not in it; a device that was never answered sends its report again.
    Reports that had to be deleted by now are deleted at once; the backup stays as it is.
    """
    check_backup(Path(file))
    with opened(store, create=True) as place:
        count = restore(Path(file), place)
        click.echo(f"{place.name}: {count:,} reports to {_surveys(place)} were restored.")
        for one in keep_promises(place, None, believed=True):
            click.echo(one)
        click.echo(f"From now on, give --store {place.name}.")


def _surveys(store: Store) -> str:
    return counted(len(store.surveys()), "survey")
