"""``make paths``: the code on the path of a report, a results page and a survey file.

Each path is run, and every call on it is noted, in all threads. A file outside the tests counts,
with all its lines, if the called functions have at least `PASSING` lines of code in it: fewer are
only a property in passing. Code that is only loaded does not count, nor does code that runs the
first time alone.

- socket → disk: from granian's request to the commit of one report in SQLite
- disk → results page: from granian's request to the page, without calls of the list of surveys
- YAML → document: from the text of ``examples/doping.yaml`` to the document that devices get
"""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from deniable import survey_file
from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk_program import create_desk_program
from deniable.server.intake.group_commit import GroupCommit
from deniable.server.respondents_program import create_respondents_program
from deniable.server.store import open_store
from tests.kit import RESPONDENTS, Browser, Caller, event_loop, report, surveys, url_for
from tools.size import ROOT

EXAMPLE: Final = ROOT / "examples" / "doping.yaml"
PASSING: Final = 5


class Trace:
    """A recorder of calls, in this thread and all that start after it, while it is on."""

    def __init__(self) -> None:
        self.called: set[CodeType] = set()
        self._looking = False

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; the hook of `sys.setprofile`."""
        if self._looking and event == "call":
            self.called.add(frame.f_code)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Install the hook in this thread and in threads that start within the block."""
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def during(self, run: Callable[[], Any]) -> Any:
        """Run a function, and note its calls."""
        self._looking = True
        try:
            return run()
        finally:
            self._looking = False

    def files(self) -> dict[str, int]:
        """Return the project's files on the path, with their numbers of lines."""
        rows: dict[Path, set[int | None]] = {}
        for code in self.called:
            path = Path(code.co_filename).resolve()
            rows.setdefault(path, set()).update(row for *_, row in code.co_lines())
        return {
            path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
            for path in sorted(rows)
            if path.is_relative_to(ROOT) and path.suffix == ".py"
            if path.relative_to(ROOT).parts[0] not in ("tests", "tools", ".venv")
            if len(rows[path] - {None}) >= PASSING
        }


def socket_to_disk() -> dict[str, int]:
    """Trace a report, sent as granian would."""
    trace, survey = Trace(), surveys.survey()
    with tempfile.TemporaryDirectory() as folder, trace.installed(), event_loop() as loop:
        store = open_store(f"sqlite:///{folder}/store.db")
        store.register(survey)
        commit = GroupCommit(store)
        call = Caller(create_respondents_program(store, commit), loop)
        assert call.send(report(survey)).status == 201
        assert trace.during(lambda: call.send(report(survey))).status == 201
        commit.close()
        store.close()
    return trace.files()


def disk_to_page() -> dict[str, int]:
    """Trace the results page of a survey whose reports are not counted yet."""
    trace, survey = Trace(), surveys.survey()
    with tempfile.TemporaryDirectory() as folder, trace.installed(), event_loop() as loop:
        store = open_store(f"sqlite:///{folder}/store.db")
        store.register(survey)
        browser = Browser(Caller(create_desk_program(store, RESPONDENTS), loop))
        browser.sign_in(new_link(store, "http://localhost"))
        listed, shown = url_for("surveys.index"), url_for("results.page", slug=survey.slug)
        listing: set[CodeType] = set()
        for _ in range(2):  # the first run loads modules and fills caches
            store.insert_reports([report(survey) for _ in range(50)])
            trace.called.clear()
            trace.during(lambda: browser(listed))
            listing, trace.called = trace.called, set()
            page = trace.during(lambda: browser(shown))
            assert page.status == 200
            assert "of 100" in page.text or "%" in page.text
        store.close()
    trace.called -= listing
    return trace.files()


def yaml_to_document() -> dict[str, int]:
    """Trace reading a survey file and writing its document for devices."""
    trace, text = Trace(), EXAMPLE.read_text(encoding="utf-8")

    def run() -> bytes:
        return survey_file.read(text).survey.to_json()

    run()
    with trace.installed():
        assert trace.during(run)
    return trace.files()


PATHS: Final = {
    "socket → disk": socket_to_disk,
    "disk → results page": disk_to_page,
    "YAML → document": yaml_to_document,
}

if __name__ == "__main__":
    for name, walk in PATHS.items():
        found = walk()
        print(f"{name}: {len(found)} files, {sum(found.values()):,} lines")
        for path, lines in found.items():
            print(f"{lines:>8,}  {path}")
