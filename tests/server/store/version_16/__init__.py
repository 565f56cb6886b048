"""A store as the last commit of version 16 wrote it, in both engines, and what it told.

With surveys, one of them published and by invitation, revisions, waves, trials, a meeting, sheets
of paper, people and their drafts. The rows are the same in both engines; `zcat` shows them.
"""

import gzip
import hashlib
import json
import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psycopg

from deniable.server.store import Store

_FOLDER: Final = Path(__file__).parent

_NUMBERS: Final = _FOLDER / "numbers.json"


def write_sqlite(path: Path) -> None:
    """Write it into a new file."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(_read("sqlite") + _rows())


def write_postgres(url: str) -> None:
    """Write it into an empty schema."""
    rows = re.sub(r"X'([0-9a-f]*)'", r"'\\x\1'", _rows())
    count_on = "SELECT setval(pg_get_serial_sequence('revisions', 'number'), 100)"
    with psycopg.connect(url) as db:
        db.execute((_read("postgres") + rows + count_on).encode())


def _read(name: str) -> str:
    return (_FOLDER / f"{name}.sql").read_text()


def _rows() -> str:
    return gzip.decompress((_FOLDER / "rows.sql.gz").read_bytes()).decode()


def expected() -> dict[str, Any]:
    """Return what the commit that wrote it told of it."""
    told: dict[str, Any] = json.loads(_NUMBERS.read_text())
    return told


def numbers(store: Store) -> dict[str, Any]:
    """Return all that a store tells, in names that no version changes."""
    found = {
        "surveys": {
            one.survey.slug.replace(".", "-"): _survey(store, one.survey.slug)
            for one in store.surveys()
        },
        "people": {one.name: [one.role, one.password] for one in store.users()},
        "signed in": [one.device for one in store.sessions("ann", 2)],
        "scripts": [[one.name, one.scope, one.ends] for one in store.tokens("ann", 2)],
        "drafts": [[one.id, one.text, one.owner, one.survey] for one in store.drafts()],
        "meetings": [
            [one.id, one.code, one.ends, one.owner, one.place, one.step, one.joined, *one.questions]
            for one in store.meetings()
        ],
    }
    written: dict[str, Any] = json.loads(json.dumps(found, default=vars))
    return written


def _survey(store: Store, slug: str) -> dict[str, Any]:
    schedule, invited = store.schedule(slug), store.invited(slug)
    revisions = store.revisions(slug)
    tallies: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    snapshot = store.snapshot(slug)
    for revision, waves in snapshot.tallies.items():
        items = store.revision(slug, revision).items
        for wave, counts in waves.items():
            for item, counted in zip(items, counts, strict=True):
                for report, times in counted.items() if item.id != "wave" else ():
                    tallies[f"{item.id} in wave {wave}"][report] += times
    retention = store.retentions(pending=True).get(slug)
    return {
        "title": store.survey(slug).title,
        "state": [store.state(slug), store._standing(slug)[1]],
        "wave": store.wave(slug),
        "terms": [schedule.opens, schedule.closes, schedule.cap, schedule.access_word],
        "public": store.is_public(slug),
        "shares": store.shares(slug),
        "sources": [store.source(slug, one) for one in revisions],
        "reports": [store.count(slug, one) for one in revisions],
        "of waves": [store.count_of_wave(slug, wave) for wave in (1, 2, 3)],
        "shown": snapshot.count(),
        "tallies": tallies,
        "sheets": store.is_entered(slug, b"pile"),
        "invited": [invited.made, invited.spent] if invited else [],
        "boards": [
            [signature.hex(), hashlib.sha256(store.board(slug, number)).hexdigest()]
            for number, signature in enumerate(store.board_signatures(slug), start=1)
        ],
        "retention": retention and [retention.day, retention.seen, retention.deleted],
    }
