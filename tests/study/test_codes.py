"""A code is itself, through every door: what looks like the same number is another answer.

The data are counts, so that nothing is left to chance: of each code another number of people.
"""

import itertools
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner

import deniable
from deniable import designs
from deniable.analysis.counts.columns import places_of, value_of
from deniable.analysis.counts.data_file import code_reports
from deniable.analysis.estimation import estimate
from deniable.analysis.regression.formula import regress_formula, regress_mixed_formula
from deniable.cli.main import commands
from deniable.study.collected import of_design
from deniable.study.study import Study
from deniable.study.tables import table_of

ZOO = [
    ("1.1", "1.10"),
    ("01", "1"),
    ("007", "7"),
    ("1e3", "1000"),
    ("1_0", "10"),
    ("1.0", "1"),
    ("\u0663", "3"),
]
"""Codes that some programs read as one."""

REST = "2"
TIMES = (50, 30, 20)
CHANNEL = designs.k_ary(3, epsilon=3)
DESIGN = {"k_ary": {"k": 3, "epsilon": 3}}

zoo = pytest.mark.parametrize(("one", "other"), [*ZOO, *(pair[::-1] for pair in ZOO)])


def cells_of(one: str, other: str) -> list[str]:
    named = zip((one, other, REST), TIMES, strict=True)
    return [cell for cell, times in named for _ in range(times)]


def table(one: str, other: str) -> str:
    """Return a file of codes, m, and of reports that are the same in each group but one."""
    cells = cells_of(one, other)
    rows = (f"{cell},{'no' if place % 3 else 'yes'}" for place, cell in enumerate(cells))
    return "\n".join(["m,q", *rows, ""])


def opened(folder: Path, one: str, other: str, columns: dict[str, Any]) -> Study:
    (folder / "data.csv").write_text(table(one, other), encoding="utf-8")
    text = yaml.safe_dump({"columns": columns}, allow_unicode=True)
    (folder / "d.yaml").write_text(text, encoding="utf-8")
    return deniable.open(folder / "data.csv", folder / "d.yaml")


def shares_of(study: Study, item: str) -> list[float]:
    return [float(str(row["estimate"])) for row in study.shares(item).export.rows]


WARNER = {"q": {"flip": "1/4"}}


@zoo
def test_a_dictionary_s_answers_are_themselves(tmp_path: Path, one: str, other: str) -> None:
    entry = {"design": DESIGN, "answers": [one, other, REST]}
    found = shares_of(opened(tmp_path, one, other, {"m": entry}), "m")
    assert found == pytest.approx(list(estimate(TIMES, CHANNEL).theta))
    frame = pd.DataFrame({"m": cells_of(one, other)})
    assert shares_of(deniable.open(frame, {"columns": {"m": entry}}), "m") == found
    named = {"design": DESIGN, "answers": ["x", "y", "z"], "reports": [one, other, REST]}
    assert shares_of(opened(tmp_path, one, other, {"m": named}), "m") == found


@zoo
def test_codes_of_a_command_are_themselves(one: str, other: str) -> None:
    study = of_design(
        table_of(table(one, other).encode()), "data.csv", DESIGN, "m", codes=[one, other, REST]
    )
    assert shares_of(study, "m") == pytest.approx(list(estimate(TIMES, CHANNEL).theta))


@zoo
@pytest.mark.parametrize("is_declared", [True, False])
def test_groups_are_themselves(tmp_path: Path, one: str, other: str, is_declared: bool) -> None:
    entry = {"protection": "direct"} | ({"answers": [one, other, REST]} if is_declared else {})
    study = opened(tmp_path, one, other, {**WARNER, "m": entry})
    texts = {truth.code: truth.text for truth in study.item("m").truths}
    rows = study.shares("m").export.rows
    found = {texts[str(row["answer"])]: float(str(row["estimate"])) for row in rows}
    expected = dict(zip((one, other, REST), TIMES, strict=True))
    assert found == {name: pytest.approx(times / 100) for name, times in expected.items()}
    groups = study.by("m", "q").export.rows
    people = {texts[str(row["group"])]: row["n"] for row in groups if row["statistic"] == "share"}
    assert people == expected


@zoo
def test_a_regression_s_groups_are_themselves(tmp_path: Path, one: str, other: str) -> None:
    declared = opened(tmp_path, one, other, {**WARNER, "m": {"protection": "direct"}})
    terms = [row["term"] for row in declared.regress("q ~ m").export.rows]
    first = min(code for code in ([truth.code for truth in declared.item("m").truths]))
    assert len(terms) == 3
    assert terms[0] == "Intercept"
    assert all(str(term).startswith("m[T.") for term in terms[1:]), first
    beside = opened(tmp_path, one, other, WARNER)
    if {value_of(one), value_of(other)} & {None}:
        found = {row["term"] for row in beside.regress("q ~ m").export.rows}
        assert len(found) == 3
    else:
        said = f"'{one}' and '{other}'|'{other}' and '{one}'"
        with pytest.raises(ValueError, match=f"column 'm': ({said}) are two codes"):
            beside.regress("q ~ m")


