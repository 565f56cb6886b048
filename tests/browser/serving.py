"""The real server for a real browser, and what its store holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from deniable.survey import Survey
from deniable.survey_file import read
from tests.server.running import running


@dataclass
class Served:
    """A server that runs.

    Parameters
    ----------
    store : Path
        The SQLite file.
    surveys : list of Survey
    links : tuple of str
        Respondents' link of each survey.
    sign_in : str
        The researcher's one-time link.
    """

    store: Path
    surveys: list[Survey]
    links: tuple[str, ...]
    sign_in: str

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
def serving(folder: Path, *files: Path) -> Iterator[Served]:
    """Serve survey files from the store ``folder/store.db`` until the block ends."""
    surveys = [read(file.read_text()).survey for file in files]
    with running(folder, surveys) as server:
        yield Served(folder / "store.db", surveys, server.links, server.sign_in)
