"""What the pages show that begin a survey: what to begin with, and the drafts that are there."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, Final

from deniable.server.desk.context import store
from deniable.server.desk.editor.starters import examples, published_questions, title_of
from deniable.server.desk.permissions import signed_in
from deniable.server.web.body import MAX_BODY

COPY: Final = "copy:"
"""The prefix of a survey's name, in the form's choice of a copy of the survey."""

MAX_TEXT: Final = 3 * MAX_BODY // 4
"""Maximum number of bytes of a text: they fit into a request, with a form's two-byte line ends."""


def shipped() -> dict[str, Mapping[str, str]]:
    """Return the texts that a draft can begin from, by kind and name."""
    return {"An example": examples(), "A question of a published study": published_questions()}


def to_begin_with() -> dict[str, Any]:
    """Return the drafts that the person may see, and the titles that a new one can begin from.

    This reads no survey's file.
    """
    person = signed_in()
    if not person.can_write:
        return {"drafts": [], "beginnings": {}}
    seen = [one.survey for one in store.surveys() if person.role_in(one.survey)]
    copies = {f"{COPY}{one.slug}": one.title for one in seen if one.parent is None}
    titles = {
        what: {name: title_of(text) for name, text in texts.items()}
        for what, texts in shipped().items()
    }
    drafts = store.drafts(None if person.is_admin else person.name)
    return {
        "drafts": sorted(((title_of(one.text), one) for one in drafts), key=itemgetter(0)),
        # The examples first: whoever has many surveys finds theirs below.
        "beginnings": {**titles, "A copy of": copies},
        "kilobytes": MAX_TEXT // 1024,
    }