@zoo
def test_what_people_have_in_common_is_itself(tmp_path: Path, one: str, other: str) -> None:
    study = opened(tmp_path, one, other, WARNER)
    population = dict(zip((one, other, REST), (20, 30, 50), strict=True))
    weighed = study.weights(margins={"m": population})
    of_each = {
        cell: float(np.asarray(weighed.sample.designs[1].weights)[place])  # type: ignore[union-attr]
        for place, cell in enumerate(study.beside["m"])
    }
    weights = [of_each[cell] * times for cell, times in zip((one, other, REST), TIMES, strict=True)]
    assert np.array(weights) / sum(weights) == pytest.approx([0.2, 0.3, 0.5])
    clusters = study.weights(clusters="m").sample.designs[1].units  # type: ignore[union-attr]
    assert len({*clusters.unit.tolist()}) == 3


@pytest.mark.parametrize(("one", "other"), [ZOO[0], ("01", "1")])
def test_random_intercepts_are_of_codes(tmp_path: Path, one: str, other: str) -> None:
    codes = [one, other, *(f"x{place}" for place in range(10))]
    said = np.random.default_rng(5).random(600) < np.resize(np.linspace(0.3, 0.6, 12), 600)
    frame = pd.DataFrame({"q": np.where(said, "yes", "no"), "m": np.resize(codes, 600)})
    frame.to_csv(tmp_path / "data.csv", index=False)
    study = deniable.open(tmp_path / "data.csv", {"columns": WARNER})
    assert study.regress("q ~ 1", within="m").export.document["groups"] == 12


def test_an_answer_s_text_is_before_the_code_that_another_was_given() -> None:
    cells = [
        cell for cell, times in zip(("C++", "c_2", "C"), TIMES, strict=True) for _ in range(times)
    ]
    entry: dict[str, Any] = {"protection": "direct", "answers": ["C", "C++", "c_2"]}
    study = deniable.open(pd.DataFrame({"m": cells}), {"columns": {"m": entry}})
    assert shares_of(study, "m") == [0.2, 0.5, 0.3]
    # Codes that a dictionary gives are before texts.
    entry = {"protection": "direct", "answers": {"1": "2", "2": "1"}}
    study = deniable.open(pd.DataFrame({"m": ["1"] * 3 + ["2"]}), {"columns": {"m": entry}})
    assert shares_of(study, "m") == [0.75, 0.25]


def test_a_code_s_value_counts_where_no_code_is_named_so() -> None:
    for cells, codes, others in (
        (["1.0", "2.00", "01", "1_0", "3"], {"1": 0, "2": 1}, {"1.0": 0, "2.00": 1}),
        (["1.00", "1.0", "1"], {"1": 0, "1.0": 1}, {}),
        # An answer's text and code are one place.
        (["5.0"], {"5": 3, "5.00": 3}, {"5.0": 3}),
    ):
        assert places_of(cells, codes) == {**codes, **others}
    assert code_reports(["0.0", "1.0", "1.0"], 2, ["0", "1"]).counts().tolist() == [1, 2]
    with pytest.raises(ValueError, match="found '01'"):
        code_reports(["0", "01", "1"], 2, ["0", "1"])
    for strange in ("01", "\u0661", "1_0", "1e0"):
        with pytest.raises(ValueError, match="cannot tell which of the 3 reports"):
            code_reports(["0", strange, "2"], 3)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        *[("0", 0), ("-12", -12), ("0.50", 0.5), (".5", 0.5), ("-.5", -0.5), ("1e+05", 1e5)],
        *[("1E-07", 1e-7), ("2.5e+16", 2.5e16)],
        *[(odd, None) for odd in ("01", "00", "1_0", "1e3", "\u0663", "+5", "5.", "", "1,5")],
        *[(odd, None) for odd in ("inf", "nan", "0x1", "1e+9999", " 1", "1/2", "-", ".")],
    ],
)
def test_a_number_is_what_programs_write(cell: str, value: float | None) -> None:
    found = value_of(cell)
    assert (None if found is None else float(found)) == value


E_ACUTE = "\u00e9"
IN_TWO = unicodedata.normalize("NFD", E_ACUTE)


