"""``python -m benchmarks.phone [SURVEY.yaml ...]``: what a respondent's phone shows, and how soon.

Of each survey: how many taps lead from its link to the end, what stands before the first control,
what is loaded, how soon it can be used in a slow network, and how far the page jumps meanwhile.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from benchmarks.measuring import ROOT, machine, tell
from deniable.client.audit.chromium import Browser, browser
from deniable.results.text import console, table
from deniable.server.loopback import loopback
from deniable.survey import Survey
from deniable.survey_file import read

SLOW: Final = {
    "offline": False,
    "latency": 150 * 3.75,  # ms, to the server and back, as long as a connection takes with it
    "downloadThroughput": 1_474_560 / 8,  # bytes a second
    "uploadThroughput": 675_000 / 8,
}
"""What Lighthouse calls "slow 4G"."""

SLOWER: Final = 6
"""How many times as slow as this machine the phone is."""

PHONE, LARGE, DESK = (375, 667), (412, 823), (1280, 800)
"""Screens, in CSS pixels."""

PATIENCE: Final = 60.0

_EMPTY: Final = "data:text/html,<form><button type=submit>Start"
"""A page of one button: what the engine needs alone."""

COLUMNS: Final = {
    "taps": "Taps",
    "words": "Words before it",
    "control": "First control, px",
    "button": "First button, px",
    "requests": "Requests",
    "bytes": "Bytes, by gzip",
    "paint": "First paint, s",
    "usable": "Usable, s",
    "floor": "At best, s",
    "412": "Shift at 412",
    "1280": "Shift at 1280",
}

_WATCH: Final = """
globalThis.shift = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) shift += value;
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_changes, watch) => {
  if (document.querySelector("form button:enabled") === null) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { globalThis.usable = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""

_IS_SEEN: Final = "globalThis.usable && performance.getEntriesByType('paint').length > 1"

_SEEN: Final = """(() => {
  const form = [...document.querySelectorAll("form")].find((one) => one.checkVisibility());
  const [control] = form.querySelectorAll("input, button[type=submit]");
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walk.nextNode() && control.compareDocumentPosition(walk.currentNode) & 2) {
    const { parentElement: around, textContent } = walk.currentNode;
    if (!around.checkVisibility({ visibilityProperty: true })) continue;
    if (around.closest(".unseen, .skip, svg, style, script")) continue;
    words += textContent.split(/\\s+/u).filter(Boolean).length;
  }
  const top = (one) => Math.round(one.getBoundingClientRect().top + scrollY);
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const loaded = performance.getEntries().map((one) => one.encodedBodySize ?? 0).filter(Boolean);
  return {
    requests: loaded.length, bytes: loaded.reduce((sum, size) => sum + size),
    words, shift, usable, paint: paint.startTime,
    control: top(control), button: top(form.querySelector("button[type=submit]")),
  };
})()"""

_WALK: Final = """(async () => {
  const turn = () => new Promise((done) => setTimeout(done, 20));
  let taps = 0;
  while (document.querySelector("[data-screen=report]") === null) {
    const open = () => [...document.querySelectorAll("form input")].find((input) => {
      const all = [...(input.closest("fieldset") ?? input.parentElement).querySelectorAll("input")];
      return input.checkVisibility() && !all.some((one) => one.checked || one.value === "7");
    });
    for (let input; (input = open()) !== undefined && taps < 99; await turn()) {
      taps += input.type === "text" ? 2 : 1;
      if (input.type === "text") {
        input.value = "7";
        input.dispatchEvent(new Event("input", { bubbles: true }));
      } else input.click();
    }
    document.querySelector("form button[type=submit]").click();
    taps += 1;
    if (taps > 99) throw new Error(document.querySelector("form").innerText);
    await turn();
  }
  return taps;
})()"""


class Phone:
    """A page in a Chromium, as a phone shows it."""

    def __init__(self, found: Browser) -> None:
        self._browser = found
        target = found.call("Target.createTarget", url="about:blank")["targetId"]
        self._tab = found.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of the tab."""
        return self._browser.call(method, self._tab, **parameters)

    def ask(self, expression: str) -> Any:
        """Return the value of an expression, or of what it promises."""
        found = self.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def open(self, link: str, size: tuple[int, int], *, slow: bool) -> dict[str, float]:
        """Open a page as if for the first time; return what is seen once it can be used."""
        self.call("Page.navigate", url="about:blank")
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        self.call("Storage.clearDataForOrigin", origin=origin, storageTypes="local_storage")
        self.call("Network.clearBrowserCache")
        width, height = size
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        network = SLOW if slow else SLOW | {"latency": 0} | dict.fromkeys(list(SLOW)[2:], -1)
        self.call("Network.emulateNetworkConditions", **network)
        self.call("Emulation.setCPUThrottlingRate", rate=SLOWER if slow else 1)
        self.call("Page.navigate", url=link)
        end = time.monotonic() + PATIENCE
        while not self.ask(_IS_SEEN):
            if time.monotonic() > end:
                raise TimeoutError(f"{link}: cannot be used after {PATIENCE:.0f} seconds")
            self._browser.listen(0.05)
        seen: dict[str, float] = self.ask(_SEEN)
        return seen


def measured(phone: Phone, survey: Survey, runs: int) -> dict[str, dict[str, str]]:
    """Return what was found of a survey, by its language: times only of the first."""
    first, *others = survey.languages
    with loopback(survey) as link:
        rows = {
            language: {
                name: f"{value:,.0f}"
                for name, value in phone.open(f"{link}#lang={language}", PHONE, slow=False).items()
            }
            for language in (first, *others)
        }
        times = [phone.open(link, PHONE, slow=True) for _ in range(runs)]
        rows[first] |= {
            name: f"{statistics.median(one[name] for one in times) / 1000:.2f}"
            for name in ("paint", "usable")
        }
        rows[first]["floor"] = f"{_floor(phone, times[0]['bytes'], runs):.2f}"
        for size in (LARGE, DESK):
            rows[first][str(size[0])] = f"{phone.open(link, size, slow=True)['shift']:.3f}"
        rows[first]["taps"] = str(phone.ask(_WALK))
    for language in others:
        rows[language] = {name: rows[language][name] for name in ("words", "control", "button")}
    return rows


def _floor(phone: Phone, size: float, runs: int) -> float:
    """Return in how many seconds any page of this size could be used that fetches what it asks.

    That takes two ways to the server and back; the rest of the page comes in the second of them.
    """
    alone = [phone.open(_EMPTY, PHONE, slow=True)["usable"] for _ in range(runs)]
    way = SLOW["latency"] / 1000
    ways = way + max(way, size / SLOW["downloadThroughput"])
    return ways + statistics.median(alone) / 1000


@click.command()
@click.argument("files", metavar="[SURVEY.yaml]...", nargs=-1, type=click.Path(exists=True))
@click.option("--runs", default=3, help="Times each page is opened slowly; the median counts.")
def main(files: Sequence[str], runs: int) -> None:
    """Print what is measured of surveys, by default of all examples."""
    rows = table("Survey", *COLUMNS.values(), numbers=tuple(COLUMNS.values()))
    with browser() as found:
        phone = Phone(found)
        for file in files or sorted(map(str, (ROOT / "examples").glob("*.yaml"))):
            survey = read(Path(file).read_text(encoding="utf-8")).survey
            tell(survey.slug)
            for language, row in measured(phone, survey, runs).items():
                name = f"{survey.slug}, {language}"
                rows.add_row(name, *(row.get(column, "") for column in COLUMNS))
    console(sys.stdout).print(rows)
    print(machine())


if __name__ == "__main__":
    main()
