"""A survey's pages in each of its languages.

Pages never depend on who asks for them, so no header of a request is read to choose a language:
whoever renders a page for a survey is given its views, one for each of its languages, and the page
holds them all (see `templates/respondent_base.html`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.text.languages import LANGUAGES
from deniable.text.translation import in_language


@dataclass(frozen=True)
class View:
    """What a page says in one language."""

    words: Words
    survey: Survey | None  # as it reads in that language; None on pages that know none
    about: object  # what else the page says of the survey
    several: bool  # whether the page says it in other languages too

    @property
    def fragment(self) -> str:
        """What an address ends with to be shown in this language."""
        return f"#lang={self.words.language}" if self.several else ""

    @property
    def suffix(self) -> str:
        """What ids end with, each of which stands on the page once."""
        return f"-{self.words.language}" if self.several else ""


def views(
    survey: Survey | None,
    about: Callable[[Survey, Words], object] | None = None,
    language: str | None = None,
) -> tuple[View, ...]:
    """Return what a page says in each of its languages."""
    if language is not None:
        languages: tuple[str, ...] = (language,)
    else:
        languages = LANGUAGES if survey is None else survey.languages
    made = []
    for one in languages:
        said = words(one)
        read = None if survey is None else in_language(survey, one, said.say)
        more = None if read is None or about is None else about(read, said)
        made.append(View(said, read, more, len(languages) > 1))
    return tuple(made)


def shown(views: tuple[View, ...]) -> dict[str, object]:
    """Return the variables of a template that shows these views; its head is in the first."""
    first = views[0]
    return {"views": views, "view": first, "survey": first.survey, "_": first.words.html}