@pytest.mark.parametrize(("first", "second"), [*itertools.product([E_ACUTE, IN_TWO], repeat=2)])
def test_an_accent_is_the_same_however_it_was_typed(
    tmp_path: Path, first: str, second: str
) -> None:
    """In a column's name, its cells, a dictionary, margins and formulas."""
    rows = [f"caf{first if k % 2 else second},{k % 5 % 2},{'ab'[k % 3 % 2]}" for k in range(60)]
    text = "\n".join([f"lieu{first},q,g{second}", *rows, ""])
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    entries: dict[str, Any] = {
        "q": {"flip": "1/4", "answers": {"0": "no", "1": "yes"}},
        f"g{first}": {"protection": "direct"},
    }
    answers = [f"caf{second}", "bar"]
    frame = pd.read_csv(tmp_path / "data.csv")
    for data in (tmp_path / "data.csv", frame):
        study = deniable.open(data, {"columns": entries})
        assert {*study.beside[f"lieu{E_ACUTE}"]} == {f"caf{E_ACUTE}"}
        assert study.item(f"g{IN_TWO}").id == f"g{E_ACUTE}"
        assert study.by(f"g{second}", "q").export.rows
        for name in (first, second):
            terms = [row["term"] for row in study.regress(f"q ~ g{name}").export.rows]
            assert terms == ["Intercept", f"g{E_ACUTE}[T.b]"]
            weighed = study.weights(margins={f"g{name}": {"a": 1, "b": 3}})
            assert shares_of(weighed, f"g{name}") == pytest.approx([0.25, 0.75])
        entries_of_place = {f"lieu{second}": {"protection": "direct", "answers": answers}}
        place = deniable.open(data, {"columns": entries_of_place})
        assert shares_of(place, f"lieu{first}") == [1, 0]
    together = frame[f"lieu{first}"] + pd.Series(range(60)).mod(9).astype(str)
    mixed = regress_mixed_formula(
        "q ~ 1", frame.assign(**{f"s{first}": together}), designs.warner(flip="1/4"), f"s{second}"
    )
    assert mixed.groups == 9
    for name in (first, second):
        fit = regress_formula(f"q ~ g{name}", frame, designs.warner(flip="1/4"))
        assert fit.names == ("Intercept", f"g{E_ACUTE}[T.b]")


@pytest.mark.parametrize(("first", "second"), [(E_ACUTE, IN_TWO), (IN_TWO, E_ACUTE)])
def test_a_command_s_names_are_composed_too(tmp_path: Path, first: str, second: str) -> None:
    rows = (
        f"{'oui' if k % 3 else first},{'ab'[k % 7 % 2]},{1 + k % 4},{k % 10}" for k in range(200)
    )
    text = "\n".join([f"q{first},g{first},w{first},s{first}", *rows, ""])
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    design = ["--design", "warner: {flip: 1/4}", "--codes", f"{second},oui", "--yes", "oui"]
    for options in (
        ["--column", f"q{second}", "--by", f"g{second}", "--weights", f"w{second}"],
        ["--column", f"q{second}", "--clusters", f"s{second}", "--strata", f"g{second}"],
        ["--formula", f"q{second} ~ g{second} + w{second}", "--weights", f"w{second}"],
    ):
        command = ["analyse", str(tmp_path / "data.csv"), *design, *options]
        said = CliRunner().invoke(commands, command)
        assert said.exit_code == 0, said.output
    study = deniable.open(
        tmp_path / "data.csv",
        {"columns": {f"q{first}": {"flip": "1/4", "answers": [first, "oui"], "yes": "oui"}}},
    )
    weighted = study.weights(f"w{second}")
    assert f"w{E_ACUTE}" not in weighted.read(f"q{first} ~ .").names
    assert f"s{E_ACUTE}" in weighted.read(f"q{first} ~ .").names
    with pytest.raises(
        ValueError, match=f"groups that are no term of the formula, found 's{E_ACUTE}'"
    ):
        study.regress(f"q{first} ~ s{first}", within=f"s{second}")


def test_a_code_that_elsewhere_is_a_gap_is_itself() -> None:
    frame = pd.DataFrame({"m": ["None"] * 6 + ["Some"] * 3 + [""]})
    entry = {"protection": "direct", "answers": ["None", "Some"]}
    study = deniable.open(frame, {"columns": {"m": entry}})
    assert shares_of(study, "m") == pytest.approx([2 / 3, 1 / 3])
    assert code_reports(["None", "some", "NA"], 2, ["None", "some"]).reports.tolist() == [0, 1, -1]


def test_margins_name_an_answer_once(tmp_path: Path) -> None:
    study = opened(tmp_path, "x", f"{E_ACUTE}", WARNER)
    people = {"x": 1, E_ACUTE: 1, IN_TWO: 1, REST: 1}
    with pytest.raises(ValueError, match=f"margin 'm': expected '{E_ACUTE}' once"):
        study.weights(margins={"m": people})
