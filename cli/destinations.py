"""Destinations of simulated reports: memory for a CSV, a store, or a server."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

import click
import numpy as np

from deniable.analysis.counts.rows import join_rows
from deniable.cli.links import split_link
from deniable.client.connection import Connection
from deniable.client.randomness import WordSource
from deniable.client.respondent import NoSurvey, Respondent
from deniable.client.simulation import ALL_IDS, Responses, draw_ids, make_reports
from deniable.crypto.blind import blind, is_token, mark_of, unblind
from deniable.report import Report
from deniable.server.store import Store
from deniable.server.store.keys import NO_KEYS, KeyFile
from deniable.server.store.records import Outcome
from deniable.server.store.registering import register
from deniable.server.store.schedule import State
from deniable.survey import Survey
from deniable.survey.trial import trial_of
from deniable.text.safety import counted

Done: TypeAlias = Callable[[int], None]
"""Called with the number of newly arrived reports, perhaps from several threads."""

Destination: TypeAlias = Callable[[Responses, Done], None]
"""Takes the answers of some respondents."""

THREADS: Final = 16
"""Connections at once. The server commits simultaneous reports in one transaction."""

_SLOWED: Final = (
    "The server takes only so many reports a minute from one network, so this goes on slowly. "
    "'deniable serve --reports-per-minute 0' takes any number."
)


_REFUSED: Final = {
    Outcome.CLOSED: "the survey is closed",
    Outcome.FULL: "the survey has as many reports as it takes",
    Outcome.PLANNED: "the survey is not open yet",
    Outcome.PAUSED: "the survey is paused",
    Outcome.WAITING: "a jump of the clock crossed a date of the survey",
    Outcome.UNINVITED: "the survey is by invitation, and takes a report only with a code (--codes)",
    Outcome.SPENT: "some of the codes have been used",
    Outcome.OVER: "another wave is on",
}


def to_memory(chunks: list[bytes], survey: Survey) -> Destination:
    """Return a destination that appends rows to a list, in the form that `csv_of` takes."""

    def take(given: Responses, done: Done) -> None:
        waves = np.full(len(given.answers), given.wave)
        chunks.append(join_rows(given.answers, waves, survey).tobytes())
        done(len(waves))

    return take


def to_store(  # noqa: PLR0913  reports come with codes, keys and waves
    store: Store,
    survey: Survey,
    ids: WordSource,
    *,
    add: bool,
    source: str = "",
    people: int = 1,
    wave: int = 1,
    codes: Iterator[str] | None = None,
    keyring: KeyFile = NO_KEYS,
) -> Destination:
    """Return a destination that puts reports into a store, after checks that they spoil nothing.

    `source`: the text of the survey's file, which the store keeps; empty if none was given.
    """
    held = {record.survey.slug: record for record in store.surveys()}.get(survey.slug)
    if held is not None and not survey.is_asked_as(held.survey):
        raise click.ClickException(
            f"{store.name}: the survey {survey.slug!r} in it has another revision than this "
            "file. Give another store, or serve this file from that store first"
        )
    if held is not None and not held.state.takes_reports:
        removed = {State.PLANNED: " --from none", State.FULL: " --cap none"}.get(held.state, "")
        how = f"collect {survey.slug}{removed}" if removed else f"open {survey.slug}"
        raise click.ClickException(
            f"{store.name}: the survey {survey.slug!r} is {held.state}; "
            f"'deniable {how} --store {store.name}' opens it"
        )
    count = 0 if held is None else store.count(survey.slug)
    if count and not add:
        raise click.ClickException(
            f"{store.name}: holds {counted(count, 'report')} to {survey.slug!r} already. Nobody "
            "could ever tell made-up reports from those. Give another store, or --add to mix them"
        )
    on = wave if held is None else store.wave(survey.slug)
    if on < wave and not add:
        raise click.ClickException(
            f"{store.name}: wave {on} of {survey.slug!r} is on, and people of wave {wave} "
            "would end it for good. Give another store, or --add to end it"
        )
    survey = register(store, survey, source)
    # The respondents of a chunk get neighbouring ids. With ids from the whole range, each chunk
    # would rewrite almost every page of a big store.
    taken = 0

    def insert(given: Responses, done: Done) -> None:
        nonlocal taken
        count = len(given.answers)
        first, taken = taken % people, taken + count
        last = min(people, first + count)
        within = ALL_IDS[len(ALL_IDS) * first // people : len(ALL_IDS) * last // people]
        reports = make_reports(survey, draw_ids(count, ids, within), given.answers, given.wave)
        keys, refused = _admitted(store, keyring, survey, reports, _next(codes, len(reports)))
        outcomes = {*(refused or store.insert_reports(reports, keys))}
        if Outcome.CONFLICT in outcomes:
            raise click.ClickException(
                f"{store.name}: it already holds a run with this seed; give another seed"
            )
        for outcome in outcomes & _REFUSED.keys():
            raise click.ClickException(
                f"{store.name}: {_REFUSED[outcome]}; 'deniable collect {survey.slug} --store "
                f"{store.name}' says more"
            )
        done(len(reports))

    return insert


def asked_at(url: str, survey: Survey) -> Survey:
    """Return the survey's trial if the URL is that of one; else the survey itself."""
    origin, path = split_link(url)
    if path not in ("/", survey.address):
        with closing(Connection(origin)) as connection, suppress(NoSurvey):
            served = Respondent(connection, path).fetch()
            if served.kind == "trial" and served.parent == survey.slug:
                return replace(trial_of(survey), slug=served.slug)
    return survey


