"""Serving: two programs side by side, from the first check to a clean stop.

Respondents and researchers each have a program of their own, in a process of its own, at an origin
of its own; the two share only the store. They start and stop together: a desk without its surveys
would show results that no longer come in, and without a desk no owner could close a survey.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Final

from deniable.server.addresses import Listening, Place, ServingError, choose
from deniable.server.desk.auth.login_links import new_link
from deniable.server.private_memory import keep_memory_private
from deniable.server.settings import STOPPING, USUAL, Settings
from deniable.server.store import Store, StoreError, open_store
from deniable.server.store.accounts import Role
from deniable.server.store.clock import STEADY, Clock, since_boot
from deniable.server.store.errors import StoreUnavailable
from deniable.server.store.registering import register
from deniable.server.store.retention import NOT_OVERWRITTEN, keep_promises
from deniable.server.store.schedule import told_state
from deniable.survey import Survey

_TICK: Final = 0.05
"""Seconds between two checks of whether the programs answer."""

_LOOK: Final = 3600.0
"""Seconds at most between two checks of whether reports or meetings have to be deleted."""

_AGAIN: Final = 60.0
"""The same, after the store could not be used."""

_DAY: Final = 86_400

_TRIES: Final = 5
"""Tries at a store that another server keeps busy; each waits as long as the store for a lock."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ready:
    """The facts to print for the person who started the server."""

    respondents_url: str  # start of the links to each program
    desk_url: str
    # Each served survey; its owner and state in sentences, or empty; and the respondents' link with
    # its check number.
    surveys: tuple[tuple[Survey, str, str], ...]
    # The researcher's one-time link; None if there are accounts, which sign in themselves, or no
    # desk was started.
    sign_in: str | None
    this_machine_only: bool  # whether the respondents' links work on no other device
    # The surveys whose revision is earlier than the one that was current before.
    going_back: tuple[Survey, ...]
    corrected: tuple[Survey, ...]  # surveys corrected since: the store's words stay current
    only: str | None = None  # the program that was started alone


def serve(  # noqa: PLR0913  surveys, places and settings
    store_url: str,
    surveys: Sequence[Survey],
    *,
    on_ready: Callable[[Ready], None],
    respondents: Place,
    desk: Place,
    settings: Settings = USUAL,
    sources: Mapping[str, str] | None = None,
    only: str | None = None,
) -> None:
    """Serve surveys until SIGINT or SIGTERM, then store waiting reports and leave no log."""
    with ExitStack() as held:
        theirs, ours = choose(respondents, desk, held, only=only)
        promises = _Promises(store_url)
        with closing(open_store(store_url)) as store:
            store.make_sure()
            promises.keep(store)
            for survey in surveys:
                _check_owner(store, survey)
            going_back = tuple(survey for survey in surveys if _is_earlier(store, survey))
            served = [
                store.survey(one.slug)
                if _is_corrected(store, one)
                else register(store, one, (sources or {}).get(one.slug, ""))
                for one in surveys
            ]
            ready = Ready(
                respondents_url=theirs.base,
                desk_url=ours.base,
                surveys=tuple(
                    (one, _owner_of(store, one), f"{theirs.base}{one.path}") for one in served
                ),
                sign_in=None if only == "respondents" else _link(store, ours.base),
                this_machine_only=theirs.this_machine_only,
                going_back=going_back,
                corrected=tuple(survey for survey in surveys if _is_corrected(store, survey)),
                only=only,
            )
        settings = replace(
            settings,
            store_url=store_url,
            respondents_url=theirs.base,
            desk_url=ours.base,
            names=respondents.names,
        )
        modules = {
            "respondents": ("the respondents' program", theirs),
            "desk": ("the desk", ours),
        }
        started = {
            f"deniable.server.{which}_program": named
            for which, named in modules.items()
            if only in (None, which)
        }
        _run(started, settings, lambda: on_ready(ready), promises)


def serve_lab(place: Place, on_ready: Callable[[str], None]) -> None:
    """Serve the lab alone until SIGINT or SIGTERM; call `on_ready` with its address."""
    with ExitStack() as held:
        at = choose(place, Place(), held, only="respondents")[0]
        started = {"deniable.server.lab_program": ("the lab", at)}
        _run(started, Settings(), lambda: on_ready(at.base))


