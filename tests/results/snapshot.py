"""Many results of a few studies through every door, as they were when they were last looked at.

``python -m tests.results.snapshot [PART ...]`` writes them anew; look first at what `test_snapshot`
says.
"""

import gzip
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from functools import cache, partial
from html import unescape
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from click.testing import CliRunner

from deniable import designs
from deniable.analysis.counts.rows import join_rows
from deniable.analysis.intervals import NAMES
from deniable.cli.main import commands
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.simulation import simulate
from deniable.report import Report
from deniable.results.result import Result
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.auth.login_links import new_link
from deniable.server.desk_program import create_desk_program
from deniable.server.store import Store, open_store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.study import Study, open_study
from deniable.study.collected import of_design
from deniable.study.tables import table_of
from deniable.survey import Survey
from deniable.survey.questions import PREFER_NOT_TO_SAY
from deniable.survey_file import read
from tests.kit import RESPONDENTS, Browser, Caller, DrawnBefore, event_loop
from tests.kit.surveys import DRAWN, TOGETHER

KEPT: Final = Path(__file__).with_name("snapshot.json.gz")

Found: TypeAlias = list[dict[str, Any]] | str
"""The rows of a result, or a text."""

_QUESTIONS: Final = """\
questions:
  - {id: error, text: Made an error, type: single, answers: [No, Yes]}
  - {id: kept, text: Kept quiet, type: single, answers: [No, Unsure, Yes]}
  - {id: hours, text: Hours, type: number, min: 0, max: 4, prefer_not_to_say: true}
  - {id: which, text: Which, type: many, answers: [Dose, Time]}
  - {id: ward, text: Ward, type: single, answers: {a: A, b: B, c: C}, protection: direct}
  - {id: night, text: Night shifts, type: single, answers: [No, Yes], protection: direct}
  - {id: years, text: Years, type: number, min: 0, max: 6, protection: direct}
"""
_HEAD: Final = "version: 1\nsurvey: {}\ntitle: On the ward\nepsilon: 6\nbatch: 1\n"
_MARGINS: Final = "plan:\n  margins: {ward: {a: 50, b: 30, c: 20}, night: {no: 60, yes: 40}}\n"
_WAVES: Final = "waves: {count: 3, redraw: 1/10}\n"

_TEXTS: Final = {
    "ward": _HEAD + _QUESTIONS,
    "weighed": _HEAD + _QUESTIONS + _MARGINS,
    "waves": _HEAD + _WAVES + _QUESTIONS,
    "weighed-waves": _HEAD + _WAVES + _QUESTIONS + _MARGINS,
    "few": _HEAD + _QUESTIONS,
    "drawn": _HEAD + "ask: 2\n" + _QUESTIONS,
}
SURVEYS: Final = {
    **{name: text.replace("{}", name, 1) for name, text in _TEXTS.items()},
    "pair": TOGETHER.replace("title:", "batch: 1\ntitle:"),
    "drawn-pair": DRAWN.replace("survey: pair", "batch: 1\nsurvey: drawn-pair"),
}
_PEOPLE: Final = {"few": 23}
"""How many answer, if not 400."""

DOORS: Final = ("desk", "command", "Python")
PARTS: Final = ("designs", *(f"{survey} {door}" for survey in SURVEYS for door in DOORS))


def results(part: str) -> Iterator[tuple[str, Any]]:
    """Yield the results of a part as JSON keeps them, each under its name."""
    with tempfile.TemporaryDirectory() as folder:
        of_part = _of_designs()
        if part != "designs":
            of_part = _of_survey(*part.split(), folder=folder)
        for name, found in of_part:
            yield name, json.loads(json.dumps(found, default=float).replace(folder, ""))


