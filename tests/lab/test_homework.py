"""Homework: what a check says, the served wheel, and both notebooks in a clean Jupyter."""

import json
import math
import subprocess
import sys
import threading
import venv
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from deniable.cli.main import commands
from deniable.lab.homework import TASKS, Homework
from deniable.lab.notebook import homework
from deniable.server.desk.wheel import NAME, wheel
from deniable.server.lab_program import create_lab_app

pytestmark = pytest.mark.promise("lab")


def solutions() -> Iterator[Callable[..., Any]]:
    for task in TASKS:
        found: dict[str, Any] = {"np": np}
        exec("\n    ".join([task.head, *task.body]), found)  # noqa: S102
        yield found[task.name]


@pytest.mark.parametrize("student", [1, 2, 4711])
def test_solutions_are_right_for_each_student(student: int) -> None:
    own = Homework(student)
    for solution in solutions():
        assert own.check(solution) == f"{solution.__name__}: right."
    assert own.summary() == "5 of 5 are right. Hand it in."
    assert abs(own.reports.mean() - 0.5) < 0.5
    assert not np.array_equal(own.reports, Homework(student + 1).reports)


def estimate(reports: Any, p: float) -> float:
    return float(reports.mean() - p)


def margin(reports: Any, p: float) -> float:
    return float(1.96 * reports.std() / math.sqrt(len(reports)))


def respond(truths: Any, p: float, chance: Any) -> Any:
    return np.where(chance.random(len(truths)) < p, 1, truths)


def epsilon(p: float) -> float:
    return (1 - p) / p


def noisy_count(count: int, epsilon: float, chance: Any) -> float:
    return float(count + chance.laplace(scale=epsilon))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (respond, "truth is 1, 0.0 % were flipped"),
        (estimate, "Now stretch what is left"),
        (margin, "so is its error"),
        (epsilon, "ε is its logarithm"),
        (noisy_count, "The scale is 1 ÷ ε"),
    ],
)
def test_a_usual_mistake_is_told_why(wrong: Callable[..., Any], why: str) -> None:
    own = Homework(1)
    said = own.check(wrong)
    assert said.startswith(f"{wrong.__name__}: not yet: ")
    assert why in said
    assert own.summary().startswith("0 of 5 are right.")


def test_a_number_of_a_student_may_have_letters() -> None:
    one, same, other = (Homework(name).reports for name in ("s1234567", " s1234567", "s1234568"))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert one.sum() == 340  # in each process and each version
    assert np.array_equal(Homework("7").reports, Homework(7).reports)


def test_a_number_in_the_place_of_a_function_is_not_right() -> None:
    own = Homework(1)
    for task, solution in zip(TASKS, solutions(), strict=True):
        if task.name in ("estimate", "margin"):
            right = solution(own.reports, 0.25)
            found: dict[str, Any] = {"right": right}
            exec(f"{task.head} return right", found)  # noqa: S102
            assert "but not for others" in own.check(found[task.name])

    def noisy_count(count: int, epsilon: float, chance: Any) -> float:
        return float(100 + chance.laplace(scale=2))

    def respond(truths: Any, p: float, chance: Any) -> Any:
        return np.where(chance.random(len(truths)) < 0.25, 1 - truths, truths)

    assert "not yet" in own.check(noisy_count)
    assert "It should be about 15 %" in own.check(respond)


def test_a_number_that_looks_right_is_right() -> None:
    def margin(reports: Any, p: float) -> float:
        return float(1.959964 * reports.std(ddof=1) / len(reports) ** 0.5 / (1 - 2 * p))

    assert Homework(1).check(margin) == "margin: right."


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://127.0.0.1:8001/w", "The address 127.0.0.1 works in this room only"),
        ("http://192.168.0.7:8001/w", "works in this room only"),
        ("http://localhost/w", "works in this room only"),
        ("https://course.example.org/w", ""),
        ("deniable", "This copy is the teacher’s"),
    ],
)
def test_the_notebook_says_where_its_address_works(address: str, told: str) -> None:
    about = "".join(homework(address, 1)["cells"][0]["source"])
    assert told in about
    assert ("lab --export" in about) is bool(told)


def test_a_function_that_fails_or_is_none_of_these_is_told() -> None:
    def estimate(reports: Any) -> float:
        return float(reports)

    assert "it stopped with TypeError" in Homework(1).check(estimate)
    assert "it has respond, estimate" in Homework(1).check(Homework.summary)


def test_the_wheel_is_the_program_with_what_pip_wrote_of_it() -> None:
    served = create_lab_app().test_client().get(f"/lab/{NAME}").data
    assert served == wheel()
    with zipfile.ZipFile(BytesIO(served)) as archive:
        names = set(archive.namelist())
        record = archive.read(next(one for one in names if one.endswith("RECORD"))).decode()
        import deniable.lab.coins  # noqa: PLC0415

        assert (
            archive.read("deniable/lab/coins.py") == Path(deniable.lab.coins.__file__).read_bytes()
        )
    assert {row.split(",")[0] for row in record.splitlines()} == names
    assert not [one for one in names if "tests" in one or one.endswith((".pyc", ".db"))]


def test_the_notebook_installs_from_where_it_was_got_and_solutions_are_apart(
    tmp_path: Path,
) -> None:
    book = create_lab_app().test_client().get("/lab/homework.ipynb", base_url="http://t:81").text
    assert f"http://t:81/lab/{NAME}" in book
    assert not [task for task in TASKS if task.body[-1] in json.loads(json.dumps(book))]
    file = tmp_path / "s.ipynb"
    done = CliRunner().invoke(commands, ["lab", "--solutions", str(file)])
    assert done.exit_code == 0, done.output
    cells = json.loads(file.read_text())["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    assert all(task.body[-1] in text and task.why in text for task in TASKS)
    black = [cell for cell in cells if cell["cell_type"] == "code" and "deniable" in str(cell)]
    assert len(black) == 2


RUN = """
import json, sys, nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], 4)
NotebookClient(book, timeout=500).execute()
print(json.dumps([out for cell in book.cells for out in cell.get("outputs", [])]))
"""


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with Jupyter and nothing of the project."""
    folder = tmp_path_factory.mktemp("student")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [f"{python}", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wanted = ["nbclient==0.11.0", "ipykernel==7.4.0"]
    subprocess.run([*pip, "install", *wanted], check=True)
    return python


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the environment's paths are those of Unix")
@pytest.mark.parametrize("solved", [True, False])
def test_a_clean_jupyter_runs_it_from_nothing_but_the_address(
    jupyter: Path, tmp_path: Path, *, solved: bool
) -> None:
    server = make_server("127.0.0.1", 0, create_lab_app(), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.port}/lab/{NAME}"
        book = tmp_path / "homework.ipynb"
        book.write_text(json.dumps(homework(address, 7, solved=solved)))
        done = subprocess.run(
            [jupyter, "-c", RUN, book], capture_output=True, text=True, check=False, cwd=tmp_path
        )
    finally:
        server.shutdown()
    assert done.returncode == 0, done.stderr[-3000:]
    outputs = json.loads(done.stdout)
    said = "".join(one.get("text", "") for one in outputs)
    pictures = [one for one in outputs if "image/png" in one.get("data", {})]
    assert len(pictures) == solved
    if solved:
        assert said.count(": right.") == 5
        assert "Hand it in" in said
    else:
        assert said.count("write your lines in the place of the three dots") == 5
        assert "Missing: respond, estimate, margin, epsilon, noisy_count." in said
