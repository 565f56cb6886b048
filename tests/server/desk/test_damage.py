"""What the desk gives of a damaged store: no file."""

import pytest

from deniable.server.store import Store
from deniable.server.store.sql.engine import SqlStore
from deniable.survey import Survey
from tests.server.calling import report
from tests.server.desk.test_pages import Browser


@pytest.mark.parametrize("file", ["reports.csv", "paper.zip"])
def test_no_file_is_made_of_a_damaged_store(
    researcher: Browser,
    store: Store,
    survey: Survey,
    file: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store.insert_batch([report(survey) for _ in range(12)])
    assert researcher(f"/desk/doping/{file}").status == 200
    assert isinstance(store, SqlStore)
    with store._connections.transaction() as db:
        db.execute("UPDATE reports SET answers = ?", (b"\1",))
    answer = researcher(f"/desk/doping/{file}")
    assert answer.status == 503
    assert "'doping'" in caplog.text
