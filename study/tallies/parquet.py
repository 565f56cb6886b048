"""A survey's reports as partitioned Parquet: one file for each revision, wave and part of the ids.

``survey=doping/revision=…/wave=0/shard=00-0f/reports.parquet`` has the reports whose ids begin with
the bytes 00 to 0f. The ids themselves stay in the store: a row has the number of a report in each
column, and is empty where an item was not asked. Rows leave in the order of the ids, which devices
draw at random, those among them that the desk does not show yet. So neither their order nor the
time of a file says when anybody answered.

``export.json`` is written last. A folder without it is no export, or half of one.
"""

from __future__ import annotations

import json
import secrets
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.tally import by_wave
from deniable.extras import load
from deniable.report import ID_BYTES, NOT_ASKED
from deniable.study.tallies import shards
from deniable.study.tallies.shards import Shards
from deniable.survey import Survey

FORMAT: Final = "deniable export"
VERSION: Final = 1

_MANIFEST: Final = "export.json"
_DOCUMENT: Final = "document.json"
_FILE: Final = "reports.parquet"

_ROWS: Final = 2**16
"""Reports that are in memory at once, and in a row group."""

Row: TypeAlias = tuple[bytes, bytes]
"""Id and row of a report."""

Hide: TypeAlias = Callable[[int, npt.NDArray[np.uint8]], npt.NDArray[np.uint8]]
"""Takes answers out of the reports of a wave."""


@dataclass(frozen=True)
class Received:
    """A revision with its reports.

    `held`: some of them, in the order of their ids. `reports`: all others, in the order of theirs.
    """

    survey: Survey
    held: Sequence[Row]
    reports: Iterator[Row]
    hide: Hide


@dataclass(frozen=True)
class Part:
    """The file of a wave and a part of the ids."""

    wave: int
    shards: Shards
    path: Path
    rows: int


@dataclass(frozen=True)
class Exported:
    """An export that is complete."""

    survey: Survey
    revisions: tuple[tuple[Survey, tuple[Part, ...]], ...]


