"""The programs in the zip recompute its numbers, and see it if one was changed."""

import csv
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deniable import designs
from deniable.analysis import applicable_shares, estimate, estimate_mean
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.publication import reproduce
from deniable.publication.parcel import contents_of
from deniable.study import Study
from tests import needs
from tests.publication import made_up
from tests.publication.made_up import answers, survey, unpack
from tests.surveys_in_waves import TEXT as IN_WAVES
from tests.surveys_together import IN_WAVES as AS_ONE

pytestmark = pytest.mark.promise("archive")

TOLD_BY_NAME = ("estimate", "standard_error", "low", "high", "n", "observed", "clipped")


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    every = survey()
    reports = answers(every, 120)
    reports[:9, 0] = 255  # not asked
    margins = {"age": {"young": 0.4, "old": 0.6}}
    material = made_up.material(every, reports, ("age", "why", "years"), least=1, margins=margins)
    return unpack(material, tmp_path_factory.mktemp("every-kind"))


@pytest.fixture(scope="module")
def in_waves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    panel = survey(IN_WAVES)
    margins = {"age": {"young": 0.7, "old": 0.3}}
    material = made_up.material(panel, answers(panel, 150), ("age",), margins=margins)
    return unpack(material, tmp_path_factory.mktemp("waves"))


@pytest.fixture(scope="module")
def as_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = survey(AS_ONE.replace("epsilon: 3", "epsilon: 3\nask: 1"))
    panel = simulate_panel(read_population(drawn), 300, words=seeded_words(1))
    rows = np.concatenate([np.insert(one.answers, 3, one.wave - 1, axis=1) for one in panel])
    return unpack(made_up.material(drawn, rows), tmp_path_factory.mktemp("as-one"))


@pytest.fixture(scope="module")
def left_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    every = survey()
    return unpack(made_up.material(every, answers(every, 60)), tmp_path_factory.mktemp("left-out"))


@pytest.fixture
def folder(every_kind: Path, tmp_path: Path) -> Path:
    """Copy the tables, for a test that changes them."""
    for file in every_kind.glob("*.csv"):
        shutil.copy(file, tmp_path)
    return tmp_path


