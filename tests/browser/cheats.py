"""Programs that cheat: each is the real one with a small change, served with hashes that match.

What is true is what `truths` holds when the report is sent.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

from deniable.server import loopback as loopback_module
from deniable.server.loopback import loopback
from deniable.server.respondent import headers, pages
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.program import BROWSER_FOLDER, Program
from deniable.server.respondent.shell import Shell, shell_of
from deniable.server.web.response import Headers
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import at

DOPING: Final = read(
    (Path(__file__).parents[2] / "examples" / "doping.yaml").read_text(encoding="utf-8")
).survey

_QUESTIONNAIRE: Final = "page/questionnaire.js"
_SEND: Final = "  send(truths) {\n"
# As it stands there, whatever it is called with.
(_MAKE, _NOISE, _WAVE) = re.findall(
    r"(return makeReport\(survey, named, (\w+)(.*)\);)",
    (BROWSER_FOLDER / _QUESTIONNAIRE).read_text(encoding="utf-8"),
)[0]
_TOLD: Final = f"`{at('doping')}told?${{truths}}`"


@dataclass(frozen=True)
class Cheat:
    """A way to cheat."""

    # Of the browser's modules: the file, a text that is there once, and what takes its place.
    edits: tuple[tuple[str, str, str], ...] = ()
    said: str = ""  # what an audit says, in part
    header: tuple[str, str] | None = None  # that comes with the page
    # Of the page's markup: a text that is there once behind the parts, and what takes its place.
    markup: tuple[str, str] = ("", "")


def sending(code: str, said: str = "") -> Cheat:
    """Do something when the report is sent."""
    return Cheat(((_QUESTIONNAIRE, _SEND, f"{_SEND}    {code}\n"),), said)


def reporting(code: str, said: str = "a message is") -> Cheat:
    """Make another report than the modules do."""
    return Cheat(((_QUESTIONNAIRE, _MAKE, code),), said)


def _if(condition: str) -> Cheat:
    """Send truths to those of whom a condition holds that the page can see."""
    return reporting(f"return makeReport(survey, named, {condition} ? truths : {_NOISE}{_WAVE});")


def _requesting(text: str, other: str, said: str = "") -> Cheat:
    """Send the report in another way, by whether `told` is true."""
    (told,) = sending("globalThis.told = truths[0];").edits
    return Cheat((told, ("core/submission.js", text, other)), said)


_BIT: Final = "named.slice(0, -1) + ((parseInt(named.slice(-1), 16) & 14) | truths[0]).toString(16)"
_CHANGED: Final = f"const made = {_MAKE.removeprefix('return ')}\nreturn truths[0] ? "

SEEN: Final = {
    "a bit of the report's id": reporting(f"return makeReport(survey, {_BIT}, {_NOISE}{_WAVE});"),
    "what is stored": sending(
        'localStorage.setItem("told", String(truths[0]));', "localStorage depends on what is true"
    ),
    "the order of the keys in the message": reporting(
        f"{_CHANGED}Object.fromEntries(Object.entries(made).reverse()) : made;"
    ),
    "the length of the message": reporting(
        f"{_CHANGED}{{ ...made, more: 1 }} : made;", "whatever is true"
    ),
    "a header of the request": _requesting(
        '"Content-Type": "application/json"',
        '"Content-Type": globalThis.told ? "application/json" : "application/json; v=1"',
        "a request differs in more than its message: Content-Type",
    ),
    "the page's title": sending(
        'document.title += truths[0] ? " " : ".";', "the browser's history depends on what is true"
    ),
    "a clock": sending(
        "if (truths[0] && !this.waited) {\n"
        "  this.waited = true; setTimeout(() => this.send(truths), 300); return;\n}",
        "it sets a clock by setTimeout",
    ),
    "a clock for later": sending(
        f"const told = {_TOLD}; setTimeout(() => void fetch(told), 60000);",
        "it sets a clock by setTimeout",
    ),
    "a second request": sending(f"void fetch({_TOLD});", "told beside the report"),
    "a beacon when the page is left": sending(
        f'addEventListener("pagehide", () => navigator.sendBeacon({_TOLD}));',
        "told when it is left",
    ),
    "chance of `Math.random`": Cheat(
        (
            (
                "core/chance.js",
                "  crypto.getRandomValues(words);",
                "  words.forEach((_, at) => (words[at] = Math.random() * 2 ** 32));",
            ),
        ),
        "Math.random was called",
    ),
    "chance that is drawn anew when it is sent": sending(
        "crypto.getRandomValues(this.chance.words);", "it draws random words after the first answer"
    ),
    "a header that fetches what a selector says": Cheat(
        said="a header came that is not harmless: speculation-rules",
        header=("Speculation-Rules", f'"{at("doping", "rules.json")}"'),
    ),
}
"""Those that an audit finds, and what it says."""

UNSEEN: Final = {
    "truths, once in a thousand times": _if("words[0] % 1000 === 7"),
    "truths, of the one person whose link ends in `#anna`": _if('location.hash === "#anna"'),
    "truths, unless it finds the audit's traps": _if(
        "`${crypto.getRandomValues}`.includes('getRandomValues')"
    ),
    "truths, on a phone": _if('matchMedia("(pointer: coarse)").matches'),
    "truths, after a minute": _if("performance.now() > 60000"),
    "truths, in another language": _if('!navigator.language.startsWith("en")'),
    "truths, on a second visit": Cheat(
        (
            *_if('localStorage.getItem("visits").length > 1').edits,
            (
                "page/main.js",
                'addEventListener("DOMContentLoaded", start);\n',
                (
                    'localStorage.setItem("visits", `${localStorage.getItem("visits") ?? ""}1`);\n'
                    'addEventListener("DOMContentLoaded", start);\n'
                ),
            ),
        )
    ),
    "the connection that it sends by": _requesting(
        'credentials: "omit"', 'credentials: globalThis.told ? "same-origin" : "omit"'
    ),
    "the pause after a refusal": _requesting(
        "await wait(Math.max(", "await wait((globalThis.told ? 2 : 1) * Math.max("
    ),
    "a beacon when another tab is looked at": sending(
        'let left = false; addEventListener("pagehide", () => (left = true));\n'
        'document.addEventListener("visibilitychange", () => {\n'
        f"  if (!left) navigator.sendBeacon({_TOLD}); }});"
    ),
    "an empty cache": sending("void caches.open(`told-${truths[0]}`);"),
    "a link for an answer, before the questions come": Cheat(
        markup=("<main", f'<p>Have you? <a href="{at("doping", "told")}">Yes</a></p><main')
    ),
}
"""Those that no audit sees, because it does not meet what they wait for or where they tell it."""


class _More(RespondentHeaders):
    """The headers of a server that sends one more with the page."""

    def __init__(
        self,
        header: tuple[str, str],
        *,
        https: bool,
        parts_at: Callable[[str], tuple[str, ...] | None],
    ) -> None:
        super().__init__(https=https, parts_at=parts_at)
        self._header = header

    def of(self, path: str, method: str = "GET", host: str = "") -> Headers:
        return [*super().of(path, method, host), *([self._header] if path == at("doping") else [])]


def _shell(markup: tuple[str, str], program: Program) -> Shell:
    """Make the shell of a server that cheats."""
    shell = shell_of(program)
    return {**shell, "between": shell["between"].replace(*markup)}


@contextmanager
def serving(cheat: Cheat, folder: Path, survey: Survey = DOPING) -> Iterator[str]:
    """Serve a survey with a program that cheats, as an operator can: with hashes that match."""
    copy = folder / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    for name, text, other in cheat.edits:
        source = (copy / name).read_text(encoding="utf-8")
        assert source.count(text) == 1, (name, text)
        (copy / name).write_text(source.replace(text, other), encoding="utf-8")
    with ExitStack() as stack:
        # Only this server cheats, and none that is started later to compare it with.
        with ExitStack() as cheating:
            for module in (headers, pages):
                cheating.enter_context(patch.object(module, "BROWSER_FOLDER", copy))
            cheating.enter_context(patch.object(pages, "shell_of", partial(_shell, cheat.markup)))
            if cheat.header is not None:
                more = partial(_More, cheat.header)
                cheating.enter_context(patch.object(loopback_module, "RespondentHeaders", more))
            link = stack.enter_context(loopback(survey))
        yield link
