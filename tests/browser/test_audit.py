"""``deniable audit`` in a real Chromium, in the page itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deniable.cli.main import commands
from deniable.server.respondent import headers, pages
from tests import needs
from tests.browser.chromium import HOW_TO_GET
from tests.browser.serving import Served
from tests.client.audit.altered import alter, altered

DESIGN = Path(__file__).parents[1] / "vectors" / "survey.yaml"

SOURCE = "  crypto.getRandomValues(words);"
SOURCE_MUTANTS = {
    "words of Math.random": (
        "words.forEach((_word, place) => (words[place] = Math.random() * 2 ** 32));",
        ["Math.random was called", "drew no 10 words from crypto.getRandomValues"],
    ),
    "words of its own": (
        "words.fill(Date.now());",
        ["drew no 10 words from crypto.getRandomValues"],
    ),
    "words that are changed": (
        f"{SOURCE} words[4] = 7;",
        ["changes the words that it drew from crypto.getRandomValues"],
    ),
}


@pytest.fixture(autouse=True)
def browser() -> None:
    needs.program("chromium", HOW_TO_GET)
    needs.program("chromedriver", HOW_TO_GET)


def serve_instead(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Serve another program, as an operator can: its page, its files and a policy that names it."""
    for module in (headers, pages):
        monkeypatch.setattr(module, "BROWSER_FOLDER", folder)


def audit(source: object, exits: int, reach: float = 0.3) -> dict[str, Any]:
    arguments = ["audit", str(source), "--engine", "chromium", "--reach", str(reach)]
    result = CliRunner().invoke(commands, [*arguments, "--format", "json"])
    assert result.exit_code == exits, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["engine"].startswith("Chromium ")
    assert found["page_opened"]
    return found


@pytest.mark.parametrize("file", ["survey.yaml", "in-any-order.yaml"])
def test_the_program_of_this_release_holds(file: str) -> None:
    assert audit(DESIGN.parent / file, exits=0)["failures"] == []


def test_the_program_that_a_server_serves_holds_and_nothing_is_sent(served: Served) -> None:
    before = [served.reports(survey) for survey in served.surveys]
    found = audit(served.links[1], exits=0)
    assert found["failures"] == []
    assert found["revision"] == served.surveys[1].revision
    assert [served.reports(survey) for survey in served.surveys] == before


@pytest.mark.parametrize("mutant", ["an off-by-one threshold", "a truth in the length"])
def test_a_mutant_is_found_in_the_browser_too(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_instead(monkeypatch, altered(tmp_path, mutant))
    found = audit(DESIGN, exits=1)
    assert not found["exact"]["holds"]


@pytest.mark.parametrize("mutant", SOURCE_MUTANTS)
def test_the_page_must_draw_from_the_cryptographic_source(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the modules are handed is the page's to choose, and no module's."""
    copy = altered(tmp_path, None)
    other, failures = SOURCE_MUTANTS[mutant]
    alter(copy / "core" / "chance.js", SOURCE, other)
    serve_instead(monkeypatch, copy)
    monkeypatch.setattr("deniable.client.audit.chromium.PATIENCE", 3)
    found = audit(DESIGN, exits=1)
    assert found["exact"]["holds"]
    assert len(found["failures"]) == len(failures)
    for said, expected in zip(found["failures"], failures, strict=True):
        assert expected in said


def test_a_program_that_does_not_load_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = altered(tmp_path, None)
    (copy / "core" / "report.js").write_text(
        'export function drawChance() {}\nthrow new Error("broken");\n'
    )
    serve_instead(monkeypatch, copy)
    monkeypatch.setattr("deniable.client.audit.chromium.PATIENCE", 0.5)
    result = CliRunner().invoke(commands, ["audit", str(DESIGN), "--engine", "chromium"])
    assert result.exit_code == 1
    assert "the survey's program does not run" in result.output
