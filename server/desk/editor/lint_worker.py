"""A process that checks the texts of survey files, and is ended if it takes too long.

The adversary is a text that takes forever to compile, typed by mistake or on purpose, or an
analysis or a plan of a large survey. The desk's other pages go on meanwhile, and only a few
requests wait for a check. One account never takes all places, and takes turns with the others.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

from flask import g, has_app_context

from deniable.server.desk.editor.lint import FAILED, NOT_COMPUTED, TOO_MUCH, Checked, failure
from deniable.survey import Survey
from deniable.survey.revisions import is_file_of

SECONDS: Final = 10.0
"""Processor time for one text. The largest surveys that make sense take less than one second."""

_PATIENCE: Final = 4
"""The process is ended anyway after this multiple in real time: a busy machine refuses few."""

_SEARCHING: Final = 45.0
"""Seconds for an analysis or a plan, whose better ways compile several texts."""

_PACKING: Final = 180.0
"""Seconds for a zip: one of a million reports takes 19 seconds, and half a gigabyte."""

_WAITING: Final = 4
"""Maximum number of texts in check or waiting: the desk has more threads than that."""

_KEPT: Final = 64
"""Maximum number of results that are kept, for the next check of the same text."""

_TOO_LONG: Final = (
    "It took longer than {:g} seconds, so the desk stopped. Ask fewer questions, or offer fewer "
    "answers. The commands of 'deniable' have no such limit."
)
BUSY: Final = "The desk is busy with other surveys. Try again in a few seconds."

_Found = TypeVar("_Found")

_Place: TypeAlias = tuple[str, object]
"""A place in the queue: the account that asks, and an object that no other place has."""


class Checker:
    """A queue of texts to check, one after the other: `seconds` for each, `waiting` at most."""

    def __init__(
        self,
        seconds: float = SECONDS,
        waiting: int = _WAITING,
        instead: str = "Choose fewer answers, or analyse the downloaded reports on your computer.",
    ) -> None:
        self._seconds = seconds
        self._instead = instead  # of a call that needs more memory
        self._process: subprocess.Popen[bytes] | None = None
        self._most = waiting
        self._here: list[_Place] = []  # in order of arrival, with the one that is served
        self._served: _Place | None = None
        self._last = ""  # the account that was served last
        self._changed = threading.Condition()
        self._known: OrderedDict[tuple[str, int], Checked] = OrderedDict()

    def check(self, text: str, respondents: int) -> Checked:
        """Check a text; parameters and result are those of `lint.check`."""
        found = self._known.get((text, respondents))
        if found is None:
            found = self._text(text=text, respondents=respondents)
            if found["failed"] != BUSY:
                with self._changed:
                    self._known[text, respondents] = found
                    while len(self._known) > _KEPT:
                        self._known.popitem(last=False)
        return found

    def compile(self, text: str) -> Survey | None:
        """Return the survey of a text; None if it has mistakes, or could not be checked."""
        document = self._text(text=text).get("document")
        return None if document is None else Survey.from_json(document.encode())

    def is_changed(self, text: str, published: Survey) -> bool:
        """Return whether a kept text is not the published one; False if that cannot be checked."""
        answered = self._text(text=text)
        document = answered.get("document")
        if answered["failed"]:
            return False
        return document is None or not is_file_of(Survey.from_json(document.encode()), published)

    def call(self, what: Callable[[], _Found]) -> _Found:
        """Call a function in the process; raise `ValueError` with the reason if it fails."""
        # Both processes are the desk's own, and `pickle` reads nothing that a person typed.
        pickled = pickle.dumps(what)
        answered, result = self._ask({"call": len(pickled)}, pickled)
        if answered["failed"] == TOO_MUCH:
            raise ValueError(TOO_MUCH.format(self._instead))
        if answered["failed"]:
            raise ValueError(answered["failed"])
        found: _Found = pickle.loads(result)  # noqa: S301
        return found

    def _text(self, **request: Any) -> Checked:
        answered, _ = self._ask(request)
        if answered["failed"] == TOO_MUCH:
            return failure(TOO_MUCH.format("Ask fewer questions, or offer fewer answers."))
        return answered

    def _ask(self, request: dict[str, Any], more: bytes = b"") -> tuple[Checked, bytes]:
        # As long as there are no accounts, requests have no name, and may take all places.
        name = g.person.name if has_app_context() and g.get("person") else ""
        place, own = (name, object()), 3 * self._most // 4 if name else self._most
        with self._changed:
            mine = sum(of == name for of, _ in self._here)
            if len(self._here) >= self._most or mine >= own:
                return failure(BUSY), b""
            self._here.append(place)
            self._changed.wait_for(lambda: self._next() == place)
            self._served = place
        try:
            return self._answer(request, more)
        finally:
            with self._changed:
                self._here.remove(place)
                self._served, self._last = None, name
                self._changed.notify_all()

    def _next(self) -> _Place:
        """Return the place in service, else the next, from another account than the last if any."""
        others = (one for one in self._here if one[0] != self._last)
        return self._served or next(others, self._here[0])

    def _answer(self, request: dict[str, Any], more: bytes) -> tuple[Checked, bytes]:
        process = self._process = self._process or self._start()
        given, told = process.stdin, process.stdout
        assert given is not None  # noqa: S101  for mypy: both are pipes
        assert told is not None  # noqa: S101
        # No later than the process would end itself.
        wait = min(_PATIENCE * self._seconds, _PACKING)
        line, found, end = b"", b"", time.monotonic() + wait
        checked: Checked = {}
        late = threading.Timer(wait, process.kill)
        late.start()
        with suppress(BrokenPipeError):
            given.writelines([json.dumps(request).encode() + b"\n", more])
            given.flush()
            line = told.readline()
            checked = json.loads(line) if line.endswith(b"\n") else {}
            found = told.read(checked.get("found", 0))
        late.cancel()
        is_late = time.monotonic() >= end
        if is_late or not checked or len(found) < checked.get("found", 0):
            self._end()
            self._process = None
            if is_late or process.returncode == -signal.SIGPROF:
                return failure(_TOO_LONG.format(self._seconds)), b""
            # Libraries in C++ abort the process if there is no memory.
            ended = TOO_MUCH if process.returncode == -signal.SIGABRT else FAILED
            return failure(NOT_COMPUTED if more and ended == FAILED else ended), b""
        return checked, found

    def _start(self) -> subprocess.Popen[bytes]:
        # As in `deniable.server.serving`: a fresh interpreter with this one's paths. It has a
        # session of its own, because Ctrl-C is not meant for it: it ends when its input does.
        paths = os.pathsep.join(path for path in sys.path if path)
        process = subprocess.Popen(  # noqa: S603  no shell, and the argument is a number
            [sys.executable, "-P", "-m", "deniable.server.desk.editor.lint", f"{self._seconds}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,
        )
        self._end = weakref.finalize(self, _end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


@cache
def the_searcher() -> Checker:
    """Return this process's checker for plans and analyses: no text waits for these."""
    return Checker(_SEARCHING, 2 * _WAITING)  # a page and its figures come together


@cache
def the_packer() -> Checker:
    """Return this process's checker for zips: no analysis waits for a large one."""
    return Checker(_PACKING, instead="Download the estimates and the reports one by one.")


@cache
def the_checker() -> Checker:
    """Return this process's checker of texts."""
    return Checker()
