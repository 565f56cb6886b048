"""Visits of a survey's real page: a person's clicks, and all that comes of them.

The browser has no network. What the page may ask for arrives at the audit's own socket: the page's
own files are fetched from the server once and the same bytes are handed out at each visit, the
report is answered here, and nothing else is answered at all. What the browser asks for without
telling it by its protocol meets the same socket, and counts as found.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from deniable.client.audit.chromium import Browser, Silent, browser, version
from deniable.client.audit.engine import EngineError
from deniable.client.audit.inputs import Stuck, plain, to_press
from deniable.client.audit.left import left_on
from deniable.client.audit.manners import OFFLINE, Manner
from deniable.client.audit.scripts import FORGET, KEPT, OTHERS, trap
from deniable.client.audit.server import CODE, EMPTY, Fetch, Server
from deniable.client.audit.tab import STEP, Tab
from deniable.client.audit.tapes import Tape
from deniable.client.audit.visit import Sent, Visit
from deniable.client.audit.wire import Wire, fenced, is_browsers_own, wire
from deniable.client.connection import Response
from deniable.survey import Survey

_TWICE: Final = "it sends more than one report"
_LOCAL: Final = ("data", "blob", "about", "chrome")
_LATER: Final = 3_600_000
"""Milliseconds that somebody who is slow stays on the page after the report."""

# What people have to agree to stands as a question, of no item.
_CONSENT: Final = "Consent"
_HANDED_OUT: Final = frozenset({"Code", "Pin"})
_READ: Final = frozenset({"retry-after", "www-authenticate"})
"""What an honest page looks for among the headers of an answer."""

_FRAMES: Final = 10
"""How many frames of pictures an honest page asks for at most once its report is sent."""

_PLAIN: Final = Manner()


@contextmanager
def visitor(survey: Survey, link: str, fetch: Fetch) -> Iterator[Visitor]:
    """Start a browser that visits a survey's page."""
    with wire(link) as out, browser(fenced(out.port)) as found:
        yield Visitor(found, survey, link, fetch, out)


