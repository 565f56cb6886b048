"""``deniable doctor``: the faults of a deployment that this program cannot prevent by itself."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click

from deniable.cli.help import ending
from deniable.cli.options import keys_option, server_type, store_type
from deniable.client.connection import Connection, Response, ServerUnavailable
from deniable.server.desk.headers import DeskHeaders
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.known_headers import Verdict, judge
from deniable.server.store import Store, StoreError, files_of, open_store
from deniable.server.store.errors import KeyFileError, clock_apart, others_may_read
from deniable.server.store.keys import key_file
from deniable.server.store.retention import OUT_OF_REACH, left_behind
from deniable.server.store.schedule import State, told_schedule
from deniable.server.web.health import PATH
from deniable.server.web.tls import is_loopback
from deniable.survey.revisions import is_file_of
from deniable.text.safety import printable

LEAST_DAYS: Final = 14
"""The least number of days until a certificate ends."""

PLAIN_PORT: Final = 80
"""The port of browsers that do not know that the server has TLS."""

_SECONDS: Final = 10


@click.command(
    epilog=ending("deniable doctor https://survey.example.org --store study.db", "operators")
)
@click.argument("urls", metavar="[URL...]", type=server_type, nargs=-1)
@click.option(
    "--store",
    metavar="STORE",
    type=store_type,
    help="Also look at the place of this store, or at the settings of its database.",
)
@click.option(
    "--audit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also look at who may read the desk's file of what accounts did ('serve --audit').",
)
@keys_option
@click.pass_context
def doctor_command(
    ctx: click.Context,
    *,
    urls: tuple[str, ...],
    store: str | None,
    audit: Path | None,
    keys: str | None,
) -> None:
    """Check a deployment: its answers, its store, or both."""
    if not urls and store is None and audit is None:
        raise click.UsageError("Name a server's address, or --store with what a server stored.")
    faults = [fault for url in urls for fault in of_server(url)]
    if urls and not faults:
        faults += of_addresses(urls)
    if store is not None:
        # The contents of a damaged store cannot be compared with the server's.
        found = [*of_store(store, keys)]
        faults += found or [one for url in urls for one in of_another(url, store)]
        for note in out_of_reach(store):
            click.echo(f"Note: {note}", err=True)
    faults += others_may_read(*([audit] if audit else []))
    for fault in faults:
        click.echo(fault)
    if faults:
        ctx.exit(1)
    looked = ", ".join([*urls, *(str(one) for one in (store, audit) if one)])
    click.echo(f"All is well: {looked}.")


def of_server(url: str) -> Iterator[str]:
    """Yield the faults in a server's answers: TLS, proxy, headers, clock and health."""
    with closing(Connection(url, waits=())) as server:
        try:
            answer = server.get("/")
            health = server.get(PATH)
        except ServerUnavailable as error:
            kind = "TLS" if isinstance(error.__cause__, ssl.SSLError) else "health"
            yield f"{url}: {kind}: {printable(error.reason)}."
            return
    if answer.status == HTTPStatus.BAD_REQUEST and b"HTTPS" in answer.body:  # nginx, Caddy
        yield f"{url}: answered 400: this port speaks TLS; expected https:// in its address."
        return
    yield from _tls_faults(url)
    # Otherwise respondents' pages lead to where somebody is already.
    is_led = answer.header("location") == [f"{url}/"]
    if is_led or answer.status == HTTPStatus.MISDIRECTED_REQUEST:
        told = "expected the proxy to pass on the name asked for (Host)"
        yield f"{url}: answered {answer.status}; {told}."
        return
    if other := _another(answer):
        yield f"{url}: {other}."
        return
    yield from _header_faults(url, answer)
    yield from _clock_faults(url, answer)
    here = is_loopback(urlsplit(url).hostname or "")
    # The proxy may refuse /health to strangers, but never to this machine.
    if health.status != HTTPStatus.OK and (here or health.status >= 500):
        yield f"{url}{PATH}: answered {health.status}, expected 200: {_health_reason(health)}"


