"""Tables keep their names and numbers whole, however narrow the terminal is."""

import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import RenderableType

from deniable.results.text import console, renderable, table
from deniable.study import planner
from deniable.survey_file import read

WARD = Path("examples/ward.yaml").read_text()
NUMBERS = ("95 % interval", "People for ±5", "p")
FOREIGN = (
    "هل غششت يومًا في امتحان؟",
    "試験で不正をしたことがありますか",
    "Haben Sie je bei einer Prüfung abgeschrieben oder abschreiben lassen, und wenn ja, wie oft?",
    "error",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(part: RenderableType, width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    console(out).print(part)
    lines = [re.sub(r"\x1b\[\d*m", "", line) for line in out.getvalue().splitlines()]
    assert max(map(cell_len, lines)) <= width
    return lines


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_name_and_no_number_is_cut_or_broken(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table("Item", "Answer", *NUMBERS, numbers=NUMBERS)
    for name in FOREIGN:
        made.add_row(name, "No, not ever", "−1,234.5 to 6,789.0 %", "1,234,567", "<0.0001")
    lines = printed(made, width, monkeypatch)
    text = "\n".join(lines)
    assert "…" not in text
    for number in ("−1,234.5 to 6,789.0 %", "1,234,567", "<0.0001"):
        assert text.count(number) == len(FOREIGN)
    for name in FOREIGN:  # a name that is wider than the terminal goes on in the next line
        assert name in " ".join(line.strip() for line in lines)
    is_table = any(set(line) == {"─"} for line in lines)
    assert is_table == (width == 200)


def test_where_headings_fit_in_several_lines_there_is_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = planner.plan(read(WARD).survey, planner.Wanted(1200, within=0.05))
    rows = [renderable(part) for part in plan.parts]
    lines = [line for part in rows for line in printed(part, 80, monkeypatch)]
    assert any(re.fullmatch(r"years \(direct\) +±2\.9 +404 +1( +–){3}", line) for line in lines)
    narrow = [line for part in rows for line in printed(part, 60, monkeypatch)]
    assert {"years (direct)", "  People for ±5      1,577"} <= {line.rstrip() for line in narrow}


def test_how_many_people_are_in_a_group_takes_no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    made = table("Ward", "Answer", "Estimate", numbers=["Estimate"])
    for name, answer in (
        ("Surgery", "No"),
        ("n = 1,294", "Yes"),
        ("Day", "No"),
        ("n = 306", "Yes"),
    ):
        made.add_row(name, answer, "45.2 %")
    wide = "\n".join(line.rstrip() for line in printed(made, 80, monkeypatch))
    assert re.search(r"^Surgery +No .*\nn = 1,294 +Yes ", wide, re.M)
    narrow = [line.rstrip() for line in printed(made, 20, monkeypatch)]
    named = [line for line in narrow if line and not line.startswith(" ")]
    assert named == ["Surgery (n = 1,294)", "Day (n = 306)"]
