"""``deniable audit``: the program that is shipped keeps its claims, and one that does not fails."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import Result

from deniable.cli import audit, auditing
from deniable.client.audit import chromium as chromium_engine
from deniable.client.audit import node as node_engine
from deniable.client.audit.node import node
from deniable.client.audit.tapes import ExactVerdict
from deniable.survey_file import read
from tests import needs
from tests.addresses import at
from tests.cli.conftest import DOPING, ROOT, Run
from tests.client.audit.altered import MUTANTS, altered
from tests.quickly import first_of

pytestmark = pytest.mark.promise("audit")

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))

# ε = ln 4: the truth is sent 2 times in 3, as often as no word of 3 is a multiple of 3.
THIRDS = """\
version: 1
survey: thirds
title: Thirds
questions:
  - {id: q, text: Q, type: single, answers: [a, b, c], flip: 1/3}
  - {id: r, text: R, type: single, answers: [a, b, c], flip: 1/3}
"""

HOLDS = "All that was looked at holds."
FAST = ("--engine", "node", "--reach", 50)


@pytest.fixture(autouse=True)
def thirds(folder: Path) -> None:
    (folder / "thirds.yaml").write_text(THIRDS)
    needs.program("node", "make install")


def with_mutant(monkeypatch: pytest.MonkeyPatch, folder: Path, mutant: str) -> None:
    copy = altered(folder, mutant)
    monkeypatch.setattr(audit, "node", partial(node, folder=copy))


def said(result: Result) -> str:
    return " ".join(result.output.split())


def test_prints_a_line_for_each_item_and_the_verdict(run: Run) -> None:
    lines = run("audit", "doping.yaml", *FAST).stdout.splitlines()
    assert lines[0] == "doping.yaml: Doping in [bold]your[/bold] sport :smile: (doping)"
    row, in_turn = [line for line in lines if line.startswith("doped ")]
    id, claimed, low, _, high, share, samples, verdict = row.split()
    assert (id, claimed, verdict) == ("doped", "1.0986", "holds")
    assert 0.5 * 1.0986 < float(low) < float(high)
    assert float(share.rstrip("%")) == pytest.approx(100 * float(low) / 1.0986, abs=0.1)
    assert int(samples.replace(",", "")) > 100
    known = "Modules in Node, known words: 108 messages of 152 bytes, each exactly as expected."
    assert known in lines
    assert "The page was not visited, only its modules were called." in lines
    assert in_turn.startswith("doped and the next report's doped together: ε 2.1972 claimed")
    assert lines[-1] == "All that was looked at holds."


@pytest.mark.slow
def test_json_says_the_same(run: Run) -> None:
    found = json.loads(run("audit", "every-type.yaml", *FAST, "--format", "json").stdout)
    assert found["holds"]
    assert found["failures"] == []
    assert found["page"] is None
    assert found["is_release"] is None
    modules = found["modules"]
    assert modules["exact"]["holds"]
    assert modules["engine"] == "Node"
    *items, age = modules["items"]
    assert age == {"item": "age", "protection": "direct", "holds": True}
    for item in items:
        low, high = item["interval"]
        assert 0.5 * item["epsilon"] <= low < high
    two, all_, turn = modules["joint"]
    assert len(two["items"]) == 2
    assert len(all_["items"]) == len(items)
    assert all_["epsilon"] == pytest.approx(sum(item["epsilon"] for item in items))
    assert 0 < all_["at_least"] < all_["epsilon"]
    assert turn["items"][1].startswith("the next report's ")
    assert all(0 < one["found_from"] < 1 for one in (*items, two, turn))


@pytest.mark.parametrize(
    ("mutant", "failure"),
    [
        ("an off-by-one threshold", "FAILS: q: of “a” and the word 3579139413 it sends report 1"),
        ("a draw used twice", "FAILS: q and r reveal more together than both claim"),
        ("a second request", "FAILS: a report is sent by 2 requests"),
    ],
)
def test_a_program_that_lies_fails(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, mutant: str, failure: str
) -> None:
    with_mutant(monkeypatch, folder, mutant)
    result = run("audit", "thirds.yaml", *FAST, exits=1)
    assert failure in said(result)
    assert " holds." not in result.stdout


def test_a_program_does_not_write_the_verdict_itself(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it sends is quoted, on one line and without anything that moves a cursor."""
    forged = r'"\u001b[2J\nAll that was looked at holds.\n"'
    lie = ("core/submission.js", "JSON.stringify(report)", f"JSON.stringify(report) + {forged}")
    monkeypatch.setitem(MUTANTS, "a forged verdict", lie)
    with_mutant(monkeypatch, folder, "a forged verdict")
    result = run("audit", "thirds.yaml", *FAST, exits=1)
    assert HOLDS not in (result.stdout + result.stderr).splitlines()
    assert "\x1b" not in result.stdout + result.stderr
    assert "FAILS" in result.stdout


