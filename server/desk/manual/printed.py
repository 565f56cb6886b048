"""The parts of the manual that the program writes, as Markdown: ``{printed} NAME …``."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

import click

from deniable.designs import BY_NAME
from deniable.lab import taught
from deniable.server.desk.api.operations import MEANINGS, PREFIX
from deniable.server.desk.api.routes import api
from deniable.server.desk.manual.reference import names
from deniable.survey_file.meanings import FAMILIES, summary
from deniable.survey_file.schema import json_schema

_WIDTH: Final = 80
"""Characters of the terminal whose help is shown."""


def keys() -> str:
    """Write what each key, family and design of a survey file is for, as editors show it."""
    survey = json_schema()
    properties = survey["properties"]
    parts = {
        "The survey": survey,
        "A question": properties["questions"]["items"],
        **{f"`{name}`": properties[name] for name in ("waves", "plan", "packet")},
    }
    written = []
    for heading, part in parts.items():
        listed = (
            f"- `{name}`: {schema['description'].replace('<', '&lt;')}\n"
            for name, schema in part["properties"].items()
        )
        written += [f"## {heading}\n\n", *listed, "\n"]
    designs_said = {name: summary(design) for name, design in BY_NAME.items()}
    for key, named in (("family", FAMILIES), ("design", designs_said)):
        lines = (f"- `{name}`: {said}\n" for name, said in named.items())
        written += [f"## What `{key}` may name\n\n", *lines, "\n"]
    return "".join(written)


def operations() -> str:
    """Write each operation of the API, with its query parameters."""
    written = []
    for one in api.operations:
        written += [f"## `{one.method} {PREFIX}{one.path}`\n\n", f"{one.answer.__doc__}\n\n"]
        written += [f"- `{name}`: {MEANINGS[name]}\n" for name in one.query]
        written.append("\n")
    return "".join(written)


def commands(module: str) -> str:
    """Write the help of each command in a module, as a terminal shows it."""
    group: click.Group = import_module(module).commands
    return "".join(_helped(group, "deniable", None))


def _helped(command: click.Command, word: str, parent: click.Context | None) -> Iterator[str]:
    """Yield the help of a command and of its subcommands."""
    as_shown: Any = {"resilient_parsing": True, "terminal_width": _WIDTH}
    context = command.make_context(word, [], parent=parent, **as_shown)
    name, said = context.command_path, command.get_help(context)
    yield f"## {name}\n\n```console\n$ {name} --help\n{said}\n```\n\n"
    if isinstance(command, click.Group):
        for listed in command.list_commands(context):
            found = command.get_command(context, listed)
            assert found is not None  # noqa: S101  for the type checker: it is listed
            yield from _helped(found, listed, context)


PRINTED: Final[dict[str, Callable[..., str]]] = {
    "keys": keys,
    "operations": operations,
    "commands": commands,
    "names": names,
    "taught": taught.table,
}
