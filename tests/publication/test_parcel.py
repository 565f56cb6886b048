"""The zip: the same data give the same bytes, and it says what it is of and what it leaves out."""

import csv
import hashlib
import html
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

from deniable.analysis.privacy.disclosure import TooFewError
from deniable.publication.citation import SOFTWARE
from deniable.publication.material import Material
from deniable.publication.parcel import contents_of, zip_of
from deniable.report import NOT_ASKED
from deniable.survey.grouped import split_columns
from deniable.survey.questions import Protection
from tests.kit import PANEL_TEXT as IN_WAVES
from tests.kit import surveys
from tests.kit.surveys import file_of
from tests.publication import made_up
from tests.publication.in_r import PROGRAM, run
from tests.publication.made_up import answers, survey, unpack

pytestmark = pytest.mark.promise("archive")

ROOT = Path(__file__).parents[2]

TEAM = "  - {id: team, text: Team, type: single, answers: [A, B], protection: direct}\n"
CLUB = surveys.CLUB + TEAM
AGES = "age,years:-2-4+[5-10 prefer_not_to_say]"


@pytest.fixture(scope="module")
def material() -> Material:
    every = survey()
    return made_up.material(every, answers(every, 300), AGES, origin="Of a test.")


@pytest.fixture(scope="module")
def contents(material: Material) -> dict[str, bytes]:
    return contents_of(material)


def rows(content: bytes) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(content.decode(), newline=""))]


def club(direct: str, *groups: tuple[int, int, int]) -> Material:
    """Make a club of so many people of each role and team, and publish direct columns."""
    people = [[0, role, team] for count, role, team in groups for _ in range(count)]
    return made_up.material(survey(CLUB), np.array(people, dtype=np.uint8), direct)


@pytest.mark.slow
def test_order_changes_nothing_in_the_zip(material: Material, contents: dict[str, bytes]) -> None:
    shuffled = np.random.default_rng(1).permutation(material.rows.answers)
    direct = ",".join(split_columns(AGES)[::-1])
    again = made_up.material(material.survey, shuffled, direct, origin="Of a test.")
    written = zip_of(again)
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        entries = archive.infolist()
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        found = {entry.filename.partition("/")[2]: archive.read(entry) for entry in entries}
    assert found == contents
    assert contents["reports.sav"][92:109] == b"01 Jan 8000:00:00"
    assert b"<timestamp>\x1101 Jan 1980 00:00</timestamp>" in contents["reports.dta"]


def test_the_zip_holds_survey_and_hashes(material: Material, contents: dict[str, bytes]) -> None:
    structure, *wordings = contents["survey.json"].split(b"\n")
    assert hashlib.sha256(structure).hexdigest() == material.survey.revision
    assert len(wordings) == len(material.survey.check_numbers)
    lines = contents["SHA256SUMS"].decode().splitlines()
    sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    assert sums == {
        name: hashlib.sha256(content).hexdigest()
        for name, content in contents.items()
        if name != "SHA256SUMS"
    }


def test_the_readme_names_reports_and_files(material: Material, contents: dict[str, bytes]) -> None:
    text = contents["README.md"].decode()
    assert "300 reports" in text
    assert material.survey.revision in text
    assert "Of a test." in text
    for name in contents:
        shown = "figures/" if name.startswith("figures/") else name
        assert f"`{shown}`" in text or name == "README.md", name


def test_there_is_a_figure_of_each_question(contents: dict[str, bytes]) -> None:
    drawn = {name for name in contents if name.startswith("figures/")}
    ids = [one.id for one in survey().questions]
    assert drawn == {f"figures/{id}.{form}" for id in ids for form in ("svg", "txt")}
    assert all(b"<svg" in contents[name] for name in drawn if name.endswith("svg"))
    assert all(b"n = 300" in contents[name] for name in drawn)


def test_reports_are_sorted_items_only(material: Material, contents: dict[str, bytes]) -> None:
    found = rows(contents["reports.csv"])
    assert len(found) == 300
    kept = [
        item
        for item in material.survey.items
        if item.protection is Protection.RANDOMISED or item.id in ("age", "years")
    ]
    direct = Protection.DIRECT
    assert [*found[0]] == [
        item.id if item.protection is direct else f"{item.id}_noisy" for item in kept
    ]
    order = [
        {**{report.code: place for place, report in enumerate(one.item.reports)}, "": NOT_ASKED}
        for one in material.table.columns
    ]
    places = [[order[at][cell] for at, cell in enumerate(row.values())] for row in found]
    assert places == sorted(places)


