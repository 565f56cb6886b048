"""A survey's reports as partitioned Parquet: one file for each revision and wave.

``survey=doping/revision=…/wave=0/reports.parquet``. The ids stay in the store: a row has the number
of a report in each column, and is empty where an item was not asked. Rows leave in the order of the
ids, which devices draw at random, those among them that the desk does not show yet. So neither
their order nor the time of a file says when anybody answered.

``export.json`` is written last. A folder without it is no export, or half of one.
"""

from __future__ import annotations

import json
import secrets
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.tally import by_wave
from deniable.analysis.privacy.disclosure import direct_places
from deniable.extras import load
from deniable.report import NOT_ASKED
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

Received: TypeAlias = tuple[Survey, Sequence[Row], Iterator[Row]]
"""A revision with some of its reports, in the order of their ids, and all others, in theirs."""

Revisions: TypeAlias = Sequence[tuple[Survey, Mapping[int, tuple[Path, int]]]]
"""Each revision of an export with the file of each wave, and how many reports are in it."""


def write(folder: Path, current: str, received: Iterable[Received], *, with_direct: bool) -> int:
    """Write an export, whole or not at all, in memory that does not grow with the reports.

    `folder`: of the survey. Made, or replaced when all is written; readable by its owner alone.
    `current`: the hash of the current revision. `with_direct`: whether direct answers are written;
    the columns are empty otherwise. Result: how many reports were written. A missing
    pyarrow is an ImportError.
    """
    pyarrow = _pyarrow()
    unfinished = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    unfinished.mkdir(mode=0o700, parents=True)
    files: dict[str, int] = {}
    revisions: list[str] = []
    try:
        for survey, held, reports in received:
            home = unfinished / f"revision={survey.revision}"
            home.mkdir()
            (home / _DOCUMENT).write_bytes(survey.to_json())
            revisions.append(survey.revision)
            rows = by_wave(_in_order(held, reports), survey)
            files |= _write_revision(pyarrow, unfinished, survey, rows, with_direct=with_direct)
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


def _write_revision(
    pyarrow: ModuleType,
    folder: Path,
    survey: Survey,
    rows: Iterable[tuple[int, npt.NDArray[np.uint8]]],
    *,
    with_direct: bool,
) -> dict[str, int]:
    """Write the files of a revision; return their rows."""
    files: dict[str, int] = {}
    writers: dict[str, Any] = {}
    left_out = [] if with_direct else direct_places(survey)
    fields = [(name, pyarrow.uint8()) for name in columns(survey)]
    with ExitStack() as closing:
        for wave, answers in rows:
            name = f"revision={survey.revision}/wave={wave}/{_FILE}"
            schema = pyarrow.schema(fields, metadata=_footer(survey, str(wave)))
            answers[:, left_out] = NOT_ASKED
            arrays = [
                pyarrow.array(column, mask=column == NOT_ASKED)
                for column in np.ascontiguousarray(answers.T)
            ]
            if name not in writers:
                (folder / name).parent.mkdir()
                writers[name] = closing.enter_context(
                    pyarrow.parquet.ParquetWriter(folder / name, schema, compression="zstd")
                )
            writers[name].write_batch(pyarrow.record_batch(arrays, schema=schema))
            files[name] = files.get(name, 0) + len(answers)
    return files


def read(folder: Path) -> tuple[Survey, Revisions]:
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
        found: dict[str, dict[int, tuple[Path, int]]] = {revision: {} for revision in surveys}
        for name, rows in manifest["files"].items():
            revision, wave = (piece.partition("=")[2] for piece in Path(name).parts[:2])
            _check_footer(pyarrow, folder / name, surveys[revision], wave, rows)
            found[revision][int(wave)] = folder / name, rows
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
    return current, [(surveys[revision], files) for revision, files in found.items()]


def _in_order(held: Sequence[Row], reports: Iterator[Row]) -> Iterator[bytes]:
    """Return the rows of all in the order of their ids."""
    while chunk := list(islice(reports, _ROWS)):
        taken = bisect_right(held, chunk[-1])
        yield b"".join(answers for _, answers in sorted([*held[:taken], *chunk]))
        held = held[taken:]
    if held:
        yield b"".join(answers for _, answers in held)


def _footer(survey: Survey, wave: str) -> Mapping[str, str]:
    return {"survey": survey.slug, "revision": survey.revision, "wave": wave}


def _check_footer(pyarrow: ModuleType, path: Path, survey: Survey, wave: str, rows: int) -> None:
    """Check that a file is what its place says: copied elsewhere, it would be counted twice."""
    try:
        found = pyarrow.parquet.read_metadata(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise FileNotFoundError(error.errno, "", str(path)) from None
        raise ValueError(f"{path}: expected a Parquet file, found none that can be read") from None
    said = {key.decode(): value.decode() for key, value in (found.metadata or {}).items()}
    expected = _footer(survey, wave)
    wrong = [key for key, value in expected.items() if said.get(key) != value]
    if wrong:
        raise ValueError(
            f"{path}: says that it is of {wrong[0]} {said.get(wrong[0])!r}, expected "
            f"{expected[wrong[0]]!r}, as its place says"
        )
    if found.num_rows != rows:
        raise ValueError(f"{path}: expected {rows:,} reports, found {found.num_rows:,}")


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