def to_server(
    url: str,
    survey: Survey,
    ids: WordSource,
    *,
    add: bool,
    wave: int,
    pin: str | None = None,
    codes: Iterator[str] | None = None,
) -> Destination:
    """Return a destination that sends reports to a server, which must have this survey."""
    origin, path = split_link(url)
    if path not in ("/", survey.address):
        raise click.ClickException(
            f"the address ends in {path}, but that of this survey ends in {survey.address}"
        )
    # No server tells whether it has reports: an observer would learn when the first one came.
    if not add and survey.kind != "trial":
        raise click.ClickException(
            f"{origin}: people may answer {survey.slug!r} there. Nobody could ever tell made-up "
            "reports from theirs. Begin a trial at the desk (More → Try it), and give its address: "
            f"--url {origin}{trial_of(survey).address}. Or use a server with a store of its own "
            "('deniable serve FILE --store trial.db --port 8010'), and give --add"
        )
    with closing(Connection(origin)) as connection:
        respondent = Respondent(connection, survey.address)
        served = respondent.fetch()
        on = respondent.wave(served)
    if not survey.is_asked_as(served):
        raise click.ClickException(
            f"{origin}: the server has another revision of the survey {survey.slug!r} than this "
            "file: take the one that “Download the survey file” gives at its desk, or restart the "
            "server with this file"
        )
    if on != wave:
        raise click.ClickException(f"{origin}: wave {on} is on there, expected --wave {wave}")

    def send(given: Responses, done: Done) -> None:
        drawn = draw_ids(len(given.answers), ids)
        reports = make_reports(served, drawn, given.answers, given.wave)
        _send_all(origin, served, reports, done, pin, _next(codes, len(reports)))

    return send


def _admitted(
    store: Store,
    keyring: KeyFile,
    survey: Survey,
    reports: Sequence[Report],
    codes: Sequence[str] | None,
) -> tuple[list[str | None] | None, set[Outcome]]:
    """Spend a code for each report, as a device does; return the keys' ids and the refusals."""
    if codes is None or not survey.is_by_invitation:
        return None, set()
    keys: list[str | None] = []
    refused: set[Outcome] = set()
    for report, code in zip(reports, codes, strict=True):
        public = survey.token_key(report.wave) or ""
        mark, hidden = mark_of(public), blind(public, report.id)
        outcome = store.spend(survey.slug, mark, code, hashlib.sha256(hidden.blinded).digest())
        if outcome is not Outcome.STORED:
            refused.add(outcome)
            continue
        token = unblind(public, hidden, keyring.find(mark).sign(hidden.blinded))
        keys.append(mark if is_token(public, report.id, token) else None)
    return keys, refused


def _next(codes: Iterator[str] | None, number: int) -> list[str] | None:
    return None if codes is None else [*islice(codes, number)]


class _Stopped(Exception):
    """Raised in a thread after another report failed, or after Ctrl-C."""


def _send_all(
    origin: str,
    survey: Survey,
    reports: Sequence[Report],
    sent: Done,
    pin: str | None,
    codes: Sequence[str] | None,
) -> None:
    """Send reports until the server has all of them, and wait as long as the server asks."""
    stop = threading.Event()
    first = threading.Lock()  # never released

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise _Stopped

    def say_once() -> None:
        if first.acquire(blocking=False):
            click.echo(_SLOWED, err=True)

    given: Sequence[str | None] = [None] * len(reports) if codes is None else codes
    pairs = [*zip(reports, given, strict=True)]

    def send_share(share: Sequence[tuple[Report, str | None]]) -> None:
        with (
            suppress(_Stopped),
            closing(Connection(origin, pause=pause, slowed=say_once, patient=True)) as connection,
        ):
            respondent = Respondent(connection, survey.address, pin)
            for report, code in share:
                if stop.is_set():
                    return
                token = None
                if code is not None and survey.is_by_invitation:
                    token = respondent.token(survey, report, code)
                respondent.send(report, token)
                sent(1)

    with ThreadPoolExecutor(THREADS) as threads:
        try:
            shares = [threads.submit(send_share, pairs[place::THREADS]) for place in range(THREADS)]
            wait(shares, return_when=FIRST_EXCEPTION)
        finally:
            # After an error or Ctrl-C, no thread sends another report or waits to retry.
            stop.set()
    for share in shares:
        share.result()
