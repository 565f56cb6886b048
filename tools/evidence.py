"""``python -m tools.evidence``: measure the figures of ``docs/evidence.md``, in an hour.

Each figure is a row of one CSV, with the command, the seed and the commit of its measurement. Three
pictures are drawn from it, and the worst cell of each kind is printed.
"""

import csv
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median
from typing import Final

import click
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import answers, ingest, peers, precision
from benchmarks.coverage import regressions, samples, shares, tails
from benchmarks.coverage.cells import Cell, measured, worst
from benchmarks.measuring import ROOT, machine, tell
from deniable.analysis.findings import Association, Interval
from deniable.results.figures.caption import Caption
from deniable.results.figures.drawing import ESTIMATE, FRAME, OUTSIDE, drawn
from deniable.results.figures.forest import forest_figure

FILE: Final = ROOT / "docs" / "evidence.csv"
PICTURES: Final = ROOT / "docs" / "pictures"
COLUMNS: Final = (
    *("part", "kind", "what", "epsilon", "n", "figure", "beside", "least", "most"),
    *("surveys", "seed", "command", "commit"),
)

Row = dict[str, str]


def coverage(surveys: int, seed: int) -> Iterator[Row]:
    """Measure how often intervals hold the truth; `beside` is for the textbook's interval."""
    found = []
    for room in (shares, tails, samples, regressions):
        for case in room.cases():
            tell(f"{case.kind}: {case.what}, ε = {case.epsilon}, n = {case.n}")
            found.append(measured(case, surveys, seed))
            yield _cell_row("coverage", found[-1], seed)
    for cell in worst(found, seed):
        yield _cell_row("worst", cell, seed + 1)


def few(surveys: int, seed: int) -> Iterator[Row]:
    """Measure how often intervals of regressions of few people hold the truth."""
    for case in regressions.few():
        tell(f"{case.kind}: {case.what}, ε = {case.epsilon}, n = {case.n}")
        yield _cell_row("few", measured(case, surveys, seed), seed)


def _cell_row(part: str, cell: Cell, seed: int) -> Row:
    case = cell.case
    return {
        "part": part,
        "kind": case.kind,
        "what": case.what,
        "epsilon": case.epsilon,
        "n": str(case.n),
        "figure": f"{cell.coverage:.4f}",
        "beside": f"{cell.textbook:.4f}",
        "surveys": str(cell.surveys),
        "seed": str(seed) if cell.surveys else "",
    }


def near(surveys: int, seed: int) -> Iterator[Row]:
    """Compute the error of designs relative to the least known; `most` is for the worst truth."""
    for name, count, epsilon, average, greatest in precision.figures():
        yield {
            "part": "precision",
            "kind": name,
            "what": "error relative to the least that is known",
            "epsilon": epsilon,
            "n": str(count),
            "figure": f"{average:.4f}",
            "most": f"{greatest:.4f}",
        }


def speed(surveys: int, seed: int) -> Iterator[Row]:
    """Measure speed relative to simple references and to the peers."""
    for run in (answers.randomising, answers.tallying, peers.run, ingest.run):
        for one in run():
            yield {
                "part": "speed",
                "kind": one.against,
                "what": one.name,
                "figure": f"{median(one.ratios):.3g}",
                "least": f"{min(one.ratios):.3g}",
                "most": f"{max(one.ratios):.3g}",
            }


PARTS: Final[dict[str, Callable[[int, int], Iterator[Row]]]] = {
    "coverage": coverage,
    "few": few,
    "precision": near,
    "speed": speed,
}


def read() -> list[Row]:
    """Return the rows of the last measurement."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def write(rows: Iterable[Row]) -> None:
    """Write all rows."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ------------------------------------------------------------------------------ the pictures


