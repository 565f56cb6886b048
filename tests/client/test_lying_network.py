"""The headless respondent behind a network that lies, and then the truth."""

from contextlib import closing

import pytest

from deniable import Survey
from deniable.client import connection as connections
from deniable.client.connection import Connection
from deniable.client.memory import Kept
from deniable.client.respondent import Respondent, RespondentError
from deniable.server.store import open_store, store_url
from tests.client.test_respondent import TRUTHS
from tests.kit import LIES, lent, network

pytestmark = pytest.mark.promise("our-word")


def test_a_report_arrives_once_whatever_answers(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "TIMEOUT", 0.2)
    with (
        lent([survey]) as (server, path),
        network(server.port) as between,
        closing(open_store(store_url(str(path)))) as store,
    ):
        for number, lie in enumerate(LIES, 1):
            waits = (0.01, 0.01)
            with closing(Connection(between.url, waits=waits)) as connection:
                respondent, kept = Respondent(connection, survey.address), Kept()
                between.asked.clear()
                between.lie(lie, "reports")
                with pytest.raises(RespondentError):
                    respondent.answer(TRUTHS, kept=kept)
                assert between.count("reports") <= 6, lie
                between.tell_truth()
                assert kept.unsent is not None, lie
                respondent.answer(TRUTHS, kept=kept)
                assert store.count(survey.slug) == number, lie