def _run(
    started: Mapping[str, tuple[str, Listening]],
    settings: Settings,
    on_ready: Callable[[], None],
    promises: _Promises | None = None,
) -> None:
    """Run programs, by their modules, until a signal asks to stop."""
    keep_memory_private()
    with _asked_to_stop() as asked:
        programs: list[_Program] = []
        try:
            for module, (name, at) in started.items():
                own = replace(settings, address=at.address, port=at.port, url=at.base)
                programs.append(_Program(name, module, own, at))
            while not asked.to_stop and not all(program.answers() for program in programs):
                _check_that_they_run(programs)
                asked.wait(_TICK)
            if not asked.to_stop:
                on_ready()
                _notify("READY=1")
            # Three times within the time after which systemd considers it hung.
            pauses = [int(beat) / 3e6] if (beat := os.environ.get("WATCHDOG_USEC")) else []
            while not asked.to_stop:
                _check_that_they_run(programs)
                if promises:
                    promises.look()
                if pauses and all(program.answers() for program in programs):
                    _notify("WATCHDOG=1")
                asked.wait(min([*pauses, promises.pause()] if promises else pauses, default=None))
        finally:
            _notify("STOPPING=1")
            for program in programs:
                program.stop()
            for program in programs:
                program.wait()


def _notify(state: str) -> None:
    """Tell the service manager this service's state, as sd_notify(3) does."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.sendto(state.encode(), f"\0{place[1:]}" if place[0] == "@" else place)


def _check_owner(store: Store, survey: Survey) -> None:
    """Refuse new questions under the name of an account's survey, which would own their reports."""
    if (found := _current_and_meant(store, survey)) is None:
        return
    is_known = found[1].revision in store.revisions(survey.slug)
    roles = {user.name: user.role for user in store.users()}
    for name, role in store.shares(survey.slug).items():
        if not is_known and role is Role.OWNER and roles[name] is not Role.ADMINISTRATOR:
            raise ServingError(
                f"the account {name!r} has a survey {survey.slug!r} with other questions, and "
                "would own this one: give this one another name, or let its owner change that one "
                "at the desk"
            )


def _owner_of(store: Store, survey: Survey) -> str:
    """Return the owner of a survey at the desk, and its state unless it takes reports."""
    # An account may have published the same questions first: then it owns all reports.
    own = [name for name, role in store.shares(survey.slug).items() if role is Role.OWNER]
    told = [f"At the desk, the owner is {' and '.join(own)}."] if own else []
    state = store.state(survey.slug)
    if not state.takes_reports:
        told.append(told_state(state, store.schedule(survey.slug)))
    return " ".join(told)


def _link(store: Store, url: str) -> str | None:
    """Return a link for signing in; None if there are accounts.

    Try again if another server stores reports without a pause: each writer waits only some seconds,
    and a store in a file keeps no queue of writers.
    """
    if store.users():
        return None
    for _ in range(_TRIES):
        with suppress(StoreUnavailable):
            return new_link(store, url)
    return new_link(store, url)


def _current_and_meant(store: Store, survey: Survey) -> tuple[Survey, Survey] | None:
    """Return what a store has of a survey, and the survey with its keys; None if it has none."""
    try:
        current = store.survey(survey.slug)
        return current, survey.as_kept(current)
    except (KeyError, ValueError):  # it is new, or will be refused
        return None


def _is_earlier(store: Store, survey: Survey) -> bool:
    if (found := _current_and_meant(store, survey)) is None:
        return False
    current, meant = found
    return meant.revision != current.revision and meant.revision in store.revisions(survey.slug)


def _is_corrected(store: Store, survey: Survey) -> bool:
    """Return whether a survey's words are earlier ones of the current revision."""
    if (found := _current_and_meant(store, survey)) is None:
        return False
    current, meant = found
    return meant.revision == current.revision and any(
        meant.document == one.document for one in current.earlier
    )