def _of_survey(name: str, door: str, *, folder: str) -> Iterator[tuple[str, Found]]:
    url = f"sqlite:///{folder}/store.db"
    survey = read(SURVEYS[name]).survey
    answers, waves = _drawn(survey, _PEOPLE.get(name, 400))
    with closing(open_store(url)) as store, event_loop() as loop:
        store.register(survey, SURVEYS[name])
        for wave in np.unique(waves).tolist():
            if wave > 1:
                store.begin_wave(survey.slug, wave)
            store.insert_reports([*_reports(survey, answers[waves == wave], wave)])
        if door == "desk":
            keys = DrawnBefore(Path(folder, "keys"))
            call = Caller(create_desk_program(store, RESPONDENTS, keys), loop)
            yield from _at_desk(store, call, survey)
    if door == "command":
        yield from _by_command(url, survey)
    if door == "Python":
        yield from _in_python(open_study(survey.slug, url), "store")
    if door == "Python" and name in ("ward", "few"):
        yield from _with_columns(survey, answers, Path(folder))


def _drawn(survey: Survey, people: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    # As likely as each of the other answers.
    declines = [
        f"{item.id}.{PREFER_NOT_TO_SAY}={Fraction(100, len(question.offered))}%"
        for item in survey.items
        if (question := survey.question(item.question)).prefer_not_to_say
    ]
    population, words = read_population(survey, declines), seeded_words(53)
    waves = survey.wave_numbers[:2]
    found = [
        responses.answers
        for wave in waves
        for responses in simulate(population, people - 60 * survey.on_wire(wave), words)
    ]
    return np.concatenate(found), np.repeat(waves, [len(one) for one in found])


def _reports(survey: Survey, answers: npt.NDArray[np.uint8], wave: int) -> Iterator[Report]:
    for number, row in enumerate(answers):
        id = (1000 * survey.on_wire(wave) + number).to_bytes(16)
        yield Report(survey.slug, survey.revision, id, row.tobytes(), survey.on_wire(wave))


def _of_designs() -> Iterator[tuple[str, Found]]:
    """Every design that has a name, of few people and of many, by every method."""
    for name, people in itertools.product(designs.BY_NAME, (12, 900)):
        channel = designs.from_mapping({name: designs.NAMED[name].example})
        random = np.random.default_rng(people)
        truths = np.minimum(*random.integers(0, channel.truths, (2, people)))
        drawn = (random.random((people, 1)) > channel.probabilities[truths].cumsum(axis=1)).sum(1)
        cells = "\n".join(f"{one},{'ab'[one % 2]}" for one in drawn.tolist())
        of_two = channel.reports == 2
        text = f"noisy,group\n{cells}\n"
        codes = [*map(str, range(channel.reports))]
        try:
            study = of_design(
                table_of(text.encode()),
                "data",
                {name: designs.NAMED[name].example},
                "noisy",
                codes=codes,
            )
        except ValueError as mistake:
            yield f"{name}, {people}", str(mistake)
            continue
        for method in NAMES if of_two else ("auto", "tail", "wald"):
            yield f"{name}, {people}, {method}", _rows(partial(Study.shares, method=method), study)


_ASKED: Final[dict[str, Callable[[Study], Result]]] = {
    "shares": lambda study: study.shares(),
    "shares of one": lambda study: study.shares(study.survey.items[0].id, level=0.9),
    "by ward": lambda study: study.by("ward", "error"),
    "by night": lambda study: study.by("night", "error", level=0.9, method="wald"),
    "k answers by night": lambda study: study.by("night", "kept"),
    "number by night": lambda study: study.by("night", "hours"),
    "number by ward": lambda study: study.by("ward", "hours", method="wald"),
    "option by ward": lambda study: study.by("ward", "which.dose", method="tail"),
    "by randomised": lambda study: study.by("error", "kept"),
    "number by randomised": lambda study: study.by("error", "hours"),
    "cross": lambda study: study.cross("error", "kept"),
    "cross direct": lambda study: study.cross("kept", "night"),
    "cross two direct": lambda study: study.cross("ward", "night", level=0.99),
    "correlation": lambda study: study.correlation("error", "years"),
    "correlation with direct": lambda study: study.correlation("years", "night"),
    "correlation of two answers": lambda study: study.correlation("error", "night"),
    "ratios": lambda study: study.ratios("ward", "error"),
    "odds": lambda study: study.ratios("night", "error", odds=True, method="wald"),
    "regress": lambda study: study.regress("error ~ ward + years"),
    "regress observed": lambda study: study.regress("error ~ night", errors="observed"),
    "regress k": lambda study: study.regress("kept ~ night"),
    "regress a mean": lambda study: study.regress("hours ~ ward + night"),
    "regress on randomised": lambda study: study.regress("years ~ error + night"),
    "waves": lambda study: study.waves(),
    "changes": lambda study: study.changes("error", method="wald"),
}
_OF_PAIRS: Final[dict[str, Callable[[Study], Result]]] = {
    "shares": lambda study: study.shares(),
    "cross": lambda study: study.cross("doped", "knew"),
    "cross with another": lambda study: study.cross("slept", "doped"),
    "by": lambda study: study.by("knew", "doped"),
}


def _in_python(study: Study, door: str) -> Iterator[tuple[str, Found]]:
    is_pair = "doped" in study.survey.places
    for name, ask in (_OF_PAIRS if is_pair else _ASKED).items():
        yield f"{door}, {name}", _rows(ask, study)
        if study.survey.is_repeated and "waves" not in name:
            yield f"{door}, wave 2, {name}", _rows(ask, study.wave(2))
    for method in NAMES:
        yield f"{door}, shares, {method}", _rows(partial(Study.shares, method=method), study)
    yield f"{door}, printed", f"{study}\n{study.shares()}"
    if not is_pair:
        yield f"{door}, groups printed", str(study.by("ward", "kept"))
        margins = {"ward": {"a": 0.4, "b": 0.3, "c": 0.3}}
        yield from _weighed(f"{door}, margins", study.weights(margins=margins))


_NOT_WEIGHED: Final = ("correlation", "by randomised", "number by randomised", "regress on")


def _weighed(door: str, study: Study) -> Iterator[tuple[str, Found]]:
    for name, ask in _ASKED.items():
        if not name.startswith(_NOT_WEIGHED):
            yield f"{door}, {name}", _rows(ask, study)


def _with_columns(
    survey: Survey, answers: npt.NDArray[np.uint8], folder: Path
) -> Iterator[tuple[str, Found]]:
    """Weights, strata and clusters that stand beside the reports."""
    from deniable.analysis.counts.reports_csv import csv_of  # noqa: PLC0415  beside its use

    random = np.random.default_rng(1)
    chunks = [join_rows(answers, np.zeros(len(answers), dtype=np.int64), survey).tobytes()]
    lines = "".join(csv_of(chunks, survey)).splitlines()
    beside = (
        f"{random.integers(1, 5)},{'xyz'[place % 3]},{place // 4}" for place in range(len(answers))
    )
    columns = itertools.chain(["weight,stratum,cluster"], beside)
    path = folder / "reports.csv"
    path.write_text("\n".join(map(",".join, zip(lines, columns, strict=True))) + "\n")
    study = open_study(survey, path, beside=("weight", "stratum", "cluster"))
    yield from _weighed("file, weights", study.weights("weight"))
    yield from _weighed("file, weights strata", study.weights("weight", strata="stratum"))
    yield from _weighed("file, clusters", study.weights(clusters="cluster"))


_Pages: TypeAlias = dict[str, tuple[dict[str, str], list[str]]]

_PAGES: Final[_Pages] = {
    "compare": ({"item": "error", "by": "ward"}, ["--item", "error", "--by", "ward"]),
    "compare k": ({"item": "kept", "by": "night"}, ["--item", "kept", "--by", "night"]),
    "compare numbers": ({"item": "hours", "by": "night"}, ["--item", "hours", "--by", "night"]),
    "cross": ({"first": "error", "second": "night"}, ["--cross", "error", "night"]),
    "correlate": ({"first": "error", "second": "years"}, ["--correlate", "error", "years"]),
    "ratios": (
        {"item": "error", "by": "ward", "of": "odds"},
        ["--item", "error", "--by", "ward", "--ratio", "odds"],
    ),
    "regress": ({"formula": "error ~ ward + years"}, ["--formula", "error ~ ward + years"]),
}
"""Of each page of the desk what is chosen there, and the options of the command."""


_PAGES_OF_PAIRS: Final[_Pages] = {
    "cross": ({"first": "doped", "second": "knew"}, ["--cross", "doped", "knew"]),
    "compare": ({"item": "slept", "by": "doped"}, ["--item", "slept", "--by", "doped"]),
}


def _pages(survey: Survey) -> _Pages:
    return _PAGES_OF_PAIRS if "doped" in survey.places else _PAGES


def _at_desk(store: Store, call: Caller, survey: Survey) -> Iterator[tuple[str, Found]]:
    browser = Browser(call)
    browser.sign_in(new_link(store, "http://localhost"))
    headers = {"Authorization": f"Bearer {make_token(store, NOBODY, 'test', Scope.READ)}"}
    desk, api = f"/desk/surveys/{survey.slug}", f"/api/v1/surveys/{survey.slug}"
    waves = ["", *(f"wave={one}&" for one in range(1, 3 * survey.is_repeated))]
    for wave, level in itertools.product(waves, ("", "level=90&method=wald")):
        yield f"desk, results?{wave}{level}", _told(browser(f"{desk}?{wave}{level}").text)
        address = f"{api}/tally?{wave}{level}"
        yield f"API, tally?{wave}{level}", call(address, method="GET", headers=headers).text
    for form, wave in itertools.product(("csv", "json"), waves):
        yield f"desk, estimates.{form}?{wave}", browser(f"{desk}/estimates.{form}?{wave}").text
    address = f"{api}/estimates.json?level=99"
    yield "API, estimates.json", call(address, method="GET", headers=headers).text
    for (name, (chosen, _)), wave in itertools.product(_pages(survey).items(), waves):
        asked = f"{name.partition(' ')[0]}{{}}?{wave}{urlencode(chosen)}"
        page = browser(f"{desk}/{asked.format('')}").text
        yield f"desk, {name}?{wave}", _told(page)
        yield f"desk, {name}.json?{wave}", browser(f"{desk}/{asked.format('.json')}").text


def _by_command(url: str, survey: Survey) -> Iterator[tuple[str, Found]]:
    named = (survey.slug, "--store", url)
    for options in ([], ["--method", "wald"], ["--small-cells"], ["--format", "json"]):
        said = _printed("estimate", *named, *options)
        yield f"estimate {' '.join(options)}", said
    for name, (_, options) in _pages(survey).items():
        waves: list[list[str]] = [[], ["--wave", "2"]] if survey.is_repeated else [[]]
        for wave in waves:
            said = _printed("analyse", *named, *options, *wave)
            yield f"analyse {name} {' '.join(wave)}", said


def _printed(*words: str) -> str:
    found = CliRunner().invoke(commands, words, prog_name="deniable", env={"COLUMNS": "200"})
    return f"{found.exit_code}\n{found.output}"


def _rows(ask: Callable[[Study], Result], study: Study) -> Found:
    """Return what a result has in its files, or why there is none."""
    try:
        found = ask(study).export
    except ValueError as mistake:
        return str(mistake)
    return [{"document": dict(found.document)}, *map(dict, found.rows)]


_CELL: Final = re.compile(
    r"<(td|th|dd|caption|p class=\"(?:headline|mistake|note)\")[^>]*>(.*?)"
    r"</(?:td|th|dd|caption|p)>",
    re.DOTALL,
)


def _told(page: str) -> str:
    """Return the cells and the sentences of a page's results, each on a line."""
    cells = (re.sub(r"<[^>]*>", " ", found[2]) for found in _CELL.finditer(page))
    return "\n".join(" ".join(unescape(cell).split()) for cell in cells)


@cache
def kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(KEPT.read_bytes()))
    return found


def made_by() -> dict[str, str]:
    """Name what decides the last digits: libraries, and the processor that they choose loops by."""
    cpu = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.*)$", cpu.read_text() if cpu.exists() else "", re.M)
    return {
        **{name: version(name) for name in ("numpy", "scipy")},
        "processor": models[0] if models else "",
    }


def write(*chosen: str) -> None:
    """Keep the results of some parts as they are now, by default of all."""
    known = kept()["parts"] if chosen else {}
    parts = {
        part: known[part] if chosen and part not in chosen else dict(results(part))
        for part in PARTS
    }
    found = {"made by": made_by(), "parts": parts}
    packed = gzip.compress(json.dumps(found, ensure_ascii=False).encode(), mtime=0)
    KEPT.write_bytes(packed)


if __name__ == "__main__":
    write(*sys.argv[1:])
