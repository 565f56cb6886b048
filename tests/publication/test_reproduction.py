"""The program in the zip recomputes its numbers, and sees it if one was changed."""

import csv
import math
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from deniable import Channel, designs
from deniable.analysis import applicable_shares, estimate_mean
from deniable.analysis.waves import told_together
from deniable.client.panel import simulate_panel
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.publication.parcel import contents_of
from deniable.report import NOT_ASKED
from deniable.study import Study
from tests.kit import PANEL_TEXT as IN_WAVES
from tests.kit.surveys import IN_WAVES as AS_ONE
from tests.publication import made_up
from tests.publication.in_r import PROGRAM, evaluated, run
from tests.publication.made_up import answers, survey, unpack

pytestmark = pytest.mark.promise("archive")

TOLD_BY_NAME = ("estimate", "standard_error", "low", "high", "n", "observed", "clipped")
ALL_IS_WELL = "All is as it should be."


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    every = survey()
    reports = answers(every, 120)
    reports[:9, 0] = 255  # not asked
    margins = {"age": {"young": 0.4, "old": 0.6}}
    material = made_up.material(every, reports, "age,why,years", least=1, margins=margins)
    return unpack(material, tmp_path_factory.mktemp("every-kind"))


@pytest.fixture(scope="module")
def in_waves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    panel = survey(IN_WAVES)
    margins = {"age": {"young": 0.7, "old": 0.3}}
    material = made_up.material(panel, answers(panel, 150), "age", margins=margins)
    return unpack(material, tmp_path_factory.mktemp("waves"))


@pytest.fixture(scope="module")
def as_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = survey(AS_ONE.replace("epsilon: 3", "epsilon: 3\nask: 1"))
    panel = simulate_panel(read_population(drawn), 300, words=seeded_words(1))
    rows = np.concatenate([np.insert(one.answers, 3, one.wave - 1, axis=1) for one in panel])
    return unpack(made_up.material(drawn, rows), tmp_path_factory.mktemp("as-one"))


@pytest.fixture
def folder(every_kind: Path, tmp_path: Path) -> Path:
    for file in every_kind.glob("*.csv"):
        shutil.copy(file, tmp_path)
    return tmp_path


def change(
    folder: Path, line: int, column: str, by: Callable[[float], object], of: str = "estimates"
) -> str:
    rows = estimates(folder, of)
    old = rows[line - 2][column]
    rows[line - 2][column] = str(by(float(old)))
    write(folder, of, rows)
    return old


def estimates(folder: Path, of: str = "estimates") -> list[dict[str, str]]:
    with (folder / f"{of}.csv").open(newline="") as lines:
        return [*csv.DictReader(lines)]