def test_estimates_have_question_and_answer_texts(contents: dict[str, bytes]) -> None:
    of = {(row["item"], row["answer"]): row for row in rows(contents["estimates.csv"])}
    row = of["knew.coach", "unsure"]
    told = [row[f"{of}_text"] for of in ("question", "item", "answer")]
    assert told == ["Who", "Coach", "Unsure"]
    assert of["hours", ""]["answer_text"] == ""


def test_direct_answers_are_published_on_request() -> None:
    every = survey()
    contents = contents_of(made_up.material(every, answers(every, 40)))
    assert all(name.endswith("_noisy") for name in rows(contents["reports.csv"])[0])
    told = {row["item"]: row["published"] for row in rows(contents["codebook.csv"])}
    assert {one for one, published in told.items() if published != "yes"} == {"age", "why", "years"}
    assert "Not published: `age`, `why`, `years`." in contents["README.md"].decode()


def test_no_combination_of_few_is_published() -> None:
    people = ((20, 0, 0), (10, 1, 0), (3, 2, 0), (6, 1, 1), (8, 0, 1), (9, 2, 1))
    said = "show role with team: .* fewer than 5 people; in groups they can: role:"
    with pytest.raises(TooFewError, match=said) as refused:
        _ = club("team,role", *people).table
    groups = f"{str(refused.value).partition('they can: ')[2]},team"
    assert groups == "role:player+[coach doctor],team"
    found = contents_of(club(groups, *people))
    counts = Counter((row["role"], row["team"]) for row in rows(found["reports.csv"]))
    assert counts == {
        ("player", "a"): 20,
        ("player", "b"): 8,
        ("[coach doctor]", "a"): 13,
        ("[coach doctor]", "b"): 15,
    }
    text = found["README.md"].decode()
    assert "Published: `role:player+[coach doctor]`, `team`." in text
    assert "At least 5 people gave each combination of these" in text
    # The estimates are of the groups too: they are what readers can recompute.
    shares = {
        row["answer"]: float(row["estimate"])
        for row in rows(found["estimates.csv"])
        if row["item"] == "role"
    }
    assert shares == {"player": 28 / 56, "[coach doctor]": 28 / 56}
    texts = [row["text"] for row in rows(found["codebook.csv"]) if row["code"] == "[coach doctor]"]
    assert {*texts} == {"Coach / Doctor"}


def test_only_direct_columns_can_be_chosen() -> None:
    with pytest.raises(ValueError, match="found 'doped'; there is role, team"):
        _ = made_up.material(survey(CLUB), np.zeros((1, 3), np.uint8), "doped").table


@pytest.fixture
def nothing() -> Material:
    """Return what is published of a survey that asked everything directly."""
    direct = re.sub(r".*flip: 1/4}\n", "", CLUB)
    return made_up.material(survey(direct), np.zeros((30, 2), np.uint8))


@pytest.mark.parametrize("n", [0, 1])
def test_few_or_no_reports_make_zips(n: int) -> None:
    every = survey()
    contents = contents_of(made_up.material(every, answers(every, n)))
    assert f"{n} reports" in contents["README.md"].decode()
    assert len(rows(contents["reports.csv"])) == n


def test_without_publication_there_are_no_files(nothing: Material) -> None:
    assert not {"reports.sav", "reports.parquet"} & contents_of(nothing).keys()


@pytest.mark.slow
def test_without_publication_nothing_is_checked(nothing: Material, tmp_path: Path) -> None:
    unpack(nothing, tmp_path)
    assert run(PROGRAM, tmp_path).returncode == 0


def test_the_data_package_describes_each_table(contents: dict[str, bytes]) -> None:
    package = json.loads(contents["datapackage.json"])
    assert package["profile"] == "tabular-data-package"
    assert re.fullmatch(r"[-a-z0-9._/]+", package["name"])
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert resources.keys() == {name for name in contents if name.endswith(".csv")}
    casts: dict[str, Callable[[str], object]] = {
        "number": float,
        "integer": int,
        "string": str,
        "boolean": ["true", "false"].index,
    }
    for path, resource in resources.items():
        assert resource["bytes"] == len(contents[path])
        assert resource["hash"] == f"sha256:{hashlib.sha256(contents[path]).hexdigest()}"
        fields = {field["name"]: field for field in resource["schema"]["fields"]}
        found = rows(contents[path])
        assert [*fields] == [*found[0]]
        for row in found:
            for name, cell in row.items():
                if cell:
                    casts[fields[name]["type"]](cell)
                    assert cell in fields[name].get("constraints", {}).get("enum", [cell])


def test_the_citation_has_the_keys_of_its_format(contents: dict[str, bytes]) -> None:
    citation = yaml.safe_load(contents["CITATION.cff"])
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["authors"] == [{"name": "A club: the study group"}]
    assert citation["type"] == "dataset"
    assert all(one["authors"] and one["title"] for one in citation["references"])
    program = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    for key in ("type", "title", "version", "license", "authors"):
        assert citation["references"][0][key] == program[key]
    assert f"- {SOFTWARE}" in contents["methods.md"].decode()


