"""Visits of a survey's real page: a person's clicks, and all that the page does.

The browser has no network: all its requests arrive at the audit's own socket. The page's own files
are fetched from the server once and served as the same bytes at each visit; the report is answered
here; every other request is refused. A request that the DevTools protocol does not show arrives at
the same socket, and is a problem.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from deniable.client.audit.chromium import Browser, BrowserError, Silent, Stuck, browser, version
from deniable.client.audit.inputs import plain, to_press
from deniable.client.audit.server import CODE, Fetch, Server
from deniable.client.audit.tape import Tape
from deniable.client.audit.wire import Arrival, Wire, fenced, is_browsers_own, wire
from deniable.survey import Survey

PATIENCE: Final = 20.0
"""Seconds within which a page must go on."""

_FOLDER: Final = Path(__file__).parent
_WORLD: Final = "look"
_LOCAL: Final = ("data", "blob", "about", "chrome")

# The page shows the consent text as a question without items.
_CONSENT: Final = "Consent"
_HANDED_OUT: Final = frozenset({"Code", "Pin"})

_SHOWN: Final = """({
  page: document.documentElement.outerHTML,
  state: JSON.stringify(history.state),
})"""
_KEPT: Final = """({
  ...Object.fromEntries(
    // Spread, a storage hides what has the name of one of its methods.
    Object.entries({ local: localStorage, session: sessionStorage }).map(([name, all]) => [
      name,
      Array.from({ length: all.length }, (_, at) => [all.key(at), all.getItem(all.key(at))]).sort(),
    ]),
  ),
  name: window.name,
})"""
# Raise the respondent's own limit on ε, above which the page asks nothing.
_FORGET: Final = (
    'localStorage.clear(); sessionStorage.clear(); window.name = "";'
    """localStorage.setItem("deniable:", '{"limit":1e12}')"""
)


@dataclass
class Visit:
    """The result of one visit."""

    # What no honest page does, whatever the truths.
    problems: list[str] = field(default_factory=list)
    reports: list[Arrival] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # how many words were drawn, each time
    clocks: set[str] = field(default_factory=set)  # that were set after it opened, and not ended
    # What the page shows after its report and what it leaves behind; the keys are `judge`'s.
    left: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0  # from the last click to the report
    is_stuck: bool = False  # whether the page failed to go on

    def object(self, problem: str) -> None:
        """Record a problem, once."""
        if problem not in self.problems:
            self.problems.append(problem)


@contextmanager
def visitor(survey: Survey, link: str, fetch: Fetch) -> Iterator[Visitor]:
    """Start a browser that visits a survey's page, and end it after the block."""
    with wire(link) as out, browser(fenced(out.port)) as found:
        yield Visitor(found, survey, link, fetch, out)