def test_random_words_find_by_themselves_what_they_can(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "check_tapes", lambda *_: ExactVerdict(0, 122, ()))
    with_mutant(monkeypatch, folder, "a truth in the length")
    assert "messages are of another form" in said(run("audit", "thirds.yaml", *FAST, exits=1))


def test_without_a_browser_it_says_what_it_did_not_look_at(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium_engine, "_BROWSERS", ("no-such-browser",))
    words = " ".join(run("audit", "doping.yaml", "--reach", 50).stdout.split())
    assert "The page was not visited, so nothing is known of what it does beside" in words
    assert "found no Chromium in PATH" in words
    assert words.endswith(HOLDS)
    error = run("audit", "doping.yaml", "--engine", "chromium", exits=1).stderr
    assert "found no Chromium in PATH" in error


@pytest.mark.slow
def test_a_seed_repeats_an_audit(run: Run) -> None:
    first, again = (run("audit", "doping.yaml", *FAST, "--seed", 5).stdout for _ in range(2))
    assert "Seed: 5." in first
    # The modules' own randomness is that of the machine, and is not repeated.
    assert first.splitlines()[:5] == again.splitlines()[:5]
    seeds = {
        line
        for _ in range(2)
        for line in run("audit", "doping.yaml", *FAST).stdout.splitlines()
        if line.startswith("Seed")
    }
    assert len(seeds) == 2


def test_without_node_it_is_said_how_to_get_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_engine, "find_node", lambda: None)
    error = run("audit", "doping.yaml", "--engine", "node", exits=1).stderr
    assert "found no Node" in error


def test_an_epsilon_that_takes_too_many_reports_is_refused(run: Run, folder: Path) -> None:
    text = (folder / "doping.yaml").read_text().replace("flip: 1/4", "epsilon: 0.001")
    (folder / "small.yaml").write_text(text)
    error = run("audit", "small.yaml", "--engine", "node", exits=1).stderr
    assert "doped: its ε of 0.001 would take" in error
    assert "expected 200,000,000 at most" in error


def test_a_servers_program_is_not_run_in_node(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    link = f"http://127.0.0.1:9{at('doping')}"
    monkeypatch.setattr("deniable.cli.audit.fetch_survey", lambda _: read(DOPING).survey)
    monkeypatch.setattr("deniable.cli.audit.compare", lambda _: [])
    assert "is not run in Node" in run("audit", link, "--engine", "node", exits=2).stderr
    # Nor where there is no browser.
    monkeypatch.setattr(chromium_engine, "_BROWSERS", ("no-such-browser",))
    assert "found no Chromium" in run("audit", link, exits=1).stderr


def test_a_source_that_is_none_is_named(run: Run) -> None:
    link = f"http://127.0.0.1:9{at('doping')}"
    assert "nothing answers there" in run("audit", link, exits=1).stderr
    assert "is not the link of a survey" in run("audit", "http://127.0.0.1:9/", exits=2).stderr
    assert "does not exist" in run("audit", "no-such.yaml", exits=2).stderr


# Two have an ε to show that takes minutes of reports each: the next test has them.
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in EXAMPLES if path.stem not in {"journeys", "sampling"}],
    ids=lambda path: path.stem,
)
def test_the_examples_reach_most_of_what_they_claim(run: Run, path: Path) -> None:
    found = json.loads(run("audit", path, "--engine", "node", "--format", "json").stdout)
    assert found["holds"]
    for item in found["modules"]["items"]:
        if item["protection"] == "randomised":
            assert item["interval"][0] >= 0.95 * item["epsilon"]


@pytest.mark.parametrize("path", first_of(EXAMPLES), ids=lambda path: path.stem)
def test_the_examples_hold(run: Run, path: Path) -> None:
    assert HOLDS in run("audit", path, *FAST).stdout
