"""The command `deniable` and its subcommands."""

import io
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from deniable import __version__
from deniable.cli.failures import explained
from deniable.cli.help import EXIT_CODES, Group, ending

_GROUPS: Final = {
    "Design": ("new", "check", "plan", "simulate", "ethics", "schema"),
    "Collect": (
        *("ask", "serve", "collect", "invite", "sheet"),
        *("open", "pause", "close", "wave"),
    ),
    "Analyse": ("estimate", "analyse", "export", "tally"),
    "Teach": ("classroom", "lab"),
    "Trust": ("audit", "verify"),
    "Operate": ("sign-in", "user", "doctor", "backup", "restore", "migrate", "upgrade", "delete"),
}
"""Every command once, in the help's order. A command is imported only when it runs or prints its
own help, so no command waits for what another one loads."""

_NAMES: Final = tuple(name for group in _GROUPS.values() for name in group)

_SERVERS: Final = ("ask", "serve", "classroom", "lab")
"""Commands that run a server."""

_NO_SERVER: Final = (
    "{} runs a server, which needs Linux or macOS; on Windows, run it in a container "
    "(deploy/Containerfile)"
)

_SHARED: Final = {
    **dict.fromkeys(("open", "pause", "close", "wave"), "state"),
    "restore": "backup",
}
"""The modules of commands that have no module of their own name."""


def _place(name: str) -> tuple[str, str]:
    word = name.replace("-", "_")
    return _SHARED.get(name, word), f"{word}_command"


def _summary(name: str) -> str:
    """Read the first line of a command's help in its source, without importing it."""
    module, function = _place(name)
    source = Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8")
    line = source.partition(f"def {function}(")[2].partition('"""')[2].partition("\n")[0]
    return line.removesuffix('"""')


class _Commands(Group):
    """The group of all subcommands, imported from their modules as ``<name>_command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _SERVERS and not hasattr(signal, "SIGHUP"):
            raise click.ClickException(_NO_SERVER.format(cmd_name))
        if cmd_name in _NAMES and cmd_name not in self.commands:
            module, function = _place(cmd_name)
            found = getattr(import_module(f"deniable.cli.{module}"), function)
            self.add_command(found, cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        longest = max(map(len, _NAMES))
        for group, names in _GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(longest), _summary(name)) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand:
            # Raised again with all names: click knows only the commands that are loaded.
            raise click.NoSuchCommand(args[0], possibilities=_NAMES, ctx=ctx) from None

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with explained():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with explained():
            result = super().invoke(ctx)
            # Flushed here: at the interpreter's end, a closed pipe would print an error.
            sys.stdout.flush()
        return result


@click.group(
    cls=_Commands,
    epilog=ending('deniable ask "Have you ever cheated in an exam?"', "index") + EXIT_CODES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="deniable")
def commands() -> None:
    """Ask what people cannot safely admit. Learn the rate, never the answer.

    SURVEY is a survey's file (- is standard input), or its name in a store. Percentages are typed
    as 20 or 20%; a number up to 1 needs its sign, as in 0.5%. The manual is at the desk that
    'deniable serve' starts.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit with one of the codes in the help."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # In a terminal without ε, a question mark is better than a traceback. Output for
            # programs is in UTF-8, by `output.write`, whatever the terminal's encoding.
            stream.reconfigure(errors="replace")
    commands.main(args=arguments, prog_name="deniable")


if __name__ == "__main__":
    main()
