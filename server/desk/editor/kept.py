"""The file that the store keeps with a survey, from which drafts, plans and packets begin."""

from http import HTTPStatus
from typing import Final

from deniable.server.desk.context import store
from deniable.server.desk.editor.lint_worker import the_checker
from deniable.server.desk.results.query import WrongChoiceError

_CHANGED: Final = (
    "The file that the server keeps of this survey is not the one that was published: it is "
    "damaged. Ask who runs this server to look at its store, and begin from your own copy of the "
    "file. The results are right: they do not follow from this file"
)


def kept_file(slug: str, revision: str) -> str:
    """Return a revision's survey file, empty if none is kept; answer 409 if it is damaged.

    Raises `KeyError` if there is no such revision.
    """
    text = store.source(slug, revision)
    if text and the_checker().is_changed(text, store.revision(slug, revision)):
        raise WrongChoiceError(_CHANGED, HTTPStatus.CONFLICT)
    return text
