"""A survey's pages in each of its languages.

Pages never depend on their visitor, so no header of a request chooses a language: a page has a view
for each of its languages, and holds them all (see `templates/respondent_base.html`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from deniable.server.web.words import Words, words
from deniable.survey import Survey
from deniable.text.languages import LANGUAGES
from deniable.text.translation import in_language


@dataclass(frozen=True)
class View:
    """A page's content in one language."""

    words: Words
    survey: Survey | None  # in that language; None on pages without a survey
    about: object  # what else the page says about the survey
    several: bool  # whether the page has other languages too

    @property
    def fragment(self) -> str:
        """Return the fragment of an address that shows this language."""
        return f"#lang={self.words.language}" if self.several else ""

    @property
    def suffix(self) -> str:
        """Return the end of an element's id, which makes it unique on the page."""
        return f"-{self.words.language}" if self.several else ""


def views(
    survey: Survey | None,
    about: Callable[[Survey, Words], object] | None = None,
    language: str | None = None,
) -> tuple[View, ...]:
    """Return a page's views, one for each of its languages."""
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
    """Return the variables of a template that shows these views; the first gives the head."""
    first = views[0]
    own = {"views": views, "view": first, "survey": first.survey, "_": first.words.html}
    return {**own, "unbroken": unbroken}


def unbroken(text: str) -> str:
    r"""Let no line end within a number, so that a phone number is read whole.

    >>> unbroken("Helpline, 030 23125 003")
    'Helpline, 030\xa023125\xa0003'
    """
    return re.sub(r"(\d) (?=\d)", "\\1\N{NO-BREAK SPACE}", text)
