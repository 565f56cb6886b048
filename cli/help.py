"""Parts of every command's help: an example, where the manual has more, subcommands first."""

from typing import Final

import click

# Keeps click from rewrapping the lines of a paragraph.
_AS_IT_IS: Final = "\b\n"

_EXAMPLE: Final = "Example: "

EXIT_CODES: Final = f"""

{_AS_IT_IS}Exit codes:
  0    done
  1    a mistake in the input, or what was asked for cannot be done
  2    the command line itself is wrong
  130  stopped by Ctrl-C"""


def ending(example: str, page: str) -> str:
    """Write the end of a command's help. `page`: of the manual, in its folder `docs`."""
    return f"{_AS_IT_IS}{_EXAMPLE}{example}\nIn the manual: /desk/help/docs/{page}"


def example_of(ctx: click.Context) -> str:
    """Return a command's example, or nothing if it shows a subcommand."""
    for line in (ctx.command.epilog or "").splitlines():
        if line.startswith(f"{_EXAMPLE}{ctx.command_path} "):
            return line.removeprefix(_EXAMPLE)
    return ""


class Group(click.Group):
    """A command whose help lists its subcommands before its own options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)
