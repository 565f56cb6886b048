"""Direct columns: the same numbers at every door, groups where answers are rare, and no blanks."""

import csv
import io
import re
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import deniable
from deniable.report import NOT_ASKED
from deniable.server.desk.app import create_desk_app
from deniable.server.desk.auth.api_tokens import make_token
from deniable.server.store import open_store
from deniable.server.store.accounts import NOBODY, Scope
from deniable.survey_file import read
from tests.cli.conftest import Run, names
from tests.cli.test_publish import files
from tests.kit import RESPONDENTS, of_wave
from tests.publication.in_r import run as run_in_r
from tests.study.test_remote import serving

pytestmark = pytest.mark.promise("few", "rows")

HEAD = """\
version: 1
survey: clinic
title: A clinic
epsilon: 5
batch: 1
waves: {count: 2, people: others}
"""
SEX = "  - {id: sex, text: Sex, type: single, answers: [Man, Woman, Other], protection: direct}\n"
WARD = "  - {id: ward, text: Ward, type: single, answers: [A, B, C, D], protection: direct}\n"
AGE = "  - {id: age, text: Age, type: number, min: 18, max: 80, protection: direct}\n"
ASKED = """\
  - {id: took, text: Took?, type: single, answers: [No, Yes], prefer_not_to_say: true}
  - {id: what, text: What?, type: single, answers: [Pills, Weed, Else], ask_if: {took: yes}}
  - {id: often, text: How often?, type: number, min: 0, max: 10}
"""
CLINIC = f"{HEAD}questions:\n{SEX}{WARD}{AGE}{ASKED}"
PLAN = (
    "plan: {margins: {sex: {man: 40, woman: 55, other: 5}, ward: {a: 40, b: 30, c: 20, d: 10}}}\n"
)
PEOPLE = 250
"""In each wave: 140 men, 100 women and 10 others, of whom few are in each ward."""


def answers() -> npt.NDArray[np.uint8]:
    """Draw what two waves of other people answered: sex, ward, age, three noisy answers, wave."""
    random = np.random.default_rng(8)
    waves = []
    for wave in range(2):
        sex = np.repeat([0, 1, 2], [140, 100, 10])
        ward, age = random.choice(4, PEOPLE, p=[0.4, 0.3, 0.2, 0.1]), random.integers(0, 63, PEOPLE)
        noisy = [random.integers(0, most, PEOPLE) for most in (3, 4, 11)]
        waves.append(np.stack([sex, ward, age, *noisy, np.full(PEOPLE, wave)], axis=1))
    return np.concatenate(waves).astype(np.uint8)


def collect(folder: Path, text: str, rows: npt.NDArray[np.uint8]) -> str:
    """Keep the survey with its file and reports in a store; return the store's address."""
    folder.mkdir(exist_ok=True)
    (folder / "clinic.yaml").write_text(text)
    url = f"sqlite:///{folder}/store.db"
    with closing(open_store(url, create=True)) as store:
        survey = store.register(read(text).survey, text)
        for wave in (1, 2):
            if wave == 2:
                store.begin_wave("clinic", wave)
            those = rows[rows[:, -1] == wave - 1, :-1]
            store.insert_reports([of_wave(survey, wave, answers=one.tobytes()) for one in those])
    return url


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    return collect(tmp_path, CLINIC, answers())


@pytest.fixture
def desk(clinic: str) -> Iterator[tuple[str, str]]:
    """Serve the desk; yield its address and a token to read."""
    with (
        closing(open_store(clinic)) as store,
        serving(create_desk_app(store, RESPONDENTS)) as url,
    ):
        yield url, make_token(store, NOBODY, "tests", Scope.READ)


