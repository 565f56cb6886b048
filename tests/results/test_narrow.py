"""Where little of a shown interval is possible, every table and every file says so."""

import csv
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

import deniable
from deniable.analysis.control import told
from deniable.analysis.counts.tally import count_waves
from deniable.analysis.findings import (
    Cell,
    Change,
    Contrast,
    Finding,
    Followed,
    Interval,
    Mean,
    Share,
)
from deniable.analysis.waves import summarise_waves
from deniable.results.changes import all_waves, only_changes
from deniable.results.estimate import cells
from deniable.study import Study
from tests.kit import panel
from tests.study.test_study import NURSES

ITEMS = {item.id: item for item in panel().items}
YES, CHOSEN = ITEMS["doped"].truths[1], "feldman-cousins"
MARK = "† less than a third of"


@pytest.mark.parametrize(
    ("one", "little", "enough"),
    [
        (Share(YES, method="tail"), (-0.4, 0.1), (-0.4, 0.3)),
        (Mean(20, 70, method="tail"), (5, 22), (5, 30)),
        (Followed(item=ITEMS["doped"], known=(0.5, 0.5), n=9), (0.9, 1.4), (0.7, 1.4)),
        (Change(1, 2, ITEMS["doped"], YES, least=-1), (-1.3, -0.95), (-0.2, 0.1)),
        (Change(1, 2, ITEMS["hours"], None, least=-4, greatest=4), (3, 8), (2, 5)),
        (Contrast(YES, YES, YES, least=-1), (0.9, 1.4), (0.2, 1.4)),
        (Contrast(YES, YES, None, least=-40, greatest=40), (-60, -38), (0.9, 1.4)),
        (Cell(answer=YES, first=YES, estimate=-0.2), (-0.4, 0.1), (-0.4, 0.3)),
    ],
)
def test_less_than_a_third_of_an_interval_is_narrow(
    one: Finding, little: tuple[float, float], enough: tuple[float, float]
) -> None:
    for ends, expected in ((little, True), (enough, False)):
        found = replace(one, interval=Interval(*ends))
        assert found.narrow == cells(found, 0.95)["narrow"] == expected
        # This kind looks at what is possible, and leaves it only to hold its estimate.
        assert not replace(found, method=CHOSEN).narrow


def nurses(folder: Path, a: int, b: int) -> Study:
    """Return a study of two wards of 100, in which so many reports say yes."""
    (folder / "nurses.yaml").write_text(NURSES)
    with (folder / "reports.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["error_noisy", "signed_noisy", "ward", "years"])
        for ward, yes, one in ((*ward, one) for ward in (("a", a), ("b", b)) for one in range(100)):
            rows.writerow(["yes" if one < yes else "no", "no", ward, 20])
    opened: Study = deniable.open(folder / "nurses.yaml", folder / "reports.csv")
    return opened


@pytest.mark.parametrize(
    ("a", "b", "apart", "own"), [(100, 0, 2, 0), (50, 14, 0, 2), (50, 40, 0, 0)]
)
def test_tables_of_groups_have_marks_and_a_sentence(
    tmp_path: Path, a: int, b: int, apart: int, own: int
) -> None:
    study = nurses(tmp_path, a, b)
    found = study.by("ward", "error", method="wald")
    assert (
        sum(row["narrow"] is True for row in found.export.rows if row["statistic"] == "difference")
        == apart
    )
    shown = repr(found).split("Groups")[1]
    assert (shown.count(" †"), MARK in shown) == (apart // 2, apart > 0)
    ratios = study.ratios("ward", "error")
    assert sum(row["narrow"] is True for row in ratios.export.rows) == own
    assert (repr(ratios).count(" †"), MARK in repr(ratios)) == (own, own > 0)
    frame = study.by("ward", "error").to_frame()
    assert frame["narrow"].dtype == bool


@pytest.mark.parametrize("later", [0, 1])
def test_changes_from_wave_to_wave_have_marks_and_a_sentence(later: int) -> None:
    survey = panel()
    rows = itertools.chain([(0, 0, 0, 0, 0)] * 40, [(later, 0, 0, 0, 2)] * 40)
    waves = summarise_waves(survey, count_waves([b"".join(map(bytes, rows))], survey), 0.9, "wald")
    marked = [row["item"] for row in only_changes(waves, "", None).export.rows if row["narrow"]]
    assert marked == ["doped"] * 2 * later
    said = repr(only_changes(waves, "", None))
    assert (said.count(" †"), MARK in said) == (2 * later, later > 0)
    assert repr(all_waves(waves, "", None)).count(MARK) == 1


def test_how_many_followed_is_told_with_the_same_sentence() -> None:
    found = Followed(item=ITEMS["doped"], known=(0.5, 0.5), n=9, estimate=-0.1)
    for low, expected in ((-0.4, True), (-0.2, False)):
        said = told(replace(found, interval=Interval(low, 0.1)), 0.95)
        assert ("Less than a third of the interval" in said) == expected
