"""``deniable migrate``: a store moves to another engine, or another place."""

import click

from deniable.cli.help import ending
from deniable.cli.options import store_type
from deniable.cli.stores import opened
from deniable.server.store import StoreError
from deniable.text.safety import counted


@click.command(
    epilog=ending("deniable migrate study.db postgresql://deniable@db.example.org/study", "large")
)
@click.argument("old", metavar="OLD", type=store_type)
@click.argument("new", metavar="NEW", type=store_type)
def migrate_command(old: str, new: str) -> None:
    """Copy all of a store into a new one, also of another engine.

    Stop the server first.
    """
    with opened(old, writes=True) as source, opened(new, create=True) as target:
        if source.name == target.name:
            raise click.ClickException(f"{source.name}: expected two different stores")
        for store in (source, target):
            if store.is_used_elsewhere():
                raise click.ClickException(
                    f"{store.name}: another program has this store open. Stop the server "
                    "('deniable serve') and every other program that uses it, so that no report "
                    "is left behind"
                )
        try:
            with source.moving_out() as tables:
                count = target.move_in(tables)
        except StoreError:
            source.make_sure()  # if the old store is damaged, the error names it
            raise
        surveys = counted(len(target.surveys()), "survey")
    click.echo(f"Moved {counted(count, 'report')} to {surveys} into {target.name}.")
    click.echo(f"From now on, give --store {target.name}; {source.name} is as it was.")
