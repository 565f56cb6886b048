"""``deniable audit`` of the real page, and programs that cheat, each in one way."""

import json
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.cheats import NOBODY, edited, row, serving, survey_of
from benchmarks.held_out import HELD_OUT, MORE, NOTHING, SURVEY
from benchmarks.programs import ALL, CHEATS
from deniable.cli.auditing import PageVerdict, audit_page
from deniable.cli.main import commands
from deniable.client.audit.chromium import browser, version
from deniable.client.audit.engine import BROWSER_FOLDER, EngineError
from deniable.client.audit.manners import quick
from deniable.crypto.blind import new_key
from deniable.server.loopback import loopback
from deniable.survey import Survey
from deniable.survey_file import read
from tests import needs, vectors
from tests.addresses import at
from tests.browser.chromium import HOW_TO_GET, light
from tests.browser.conftest import HERE
from tests.browser.serving import serving as served_by
from tests.browser.wire import relay

pytestmark = pytest.mark.promise("audit")

ROOT = Path(__file__).parents[2]
DOPING = read(SURVEY.read_text()).survey
SEED = 1
EXAMPLES = ("season", "shops", "journeys", "wellbeing", "sampling", "exams")
FEW = 2
"""Pairs of visits, and two more: what a program does each time shows in any of them."""

TELLING = (
    "its modules are honest, the page sends truths",
    "the connection of its request",
)
"""One by what it sends as its report, one beside it; `make test-slow` tries them all."""


WHOLE = (
    "test_the_program_of_this_release_holds_and_its_server_is_sent_nothing",
    "test_the_browser_of_an_audit_leaves_nothing_behind",
)
"""What is tried in a whole Chromium in `make test`, as by whoever audits a page; what is slow is,
too. All others take its engine alone, which is less work."""


@pytest.fixture(autouse=True)
def chromium_is_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    needs.program("chromium", HOW_TO_GET)
    engine = light()
    whole = request.node.name in WHOLE or request.node.get_closest_marker("slow")
    if engine is not None and not whole:
        monkeypatch.setattr("deniable.client.audit.chromium._BROWSERS", (engine,))


def audited(survey: Survey, link: str, pairs: int = FEW) -> PageVerdict:
    return audit_page(survey, link, pairs, SEED, lambda *_: None)


def of_cheat(name: str, folder: Path, pairs: int = FEW) -> PageVerdict:
    survey = survey_of(ALL[name])
    with serving(ALL[name], survey, folder) as link:
        return audited(survey, link, pairs)


_PARSED = """
const { parse } = require("acorn");
for (const [name, source] of JSON.parse(require("fs").readFileSync(0, "utf-8"))) {
  try { parse(source, { ecmaVersion: "latest", sourceType: "module" }); }
  catch (error) { console.log(`${name}: ${error.message}`); }
}
"""