class Visitor:
    """A browser that visits one survey, each time as if for the first time."""

    def __init__(self, found: Browser, survey: Survey, link: str, fetch: Fetch, out: Wire) -> None:
        self.name = version(found)
        self._browser = found
        self.server = Server(survey, link, fetch)
        self.survey = self.server.survey
        parts = urlsplit(link)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._wire = out
        self._heard = 0  # lines of the wire that were examined
        self._visit = Visit()
        self._phase = ""
        # Random, so that no page can know it.
        self._binding = f"_{secrets.token_hex(8)}"
        self._is_recorded = False
        self._is_sent = False
        self._context = 0  # execution context of `look.js` in the current page
        self._known: set[str] = set()
        out.answer = self.server.answer
        self._open_tab()

    def _open_tab(self) -> None:
        """Open the tab of the visits, and have each target that a page opens wait for `_hold`."""
        call = self._browser.call
        target = call("Target.createTarget", url="about:blank")["targetId"]
        self._session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        # A target that a page opens waits for the debugger before it runs (see `_hold`).
        follow: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True}
        self._browser.on_event = self._follow
        for domain in ("Page", "Runtime", "Network"):
            self._call(f"{domain}.enable")
        self._call("Target.setAutoAttach", flatten=True, **follow)
        self._call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self._call("Runtime.addBinding", name=self._binding)
        self._call("Emulation.setFocusEmulationEnabled", enabled=True)
        agent = call("Browser.getVersion")["userAgent"].replace("Headless", "")
        language = self.survey.languages[0]
        self._call("Network.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        look = (_FOLDER / "look.js").read_text(encoding="utf-8")
        self._call("Page.addScriptToEvaluateOnNewDocument", source=look, worldName=_WORLD)
        self._known |= {one["targetId"] for one in call("Target.getTargets")["targetInfos"]}
        everything = [{"type": "browser_ui", "exclude": True}, {"type": "tab", "exclude": True}, {}]
        call("Target.setAutoAttach", flatten=True, filter=everything, **follow)
        call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        # The first visit must begin with the same history as the others.
        self._go_away()
        self._forget()

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def _follow(self, session: str, method: str, said: dict[str, Any]) -> None:
        match method:
            case "Runtime.executionContextCreated":
                if session == self._session and said["context"]["name"] == _WORLD:
                    self._context = said["context"]["id"]
            case "Fetch.requestPaused":
                self._answer_request(session, said)
            case "Network.requestWillBeSent":
                self._hear_of(said["request"]["method"], said["request"]["url"])
            case "Runtime.bindingCalled":
                self._hear(said["payload"])
            case "Target.attachedToTarget":
                info = said["targetInfo"]
                if info["targetId"] not in self._known:
                    self._known.add(info["targetId"])
                    self._visit.object(f"it opens a {info['type']} of its own")
                    self._hold(said["sessionId"], info)
            case "Page.frameAttached":
                self._visit.object("it opens a frame of its own")
            case "Browser.downloadWillBegin":
                self._visit.object("it saves a file by itself")
            case "Page.javascriptDialogOpening":
                self._visit.object("it opens a dialog")
                self._browser.send("Page.handleJavaScriptDialog", session, accept=True)

    def _hold(self, session: str, info: dict[str, Any]) -> None:
        """Close each target that a page opens, except a frame: intercept its requests."""
        if info["type"] in ("iframe", "page"):
            # The page that opened it would wait for it. Its requests are intercepted too.
            self._browser.send("Fetch.enable", session, patterns=[{"urlPattern": "*"}])
            self._browser.send("Runtime.runIfWaitingForDebugger", session)
        if info["type"] != "iframe":
            self._browser.send("Target.closeTarget", targetId=info["targetId"])

    def _hear_of(self, method: str, url: str) -> None:
        # Called for every request of the page, even one that its policy forbids.
        if f"{method} {url}" == self.server.report and self._phase in ("sending", "sent"):
            if self._is_sent:
                self._visit.object("it sends more than one report")
            self._is_sent = True
        elif not self._is_own(method, url):
            self._object_to(method, url)

    def _is_own(self, method: str, url: str) -> bool:
        """Return whether a request is one that a page may make in this phase."""
        if urlsplit(url).scheme in _LOCAL:
            return True
        if url == self.server.blank:
            return self._phase == "left"
        if f"{method} {url}" == self.server.report:
            return self._phase == "sending"
        if f"{method} {url}" == self.server.tokens:
            return self._phase == "admitting" and self.survey.is_by_invitation
        own = url in self.server.files or (
            not self._is_recorded and url.startswith(f"{self._origin}/")
        )
        return method == "GET" and self._phase == "opening" and own

    def _object_to(self, method: str, url: str) -> None:
        when = {
            "opening": "while it opens",
            "admitting": "beside its code",
            "answering": "while questions are answered",
            "sending": "beside the report",
            "sent": "after the report",
        }.get(self._phase, "when it is left")
        # Without the query, which may differ between visits: a problem is recorded once.
        self._visit.object(f"it asks for {method} {url.partition('?')[0][:120]} {when}")

    def _answer_request(self, session: str, said: dict[str, Any]) -> None:
        request, number = said["request"], said["requestId"]
        method, url = request["method"], request["url"]
        if not self._is_own(method, url):
            self._object_to(method, url)
            self._browser.send(
                "Fetch.failRequest", session, requestId=number, errorReason="BlockedByClient"
            )
            return
        if urlsplit(url).scheme not in _LOCAL:
            if method == "GET" and url != self.server.blank:
                self.server.get(url, request["headers"])
            self._wire.expect(method, url)
        self._browser.send("Fetch.continueRequest", session, requestId=number)

    def _hear(self, said: str) -> None:
        """Record what the trap reports."""
        kind, _, rest = said.partition(" ")
        if kind == "drawn":
            self._visit.drawn.append(int(rest))
            if self._phase not in ("opening", "admitting"):
                self._visit.object("it draws random words after the first answer")
        elif kind == "set":
            # What it does when the survey closes is set before there is an answer.
            if self._phase != "opening":
                self._visit.clocks.add(rest)
        elif kind == "ended":
            self._visit.clocks.discard(rest)
        else:
            self._visit.object(rest)

    def visit(self, tape: Tape) -> Visit:
        """Visit the page, answer all its questions, send the report and leave."""
        self._visit = visit = Visit()
        self._is_sent = False
        words = json.dumps(json.dumps(self.server.begin(tape)))
        trap = (_FOLDER / "trap.js").read_text(encoding="utf-8")
        source = trap.replace('"NAME"', json.dumps(self._binding)).replace('"WORDS"', words)
        added = self._call("Page.addScriptToEvaluateOnNewDocument", source=source)
        try:
            self._open()
            self._answer(tape.truths)
            self._send()
        except BrowserError as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
        if self.server.failed is not None:
            raise BrowserError(str(self.server.failed))
        try:
            self._leave()
            self._call("Page.removeScriptToEvaluateOnNewDocument", **added)
        except (Stuck, Silent) as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
        return visit

    def _open(self) -> None:
        """Open the page, and wait until it shows a question."""
        self._phase = "opening"
        self._context = 0
        self._call("Page.navigate", url=self.server.link)

        def opened() -> bool:
            if self.server.failed is not None:
                raise BrowserError(str(self.server.failed))
            scene = self._look()
            return scene is not None and not scene["starting"] and scene["button"]

        try:
            self._wait(opened, "the page asks nothing")
        except Stuck as stuck:
            said = (self._look() or {}).get("warning", "")
            raise Stuck(f"the page asks nothing: {said}" if said else str(stuck)) from None
        self._browser.listen(0)
        # From here on no more files are fetched from the server.
        self._is_recorded = True

    def _answer(self, truths: Sequence[int]) -> None:
        """Answer each question by its labels until the page shows all answers for review."""
        answered: set[str] = set()
        while True:
            scene = self._look() or {"questions": [], "review": False}
            waiting = [
                one
                for one in scene["questions"]
                if one["id"] in self.survey.places and one["id"] not in answered
            ]
            asks = {one["id"] for one in scene["questions"]}
            if waiting:
                answered.add(waiting[0]["id"])
                self._answer_question(self._at_rest(waiting[0]), truths)
            elif _CONSENT in asks - answered:
                answered.add(_CONSENT)
                self._phase = "answering"
                self._press(_CONSENT, 0)
            elif words := sorted((_HANDED_OUT & asks) - answered):
                answered.add(words[0])
                self._phase = "admitting"
                self._press(words[0], 0)
                self._call("Input.insertText", text=CODE)
            elif scene["review"]:
                return
            else:
                self._phase = "answering" if self._phase != "admitting" else "admitting"
                self._go_on(_where(scene))

    def _go_on(self, before: tuple[object, ...]) -> None:
        self._press(None)
        self._wait(lambda: _where(self._look()) != before, "the page does not go on")

    def _at_rest(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Wait until a question's spinner rests, if it has one; return the question as shown."""
        found = [shown]

        def rests() -> bool:
            scene = self._look() or {"questions": []}
            found[:] = [one for one in scene["questions"] if one["id"] == shown["id"]]
            return any(one["statement"] for one in found)

        if self.survey.question(shown["id"]).statements:
            self._wait(rests, f"{shown['id']}: the spinner does not rest")
        return found[0]

    def _answer_question(self, shown: dict[str, Any], truths: Sequence[int]) -> None:
        self._phase = "answering"
        question = self.survey.question(shown["id"])
        if shown["text"] != plain(question.text):
            self._visit.object(f"{question.id}: it asks “{shown['text']}”, which is another one")
        places = self.survey.places[question.id]
        wanted = {self.survey.items[place].text: truths[place] for place in places}
        ticked, typed = to_press(question, wanted, shown["inputs"], shown["statement"])
        # In the page's order: a row opens when the row before it is answered.
        for place in sorted(ticked):
            self._press(question.id, place)
        if typed is not None:
            self._call("Input.insertText", text=typed)

    def _send(self) -> None:
        """Press the last button, and wait until the report has arrived."""
        self._browser.listen(0)
        self._phase = "sending"
        pressed = self._press(None)
        self._wait(lambda: bool(self.server.reports), "no report is sent")
        self._visit.seconds = self.server.reports[0].moment - pressed
        self._wait(
            lambda: (self._look() or {}).get("outcome") is not None,
            "the page does not say that the report has arrived",
        )
        self._phase = "sent"
        self._visit.left |= self._evaluate(_SHOWN, self._context)
        self._visit.left["token"] = [one.head for one in self.server.asked]
        self._visit.reports = self.server.reports

    def _leave(self) -> None:
        """Go to an empty page of the same origin, and record what the survey's page left behind."""
        visit = self._visit
        self._browser.listen(0)
        if visit.clocks:
            visit.object("it sets a clock by setTimeout")
        signing = self.server.admitting
        if signing and [one.body for one in self.server.asked] != [signing.body]:
            visit.object("what it has signed is not its id, hidden by chance alone")
        entries = self._call("Page.getNavigationHistory")["entries"]
        visit.left["history"] = [[one["url"], one["title"]] for one in entries]
        self._go_away()
        visit.left |= self._evaluate(_KEPT)
        cookies = self._browser.call("Storage.getCookies")["cookies"]
        usage = self._call("Storage.getUsageAndQuota", origin=self._origin)["usageBreakdown"]
        used = [one["storageType"] for one in usage if one["usage"]]
        for what in (*(one["name"] for one in cookies), *used):
            visit.object(f"it keeps a cookie, database or cache: {what}")
        for line in self._wire.heard[self._heard :]:
            if not is_browsers_own(line):
                visit.object(f"it opens a connection by another way: {line[:120]}")
        self._heard = len(self._wire.heard)
        self._wire.hang_up()
        self._forget(everything=bool(visit.problems))
        self._phase = ""

    def _forget(self, *, everything: bool = True) -> None:
        """Reset the browser for the next visit; the slow part, only if `everything` is true."""
        if everything:
            self._call("Network.clearBrowserCookies")
            self._call("Storage.clearDataForOrigin", origin=self._origin, storageTypes="all")
        self._evaluate(_FORGET)
        self._call("Page.resetNavigationHistory")

    def _go_away(self) -> None:
        """Go to an empty page of the same origin."""
        self._phase = "left"
        there = f"location.href === '{self.server.blank}' && document.readyState === 'complete'"

        def arrived() -> bool:
            try:
                return self._evaluate(there) is True
            except BrowserError:  # the old page is just closing
                return False

        self._call("Page.navigate", url=self.server.blank)
        self._wait(arrived, "the page cannot be left")
        self._browser.listen(0)

    def _wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait until a condition holds; raise `Stuck` if it does not in time."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                waited = f"{PATIENCE:g} s; a busy machine can need more: audit again alone"
                raise Stuck(f"{otherwise} ({waited})")
            self._browser.listen(0.005)

    def _look(self) -> dict[str, Any] | None:
        """Return what the page shows; None while no page is there."""
        try:
            found = self._evaluate("look()", self._context) if self._context else None
        except BrowserError:
            self._browser.listen(0)
            return None
        return found if isinstance(found, dict) else None

    def _press(self, question: str | None, place: int = 0) -> float:
        """Press an input of a question, or the page's button if None; return the time."""
        point = self._evaluate(f"point({json.dumps(question)}, {place})", self._context)
        if point is None:
            raise Stuck(f"{question or 'the button'}: it cannot be seen on the page")
        at = {"x": point[0], "y": point[1], "button": "left", "clickCount": 1}
        event = "Input.dispatchMouseEvent"
        self._browser.send(event, self._session, type="mousePressed", **at)
        pressed = time.monotonic()
        self._call(event, type="mouseReleased", **at)
        return pressed

    def _evaluate(self, expression: str, context: int = 0) -> Any:
        """Return an expression's value in the page, or in the isolated world of a context."""
        where = {"contextId": context} if context else {}
        what = {"returnByValue": True, "awaitPromise": True, "expression": expression}
        answer = self._call("Runtime.evaluate", **what, **where)
        if "exceptionDetails" in answer:
            raise BrowserError(f"the page cannot be read: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")


def _where(scene: dict[str, Any] | None) -> tuple[object, ...]:
    """Return the ids and the state that change when a page goes on."""
    if scene is None:
        return ()
    return (*(one["id"] for one in scene["questions"]), scene["review"])
