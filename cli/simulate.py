"""``deniable simulate``: made-up people with known rates answer a survey."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

import click
import numpy as np
import numpy.typing as npt
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from deniable.analysis.reports_csv import write_reports
from deniable.channel import MAX_REPORTS
from deniable.cli.destinations import Destination, to_memory, to_server, to_store
from deniable.cli.help import ending
from deniable.cli.options import Address
from deniable.cli.output import STDOUT, console, table, write
from deniable.cli.stores import opened
from deniable.cli.survey_files import read_survey_file, survey_path
from deniable.client.population import Population, read_population
from deniable.client.randomness import WordSource, os_words, seeded_words
from deniable.client.respondent import RespondentError
from deniable.client.simulation import Responses, simulate
from deniable.server.wording import percent

People: TypeAlias = npt.NDArray[np.int64]
"""How many have each truth of each item, of shape (items, 255)."""


@click.command(
    epilog=ending(
        "deniable simulate examples/doping.yaml -n 1000 --rate doped.yes=0.2 -o noise.csv",
        "deniable simulate examples/doping.yaml -n 100000 --seed 1 --store sqlite:///trial.db",
        "deniable simulate examples/doping.yaml -n 500 --url http://127.0.0.1:8000",
    )
)
@click.argument("survey", metavar="SURVEY", type=survey_path)
@click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=click.IntRange(min=1),
    required=True,
    help="How many people answer.",
)
@click.option(
    "--rate",
    "-r",
    "rates",
    metavar="QUESTION.ANSWER=RATE",
    multiple=True,
    help="The true share of an answer, by its code: doped.yes=0.2. For an option of a question "
    "with many answers, the share that ticks it: substances.epo=0.1. For a row of a grid: "
    "coursework.exam_aids.never=2/3. What is not named shares the rest evenly.",
)
@click.option(
    "--seed",
    metavar="SEED",
    type=click.IntRange(min=0),
    help="Make the run repeatable: same seed, same people, same noise. By default the randomness "
    "is the operating system's.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the reports as CSV; - prints them.")
@click.option("--store", metavar="URL", help="Put the reports into a store: sqlite:///PATH.")
@click.option(
    "--add",
    is_flag=True,
    help="With --store: even if it holds reports to this survey, from which made-up ones can "
    "never be told again.",
)
@click.option(
    "--url",
    metavar="URL",
    type=Address(path=True),
    help="Send the reports to a server that runs, as browsers would: http://127.0.0.1:8000.",
)
def simulate_command(  # noqa: PLR0913  a command has options
    *,
    survey: str,
    respondents: int,
    rates: tuple[str, ...],
    seed: int | None,
    output: str | None,
    store: str | None,
    add: bool,
    url: str | None,
) -> None:
    """Let made-up people with known rates answer a survey.

    Each report is randomised as a browser would. The reports go to one place: a CSV, a store or a
    server. Then the shares that chance gave these people are printed, to compare an estimate with.
    """
    if [output, store, url].count(None) != 2:
        raise click.UsageError("expected one of --output, --store and --url.")
    if add and store is None:
        raise click.UsageError("--add goes with --store only.")
    asked = read_survey_file(survey).survey
    population = read_population(asked, rates)
    responses = simulate(population, respondents, _words(seed, stream=0))
    ids = _words(seed, stream=1)
    if store is not None:
        with opened(store, create=True) as reports:
            people = _run(responses, respondents, to_store(reports, asked, ids, add=add))
            reports.settle()
            click.echo(f"{reports.path} holds {reports.count(asked.slug):,} reports now.")
    elif url is not None:
        people = _run(responses, respondents, to_server(url, asked, ids))
    else:
        chunks: list[bytes] = []
        people = _run(responses, respondents, to_memory(chunks))
        text = io.StringIO(newline="")
        write_reports(chunks, asked, text)
        write(output or STDOUT, text.getvalue())
    _print_shares(population, people, err=output == STDOUT)


def _words(seed: int | None, stream: int) -> WordSource:
    return os_words if seed is None else seeded_words(seed, stream)


def _run(responses: Iterator[Responses], n: int, destination: Destination) -> People:
    """Hand all answers to the destination; count the people with each truth of each item."""
    people: People = np.zeros((0, 0), dtype=np.int64)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("Respondents", total=n)
        try:
            for chunk in responses:
                destination(chunk.answers, partial(bar.advance, task))
                counts = [np.bincount(truths, minlength=MAX_REPORTS) for truths in chunk.truths.T]
                people = people + counts if people.size else np.array(counts)
        except RespondentError as error:
            arrived = int(bar.tasks[task].completed)
            raise click.ClickException(
                f"{error}\n{arrived:,} of {n:,} reports are stored."
            ) from None
    return people


def _print_shares(population: Population, people: People, *, err: bool) -> None:
    numbers = ("Rate", "People", "Share")
    rows = table("Item", "Answer", *numbers, numbers=numbers)
    n = people[0].sum()
    for item, shares, counts in zip(
        population.survey.items, population.shares, people, strict=True
    ):
        offered = population.survey.question(item.question).offered
        for truth, (answer, share) in enumerate(zip(item.truths, shares, strict=True)):
            rows.add_row(
                "" if truth else item.id,
                answer.text,
                percent(float(share) if answer in offered else None),
                f"{counts[truth]:,}",
                percent(counts[truth] / n),
            )
        rows.add_section()
    out = console(sys.stderr if err else sys.stdout)
    out.print(f"{n:,} made-up respondents, and what is true of them:\n")
    out.print(rows)
    if any(question.ask_if for question in population.survey.questions):
        out.print(
            "Rate: among the people to whom a question applies. Share: of all people; whether it "
            "applies to somebody follows from their other answers."
        )
