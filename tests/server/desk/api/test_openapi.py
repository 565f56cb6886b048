"""The API against its own description, by schemathesis: requests that nobody thought of."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from deniable.server.desk.api.routes import api
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth import throttle as attempts
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.desk.auth.throttle import Limit
from deniable.server.store import open_store
from deniable.server.store.accounts import NOBODY, Scope
from tests.kit import RESPONDENTS, of_wave, panel

pytestmark = pytest.mark.promise("tokens")

MEANING = {"tally", "reports", "state", "register"}
"""What they take is more than a schema can say: a wave that there is, columns, a survey file."""


@pytest.fixture
def token_and_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, object]]:
    # It sends the same wrong tokens again and again, and expects the same answer.
    monkeypatch.setattr(attempts, "FOR_ONE_NAME", Limit(10**9, 60.0))
    monkeypatch.setattr(attempts, "FOR_ALL", Limit(10**9, 60.0))
    survey = panel()
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        store.register(survey)
        store.insert_reports([of_wave(survey, 1) for _ in range(20)])
        token = make_token(store, NOBODY, "schemathesis", Scope.ALL)
        yield token, create_desk_app(store, RESPONDENTS)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_schemathesis_finds_nothing(token_and_store: tuple[str, object], mode: str) -> None:
    import schemathesis  # noqa: PLC0415  it takes a second to load
    from schemathesis.checks import CheckFunction  # noqa: PLC0415
    from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: PLC0415

    token, app = token_and_store
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    tried = set()
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        name = operation.definition.raw["operationId"]
        tried.add(name)
        excluded: list[CheckFunction] = [positive_data_acceptance] if name in MEANING else []

        @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
        @settings(
            max_examples=60,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        def holds(case: schemathesis.Case[Any]) -> None:
            if mode == "positive" and "slug" in case.path_parameters:
                case.path_parameters["slug"] = "panel"
            case.call_and_validate(
                headers={"Authorization": f"Bearer {token}"},
                excluded_checks=excluded,  # noqa: B023
            )

        holds()
    assert tried == {operation.answer.__name__ for operation in api.operations}
