"""``deniable simulate``: made-up people, where their reports go, and their rates found again."""

import csv
import io
import json
import math
import re
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest

import deniable
from deniable.cli.destinations import Destination
from deniable.client.randomness import seeded_words
from deniable.client.respondent import Refused
from deniable.server.store import open_store
from deniable.server.store.registering import register
from deniable.survey_file import read
from deniable.text.wording import percent
from tests.cli.conftest import DOPING, Run, names
from tests.client.test_respondent import CREATED, OURS, Answer, scripted
from tests.kit import Running
from tests.kit.surveys import file_of


def reports(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def people(stdout: str) -> list[int]:
    """Return the numbers of people in the table of true shares."""
    return [int(found.replace(",", "")) for found in re.findall(r" % +([\d,]+) ", stdout)]


def test_prints_the_shares_that_chance_gave(run: Run) -> None:
    arguments = ("simulate", "doping.yaml", "-n", 2000, "-r", "doped.yes=20%", "-o", "x.csv")
    said = run(*arguments, "--seed", 1).stdout
    no, yes = people(said)
    assert no + yes == 2000
    assert abs(yes - 400) < 5.1 * (2000 * 0.2 * 0.8) ** 0.5  # false alarm 3.4e-7, before the seed
    assert percent(yes / 2000) in said


def test_prints_the_mean_that_chance_gave(run: Run, folder: Path) -> None:
    number = "id: n, text: N, type: number, min: 0, max: 4, prefer_not_to_say: true"
    (folder / "n.yaml").write_text(file_of(number, head="epsilon: 4"))
    rates = ("-r", "n.4=50%", "-r", "n.prefer_not_to_say=20%")
    said = run("simulate", "n.yaml", "-n", 1000, *rates, "--seed", 2, "-o", "n.csv").stdout
    *given, skipped = people(said)
    mean = sum(value * count for value, count in enumerate(given)) / sum(given)
    assert sum(given) + skipped == 1000

    # Who skips it is in no mean.
    assert re.search(rf"Mean +{sum(given)} +{mean:.3f}\n", said)


def test_a_seed_repeats_the_run_whatever_its_destination(run: Run, folder: Path) -> None:
    def simulate(*options: object) -> str:
        return run("simulate", "every-type.yaml", "-n", 300, *options).stdout

    alone = run("simulate", "doping.yaml", "-n", 3, "--output", "-")
    assert alone.stdout.splitlines()[0] == "doped_noisy"
    assert (alone.stdout.count("\n"), "simulated respondents" in alone.stderr) == (4, True)
    first = simulate("--seed", 1, "-o", "first.csv")
    assert simulate("--seed", 1, "-o", "again.csv") == first
    assert simulate("--seed", 2, "-o", "other.csv") != first
    stored = simulate("--seed", 1, "--store", "sqlite:///s.db")
    assert stored.endswith(f"\n{first}")
    assert names(stored.removesuffix(first), "s.db", "300 reports")
    run("export", "--store", "sqlite:///s.db", "-o", "stored.csv")
    read_back = (folder / "stored.csv").read_bytes()
    assert read_back == (folder / "first.csv").read_bytes() == (folder / "again.csv").read_bytes()
    assert read_back != (folder / "other.csv").read_bytes()


def test_ids_share_no_words_with_truths_and_noise(run: Run, folder: Path) -> None:
    """They are in the store: words used for both would tell what the truths were."""
    run("simulate", "doping.yaml", "-n", 50, "--seed", 1, "--store", "sqlite:///s.db")
    words = seeded_words(1)(300).tolist()
    with closing(sqlite3.connect(folder / "s.db")) as db:
        rows = db.execute("SELECT id FROM reports UNION ALL SELECT id FROM held")
        ids = [id for (id,) in rows]
    assert len(ids) == 50
    used = {word for id in ids for word in struct.unpack("<4I", id)}
    assert not used & set(words)


def test_a_store_with_reports_stays_unmixed(run: Run) -> None:
    arguments = ("simulate", "doping.yaml", "-n", 10, "--store", "sqlite:///s.db")
    run(*arguments, "--seed", 1)
    said = run(*arguments, exits=1).stderr
    assert names(said, "s.db", "10 reports", "'doping'", "--add")
    assert names(run(*arguments, "--add").stdout.splitlines()[0], "s.db", "20 reports")


def test_a_stored_survey_goes_by_its_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ("--store", "sqlite:///s.db")
    run("simulate", "doping.yaml", "-n", 20, *store)
    once = Mock(wraps=open_store)
    monkeypatch.setattr("deniable.cli.stores.open_store", once)
    assert names(run("simulate", "doping", "-n", 30, *store, "--add").stdout, "50 reports")
    assert once.call_count == 1
    said = run("simulate", "dopping", "-n", 5, *store, exits=1).stderr
    assert names(said, "no survey 'dopping'", "did you mean 'doping'")
    assert names(run("simulate", "dopping.yaml", "-n", 5, *store, exits=2).stderr, "dopping.yaml")


def served(state: str) -> list[Answer]:
    """Return what a server answers that is asked for the survey and its state."""
    survey = read(DOPING).survey
    standing = {"wave": 1, "state": state, "about": f"{survey.slug} {survey.revision}"}
    return [(200, {}, survey.to_json()), (200, {}, json.dumps(standing).encode())]


@pytest.mark.slow
def test_all_arrive_though_the_server_delays(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    class Clock(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if timeout == 17:
                waits.append(timeout)
                return self.is_set()
            return super().wait(timeout)

    monkeypatch.setattr("deniable.cli.destinations.threading.Event", Clock)
    monkeypatch.setattr("deniable.cli.simulate._SILENCE", 0.0)
    busy: Answer = (429, {"Retry-After": "17"}, OURS)
    script = chain(served("open"), repeat(busy, 8 * 40), repeat(CREATED))
    with scripted(script) as (address, bodies):
        said = run("simulate", "doping.yaml", "-n", 40, "--add", "--url", address).stderr
    assert len(bodies) == 2 + (8 + 1) * 40
    assert len({*bodies}) == 1 + 40
    assert len(waits) == 8 * 40
    assert said.count("takes only so many reports a minute") == 1
    assert "40 of 40 are stored." in said


@pytest.mark.parametrize("state", ["paused", "planned"])
def test_no_code_is_spent_where_no_report_is_taken(run: Run, state: str) -> None:
    with scripted(chain(served(state), repeat((503, {}, b"{}")))) as (address, bodies):
        send = ("simulate", "doping.yaml", "-n", 40, "--add", "--url", address)
        said = run(*send, exits=1).stderr
    assert len(bodies) == 2
    assert names(said, f"the survey is {state}", "takes no reports now")


@pytest.mark.parametrize(
    ("seed", "rest"), [(["--seed", 1], "The same command sends the rest"), ([], "With -n 7")]
)
def test_ctrl_c_says_how_many_are_stored(
    run: Run, monkeypatch: pytest.MonkeyPatch, seed: list[object], rest: str
) -> None:
    def to_server(*_: object, **__: object) -> Destination:
        def send(answers: object, done: Callable[[int], object]) -> None:
            for _ in range(3):
                done(1)
            raise KeyboardInterrupt

        return send

    monkeypatch.setattr("deniable.cli.simulate.to_server", to_server)
    send = ("simulate", "doping.yaml", "-n", 10, "--add", "--url", "http://127.0.0.1:1")
    said = run(*send, *seed, exits=130).stderr
    assert names(said, "stopped", "3 of 10 reports are known to be stored", rest)


def test_one_refused_report_ends_the_waiting(
    run: Run, server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.client.respondent.Respondent.send", _refuse_the_first())
    begun = time.monotonic()
    send = ("simulate", "doping.yaml", "-n", 40, "--add", "--url", server.url)
    assert names(run(*send, exits=1).stderr, "410", "of 40 reports are known to be stored")
    assert time.monotonic() - begun < 15


def _refuse_the_first() -> Callable[..., None]:
    """Refuse one report, while all others are asked to wait for a minute."""
    first = threading.Lock()

    def send(respondent: Any, *_: object) -> None:
        if first.acquire(blocking=False):
            time.sleep(0.2)
            raise Refused("x", 410, "")
        respondent._connection._pause(60)

    return send


def test_a_server_is_not_mixed_up_by_mistake(run: Run) -> None:
    """It is not even asked: what it could say would not help, and it tells nobody."""
    arguments = ("simulate", "doping.yaml", "-n", 10, "--url", "http://127.0.0.1:1")
    said = run(*arguments, exits=1).stderr
    assert "people may answer 'doping' there" in said
    assert "--add" in said
    assert "nothing answers there" in run(*arguments, "--add", exits=1).stderr


def test_a_broken_seeded_run_can_be_repeated(run: Run) -> None:
    arguments = ("simulate", "doping.yaml", "--seed", 1, "--store", "sqlite:///s.db")
    run(*arguments, "-n", 20)
    first, *_ = run(*arguments, "-n", 20, "--add").stdout.splitlines()
    assert names(first, "s.db", "20 reports")
    said = run(*arguments, "-n", 20, "-r", "doped.yes=100%", "--add", exits=1).stderr
    assert "it already holds a run with this seed; give another seed" in said


def test_another_revision_in_the_store_is_not_replaced(run: Run, folder: Path) -> None:
    run("simulate", "doping.yaml", "-n", 1, "--store", "sqlite:///s.db")
    (folder / "changed.yaml").write_text(DOPING.replace("1/4", "1/3"))
    said = run("simulate", "changed.yaml", "-n", 1, "--store", "sqlite:///s.db", exits=1).stderr
    assert "another revision than this file" in said
    store = open_store("sqlite:///s.db")
    assert store.current_revision("doping") == read(DOPING).survey.revision
    store.close()


RATES = {
    "doped.yes": 0.2,
    "substances.epo": 0.6,
    "mood.low": 0.1,
    "knew.doctor.no": 0.9,
    "hours.0.5": 0.7,
    "forced.yes": 0.15,
    "age.old": 0.4,
}


def test_many_respondents_by_way_of_a_csv(run: Run) -> None:
    n = 20_000
    rates = [word for name, rate in RATES.items() for word in ("--rate", f"{name}={100 * rate:g}%")]
    run("simulate", "every-type.yaml", "-n", n, "--seed", 1, "-o", "noise.csv", *rates)
    table = run("estimate", "every-type.yaml", "--reports", "noise.csv", "--format", "csv").stdout
    found = {f"{row['item']}.{row['answer']}": row for row in csv.DictReader(io.StringIO(table))}
    found["substances.epo"] = found["substances.epo.yes"]
    for name, rate in RATES.items():
        row = found[name]
        assert int(row["n"]) == n
        assert abs(float(row["estimate"]) - rate) < 4 * float(row["standard_error"]), row
    # Warner (1965): SE² = λ(1 − λ) / (n (1 − 2p)²), with the reports' λ = p + (1 − 2p)θ.
    p = 1 / (1 + math.exp(float(found["doped.yes"]["epsilon"])))
    reported = p + (1 - 2 * p) * RATES["doped.yes"]
    expected = math.sqrt(reported * (1 - reported) / n) / (1 - 2 * p)
    assert float(found["doped.yes"]["standard_error"]) == pytest.approx(expected, rel=0.02)


PANEL: Final = """\
version: 1
survey: panel
title: Shifts
epsilon: 4
waves: {count: 2, people: others}
plan: {margins: {unit: {day: 70, night: 30}, post: {junior: 50, senior: 50}}}
questions:
  - {id: unit, text: Unit, type: single, answers: [Day, Night], protection: direct}
  - {id: post, text: Post, type: single, answers: [Junior, Senior], protection: direct}
  - {id: slept, text: Slept?, type: single, answers: [No, Yes]}
"""
UNPLANNED: Final = re.sub("plan: .*\\n", "", PANEL)
REHEARSAL: Final = ("-n", 300, "-r", "unit.night=50%", "-r", "slept.yes=40%", "--seed", 7)


def test_a_rehearsal_is_the_study(run: Run, folder: Path) -> None:
    (folder / "panel.yaml").write_text(PANEL)
    with closing(open_store("sqlite:///study.db")) as store:
        register(store, read(PANEL).survey, PANEL)  # as 'deniable serve panel.yaml' does
    said = []
    for name in ("study.db", "rehearsal.db"):
        run("simulate", "panel.yaml", *REHEARSAL, "--store", name, "--add")
        said.append(run("estimate", "panel", "--store", name).stdout)
        with closing(open_store(f"sqlite:///{name}")) as store:
            survey = store.survey("panel")
            assert store.source("panel", survey.revision) == PANEL
        study = deniable.open("panel", f"sqlite:///{name}")
        assert study.margins.keys() == {"unit", "post"}
    assert said[0] == said[1]
    assert "Weighted by unit and post" in said[0]


def test_the_plan_of_a_named_file_counts(run: Run, folder: Path) -> None:
    other = PANEL.replace("Slept?", "Rested?").replace("70", "60").replace("30", "40")
    files = {"plan.yaml": PANEL, "none.yaml": UNPLANNED, "other.yaml": other}
    for name, text in files.items():
        (folder / name).write_text(text)
    for kept, is_planned in (("none.yaml", False), ("plan.yaml", True)):
        url = f"sqlite:///{kept}.db"
        run("simulate", kept, *REHEARSAL, "--store", url)
        # A file that asks something else has no plan for these reports.
        named = {"panel": is_planned, "plan.yaml": True, "none.yaml": False}
        named["other.yaml"] = is_planned
        for survey, is_weighted in named.items():
            said = run("estimate", survey, "--store", url).stdout
            assert ("Weighted by" in said) == is_weighted, (kept, survey)
            by = ("--item", "slept", "--by", "unit")
            said = run("analyse", survey, "--store", url, *by).stdout
            assert ("margins" in said) == is_weighted, (kept, survey)
        for survey in ("plan.yaml", "none.yaml"):
            assert bool(deniable.open(survey, url).margins) == named[survey]
