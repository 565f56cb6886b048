"""``deniable new``: the surveys, data and server files that come with the program."""

import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import force_option
from deniable.cli.output import CSV, STDOUT, SURVEY_FILE, FileType, target

_DATA: Final = "interviews"
_FOLDERS: Final = {
    "comprehension": ("examples", "comprehension"),
    "deploy": ("deploy",),
}
"""What is written as a folder, and where its files are."""

_DESIGN: Final = '"forced_response: {truth: 2/3, yes: 1/2}"'


@click.command(epilog=ending("deniable new doping -o doping.yaml", "first-survey"))
@click.argument("example", metavar="[EXAMPLE]", required=False)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    default=STDOUT,
    help="Write to this file (or folder) instead of standard output.",
)
@force_option
def new_command(example: str | None, output: str, *, force: bool) -> None:
    """List the examples, or write one to begin with.

    EXAMPLE is a survey, 'interviews' (data to analyse), or a folder: 'comprehension' (a study that
    tests the screens) or 'deploy' (the files of a server that stays).
    """
    # Here and not above: the help needs no example.
    from deniable.server.desk.editor.starters import (  # noqa: PLC0415
        examples,
        published_questions,
        ready_questions,
    )

    surveys, studies, questions = examples(), published_questions(), ready_questions()
    texts = {**surveys, **studies, **questions}
    names = [*texts, _DATA, *_FOLDERS]
    if example is None:
        _list(surveys, studies, questions)
    elif example in _FOLDERS:
        _write_folder(example, output, force=force)
    elif example in names:
        place = target(output, CSV if example == _DATA else SURVEY_FILE, force=force)
        data = files("deniable") / "examples" / f"{_DATA}.csv"
        place.write(texts[example] if example in texts else data.read_bytes())
        if output != STDOUT:
            file = shlex.quote(output)
            analyse = f"analyse {file} --column doped --design {_DESIGN}"
            command = analyse if example == _DATA else f"check {file}"
            click.echo(f"Wrote {output}. Next: deniable {command}", err=True)
    else:
        near = get_close_matches(example, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "'deniable new' lists them"
        raise click.ClickException(f"there is no example {example!r}; {hint}")


def _list(
    surveys: Mapping[str, str], studies: Mapping[str, str], questions: Mapping[str, str]
) -> None:
    """Print the name and title of each example, and what it shows."""
    from deniable.server.desk.editor.starters import asked_in, shown_by, title_of  # noqa: PLC0415

    longest = max(map(len, (*surveys, *studies, *questions, _DATA)))
    shown = {
        name: f"{title_of(text)}: {shown_by(text)}" for name, text in {**surveys, **studies}.items()
    }
    sections = {
        "Surveys": {name: shown[name] for name in surveys},
        "Questions of published studies, each with its source": {
            name: shown[name] for name in studies
        },
        "Questions for a class, in five languages": {
            name: f"{title_of(text)}: {asked_in(name)}" for name, text in questions.items()
        },
        "Data": {_DATA: "Answers of 3,000 simulated athletes who threw a die, as a CSV."},
        "Folders": {
            "comprehension": "A study of how people understand the screens: two surveys, analysis.",
            "deploy": "A server that stays: services of systemd, nginx, Caddy, containers.",
        },
    }
    formatter = click.HelpFormatter(max_width=100)
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(longest), said) for name, said in rows.items()])
    click.echo(formatter.getvalue())
    click.echo("Write one: deniable new doping -o survey.yaml")


def _write_folder(name: str, output: str, *, force: bool) -> None:
    """Write a folder's files into another; write none if one exists already."""
    if output == STDOUT:
        raise click.UsageError(f"{name!r} is a folder: expected -o and its name.")
    folder = Path(output)
    folder.mkdir(exist_ok=True)
    shipped = files("deniable").joinpath(*_FOLDERS[name]).iterdir()
    contents = {file.name: file.read_bytes() for file in shipped if file.is_file()}
    places = [
        target(str(folder / name), FileType("a file", (Path(name).suffix.lower(),)), force=force)
        for name in contents
    ]
    for place, content in zip(places, contents.values(), strict=True):
        place.write(content)
    click.echo(f"Wrote {len(places)} files into {output}.", err=True)
