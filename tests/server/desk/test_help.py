"""Help at the desk: a sentence for every field, and every page of the manual."""

import ast
import html
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

import deniable
from deniable import designs
from deniable.cli.main import commands
from deniable.designs import families
from deniable.results.meanings import meaning
from deniable.server.desk.manual import pages, printed, search
from deniable.server.desk.manual.reference import name_pages
from deniable.server.desk.manual.search import MOST_FOUND, around, find
from deniable.survey_file import json_schema
from deniable.survey_file.meanings import FAMILIES, KEYS
from tests.kit import Browser, Caller

ROOT = Path(__file__).parents[3]


def keys(schema: dict[str, Any], part: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every key that a file can have, by its way, with what is said of it."""
    for key, found in schema.get("properties", {}).items():
        yield part + key, found
        if key != "ask_if":
            inner = (*found.get("anyOf", ()), *([found["items"]] if "items" in found else []))
            for one in (found, *inner):
                yield from keys(one, f"{key}.")


def headings() -> Iterator[str]:
    """Return the headings of the columns that the sources name, with 7 for what is filled in."""
    for folder in ("results", "study", "server"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Column":
                    heading = node.args[0]
                    if isinstance(heading, ast.Constant):
                        yield str(heading.value)
                    elif isinstance(heading, ast.JoinedStr):
                        parts = (getattr(one, "value", "7") for one in heading.values)
                        yield "".join(one if isinstance(one, str) else "7" for one in parts)


def test_every_key_family_and_design_has_its_sentence() -> None:
    found = dict(keys(json_schema()))
    assert {*found} == {*KEYS}
    assert all(one["description"].endswith(".") for one in found.values())
    assert {*FAMILIES} == {*families.ANSWERS, *families.NUMBERS}
    (listed,) = (
        one["propertyNames"] for one in found["questions.design"]["anyOf"] if "propertyNames" in one
    )
    assert listed["enum"] == [*designs.BY_NAME]
    assert all(len(said) > 20 for said in listed["enumDescriptions"])


def test_every_column_has_its_sentence() -> None:
    found = {*headings()}
    assert len(found) > 20
    found = {one.replace("its 7", "its 95 % interval") for one in found}
    assert not [one for one in found if not meaning(one)]
    assert meaning("90 % interval").endswith("90 times in 100.")
    assert not meaning("Nonsense")


@pytest.mark.parametrize("page", ["collection.page", "invitations.page"])
def test_every_field_of_collection_has_its_sentence(researcher: Browser, page: str) -> None:
    text = researcher.see(page).text
    said = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+\.)</dd>", text))
    labels = re.findall(r"<label.*?</label>", text, re.DOTALL)
    named = [re.sub(r"<textarea.*|<span.*|<[^>]*>", "", one, flags=re.DOTALL) for one in labels]
    # What is a sentence itself needs no other.
    fields = {one.strip() for one in named if not one.strip().endswith(".")}
    assert len(fields) >= 4
    assert fields - said.keys() == set()


NAMES = sorted(pages.names())


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return {name: str(pages.page(name).html) for name in NAMES}


def test_the_contents_have_each_page_once() -> None:
    told = {path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob("docs/**/*.md")}
    written = {*told, "README", "CHANGELOG", "CONTRIBUTING", "SECURITY"}
    assert {*NAMES} == written | {f"docs/reference/{name}" for name in name_pages()}
    listed = {name for chapter in pages.chapters() for name, _ in chapter.pages}
    assert written - listed == {pages.FIRST}


def test_every_public_name_has_a_page(drawn: dict[str, str]) -> None:
    listed = drawn["docs/reference/analysis"] + drawn["docs/reference/python"]
    for key, page in name_pages().items():
        assert f'href="/desk/help/docs/reference/{key}"' in listed
        assert "<h1 id=" in drawn[f"docs/reference/{key}"]
        assert all(f"<code>{name}" in drawn[f"docs/reference/{key}"] for name in page.names)
    assert {"estimate", "Estimate"} == {*name_pages()["deniable.analysis.estimate"].names}


def test_the_search_shows_written_pages_first() -> None:
    found = [one.page.removeprefix("docs/reference/") in name_pages() for one in find("mean")]
    assert found == sorted(found)
    assert {one.page for one in find("regress_multinomial")} >= {
        "docs/analysis-regression",
        "docs/reference/deniable.analysis.regress_multinomial",
    }
    assert "Next" not in {one.title for one in find("analysis")}


def test_help_needs_no_sign_in_or_build(desk: Caller) -> None:
    lead = desk("/desk/help/")
    assert lead.status == 302
    answer = desk(dict(lead.headers)["Location"])
    assert answer.status == 200
    assert "Set-Cookie" not in dict(answer.headers)
    assert "<h1" in answer.text
    assert "make docs" not in answer.text
    assert '<form class="choice" role="search" action="/desk/help/search">' in answer.text
    assert '<input id="q" name="q" ' in answer.text
    assert desk("/desk/help/docs/nothing").status == 404
    assert desk("/desk/help/docs/../server").status == 404


def test_every_link_of_a_page_leads_somewhere(drawn: dict[str, str]) -> None:
    for name, text in drawn.items():
        assert "{toctree}" not in text, name
        assert "{printed}" not in text, name
        for target in {*re.findall(r'(?:href|src)="(/[^"]*)"', text)}:
            shown = unquote(html.unescape(target)).removeprefix("/desk/help/")
            path, _, anchor = shown.partition("#")
            if path.startswith("docs/pictures/"):
                assert (ROOT / path).is_file(), (name, target)
            else:
                assert not anchor or f'id="{anchor}"' in drawn[path], (name, target)


def test_only_pictures_are_shown_beside_pages(desk: Caller) -> None:
    picture = desk("/desk/help/docs/pictures/results.png")
    assert picture.body == (ROOT / "docs" / "pictures" / "results.png").read_bytes()
    assert desk("/desk/help/docs/pictures/../../extras.py").status == 404
    assert desk("/desk/help/extras.py").status == 404
    assert desk("/desk/help/docs/pictures/..").status == 404


@pytest.mark.parametrize(
    ("wanted", "page"),
    [
        ("sensitive topic", "should-i"),
        ("sample size", "plan"),
        ("create survey without terminal", "first-survey"),
        ("teaching students", "first-lesson"),
        ("select all that apply", "ask"),
        ("invitation codes anonymous", "collect"),
        ("IRB", "law"),
        ("court subpoena", "law"),
        ("existing data", "first-estimate"),
        ("paper questionnaire", "paper"),
        ("reproducibility", "archive"),
        ("longitudinal", "waves"),
        ("phone stores", "respondents"),
        ("app", "faq"),
        ("weighting", "analysis-people"),
        ("epislon", "plan"),
        ("repeat survey next year", "waves"),
        ("change question", "collect"),
        ("variance inflation", "analysis-regression"),
        ("deniable backup", "reference/commands"),
        ("REDRAW reports", "waves"),
    ],
)
def test_a_newcomer_s_words_find_the_page(wanted: str, page: str) -> None:
    found = find(wanted)
    assert len(found) <= MOST_FOUND
    assert f"docs/{page}" in [one.page for one in found[:4]]


def test_the_dearest_search_costs_at_most_twice_an_ordinary_one() -> None:
    def seconds(wanted: str) -> float:
        """Return the least of five times, which load on the machine moves least."""
        found = []
        for _ in range(5):
            search._words.cache_clear()
            start = time.process_time()
            for one in find(wanted):
                around(one, wanted)
            found.append(time.process_time() - start)
        return min(found)

    find("survey")  # reads the manual
    ordinary = seconds("how many people does a survey in waves need")
    dear = [
        " ".join(f"re{letter}tooeo" for letter in "abcdefghijk"),  # ten typos, as was tried
        " ".join("qwxyzjkvbmfgplrtesaionhcd"),
        " ".join(f"s{one}" for one in "eioatunlc" * 3),
        "surveyy answeer questioon peeople reeport chaance",
        "x" * 100,
    ]
    assert max(map(seconds, dear)) < 2 * ordinary


def test_a_search_is_shown_as_text(desk: Caller) -> None:
    found = find("redraw reports")[0]
    answer = desk("/desk/help/search?q=REDRAW+reports")
    assert f"/desk/help/{found.page}#{found.anchor}" in answer.text
    answer = desk("/desk/help/search?q=%3Czzqx%3E")
    assert "Nothing has these words" in answer.text
    assert "<zzqx>" not in answer.text
    assert desk("/desk/help/search").status == 200


def test_the_help_of_commands_is_what_they_print() -> None:
    page = printed.commands("deniable.cli.main")
    for words in ("", "check", "user add"):
        named = f"deniable {words}".rstrip()
        said = CliRunner().invoke(commands, [*words.split(), "--help"], prog_name="deniable").output
        assert f"## {named}\n\n```console\n$ {named} --help\n{said}```\n" in page
    assert page.count("## deniable ") > 30


def test_the_pages_are_installed_with_the_program() -> None:
    installed = Path(deniable.__file__).parent
    assert (installed / "docs").resolve() == ROOT / "docs"
    for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY"):
        assert (installed / f"{name}.md").resolve() == ROOT / f"{name}.md"
