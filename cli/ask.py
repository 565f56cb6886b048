"""``deniable ask``: one question, asked at once in this network, and estimated as answers come."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from threading import Event, Thread
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import PORT, STORE_VARIABLE, StoreUrl
from deniable.cli.output import Kind, square, target, write
from deniable.cli.stores import opened
from deniable.server.addresses import Place, ServingError
from deniable.server.serving import Ready, serve
from deniable.server.store import State, store_url
from deniable.wording import percent

_FILE: Final = """\
version: 1
survey: {name}
title: {question}
questions:
  - id: answer
    text: {question}
    type: single
    answers: [No, Yes]
    flip: 1/4  # two coins: how often the report is not the truth
"""
_LEFT_OUT: Final = "a an any at did do ever had has have in is meeting of on the to trial was you"


@click.command(epilog=ending('deniable ask "Have you ever cheated in an exam?"'))
@click.argument("question")
@click.option("--output", "-o", metavar="FILE", help="The survey file to write.")
@click.option("--store", type=StoreUrl(), envvar=STORE_VARIABLE, help="Where reports are kept.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104
@click.option("--port", type=click.IntRange(0, 65535), help=f"By default {PORT}, or a free one.")
def ask_command(
    question: str, output: str | None, store: str | None, host: str, port: int | None
) -> None:
    """Ask a yes-or-no question at once, and watch the estimate grow.

    Devices in your network answer by the link or the QR code that it prints. Two coins decide on
    each what is sent: 1 report in 4 is not the truth. The estimate takes in ten reports or more at
    a time, so nobody learns when somebody answered. Ctrl-C ends the survey, and leaves its file.
    """
    from deniable.survey_file import SurveyFileError, read  # noqa: PLC0415  no help needs it

    text = _FILE.replace("{question}", json.dumps(question, ensure_ascii=False))
    try:
        read(text.replace("{name}", "question", 1), "the question")
    except SurveyFileError as mistake:
        raise click.ClickException(str(mistake)) from None
    if output and Path(output).exists():
        raise click.ClickException(f"{output}: exists already; expected the name of a new file")
    target(output or "-", Kind("a survey file", (".yaml", ".yml")), force=False)
    url = store or (output and store_url(str(Path(output).with_suffix(".db"))))
    name = _name(question, url)
    path, url = output or f"{name}.yaml", url or store_url(f"{name}.db")
    survey = read(text := text.replace("{name}", name, 1), path).survey
    watching = Thread(target=_watch, args=(url, name, path, over := Event()), daemon=True)

    def tell(ready: Ready) -> None:
        write(path, text)
        ((_, _, link),) = ready.surveys
        where = "On this machine only:\n" if ready.this_machine_only else ""
        click.echo(f"{square(link)}\n{where}  {link}\n")
        click.echo("The first 10 reports are counted when 20 have come. Ctrl-C ends the survey.")
        watching.start()

    ports, desk = [PORT, 0] if port is None else [port], Place()
    while not over.is_set():
        try:
            place = Place(host, ports.pop(0))
            serve(url, [survey], on_ready=tell, respondents=place, desk=desk, only="respondents")
            over.set()
        except ServingError as error:
            if watching.ident or not ports:
                raise click.ClickException(str(error)) from None
    if watching.ident:  # else it was stopped before it began
        watching.join()


def _name(question: str, url: str | None) -> str:
    """Make a name of a question, which no survey in the store has yet, and no file here."""
    taken = set()
    if url:
        with opened(url, create=True) as kept:
            taken = {one.survey.slug for one in kept.surveys()}
    words = [one for one in re.findall("[a-z]+", question.lower()) if one not in _LEFT_OUT.split()]
    first = "-".join([*words, "question"][:2])[:40]
    names = (first, *(f"{first}-{number}" for number in range(2, 10_000)))
    return next(one for one in names if one not in taken and not any(Path().glob(f"{one}.*")))


def _watch(url: str, name: str, path: str, over: Event) -> None:
    """Print a line whenever the desk may see more reports, and say how it ended."""
    from deniable.server.desk.public import results_of  # noqa: PLC0415  loads slowly

    n, ended = 0, False
    with opened(url, writes=True) as kept:
        survey = kept.survey(name)
        while not ended:
            if ended := over.wait(0.5):
                kept.set_state(name, State.CLOSED)
            found = results_of(kept.snapshot(name), survey, [survey], kept.state(name)).get(0)
            if found and (found.n > n or ended):
                n, yes = found.n, found.questions[0].items[0].shares[1]
                told = map(percent, (yes.observed, yes.estimate, yes.low, yes.high))
                line = "{:,} reports: {} say Yes, estimate {} (95 % interval: {} to {})"
                click.echo(line.format(n, *told))
        click.echo("" if n else "Fewer than 10 reports came: there is no estimate.")
        click.echo(f"The survey is closed. Its file is {path}, its store {kept.name}. Next:")
        for command in ("estimate", "serve", "open"):
            click.echo(f"  deniable {command} {shlex.join([path, '--store', kept.name])}")
