"""Paired measurements, and their table.

A figure is the *ratio* to a simple reference measured right beside it: seconds differ from machine
to machine and from minute to minute, but such ratios hardly do.
"""

import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deniable.results.text import console, table

RUNS = 5
"""Measurements of each side, alternating. The figure is the median of their ratios."""

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Comparison:
    """A figure: measurements of ours, paired with those of a reference."""

    name: str  # of the measured task
    against: str  # the reference
    unit: str  # of the measurements
    ours: list[float]  # measurements, pair by pair
    theirs: list[float]
    goal: str = ""  # for the ratio; empty for none

    @property
    def ratios(self) -> list[float]:
        """The ratio of each pair."""
        return [mine / other for mine, other in zip(self.ours, self.theirs, strict=True)]


def compare(
    name: str,
    against: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    goal: str = "",
) -> Comparison:
    """Time two functions in turn, after a first run of each that does not count."""
    ours()
    theirs()
    tell(name)
    pairs = [(milliseconds(ours), milliseconds(theirs)) for _ in range(RUNS)]
    return Comparison(
        name, against, "ms", [mine for mine, _ in pairs], [other for _, other in pairs], goal
    )


def tell(what: str) -> None:
    """Print progress to standard error, as the tables go to standard output."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def milliseconds(work: Callable[[], object]) -> float:
    """Return the milliseconds that a call takes."""
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


@contextmanager
def folder() -> Iterator[Path]:
    """Make a temporary folder on the checkout's disk: ``/tmp`` may be memory, with free fsyncs."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=ROOT) as path:
        yield Path(path)


def report(comparisons: Sequence[Comparison]) -> None:
    """Print the figures and a description of the machine."""
    numbers = ("Ratio", "least", "most", "Ours", "Theirs")
    rows = table("Measured", "Against", *numbers, "Unit", "Goal", numbers=numbers)
    for one in comparisons:
        rows.add_row(
            one.name,
            one.against,
            f"{statistics.median(one.ratios):.3g}",
            f"{min(one.ratios):.3g}",
            f"{max(one.ratios):.3g}",
            f"{statistics.median(one.ours):,.1f}",
            f"{statistics.median(one.theirs):,.1f}",
            one.unit,
            one.goal,
        )
    out = console(sys.stdout)
    out.print(f"Medians of {RUNS} paired runs, in turn.\n")
    out.print(rows, "")
    out.print(machine())


def machine() -> str:
    """Describe the machine: processor, load, versions, and the time of an fsync on its disk."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{_processor()}, {os.cpu_count()} cores{load}; Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()}; one fsync {_fsync_milliseconds():.2f} ms"
    )


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _fsync_milliseconds() -> float:
    with folder() as path, (path / "file").open("wb", buffering=0) as file:

        def write_and_sync() -> None:
            file.write(bytes(4096))
            os.fsync(file.fileno())

        return statistics.median(milliseconds(write_and_sync) for _ in range(51))