def write(folder: Path, of: str, rows: Sequence[dict[str, str]]) -> None:
    with (folder / f"{of}.csv").open("w", newline="") as written:
        writer = csv.DictWriter(written, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.slow
def test_every_number_of_every_kind_is_reproduced(every_kind: Path) -> None:
    ended = run(every_kind / "reproduce.R", cwd="/")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    plain, weighted = ended.stdout.split("weighted.csv\n")
    said, known = dict[str, int](), list[dict[str, str]]()
    for of, text, method in (
        ("estimates", plain, "feldman-cousins"),
        ("weighted", weighted, "exact"),
    ):
        assert text.endswith(f"{ALL_IS_WELL}\n")
        said = {k: int(count) for count, k in re.findall(r"^ *(\d+) (.*): the same$", text, re.M)}
        rows = estimates(every_kind, of)
        known = [row for row in rows if row["estimate"]]
        assert {row["statistic"] for row in known} == {"share", "mean", "share_if_applies"}
        assert said["estimate"] == said["standard_error"] == said["clipped"] == len(known)
        assert said["n"] == len(rows)
        assert said["observed"] == sum(row["observed"] != "" for row in rows)
        ends = sum(count for kind, count in said.items() if kind.startswith("ends of"))
        assert ends == 2 * said["narrow"] == 2 * sum(row["low"] != "" for row in rows)
        # A share that the margins fix has no error, and Wald's interval.
        kinds = {row["method"] for row in known if float(row["standard_error"]) > 1e-9}
        assert kinds == {method, "tail"}
        assert said["most likely distributions"] > 0
    assert said["weight"] == 120
    assert said["design_effect"] == said["effective_n"] == len(known)


@pytest.mark.slow
def test_waves_and_their_changes_are_reproduced(in_waves: Path) -> None:
    ended = run(PROGRAM, in_waves)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    changes = [row for row in estimates(in_waves) if row["statistic"].startswith("change")]
    assert {row["statistic"] for row in changes} == {"change_of_share", "change_of_mean"}
    assert {(row["since"], row["wave"]) for row in changes} == {("1", "3")}
    assert f"{2 * len(changes)} ends of changes: the same" in ended.stdout
    assert f"{len(changes)} p-values of changes: the same" in ended.stdout
    assert {int(row["comparisons"]) for row in changes} == set(told_together(survey(IN_WAVES), 1))
    assert ended.stdout.count(ALL_IS_WELL) == 2


@pytest.mark.slow
def test_the_table_of_a_group_is_reproduced(as_one: Path) -> None:
    ended = run(PROGRAM, as_one)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    kinds = {row["statistic"] for row in estimates(as_one)}
    assert {"change_of_share", "change_of_share_if_applies"} <= kinds
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
    ended = run(PROGRAM, as_one)
    assert ended.returncode == 1
    assert f"DIFFERS: line {line} (doped+knew yes+no share)" in ended.stdout
    change(as_one, line, "estimate", lambda _: old)


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_what_few_or_like_people_sent_is_reproduced(n: int, tmp_path: Path) -> None:
    every, margins = survey(), {"age": {"young": 0.4, "old": 0.6}}
    drawn = answers(every, n, seed=1)
    alike = np.repeat(answers(every, 1), 9, axis=0)
    age = [item.id for item in every.items].index("age")
    alike[:n, age] = 1 - alike[:n, age]  # both kinds of people, whose other answers are the same
    for name, reports in (("drawn", drawn), ("alike", alike)):
        material = made_up.material(every, reports, "age,why,years", least=1, margins=margins)
        ended = run(PROGRAM, unpack(material, tmp_path / name))
        assert ended.returncode == 0, (name, ended.stdout + ended.stderr)
    assert (tmp_path / "alike" / "weighted.csv").exists() == (n > 0)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["estimates", "weighted"])
def test_each_changed_number_is_named_with_its_line(folder: Path, of: str) -> None:
    columns = (*TOLD_BY_NAME, *(["design_effect", "effective_n"] if of == "weighted" else []))
    rows, changed = estimates(folder, of), []
    for column in columns:
        row = next(row for row in rows if row[column] and row["item"] == "mood")
        step = 1 if column == "n" else 1e-5
        changed.append({**row, column: repr(float(row[column]) + step), "maximum_likelihood": ""})
    other = {**rows[0], "narrow": {"true": "false", "false": "true"}[rows[0]["narrow"]]}
    write(folder, of, [*changed, {**other, "maximum_likelihood": ""}])
    ended = run(PROGRAM, folder)
    assert ended.returncode == 1
    differing = re.findall(r"^DIFFERS: line (\d+) \(.*\): (\w+)", ended.stdout, re.M)
    named = [(str(line), column) for line, column in enumerate((*columns, "narrow"), start=2)]
    assert differing == named
    assert f"\n{len(named)} differ.\n" in ended.stdout


