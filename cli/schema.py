"""``deniable schema``: the JSON Schema of survey files."""

import json

import click

from deniable import survey_file
from deniable.cli.help import ending
from deniable.cli.output import STDOUT, write


@click.command(epilog=ending("deniable schema > deniable.schema.json"))
def schema_command() -> None:
    """Print the JSON Schema of survey files.

    With it, editors check and complete as you type, and show what each key, family and design
    means. Many find it by the first line of the survey:
    "# yaml-language-server: $schema=deniable.schema.json".

    The manual lists the same: "Keys of a survey file", at the desk under /desk/help/.
    """
    write(STDOUT, json.dumps(survey_file.json_schema(), indent=2) + "\n")