def picture_of_coverage(rows: Sequence[Row]) -> bytes:
    """Draw how often each cell's default interval and the textbook's hold the truth."""
    kinds = [*dict.fromkeys(row["kind"] for row in rows)]

    def make() -> Figure:
        figure = Figure(figsize=(7.2, 0.42 * len(kinds) + 1.2), facecolor="white")
        axes = figure.add_axes((0.25, 0.75 / figure.get_figheight(), 0.72, 0.72))
        axes.axvline(0.95, color=FRAME, linewidth=1, zorder=1)
        for column, colour, mark, shift, name in (
            ("beside", OUTSIDE, "x", 0.18, "the textbook’s"),
            ("figure", ESTIMATE, "o", -0.18, "ours"),
        ):
            told = [row for row in rows if row[column] not in ("", "nan")]
            held = [max(float(row[column]), 0.8) for row in told]
            place = [kinds.index(row["kind"]) + shift for row in told]
            axes.scatter(held, place, s=14, c=colour, marker=mark, label=name, zorder=3)
        axes.set_yticks(range(len(kinds)), kinds)
        axes.set_ylim(len(kinds) - 0.4, -0.6)
        axes.set_xlim(0.795, 1.005)
        axes.set_xticks(
            [0.8, 0.85, 0.9, 0.95, 1], ["80 % or less", "85 %", "90 %", "95 %", "100 %"]
        )
        axes.set_xlabel("of surveys whose 95 % interval holds the truth; a mark for each cell")
        figure.legend(loc="upper right", ncols=2, frameon=False)
        _plain(axes)
        return figure

    text = "A mark is a cell: a design, an ε, a number of people and a share. 80 % or less is 80 %."
    return drawn(make, "svg", Caption("How often 95 % intervals hold the truth", text))


def picture_of_precision(rows: Sequence[Row]) -> bytes:
    """Draw the error of shares against the number of answers, a line for each ε."""

    def make() -> Figure:
        figure = Figure(figsize=(7.2, 3.4), facecolor="white")
        axes = figure.add_axes((0.1, 0.17, 0.78, 0.77))
        of_shares = [row for row in rows if row["kind"].startswith("shares")]
        for epsilon, line in zip(precision.EPSILONS, ("-", "--", "-.", ":", "-"), strict=True):
            some = [row for row in of_shares if row["epsilon"] == epsilon]
            x, y = ([float(row[name]) for row in some] for name in ("n", "figure"))
            colour = OUTSIDE if epsilon == precision.EPSILONS[-1] else ESTIMATE
            axes.plot(x, y, line, color=colour, linewidth=1.8, label=f"ε = {epsilon}")
        axes.set_ylim(0.99, 1.25)
        axes.set_xlabel("answers")
        axes.set_ylabel("variance, in that of the limit")
        figure.legend(loc="center right", frameon=False, bbox_to_anchor=(1, 0.6))
        _plain(axes)
        return figure

    text = "The variance of estimated shares, divided by the least that any estimate can have."
    return drawn(make, "svg", Caption("How near the estimates are to the limit", text))


def picture_of_speed(rows: Sequence[Row]) -> bytes:
    """Draw the ratios to the references; of times, below 1 is faster."""
    marks = [
        (
            f"{row['what']}, against {row['kind']}",
            Association(
                estimate=float(row["figure"]),
                interval=Interval(float(row["least"]), float(row["most"])),
            ),
        )
        for row in rows
    ]
    return forest_figure(marks, "ratio: median, least and most of five", "svg", of_ratios=True)


def _plain(axes: Axes) -> None:
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.spines[["right", "top"]].set_visible(False)


DRAWN: Final[dict[str, Callable[[Sequence[Row]], bytes]]] = {
    "coverage": picture_of_coverage,
    "precision": picture_of_precision,
    "speed": picture_of_speed,
}


def draw(rows: Sequence[Row]) -> None:
    """Draw the pictures."""
    for part, picture in DRAWN.items():
        if some := [row for row in rows if row["part"] == part]:
            (PICTURES / f"evidence-{part}.svg").write_bytes(picture(some))


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice([*PARTS, "pictures"]))
@click.option("--surveys", default=1000, show_default=True, help="Drawn for each cell.")
@click.option("--seed", default=1, show_default=True)
def main(parts: tuple[str, ...], surveys: int, seed: int) -> None:
    """Measure all parts or those named, and draw the pictures of what was measured."""
    commit = subprocess.check_output(["git", "rev-parse", "--short", "HEAD"], text=True).strip()
    rows = read()
    for part in parts or PARTS:
        if part == "pictures":
            continue
        command = f"python -m tools.evidence {part} --surveys {surveys} --seed {seed}"
        same = ("coverage", "worst") if part == "coverage" else (part,)
        rows = [row for row in rows if row["part"] not in same]
        try:
            for row in PARTS[part](surveys, seed):
                rows.append({**row, "command": command, "commit": commit})
        finally:
            write(rows)  # also after Ctrl-C, with the rows so far
    draw(rows)
    for row in rows:
        if row["part"] == "worst":
            print(f"| {row['kind']} | {row['what']} | {row['epsilon']} | {row['n']} |", end="")
            print(f" {row['figure']} | {row['beside']} |")
    print(machine(), file=sys.stderr)


if __name__ == "__main__":
    main()
