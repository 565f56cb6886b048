"""``deniable ask``: one question, served at once in this network and estimated as reports come."""

import json
import shlex
import signal
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

import click

from deniable.cli.help import ending
from deniable.cli.options import DEFAULT_STORE, PORT, STORE_VARIABLE, store_type
from deniable.cli.output import SURVEY_FILE, Target, square, target
from deniable.cli.stores import look_at_folder, new_name, opened
from deniable.server.addresses import Place, ServingError, choose
from deniable.server.serving import Ready, serve
from deniable.server.store import State, store_url
from deniable.text.safety import counted
from deniable.text.wording import percent

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
_TOLD: Final = """\
The first 10 reports are counted when 20 have come, so that nobody learns when you answered.
To try it alone, in another terminal: deniable simulate {path} -n 200 --add --url {origin}
Ctrl-C ends the survey."""
_NEXT: Final = {"estimate": "the result", "open": "take more reports", "serve": "then ask again"}


@click.command(epilog=ending('deniable ask "Have you ever cheated in an exam?"', "idea"))
@click.argument("question")
@click.option("--output", "-o", metavar="FILE", help="The survey file to write.")
@click.option("--store", type=store_type, envvar=STORE_VARIABLE, help="Where reports are kept.")
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")  # noqa: S104
@click.option("--port", type=click.IntRange(0, 65535), help=f"By default {PORT}, or a free one.")
def ask_command(
    question: str, output: str | None, store: str | None, host: str, port: int | None
) -> None:
    """Ask a yes-or-no question at once, and watch the estimate grow."""
    from deniable.survey_file import read  # noqa: PLC0415  no help needs it

    if not question.strip():
        raise click.ClickException("expected a question between the quotes, found nothing")
    text = _FILE.replace("{question}", json.dumps(question, ensure_ascii=False))
    read(text.replace("{name}", "question", 1), "the question")
    if output and Path(output).exists():
        raise click.ClickException(f"{output}: exists already; expected the name of a new file")
    target(output or "-", SURVEY_FILE, force=False)
    url = store or (output and store_url(str(Path(output).with_suffix(".db"))))
    look_at_folder(url or DEFAULT_STORE, host)
    desk, place, over = Place(), Place(host, PORT if port is None else port), Event()
    with ExitStack() as held:
        try:
            choose(place, desk, held, only="respondents")
        except ServingError:
            choose(place := Place(host, port or 0), desk, held, only="respondents")
    # Ctrl-C waits until the file and the store exist.
    before = signal.signal(signal.SIGINT, lambda *_: over.set())
    name = new_name(question, url)
    path, url = output or f"{name}.yaml", url or store_url(f"{name}.db")
    survey = read(text := text.replace("{name}", name, 1), path).survey
    Target(path, force=False).write(text)
    with opened(url, create=True) as kept:
        kept.register(survey, text)
    watching = Thread(target=_watch, args=(url, name, path, over), daemon=True)

    def tell(ready: Ready) -> None:
        ((_, _, link),) = ready.surveys
        where = "On this machine only:\n" if ready.this_machine_only else ""
        told = _TOLD.format(path=shlex.quote(path), origin=ready.respondents_url)
        click.echo(f"{square(link)}\n{where}  {link}\n\n{told}")
        watching.start()

    with suppress(KeyboardInterrupt):  # while it starts
        signal.signal(signal.SIGINT, before)
        if not over.is_set():
            serve(url, [survey], on_ready=tell, respondents=place, desk=desk, only="respondents")
    over.set()
    watching.join() if watching.ident else watching.run()


def _watch(url: str, name: str, path: str, over: Event) -> None:
    """Print an estimate whenever the desk may see more reports; at the end, the next commands."""
    from deniable.server.desk.results.public import results_of  # noqa: PLC0415  loads slowly
    from deniable.server.desk.results.study import tallies_of  # noqa: PLC0415  loads slowly

    n, ended = 0, False
    with opened(url, writes=True) as kept:
        survey = kept.survey(name)
        while not ended:
            if ended := over.wait(0.5):
                kept.set_state(name, State.CLOSED)
            snapshot = kept.snapshot(name)
            if snapshot.count() == n and not ended:
                continue
            tallies = tallies_of(snapshot, survey, [survey])
            if found := results_of(survey, tallies, survey.batch, kept.state(name)).get(1):
                n, yes = found.n, found.questions[0].items[0].shares[1]
                shares = map(percent, (yes.observed, yes.estimate, yes.low, yes.high))
                line = "{}: {} say Yes, estimate {} (95 % interval: {} to {})"
                click.echo(line.format(counted(n, "report"), *shares))
        click.echo("" if n else "Fewer than 10 reports came: too few for an estimate.")
        click.echo(f"The survey is closed. Its file is {path}, its store {kept.name}. Next:")
        for command in list(_NEXT)[not n :]:
            told = shlex.join([path, "--store", kept.name])
            click.echo(f"  deniable {command} {told}  # {_NEXT[command]}")
