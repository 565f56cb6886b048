"""A survey's reports as partitioned Parquet: one file for each revision and wave.

``survey=doping/revision=…/wave=0/reports.parquet``. The ids stay in the store: a row has the number
of a report in each column, and is empty where an item was not asked. Rows leave in the order of the
ids, which devices draw at random, those among them that the desk does not show yet. So neither
their order nor the time of a file says when anybody answered. ``_document.json`` beside the waves
has the survey; engines pass over what begins with an underscore.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.counts.rows import direct_places
from deniable.analysis.counts.tally import by_wave
from deniable.extras import load
from deniable.report import NOT_ASKED
from deniable.survey import Survey

_ROWS: Final = 2**16
"""Reports that are in memory at once, and in a row group."""

Row: TypeAlias = tuple[bytes, bytes]
"""Id and row of a report."""

Received: TypeAlias = tuple[Survey, Sequence[Row], Iterator[Row]]
"""A revision with some of its reports, in the order of their ids, and all others, in theirs."""


def write(folder: Path, received: Iterable[Received], *, with_direct: bool) -> int:
    """Write an export, whole or not at all, in memory that does not grow with the reports.

    `folder`: of the survey. Made, or replaced when all is written; readable by its owner alone.
    `with_direct`: whether direct answers are written; the columns are empty otherwise. Result: how
    many reports were written. A missing pyarrow is an ImportError.
    """
    load("pyarrow.parquet", "parquet")
    pyarrow = load("pyarrow", "parquet")
    folder.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        new.mkdir(mode=0o700)
        for survey, held, reports in received:
            home = new / f"revision={survey.revision}"
            home.mkdir()
            (home / "_document.json").write_bytes(survey.to_json())
            rows = by_wave(_chunks_in_order(held, reports), survey)
            count += _write_revision(pyarrow, home, survey, rows, with_direct=with_direct)
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    return count


def _write_revision(
    pyarrow: ModuleType,
    folder: Path,
    survey: Survey,
    rows: Iterable[tuple[int, npt.NDArray[np.uint8]]],
    *,
    with_direct: bool,
) -> int:
    """Write the files of a revision, one for each wave; return how many reports there are."""
    count = 0
    writers: dict[int, Any] = {}
    left_out = [] if with_direct else direct_places(survey)
    schema = pyarrow.schema([(name, pyarrow.uint8()) for name in columns(survey)])
    with ExitStack() as closing:
        for wave, answers in rows:
            answers[:, left_out] = NOT_ASKED
            arrays = [
                pyarrow.array(column, mask=column == NOT_ASKED)
                for column in np.ascontiguousarray(answers.T)
            ]
            if wave not in writers:
                place = folder / f"wave={survey.on_wire(wave)}" / "reports.parquet"
                place.parent.mkdir()
                writers[wave] = closing.enter_context(
                    pyarrow.parquet.ParquetWriter(place, schema, compression="zstd")
                )
            writers[wave].write_batch(pyarrow.record_batch(arrays, schema=schema))
            count += len(answers)
    return count


def _chunks_in_order(held: Sequence[Row], reports: Iterator[Row]) -> Iterator[bytes]:
    rows = merge(held, reports)
    while chunk := list(islice(rows, _ROWS)):
        yield b"".join(answers for _, answers in chunk)
