"""``deniable backup`` and ``restore``: a whole store in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option, keys_option, store_type
from deniable.cli.output import STDOUT, FileType, target
from deniable.cli.stores import opened
from deniable.server.store import Store, files_of
from deniable.server.store.backups import (
    back_up,
    check_backup,
    dated,
    look_into,
    remove_older,
    restore,
)
from deniable.server.store.errors import KeyFileError
from deniable.server.store.keys import key_file
from deniable.server.store.retention import keep_promises
from deniable.text.safety import counted

BACKUP: Final = FileType("a backup", (".backup", ".db"))


@click.command(epilog=ending("deniable backup study.db study.backup", "backup"))
@click.argument("store", metavar="STORE", type=store_type)
@click.argument("file", metavar="FILE")
@click.option(
    "--keep",
    metavar="DAYS",
    type=click.IntRange(min=1),
    help="FILE is a folder: write a backup with the date in its name there, and then remove this "
    "store's older ones of that kind, but the one before and the newest of each of the last DAYS "
    "days that have one. Nothing else is removed.",
)
@force_option
@keys_option
def backup_command(
    store: str, file: str, *, keep: int | None, force: bool, keys: str | None
) -> None:
    """Write all of a store into one file, also while a server uses it."""
    if file == STDOUT:
        raise click.UsageError("FILE expects the name of a file.")
    if keep and not Path(file).exists():
        raise click.UsageError(f"{file}: there is no such folder; 'mkdir {file}' makes it.")
    if keep and not Path(file).is_dir():
        raise click.UsageError(f"--keep expects a folder as FILE, found {file}.")
    with opened(store) as source:
        path = dated(Path(file), source, store) if keep else Path(file)
        target(str(path), BACKUP, force=force, others=files_of(store), option="FILE")
        count = back_up(source, path)
        click.echo(f"{path}: {counted(count, 'report')} of {source.name} in this backup.")
        if source.marks():
            place = key_file(store, keys).path or "the file of --keys"
            click.echo(f"The private keys are not in it: copy {place} as well, to another place.")
        for old in remove_older(path, source, store, keep) if keep else ():
            click.echo(f"{old}: removed.")


@click.command(
    "restore",
    epilog=ending("deniable restore study.backup new.db", "backup"),
)
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False))
@click.argument("store", metavar="[STORE]", type=store_type, required=False)
@click.option("--check", is_flag=True, help="Check all of FILE, and say what it holds.")
@keys_option
def restore_command(file: str, store: str | None, *, check: bool, keys: str | None) -> None:
    """Make a store of a backup, where no store is yet."""
    if check == (store is not None):
        raise click.UsageError("Expected either STORE, where the backup is restored, or --check.")
    check_backup(Path(file))
    if store is None:
        _tell(file)
        return
    with opened(store, create=True) as place:
        count = restore(Path(file), place)
        click.echo(f"{place.name}: {counted(count, 'report')} to {_surveys(place)} restored.")
        for one in keep_promises(place, None, believed=True):
            click.echo(one)
        try:
            key_file(store, keys).check(place.marks())
        except KeyFileError as missing:
            click.echo(
                f"{missing}. No backup holds the private keys: put your copy there, which only the "
                "server's user may read (chmod 600)."
            )
        click.echo(
            f"From now on, give --store {place.name}. 'deniable backup --keep' removes older "
            "backups of this address alone: remove those of another one yourself."
        )


def _tell(file: str) -> None:
    """Check a whole backup and print what it holds; damage is an error."""
    with look_into(Path(file)) as found:
        if damages := found.check():
            told = "; ".join(damages).replace(found.name, file)
            raise click.ClickException(f"{told}; take another backup")
        counts = {one.survey.slug: found.count(one.survey.slug) for one in found.surveys()}
        accounts = counted(len(found.users()), "account")
        total = f"{counted(sum(counts.values()), 'report')} to {_surveys(found)} and {accounts}"
        click.echo(f"{file}: is whole, and holds {total}.")
        for slug, count in counts.items():
            click.echo(f"  {slug}: {counted(count, 'report')}")
        if found.marks():
            click.echo("The private keys that its open surveys need are in no backup.")


def _surveys(store: Store) -> str:
    return counted(len(store.surveys()), "survey")
