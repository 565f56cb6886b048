"""``deniable audit``: what it prints, and what it says where it cannot look."""

import json

import pytest

from deniable.cli import audit
from deniable.cli.auditing import PageVerdict
from deniable.cli.verify import NOT_JUDGED
from deniable.client.audit import chromium
from tests.cli.conftest import Run

pytestmark = pytest.mark.promise("audit")


def finding(monkeypatch: pytest.MonkeyPatch, *failures: str, unknown: tuple[str, ...] = ()) -> None:
    """Have every audit find this."""
    verdict = PageVerdict("Chromium 1", 600, {}, failures, unknown)
    monkeypatch.setattr(audit, "audit_page", lambda *_: verdict)


def test_an_honest_page_holds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch)
    lines = run("audit", "doping.yaml", "--seed", 5).stdout.splitlines()
    assert lines[0] == "doping.yaml: Doping in [bold]your[/bold] sport :smile: (doping)"
    assert "Seed: 5." in lines
    assert "Page: 600 visits in Chromium 1, each exactly as expected." in lines
    assert "What one visit of 130 shows is found with a chance of 99%." in lines
    assert lines[-1] == "Everything holds."


def test_what_is_wrong_is_the_exit_code(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, "a message is \x1b[31mwrong", unknown=("x-new",))
    result = run("audit", "doping.yaml", exits=1)
    assert "\x1b" not in result.stdout + result.stderr
    assert "NOT all as expected." in result.stdout
    assert "FAILS: a message is" in result.stdout
    found = json.loads(run("audit", "doping.yaml", "--format", "json", exits=1).stdout)
    assert (found["holds"], found["visits"], found["not_judged"]) == (False, 600, ["x-new"])


def test_an_unknown_header_is_not_judged(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch, unknown=("x-new",))
    words = " ".join(run("audit", "doping.yaml", exits=NOT_JUDGED).stdout.split())
    assert "does not know what a browser does by the header x-new" in words
    assert words.endswith("All that was looked at holds.")


def test_a_seed_is_a_fresh_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    finding(monkeypatch)
    seeds = {run("audit", "doping.yaml").stdout.splitlines()[2] for _ in range(2)}
    assert len(seeds) == 2


def test_a_missing_browser_says_how_to_get_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_BROWSERS", ("no-such-browser",))
    assert "found no Chromium in PATH" in run("audit", "doping.yaml", exits=1).stderr
