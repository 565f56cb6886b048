"""``deniable schema``: the JSON Schema of survey files."""

import json

import click

from deniable import survey_file
from deniable.cli.help import ending
from deniable.cli.output import TO_STDOUT


@click.command(epilog=ending("deniable schema > deniable.schema.json", "reference/keys"))
def schema_command() -> None:
    """Print the JSON Schema of survey files, for editors."""
    TO_STDOUT.write(json.dumps(survey_file.json_schema(), indent=2) + "\n")
