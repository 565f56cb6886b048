"""Make a survey the current one of its name, if that keeps the promises to earlier respondents."""

from contextlib import suppress

from deniable.server.store.errors import StoreError, SurveyChanged
from deniable.server.store.retention import check_day
from deniable.server.store.store import Store
from deniable.survey import Survey
from deniable.survey.revisions import check_reworded


def register(store: Store, survey: Survey, source: str = "", *, seen: str | None = None) -> Survey:
    """Register a survey; refuse one whose day has come, or with other words under a used id."""
    current = None
    with suppress(KeyError):
        current = store.survey(survey.slug)
    # First, because the other checks could refuse the wrong survey.
    if seen not in (None, "" if current is None else current.check_number):
        raise SurveyChanged(f"{survey.slug!r} has changed since it was seen")
    check_day(survey, store.retentions().get(survey.slug), store.name)
    if current is not None:
        try:
            before = (store.revision(survey.slug, one) for one in store.revisions(survey.slug))
            check_reworded(survey.as_kept(current), current, *before)
        except ValueError as mistake:
            raise StoreError(f"{store.name}: {survey.slug!r}: {mistake}") from None
    return store.register(survey, source, seen=seen)
