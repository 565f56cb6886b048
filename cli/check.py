"""``deniable check``: what a survey costs in ε, and how much it can learn."""

from __future__ import annotations

import json
from typing import Any, Final

import click
from rich.console import RenderableType

from deniable.analysis.planning import half_width
from deniable.cli.help import ending
from deniable.cli.output import STDOUT, show, table, write
from deniable.cli.survey_files import NamedSurvey, read_survey_files, survey_path
from deniable.exact import MILLION
from deniable.survey import Item

LEVEL: Final = 0.95


@click.command(
    epilog=ending(
        "deniable check examples/*.yaml --respondents 5000",
    )
)
@click.argument("surveys", metavar="SURVEY...", nargs=-1, required=True, type=survey_path)
@click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="How many people are expected to answer.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="For people or for programs.",
)
def check_command(surveys: tuple[str, ...], respondents: int, form: str) -> None:
    """Check survey files: every mistake, or what each item costs.

    If there is a mistake in any file, all mistakes of all files are printed as file:line:column,
    and nothing else. SURVEY may be - for standard input.

    The table has a line for each item, which is what is randomised: a question, an option or a row.
    "Flip" is the chance that its report is not the truth. ε is the most that its report reveals:
    nobody's odds on the truth can change by more than a factor of e^ε. "95 %" is half the width of
    the interval to expect, at worst, with so many respondents.
    """
    named = read_survey_files(surveys)
    if form == "json":
        documents = [_document(survey, respondents) for survey in named]
        write(STDOUT, json.dumps(documents, indent=2, ensure_ascii=False) + "\n")
        return
    for place, survey in enumerate(named):
        show(STDOUT, *([""] if place else []), *_as_table(survey, respondents))


def _as_table(named: NamedSurvey, respondents: int) -> list[RenderableType]:
    survey = named.survey
    numbers = ("Answers", "Flip", "ε", "of total", "95 %")
    rows = table("Item", *numbers, numbers=numbers)
    for item in survey.items:
        rows.add_row(
            item.id,
            str(len(item.truths)),
            _flip_words(item),
            "direct" if item.epsilon is None else f"{item.epsilon:.6f}",
            "–" if item.epsilon is None else f"{_share(item, named):.0%}",
            f"±{100 * max(half_width(item.channel, respondents, LEVEL)):.1f}",
        )
    return [
        f"{named.source}: {survey.title} ({survey.slug})",
        "",
        rows,
        "",
        f"ε: {survey.spent_millionths / MILLION:.6f} in all, of {survey.epsilon:.6f} promised.",
        f"95 %: percentage points to either side, at worst, with {respondents:,} respondents.",
        *(
            f"{named.source}:{note.line}:{note.column}: note: {note.message}"
            for note in named.file.notes
        ),
    ]


def _document(named: NamedSurvey, respondents: int) -> dict[str, Any]:
    survey = named.survey
    return {
        "file": named.source,
        "survey": survey.slug,
        "title": survey.title,
        "revision": survey.revision,
        "epsilon": survey.epsilon,
        "epsilon_spent": survey.spent_millionths / MILLION,
        "respondents": respondents,
        "level": LEVEL,
        "items": [
            {
                "item": item.id,
                "question": item.question,
                "text": item.text,
                "protection": item.protection.value,
                "answers": [answer.code for answer in item.truths],
                "flip": item.flips,
                "epsilon": item.epsilon,
                "epsilon_share": None if item.epsilon is None else _share(item, named),
                "half_width": half_width(item.channel, respondents, LEVEL).tolist(),
            }
            for item in survey.items
        ],
        "notes": [
            {"line": note.line, "column": note.column, "message": note.message}
            for note in named.file.notes
        ],
    }


def _share(item: Item, named: NamedSurvey) -> float:
    return item.epsilon_millionths / named.survey.epsilon_millionths


def _flip_words(item: Item) -> str:
    if item.flips is None:
        return "–"
    least, most = f"{min(item.flips):.4f}", f"{max(item.flips):.4f}"
    return least if least == most else f"{least} to {most}"
