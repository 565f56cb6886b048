"""The house grows only by a decision: what `make size` counts has a ceiling, and ceilings fall."""

import pytest

from tests.house import size

CEILINGS = {
    "lines outside the tests": 126_560,
    "lines of tests": 84_300,
    "words of docs": 45_000,
    "classes": 522,
    "abstract store methods": 0,
    "functions above 60 code lines": 0,
    "modules above 500 lines": 2,
    "folders above 20 unlike modules": 0,
    "modules in import circles": 0,
    "dependencies": 14,
}


def test_the_house_is_no_larger_than_was_decided() -> None:
    numbers = size.numbers()
    assert numbers.keys() == CEILINGS.keys()
    above = {name: n - CEILINGS[name] for name, n in numbers.items() if n > CEILINGS[name]}
    assert not above, f"{above} too many: delete as many, or raise a ceiling in a commit of its own"


def test_code_docstrings_and_comments_are_told_apart() -> None:
    text = '"""One.\n\nTwo."""\nx = 1  # with\n# alone\n\ny = """a\nb"""\n'
    assert size.code_docstring_comment(text) == ({4, 7, 8}, {1, 2, 3}, {5})


@pytest.mark.parametrize("path", ["requirements.lock", "deniable/cli", "LICENSE"])
def test_what_nobody_reads_is_not_counted(path: str) -> None:
    assert (size.ROOT / path).exists()
    assert path not in size.files()
