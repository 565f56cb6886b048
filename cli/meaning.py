"""``deniable help``: what a key of a survey file, a family, a design or a command means."""

from difflib import get_close_matches
from textwrap import indent
from typing import Final

import click

from deniable.cli.help import ending

_MOST: Final = 5
"""So many names are proposed at most."""


@click.command(epilog=ending("deniable help epsilon", "deniable help plan.within"))
@click.argument("key", required=False)
@click.pass_context
def help_command(ctx: click.Context, key: str | None) -> None:
    """Say in a sentence what a key, a family or a design means.

    KEY: as a survey file has it. The editor's completion shows the same sentence. Of a design, its
    parameters follow. Of another command, and without KEY, the help is shown.
    """
    from deniable import designs  # noqa: PLC0415  slow for the help of all commands
    from deniable.survey_file.meanings import FAMILIES, KEYS, parameters, summary  # noqa: PLC0415

    program = ctx.find_root()
    if key is None:
        click.echo(program.get_help())
        return
    said = {name: summary(design) for name, design in designs.BY_NAME.items()} | FAMILIES | KEYS
    names = [name for name in said if key in (name, name.rpartition(".")[2])]
    command = (
        program.command.get_command(program, key)
        if isinstance(program.command, click.Group)
        else None
    )
    if not names and command:
        click.echo(command.get_help(click.Context(command, program, key)))
    elif not names:
        known = sorted({*said, *(name.rpartition(".")[2] for name in said)})
        written = key.lower().replace("-", "_").replace(" ", "_")
        near = [name for name in known if written in name] or get_close_matches(written, known)
        hint = f": did you mean {' or '.join(map(repr, near[:_MOST]))}?" if near else ""
        raise click.ClickException(f"no key, family or design is called {key!r}{hint}")
    for name in names:
        click.echo(f"{name}: {said[name]}")
        if name in designs.BY_NAME and (told := parameters(designs.BY_NAME[name])):
            click.echo(indent(told, "  "))
