"""Engines that count cells in Parquet files, by one line of SQL, and the tally of what they count.

A cell is a combination of reports to some items. To count all items together would be one cell a
respondent where there are many items. So the items are divided into groups with few combinations
each, and every two groups are counted together: each pair of items is in one of these countings.

DuckDB counts on this machine, Spark on as many as its master has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from deniable.analysis.counts.reports_csv import columns
from deniable.analysis.numerics.arrays import IntArray
from deniable.extras import load
from deniable.report import NOT_ASKED
from deniable.study.tallies.file import Tallies
from deniable.study.tallies.full import FullTally, count_codes, nothing_counted
from deniable.study.tallies.parquet import Revisions
from deniable.survey import Survey

NAMES: Final = ("duckdb", "spark")

LOCAL: Final = "local[*]"
"""Spark without a cluster: threads of this process."""

MOST_CELLS: Final = 2**10
"""Combinations of a group of items; two groups have the square of this at most."""

Engine: TypeAlias = Callable[[Path, Sequence[str]], IntArray]
"""From a file and columns to a row a combination, 255 where a cell is empty, and how often it came
in the last column."""


def tally(current: Survey, revisions: Revisions, engine: Engine) -> Tallies:
    """Tally an export."""
    counted = (
        (survey, {wave: _tally(survey, *of, engine) for wave, of in sorted(files.items())})
        for survey, files in revisions
    )
    return Tallies(current, tuple(counted))


def groups(sizes: Sequence[int], most: int = MOST_CELLS) -> list[list[int]]:
    """Divide items into groups of neighbours with few combinations each."""
    found: list[list[int]] = []
    cells = most + 1
    for place, size in enumerate(sizes):
        cells *= size
        if cells > most:
            found.append([])
            cells = size
        found[-1].append(place)
    return found


def _tally(survey: Survey, path: Path, rows: int, engine: Engine) -> FullTally:
    names = columns(survey)
    whole = nothing_counted(survey)
    divided = groups(whole.sizes)
    for places in [[*one, *other] for one, other in combinations(divided, 2)] or divided:
        found = engine(path, [names[place] for place in places])
        counted = count_codes(found[:, :-1].astype("uint8"), survey, found[:, -1], places)
        if counted.n != rows:
            raise ValueError(f"{path}: expected {rows:,} reports, the engine found {counted.n:,}")
        # A pair within a group is counted with every other group, each time the same.
        np.maximum(whole.table, counted.table, out=whole.table)
    return FullTally(rows, whole.sizes, whole.table)


@contextmanager
def opened(name: str, master: str = LOCAL) -> Iterator[Engine]:
    """Start an engine of `NAMES`, and stop it in the end; `master` is for Spark."""
    if name == "duckdb":
        with load("duckdb", "duckdb").connect() as db:

            def by_duckdb(path: Path, columns: Sequence[str]) -> IntArray:
                query = _counting(columns, '"', "read_parquet(?, hive_partitioning = false)")
                found = db.execute(query, [str(path)]).fetchnumpy()
                return np.column_stack(
                    [np.ma.filled(column.astype(np.int64), NOT_ASKED) for column in found.values()]
                )

            yield by_duckdb
        return
    spark = _session(master)

    def by_spark(path: Path, columns: Sequence[str]) -> IntArray:
        # All machines of the master see the file.
        spark.read.parquet(str(path)).createOrReplaceTempView("reports")
        # As Arrow, and not a row of Python a cell: there may be hundreds of thousands.
        found = spark.sql(_counting(columns, "`", "reports")).na.fill(NOT_ASKED).toArrow()
        return np.column_stack([column.to_numpy().astype(np.int64) for column in found.columns])

    try:
        yield by_spark
    finally:
        spark.stop()


def _counting(columns: Sequence[str], quote: str, reports: str) -> str:
    named = ", ".join(quote + name.replace(quote, quote * 2) + quote for name in columns)
    return f"SELECT {named}, count(*) FROM {reports} GROUP BY {named}"  # noqa: S608  quoted above


def _session(master: str) -> Any:
    sql = load("pyspark.sql", "spark")
    is_local = master.startswith("local")
    settings = {
        # Nothing of this listens to the network, unless the master is elsewhere.
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1" if is_local else "0.0.0.0",  # noqa: S104
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.showConsoleProgress": "false",
        **({"spark.driver.host": "127.0.0.1"} if is_local else {}),
    }
    try:
        builder = sql.SparkSession.builder.master(master).appName("deniable")
        made = builder.config(map=settings).getOrCreate()
    except Exception as error:  # pyspark has errors of its own, whose base differs by version
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise ValueError(
            f"Spark does not start with the master {master!r}; it needs a Java runtime "
            "(apt-get install openjdk-17-jre-headless), and a master that answers"
        ) from None
    made.sparkContext.setLogLevel("ERROR")
    return made
