"""Surveys that the client's tests answer."""

import pytest

from deniable.survey import Survey
from deniable.survey_file import read
from tests.cli.conftest import EVERY_TYPE


@pytest.fixture(scope="session")
def survey() -> Survey:
    return read(EVERY_TYPE).survey