def test_every_program_that_cheats_is_javascript() -> None:
    needs.file(ROOT / "node_modules" / "acorn", "make install")
    sources = [
        (name, source)
        for name, cheat in ALL.items()
        for file, source in edited(cheat).items()
        if file.endswith(".js")
    ]
    told = subprocess.run(
        [needs.program("node", "make install"), "-e", _PARSED],
        check=False,
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.parametrize("name", TELLING)
def test_a_program_that_cheats_is_found(name: str, tmp_path: Path) -> None:
    found = of_cheat(name, tmp_path)
    assert any(CHEATS[name].said in failure for failure in found.failures), found.failures


def documented() -> dict[str, tuple[str, str]]:
    """Return what the page says of each cheat: what the audit says, and who finds it."""
    page = (ROOT / "docs" / "cheats.md").read_text()
    tables = re.findall(r"^\| a (?:program that tells|cheat that was).*?\n\n", page, re.M | re.S)
    rows = re.findall(r"^\| (.+?)†? \| (.+?) \| (.+?) \|$", "".join(tables), re.MULTILINE)
    return {name: (said, who) for name, said, who in rows if name in ALL}


_KEPT_BY_OTHER_MEANS = {
    'localStorage.setItem("key", truths[0]);': "localStorage depends on what is true",
    'sessionStorage.setItem("length", truths[0]);': "sessionStorage depends on what is true",
    "history.replaceState({ told: 1 }, '');": "its history keeps more than a depth",
    "history.replaceState({ depth: 9 + truths[0] }, '');": "history depends on what is true",
    "navigation.updateCurrentEntry({ state: 1 });": "it uses navigation.updateCurrentEntry",
    "navigator.clipboard?.writeText(truths[0]);": "it uses navigator.clipboard",
    'document.execCommand("copy");': "it uses document.execCommand",
    "navigator.joinAdInterestGroup?.({ owner: origin, name: truths[0] }, 9).catch(() => 0);": (
        "it uses navigator.joinAdInterestGroup"
    ),
    'try { navigator.registerProtocolHandler("web+told", "/?%s"); } catch {}': (
        "it uses navigator.registerProtocolHandler"
    ),
    'localStorage.setItem("sent", String(this.chance.words));': "what it keeps tells what it sent",
}


@pytest.mark.slow
def test_what_is_left_on_a_device_is_what_may_be(tmp_path: Path) -> None:
    """Names that a storage's own hide, states, and all that a navigator offers."""
    send = "  send(truths) {\n"
    edit = ("page/questionnaire.js", send, send + "\n".join(_KEPT_BY_OTHER_MEANS))
    with serving(type(CHEATS["a beacon"])((edit,), ""), DOPING, tmp_path) as link:
        failures = audited(DOPING, link).failures
    for code, said in _KEPT_BY_OTHER_MEANS.items():
        assert any(said in failure for failure in failures), (code, failures)


_GONE_AGAIN = {
    'caches.open("told").then(() => caches.delete("told"));': "the device, in Service Worker",
    'for (const at of ["#1", "./"]) history.replaceState(history.state, "", at);': (
        "history keeps an address"
    ),
    "Notification.requestPermission().catch(() => 0);": "the device, in Preferences: notifications",
}
"""What no page can be asked for after it was left, and its browser's folder shows."""


@pytest.mark.slow
def test_what_a_page_takes_back_is_left_in_the_browser_s_folder(tmp_path: Path) -> None:
    send = "  send(truths) {\n"
    edit = ("page/questionnaire.js", send, send + "\n".join(_GONE_AGAIN))
    with serving(type(CHEATS["a beacon"])((edit,), ""), DOPING, tmp_path) as link:
        failures = audited(DOPING, link, 1).failures
    assert len(failures) == len(_GONE_AGAIN)
    for code, said in _GONE_AGAIN.items():
        assert any(said in failure for failure in failures), (code, failures)


# One takes a quarter of a minute: all are what `python -m benchmarks.cheats` prints.
@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALL][::3])
def test_every_cheat_is_found_by_those_of_whom_the_documentation_says_it(name: str) -> None:
    _, said, who = row(name)
    assert ALL[name].said in said
    assert who == documented()[name][1]


def test_every_cheat_still_alters_the_program() -> None:
    for name, cheat in ALL.items():
        for file, text, other in cheat.edits:
            assert (BROWSER_FOLDER / file).read_text().count(text) == 1, name
            assert text != other


def test_the_documentation_lists_every_cheat_and_what_is_said_of_it() -> None:
    found = documented()
    order = [*CHEATS, *HELD_OUT]
    # What nobody finds stands first in each table, and then what no audit finds.
    order.sort(
        key=lambda name: (name in HELD_OUT, found[name][1] != NOBODY, found[name][0] != NOTHING)
    )
    assert [*found] == order
    for name, cheat in ALL.items():
        said = cheat.said if cheat.said != "whatever is true" else "a message has"
        assert said in found[name][0], name


