"""The command `deniable` and its subcommands."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

from deniable import __version__
from deniable.cli.failures import explained
from deniable.cli.help import ending

# In the order in which a newcomer meets them. Imported when needed: not every command has to wait
# for a web server to be loaded.
_MODULES: Final = {
    "check": "check",
    "plan": "plan",
    "ethics": "ethics",
    "audit": "audit",
    "verify": "verify",
    "board": "board",
    "serve": "serve",
    "classroom": "classroom",
    "sheet": "sheet",
    "enter": "enter",
    "simulate": "simulate",
    "estimate": "estimate",
    "analyse": "analyse",
    "export": "export",
    "tally": "tally",
    "sign-in": "sign_in",
    "user": "user",
    "collect": "collect",
    "invite": "invite",
    "open": "state",
    "pause": "state",
    "close": "state",
    "wave": "state",
    "migrate": "migrate",
    "upgrade": "upgrade",
    "doctor": "doctor",
    "backup": "backup",
    "restore": "backup",
    "delete": "delete",
    "schema": "schema",
    "lab": "lab",
}


class _Commands(click.Group):
    """Finds the subcommands in their modules, as ``<name>_command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULES and cmd_name not in self.commands:
            module = import_module(f"deniable.cli.{_MODULES[cmd_name]}")
            self.add_command(getattr(module, f"{cmd_name.replace('-', '_')}_command"), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand:
            # Said again with all names: click knows only those that are loaded.
            raise click.NoSuchCommand(args[0], possibilities=_MODULES, ctx=ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        with explained():
            result = super().invoke(ctx)
            # Here and not at the interpreter's end, where a closed pipe would be complained of.
            sys.stdout.flush()
        return result


@click.group(
    cls=_Commands,
    epilog=ending(
        "deniable check examples/doping.yaml",
        "deniable simulate examples/doping.yaml -n 1000 --rate doped.yes=0.2 -o noise.csv",
        "deniable estimate examples/doping.yaml --reports noise.csv",
        "deniable serve examples/doping.yaml --host 0.0.0.0",
        "deniable estimate doping",
    ),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="deniable")
def commands() -> None:
    """Ask what people cannot safely admit. Learn the rate, never the answer.

    Respondents' browsers randomise every protected answer before it is sent. This program checks
    surveys, serves them, and works out the rates from the noise. The examples lead from a survey
    file to an estimate twice: with made-up respondents, and with real ones.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit with one of the codes in the help."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Where a terminal has no ε, a question mark is better than a traceback. What programs
            # read is written in UTF-8 by `output.write`, whatever the terminal's encoding.
            stream.reconfigure(errors="replace")
    commands.main(args=arguments, prog_name="deniable")


if __name__ == "__main__":
    main()
