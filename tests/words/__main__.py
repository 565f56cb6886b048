"""Bring the catalogues up to date, or rename sentences: ``python -m tests.words --help``."""

from __future__ import annotations

from pathlib import Path

import click

from tests import words
from tests.words import renaming


@click.command()
@click.option("--rename", "pair", nargs=2, metavar="OLD NEW", help="Rename one sentence.")
@click.option(
    "--rename-from",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Rename many: each line has the old sentence, a tab and the new one.",
)
@click.option("--dry-run", is_flag=True, help="Print what would change, and change nothing.")
def main(pair: tuple[str, str] | None, file: Path | None, dry_run: bool) -> None:
    """Bring all catalogues up to date, or rename sentences everywhere."""
    if pair is None and file is None:
        if dry_run:
            raise click.UsageError("--dry-run goes with --rename or --rename-from")
        words.update()
        return
    try:
        renames = dict([pair] if pair else []) | (renaming.read_renames(file) if file else {})
        if dry_run:
            renaming.check(renames, words.sentences())
            plan = renaming.changes(renames)
        else:
            plan = renaming.rename(renames)
    except renaming.CannotRename as error:
        raise click.ClickException(str(error)) from None
    for place in plan.places:
        click.echo(f"{'would change' if dry_run else 'changed'} {place}")
    for place in plan.to_look_at:
        click.echo(f"look at {place}")


if __name__ == "__main__":
    main()
