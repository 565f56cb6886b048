"""A survey with the default batch: what the intake promises must hold with it."""

import pytest

from deniable.survey import Survey
from deniable.survey.checks import BATCH
from tests.kit import surveys


@pytest.fixture
def survey() -> Survey:
    """Make a survey of one protected question: ``survey.slug == "doping"``."""
    return surveys.survey(batch=BATCH)