@pytest.mark.slow
def test_a_changed_most_likely_share_is_seen(folder: Path) -> None:
    rows = [row for row in estimates(folder) if row["item"] == "doped"]
    first, second = (float(row["maximum_likelihood"]) for row in rows)
    (folder / "weighted.csv").unlink()
    for one, other, status in (
        (first, second, 0),
        (first + 1e-3, second, 1),
        (first + 1e-3, second - 1e-3, 1),  # they sum to 1 again
    ):
        told = zip(rows, (one, other), strict=True)
        write(folder, "estimates", [{**row, "maximum_likelihood": repr(to)} for row, to in told])
        ended = run(PROGRAM, folder)
        assert ended.returncode == status, ended.stdout + ended.stderr
        assert ("DIFFERS: line 2 (doped): maximum_likelihood" in ended.stdout) == bool(status)


@pytest.mark.slow
def test_each_end_of_each_interval_is_held(folder: Path) -> None:
    """Moved by 1e-4 of the range to either side, no end satisfies its equation."""
    codebook = estimates(folder, "codebook")
    moved = 0
    for of in ("estimates", "weighted"):
        rows, changed = estimates(folder, of), []
        for row in (row for row in rows if row["low"]):
            numbers = [
                float(one["number"])
                for one in codebook
                if (one["item"], one["role"]) == (row["item"], "truth") and one["number"]
            ]
            span = max(numbers) - min(numbers) if row["statistic"] == "mean" else 1
            for column, step in (("low", 1e-4), ("low", -1e-4), ("high", 1e-4), ("high", -1e-4)):
                other = {**row, column: repr(float(row[column]) + step * span)}
                changed.append({**other, "maximum_likelihood": ""})
        write(folder, of, changed)
        moved += len(changed)
    ended = run(PROGRAM, folder)
    named = re.findall(r"^DIFFERS: line \d+ \(.*\): (?:low|high) ", ended.stdout, re.M)
    assert len(named) == moved > 400
    plain, weighted = ended.stdout.split("weighted.csv\n")
    for text in (plain, weighted):
        lines = re.findall(r"^DIFFERS: line (\d+)", text, re.M)
        assert [*map(int, lines)] == [*range(2, len(lines) + 2)]


@pytest.mark.slow
def test_changed_margins_are_seen_and_damaged_ones_named(folder: Path) -> None:
    write(folder, "estimates", estimates(folder)[:1])
    old = change(folder, 2, "people", lambda people: people + 1e-6, "margins")
    ended = run(PROGRAM, folder)
    assert ended.returncode == 1
    assert "DIFFERS: reports.csv, line 11: weight" in ended.stdout
    for line in (f"age,young,{old}x", f"agee,young,{old}", f"age,yuong,{old}", "age,young"):
        (folder / "margins.csv").write_text(f"question,answer,people\n{line}\n")
        ended = run(PROGRAM, folder)
        assert ended.returncode == 1
        assert "margins.csv, line 2: expected question, answer and people" in ended.stderr


@pytest.mark.slow
def test_a_changed_report_is_seen(folder: Path) -> None:
    file = folder / "reports.csv"
    header, first, *others = file.read_text().splitlines()
    assert first.startswith("no,")
    file.write_text("\n".join([header, "yes," + first.removeprefix("no,"), *others]))
    assert run(PROGRAM, folder).returncode == 1


