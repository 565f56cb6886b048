"""``python -m benchmarks.scale``: how each part grows with the reports and with the items.

Every step is a command, run as people run it, in a process of its own. CPU seconds and memory are
the process's, as the system counts them.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from benchmarks.measuring import folder, machine
from deniable.results.text import console, table

REPORTS: Final = (100_000, 1_000_000, 10_000_000)
ITEMS: Final = (5, 20, 80)
USUAL: Final = 5
"""Items while the reports grow; the reports are the second of `REPORTS` while the items grow."""

BILLION: Final = 1_000_000_000

CPU: Final = ("simulate", "export", "tally", "estimate")
"""Steps whose processor time is printed."""


@dataclass(frozen=True)
class Step:
    """What a command took."""

    seconds: float
    cpu: float
    megabytes: float  # at most, of memory


def survey_of(items: int) -> str:
    """Write the file of a survey of so many items with four answers each."""
    head = f"version: 1\nsurvey: many\ntitle: Many\nepsilon: {items}\nquestions:\n"
    return head + "".join(
        f"  - {{id: q{number}, text: Q, type: single, answers: [A, B, C, D]}}\n"
        for number in range(items)
    )


def run(*words: object) -> Step:
    """Run a command of deniable, and measure it."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "deniable.cli.main", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    cpu = used.ru_utime + used.ru_stime
    return Step(time.perf_counter() - start, cpu, used.ru_maxrss / 1024)


@dataclass(frozen=True)
class Measured:
    """What so many reports to so many items took."""

    reports: int
    items: int
    steps: Mapping[str, Step]
    sizes: tuple[int, int, int]  # bytes of the store, the export and the tally file

    @property
    def row(self) -> list[str]:
        """Of the table."""
        store, lake, tally = self.sizes
        return [
            f"{self.reports:,}",
            str(self.items),
            f"{store / self.reports:.1f}",
            f"{lake / self.reports:.2f}",
            f"{tally / 1000:,.0f}",
            *(
                f"{self.steps[name].cpu:.1f}"
                for name in ("simulate", "export", "tally", "estimate")
            ),
            *(f"{self.steps[name].megabytes:.0f}" for name in ("export", "tally")),
        ]


def measure(place: Path, reports: int, items: int) -> Measured:
    """Take made-up reports through all steps."""
    survey, store, lake = place / "many.yaml", place / "many.db", place / "lake"
    survey.write_text(survey_of(items))
    steps = {
        "simulate": run("simulate", survey, "-n", reports, "--store", store, "--seed", 1),
        "export": run("export", "--store", store, "--parquet", lake),
        "tally": run("tally", store, "-o", place / "store.json"),
        "estimate": run("estimate", "--tally", place / "store.json"),
    }
    lakes = sum(one.stat().st_size for one in lake.rglob("*.parquet"))
    tally = (place / "store.json").stat().st_size
    return Measured(reports, items, steps, (store.stat().st_size, lakes, tally))


def of_a_billion(less: Measured, more: Measured) -> list[str]:
    """Say what a billion reports would take, by what each further report took."""
    further = more.reports - less.reports
    store, lake, _ = ((b - a) / further for a, b in zip(less.sizes, more.sizes, strict=True))
    minutes = {
        name: BILLION * (more.steps[name].cpu - less.steps[name].cpu) / further / 60
        for name in ("export", "tally")
    }
    head = f"One billion reports to {more.items} items, by what each took from {less.reports:,} to"
    kept = f"{store * BILLION / 1e9:.1f} GB in a store, {lake * BILLION / 1e9:.1f} GB in an export"
    return [
        f"{head} {more.reports:,}:",
        f"{kept}, {more.sizes[2] / 1000:,.0f} kB in a tally file.",
        f"CPU minutes: export {minutes['export']:.0f}, tally {minutes['tally']:.1f}.",
    ]


def sizes(most: int) -> Sequence[tuple[int, int]]:
    """Return the numbers of reports and items that are measured."""
    growing = [(reports, USUAL) for reports in REPORTS if reports <= most]
    return growing + [(min(REPORTS[1], most), items) for items in ITEMS if items != USUAL]


@click.command()
@click.option("-n", "most", default=REPORTS[-1], show_default=True, help="Reports at most.")
def main(most: int) -> None:
    """Measure how each part grows."""
    memory = ("export, MB", "tally, MB")
    sizes_of = ("Reports", "Items", "B/report", "Parquet", "Tally, kB")
    rows = table(*sizes_of, *CPU, *memory, numbers=(*sizes_of, *CPU, *memory))
    measured = []
    for reports, items in sizes(most):
        with folder() as place:
            measured.append(measure(place, reports, items))
        rows.add_row(*measured[-1].row)
    out = console(sys.stdout)
    out.print("B/report: bytes of a report in a SQLite store; Parquet: in the export.")
    out.print("simulate to estimate: CPU seconds of the command.\n")
    out.print(rows)
    growing = [one for one in measured if one.items == USUAL]
    if len(growing) > 1:
        out.print("", *of_a_billion(*growing[-2:]), sep="\n")
    out.print()
    out.print(machine())


if __name__ == "__main__":
    main()