def write(folder: Path, current: str, received: Iterable[Received], parts: int) -> int:
    """Write an export, whole or not at all, in memory that does not grow with the reports.

    `folder`: of the survey. Made, or replaced when all is written; readable by its owner alone.
    `current`: the hash of the current revision. `parts`: how many files there are of each wave.
    Result: how many reports were written. A missing pyarrow is an ImportError.
    """
    wide = shards.width(parts)
    pyarrow = _pyarrow()
    unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    unfinished.mkdir(mode=0o700, parents=True)
    files: dict[str, int] = {}
    revisions: list[str] = []
    try:
        for one in received:
            home = unfinished / f"revision={one.survey.revision}"
            home.mkdir()
            (home / _DOCUMENT).write_bytes(one.survey.to_json())
            revisions.append(one.survey.revision)
            files |= _write_revision(pyarrow, unfinished, one, wide)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "current": current,
            "revisions": revisions,
            "files": files,
        }
        (unfinished / _MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        _put(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return sum(files.values())


def _write_revision(pyarrow: ModuleType, folder: Path, one: Received, wide: int) -> dict[str, int]:
    """Write the files of a revision, one part of the ids after the other; return their rows."""
    files: dict[str, int] = {}
    writers: dict[str, Any] = {}
    with ExitStack() as closing:
        open_now = None
        for first, rows in _in_order(one):
            for shard in np.unique(first // wide).tolist():
                if shard != open_now:
                    closing.close()  # no row of an earlier part follows
                    open_now = shard
                part = shards.said(range(shard * wide, (shard + 1) * wide))
                found = rows[first // wide == shard].tobytes()
                for wave, those in by_wave([found], one.survey):
                    name = f"revision={one.survey.revision}/wave={wave}/shard={part}/{_FILE}"
                    batch = _batch(pyarrow, one, wave, part, those)
                    if name not in writers:
                        (folder / name).parent.mkdir(parents=True)
                        writers[name] = closing.enter_context(
                            pyarrow.parquet.ParquetWriter(
                                folder / name, batch.schema, compression="zstd"
                            )
                        )
                    writers[name].write_batch(batch)
                    files[name] = files.get(name, 0) + len(those)
    return files


def read(folder: Path) -> Exported:
    """Read what an export says of itself, and check each file's own word."""
    pyarrow = _pyarrow()
    try:
        manifest = json.loads((folder / _MANIFEST).read_text())
        if (manifest["format"], manifest["version"]) != (FORMAT, VERSION):
            raise ValueError(
                f"{folder / _MANIFEST}: expected version {VERSION} of {FORMAT!r}, found "
                f"{manifest['version']!r} of {manifest['format']!r}"
            )
        surveys = {
            revision: Survey.from_json((folder / f"revision={revision}" / _DOCUMENT).read_bytes())
            for revision in manifest["revisions"]
        }
        found: dict[str, list[Part]] = {revision: [] for revision in surveys}
        for name, rows in manifest["files"].items():
            revision, wave, part = (piece.partition("=")[2] for piece in Path(name).parts[:3])
            _check_footer(pyarrow, folder / name, surveys[revision], wave, part, rows)
            found[revision].append(Part(int(wave), shards.read(part), folder / name, rows))
        current = surveys[manifest["current"]]
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError):
        raise ValueError(f"{folder / _MANIFEST}: expected what an export says of itself") from None
    except FileNotFoundError as missing:
        raise ValueError(
            f"{missing.filename}: is not there; expected a whole export, as "
            "'deniable export --parquet' writes it"
        ) from None
    for revision, survey in surveys.items():
        if survey.revision != revision or survey.slug != current.slug:
            raise ValueError(f"{folder}/revision={revision}: has the document of another revision")
        _refuse_twice(found[revision])
    return Exported(
        current, tuple((surveys[revision], tuple(parts)) for revision, parts in found.items())
    )


def _batch(
    pyarrow: ModuleType, one: Received, wave: int, part: str, answers: npt.NDArray[np.uint8]
) -> Any:
    """Return reports as Arrow has them, and with them which file they are for."""
    fields = [(name, pyarrow.uint8()) for name in columns(one.survey)]
    schema = pyarrow.schema(fields, metadata=_footer(one.survey, str(wave), part))
    arrays = [
        pyarrow.array(column, mask=column == NOT_ASKED)
        for column in np.ascontiguousarray(one.hide(wave, answers).T)
    ]
    return pyarrow.record_batch(arrays, schema=schema)


def _in_order(one: Received) -> Iterator[tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]]:
    """Return the first byte of the ids, and the rows, of some reports after the others."""
    held = list(one.held)
    length = one.survey.row_length
    while chunk := list(islice(one.reports, _ROWS)):
        taken = bisect_right(held, chunk[-1])
        yield _arrays(sorted([*held[:taken], *chunk]), length)
        held = held[taken:]
    if held:
        yield _arrays(held, length)


def _arrays(
    rows: Sequence[Row], length: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    ids = np.frombuffer(b"".join(id for id, _ in rows), dtype=np.uint8).reshape(-1, ID_BYTES)
    answers = np.frombuffer(b"".join(answers for _, answers in rows), dtype=np.uint8)
    return ids[:, 0], answers.reshape(-1, length)


def _footer(survey: Survey, wave: str, part: str) -> Mapping[str, str]:
    return {"survey": survey.slug, "revision": survey.revision, "wave": wave, "shard": part}


def _check_footer(
    pyarrow: ModuleType, path: Path, survey: Survey, wave: str, part: str, rows: int
) -> None:
    """Check that a file is what its place says: copied elsewhere, it would be counted twice."""
    try:
        found = pyarrow.parquet.read_metadata(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(error.errno, "", str(path)) from None
        raise ValueError(f"{path}: expected a Parquet file, found none that can be read") from None
    said = {key.decode(): value.decode() for key, value in (found.metadata or {}).items()}
    expected = _footer(survey, wave, part)
    wrong = [key for key, value in expected.items() if said.get(key) != value]
    if wrong:
        raise ValueError(
            f"{path}: says that it is of {wrong[0]} {said.get(wrong[0])!r}, expected "
            f"{expected[wrong[0]]!r}, as its place says"
        )
    if found.num_rows != rows:
        raise ValueError(f"{path}: expected {rows:,} reports, found {found.num_rows:,}")


def _refuse_twice(parts: Iterable[Part]) -> None:
    known: dict[int, Shards] = {}
    for one in parts:
        shards.refuse_common(known.get(one.wave, frozenset()), one.shards, str(one.path))
        known[one.wave] = known.get(one.wave, frozenset()) | one.shards


def _put(unfinished: Path, folder: Path) -> None:
    """Put what is written in its place, and remove what was there."""
    old = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.old")
    if folder.exists():
        folder.rename(old)
    unfinished.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _pyarrow() -> ModuleType:
    load("pyarrow.parquet", "duckdb")
    return load("pyarrow", "duckdb")
