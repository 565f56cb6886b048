"""The surveys of the shared vectors."""

import pytest

from deniable.survey import Survey
from deniable.survey_file import read
from tests import vectors


@pytest.fixture
def survey() -> Survey:
    return read(vectors.survey_file()).survey


@pytest.fixture
def asking() -> Survey:
    return read(vectors.asking_file()).survey