def shares(text: str, item: str = "sex") -> dict[tuple[str, str], float]:
    """Return the shares in a CSV of estimates, by wave and answer."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return {
        (row["wave"], row["answer"]): float(row["estimate"])
        for row in rows
        if row["item"] == item and row["statistic"] == "share"
    }


def test_every_door_gives_the_same_shares(
    run: Run, clinic: str, desk: tuple[str, str], tmp_path: Path
) -> None:
    url, token = desk
    file, reports = str(tmp_path / "clinic.yaml"), str(tmp_path / "clinic.csv")
    of_wave = {"man": 140 / PEOPLE, "woman": 100 / PEOPLE, "other": 10 / PEOPLE}
    truth = {(wave, sex): of_wave[sex] for wave in "12" for sex in of_wave}

    def fetched(path: str) -> str:
        request = urllib.request.Request(
            f"{url}/api/v1/surveys/clinic/{path}", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request) as answer:
            return str(answer.read().decode())

    said = run("export", "clinic", "--store", clinic, "-o", reports).stderr
    assert names(said, "without ward, age")
    run("export", "clinic", "--store", clinic, "--zip", str(tmp_path / "a.zip"), "--direct", "sex")
    doors = {
        "store": run("estimate", "clinic", "--store", clinic, "--format", "csv").stdout,
        "api": fetched("estimates.csv"),
        "export": run("estimate", file, "--reports", reports, "--format", "csv").stdout,
        "zip": files(str(tmp_path / "a.zip"))["estimates.csv"].decode(),
    }
    for door, text in doors.items():
        assert shares(text) == pytest.approx(truth), door
        assert shares(text, "took") == shares(doors["store"], "took"), door
    assert fetched("reports.csv") == Path(reports).read_bytes().decode()
    for source, options in ((url, {"token": token}), (reports, {})):
        study = deniable.open(file, source, **options)
        assert [item.id for item in study.survey.items][:2] == ["sex", "took"]
        assert (study.answers != NOT_ASKED).all(), "nothing is read back as not asked"
        found = study.wave(1).shares("sex").export.rows
        assert [row["estimate"] for row in found] == pytest.approx([*of_wave.values()])
        assert {row["n"] for row in found} == {PEOPLE}
        by = study.wave(1).by("sex", "took")
        assert "left out" not in str(by)
        assert "Other" in str(by)


def test_an_unused_question_changes_no_weighted_number(run: Run, tmp_path: Path) -> None:
    """Nor does a small cell of sex and ward stop the weights, which are of everybody."""
    rows = answers()
    without_age = np.delete(rows, 2, axis=1)
    told = []
    for name, text, those in (
        ("with", CLINIC + PLAN, rows),
        ("without", CLINIC.replace(AGE, "") + PLAN, without_age),
    ):
        url = collect(tmp_path / name, text, those)
        found = run("estimate", "clinic", "--store", url, "--format", "csv").stdout
        told.append(
            [
                (row["item"], row["wave"], row["statistic"], row["answer"], row["estimate"])
                for row in csv.DictReader(io.StringIO(found))
                if row["item"] in ("took", "what", "often") and row["design_effect"]
            ]
        )
        table = run("estimate", "clinic", "--store", url).stdout
        assert names(table, "Weighted by sex and ward")
        assert not re.search("took: Not weighted", table)
        assert names(table, "sex, ward: Not weighted: too few people to show ward with sex")
    assert told[0] == told[1]
    assert {row[0] for row in told[0]} == {"took", "what", "often"}


def test_a_file_is_weighted_by_its_groups_or_says_why_once(run: Run, tmp_path: Path) -> None:
    url = collect(tmp_path, CLINIC + PLAN, answers())
    file, reports = str(tmp_path / "clinic.yaml"), str(tmp_path / "a.csv")
    groups = "sex:man+[woman other],ward:[a b]+[c d]"
    written = ("export", "clinic", "--store", url, "--force", "-o", reports, "--direct")
    run(*written, groups)
    found = run("estimate", file, "--reports", reports, "--format", "csv").stdout
    assert shares(found)["1", "man"] == pytest.approx(0.4)
    assert shares(found)["1", "[woman other]"] == pytest.approx(0.6)
    assert shares(found, "ward")["2", "[c d]"] == pytest.approx(0.3)
    table = run("estimate", file, "--reports", reports).stdout
    assert names(table, "Weighted by sex and ward")
    run(*written, "sex:man+[woman other]")
    table = run("estimate", file, "--reports", reports).stdout
    assert names(table, "Nothing is weighted: the reports have no column ward.")
    assert "Weighted by" not in table
    assert table.count("weighted") == 1


def test_a_second_file_holds_only_what_the_first_leaves(
    run: Run, clinic: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "a.csv")
    written = ("export", "clinic", "--store", clinic, "--force", "-o", path, "--direct")
    run(*written, "sex,age:18-39+40-80")
    # By itself the ward could leave, but readers can join the two files by their noisy answers.
    refused = run(*written, "ward", exits=1).stderr
    assert names(refused, "too few people to show ward with sex, age")
    for columns, header in (
        ("age:18-39+40-80", "age"),  # a part of it
        ("sex:man+[woman other]", "sex"),  # coarser
        ("sex,age:18-39+40-80", "sex,age"),
    ):
        run(*written, columns)
        first, *cells = Path(path).read_text().splitlines()
        assert first.startswith(header)
        direct = len(header.split(","))
        counts = Counter((*line.split(",")[:direct], line.split(",")[-1]) for line in cells)
        assert min(counts.values()) >= 5
    finer = run(*written, "age:18-21+22-80", exits=1).stderr
    assert names(finer, "too few people to show age with sex: some")
    assert names(finer, "in groups they can: age:18-39+40-80")


def test_a_proposal_can_be_given(run: Run, clinic: str, tmp_path: Path) -> None:
    written = ("export", "clinic", "--store", clinic, "--force", "-o", str(tmp_path / "a.csv"))
    sex = "sex:man+[woman other]"
    refused = run(*written, "--direct", f"{sex},age", exits=1).stderr
    found = re.search(r"in groups they can: (age:\S+)", refused.replace("\n", " "))
    assert found
    run(*written, "--direct", f"{sex},{found[1]}")


def test_a_proposal_puts_other_columns_together_too(run: Run, clinic: str, tmp_path: Path) -> None:
    """The few others of each ward need groups of the sexes, whatever the wards' groups are."""
    written = ("export", "clinic", "--store", clinic, "--force", "-o", str(tmp_path / "a.csv"))
    refused = run(*written, "--direct", "sex,ward", exits=1).stderr
    assert names(refused, "too few people to show ward with sex")
    found = re.search(r"in groups they can: (.*)", re.sub(r"\s+", " ", refused).strip())
    assert found
    assert found[1].startswith("sex:")
    run(*written, "--direct", found[1])