@pytest.mark.slow
def test_only_published_answers_weigh_people(tmp_path: Path) -> None:
    every, margins = survey(), {"age": {"young": 0.4, "old": 0.6}}
    reports = answers(every, 300)
    reports[:50, [item.id for item in every.items].index("age")] = NOT_ASKED
    years = "years:[-2-4]+[5-10 prefer_not_to_say]"
    material = made_up.material(every, reports, f"age,{years}", margins=margins)
    ended = run(PROGRAM, unpack(material, tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "300 weight: the same" in ended.stdout
    rows = estimates(tmp_path, "reports")
    assert sum(row["Weight"] == "" for row in rows) == 50
    assert all((row["Weight"] == "") == (row["age"] == "") for row in rows)
    assert not any(row["item"] == "why" for row in estimates(tmp_path, "weighted"))
    study = Study.of(every, [reports[50:].tobytes()], "").weights(margins=margins)
    found = {
        (row["item"], row["statistic"], row["answer"]): row
        for row in estimates(tmp_path, "weighted")
    }
    for row in study.shares("drinks").export.rows:
        one = found["drinks", str(row["statistic"]), str(row["answer"] or "")]
        for name in ("estimate", "standard_error", "low", "high", "design_effect"):
            assert float(one[name]) == pytest.approx(row[name], rel=1e-9), name
    alone = made_up.material(every, reports, years, margins=margins)
    assert "made of: publish age too" in str(alone.weighting)
    files = contents_of(alone)
    assert "weighted.csv" not in files
    assert b"Nothing is weighted: a weight tells" in files["methods.md"]


@pytest.mark.slow
def test_unpublished_is_named_and_unchecked(tmp_path: Path) -> None:
    every = survey()
    reports = answers(every, 60)
    material = made_up.material(every, reports, "years:[-2-4]+[5-10 prefer_not_to_say]")
    ended = run(PROGRAM, unpack(material, tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "age: not checked, because its column is not published" in ended.stdout
    assert "years: not checked" not in ended.stdout


def in_rows(channel: Channel) -> str:
    rows = ", ".join(map(repr, channel.probabilities.ravel().tolist()))
    return f"matrix(c({rows}), {channel.truths}, byrow = TRUE)"


NEARLY_ALIKE = [[3, 0, 0, 0], [0, 5, 0, 0], [0, 0, 0, 1], [2, 0, 0, 1]]


@pytest.mark.slow
def test_the_program_agrees_on_nearly_equal_reports() -> None:
    channel, values = designs.best_numeric(4, 7), np.arange(4.0)
    program, expected = f"channel <- {in_rows(channel)}\n", list[float]()
    for counts in NEARLY_ALIKE:
        ends = estimate_mean(counts, channel, values).interval().tolist()
        program += f"""
        mean <- rr_quantity_mean(c{tuple(counts)}, channel, 0:3)
        cat(rr_tail_interval(mean), "")
        ends <- c({ends[0]!r}, {ends[1]!r})
        for (moved in c(0, -1e-4, 1e-4)) for (side in 1:2)
          cat(rr_end_fits(mean, ends[side] + moved, side), "")
        """
        expected += [*ends, 1, 1, 0, 0, 0, 0]
    assert evaluated(program) == pytest.approx(expected, abs=1e-5)


BEYOND = [[0, 3, 1], [3, 0, 1], [1, 0, 0], [14, 2, 8], [3, 14, 8], [52, 19, 29], [20, 0, 0]]
"""Reports of which shares among those to whom a question applies would lie outside of [0, 1]."""


@pytest.mark.slow
def test_a_ratio_beyond_its_range_is_held() -> None:
    channel = designs.k_ary(3, 1)
    program, expected = f"channel <- {in_rows(channel)}\n", list[float]()
    for counts in BEYOND:
        found = applicable_shares(counts, channel, skipped=2)
        share, ends = float(found.theta[0]), found.interval()[0].tolist()
        assert found.outside[0] or math.isnan(share)
        program += f"""
        share <- rr_quantity_share(c{tuple(counts)}, channel, 1, 3)
        cat(is.nan(rr_share_if_applies(c{tuple(counts)}, channel, 1, 3)[["estimate"]]), "")
        cat(rr_may_be_nothing(c{tuple(counts)}, channel, c(1, 1, 0)), "")
        cat(rr_tail_interval(share), "")
        ends <- c({ends[0]!r}, {ends[1]!r})
        for (moved in c(0, -1e-4, 1e-4)) for (side in 1:2)
          cat(rr_end_fits(share, ends[side] + moved, side), "")
        """
        nothing = float(math.isnan(share))
        expected += [nothing, nothing, *ends, 1, 1, 0, 0, 0, 0]
    assert evaluated(program) == pytest.approx(expected, abs=1e-6)
