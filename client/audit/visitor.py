"""Visits of a survey's real page: a person's clicks, and all that comes of them.

The browser has no network. Whatever it asks for, it asks the audit: the page's own files are
fetched from the server once and the same bytes are handed out at each visit, the report is answered
here, and nothing else is answered at all. What the browser does not ask for by its protocol meets a
proxy that lets nothing through, and counts as found.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from deniable.client.audit.chromium import Browser, Silent, browser, version
from deniable.client.audit.engine import AUDIT_FOLDER, EngineError
from deniable.client.audit.inputs import Stuck, plain, to_press
from deniable.client.audit.scripts import FORGET, KEPT, invited, trap
from deniable.client.audit.visit import Sent, Visit
from deniable.client.audit.wall import fenced, is_browsers_own, wall
from deniable.client.connection import Response
from deniable.survey import Survey

Fetch: TypeAlias = Callable[[str, Mapping[str, str]], Response]
"""Fetches a path from the survey's server, with a browser's headers."""

_TWICE: Final = "it sends more than one report"
_WORLD: Final = "look"
_BLANK: Final = "/between-visits"
_LOCAL: Final = ("data", "blob", "about", "chrome")
_PATIENCE: Final = 20.0
"""Seconds within which a page goes on."""

_HOP: Final = {"content-encoding", "content-length", "transfer-encoding", "connection"}
# What people have to agree to stands as a question, of no item.
_CONSENT: Final = "Consent"
_HANDED_OUT: Final = frozenset({"Pin"})
_ANY_WORD: Final = "any-word"
_EMPTY: Final = b'<!doctype html><link rel="icon" href="data:,">'


@contextmanager
def visitor(survey: Survey, link: str, fetch: Fetch) -> Iterator[Visitor]:
    """Start a browser that visits a survey's page."""
    with wall() as (port, heard), browser(fenced(port)) as found:
        yield Visitor(found, survey, link, fetch, heard)


