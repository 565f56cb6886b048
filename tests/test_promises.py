"""Every promise of the documentation has a test that is marked with its name."""

from pathlib import Path

from tests import analysis, promises


def test_promises_and_markers_match() -> None:
    names = promises.promised()
    assert len(names) == len(set(names)) > 80
    assert set(promises.marked()) == set(names)


def test_each_promise_has_a_quick_test() -> None:
    held = promises.marked()
    assert [name for name in held if all(map(promises.waits, held[name]))] == []


def test_the_page_shows_the_markers() -> None:
    """`python -m tests.promises` renews it."""
    assert promises.PAGE.read_text() == promises.page()


def test_every_oracle_of_the_analysis_has_its_test() -> None:
    named = [line.strip() for line in str(analysis.__doc__).splitlines() if "::" in line]
    assert len(named) > 20
    for path, _, test in (name.partition("::") for name in named):
        text = (Path(analysis.__file__).parent / path).read_text()
        assert f"\ndef {test}(" in text, f"{path} has no {test}"
