"""``deniable simulate``: simulate respondents with known rates."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import cycle, groupby
from operator import attrgetter
from pathlib import Path
from typing import Final, TypeAlias

import click
import numpy as np
import numpy.typing as npt
from rich.progress import Progress, TaskID

from deniable import exact
from deniable.analysis.counts.data_file import read_cells
from deniable.analysis.counts.reports_csv import csv_of
from deniable.analysis.results import numbers
from deniable.channel import MAX_REPORTS
from deniable.cli.destinations import Destination, asked_at, to_memory, to_server, to_store
from deniable.cli.failures import Interrupted, blamed
from deniable.cli.help import ending
from deniable.cli.options import STORE_VARIABLE, address_type, force_option, keys_option, store_type
from deniable.cli.output import CSV, STDOUT, progress_bar, target
from deniable.cli.stores import find_survey, opened
from deniable.cli.survey_files import file_of, read_survey_file, survey_path
from deniable.client.panel import simulate_panel
from deniable.client.population import Population, read_population
from deniable.client.randomness import WordSource, os_words, seeded_words
from deniable.client.respondent import RespondentError
from deniable.client.simulation import Responses
from deniable.results.text import console, table
from deniable.server.store import Store
from deniable.server.store.keys import key_file
from deniable.survey import Survey
from deniable.text.safety import counted
from deniable.text.wording import percent, quantity

_SAME_AGAIN: Final = "The same command sends the rest: what is stored is not stored twice."
_MORE: Final = "With -n {} the same command adds as many as may be missing, who are other people."

_SILENCE: Final = 30.0
"""Seconds between lines with the number of stored reports, where no bar is visible."""

People: TypeAlias = npt.NDArray[np.int64]
"""The number of people with each truth of each item, of shape (items, 255)."""


@click.command(
    epilog=ending("deniable simulate survey.yaml -n 1000 -o noise.csv", "first-survey-terminal")
)
@click.argument("survey", metavar="SURVEY")
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
    help="The true share of an answer, by its code, as the survey file has it: doped.yes=20%. Of a "
    "follow-up, the share among those to whom it applies. For an option of a question "
    "with many answers, the share that ticks it: substances.epo=10%. For a row of a grid: "
    "coursework.handed_in.never=60%. The answers that you do not name share the rest evenly, "
    "except for “Skipped”, which gets 0: name it as doped.prefer_not_to_say=5%.",
)
@click.option(
    "--seed",
    metavar="SEED",
    type=click.IntRange(min=0),
    help="Make the run repeatable: the same seed gives the same people and the same noise. By "
    "default the operating system supplies the randomness.",
)
@click.option(
    "--wave",
    metavar="N",
    type=click.IntRange(min=1),
    help="Answer only this wave of a survey with waves. With the same --seed, the people and their "
    "devices are the same as in the other waves. By default, all waves are answered in turn.",
)
@click.option(
    "--change",
    metavar="PERCENT",
    default="0",
    show_default=True,
    help="In waves of the same people: how likely it is that an answer of a person is drawn "
    "again from one wave to the next.",
)
@click.option(
    "--slips",
    metavar="PERCENT",
    default="0",
    show_default=True,
    help="How likely a person says of a follow-up the opposite of what their earlier answers say: "
    "that it applies, or that it does not. The shares that are printed stay the true ones.",
)
@click.option("--output", "-o", metavar="FILE", help="Write the reports as CSV; - prints them.")
@force_option
@click.option(
    "--store",
    metavar="STORE",
    type=store_type,
    help="Put the reports into a store: a file such as trial.db. This is never the store that "
    f"{STORE_VARIABLE} names, unless you name that store here as well.",
)
@click.option(
    "--add",
    is_flag=True,
    help="Mix them with the reports of real people. Nobody can ever tell them apart again. --store "
    "needs this option if the store has reports to this survey already. --url needs it unless it "
    "is the address of a trial, because a server tells nobody whether it has reports.",
)
@click.option(
    "--access-word",
    "pin",
    metavar="WORD",
    help="The access word of a survey whose respondents share one. Needs --url.",
)
@click.option(
    "--codes",
    metavar="CSV",
    type=click.Path(exists=True, dir_okay=False),
    help="The codes of a survey by invitation, as 'deniable invite' writes them: a code for each "
    "report, from the first one on. Needs --store or --url.",
)
@keys_option
@click.option(
    "--url",
    metavar="URL",
    type=address_type,
    help="Send the reports to a running server, as browsers do: http://127.0.0.1:8010. Needs "
    "--add, or the address of a trial that was begun at the desk: "
    "http://127.0.0.1:8000/KVYTHNR/.",
)
def simulate_command(  # noqa: PLR0913  a command has options
    *,
    survey: str,
    respondents: int,
    rates: tuple[str, ...],
    seed: int | None,
    wave: int | None,
    change: str,
    slips: str,
    output: str | None,
    force: bool,
    store: str | None,
    add: bool,
    pin: str | None,
    codes: str | None,
    keys: str | None,
    url: str | None,
) -> None:
    """Simulate respondents with known rates.

    SURVEY is a survey's file, or the name of one in the store.
    """
    _check_options(output, store, url, add=add, codes=codes, pin=pin)
    place = target(output or STDOUT, CSV, force=force, others=[survey])
    with ExitStack() as stack:
        # The collector would scan tens of thousands of reports for cycles.
        gc.disable()
        stack.callback(gc.enable)
        is_named = store is not None and file_of(survey) is None and not Path(survey).suffix
        # A file's survey is read and checked first: a mistake in it makes no store.
        reports = stack.enter_context(opened(store, writes=True)) if store and is_named else None
        asked, text = _asked(survey, reports, url)
        if url is not None and asked.is_repeated and wave is None:
            raise click.UsageError(
                "a survey with waves needs --wave with --url: the one that is on."
            )
        population = read_population(asked, rates)
        invitations = None if codes is None else _codes(codes, asked, respondents, wave)
        waves = _waves(population, respondents, _words(seed, stream=0), wave, change, slips)
        # Reports of different waves have different ids, also from the same people.
        ids = _words(seed, stream=1 + (wave or 0))
        if store is not None:
            reports = reports or stack.enter_context(opened(store, create=True))
            destination = to_store(
                reports,
                asked,
                ids,
                add=add,
                source=text,
                people=respondents,
                wave=wave or asked.waves,
                codes=invitations,
                keyring=key_file(store, keys),
            )
            people = _run_all(waves, respondents, destination, partial(_begin, reports, asked))
            _end(reports, asked)
        elif url is not None:
            _check_wave(asked, wave)
            server = to_server(url, asked, ids, add=add, wave=wave or 1, pin=pin, codes=invitations)
            # The same seed makes the same reports, but no run with codes can be repeated: a token
            # is for one report alone.
            rest = _SAME_AGAIN if seed is not None and codes is None else _MORE
            people = _run_all(waves, respondents, server, rest=rest)
        else:
            chunks: list[bytes] = []
            people = _run_all(waves, respondents, to_memory(chunks, asked))
            place.write("".join(csv_of(chunks, asked)))
    for number, counts in people.items():
        _print_shares(population, counts, number, err=output == STDOUT)


def _asked(survey: str, reports: Store | None, url: str | None) -> tuple[Survey, str]:
    """Return the survey and the text of its file, which is empty if a store names the survey."""
    if reports is not None:
        return find_survey(reports, survey), ""
    if file_of(survey) is None and not Path(survey).suffix:
        raise click.UsageError(
            f"There is no file {survey!r}. The name of a survey goes with --store alone; else give "
            "its file, which the desk's page Open has."
        )
    file = read_survey_file(str(survey_path.convert(survey, None, None)))
    return (file.survey if url is None else asked_at(url, file.survey)), file.text


def _end(reports: Store, survey: Survey) -> None:
    """Erase the order of simulated reports, and say how many there are."""
    reports.erase_order()
    held = counted(reports.count(survey.slug), "report")
    click.echo(f"{reports.name} holds {held} to {survey.slug} now.")


def _check_wave(survey: Survey, wave: int | None) -> None:
    """Refuse to send reports without a wave to a survey that has several."""
    if survey.is_repeated and wave is None:
        raise click.UsageError("a survey with waves needs --wave with --url: the wave that is on.")


def _check_options(
    output: str | None, store: str | None, url: str | None, **more: str | bool | None
) -> None:
    """Reject several destinations or none, and options that the destination does not take."""
    given = {"--output": output, "--store": store, "--url": url}
    found = [name for name, value in given.items() if value is not None]
    if len(found) != 1:
        said = " and ".join(found) or "none of them"
        raise click.UsageError(f"expected one of --output, --store and --url, found {said}.")
    if more["add"] and output is not None:
        raise click.UsageError("--add can only be used with --store or --url.")
    if more["pin"] is not None and url is None:
        raise click.UsageError("--access-word can only be used with --url.")
    if more["codes"] is not None and output is not None:
        raise click.UsageError("--codes can only be used with --store or --url.")


def _codes(path: str, survey: Survey, respondents: int, wave: int | None) -> Iterator[str]:
    """Read the codes of as many invitations as there are respondents, in one wave or in all."""
    if wave is None and not survey.keeps_noise:  # each wave has others
        respondents *= survey.waves
    with blamed(path), Path(path).open(encoding="utf-8-sig", newline="") as lines:
        found = [code for (code,) in read_cells(lines, ["code"])]
    if len(found) < respondents:
        raise click.ClickException(
            f"{path}: expected a code for each of {respondents:,} respondents, found {len(found):,}"
        )
    # In each wave the same people use the same codes.
    return cycle(found[:respondents])


Waves: TypeAlias = Iterator[tuple[int, Iterator[Responses]]]
"""The number of each wave with its answers."""


def _waves(
    population: Population, n: int, words: WordSource, wave: int | None, change: str, slips: str
) -> Waves:
    """Simulate the answers, wave by wave; reject options that do not fit the survey."""
    last = population.survey.waves
    try:
        moved = exact.percent(change, "a --change in percent")
        slipping = exact.percent(slips, "a --slips in percent")
    except ValueError as mistake:
        raise click.UsageError(f"{mistake}.") from None
    survey = population.survey
    if slipping and not any(map(survey.is_shown_to_all, survey.questions)):
        raise click.UsageError("--slips is for surveys with a follow-up that everybody is shown.")
    if not survey.keeps_noise and moved:
        raise click.UsageError("--change is for surveys with waves that the same people answer.")
    if wave is not None and wave > last:
        raise click.UsageError(f"expected a --wave up to {last}, found {wave}.")
    return _waves_in_turn(simulate_panel(population, n, moved, words, slips=slipping), wave)


def _waves_in_turn(panel: Iterator[Responses], wave: int | None) -> Waves:
    for number, group in groupby(panel, key=attrgetter("wave")):
        # Skipped waves are drawn too: the people and their devices go through them.
        if wave is None or number == wave:
            yield number, group
        if number == wave:
            return


def _begin(store: Store, survey: Survey, wave: int) -> None:
    """Begin a wave in a store, if another one is on."""
    if store.wave(survey.slug) != wave:
        with blamed(store.name):
            store.begin_wave(survey.slug, wave)


def _run_all(
    waves: Waves,
    n: int,
    destination: Destination,
    begin: Callable[[int], None] = lambda _: None,
    rest: str = "",
) -> dict[int, People]:
    """Send the answers of each wave to the destination; count the people of each wave."""
    people = {}
    for wave, responses in waves:
        begin(wave)
        people[wave] = _run(responses, n, destination, rest)
    return people


def _words(seed: int | None, stream: int) -> WordSource:
    return os_words if seed is None else seeded_words(seed, stream)


def _run(responses: Iterator[Responses], n: int, destination: Destination, rest: str) -> People:
    """Send all answers to the destination; count the people with each truth of each item."""
    people: People = np.zeros((0, 0), dtype=np.int64)
    bar = progress_bar()
    with bar:
        task = bar.add_task("Respondents", total=n)
        done = _with_lines(bar, task) if bar.disable and rest else partial(bar.advance, task)
        try:
            for chunk in responses:
                destination(chunk, done)
                counts = [np.bincount(truths, minlength=MAX_REPORTS) for truths in chunk.truths.T]
                people = people + counts if people.size else np.array(counts)
        except (RespondentError, KeyboardInterrupt) as error:
            arrived = int(bar.tasks[task].completed)
            why = "stopped" if isinstance(error, KeyboardInterrupt) else str(error)
            stored = f"{arrived:,} of {n:,} reports are known to be stored."
            more = rest.format(n - arrived) if arrived < n else ""
            kind = Interrupted if isinstance(error, KeyboardInterrupt) else click.ClickException
            raise kind(f"{why}\n{stored} {more}".rstrip()) from None
    return people


def _with_lines(bar: Progress, task: TaskID) -> Callable[[int], None]:
    """Return a function that advances the bar, and prints its count every `_SILENCE` seconds."""
    said = time.monotonic()

    def done(number: int) -> None:
        nonlocal said
        bar.advance(task, number)
        now = time.monotonic()
        if now - said >= _SILENCE:
            said = now
            stored = bar.tasks[task]
            click.echo(f"{stored.completed:,.0f} of {stored.total:,.0f} are stored.", err=True)

    return done


def _print_shares(population: Population, people: People, wave: int, *, err: bool) -> None:
    told = ("Rate", "People", "Share")
    rows = table("Item", "Answer", *told, numbers=told)
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
        if population.survey.question(item.question).is_number:
            values = np.array(numbers(item))
            given = np.flatnonzero(~np.isnan(values))
            some = counts[given]
            mean = np.average(values[given], weights=some) if some.any() else None
            rows.add_row("", "Mean", "", f"{some.sum():,}", quantity(mean, np.ptp(values[given])))
        rows.add_section()
    out = console(sys.stderr if err else sys.stdout)
    of = population.survey.in_waves(f" of wave {wave}")
    out.print(f"{n:,} simulated respondents{of} and their true answers:\n")
    out.print(rows)
    if any(question.ask_if for question in population.survey.questions):
        out.print(
            "Rate: among the people to whom a question applies. Share: of all people; whether it "
            "applies to somebody follows from their other answers."
        )