class Visitor:
    """A browser that visits one survey, each time as if for the first time."""

    def __init__(
        self, found: Browser, survey: Survey, link: str, fetch: Fetch, heard: list[str]
    ) -> None:
        self.name = version(found)
        self.files: dict[str, Response] = {}
        self._browser = found
        self._survey = survey
        self._link = link
        parts = urlsplit(link)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._report = f"POST {link.partition('#')[0]}reports"
        self._fetch = fetch
        self._heard = heard
        self._deaf = 0
        self._visit = Visit()
        self._phase = ""
        self._context = 0
        self._binding = f"_{secrets.token_hex(8)}"
        self._failed: Exception | None = None
        self._is_recorded = False
        self._posted = 0.0
        self._announced = 0
        self._session = self._open_tab()

    def _open_tab(self) -> str:
        call = self._browser.call
        known = {one["targetId"] for one in call("Target.getTargets")["targetInfos"]}
        target = call("Target.createTarget", url="about:blank")["targetId"]
        known.add(target)
        session: str = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._known = known
        self._target = target
        self._session = session
        self._browser.on_event = self._follow
        for domain in ("Page", "Runtime", "Network"):
            call(f"{domain}.enable", session)
        follow: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True}
        # What a page opens waits for us before it runs, and waits for ever.
        call("Target.setAutoAttach", session, flatten=True, **follow)
        everything = [{"type": "browser_ui", "exclude": True}, {"type": "tab", "exclude": True}, {}]
        call("Target.setAutoAttach", flatten=True, filter=everything, **follow)
        call("Fetch.enable", session, patterns=[{"urlPattern": "*"}])
        call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        call("Runtime.addBinding", session, name=self._binding)
        agent = call("Browser.getVersion")["userAgent"].replace("Headless", "")
        language = self._survey.languages[0]
        call("Network.setUserAgentOverride", session, userAgent=agent, acceptLanguage=language)
        size = {"width": 1000, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
        call("Emulation.setDeviceMetricsOverride", session, **size)
        call("Emulation.setFocusEmulationEnabled", session, enabled=True)
        look = (AUDIT_FOLDER / "look.js").read_text(encoding="utf-8")
        call("Page.addScriptToEvaluateOnNewDocument", session, source=look, worldName=_WORLD)
        # The history begins as it does after each visit.
        self._go_away()
        self._forget_all()
        self._evaluate(FORGET)
        return session

    def _follow(self, session: str, method: str, said: dict[str, Any]) -> None:
        match method:
            case "Fetch.requestPaused":
                self._answer_request(session, said)
            case "Network.requestWillBeSent":
                self._hear_of(said["request"]["method"], said["request"]["url"])
            case "Runtime.executionContextCreated":
                if session == self._session and said["context"]["name"] == _WORLD:
                    self._context = said["context"]["id"]
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
            case "Network.webSocketCreated" | "Network.webTransportCreated":
                self._visit.object(f"it opens a connection to {said['url']}")
            case "Browser.downloadWillBegin" | "Page.downloadWillBegin":
                self._visit.object("it saves a file by itself")
            case "Page.javascriptDialogOpening":
                self._visit.object("it opens a dialog")
                self._browser.send("Page.handleJavaScriptDialog", session, accept=True)

    def _hold(self, session: str, info: dict[str, Any]) -> None:
        """Let nothing run in what a page has opened."""
        if info["type"] in ("iframe", "page"):
            # The page that opened it would wait for it. Its requests go the way of all others.
            self._browser.send("Fetch.enable", session, patterns=[{"urlPattern": "*"}])
            self._browser.send("Runtime.runIfWaitingForDebugger", session)
        if info["type"] != "iframe":
            self._browser.send("Target.closeTarget", targetId=info["targetId"])

    def _hear_of(self, method: str, url: str) -> None:
        """Follow what the page asks for, also what its policy forbids."""
        if f"{method} {url}" == self._report and self._phase in ("sending", "sent"):
            self._announced += 1
            if self._announced > 1:
                self._visit.object(_TWICE)
        elif not self._is_own(method, url):
            self._object_to(method, url)

    def _is_own(self, method: str, url: str) -> bool:
        """Return whether a request is one that a page may make at this time."""
        if urlsplit(url).scheme in _LOCAL:
            return True
        if url == self._origin + _BLANK:
            return self._phase == "left"
        if f"{method} {url}" == self._report:
            return self._phase == "sending"
        own = url in self.files or (not self._is_recorded and url.startswith(f"{self._origin}/"))
        return method == "GET" and self._phase == "opening" and own

    def _object_to(self, method: str, url: str) -> None:
        if f"{method} {url}" == self._report and self._visit.reports:
            self._visit.object(_TWICE)
            return
        when = {
            "opening": "while it opens",
            "answering": "while questions are answered",
            "sending": "beside the report",
            "sent": "after the report",
        }.get(self._phase, "when it is left")
        # What an address says may differ from visit to visit: the kind of the problem does not.
        self._visit.object(f"it asks for {method} {url.partition('?')[0][:120]} {when}")

    def _answer_request(self, session: str, said: dict[str, Any]) -> None:
        request, number = said["request"], said["requestId"]
        method, url = request["method"], request["url"]
        if not self._is_own(method, url):
            self._object_to(method, url)
            self._browser.send(
                "Fetch.failRequest", session, requestId=number, errorReason="BlockedByClient"
            )
        elif urlsplit(url).scheme in _LOCAL:
            self._browser.send("Fetch.continueRequest", session, requestId=number)
        elif url == self._origin + _BLANK:
            # Isolated as the page is, so that no other process has to be started for it.
            isolated = [
                ("Content-Type", "text/html"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Cross-Origin-Embedder-Policy", "require-corp"),
            ]
            self._fulfil(session, number, Response(200, _EMPTY, None, tuple(isolated)))
        elif method == "POST":
            self._posted = time.monotonic()
            headers = (f"{name}: {value}" for name, value in sorted(request["headers"].items()))
            sent = Sent(request.get("postData", ""), (f"{method} {url}", *headers))
            self._visit.reports.append(sent)
            if len(self._visit.reports) > 1:
                self._visit.object(_TWICE)
            self._fulfil(session, number, Response(201, b'{"status":"stored"}'))
        else:
            self._hand_out(session, number, url, request["headers"])

    def _hand_out(self, session: str, number: str, url: str, headers: Mapping[str, str]) -> None:
        """Answer with one of the page's own files, fetched when it is first asked for."""
        if url not in self.files:
            path = url.removeprefix(self._origin).partition("#")[0]
            try:
                self.files[url] = self._fetch(path, headers)
            except Exception as error:  # noqa: BLE001  told by whoever waits for the page
                self._failed = error
                self.files[url] = Response(502, b"")
        self._fulfil(session, number, self.files[url])

    def _fulfil(self, session: str, number: str, response: Response) -> None:
        self._browser.send(
            "Fetch.fulfillRequest",
            session,
            requestId=number,
            responseCode=response.status,
            responseHeaders=[
                {"name": name, "value": value}
                for name, value in response.headers
                if name.lower() not in _HOP
            ],
            body=base64.b64encode(response.body).decode(),
        )

    def _hear(self, said: str) -> None:
        """Follow what the trap tells."""
        kind, _, rest = said.partition(" ")
        match kind:
            case "drawn":
                self._visit.drawn.append(int(rest))
                if self._phase != "opening":
                    self._visit.object("it draws random words after the first answer")
            case "random":
                self._visit.object(
                    "Math.random was called: its next value can be computed from earlier ones"
                )
            case "way":
                self._visit.object(f"it makes a {rest}")
            case "timer":
                name, _, length = rest.partition(" ")
                if self._phase in ("sending", "sent", "left"):
                    self._visit.after.append(rest)
                if name == "setInterval" or float(length) > 0:
                    # Without the length, which may differ from visit to visit.
                    self._visit.object(f"it sets a clock by {name}")

    def visit(self, truths: Sequence[int], words: Sequence[int], wave: int = 0) -> Visit:
        """Visit the page, answer everything that it asks, send the report and leave."""
        self._visit = visit = Visit()
        call, session = self._browser.call, self._session
        source = trap(self._binding, words) + invited(self._survey, self._link, words, wave)
        added = call("Page.addScriptToEvaluateOnNewDocument", session, source=source)
        self._phase = "opening"
        self._context = self._announced = 0
        try:
            call("Page.navigate", session, url=self._link)
            self._open()
            self._answer(truths)
            self._send()
        except Stuck as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
        except Silent:
            visit.is_stuck = True
            visit.object("the page hangs")
        try:
            self._leave()
            call("Page.removeScriptToEvaluateOnNewDocument", session, **added)
        except (Stuck, Silent) as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
            self._browser.send("Target.closeTarget", targetId=self._target)
            self._session = self._open_tab()
        return visit

    def _open(self) -> None:
        """Wait until something is asked."""

        def opened() -> bool:
            scene = self._look()
            return scene is not None and not scene["starting"] and scene["button"]

        try:
            self._wait(opened, "the page asks nothing")
        except Stuck as stuck:
            if self._failed is not None:
                raise EngineError(str(self._failed)) from None
            said = (self._look() or {}).get("warning", "")
            raise Stuck(f"{stuck}: {said}" if said else str(stuck)) from None
        self._browser.listen(0)
        # From here on the server is asked no more.
        self._is_recorded = True

    def _answer(self, truths: Sequence[int]) -> None:
        """Answer what is shown, as its labels say, and go on until all answers are shown."""
        answered: set[str] = set()
        while True:
            scene = self._look() or {"questions": [], "review": False}
            waiting = [
                one
                for one in scene["questions"]
                if one["id"] in self._survey.places and one["id"] not in answered
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
                self._phase = "answering"
                self._press(words[0], 0)
                self._browser.call("Input.insertText", self._session, text=_ANY_WORD)
            elif scene["review"]:
                return
            else:
                self._phase = "answering"
                self._go_on(_where(scene))

    def _go_on(self, before: tuple[object, ...]) -> None:
        """Press the button, and wait until something else is shown."""
        self._press(None)
        self._wait(lambda: _where(self._look()) != before, "the page does not go on")

    def _at_rest(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return a question as it is shown once its spinner rests, if it has one."""
        found = [shown]

        def rests() -> bool:
            scene = self._look() or {"questions": []}
            found[:] = [one for one in scene["questions"] if one["id"] == shown["id"]]
            return any(one["statement"] for one in found)

        if self._survey.question(shown["id"]).statements:
            self._wait(rests, f"{shown['id']}: the spinner does not rest")
        return found[0]

    def _answer_question(self, shown: dict[str, Any], truths: Sequence[int]) -> None:
        self._phase = "answering"
        question = self._survey.question(shown["id"])
        if shown["text"] != plain(question.text):
            self._visit.object(f"{question.id}: it asks “{shown['text']}”, which is another one")
        places = self._survey.places[question.id]
        wanted = {self._survey.items[place].text: truths[place] for place in places}
        ticked, typed = to_press(question, wanted, shown["inputs"], shown["statement"])
        # In the order in which they stand: a row is opened by the answer to the one before it.
        for place in sorted(ticked):
            self._press(question.id, place)
        if typed is not None:
            self._browser.call("Input.insertText", self._session, text=typed)

    def _send(self) -> None:
        """Press the last button, and wait until the report has arrived."""
        self._browser.listen(0)
        self._phase = "sending"
        pressed = self._press(None)
        self._wait(lambda: bool(self._visit.reports), "no report is sent")
        self._visit.seconds = self._posted - pressed
        self._phase = "sent"
        self._wait(
            lambda: (self._look() or {}).get("outcome") is not None,
            "the page does not say that the report has arrived",
        )

    def _leave(self) -> None:
        """Go to an empty page of the same origin, and look at what is left behind there."""
        call, session = self._browser.call, self._session
        visit = self._visit
        self._browser.listen(0)
        history = call("Page.getNavigationHistory", session)
        kept: dict[str, Any] = {
            "history": [[one["url"], one["title"]] for one in history["entries"]]
        }
        self._go_away()
        kept |= self._evaluate(KEPT)
        self._browser.listen(0)
        cookies = call("Storage.getCookies")["cookies"]
        usage = call("Storage.getUsageAndQuota", session, origin=self._origin)["usageBreakdown"]
        used = [one["storageType"] for one in usage if one["usage"]]
        for what in (*(one["name"] for one in cookies), *used, *kept.pop("databases")):
            visit.object(f"it keeps a cookie, database or cache: {what}")
        visit.kept = kept
        for line in self._heard[self._deaf :]:
            if not is_browsers_own(line):
                visit.object(f"it opens a connection by another way: {line[:120]}")
        self._deaf = len(self._heard)
        if visit.problems:
            self._forget_all()
        self._evaluate(FORGET)
        call("Page.resetNavigationHistory", session)
        self._phase = ""

    def _forget_all(self) -> None:
        """Forget also what no honest page keeps, which takes long."""
        call, session = self._browser.call, self._session
        call("Network.clearBrowserCookies", session)
        call("Storage.clearDataForOrigin", session, origin=self._origin, storageTypes="all")
        call("Page.resetNavigationHistory", session)

    def _go_away(self) -> None:
        """Go to an empty page of the same origin."""
        self._phase = "left"
        there = f"location.pathname === '{_BLANK}' && document.readyState === 'complete'"

        def arrived() -> bool:
            try:
                return self._evaluate(there) is True
            except EngineError:  # of a page that is just going
                return False

        self._browser.call("Page.navigate", self._session, url=self._origin + _BLANK)
        self._wait(arrived, "the page cannot be left")

    def _look(self) -> dict[str, Any] | None:
        """Look at the page; None while there is none."""
        try:
            found = self._evaluate("look()", self._context) if self._context else None
        except EngineError:
            self._browser.listen(0)
            return None
        return found if isinstance(found, dict) else None

    def _press(self, question: str | None, place: int = 0) -> float:
        """Press an input of a question, or the button that leads on; return when."""
        where = "" if question is None else f"{json.dumps(question)}, {place}"
        point = self._evaluate(f"point({where})", self._context)
        if point is None:
            raise Stuck(f"{question or 'the button'}: it cannot be seen on the page")
        mouse = {"x": point[0], "y": point[1], "button": "left", "clickCount": 1}
        event = "Input.dispatchMouseEvent"
        self._browser.send(event, self._session, type="mousePressed", **mouse)
        pressed = time.monotonic()
        self._browser.call(event, self._session, type="mouseReleased", **mouse)
        return pressed

    def _evaluate(self, expression: str, context: int = 0) -> Any:
        where = {"contextId": context} if context else {}
        answer = self._browser.call(
            "Runtime.evaluate",
            self._session,
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            **where,
        )
        if "exceptionDetails" in answer:
            raise EngineError(f"the page cannot be read: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")

    def _wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise Stuck(otherwise)
            self._browser.listen(0.005)


def _where(scene: dict[str, Any] | None) -> tuple[object, ...]:
    """Return what changes when a page goes on."""
    if scene is None:
        return ()
    return (*(one["id"] for one in scene["questions"]), scene["review"])