def test_hide_below_hides_and_never_falls(run: Run, tmp_path: Path) -> None:
    rows = answers()
    rows[:2, 0] = rows[250:252, 0] = 2  # twelve others in each wave
    rows[2:4, 0] = rows[252:254, 0] = 2
    url = collect(tmp_path, f"{CLINIC}plan: {{hide_below: 15}}\n", rows)

    def other() -> str:
        found = run("estimate", "clinic", "--store", url, "--format", "csv").stdout
        return next(
            row["estimate"]
            for row in csv.DictReader(io.StringIO(found))
            if (row["item"], row["wave"], row["answer"]) == ("sex", "1", "other")
        )

    assert other() == ""
    assert names(run("estimate", "clinic", "--store", url).stdout, "fewer than 15 people gave it")
    groups = "sex:[man other]+woman"
    written = ("export", "clinic", "--store", url, "--force", "-o", str(tmp_path / "a.csv"))
    refused = run(*written, "--direct", "sex", exits=1).stderr
    assert names(refused, "fewer than 15 people")
    fewer = f"{CLINIC}plan: {{hide_below: 5}}\n"
    with closing(open_store(url)) as store:
        store.register(read(fewer).survey, fewer)
    assert other(), "no file left yet"
    with closing(open_store(url)) as store:
        store.register(read(fewer).survey, f"{CLINIC}plan: {{hide_below: 15}}\n")
    run(*written, "--direct", groups)
    with closing(open_store(url)) as store:
        store.register(read(fewer).survey, fewer)
        assert store.left("clinic")[1] == 15
    assert other() == "", "it cannot fall once a file left"


