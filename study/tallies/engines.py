"""Engines that count cells in Parquet files: each is one line, and they count the same.

DuckDB counts on this machine, Spark on as many as its master has. Both are packages that only this
needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from deniable.analysis.numerics.arrays import IntArray
from deniable.extras import MissingExtra
from deniable.report import NOT_ASKED
from deniable.study.tallies.cells import Engine

NAMES: Final = ("duckdb", "spark")

LOCAL: Final = "local[*]"
"""Spark without a cluster: threads of this process."""


@contextmanager
def opened(name: str, master: str = LOCAL) -> Iterator[Engine]:
    """Start an engine, and stop it in the end.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    master : str
        For Spark: who divides the work.

    Raises
    ------
    ImportError
        If its package is not installed.
    ValueError
        If Spark cannot start.
    """
    if name == "duckdb":
        yield DuckDb(_package("duckdb"))
        return
    spark = _session(master)
    try:
        yield Spark(spark)
    finally:
        spark.stop()


class DuckDb:
    """DuckDB, in this process.

    Parameters
    ----------
    duckdb : module
    """

    def __init__(self, duckdb: ModuleType) -> None:
        self._duckdb = duckdb

    def cells(self, files: Sequence[Path], columns: Sequence[str]) -> IntArray:
        """Count how often each combination came; see `Engine.cells`."""
        named = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        with self._duckdb.connect() as db:
            found = db.execute(
                f"SELECT {named}, count(*) FROM read_parquet(?, hive_partitioning = false) "  # noqa: S608  quoted above
                "GROUP BY ALL",
                [[str(path) for path in files]],
            ).fetchnumpy()
        return np.column_stack(
            [np.ma.filled(column.astype(np.int64), NOT_ASKED) for column in found.values()]
        )


class Spark:
    """Spark, on the machines of its master, which all see the files.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def cells(self, files: Sequence[Path], columns: Sequence[str]) -> IntArray:
        """Count how often each combination came; see `Engine.cells`."""
        read = self._session.read.parquet(*(str(path) for path in files))
        quoted = ["`" + name.replace("`", "``") + "`" for name in columns]
        # As Arrow, and not a row of Python a cell: there may be hundreds of thousands.
        found = read.groupBy(*quoted).count().na.fill(NOT_ASKED).toArrow()
        return np.column_stack([column.to_numpy().astype(np.int64) for column in found.columns])


def _session(master: str) -> Any:
    sql = _package("pyspark.sql")
    try:
        session = (
            sql.SparkSession.builder.master(master)
            .appName("deniable")
            # Nothing of this listens to the network, unless the master is elsewhere.
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1" if _is_local(master) else "0.0.0.0")  # noqa: S104
            .config("spark.sql.shuffle.partitions", "8")
            .config("spark.ui.showConsoleProgress", "false")
        )
        if _is_local(master):
            session = session.config("spark.driver.host", "127.0.0.1")
        made = session.getOrCreate()
    except Exception as error:  # pyspark has errors of its own, whose base differs by version
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise ValueError(
            f"Spark does not start with the master {master!r}; it needs a Java runtime "
            "(apt-get install openjdk-17-jre-headless), and a master that answers"
        ) from None
    made.sparkContext.setLogLevel("ERROR")
    return made


def _is_local(master: str) -> bool:
    return master.startswith("local")


def _package(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        extra = "duckdb" if name == "duckdb" else "spark"
        raise MissingExtra(f"this needs the package {name.partition('.')[0]}", extra) from None
