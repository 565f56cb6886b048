"""``deniable help``: what a key of a survey file, a family or a design means."""

from __future__ import annotations

from difflib import get_close_matches

import click

from deniable.cli.help import ending


@click.command(epilog=ending("deniable help epsilon", "deniable help plan.within"))
@click.argument("key")
def help_command(key: str) -> None:
    """Say in a sentence what a key, a family or a design means.

    KEY: as a survey file has it. The editor's completion shows the same sentence.
    """
    from deniable import designs  # noqa: PLC0415  slow for the help of all commands
    from deniable.survey_file.meanings import FAMILIES, KEYS, summary  # noqa: PLC0415

    said = {name: summary(design) for name, design in designs.BY_NAME.items()} | FAMILIES | KEYS
    names = [name for name in said if key in (name, name.rpartition(".")[2])]
    if not names:
        short = {name.rpartition(".")[2] for name in said}
        near = get_close_matches(key, sorted({*said, *short}), n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        raise click.ClickException(f"no key, family or design is called {key!r}{hint}")
    for name in names:
        click.echo(f"{name}: {said[name]}")
