"""How soon the respondent's page can be used on a phone in a slow network.

It is opened in Chromium with nothing cached, by a phone on what Lighthouse calls "slow 4G". What is
timed goes from asking for the address to the frame after the first button that can be pressed.
"""

from __future__ import annotations

import json
import time
from typing import Final

from benchmarks.ingest import SURVEY
from benchmarks.measuring import RUNS, Comparison, folder
from benchmarks.servers import running
from deniable.client.audit.chromium import Browser, browser
from deniable.survey_file import read
from tests.addresses import at

NETWORK: Final = {
    "offline": False,
    "latency": 150,  # ms, to the server and back
    "downloadThroughput": 1_600_000 / 8,  # bytes a second
    "uploadThroughput": 750_000 / 8,
}
SLOWER: Final = 4
"""How many times as slow as this machine the phone is."""

GOAL: Final = 1000.0
"""Milliseconds."""

PATIENCE: Final = 30.0

_WATCH: Final = """
new MutationObserver((_changes, watch) => {
  if (document.querySelector("main button:enabled") === null) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { globalThis.usable = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""


def run() -> list[Comparison]:
    """Open the page several times, each as if for the first time."""
    survey = read(SURVEY).survey
    with folder() as path, browser() as phone:
        (path / "survey.json").write_text(json.dumps(survey.document), encoding="utf-8")
        url = f"sqlite:///{path}/reports.db"
        with running("deniable", url, str(path / "survey.json")) as port:
            target = phone.call("Target.createTarget", url="about:blank")["targetId"]
            tab = phone.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            phone.call("Page.enable", tab)
            phone.call("Network.enable", tab)
            phone.call("Network.emulateNetworkConditions", tab, **NETWORK)
            phone.call("Page.addScriptToEvaluateOnNewDocument", tab, source=_WATCH)
            link = f"http://127.0.0.1:{port}{at(survey.slug)}"
            _, *times = [_opened(phone, tab, link) for _ in range(RUNS + 1)]
    name = "a first visit on a slow phone, until it can be used"
    return [Comparison(name, "a second", "ms", times, [GOAL] * RUNS, goal="< 1")]


def _opened(phone: Browser, tab: str, link: str) -> float:
    """Open a page, and return how long it took until it could be used, in milliseconds."""
    phone.call("Page.navigate", tab, url="about:blank")
    phone.call("Network.clearBrowserCache", tab)
    phone.call("Emulation.setCPUThrottlingRate", tab, rate=SLOWER)
    try:
        phone.call("Page.navigate", tab, url=link)
        return _when_usable(phone, tab, link)
    finally:
        phone.call("Emulation.setCPUThrottlingRate", tab, rate=1)


def _when_usable(phone: Browser, tab: str, link: str) -> float:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = phone.call("Runtime.evaluate", tab, expression="globalThis.usable")
        usable = found["result"].get("value")
        if usable is not None:
            return float(usable)
        phone.listen(0.05)
    raise TimeoutError(f"{link}: cannot be used after {PATIENCE:.0f} seconds")