def change(
    folder: Path, line: int, column: str, by: Callable[[float], object], of: str = "estimates"
) -> str:
    """Change a number of a file; return what it was."""
    file = folder / f"{of}.csv"
    with file.open(newline="") as lines:
        rows = [*csv.DictReader(lines)]
    old = rows[line - 2][column]
    rows[line - 2][column] = str(by(float(old)))
    with file.open("w", newline="") as written:
        writer = csv.DictWriter(written, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return old


def estimates(folder: Path, of: str = "estimates") -> list[dict[str, str]]:
    with (folder / f"{of}.csv").open(newline="") as lines:
        return [*csv.DictReader(lines)]


def test_every_number_of_every_kind_of_question_is_reproduced(
    every_kind: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce.main(every_kind) == 0
    plain, weighted = capsys.readouterr().out.split("weighted.csv\n")
    said, known = dict[str, int](), list[dict[str, str]]()
    for of, text, method in (
        ("estimates", plain, "feldman-cousins"),
        ("weighted", weighted, "exact"),
    ):
        said = {k: int(count) for count, k in re.findall(r"^ *(\d+) (.*): the same$", text, re.M)}
        rows = estimates(every_kind, of)
        known = [row for row in rows if row["estimate"]]
        assert {row["statistic"] for row in known} == {"share", "mean", "share_if_applies"}
        assert said["estimate"] == said["standard_error"] == said["clipped"] == len(known)
        assert said["n"] == len(rows)
        ends = sum(count for kind, count in said.items() if kind.startswith("ends of"))
        assert ends == 2 * sum(row["low"] != "" for row in rows)
        assert {row["method"] for row in known} == {method, "tail"}
    assert said["weight"] == 120
    assert said["design_effect"] == len(known)


def test_it_runs_by_itself_beside_the_files(every_kind: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-I", every_kind / "reproduce.py"],
        capture_output=True,
        text=True,
        cwd="/",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("All is as it should be.\n")


def test_waves_and_their_changes_are_reproduced(
    in_waves: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce.main(in_waves) == 0
    changes = [row for row in estimates(in_waves) if row["statistic"].startswith("change")]
    assert {row["statistic"] for row in changes} == {"change_of_share", "change_of_mean"}
    assert {(row["since"], row["wave"]) for row in changes} == {("1", "3")}
    assert f"{2 * len(changes)} ends of changes: the same" in capsys.readouterr().out


def test_the_table_of_a_group_is_reproduced(
    as_one: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce.main(as_one) == 0
    assert "All is as it should be." in capsys.readouterr().out
    table = [row for row in estimates(as_one) if row["item"] == "doped+knew"]
    assert [row["answer"] for row in table if row["wave"] == "2"] == [
        *("no+does_not_apply", "yes+no", "yes+yes"),
        *(f"prefer_not_to_say+{one}" for one in ("no", "yes", "does_not_apply")),
    ]
    assert 150 < int(table[0]["n"]) < 300  # who was not drawn is in no cell
    yes = [row for row in estimates(as_one) if (row["item"], row["answer"]) == ("doped", "yes")]
    for wave in ("1", "2", "3"):
        both = [float(row["estimate"]) for row in table[1:] if row["wave"] == wave][-5:][:2]
        alone = [row for row in yes if (row["wave"], row["statistic"]) == (wave, "share")]
        assert float(alone[0]["estimate"]) == pytest.approx(sum(both))
    line = 2 + estimates(as_one).index(table[1])
    old = change(as_one, line, "estimate", lambda value: value + 1e-5)
    assert reproduce.main(as_one) == 1
    assert f"DIFFERS: line {line} (doped+knew yes+no share)" in capsys.readouterr().out
    change(as_one, line, "estimate", lambda _: old)


@pytest.mark.parametrize(
    ("of", "column"),
    [
        *(("estimates", column) for column in TOLD_BY_NAME),
        *(("weighted", column) for column in (*TOLD_BY_NAME, "design_effect")),
    ],
)
def test_a_changed_number_is_named_with_its_line(
    folder: Path, of: str, column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = enumerate(estimates(folder, of), start=2)
    line = next(line for line, row in rows if row[column] and row["item"] == "mood")
    change(folder, line, column, lambda value: value + (1 if column == "n" else 1e-5), of)
    assert reproduce.main(folder) == 1
    said = capsys.readouterr().out
    assert f"DIFFERS: line {line} (mood" in said
    assert f"): {column} " in said
    assert said.count("\n1 differ.\n") == 1


def test_a_changed_mark_is_named_with_its_line(
    in_waves: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in in_waves.glob("*.csv"):
        shutil.copy(file, tmp_path)
    told = (tmp_path / "estimates.csv").read_text()
    lines = told.splitlines()
    for statistic in ("share", "change_of_mean"):
        line = next(line for line in lines if f",{statistic}," in line)
        changed = ",true,".join(line.rsplit(",false,", 1))
        (tmp_path / "estimates.csv").write_text(told.replace(line, changed))
        assert reproduce.main(tmp_path) == 1
        assert f"line {lines.index(line) + 1} (" in (said := capsys.readouterr().out)
        assert "): narrow\n1 differ.\n" in said


@pytest.mark.slow
def test_a_changed_most_likely_share_is_seen(folder: Path) -> None:
    rows = enumerate(estimates(folder), start=2)
    first, second = [line for line, row in rows if row["item"] == "doped"]
    old = change(folder, first, "maximum_likelihood", lambda value: value + 1e-3)
    assert reproduce.main(folder) == 1
    change(folder, second, "maximum_likelihood", lambda value: value - 1e-3)
    assert reproduce.main(folder) == 1  # they sum to 1 again
    change(folder, first, "maximum_likelihood", lambda _: old)
    change(folder, second, "maximum_likelihood", lambda value: value + 1e-3)
    assert reproduce.main(folder) == 0


def test_each_end_of_each_interval_is_held(every_kind: Path) -> None:
    """Moved by 1e-4 of the range to either side, no end satisfies its equation."""
    items = reproduce.items(every_kind, in_waves=False)
    plain = reproduce.Check(estimates(every_kind), items)
    weighted = reproduce.weighted(every_kind, items, in_waves=False)
    moved = 0
    for of, row in [(one, row) for one in (plain, weighted) for row in one.rows if row["low"]]:
        for column, step in (("low", 1e-4), ("low", -1e-4), ("high", 1e-4), ("high", -1e-4)):
            numbers = items[row["item"]].numbers
            span = np.nanmax(numbers) - np.nanmin(numbers) if row["statistic"] == "mean" else 1
            other = {**row, column: repr(float(row[column]) + step * float(span))}
            told = {**other, "maximum_likelihood": ""}
            check = reproduce.Check([told], of.known, of.samples)
            check.run()
            assert len(check.failed) == 1, (row["item"], row["answer"], column, step)
            moved += 1
    assert moved > 400


def test_a_changed_margin_is_seen_and_a_damaged_one_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = change(folder, 2, "people", lambda people: people + 1e-6, "margins")
    assert reproduce.main(folder) == 1
    assert "DIFFERS: reports.csv, line 11: weight" in capsys.readouterr().out
    for line in (f"age,young,{old}x", f"agee,young,{old}", f"age,yuong,{old}", "age,young"):
        (folder / "margins.csv").write_text(f"question,answer,people\n{line}\n")
        with pytest.raises(SystemExit, match=r"margins\.csv, line 2: expected question"):
            reproduce.main(folder)


def test_a_changed_report_is_seen(folder: Path) -> None:
    file = folder / "reports.csv"
    header, first, *others = file.read_text().splitlines()
    assert first.startswith("no,")
    file.write_text("\n".join([header, "yes," + first.removeprefix("no,"), *others]))
    assert reproduce.main(folder) == 1


def test_people_are_weighed_by_published_answers_alone_as_a_study_weighs_them(
    tmp_path: Path,
) -> None:
    every, margins = survey(), {"age": {"young": 0.4, "old": 0.6}}
    reports = answers(every, 300)
    material = made_up.material(every, reports, ("age", "years"), margins=margins)
    unpack(material, tmp_path)
    assert reproduce.main(tmp_path) == 0
    rows = estimates(tmp_path, "reports")
    assert 0 < sum(row["Weight"] == "" for row in rows) == material.table.emptied
    assert all((row["Weight"] == "") == (row["age"] == "") for row in rows)
    assert not any(row["item"] == "why" for row in estimates(tmp_path, "weighted"))
    kept = np.isin(material.rows.emptied([len(every.items) - 3])[:, -3], (0, 1))
    study = Study.of(every, [reports[kept].tobytes()], "").weights(margins=margins)
    found = {
        (row["item"], row["statistic"], row["answer"]): row
        for row in estimates(tmp_path, "weighted")
    }
    for row in study.shares("drinks").export.rows:
        one = found["drinks", str(row["statistic"]), str(row["answer"] or "")]
        for name in ("estimate", "standard_error", "low", "high", "design_effect"):
            assert float(one[name]) == pytest.approx(row[name], rel=1e-9), name
    alone = made_up.material(every, reports, ("years",), margins=margins)
    assert "expected age among the published ones, found no age" in str(alone.weighting)
    files = contents_of(alone)
    assert "weighted.csv" not in files
    assert b"Nothing is weighted: a weight tells" in files["methods.md"]


def test_what_is_not_published_is_named_and_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = survey()
    reports = answers(every, 60)
    reports[:, -1] = 5
    reports[0, -1] = 7  # one person's years, which are left out
    unpack(made_up.material(every, reports, ("years",)), tmp_path)
    assert reproduce.main(tmp_path) == 0
    said = capsys.readouterr().out
    assert "age: not checked, because its column is not published" in said
    assert "years: not checked, because its column is published in part only" in said


def test_the_most_likely_shares_of_the_program_are_those_of_the_analysis() -> None:
    # Without a constraint but the sum: f is 0 for all.
    channel = designs.k_ary(5, 1)
    counts = np.array([30, 5, 0, 12, 3])
    found = reproduce.most_likely(channel.probabilities, counts / 50, np.zeros(5))
    assert found == pytest.approx(estimate(counts, channel).maximum_likelihood, abs=1e-7)


def test_the_program_finds_the_interval_of_a_mean_as_the_analysis_does() -> None:
    channel, values = designs.k_ary(4, 1), np.array([0.0, 1, 5, np.nan])
    counts = np.array([30, 15, 8, 12])
    given = np.array([1.0, 1, 1, 0])
    test = reproduce.Quantity(
        counts.astype(float), channel.probabilities, np.nan_to_num(values), given, 0.95
    )
    expected = estimate_mean(counts, channel, values)
    known = (expected.mean, expected.standard_error)
    assert test.estimated == pytest.approx(known, rel=1e-12)
    for side, end in enumerate(expected.interval()):
        assert test.end_fits("tail", float(end), side)


@pytest.mark.parametrize("counts", [[3, 0, 0, 0], [0, 5, 0, 0], [0, 0, 0, 1], [2, 0, 0, 1]])
def test_the_program_agrees_where_reports_are_nearly_all_alike(counts: list[int]) -> None:
    channel, values = designs.best_numeric(4, 7), np.arange(4.0)
    found = estimate_mean(counts, channel, values)
    test = reproduce.Quantity(
        np.array(counts, dtype=float), channel.probabilities, values, np.ones(4), 0.95
    )
    ends = found.interval()
    assert test.interval("tail") == pytest.approx(tuple(ends), abs=1e-5)
    for side, end in enumerate(ends):
        assert test.end_fits("tail", float(end), side)
        for moved in (-1e-4, 1e-4):
            assert not test.end_fits("tail", float(end) + moved, side)


BEYOND = [[0, 3, 1], [3, 0, 1], [1, 0, 0], [14, 2, 8], [3, 14, 8], [52, 19, 29], [20, 0, 0]]
"""Reports of which shares among those to whom a question applies would lie outside of [0, 1]."""


@pytest.mark.parametrize("counts", BEYOND)
def test_the_program_agrees_where_a_ratio_lies_beyond_its_range(counts: list[int]) -> None:
    channel, one, applies = designs.k_ary(3, 1), np.array([1.0, 0, 0]), np.array([1.0, 1, 0])
    found = applicable_shares(counts, channel, skipped=2)
    test = reproduce.Quantity(
        np.array(counts, dtype=float), channel.probabilities, one, applies, 0.95
    )
    ends = found.interval()[0]
    assert found.outside[0] or np.isnan(found.share[0])
    assert test.divisor.may_be_nothing == np.isnan(found.share[0])
    assert test.interval("tail") == pytest.approx(tuple(ends), abs=1e-6)
    for side, end in enumerate(ends):
        assert test.end_fits("tail", float(end), side)
        for moved in (-1e-4, 1e-4):
            assert not test.end_fits("tail", float(end) + moved, side)


@pytest.fixture
def rscript() -> str:
    return needs.program("Rscript", "sudo apt-get install r-base-core")


def run_r(rscript: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [rscript, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.slow
def test_in_r_everything_is_reproduced_as_well(
    rscript: str, every_kind: Path, in_waves: Path, as_one: Path, left_out: Path
) -> None:
    for folder in (every_kind, in_waves, as_one, left_out):
        ended = run_r(rscript, folder / "reproduce.R")
        assert ended.returncode == 0, ended.stdout + ended.stderr
        python = subprocess.run(
            [sys.executable, folder / "reproduce.py"], capture_output=True, text=True, check=True
        )
        assert ended.stdout == python.stdout


@pytest.mark.slow
def test_in_r_the_interval_of_a_ratio_beyond_its_range_holds_it(rscript: str) -> None:
    script, channel = Path(reproduce.__file__).with_name("reproduce.R"), designs.k_ary(3, 1)
    rows = ", ".join(map(repr, channel.probabilities.ravel().tolist()))
    program = f'source("{script}"); channel <- matrix(c({rows}), 3, byrow = TRUE)\n'
    expected = []
    for counts in BEYOND:
        found = applicable_shares(counts, channel, skipped=2)
        share, ends = float(found.share[0]), found.interval()[0].tolist()
        program += f"""
        test <- rr_test(c{tuple(counts)}, channel, c(1, 0, 0), c(1, 1, 0), 0.95)
        share <- rr_raw_share_if_applies(c{tuple(counts)}, channel, 1, 3)[["estimate"]]
        cat(is.nan(rr_share_if_applies(c{tuple(counts)}, channel, 1, 3)[["estimate"]]), "")
        cat(rr_tail_interval(test, share), "")
        ends <- c({ends[0]!r}, {ends[1]!r})
        for (moved in c(0, -1e-4, 1e-4)) for (side in 1:2)
          cat(rr_end_fits(test, ends[side] + moved, share, side), "")
        """
        expected += [float(math.isnan(share)), *ends, 1, 1, 0, 0, 0, 0]
    ended = run_r(rscript, "-e", program)
    assert ended.returncode == 0, ended.stderr
    told = ended.stdout.replace("TRUE", "1").replace("FALSE", "0").split()
    assert [float(one) for one in told] == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
def test_in_r_a_changed_number_is_named_with_its_line(rscript: str, folder: Path) -> None:
    script = Path(reproduce.__file__).with_name("reproduce.R")
    for column in TOLD_BY_NAME:
        rows = enumerate(estimates(folder), start=2)
        line = next(line for line, row in rows if row[column] and row["item"] == "mood")
        step = 1 if column == "n" else 1e-5
        old = change(folder, line, column, lambda value, step=step: value + step)  # type: ignore[misc]
        ended = run_r(rscript, script, folder)
        assert ended.returncode == 1
        assert f"DIFFERS: line {line} (mood" in ended.stdout
        assert ended.stdout.count("\n1 differ.\n") == 1
        change(folder, line, column, lambda _, old=old: old)  # type: ignore[misc]


@pytest.mark.slow
def test_sourced_in_r_it_gives_functions_that_agree_with_the_analysis(
    rscript: str, every_kind: Path
) -> None:
    program = f"""
    source("{every_kind}/reproduce.R")
    items <- rr_design("{every_kind}")
    doped <- items$doped
    hours <- items$hours
    cat(doped$counts, rr_share(doped$counts, doped$channel, 2),
        rr_interval(doped$counts, doped$channel, truth = 2),
        rr_mean(hours$counts, hours$channel, hours$numbers),
        rr_interval(hours$counts, hours$channel, numbers = hours$numbers))
    """
    ended = run_r(rscript, "-e", program)
    assert ended.returncode == 0, ended.stderr
    no, yes, *found = map(float, ended.stdout.split())
    every = survey()
    doped = next(item for item in every.items if item.id == "doped")
    expected = estimate([int(no), int(yes)], doped.channel)
    (hours,) = [
        row for row in estimates(every_kind) if (row["item"], row["statistic"]) == ("hours", "mean")
    ]
    names = ("estimate", "standard_error", "low", "high")
    assert found == pytest.approx(
        [
            expected.theta[1],
            expected.standard_error[1],
            *expected.interval()[1],
            *(float(hours[name]) for name in names),
        ],
        rel=1e-5,
    )
