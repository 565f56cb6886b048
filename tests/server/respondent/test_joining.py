"""The scripts that a page loads: every module but for its comments, and nothing else."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deniable.server.respondent.joining import contents, joined, without_comments
from deniable.server.respondent.program import BROWSER_FOLDER
from tests.kit import needs

MODULES = {
    f"{folder}/{file.name}": file.read_text(encoding="utf-8")
    for folder in ("core", "page")
    for file in (BROWSER_FOLDER / folder).glob("*.js")
}
FILES = contents(BROWSER_FOLDER)
IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]*)";\n', re.MULTILINE)


def bare(module: str) -> str:
    """Return the text of a module without what imports and exports."""
    return re.sub(r"^export ", "", IMPORT.sub("", MODULES[module]), flags=re.MULTILINE)


def imported(module: str) -> set[str]:
    """Return the names of what a module imports."""
    folder = BROWSER_FOLDER / Path(module).parent
    return {
        (folder / address).resolve().relative_to(BROWSER_FOLDER.resolve()).as_posix()
        for address in IMPORT.findall(MODULES[module])
    }


def in_node(script: str, given: list[str], *options: str) -> Any:
    """Run a script in Node, and return what it prints."""
    needs.file(Path(__file__).parents[3] / "node_modules" / "acorn", "make install")
    done = subprocess.run(
        [needs.program("node", "make install"), *options, "-e", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    return json.loads(done.stdout)


def test_the_contents_list_modules_in_reading_order() -> None:
    """Nothing is used before it was read, but for what not every survey needs."""
    assert sorted(name for names in FILES.values() for name in names) == sorted(MODULES)
    assert list(FILES)[:2] == ["main.js", "leave.js"]
    for names in FILES.values():
        for place, name in enumerate(names):
            assert not imported(name) & {*names[place:]}, name
    core = [name.startswith("core/") for name in FILES["main.js"]]
    assert core == sorted(core, reverse=True)


def test_core_knows_nothing_of_the_page() -> None:
    for name in MODULES:
        if name.startswith("core/"):
            assert all(other.startswith("core/") for other in imported(name)), name


def test_a_file_has_its_modules_tokens() -> None:
    """Another program, acorn, reads both: the same tokens, and the same tree of them."""
    served = joined(BROWSER_FOLDER)
    written = {
        file: '"use strict";\n' + "".join(f"// {name}\n{bare(name)}" for name in names)
        for file, names in FILES.items()
    }
    script = """
        const { parse } = require("acorn");
        const plain = (name, value) => ["start", "end"].includes(name) ? undefined
          : typeof value === "bigint" ? String(value) : value;
        function read(text) {
          const [onToken, onComment] = [[], []];
          const tree = parse(text, { ecmaVersion: "latest", onToken, onComment });
          const tokens = onToken.map(({ start, end }) => text.slice(start, end));
          return [tokens, onComment.map(({ value }) => value), JSON.stringify(tree, plain)];
        }
        const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(texts.map(read)));
    """
    found = in_node(script, [*written.values(), *served.values()])
    for place, (file, names) in enumerate(FILES.items()):
        before, after = found[place], found[len(FILES) + place]
        assert len(after[0]) > 50, file
        assert after == [before[0], [f" {name}" for name in names], before[2]], file
        assert without_comments(served[file]) == served[file], file
        assert not re.search(r"\n\s*\n| $", served[file], re.MULTILINE), file


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('a = "// b"; // c\n', 'a = "// b";\n'),
        ("a = '/* \"b */'; /* c */\n", "a = '/* \"b */';\n"),
        ('a = "\\\\"; // "\n', 'a = "\\\\";\n'),
        ("a = `//\n\n/* ${b} \\` */`; // c\n", "a = `//\n\n/* ${b} \\` */`;\n"),
        ('a = /["/*]\\//.test(b); // c\n', 'a = /["/*]\\//.test(b);\n'),
        ("a = b / c; // d / e\n", "a = b / c;\n"),
        ("a;\n\n// it's\n/*\n * `b\n **/\n\n  c;\n", "a;\n  c;\n"),
        ("return /** @type {A} */ (b); /* c */ d;\n", "return (b); d;\n"),
        ("  /** @type {A} */ (b);\n", "  (b);\n"),
        ("a;\n// page/b.js\n/** c */\n", "a;\n// page/b.js\n"),
        ('a {\n  /* b */\n  c: "/*";\n}\n\n/* d */\ne {\n}\n', 'a {\n  c: "/*";\n}\ne {\n}\n'),
    ],
)
def test_only_comments_and_empty_lines_go(text: str, left: str) -> None:
    assert without_comments(text) == left
    assert without_comments(left) == left


def test_no_module_hides_a_name_of_the_browser() -> None:
    """Scripts share their names: what one calls `fetch`, all others would call so."""
    script = (
        "import config from './eslint.config.js';"
        "const all = config.flatMap((one) => Object.keys(one.languageOptions?.globals ?? {}));"
        "console.log(JSON.stringify([...all, ...Object.getOwnPropertyNames(globalThis)]));"
    )
    known = set(in_node(script, [], "--input-type=module"))
    assert {"document", "history", "fetch"} <= known
    for name in MODULES:
        defined = re.findall(
            r"^(?:async )?(?:function|class|const|let) (\w+)", bare(name), re.MULTILINE
        )
        assert not known & set(defined), name


def written(folder: Path, listed: str, **modules: str) -> Path:
    """Write modules of the page, and their contents."""
    (folder / "page").mkdir()
    (folder / "contents.js").write_text(f"/**\n{listed} */\n")
    for name, text in {"main": "", **modules}.items():
        (folder / "page" / f"{name}.js").write_text(text)
    return folder


def listed(*names: str, file: str = "main.js") -> str:
    """Write the contents of a file."""
    return f" * {file}: a file\n" + "".join(f" *   page/{name}.js  a module\n" for name in names)


def test_files_share_what_is_in_them(tmp_path: Path) -> None:
    """A module's state is one: what the program sets there, another file finds, and runs strict."""
    folder = written(
        tmp_path,
        listed("state", "main") + " *\n" + listed("part", file="part.js"),
        main='import { found } from "./part.js";\nimport { set } from "./state.js";\n'
        "set(7);\nglobalThis.all = found();\n",
        state="let value = 0;\nexport function set(to) {\n  value = to;\n}\n"
        "export function get() {\n  return value;\n}\n",
        part='import { get } from "./state.js";\n'
        "export function found() {\n  return [get(), this === undefined];\n}\n",
    )
    files = joined(folder)
    # One after another, as a page runs them.
    program = (
        "const scripts = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "for (const script of scripts) require('vm').runInThisContext(script);"
        "console.log(JSON.stringify(globalThis.all));"
    )
    assert in_node(program, [files["part.js"], files["main.js"]]) == [7, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'import * as all from "./b.js";\n',
            "page/a.js: expected imports and exports by name, found im",
        ),
        ("export default 1;\n", "found export default 1;"),
        ("const a = 1;\nexport { a };\n", "found export { a };"),
        ('const later = () => import("./b.js");\n', 'found import("./b.js");'),
        ('import { main } from "./main.js";\n', "expected page/main.js in the contents before"),
        ('import { a } from "./a.js";\n', "expected page/a.js in the contents before page/a.js"),
        ('import { b as c } from "./b.js";\n', "page/a.js: expected imports by the same name"),
        ("const [a, b] = [1, 2];\n", "page/a.js: expected one name at a time, found [a,"),
        ("const b = 1;\n", "page/main.js defines b, as page/a.js does"),
        ("export async function b() {}\n", "page/main.js defines b, as page/a.js does"),
    ],
)
def test_what_cannot_be_joined_is_said(tmp_path: Path, text: str, said: str) -> None:
    main = 'import { a } from "./a.js";\nlet b;\n'
    folder = written(tmp_path, listed("b", "a", "main"), main=main, a=text, b="")
    with pytest.raises(ValueError, match=re.escape(said)):
        joined(folder)


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (["main"], "page/a.js"),
        (["a", "b", "main"], "page/b.js"),
        (["a", "a", "main"], "page/a.js"),
        ([], "page/a.js, page/main.js"),
    ],
    ids=["missing", "more", "twice", "nothing"],
)
def test_false_contents_are_refused(tmp_path: Path, names: list[str], wrong: str) -> None:
    folder = written(tmp_path, listed(*names), a="")
    with pytest.raises(ValueError, match=f"found otherwise: {wrong}$"):
        contents(folder)


def test_a_folder_without_modules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"contents\.js: No such file or directory"):
        contents(tmp_path)
