"""What finds programs and headers that cheat: the tables in `docs/cheats.md`.

Each is served with hashes and a policy that match, as an operator could. `python -m
benchmarks.cheats` audits and verifies each of them; names after it choose some.
"""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final
from unittest.mock import patch

from flask import Flask, Response, request
from werkzeug.http import generate_etag

from benchmarks.held_out import HELD_OUT, NOTHING, PAUSE, Cheat
from benchmarks.measuring import folder, markdown
from benchmarks.programs import ALL, CHEATS, FETCHED, RULES
from deniable.cli.auditing import audit_page
from deniable.cli.verify import compare
from deniable.client.audit.engine import BROWSER_FOLDER
from deniable.client.audit.manners import manners, quick
from deniable.client.respondent import BrokenPromise
from deniable.server import loopback as loopback_module
from deniable.server.loopback import loopback
from deniable.server.respondent import headers, pages
from deniable.server.respondent.app import create_respondents_app
from deniable.server.respondent.headers import RespondentHeaders
from deniable.server.respondent.known_headers import Verdict
from deniable.server.respondent.program import Program, load
from deniable.server.respondent.shell import Shell, shell_of
from deniable.server.store import Store
from deniable.server.web.response import Headers
from deniable.survey import Survey
from deniable.survey_file import read
from tests.addresses import at
from tests.blind_keys import PUBLIC

NOBODY: Final = "nobody"
"""Who finds it, where the audit and `verify` find nothing."""

ANYTHING: Final = ("Content-Security-Policy", "default-src * data: blob: 'unsafe-inline'")
"""A policy that allows everything."""


def _app(cheat: Cheat, store: Store) -> Flask:
    """Make the pages of a server that has rules for the header that names them."""
    app = create_respondents_app(store)
    rules = json.dumps(FETCHED)
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

    def __init__(
        self, cheat: Cheat, *, https: bool, parts_at: Callable[[str], tuple[str, ...] | None]
    ) -> None:
        super().__init__(https=https, parts_at=parts_at)
        self._cheat = cheat

    def of(self, path: str, method: str = "GET", host: str = "") -> Headers:
        own = [(name, value) for end, name, value in self._cheat.headers if path.endswith(end)]
        more = [(name, value.replace("{number}", str(next(_NUMBERS)))) for name, value in own]
        names = [name for name, _ in more]
        taken, ending = self._cheat.policy
        given = [
            (name, value.replace(taken, "") + ending if name == ANYTHING[0] else value)
            for name, value in super().of(path, method, host)
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


def _is_verified(link: str) -> bool:
    try:
        return all(one.verdict is not Verdict.NO for one in compare(link))
    except BrokenPromise:  # it says so, and compares nothing more
        return False


def row(name: str, seed: int = 1) -> tuple[str, str, str]:
    """Audit and verify a program; return its name, what the audit says, and who finds it."""
    cheat = ALL[name]
    survey = survey_of(cheat)
    with folder() as path, serving(cheat, survey, path) as link:
        drawing = quick if cheat.said == PAUSE else manners
        found = audit_page(survey, link, cheat.pairs, seed, lambda *_: None, drawing)
        is_verified = _is_verified(link)
    address = link.removesuffix(at(survey.slug))
    failures = [failure.replace(address, "") for failure in found.failures]
    expected = (failure for failure in failures if cheat.said in failure)
    said = next(expected, failures[0] if failures else NOTHING)
    if said.startswith("a message is "):
        said = "a message is wrong"
    finders = {
        "audit": bool(failures),
        "verify": not is_verified,
    }
    return name, said, ", ".join(one for one, finds in finders.items() if finds) or NOBODY


def main(names: list[str]) -> None:
    """Print the tables of the documentation: first what nobody finds, then what no audit."""
    for what, cheats in (("program that tells by", CHEATS), ("cheat that was held out", HELD_OUT)):
        rows = [row(name) for name in names or cheats if name in cheats]
        rows.sort(key=lambda one: (one[2] != NOBODY, one[1] != NOTHING))
        first = sum(not ALL[name].was_missed for name, *_ in rows)
        now = sum(said != NOTHING for _, said, _ in rows)
        marked = [(f"{name}{'†' * ALL[name].was_missed}", *rest) for name, *rest in rows]
        for line in markdown([f"a {what}", "the audit says, for example", "who"], marked, names=3):
            print(line, flush=True)
        print(f"\nThe audit found {first} of {len(rows)} at first, and finds {now}.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
