"""What many reports take: counting them, showing their results, the memory, and making them up."""

import re
import statistics
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks import scale
from benchmarks.measuring import ROOT, Comparison, Figure, compare, folder, milliseconds, tell
from benchmarks.servers import Started, command, sign_in, started, tree
from deniable.server.store import open_store
from deniable.study.tallies.full import FullTally, count_full
from deniable.survey_file import read
from tests.server.store.engines import POSTGRES, SQLITE, Engine

REPORTS = 1_000_000

MOST: Final = 10_000_000

PAGES: Final = 5
"""Of the same results, one after the other."""

WELLBEING: Final = ROOT / "examples" / "wellbeing.yaml"


def run() -> list[Comparison | Figure]:
    """Measure the tallies, and what people wait for."""
    with folder() as path:
        tallies = _tallies(path)
    with folder() as path:
        return [*tallies, *_served(path)]


def _tallies(path: Path) -> list[Comparison]:
    """Count all items and all pairs of them, from each place where reports can be."""
    survey = path / "many.yaml"
    survey.write_text(scale.survey_of(scale.USUAL))
    found = []
    for engine, goal in ((SQLITE, "≤ 15"), (POSTGRES, "≤ 40")):
        url = engine.url(path)
        tell(f"large: {REPORTS:,} reports into {engine.name}")
        scale.run("simulate", survey, "-n", REPORTS, "--store", url, "--seed", 1)
        found.append(_from_store(engine, url, survey, goal))
    return found


def _from_store(engine: Engine, url: str, path: Path, goal: str) -> Comparison:
    survey, matrix = read(path.read_text()).survey, _matrix(url, path)
    store = open_store(url)

    def tally() -> None:
        counted = count_full(store.answers(survey.slug, survey.revision), survey)
        _check(counted[0], matrix)

    try:
        return _against(matrix, engine.name, tally, goal)
    finally:
        store.close()


def _matrix(url: str, path: Path) -> npt.NDArray[np.uint8]:
    """Return all reports of a store, a row each, as they lie in memory when nothing is to do."""
    survey, store = read(path.read_text()).survey, open_store(url)
    joined = b"".join(store.answers(survey.slug, survey.revision))
    store.close()
    return np.frombuffer(joined, np.uint8).reshape(-1, scale.USUAL)


def _against(
    matrix: npt.NDArray[np.uint8], source: str, tally: Callable[[], None], goal: str
) -> Comparison:
    name = f"tally with all pairs, {len(matrix):,} × {scale.USUAL}, {source}"
    return compare(name, "numpy.bincount in memory", tally, lambda: _bincount(matrix), goal)


def _bincount(matrix: npt.NDArray[np.uint8]) -> list[npt.NDArray[np.intp]]:
    """Count the items, and then the pairs of them."""
    singles = [np.bincount(column, minlength=4) for column in matrix.T]
    pairs = combinations(range(scale.USUAL), 2)
    return singles + [np.bincount(4 * matrix[:, i] + matrix[:, j], minlength=16) for i, j in pairs]


def _check(counted: FullTally, matrix: npt.NDArray[np.uint8]) -> None:
    assert counted.pair(0, 1).sum() == len(matrix)


def _served(path: Path) -> list[Figure]:
    """Make people up, and look at their results at the desk."""
    url = SQLITE.url(path)
    tell(f"large: {REPORTS:,} respondents of wellbeing.yaml, and their results")
    made = scale.run("simulate", WELLBEING, "-n", REPORTS, "--store", url, "--seed", 1)
    survey = read(WELLBEING.read_text()).survey
    (path / "survey.json").write_bytes(survey.to_json())
    firsts, others, memory = [], [], {}
    for _ in range(3):  # the server is started anew each time
        with started("deniable", url, str(path / "survey.json")) as server:
            desk = sign_in(server.sign_in)
            time.sleep(1)  # so that what it wrote is settled
            address = urllib.parse.urljoin(server.sign_in, f"/desk/surveys/{survey.slug}")
            page = partial(_open, desk, address)
            firsts.append(milliseconds(page))
            others.append(statistics.median(milliseconds(page) for _ in range(PAGES)))
            memory = _megabytes(server)
    n = f"{REPORTS:,} reports"
    return [
        Figure(f"a results page at {n}, the first after a start", firsts, "ms", "≤ 50"),
        Figure(f"a results page at {n}", others, "ms", "≤ 50"),
        Figure(f"memory of the desk at {n}", [memory["desk_program"]], "MB", "≤ 150"),
        Figure(f"memory of the intake at {n}", [memory["respondents_program"]], "MB", "≤ 80"),
        Figure(f"simulate {REPORTS:,} respondents of wellbeing.yaml", [made.seconds], "s", "≤ 60"),
        Figure("the same, CPU alone", [made.cpu], "s"),
    ]


def _open(desk: urllib.request.OpenerDirector, address: str) -> None:
    with desk.open(address) as answer:
        assert answer.status == 200, "no results"


def _megabytes(server: Started) -> dict[str, float]:
    """Return the memory of each program: what its processes share is counted once."""
    memory: dict[str, float] = {}
    for number in tree(server.process):
        for program in ("desk_program", "respondents_program"):
            if program in command(number):
                shares = Path(f"/proc/{number}/smaps_rollup").read_text()
                used = re.search(r"^Pss: +(\d+) kB", shares, re.MULTILINE)
                assert used is not None
                memory[program] = memory.get(program, 0.0) + int(used[1]) / 1024
    return memory
