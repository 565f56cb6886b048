"""What browsers load is the program of the repository, but for lines of comment and indentation."""

import json
import subprocess
from pathlib import Path

import pytest

from deniable.server import program
from deniable.server.respondent import BROWSER_FOLDER
from tests import needs

ROOT = Path(__file__).parents[2]
TYPESCRIPT = ROOT / "node_modules" / "typescript"

TOKENS = """
const ts = require(process.argv[1]);
const [one, other] = JSON.parse(require("fs").readFileSync(0, "utf8")).map((text) =>
  ts.transpileModule(text, {
    compilerOptions: { removeComments: true, target: "esnext", module: "esnext" },
  }).outputText,
);
process.exit(one === other && one.length > 50 ? 0 : 1);
"""


def same_program(one: str, other: str) -> bool:
    """Compare two modules as a compiler reads them."""
    node = needs.program("node", "make install")
    typescript = needs.file(TYPESCRIPT, "make install")
    done = subprocess.run(
        [node, "-e", TOKENS, str(typescript)], input=json.dumps([one, other]).encode(), check=False
    )
    return done.returncode == 0


MODULES = sorted(BROWSER_FOLDER.glob("*.js"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_only_comments_and_indentation_are_left_out(module: Path) -> None:
    text, served = module.read_text(), program.served(module).decode()
    assert same_program(text, served)
    lines = [line.strip() for line in text.splitlines()]
    assert all(line in lines for line in served.splitlines())
    assert "/**\n" not in served
    assert len(served) < len(text)


def test_the_comparison_sees_a_difference() -> None:
    module = BROWSER_FOLDER / "channel.js"
    assert not same_program(
        module.read_text(), module.read_text().replace("sum > word", "sum >= word")
    )


def test_what_stands_behind_code_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.js"
    file.write_text(
        '/* one */\n/**\n * two\n */\nlet a = "//"; // three\n  // four\n  let b = 1 /* c */;\n'
    )
    assert program.served(file) == b'let a = "//"; // three\nlet b = 1 /* c */;\n'


def test_pictures_are_served_as_they_are() -> None:
    icon = BROWSER_FOLDER / "icon.svg"
    assert program.served(icon) == icon.read_bytes()