def test_the_methods_are_filled_in(material: Material, contents: dict[str, bytes]) -> None:
    text = contents["methods.md"].decode()
    assert "n = 300 reports" in text
    assert "ε = 12: whatever" in text
    flip = next(item for item in material.survey.items if item.id == "doped").flips
    assert flip is not None
    assert f"probability {100 * flip[0]:.1f} %" in text
    for item in material.survey.items:
        assert f"| `{item.id}` |" in text
    assert "what was asked directly: `age`, `why`, `years`" in text
    assert "Feldman and Cousins 1998" in text
    assert "Intervals are at the level of 95.0 %" in text
    assert "by a month" not in text


CORRECTED = file_of(
    "id: erred, text: Erred, type: single, answers: [No, Yes], flip: 1/4",
    "id: told, text: Told the superviser, type: single, answers: [No, Yes], flip: 1/4",
)


def test_methods_and_citation_name_revisions_and_people() -> None:
    """Two coins: 3 to 1 each, so 9 to 1 together, though the ε of each is rounded up."""
    before, after = survey(CORRECTED), survey(CORRECTED.replace("superviser", "supervisor"))
    answers = np.array([[0, 255]] * 40 + [[1, 0]] * 22, np.uint8)
    counts = ((after.shown_number, 22), (before.shown_number, 40))
    contents = contents_of(made_up.material(after, answers, revisions=counts))
    methods = contents["methods.md"].decode()
    assert (
        f"n = 62 reports: 22 to revision {after.shown_number}, 40 to revision {before.shown_number}"
    ) in methods
    assert "| `erred` | Erred | 62 |" in methods
    assert "| `told` | Told the supervisor | 22 |" in methods
    assert "more than 9 times as likely" in methods
    abstract = yaml.safe_load(contents["CITATION.cff"])["abstract"]
    assert abstract.startswith(f"62 reports (22 to revision {after.shown_number}, 40 to revision")
    alone = contents_of(made_up.material(after, answers, revisions=counts[:1]))[
        "methods.md"
    ].decode()
    assert f"all to revision {after.shown_number}." in alone
    planned = f"plan: {{people: 1200, one: 75, groups: [10, 25]}}\n{CORRECTED}".encode()
    unknown = contents_of(made_up.material(after, answers, written=planned))["methods.md"].decode()
    said = f"in which 10 % and 25 % say yes): read as reports to revision {after.shown_number}."
    assert "n = 62 reports (planned: 1,200; nobody surer than 75 in 100 of one " in unknown
    assert said in unknown


def test_statements_stand_where_the_answers_to_them_do() -> None:
    shops = survey((ROOT / "examples/shops.yaml").read_text(encoding="utf-8"))
    contents = contents_of(made_up.material(shops, np.array([[0], [1]] * 20, np.uint8)))
    for name in ("methods.md", "codebook.csv", "codebook.html", "estimates.csv"):
        text = html.unescape(contents[name].decode())
        for code in ("no", "yes"):
            (statement,) = (one for one in shops.questions[0].statements if one.code == code)
            assert f"{code.capitalize()}: “{statement.text}”" in text, (name, code)
    drawn = re.sub(r"\s+", " ", contents["figures/took.svg"].decode())
    assert all(word in drawn for word in ("Yes: “I have", "No: “I have"))


def test_the_methods_of_waves_tell_the_three_epsilons() -> None:
    panel = survey(IN_WAVES)
    contents = contents_of(made_up.material(panel, answers(panel, 60)))
    text = contents["methods.md"].decode()
    history = panel.any_history_millionths
    assert history is not None
    assert "asked in 3 waves" in text
    assert f"One report costs ε = {panel.one_report_millionths / 1e6:g}." in text
    assert f"at most ε = {history / 1e6:g}" in text
    assert "figures/wave-3-doped.svg" in contents
    assert "figures/wave-3-wave.svg" not in contents
    assert "wave" in rows(contents["reports.csv"])[0]


def test_the_codebook_holds_every_text(material: Material, contents: dict[str, bytes]) -> None:
    page = contents["codebook.html"].decode()
    for question in material.survey.questions:
        assert question.text in page
        assert all(answer.text in page for answer in question.answers)
    assert not re.search(r"(src|href)=|<script|@import|url\(", page)


def test_the_program_in_the_zip_needs_no_package(contents: dict[str, bytes]) -> None:
    assert contents["reproduce.R"] == PROGRAM.read_bytes()
    assert not re.search(rb"\b(library|require|requireNamespace)\(|::", contents["reproduce.R"])