class _Program:
    """A program in a process of its own."""

    def __init__(self, name: str, module: str, settings: Settings, listening: Listening) -> None:
        self.name = name
        self._listening = listening
        # A fresh interpreter and not a fork, so that it holds no module of another program.
        # -P: a file in the working folder must not replace one of our modules by its name.
        paths = os.pathsep.join(path for path in sys.path if path)
        told, self._telling = os.pipe()
        with _blocked(STOPPING):
            self._process = subprocess.Popen(  # noqa: S603  our own module, our own interpreter
                [sys.executable, "-P", "-m", module],
                stdin=told,
                env={**os.environ, "PYTHONPATH": paths},
            )
        os.close(told)
        with suppress(BrokenPipeError):  # it has ended already; `exit_code` shows it
            os.write(self._telling, json.dumps(asdict(settings)).encode() + b"\n")
        # The pipe stays open: its end is how the program learns that it is to stop.

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None while the program runs."""
        return self._process.poll()

    def answers(self) -> bool:
        """Return whether it answers; the request is for no page, and reaches no store."""
        with suppress(OSError), socket.create_connection(self._listening.here, 1) as asked:
            asked.sendall(b"HEAD // HTTP/1.0\r\n\r\n")
            return bool(asked.recv(1))
        return False

    def stop(self) -> None:
        """Ask it to stop, by closing its pipe: a signal could come twice."""
        os.close(self._telling)

    def wait(self) -> None:
        """Wait until it has stopped, however long its last work takes."""
        self._process.wait()


class _Promises:
    """Deletes reports and meetings in their time, in this process, whatever programs it serves."""

    def __init__(self, store_url: str) -> None:
        self._url = store_url
        self._said: list[str] = []
        self._next = 0.0  # as `since_boot`: the clock may jump
        self._clock = Clock()

    def keep(self, store: Store) -> None:
        """Delete the reports that are due; log each message once."""
        store.clock = self._clock
        if NOT_OVERWRITTEN in self._said and store.erase_order():
            self._said.remove(NOT_OVERWRITTEN)
        for one in keep_promises(store, self._url):
            if one not in self._said:
                self._said.append(one)
                _log.warning("%s", one)
        now = time.time()
        again = _AGAIN if NOT_OVERWRITTEN in self._said else _LOOK
        again = again if self._clock.is_steady else min(again, STEADY)
        ends = (meeting.ends - now for meeting in store.meetings())
        self._next = since_boot() + max(0.0, min(again, _DAY - now % _DAY, *ends))

    def look(self) -> None:
        """Delete them again if it is time: each hour, as a day begins, and as a meeting ends."""
        if since_boot() < self._next:
            return
        try:
            with closing(open_store(self._url, create=False)) as store:
                self.keep(store)
        except StoreError as error:
            self._next = since_boot() + _AGAIN
            _log.error("whether reports have to be deleted could not be looked up: %s", error)

    def pause(self) -> float:
        """Return the seconds until the next time."""
        return max(0.0, self._next - since_boot())


def _check_that_they_run(programs: Sequence[_Program]) -> None:
    for program in programs:
        if program.exit_code is not None:
            raise ServingError(
                f"{program.name} ended by itself (exit code {program.exit_code}), so the "
                "server was stopped. Every report that was acknowledged is in the store; what "
                "is printed above may say why"
            )


class _Asked:
    """Whether a signal has asked the server to stop."""

    def __init__(self, bell: int) -> None:
        self.to_stop = False
        self._bell = bell

    def wait(self, seconds: float | None = None) -> None:
        """Wait for a signal, unless one came since the last call, or for so many seconds."""
        if select.select([self._bell], [], [], seconds)[0]:
            os.read(self._bell, 1024)

    def stop(self, *_: object) -> None:
        # No lock and no event: a handler that waits for a lock of the interrupted code waits for
        # ever.
        self.to_stop = True


@contextmanager
def _asked_to_stop() -> Iterator[_Asked]:
    """Handle the signals that ask to stop, and the one that says that a program ended."""
    bell, ringing = os.pipe()
    os.set_blocking(ringing, False)
    asked = _Asked(bell)
    handlers = {**dict.fromkeys(STOPPING, asked.stop), signal.SIGCHLD: lambda *_: None}
    # Any thread that gets a signal writes to the pipe, where it stays until `wait` reads it.
    rung_before = signal.set_wakeup_fd(ringing, warn_on_full_buffer=False)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield asked
    finally:
        for number, former in before.items():
            # The signal may come again until this process is gone: ignore it.
            still = asked.to_stop and number in STOPPING
            signal.signal(number, signal.SIG_IGN if still else former)
        signal.set_wakeup_fd(rung_before)
        os.close(ringing)
        os.close(bell)


@contextmanager
def _blocked(numbers: Collection[signal.Signals]) -> Iterator[None]:
    """Block signals, also in programs that are started meanwhile, until these unblock them.

    A terminal sends Ctrl-C to all programs, and systemd SIGTERM. A program that is still starting
    would end at once, perhaps with a traceback; so it gets the signal as soon as it listens.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
