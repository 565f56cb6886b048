"""A tab of the audit's browser: what somebody sees and does in it, and how its time passes."""

import json
import time
from collections.abc import Callable
from typing import Any, Final

from deniable.client.audit.chromium import Browser, Silent
from deniable.client.audit.engine import AUDIT_FOLDER, EngineError
from deniable.client.audit.inputs import Stuck
from deniable.client.audit.manners import Manner

WORLD: Final = "look"
PATIENCE: Final = 20.0
"""Seconds within which a page goes on."""

STEP: Final = 370
"""Milliseconds of a slow tab's own time, of which pauses of whole seconds are no multiples."""

_AT_EACH_PRESS: Final = 60_000
_FAST: Final = 100_000
"""How much faster than for people animations run where time does not pass by itself."""

_DESK: Final = {"width": 1000, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
_PHONE: Final = {"width": 390, "height": 800, "deviceScaleFactor": 3, "mobile": True}
_UNSPOKEN: Final = "eo"
_SPACE: Final = {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32, "text": " "}


class Tab:
    """A tab. In a slow one no time passes but what is spent, which costs nothing."""

    def __init__(self, browser: Browser, binding: str, language: str, *, is_slow: bool) -> None:
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        to = {"targetId": self.target, "flatten": True}
        self.session: str = browser.call("Target.attachToTarget", **to)["sessionId"]
        self.context = 0
        self.spent = 0  # milliseconds since the last press
        self.is_slow = is_slow
        self._browser = browser
        self._language = language
        self._is_passing = False
        self._manner = Manner()
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        # What a page opens waits for us before it runs, and waits for ever.
        follow = {"flatten": True, "autoAttach": True, "waitForDebuggerOnStart": True}
        self.call("Target.setAutoAttach", **follow)
        self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self.call("Runtime.addBinding", name=binding)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        look = (AUDIT_FOLDER / "look.js").read_text(encoding="utf-8")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=look, worldName=WORLD)
        if is_slow:
            self.call("Animation.enable")
            self.call("Animation.setPlaybackRate", playbackRate=_FAST)
            self.call("Emulation.setVirtualTimePolicy", policy="pause")

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command to this tab, and return what it answers."""
        return self._browser.call(method, self.session, **parameters)

    def follow(self, method: str, said: dict[str, Any]) -> None:
        """Follow what the browser says of this tab."""
        if method == "Runtime.executionContextCreated" and said["context"]["name"] == WORLD:
            self.context = said["context"]["id"]
        elif method == "Emulation.virtualTimeBudgetExpired":
            self._is_passing = False

    def become(self, manner: Manner) -> None:
        """Be the device of somebody with such manners."""
        self._manner = manner
        agent = self._browser.call("Browser.getVersion")["userAgent"].replace("Headless", "")
        if manner.is_phone:
            agent = agent.replace("X11; Linux x86_64", "Linux; Android 10; K")
            agent = agent.replace(" Safari", " Mobile Safari")
        language = _UNSPOKEN if manner.is_foreign else self._language
        self.call("Network.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        size = _PHONE if manner.is_phone else _DESK
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setTouchEmulationEnabled", enabled=manner.is_phone)

    def spend(self, milliseconds: int) -> None:
        """Let time pass, if it does not by itself; while something is fetched, it waits."""
        if not self.is_slow:
            return
        self._is_passing = True
        policy = {"policy": "pauseIfNetworkFetchesPending", "budget": milliseconds}
        self.call("Emulation.setVirtualTimePolicy", **policy)
        self._until(lambda: not self._is_passing, "its time does not pass")
        self.spent += milliseconds

    def linger(self, milliseconds: int, pictures: int) -> None:
        """Let time pass, and so many pictures of the page be made, unless it is left by itself.

        How many are made in a time depends on how busy the machine is.
        """
        if not self.is_slow:
            return
        try:
            self.evaluate(f"pictures({pictures})", self.context)
        except Silent:
            raise
        except EngineError:
            self._browser.listen(0)
        self.spend(milliseconds)

    def wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait for something that comes by itself."""
        self._until(condition, otherwise, lambda: self.spend(STEP))

    def _until(
        self,
        condition: Callable[[], bool],
        otherwise: str,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                waited = f"{PATIENCE:g} s; a busy machine can need more: audit again alone"
                raise Stuck(f"{otherwise} ({waited})")
            self._browser.listen(0.005)
            meanwhile()

    def look(self) -> dict[str, Any] | None:
        """Look at the page; None while there is none."""
        try:
            found = self.evaluate("look()", self.context) if self.context else None
        except EngineError:
            self._browser.listen(0)
            return None
        return found if isinstance(found, dict) else None

    def press(self, question: str | None, place: int = 0) -> float:
        """Press an input of a question, or the button that leads on; return when."""
        where = "null" if question is None else json.dumps(question)
        point = self.evaluate(f"point({where}, {place})", self.context)
        if point is None:
            raise Stuck(f"{question or 'the button'}: it cannot be seen on the page")
        self.spent = 0
        pressed = self._touch(where, place, *point)
        if self.is_slow and question is not None:
            self.spend(_AT_EACH_PRESS)
        return pressed

    def _touch(self, where: str, place: int, x: float, y: float) -> float:
        both: dict[str, Any]
        mouse = "Input.dispatchMouseEvent"
        tell = self._browser.send if self.is_slow else self._browser.call
        if self._manner.moves:
            for turn in range(12, 0, -1):
                moved = {"x": x + 3 * turn, "y": y + turn}
                # Moves that do not wait for each other become one where a machine is busy.
                tell(mouse, self.session, type="mouseMoved", **moved)
        if self._manner.by_keys:
            if self.evaluate(f"focusOn({where}, {place})", self.context) == "text":
                return time.monotonic()
            event, both = "Input.dispatchKeyEvent", _SPACE
            down, up = {"type": "keyDown"}, {"type": "keyUp"}
        else:
            event = mouse
            both = {"x": x, "y": y, "button": "left", "clickCount": 1}
            down, up = {"type": "mousePressed"}, {"type": "mouseReleased"}
        self._browser.send(event, self.session, **down, **both)
        pressed = time.monotonic()
        self.call(event, **up, **both)
        return pressed

    def evaluate(self, expression: str, context: int = 0) -> Any:
        """Return what an expression is in the page, or in a world of its own beside it."""
        where = {"contextId": context} if context else {}
        what = {"returnByValue": True, "awaitPromise": True, "expression": expression}
        answer = self.call("Runtime.evaluate", **what, **where)
        if "exceptionDetails" in answer:
            raise EngineError(f"the page cannot be read: {answer['exceptionDetails']['text']}")
        return answer["result"].get("value")
