"""The page of a questionnaire: a function of the parts of the program that it loads.

It holds no word of a survey, no name and no language, so whoever has the release can make it again
and compare every byte. What is asked comes in the survey's document, and what depends on the day in
``state.json``; the program draws both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypedDict

from jinja2 import Environment, FileSystemLoader

import deniable.templates
from deniable.server.respondent.program import LEAVE, Program
from deniable.server.respondent.views import views
from deniable.survey import NEUTRAL_SITE

_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(deniable.templates.__file__).parent), autoescape=True
)
_PARTS: Final = "PARTS"


class Shell(TypedDict):
    """What stands before the parts of the program, what of each part, and what after them."""

    before: str
    parts: dict[str, str]
    after: str


def shell_of(program: Program) -> Shell:
    """Return how the page is made of a program."""
    text = _TEMPLATES.get_template("shell.html").render(
        views=views(None), styles=program.styles, parts=_PARTS, neutral_site=NEUTRAL_SITE
    )
    before, after = text.split(_PARTS)
    return {
        "before": before,
        "parts": {name: _part(program, name) for name in program.files},
        "after": after,
    }


def _part(program: Program, name: str) -> str:
    """Return what stands in the page of a part: its style, and where its script is."""
    style = program.styles.get(name.replace(".js", ".css"))
    styled = "" if style is None else f"\n    <style>{style}</style>"
    hashed = program.hashes[name]
    return f'{styled}\n    <script defer="" src="/client/{name}" integrity="{hashed}"></script>'


def page_of(shell: Shell, parts: Iterable[str]) -> str:
    """Make the page that loads these parts, behind the one by which it can be left."""
    loaded = (shell["parts"][name] for name in (LEAVE, *parts))
    return "".join((shell["before"], *loaded, shell["after"]))
