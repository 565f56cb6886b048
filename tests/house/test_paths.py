"""The ways through the house become no longer."""

import pytest

from tests.house import paths

CEILINGS = {
    "socket → disk": (16, 2_500),
    "disk → results page": (33, 7_700),
    "YAML → document": (19, 5_050),
}
"""Files, and their lines."""


@pytest.mark.parametrize("path", paths.PATHS)
def test_a_path_is_no_longer_than_was_decided(path: str) -> None:
    found = paths.PATHS[path]()
    files, lines = CEILINGS[path]
    assert 5 < len(found) <= files
    assert sum(found.values()) <= lines
