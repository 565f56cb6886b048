"""What the desk gives of a store that is damaged, or cannot be used now."""

import pytest

from deniable.server.store import Store, StoreUnavailable
from deniable.survey import Survey
from tests.kit import Browser, report, url_for


@pytest.mark.parametrize("file", ["reports.csv", "paper.zip"])
def test_no_file_is_made_of_a_damaged_store(
    researcher: Browser,
    store: Store,
    survey: Survey,
    file: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store.insert_batch([report(survey) for _ in range(12)])
    assert researcher(url_for("results.page") + f"/{file}").status == 200
    with store._engine.transaction() as db:
        db.execute("UPDATE reports SET answers = ?", (b"\1",))
    answer = researcher(url_for("results.page") + f"/{file}")
    assert answer.status == 503
    assert "'doping'" in caplog.text


def test_a_busy_store_is_asked_again(
    researcher: Browser,
    survey: Survey,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def busy(*_: object) -> None:
        raise StoreUnavailable("the database is locked")

    page = url_for("status.page", slug=survey.slug)
    assert researcher(page).status == 200
    monkeypatch.setattr(Store, "schedule", busy)
    answer = researcher(page)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert "Nothing was changed" in answer.text
    assert "the database is locked" in caplog.text
    assert "Traceback" not in caplog.text
