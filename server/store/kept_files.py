"""The survey file that is kept with a revision, compared with what was published from it.

Estimates follow from the published document, and nothing of them from the file. But the desk's
editor, the plan and the ethics packet begin from the file: so a change in it is told.
"""

from collections.abc import Iterator

from deniable.server.store.store import Store
from deniable.survey import Survey


def is_file_of(compiled: Survey, published: Survey) -> bool:
    """Return whether a file says what was published; the keys that a survey got are in no file."""
    try:
        return compiled.as_kept(published).document == published.document
    except ValueError:
        return False


def changed_files(store: Store) -> Iterator[str]:
    """Say of each kept file that is not what was published, in a sentence each."""
    from deniable.survey_file import read  # noqa: PLC0415  loads slowly

    for record in store.surveys():
        slug = record.survey.slug
        for revision in store.revisions(slug):
            text, published = store.source(slug, revision), store.revision(slug, revision)
            try:
                is_whole = not text or is_file_of(read(text).survey, published)
            except ValueError:
                is_whole = False
            if not is_whole:
                yield (
                    f"{store.name}: the file that is kept with survey {slug!r} is not what was "
                    f"published (revision {published.fingerprint}): it is damaged, or this release "
                    "reads it otherwise. Results are right; serve the survey's own file again "
                    "before anybody edits it at the desk."
                )
