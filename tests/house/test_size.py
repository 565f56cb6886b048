"""What `make size` counts, and the shapes that no module may have."""

import pytest

from tests.house import size

NONE = (
    "abstract store methods",
    "functions above 60 code lines",
    "folders above 20 unlike modules",
    "modules in import circles",
)


@pytest.mark.parametrize("name", NONE)
def test_there_is_none(name: str) -> None:
    assert size.numbers()[name] == 0


def test_code_docstrings_and_comments_are_told_apart() -> None:
    text = '"""One.\n\nTwo."""\nx = 1  # with\n# alone\n\ny = """a\nb"""\n'
    assert size.code_docstring_comment(text) == ({4, 7, 8}, {1, 2, 3}, {5})


@pytest.mark.parametrize("path", ["requirements.lock", "deniable/cli", "LICENSE"])
def test_what_nobody_reads_is_not_counted(path: str) -> None:
    assert (size.ROOT / path).exists()
    assert path not in size.files()
