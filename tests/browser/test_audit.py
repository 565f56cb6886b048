"""``deniable audit`` of the real page, and programs that cheat, each in one way."""

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.cli.auditing import PageVerdict, audit_page
from deniable.cli.main import commands
from deniable.cli.verify import compare, together
from deniable.client.audit.chromium import browser, version
from deniable.crypto.blind import new_key
from deniable.server.loopback import loopback
from deniable.server.respondent.known_headers import Verdict
from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors
from tests.browser.cheats import DOPING, SEEN, UNSEEN, Cheat, sending, serving
from tests.browser.chromium import HOW_TO_GET, light
from tests.browser.conftest import HERE
from tests.browser.serving import serving as served_by
from tests.browser.wire import relay
from tests.kit import at, first_of, needs

pytestmark = pytest.mark.promise("audit")

ROOT = Path(__file__).parents[2]
EXAMPLES = ("season", "shops", "journeys", "wellbeing", "sampling", "exams")
SEED = 1
FEW = 5
"""Pairs of visits of each kind: what a program does each time shows in any of them."""

RARE = ("slow", "campaign")

WHOLE = (
    "test_this_release_holds_and_sends_nothing",
    "test_the_browser_of_an_audit_leaves_nothing_behind",
)
"""What is tried in a whole Chromium in `make test`, as by whoever audits a page; what is slow is,
too. All others take its engine alone, which is less work."""


@pytest.fixture(autouse=True)
def chromium_is_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    needs.program("chromium", HOW_TO_GET)
    engine = light()
    whole = request.node.name in WHOLE or any(map(request.node.get_closest_marker, RARE))
    if engine is not None and not whole:
        monkeypatch.setattr("deniable.client.audit.chromium._BROWSERS", (engine,))


def audited(survey: Survey, link: str, pairs: int = FEW) -> PageVerdict:
    return audit_page(survey, link, pairs, SEED)


@pytest.mark.parametrize("name", first_of(SEEN))
def test_a_program_that_cheats_is_found(name: str, tmp_path: Path) -> None:
    with serving(SEEN[name], tmp_path) as link:
        failures = audited(DOPING, link).failures
    assert any(SEEN[name].said in failure for failure in failures), failures


@pytest.mark.slow
def test_a_pause_without_a_clock_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A chance of 1 in a million takes minutes of visits, and is tried in tests/analysis.
    monkeypatch.setattr("deniable.analysis.audit.NEVER", 1e-3)
    # Longer than other programs of a busy machine delay a visit.
    pause = "const end = performance.now() + 800 * truths[0]; while (performance.now() < end);"
    with serving(sending(pause), tmp_path) as link:
        failures = audited(DOPING, link, 24).failures
    assert ["how soon it sends depends on what is true" in one for one in failures] == [True]


@pytest.mark.slow
@pytest.mark.promise("verify")
@pytest.mark.parametrize("name", first_of(UNSEEN, 4))
def test_verify_finds_cheats_that_no_audit_sees(name: str, tmp_path: Path) -> None:
    with serving(UNSEEN[name], tmp_path) as link:
        assert together(compare(link)) is Verdict.NO


@pytest.mark.campaign
@pytest.mark.parametrize("name", UNSEEN)
def test_no_audit_sees_it(name: str, tmp_path: Path) -> None:
    with serving(UNSEEN[name], tmp_path) as link:
        assert audited(DOPING, link, 2).failures == ()


@pytest.mark.slow
def test_a_server_without_cheats_is_the_release(tmp_path: Path) -> None:
    with serving(Cheat(), tmp_path) as link:
        assert together(compare(link)) is Verdict.YES


def test_this_release_holds_and_sends_nothing() -> None:
    """Each of the page's files is asked for once by the browser, whatever it does with it."""
    survey = ROOT / "examples" / "doping.yaml"
    with served_by(survey) as served, relay(served.links[0]) as (heard, link):
        arguments = ["audit", link, "--pairs", "2", "--format", "json"]
        result = CliRunner().invoke(commands, arguments)
        assert result.exit_code == 0, result.output
        asked = re.findall(rb"^([A-Z]+) (\S+) HTTP/1.1\r$", bytes(heard.sent), re.MULTILINE)
        assert served.reports(served.surveys[0]) == {}
    found = json.loads(result.stdout)
    assert (found["holds"], found["is_release"], found["failures"]) == (True, True, [])
    assert (found["visits"], found["false_alarm"]) == (4, 1e-6)
    assert found["engine"].startswith("Chromium ")
    assert {at("doping"), at("doping", "survey.json")} <= {*found["files"]}
    assert {method for method, _ in asked} == {b"GET"}
    # Four times for `verify`, once to see which survey it is, and once for all visits.
    most = max([asked.count((b"GET", address)) for _, address in asked])
    assert most <= 7


@pytest.mark.slow
def test_a_differing_server_s_program_always_fails(tmp_path: Path) -> None:
    with serving(UNSEEN["truths, unless it finds the audit's traps"], tmp_path) as link:
        result = CliRunner().invoke(commands, ["audit", link, "--pairs", "1"])
    assert result.exit_code == 1
    words = " ".join(result.stdout.split())
    assert "Program: not that of deniable" in words
    assert "FAILS: this is not the program of deniable" in words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "is_by_invitation"),
    first_of(
        [
            # Above what a person's browser would ask at first.
            ((HERE / "kinds.yaml").read_text().replace("epsilon: 6", "epsilon: 12"), True),
            (vectors.in_any_order_file(), False),
            *(((ROOT / "examples" / f"{name}.yaml").read_text(), False) for name in EXAMPLES),
        ],
        3,
        pytest.mark.campaign,
    ),
    ids=["kinds", "in any order", *EXAMPLES],
)
def test_an_honest_page_holds_whatever_it_asks(text: str, is_by_invitation: bool) -> None:
    survey = read(text).survey
    if is_by_invitation:
        survey = replace(survey, token_keys=(new_key().public,))
    with loopback(survey) as link:
        assert audited(survey, link, 3).failures == ()


@pytest.mark.campaign
def test_an_honest_page_is_never_said_to_wait() -> None:
    """Enough visits that a difference of the least that counts would be found."""
    with loopback(DOPING) as link:
        assert audited(DOPING, link, 150).failures == ()


@pytest.mark.slow
def test_a_page_without_questions_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.client.audit.visitor.PATIENCE", 3)
    begins = 'addEventListener("DOMContentLoaded", start);\n'
    with serving(Cheat((("page/main.js", begins, ""),)), tmp_path) as link:
        failures = audited(DOPING, link, 1).failures
    assert "the page asks nothing: " in failures[0]


def test_the_browser_of_an_audit_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not in pytest's own folder: Chromium's sockets need a short name.
    with tempfile.TemporaryDirectory(prefix="d") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        with browser() as found:
            assert version(found).startswith("Chromium ")
            assert [*Path(folder).iterdir()]
        assert [*Path(folder).iterdir()] == []