def test_the_program_of_this_release_holds_and_its_server_is_sent_nothing() -> None:
    """Each of the page's files is asked for once by the browser, whatever it does with it."""
    with served_by(SURVEY) as served, relay(served.links[0]) as (heard, link):
        arguments = ["audit", link, "--engine", "chromium", "--submissions", "4"]
        result = CliRunner().invoke(commands, [*arguments, "--format", "json"])
        assert result.exit_code == 0, result.output
        asked = re.findall(rb"^([A-Z]+) (\S+) HTTP/1.1\r$", bytes(heard.sent), re.MULTILINE)
        assert served.reports(served.surveys[0]) == {}
    found = json.loads(result.stdout)
    assert found["is_release"] is True
    assert found["failures"] == []
    assert found["page"]["engine"].startswith("Chromium ")
    # Four pairs that tell most, and three of anything.
    assert found["page"]["visits"] == 14
    assert {at("doping"), at("doping", "survey.json")} <= {*found["page"]["files"]}
    assert {method for method, _ in asked} == {b"GET"}
    # Four times for `verify`, once to see which survey it is, and once for all visits.
    most = max([asked.count((b"GET", address)) for _, address in asked])
    assert most <= 7


def test_a_server_s_program_that_differs_fails_whatever_it_does(tmp_path: Path) -> None:
    cheat = CHEATS["truths, unless it finds the audit's traps"]
    with serving(cheat, DOPING, tmp_path) as link:
        arguments = ["audit", link, "--submissions", "1"]
        result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == 1
    words = " ".join(result.stdout.split())
    assert "Program: not that of deniable" in words
    assert "FAILS: this is not the program of deniable" in words
    assert "The modules were not called: they are not those of this release." in words


@pytest.mark.parametrize(
    ("text", "is_by_invitation"),
    [
        # Above what a person's browser would ask at first.
        ((HERE / "kinds.yaml").read_text().replace("epsilon: 6", "epsilon: 12"), True),
        pytest.param(vectors.in_any_order_file(), False, marks=pytest.mark.slow),
        *(
            pytest.param(
                (ROOT / "examples" / f"{name}.yaml").read_text(), False, marks=pytest.mark.slow
            )
            for name in EXAMPLES
        ),
    ],
    ids=["kinds", "in any order", *EXAMPLES],
)
def test_an_honest_page_holds_whatever_it_asks(text: str, is_by_invitation: bool) -> None:
    survey = read(text).survey
    if is_by_invitation:
        survey = replace(survey, token_keys=(new_key().public,))
    with loopback(survey) as link:
        assert audited(survey, link, 2).failures == ()


@pytest.mark.slow
def test_an_honest_page_is_never_said_to_wait() -> None:
    """Enough visits that a difference of the least that counts would be found."""
    with loopback(DOPING) as link:
        found = audit_page(DOPING, link, 2 * MORE, SEED, lambda *_: None, quick)
    assert found.failures == ()


def test_a_page_that_asks_nothing_is_said_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deniable.client.audit.tab.PATIENCE", 3)
    cheat = CHEATS["a beacon"]
    begins = 'addEventListener("DOMContentLoaded", start);\n'
    broken = type(cheat)((("page/main.js", begins, ""),), "")
    with serving(broken, DOPING, tmp_path) as link:
        failures = audited(DOPING, link, 1).failures
    assert "the page asks nothing: " in failures[0]


def test_a_server_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deniable.client.audit.tab.PATIENCE", 5)
    with pytest.raises(EngineError, match="nothing answers there"):
        audited(DOPING, f"http://127.0.0.1:9{at('doping')}", 1)


def test_the_browser_of_an_audit_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not in pytest's own folder: Chromium's sockets need a short name.
    with tempfile.TemporaryDirectory(prefix="d") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        with browser() as found:
            assert version(found).startswith("Chromium ")
            assert [*Path(folder).iterdir()]
        assert [*Path(folder).iterdir()] == []
