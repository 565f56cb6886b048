"""Serving: two programs side by side, from the first check to a clean end.

Respondents and researchers are two publics. Each has a program of its own, in a process of its own,
at an origin of its own; between them is the store, and nothing else. They start together and end
together: a desk without its surveys would show results that no longer come in, and surveys without
a desk could not be closed by whoever answers for them.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Final

from deniable.server.addresses import Listening, Place, ServingError, choose
from deniable.server.desk.sign_in import new_link
from deniable.server.settings import Settings
from deniable.server.store import open_store
from deniable.survey import Survey

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_TICK: Final = 0.05
"""Seconds between two looks at whether a program has ended."""

_ASK_AGAIN: Final = 2.0
"""Seconds after which a program is asked once more to stop."""


@dataclass(frozen=True)
class Ready:
    """What to tell the person who started the server.

    Parameters
    ----------
    respondents_url, desk_url : str
        What the links to each program begin with.
    surveys : tuple of (Survey, str)
        Each survey that is served, and the respondents' link, which names its fingerprint.
    sign_in : str
        The researcher's one-time link.
    this_machine_only : bool
        Whether the respondents' links work on no other device.
    """

    respondents_url: str
    desk_url: str
    surveys: tuple[tuple[Survey, str], ...]
    sign_in: str
    this_machine_only: bool


def serve(
    store_url: str,
    surveys: Sequence[Survey],
    *,
    on_ready: Callable[[Ready], None],
    respondents: Place,
    desk: Place,
) -> None:
    """Serve surveys until SIGINT or SIGTERM, then store what is under way and leave no log.

    Parameters
    ----------
    store_url : str
        As for `open_store`; made if it does not exist.
    surveys : sequence of Survey
        Registered as the current revisions. Others in the store are served as well.
    on_ready : callable
        Called once, as soon as both programs answer.
    respondents, desk : Place
        Where each listens.

    Raises
    ------
    StoreError
        If the store cannot be used.
    ServingError
        If an address cannot be listened at, if browsers could not keep the two apart, or if one of
        the programs ended by itself; the other one is ended then.
    """
    theirs, ours = choose(respondents, desk)
    with closing(open_store(store_url)) as store:
        for survey in surveys:
            store.register(survey)
        sign_in = new_link(store, ours.base)
    ready = Ready(
        respondents_url=theirs.base,
        desk_url=ours.base,
        surveys=tuple((survey, f"{theirs.base}{survey.path}") for survey in surveys),
        sign_in=sign_in,
        this_machine_only=theirs.this_machine_only,
    )
    with _asked_to_stop() as asked:
        programs: list[_Program] = []
        try:
            for name, module, listening in (
                ("the respondents' program", "deniable.server.respondents_program", theirs),
                ("the desk", "deniable.server.desk_program", ours),
            ):
                settings = Settings(
                    store_url, listening.address, listening.port, listening.base, theirs.base
                )
                programs.append(_Program(name, module, settings, listening))
            _wait_until(lambda: all(program.answers() for program in programs), programs, asked)
            if not asked:
                on_ready(ready)
            _wait_until(lambda: False, programs, asked)
        finally:
            for program in programs:
                program.stop()
            for program in programs:
                program.wait()


class _Program:
    """A program in a process of its own.

    Parameters
    ----------
    name : str
        What messages call it.
    module : str
        What is run.
    settings : Settings
    listening : Listening
    """

    def __init__(self, name: str, module: str, settings: Settings, listening: Listening) -> None:
        self.name = name
        self._listening = listening
        # A fresh interpreter and not a fork: nothing that another program has loaded is in it.
        # -P: the folder that somebody works in holds none of our modules, whatever its files are
        # called.
        paths = os.pathsep.join(path for path in sys.path if path)
        told, self._telling = os.pipe()
        with _ignoring(signal.SIGINT):
            self._process = subprocess.Popen(  # noqa: S603  our own module, our own interpreter
                [sys.executable, "-P", "-m", module],
                stdin=told,
                env={**os.environ, "PYTHONPATH": paths},
            )
        os.close(told)
        with suppress(BrokenPipeError):  # it has ended already, which is noticed
            os.write(self._telling, json.dumps(asdict(settings)).encode() + b"\n")
        # The pipe stays open: its end is how the program learns that this process is gone.

    @property
    def exit_code(self) -> int | None:
        """None as long as it runs."""
        return self._process.poll()

    def answers(self) -> bool:
        """Return whether it takes connections."""
        try:
            socket.create_connection(self._listening.here, 1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """Ask it to stop."""
        self._process.terminate()

    def wait(self) -> None:
        """Wait until it has stopped, however long the last of its work takes."""
        while True:
            try:
                self._process.wait(_ASK_AGAIN)
                break
            except subprocess.TimeoutExpired:
                # The system may hand a signal to any thread, as it does where the main one has
                # just been woken up; Python then acts on it when the main one gets another.
                self.stop()
        os.close(self._telling)


def _wait_until(
    done: Callable[[], bool], programs: Sequence[_Program], asked: Sequence[int]
) -> None:
    """Wait until something is done, or somebody asks to stop; complain if a program ends before."""
    while not asked and not done():
        for program in programs:
            if program.exit_code is not None:
                raise ServingError(
                    f"{program.name} ended by itself (exit code {program.exit_code}), so the "
                    "server was stopped. Every report that was acknowledged is in the store; what "
                    "is printed above may say why"
                )
        time.sleep(_TICK)


@contextmanager
def _asked_to_stop() -> Iterator[list[int]]:
    """Have the signals collected by which somebody asks the server to stop."""
    asked: list[int] = []
    # No lock and no event: a handler that waits for what the interrupted code holds waits for ever.
    before = {
        number: signal.signal(number, lambda number, _: asked.append(number))
        for number in _STOPPING
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _ignoring(number: signal.Signals) -> Iterator[None]:
    """Ignore a signal, and have programs that are started meanwhile ignore it until they choose.

    A terminal sends Ctrl-C to all of them; one that is still starting would answer with a
    traceback, and is stopped by this process anyway.
    """
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)
