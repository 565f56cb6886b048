"""``make paths``: the code on the path of a report, a results page and a survey file.

Each path is run, and every call on it is noted, in all threads. A file outside the tests counts,
with all its lines and with those of the functions that are called, if these have at least
`PASSING` lines of code: fewer are only a property in passing. Code that is only loaded does not
count, nor does code that runs the first time alone.

- socket → disk: from granian's request to the commit of one report in SQLite
- disk → results page: from granian's request to the page, without calls of the list of surveys
- YAML → document: from the text of ``examples/doping.yaml`` to the document that devices get
"""

import sys
import tempfile
import threading
from collections.abc import Iterator
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


@contextmanager
def calls() -> Iterator[set[CodeType]]:
    """Note what is called within the block, in this thread and in those that start there."""
    called = set[CodeType]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def files(called: set[CodeType]) -> dict[str, tuple[int, int]]:
    """Return the project's files on a path, with their numbers of lines and of called ones."""
    rows: dict[Path, set[int | None]] = {}
    for code in called:
        path = Path(code.co_filename).resolve()
        rows.setdefault(path, set()).update(row for *_, row in code.co_lines())
    return {
        path.relative_to(ROOT).as_posix(): (path.read_text("utf-8").count("\n"), count)
        for path in sorted(rows)
        if path.is_relative_to(ROOT) and path.suffix == ".py"
        if path.relative_to(ROOT).parts[0] not in ("tests", "tools", ".venv")
        if (count := len(rows[path] - {None})) >= PASSING
    }


def socket_to_disk() -> dict[str, tuple[int, int]]:
    """Trace a report, sent as granian would."""
    survey = surveys.survey()
    with tempfile.TemporaryDirectory() as folder, calls() as called, event_loop() as loop:
        store = open_store(f"sqlite:///{folder}/store.db")
        store.register(survey)
        commit = GroupCommit(store)
        call = Caller(create_respondents_program(store, commit), loop)
        for _ in range(2):  # the first run loads modules and fills caches
            called.clear()
            assert call.send(report(survey)).status == 201
        found = {*called}
        commit.close()
        store.close()
    return files(found)


def disk_to_page() -> dict[str, tuple[int, int]]:
    """Trace the results page of a survey whose reports are not counted yet."""
    survey = surveys.survey()
    with tempfile.TemporaryDirectory() as folder, calls() as called, event_loop() as loop:
        store = open_store(f"sqlite:///{folder}/store.db")
        store.register(survey)
        browser = Browser(Caller(create_desk_program(store, RESPONDENTS), loop))
        browser.sign_in(new_link(store, "http://localhost"))
        listed, shown = url_for("surveys.index"), url_for("results.page", slug=survey.slug)
        found = set[CodeType]()
        for _ in range(2):
            store.insert_reports([report(survey) for _ in range(50)])
            called.clear()
            browser(listed)
            listing = {*called}
            called.clear()
            page = browser(shown)
            found = called - listing
            assert page.status == 200
            assert "of 100" in page.text or "%" in page.text
        store.close()
    return files(found)


def yaml_to_document() -> dict[str, tuple[int, int]]:
    """Trace reading a survey file and writing its document for devices."""
    text = EXAMPLE.read_text(encoding="utf-8")
    with calls() as called:
        for _ in range(2):
            called.clear()
            assert survey_file.read(text).survey.to_json()
    return files(called)


PATHS: Final = {
    "socket → disk": socket_to_disk,
    "disk → results page": disk_to_page,
    "YAML → document": yaml_to_document,
}

if __name__ == "__main__":
    for name, walk in PATHS.items():
        found = walk()
        lines, called = map(sum, zip(*found.values(), strict=True))
        print(f"{name}: {len(found)} files, {lines:,} lines, {called:,} of them called")
        for path, counts in found.items():
            print("{:>8,}{:>8,}  {}".format(*counts, path))
