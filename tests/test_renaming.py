"""Sentences are renamed everywhere at once, and keep their translations."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from deniable.text.languages import LANGUAGES
from tests import words
from tests.words import renaming
from tests.words.__main__ import main

OLD = "Send the report of {count} answers"
NEW = "Send this report, which has {count} answers, and then close the page that you are reading"

FILES = {
    "templates/page.html": (
        '<p>{{ _("Send the report of {count} answers", count=2) }}</p>\n<p>{{ _("Back") }}</p>\n'
    ),
    "server/respondent/label.py": (
        'def label(say):\n    return say("Send the report of {count} answers", count=3)\n'
    ),
    "server/desk/other.py": 'def other(say):\n    return say("Back")\n',
    "client/browser/core/send.js": (
        'import { say } from "./say.js";\n\nconst text = say(\n'
        '  "Send the report of {count} answers", { count: 1 });\n'
    ),
    "tests/test_page.py": (
        'def test_page(text):\n    assert "Send the report of {count} answers" in text\n'
        '    assert "Before: Send the report of {count} answers" in text\n'
        '    assert "Send the report of 5 answers" in text\n'
        '    assert "Send the report" in text\n'
        '    assert "Back" in text\n    assert "Back again" in text\n'
        '    assert f"{text} Send the report of {{count}} answers"\n'
    ),
    "tests/page.test.js": 'const shown = "Send the report of {count} answers";\n',
    "docs/page.md": "It says: Send the\nreport of {count} answers. Back.\n",
    "README.md": "Nothing.\n",
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small project with two sentences and all catalogues."""
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "LOCALE", tmp_path / "templates" / "locale")
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for language in LANGUAGES[1:]:
        translated = {OLD: f"{language} {{count}}", "Back": f"back in {language}"}
        words.write(language, words.sentences(), translated)
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def contents(tree: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in tree.rglob("*.*") if path.is_file()}


def test_a_sentence_is_renamed_in_code_templates_catalogues_tests_and_docs(tree: Path) -> None:
    code, output = run("--rename", OLD, NEW)
    assert code == 0
    assert set(words.sentences()) == {NEW, "Back"}
    for language in LANGUAGES[1:]:
        assert words.translations(language) == {
            NEW: f"{language} {{count}}",
            "Back": f"back in {language}",
        }
    namespace: dict[str, object] = {}
    exec((tree / "tests/test_page.py").read_text(), namespace)  # noqa: S102  # what was written
    namespace["test_page"](f"Before: {NEW} Send the report of 5 answers Back again")  # type: ignore[operator]
    assert NEW in (tree / "tests/page.test.js").read_text()
    assert NEW in (tree / "docs/page.md").read_text()
    assert max(map(len, (tree / "server/respondent/label.py").read_text().splitlines())) <= 100
    for name in [name for name, text in FILES.items() if "Send the" in text]:
        assert f"changed {name}:" in output


def test_what_may_quote_the_sentence_is_listed_and_stays(tree: Path) -> None:
    _, output = run("--rename", OLD, NEW)
    assert "look at tests/test_page.py:4: Send the report of 5 answers\n" in output
    assert "look at tests/test_page.py:5: Send the report\n" in output
    assert "look at tests/test_page.py:8\n" in output
    text = (tree / "tests/test_page.py").read_text()
    assert '"Send the report of 5 answers"' in text


def test_a_short_sentence_is_changed_only_where_it_is_the_whole_string(tree: Path) -> None:
    assert run("--rename", "Back", "Go back")[0] == 0
    text = (tree / "tests/test_page.py").read_text()
    assert '"Go back" in text' in text
    assert '"Back again" in text' in text
    assert "Back." in (tree / "docs/page.md").read_text()
    assert set(words.sentences()) == {OLD, "Go back"}


def test_a_dry_run_prints_the_places_and_changes_nothing(tree: Path) -> None:
    before = contents(tree)
    code, output = run("--rename", OLD, NEW, "--dry-run")
    assert code == 0
    assert "would change templates/page.html:1\n" in output
    assert contents(tree) == before


def test_many_are_renamed_at_once(tree: Path) -> None:
    (tree / "renames").write_text(f"{OLD}\t{NEW}\n\nBack\tGo back\n")
    assert run("--rename-from", str(tree / "renames"))[0] == 0
    assert set(words.sentences()) == {NEW, "Go back"}
    assert words.translations("de")["Go back"] == "back in de"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Send the report of {count} answer", "x {count}", f"near: {OLD}"),
        ("Nothing like it", "x", "not a sentence of the catalogue: Nothing like it"),
        (OLD, "Back", "already a sentence of the catalogue: Back"),
        (OLD, "Send it", "expected ['count'], found [] in: Send it"),
        (OLD, "Send {number}", "expected ['count'], found ['number']"),
        ("Back", " ", "the new sentence is empty"),
    ],
)
def test_what_would_break_something_is_refused(
    tree: Path, old: str, new: str, problem: str
) -> None:
    before = contents(tree)
    code, output = run("--rename", old, new)
    assert code == 1
    assert problem in output
    assert contents(tree) == before


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("Back\n", ":1: expected an old and a new sentence with one tab between them, found 0"),
        ("Back\tA\n\nBack\tB\n", ":3: renamed twice: Back"),
        (f"Back\tA {{count}}\n{OLD}\tA {{count}}\n", "other placeholders"),
    ],
)
def test_a_file_of_renames_that_is_not_valid_is_refused(
    tree: Path, lines: str, problem: str
) -> None:
    (tree / "renames").write_text(lines)
    before = contents(tree)
    code, output = run("--rename-from", str(tree / "renames"))
    assert code == 1
    assert problem in output
    assert contents(tree) == before


def test_two_sentences_cannot_become_one(tree: Path) -> None:
    with pytest.raises(renaming.CannotRename, match="two sentences would become the same"):
        renaming.check({"a": "c", "b": "c"}, {"a": 1, "b": 1})


def test_two_sentences_in_one_string_are_both_renamed(tree: Path) -> None:
    path = tree / "tests/test_page.py"
    path.write_text(f'TEXT = "{OLD} and Go back now"\n')
    (tree / "server/desk/other.py").write_text('def other(say):\n    return say("Go back now")\n')
    (tree / "renames").write_text(f"{OLD}\t{OLD}, Go back now\nGo back now\tReturn to it\n")
    assert run("--rename-from", str(tree / "renames"))[0] == 0
    assert path.read_text() == f'TEXT = "{OLD}, Go back now and Return to it"\n'


def test_a_dry_run_of_nothing_is_refused() -> None:
    assert run("--dry-run")[0] == 2
