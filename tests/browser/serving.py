"""The real server in a process of its own, and what its store holds."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deniable.survey import Survey
from deniable.survey_file import read

_SERVE = """
import json, sys
from deniable.server.serving import serve
from deniable.survey_file import read

def ready(ready):
    links = [link for _, link in ready.surveys]
    print(json.dumps({"links": links, "sign_in": ready.sign_in}), flush=True)

store, *files = sys.argv[1:]
surveys = [read(open(file).read()).survey for file in files]
serve(f"sqlite:///{store}", surveys, on_ready=ready, port=0)
"""


@dataclass
class Served:
    """A server that runs.

    Parameters
    ----------
    store : Path
        The SQLite file.
    surveys : list of Survey
    links : list of str
        Respondents' link of each survey.
    sign_in : str
        The researcher's one-time link.
    process : Popen
    """

    store: Path
    surveys: list[Survey]
    links: list[str]
    sign_in: str
    process: subprocess.Popen[str]

    def reports(self, survey: Survey) -> dict[str, str]:
        """Return what is stored of a survey: answers by id, both as hex digits."""
        query = (
            "select hex(id), hex(answers) from reports where revision = "
            "(select number from revisions where revision = ?)"
        )
        with closing(sqlite3.connect(self.store)) as db:
            rows = db.execute(query, [survey.revision]).fetchall()
        return {id.lower(): answers.lower() for id, answers in rows}


@contextmanager
def serving(store: Path, *files: Path) -> Iterator[Served]:
    """Serve survey files until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(store), *map(str, files)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        surveys = [read(file.read_text()).survey for file in files]
        yield Served(store, surveys, ready["links"], ready["sign_in"], process)
    finally:
        process.terminate()
        process.wait(timeout=30)
        if process.stdout is not None:
            process.stdout.close()
