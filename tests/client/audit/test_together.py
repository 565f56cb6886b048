"""An audit of questions that are randomised as one answer."""

import pytest

from deniable.cli.auditing import audit_modules
from deniable.client.audit.node import node
from deniable.survey_file import read
from tests import needs
from tests.surveys_together import DRAWN, IN_WAVES, TOGETHER, together

pytestmark = pytest.mark.promise("audit")


@pytest.mark.slow
@pytest.mark.parametrize("text", [together(2, 2), TOGETHER, DRAWN, IN_WAVES])
def test_an_honest_device_is_not_accused(text: str) -> None:
    needs.program("node", "make install")
    survey = read(text).survey
    with node(survey) as engine:
        found = audit_modules(engine, survey, 0.3, 1, lambda *_: None)
    assert found.failures == ()
