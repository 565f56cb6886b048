"""A trial of a survey: the same questions, to be answered with made-up answers.

The adversary is an operator who has people answer a trial again and again, for fresh noise each
time. Their browsers read the kind in the hashed document. Where a device keeps no record, its page
also says that answers do not count.
"""

from __future__ import annotations

from dataclasses import replace

from deniable.survey import Survey
from deniable.survey.kind import trial_slug


def trial_of(survey: Survey, draft: str = "") -> Survey:
    """Return the trial of a survey or draft, with another kind and address, and without keys."""
    if survey.kind != "survey":
        raise ValueError(f"expected a survey, found {survey.slug!r}, which is a {survey.kind}")
    # Made-up answers need no invitation.
    return replace(
        survey,
        slug=trial_slug(survey.slug, draft),
        parent=survey.slug,
        is_named=False,
        token_keys=(),
    )
