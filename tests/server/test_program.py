"""What browsers load is the program of the repository, but for comments and white space."""

import json
import subprocess
from pathlib import Path

import pytest

from deniable.server import program
from deniable.server.joining import joined, starts
from deniable.server.respondent import BROWSER_FOLDER
from tests import needs

ROOT = Path(__file__).parents[2]
TYPESCRIPT = ROOT / "node_modules" / "typescript"

TREES = """
const ts = require(process.argv[1]);
const tree = (node) => {
  const children = [];
  ts.forEachChild(node, (child) => void children.push(tree(child)));
  return [node.kind, node.operator, children.length === 0 ? node.text : children];
};
const [one, other] = JSON.parse(require("fs").readFileSync(0, "utf8")).map((text) =>
  JSON.stringify(tree(ts.createSourceFile("module.js", text, ts.ScriptTarget.Latest))),
);
process.exit(one === other && one.length > 50 ? 0 : 1);
"""


def same_program(one: str, other: str) -> bool:
    """Compare two modules as a compiler reads them."""
    node = needs.program("node", "make install")
    typescript = needs.file(TYPESCRIPT, "make install")
    done = subprocess.run(
        [node, "-e", TREES, str(typescript)], input=json.dumps([one, other]).encode(), check=False
    )
    return done.returncode == 0


@pytest.mark.parametrize("start", starts(BROWSER_FOLDER))
def test_only_comments_and_white_space_are_left_out(start: str) -> None:
    text = joined(BROWSER_FOLDER, start)
    served = program.served(BROWSER_FOLDER / f"{start}.js").decode()
    assert same_program(text, served)
    assert "/**" not in served
    assert len(served) < 0.9 * len(text)


def test_the_comparison_sees_a_difference() -> None:
    module = BROWSER_FOLDER / "channel.js"
    assert not same_program(
        module.read_text(), module.read_text().replace("sum > word", "sum >= word")
    )


def test_what_only_looks_like_a_comment_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.js"
    file.write_text(
        '/* one */\n/**\n * two\n */\nlet a = "//  /* */"; // three\n'
        "  // four\n  let b = `//  ${a}`, c = /[/]* x/;\n"
    )
    served = program.served(file).decode()
    assert served == 'let a="//  /* */";let b=`//  ${a}`,c=/[/]* x/;export{};'


@pytest.mark.parametrize(
    ("one", "other"),
    [("a + b;", "a - b;"), ("let a = 'x y';", "let a = 'x  y';"), ("f(a, b);", "f(b, a);")],
    ids=["operator", "text", "order"],
)
def test_the_comparison_sees_what_counts(one: str, other: str) -> None:
    assert same_program(one, one)
    assert not same_program(one, other)


def test_pictures_are_served_as_they_are() -> None:
    icon = BROWSER_FOLDER / "icon.svg"
    assert program.served(icon) == icon.read_bytes()
