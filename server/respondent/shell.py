"""The page of a questionnaire: a function of the parts of the program that it needs.

It holds no text of a survey, no name and no language, so anybody with the release can make it again
and compare every byte. The questions come in the survey's document, and the facts of the day in
``state.json``; the program draws both. The scripts are inline: a browser asks for six files at a
time, and on a slow phone network each turn was most of the time to the first question.
"""

from collections.abc import Iterable
from typing import Final, TypedDict

from deniable.server.respondent.program import LEAVE, Program
from deniable.server.respondent.views import views
from deniable.survey import NEUTRAL_SITE
from deniable.templates import PAGES

_PARTS: Final = "PARTS"


class Shell(TypedDict):
    """The page around the parts of the program, and the parts."""

    before: str
    parts: dict[str, dict[str, str]]  # by name: style, and script with its hash as the content
    between: str
    after: str


def shell_of(program: Program) -> Shell:
    """Return the shell of a program's page."""
    text = PAGES.get_template("shell.html").render(
        views=views(None), styles=program.styles, parts=_PARTS, neutral_site=NEUTRAL_SITE
    )
    before, between, after = text.split(_PARTS)
    return {
        "before": before,
        "parts": {name: _elements_of(program, name) for name in program.files},
        "between": between,
        "after": after,
    }


def _elements_of(program: Program, name: str) -> dict[str, str]:
    """Return the style and the script of a part of the program, as HTML elements."""
    style = program.styles.get(name.replace(".js", ".css"))
    return {
        "style": "" if style is None else f"\n    <style>{style}</style>",
        "script": f"\n    <script>{program.hashes[name]}</script>",
    }


def page_of(shell: Shell, program: Program, parts: Iterable[str]) -> str:
    """Make the page of these parts, with the exit first.

    They are in the order of the manifest: in another order they could say other sentences.
    """
    chosen = {LEAVE, *parts}
    names = [name for name in shell["parts"] if name in chosen]
    styles = (shell["parts"][name]["style"] for name in names)
    scripts = (
        shell["parts"][name]["script"].replace(program.hashes[name], program.files[name].decode())
        for name in names
    )
    return "".join((shell["before"], *styles, shell["between"], *scripts, shell["after"]))