WRONG = {
    "sexx": "expected direct items, found 'sexx'; there is sex, ward, age",
    "took": "expected direct items, found 'took'",
    "sex,sex": "expected 'sex' once, found it twice",
    "sex:man+[woman othr]": "'sex': expected answers (man, woman, other), or 20-39, found 'othr'",
    "sex:man+woman": "'sex': expected each answer in a group, found none for other",
    "sex:man+[man woman other]": "'sex': expected 'man' in one group, found it in two",
    "age:18-39+50-80": "'age': expected each answer in a group, found none for 40, 41, 42, 43, 44",
    "age:18-39+39-80": "'age': expected '39' in one group, found it in two",
    "age:18-39+[]": "'age': expected answers between [ and ], found none",
}
"""Wrong columns, and what is said of them at every door."""


@pytest.mark.parametrize("columns", WRONG)
def test_wrong_groups_are_named(run: Run, clinic: str, tmp_path: Path, columns: str) -> None:
    for kind in ("--output", "--zip"):
        place = str(tmp_path / f"a.{'csv' if kind == '--output' else 'zip'}")
        said = run("export", "clinic", "--store", clinic, kind, place, "--direct", columns, exits=1)
        assert names(said.stderr, WRONG[columns])
        assert not Path(place).exists()
    file = tmp_path / "wrong.yaml"
    file.write_text(f'{CLINIC}plan: {{columns: "{columns}"}}\n')
    said = run("check", str(file), exits=1)
    assert names(said.stderr, f"wrong.yaml:14:17: {WRONG[columns]}")


def test_groups_do_not_mix_what_leads_to_a_follow_up(run: Run, tmp_path: Path) -> None:
    text = CLINIC.replace("ask_if: {took: yes}", "ask_if: {ward: [a, b]}")
    file = tmp_path / "asked.yaml"
    file.write_text(f'{text}plan: {{columns: "ward:a+[b c]+d"}}\n')
    said = run("check", str(file), exits=1)
    expected = "'ward': expected groups of answers that lead to 'what', or of others, found both in"
    assert names(said.stderr + said.stdout, expected)
    file.write_text(f'{text}plan: {{columns: "ward:[a b]+[c d]"}}\n')
    run("check", str(file))


def test_an_age_in_years_is_noted_with_groups_that_are_accepted(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "clinic.yaml"
    file.write_text(CLINIC)
    said = run("check", str(file))
    text = re.sub(r"\s+", " ", said.stdout + said.stderr)
    assert "'age' has 63 direct answers, so few people give the same ones" in text
    found = re.search(r"“(plan: \{columns: .*?\})”", text)
    assert found
    file.write_text(f"{CLINIC}{found[1]}\n")
    again = run("check", str(file))
    assert "direct answers, so few people" not in again.stdout + again.stderr
    url = collect(tmp_path / "store", f"{CLINIC}{found[1]}\n", answers())
    reports = tmp_path / "a.csv"
    run("export", "clinic", "--store", url, "-o", str(reports), "--direct", "sex:man+[woman other],"
        f"{found[1].split(chr(34))[1]}")  # fmt: skip
    assert "18-33" in reports.read_text()


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("columns: [sex, age]", 'as a text, such as "sex,age:18-39+40-80", found a list'),
        ("hide_below: 4", "14:20: expected 5 to 1000 people, found"),
    ],
)
def test_wrong_plans_are_named(run: Run, tmp_path: Path, plan: str, said: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(f"{CLINIC}plan: {{{plan}}}\n")
    assert names(run("check", str(file), exits=1).stderr, said)


@pytest.mark.slow
@pytest.mark.promise("archive")
def test_a_zip_of_groups_is_reproduced_in_r(run: Run, clinic: str, tmp_path: Path) -> None:
    zipped = str(tmp_path / "a.zip")
    direct = "sex,age:18-39+40-80"
    run("export", "clinic", "--store", clinic, "--zip", zipped, "--direct", direct)
    folder = tmp_path / "parcel"
    for name, content in files(zipped).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    ended = run_in_r(folder / "reproduce.R", cwd="/")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "All is as it should be." in ended.stdout
    assert "ward: not checked, because its column is not published" in ended.stdout
    assert "age: not checked" not in ended.stdout
