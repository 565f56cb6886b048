"""From an address to a store."""

from pathlib import Path

import pytest

from deniable.server.store import StoreError, files_of, open_store, store_url, temporary_store
from deniable.survey import Survey

WRONG = ["mysql://localhost/x", "store.db", "sqlite:store.db", "sqlite:///", ""]


@pytest.mark.parametrize("bad", [*WRONG, "sqlite:///:memory:"])
def test_another_kind_of_store_is_refused(bad: str) -> None:
    with pytest.raises(StoreError, match=r"found the store .*, expected sqlite:///PATH"):
        open_store(bad)
    with pytest.raises(StoreError, match=r"found the store .*, expected sqlite:///PATH"):
        files_of(bad)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("study.db", "sqlite:///study.db"),
        ("./a folder/study.db", "sqlite:///./a folder/study.db"),
        ("/var/lib/study.db", "sqlite:////var/lib/study.db"),
        ("sqlite:///study.db", "sqlite:///study.db"),
        ("sqlite:study.db", "sqlite:study.db"),
        ("mysql://localhost/x", "mysql://localhost/x"),
    ],
)
def test_a_path_is_a_url_too(text: str, url: str) -> None:
    assert store_url(text) == url


def test_a_temporary_store_is_gone_in_the_end(survey: Survey) -> None:
    with temporary_store() as store:
        store.register(survey)
        assert Path(store.name).is_file()
    assert not Path(store.name).parent.exists()