def _another(answer: Response) -> str | None:
    """Say which other program answers; None if this one does."""
    own = {name.lower() for name, _ in RespondentHeaders(https=False).of("/")} - {"server"}
    foreign = not own & {name.lower() for name, _ in answer.headers}
    if answer.status in (502, 504) or (foreign and answer.status == 503):
        return f"the proxy answered {answer.status}: the program behind it does not answer"
    told = f"another program answered {answer.status}, with no header of this one"
    return f"{told}; expected the proxy to lead to it" if foreign else None


def _health_reason(health: Response) -> str:
    """Return the reason in a health answer, which a server tells to its own machine alone."""
    try:
        return printable(str(json.loads(health.body)["detail"]))
    except (ValueError, TypeError, KeyError):  # another program's answer
        return "another program answered, such as a proxy; ask this program's own port"


def of_store(url: str, keys: str | None = None) -> Iterator[str]:
    """Yield the faults of a store, of its place and of its private keys."""
    try:
        with closing(open_store(url, create=False, read_only=True)) as store:
            yield from store.faults()
            damages = store.check()
            yield from (f"{damage}." for damage in damages)
            yield from () if damages else chain(_changed_files(store), _to_decide(store))
            yield from left_behind(store, url)
            marks = store.marks()
        # Writing is tried last, because it alone needs permission to write.
        with closing(open_store(url, create=False)) as store:
            store.try_writing()
    except StoreError as error:
        yield f"{printable(str(error))}."
        return
    place = key_file(url, keys)
    yield from others_may_read(*([place.cookies] if place.cookies else []))
    beside = [one for one in (place.path, place.cookies) if one and one.exists()]
    for store_file in map(Path, files_of(url)[:1]):  # none of a database
        for file in beside:
            if file.stat().st_uid != store_file.stat().st_uid:
                yield (
                    f"{file}: belongs to another user than {store_file}; give it to that one "
                    "(chown), and run commands as the server's user."
                )
    try:
        place.check(marks)
    except KeyFileError as error:
        yield f"{printable(str(error))}."


def of_addresses(urls: Sequence[str]) -> Iterator[str]:
    """Yield a fault if all of several addresses answer, but none is the desk."""
    answers = []
    for url in urls:
        with closing(Connection(url, waits=())) as server, suppress(ServerUnavailable):
            answers.append(server.get("/"))
    if len(urls) == len(answers) > 1 and not any(map(_is_desk, answers)):
        yield (
            f"{', '.join(urls)}: the desk answers at none of these; expected one to lead there. "
            "Look at two intakes one at a time."
        )


def of_another(url: str, store: str) -> Iterator[str]:
    """Yield a fault if the server of respondents' pages has another store than this one."""
    first = None
    with suppress(StoreError), closing(open_store(store, create=False, read_only=True)) as opened:
        first = next((one.survey for one in opened.surveys() if one.survey.kind == "survey"), None)
    if first is None:
        return
    with closing(Connection(url, waits=())) as server, suppress(ServerUnavailable):
        is_respondents = server.get("/").status == HTTPStatus.OK  # the desk leads to its sign-in
        if is_respondents and server.get(first.address).status == HTTPStatus.NOT_FOUND:
            yield f"{url}: has no survey {first.slug!r}, as {store} has."


def out_of_reach(url: str) -> Iterator[str]:
    """Name the surveys whose reports were deleted here but may exist elsewhere."""
    with suppress(StoreError), closing(open_store(url, create=False, read_only=True)) as store:
        for slug, found in store.retentions().items():
            if found.deleted:
                yield f"the reports of {slug!r} were deleted on {found.deleted}. {OUT_OF_REACH}."


