"""What the pages show that begin a survey: what to begin with, and the drafts that are there."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from deniable.server.desk.context import catalogue, moment, store
from deniable.server.desk.editor.starters import examples, name_of, published_questions, title_of
from deniable.server.desk.permissions import signed_in
from deniable.server.store import Draft
from deniable.server.web.body import MAX_BODY

COPY: Final = "copy:"
"""The prefix of a survey's name, in the form's choice of a copy of the survey."""

MAX_TEXT: Final = 3 * MAX_BODY // 4
"""Maximum number of bytes of a text: they fit into a request, with a form's two-byte line ends."""


def shipped() -> dict[str, Mapping[str, str]]:
    """Return the texts that a draft can begin from, by kind and name."""
    return {"An example": examples(), "A question of a published study": published_questions()}


class Listed(NamedTuple):
    """A draft in a list, with what tells it apart from drafts of the same title."""

    title: str
    name: str
    draft: Draft
    state: str
    saved: datetime


def draft_state(draft: Draft) -> str:
    """Say whether a draft is published as it is, in the words of a badge."""
    survey = catalogue.found(draft.survey)
    if survey is None or not signed_in().role_in(survey):
        return "draft"
    is_same = store.source(survey.slug, survey.revision) == draft.text
    return "published" if is_same else "changed since published"


def to_begin_with() -> dict[str, Any]:
    """Return the drafts that the person may see, and the titles that a new one can begin from."""
    person = signed_in()
    if not person.can_write:
        return {"drafts": [], "beginnings": {}}
    seen = [one.survey for one in store.surveys() if person.role_in(one.survey)]
    copies = {f"{COPY}{one.slug}": one.title for one in seen if one.parent is None}
    titles = {
        what: {name: title_of(text) for name, text in texts.items()}
        for what, texts in shipped().items()
    }
    drafts = [
        Listed(title_of(one.text), name_of(one.text), one, draft_state(one), moment(one.saved))
        for one in store.drafts(None if person.is_admin else person.name)
    ]
    return {
        "drafts": sorted(drafts, key=lambda one: (one.title, -one.draft.saved)),
        # The examples first: whoever has many surveys finds theirs below.
        "beginnings": {**titles, "A copy of": copies},
        "kilobytes": MAX_TEXT // 1024,
    }
