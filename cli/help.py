"""Parts of every command's help: examples to copy, exit codes, subcommands before options."""

from typing import Final

import click

# Keeps click from rewrapping the lines of a paragraph.
_AS_IT_IS: Final = "\b\n"

_EXIT_CODES: Final = """Exit codes:
  0    done
  1    a mistake in the input, or what was asked for cannot be done
  2    the command line itself is wrong
  130  stopped by Ctrl-C"""


def ending(*examples: str) -> str:
    """Write the end of a command's help."""
    lines = "\n".join(f"  {example}" for example in examples)
    return f"{_AS_IT_IS}Examples:\n{lines}\n\n{_AS_IT_IS}{_EXIT_CODES}"


def example_of(ctx: click.Context) -> str:
    """Return the first of a command's examples that runs this command itself."""
    lines = (ctx.command.epilog or "").splitlines()
    return next((line.strip() for line in lines if f"{ctx.command_path} " in line), "")


class Group(click.Group):
    """A command whose help lists its subcommands before its own options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)