class Visitor:
    """A browser that visits one survey, each time as if for the first time."""

    def __init__(self, found: Browser, survey: Survey, link: str, fetch: Fetch, out: Wire) -> None:
        self.name = version(found)
        self._browser = found
        found.ended = self._look_at
        self.server = Server(survey, link, fetch)
        self.survey = self.server.survey
        parts = urlsplit(link)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        # No page can know it.
        self._blank = f"{self._origin}/{secrets.token_hex(8)}"
        self.left: list[str] = []  # what is wrong on the device once the browser has ended
        self._wire = out
        self._deaf = 0
        self._visit = Visit()
        self._manner = Manner()
        self._phase = ""
        self._binding = f"_{secrets.token_hex(8)}"
        self._is_recorded = False
        self._announced = self._frames = 0
        self._moments: list[int] = []
        self._known: set[str] = set()
        out.answer = self.server.answer
        self._open_tabs()

    def _look_at(self, profile: Path) -> None:
        """Look at what the browser has left on the device."""
        link = self.server.link
        self.left = left_on(profile, {link, link.partition("#")[0]}, self._blank)

    def _open_tabs(self) -> None:
        """Open a tab where time passes as it does, and one where it passes when it is told to."""
        call = self._browser.call
        language = self.survey.languages[0]
        self._tabs = [
            Tab(self._browser, self._binding, language, is_slow=slow) for slow in (False, True)
        ]
        self._known |= {one["targetId"] for one in call("Target.getTargets")["targetInfos"]}
        self._browser.on_event = self._follow
        everything = [{"type": "browser_ui", "exclude": True}, {"type": "tab", "exclude": True}, {}]
        follow: dict[str, Any] = {"autoAttach": True, "waitForDebuggerOnStart": True}
        call("Target.setAutoAttach", flatten=True, filter=everything, **follow)
        call("Browser.setDownloadBehavior", behavior="deny", eventsEnabled=True)
        # The history begins as it does after each visit.
        for tab in reversed(self._tabs):
            self._tab = tab
            self._go_away()
            self._forget_all()
            self._tab.evaluate(FORGET)

    def _follow(self, session: str, method: str, said: dict[str, Any]) -> None:
        for tab in self._tabs:
            if tab.session == session:
                tab.follow(method, said)
        match method:
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
        if f"{method} {url}" == self.server.report and self._phase in ("sending", "sent"):
            self._announced += 1
            if self._announced > self._reports:
                self._visit.object(_TWICE)
        elif not self._is_own(method, url):
            self._object_to(method, url)

    @property
    def _reports(self) -> int:
        """How often a report is sent until it has arrived."""
        return 1 + bool(self._manner.trouble)

    def _is_own(self, method: str, url: str) -> bool:
        """Return whether a request is one that a page may make at this time."""
        if urlsplit(url).scheme in _LOCAL:
            return True
        if url == self._blank:
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
        if f"{method} {url}" == self.server.report and self._announced:
            self._visit.object(_TWICE)
            return
        when = {
            "opening": "while it opens",
            "admitting": "beside its code",
            "answering": "while questions are answered",
            "sending": "beside the report",
            "sent": "after the report",
        }.get(self._phase, "when it is left")
        # What an address says may differ from visit to visit: the kind of the problem does not.
        self._visit.object(f"it asks for {method} {url.partition('?')[0][:120]} {when}")

    def _answer_request(self, session: str, said: dict[str, Any]) -> None:
        request, number = said["request"], said["requestId"]
        method, url = request["method"], request["url"]
        is_offline = self._manner.trouble == OFFLINE
        if not self._is_own(method, url):
            self._object_to(method, url)
            self._browser.send(
                "Fetch.failRequest", session, requestId=number, errorReason="BlockedByClient"
            )
        elif urlsplit(url).scheme in _LOCAL:
            self._browser.send("Fetch.continueRequest", session, requestId=number)
        elif url == self._blank:
            self._fulfil(session, number, EMPTY)
        elif f"{method} {url}" == self.server.report and is_offline and not self._moments:
            self._moments.append(self._tab.spent)
            how = {"requestId": number, "errorReason": "InternetDisconnected"}
            self._browser.send("Fetch.failRequest", session, **how)
        else:
            if f"{method} {url}" == self.server.report:
                self._moments.append(self._tab.spent)
            if method == "GET":
                self.server.get(url, request["headers"])
            self._wire.expect(method, url)
            self._browser.send("Fetch.continueRequest", session, requestId=number)

    def _fulfil(self, session: str, number: str, response: Response) -> None:
        self._browser.send(
            "Fetch.fulfillRequest",
            session,
            requestId=number,
            responseCode=response.status,
            responseHeaders=[{"name": name, "value": value} for name, value in response.headers],
            body=base64.b64encode(response.body).decode(),
        )

    def _hear(self, said: str) -> None:
        """Follow what the trap tells."""
        kind, _, rest = said.partition(" ")
        match kind:
            case "drawn":
                self._visit.drawn.append(int(rest))
                if self._phase not in ("opening", "admitting"):
                    self._visit.object("it draws random words after the first answer")
            case "finds":
                self._visit.object(rest)
            case "state":
                self._visit.kept.setdefault("states", []).append(rest)
                if rest != "null" and not rest.removeprefix('{"depth":').rstrip("}").isdecimal():
                    self._visit.object("its history keeps more than a depth")
            case "read":
                if rest.lower() not in _READ:
                    self._visit.object(f"it reads {rest} of an answer")
            case "frame":
                self._frames += self._phase in ("sending", "sent", "left")
                if self._frames > _FRAMES:
                    self._visit.object("it counts the frames of pictures after its report")
            case "timer":
                name, _, length = rest.partition(" ")
                if self._phase in ("sending", "sent", "left"):
                    self._visit.after.append(rest)
                # A report that met trouble is sent again after a while.
                is_allowed = self._manner.trouble and self._phase == "sending"
                if name == "setInterval" or (float(length) > 0 and not is_allowed):
                    # Without the length, which may differ from visit to visit.
                    self._visit.object(f"it sets a clock by {name}")

    def visit(self, tape: Tape, manner: Manner = _PLAIN) -> Visit:
        """Visit the page, answer everything that it asks, send the report and leave."""
        self._visit = visit = Visit()
        self._manner = manner
        self._announced = self._frames = 0
        self._moments = []
        self._tab = tab = self._tabs[manner.is_slow]
        self._browser.call("Target.activateTarget", targetId=tab.target)
        tab.become(manner)
        source = trap(self._binding, self.server.begin(tape, manner))
        added = tab.call("Page.addScriptToEvaluateOnNewDocument", source=source)
        try:
            self._open()
            self._answer(tape.truths)
            self._send()
        except Stuck as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
        except Silent:
            visit.is_stuck = True
            visit.object("the page hangs")
        try:
            self._leave()
            tab.call("Page.removeScriptToEvaluateOnNewDocument", **added)
        except (Stuck, Silent) as stuck:
            visit.is_stuck = True
            visit.object(str(stuck))
        return visit

    def _open(self) -> None:
        """Open the page, as often as is somebody's manner, and wait until something is asked."""
        ways: dict[str, Callable[[], object]] = {
            "return": lambda: self._tab.call("Page.navigate", url=self.server.link),
            "back": self._back,
            "reload": lambda: self._tab.call("Page.reload"),
        }
        self._go(ways["return"])
        if again := self._manner.once_more:
            if again != "reload":
                self._go_away()
            self._go(ways[again])
        # From here on the server is asked no more.
        self._is_recorded = True

    def _back(self) -> None:
        """Go back as the browser does: a page that is left may not live to answer."""
        history = self._tab.call("Page.getNavigationHistory")
        before = history["entries"][history["currentIndex"] - 1]
        self._tab.call("Page.navigateToHistoryEntry", entryId=before["id"])

    def _go(self, how: Callable[[], object]) -> None:
        self._phase = "opening"
        self._visit.drawn.clear()
        self._tab.context = 0
        how()

        def opened() -> bool:
            scene = self._tab.look()
            return scene is not None and not scene["starting"] and scene["button"]

        try:
            self._tab.wait(opened, "the page asks nothing")
        except Stuck as stuck:
            if self.server.failed is not None:
                raise EngineError(str(self.server.failed)) from None
            said = (self._tab.look() or {}).get("warning", "")
            raise Stuck(f"the page asks nothing: {said}" if said else str(stuck)) from None
        self._browser.listen(0)

    def _answer(self, truths: Sequence[int]) -> None:
        """Answer what is shown, as its labels say, and go on until all answers are shown."""
        answered: set[str] = set()
        while True:
            scene = self._tab.look() or {"questions": [], "review": False}
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
                self._tab.press(_CONSENT, 0)
            elif words := sorted((_HANDED_OUT & asks) - answered):
                answered.add(words[0])
                self._phase = "admitting"
                self._tab.press(words[0], 0)
                self._tab.call("Input.insertText", text=CODE)
            elif scene["review"]:
                return
            else:
                self._phase = "answering" if self._phase != "admitting" else "admitting"
                self._go_on(_where(scene))

    def _go_on(self, before: tuple[object, ...]) -> None:
        """Press the button, and wait until something else is shown."""
        self._tab.press(None)
        self._tab.wait(lambda: _where(self._tab.look()) != before, "the page does not go on")

    def _at_rest(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return a question as it is shown once its spinner rests, if it has one."""
        found = [shown]

        def rests() -> bool:
            scene = self._tab.look() or {"questions": []}
            found[:] = [one for one in scene["questions"] if one["id"] == shown["id"]]
            return any(one["statement"] for one in found)

        if self.survey.question(shown["id"]).statements:
            self._tab.wait(rests, f"{shown['id']}: the spinner does not rest")
        return found[0]

    def _answer_question(self, shown: dict[str, Any], truths: Sequence[int]) -> None:
        self._phase = "answering"
        question = self.survey.question(shown["id"])
        if shown["text"] != plain(question.text):
            self._visit.object(f"{question.id}: it asks “{shown['text']}”, which is another one")
        places = self.survey.places[question.id]
        wanted = {self.survey.items[place].text: truths[place] for place in places}
        ticked, typed = to_press(question, wanted, shown["inputs"], shown["statement"])
        # In the order in which they stand: a row is opened by the answer to the one before it.
        for place in sorted(ticked):
            self._tab.press(question.id, place)
        if typed is not None:
            self._tab.call("Input.insertText", text=typed)

    def _send(self) -> None:
        """Press the last button, and wait until the report has arrived."""
        tab, visit = self._tab, self._visit
        self._browser.listen(0)
        if self._manner.hides:
            self._hide()
        visit.shown["addresses"] = tab.evaluate("shownNow()", tab.context)["addresses"]
        self._phase = "sending"
        is_offline = self._manner.trouble == OFFLINE
        if is_offline:
            self._connect(offline=True)
        pressed = tab.press(None)
        if is_offline:
            tab.wait(lambda: bool(self._moments), "no report is sent")
            tab.spend(STEP)
            self._connect(offline=False)
        tab.wait(lambda: bool(self.server.reports), "no report is sent")
        visit.seconds = self.server.reports[0].moment - pressed
        outcome = "stored" if self._manner.trouble else None

        def told() -> bool:
            found = (tab.look() or {}).get("outcome")
            return found is not None if outcome is None else found == outcome

        tab.wait(told, "the page does not say that the report has arrived")
        self._phase = "sent"
        visit.shown |= {"after": tab.evaluate("shownNow()", tab.context)}
        if self._manner.hides:
            self._hide()
        tab.linger(_LATER, _FRAMES + 2)
        visit.shown["token"] = [one.head for one in self.server.asked]
        moments = self._moments[-len(self.server.reports) :]
        connections = [one.connection for one in self.server.reports]
        visit.reports = [
            Sent(
                one.body,
                self.server.without_token(one.head),
                (connections.index(one.connection), one.is_shared),
                # When a device learns that it is online again is not told by the tab's time.
                moment if self._manner.is_slow and self._manner.trouble != OFFLINE else 0,
            )
            for one, moment in zip(self.server.reports, moments, strict=True)
        ]

    def _connect(self, *, offline: bool) -> None:
        unlimited = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._tab.call("Network.emulateNetworkConditions", offline=offline, **unlimited)

    def _hide(self) -> None:
        """Look at another tab for a while."""
        other = next(one for one in self._tabs if one is not self._tab)
        self._tab.call("Emulation.setFocusEmulationEnabled", enabled=False)
        self._browser.call("Target.activateTarget", targetId=other.target)
        self._tab.spend(STEP)
        self._browser.call("Target.activateTarget", targetId=self._tab.target)
        self._tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self._browser.listen(0)

    def _leave(self) -> None:
        """Go to an empty page of the same origin, and look at what is left behind there."""
        call, visit, tab = self._browser.call, self._visit, self._tab
        self._browser.listen(0)
        signing = self.server.admitting
        if signing and [one.body for one in self.server.asked] != [signing.body]:
            visit.object("what it has signed is not its id, hidden by chance alone")
        history = tab.call("Page.getNavigationHistory")
        kept: dict[str, Any] = {
            "history": [[one["url"], one["title"]] for one in history["entries"]]
        }
        self._go_away()
        kept |= tab.evaluate(KEPT)
        self._browser.listen(0)
        cookies = call("Storage.getCookies")["cookies"]
        usage = tab.call("Storage.getUsageAndQuota", origin=self._origin)["usageBreakdown"]
        used = [one["storageType"] for one in usage if one["usage"]]
        # In the tab whose time passes by itself: such answers take a while. Beside the trap.
        others = self._tabs[0].evaluate(OTHERS, self._tabs[0].context)
        for what in (*(one["name"] for one in cookies), *used, *others):
            visit.object(f"it keeps a cookie, database or cache: {what}")
        visit.kept |= kept
        for line in self._wire.heard[self._deaf :]:
            if not is_browsers_own(line):
                visit.object(f"it opens a connection by another way: {line[:120]}")
        self._deaf = len(self._wire.heard)
        self._wire.hang_up()
        if visit.problems:
            self._forget_all()
        tab.evaluate(FORGET)
        tab.call("Page.resetNavigationHistory")
        self._phase = ""

    def _forget_all(self) -> None:
        """Forget also what no honest page keeps, which takes long."""
        self._tab.call("Network.clearBrowserCookies")
        self._tab.call("Storage.clearDataForOrigin", origin=self._origin, storageTypes="all")
        self._tab.call("Page.resetNavigationHistory")

    def _go_away(self) -> None:
        """Go to an empty page of the same origin."""
        self._phase = "left"
        there = f"location.href === '{self._blank}' && document.readyState === 'complete'"

        def arrived() -> bool:
            try:
                return self._tab.evaluate(there) is True
            except EngineError:  # of a page that is just going
                return False

        self._tab.call("Page.navigate", url=self._blank)
        self._tab.wait(arrived, "the page cannot be left")


def _where(scene: dict[str, Any] | None) -> tuple[object, ...]:
    """Return what changes when a page goes on."""
    if scene is None:
        return ()
    return (*(one["id"] for one in scene["questions"]), scene["review"])