def _tls_faults(url: str) -> Iterator[str]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https":
        if not is_loopback(host):
            yield (
                f"{url}: TLS: found none, so that everybody on the way can read and alter the "
                "pages; expected https."
            )
        return
    days = _days_left(host, parts.port or 443)
    if days < LEAST_DAYS:
        yield (
            f"{url}: TLS: the certificate ends in {days:.0f} days, expected {LEAST_DAYS} at least."
        )
    origin = f"http://{parts.netloc.rpartition(':')[0] or parts.netloc}:{PLAIN_PORT}"
    try:
        with closing(Connection(origin, waits=())) as plain:
            found = plain.get("/")
    except ServerUnavailable:
        return  # nobody answers without TLS
    where = "".join(found.header("location"))
    if not (300 <= found.status < 400 and where.startswith("https://")):
        yield f"http://{host}: answers without TLS, expected it to lead on to https."


def _days_left(host: str, port: int) -> float:
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), _SECONDS) as bare,
        context.wrap_socket(bare, server_hostname=host) as wrapped,
    ):
        found = wrapped.getpeercert() or {}
    ends = ssl.cert_time_to_seconds(str(found["notAfter"]))
    return (ends - time.time()) / 86_400


def _header_faults(url: str, answer: Response) -> Iterator[str]:
    """Compare an answer's headers with this release's, of the desk or of respondents' pages."""
    https = url.startswith("https://")
    found = {name.lower(): value for name, value in answer.headers}
    is_desk = _is_desk(answer)
    expected = (
        DeskHeaders(https=https, respondents_url=url).of("/")
        if is_desk
        else RespondentHeaders(https=https).of("/")
    )
    for name, value in expected:
        if name == "Server":
            continue  # a proxy names itself
        there = found.get(name.lower())
        if there is None:
            yield f"{url}: the header {name} is missing; expected the proxy to pass it on."
        elif there != value:
            yield f"{url}: the header {name} is another one than this release sends."
    if is_desk:
        return
    if "set-cookie" in found:
        yield f"{url}: sets a cookie, by which respondents are known again; expected none."
    known = {"set-cookie", *(name.lower() for name, _ in expected)}
    for name, value in found.items():
        if name not in known and judge(name, value) is not Verdict.YES:
            yield f"{url}: the header {printable(name)} was added; expected none that is unknown."


def _is_desk(answer: Response) -> bool:
    where = "".join(answer.header("location"))
    return answer.status == HTTPStatus.FOUND and where.endswith("/desk/surveys")


def _clock_faults(url: str, answer: Response) -> Iterator[str]:
    said = "".join(answer.header("date"))
    try:
        apart = parsedate_to_datetime(said).timestamp() - time.time()
    except ValueError:
        yield f"{url}: does not say what time it is, expected the header Date."
        return
    yield from clock_apart(url, apart)


def _to_decide(store: Store) -> Iterator[str]:
    """Yield a sentence for each survey that waits for its owner, or for a look at the clock."""
    for one in store.surveys():
        if one.state in (State.FULL, State.WAITING):
            told = told_schedule(store.schedule(one.survey.slug), one.state)
            yield f"{store.name}: {one.survey.slug}: {' '.join(told[:2])}"


def _changed_files(store: Store) -> Iterator[str]:
    """Yield a fault for each file, from which editor, plan and packet start, that is altered."""
    from deniable.survey_file import read  # noqa: PLC0415  loads slowly

    for record in store.surveys():
        slug = record.survey.slug
        for revision in store.revisions(slug):
            text, published = store.source(slug, revision), store.revision(slug, revision)
            try:
                is_whole = not text or is_file_of(read(text).survey, published)
            except ValueError:
                is_whole = False
            if not is_whole:
                yield (
                    f"{store.name}: the file that is kept with survey {slug!r} is not what was "
                    f"published (revision {published.shown_number}): it is damaged, or this "
                    "release reads it otherwise. Results are right; serve the survey's own file "
                    "again before anybody edits it at the desk."
                )
