"""The one file that a page loads: every module as it is written, and nothing else."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from deniable.server.joining import JoiningError, joined, modules, starts
from deniable.server.respondent import BROWSER_FOLDER
from tests import needs

MODULES = {file.stem for file in BROWSER_FOLDER.glob("*.js")}
STARTS = starts(BROWSER_FOLDER)


def test_the_starts_are_what_nothing_imports() -> None:
    assert {"main", "device"} <= {*STARTS}
    assert "page" not in STARTS


@pytest.mark.parametrize("start", STARTS)
def test_every_line_of_it_is_a_module_s(start: str) -> None:
    """But for imports and exports, each module stands in it line by line, in one piece."""
    program = joined(BROWSER_FOLDER, start)
    for file in BROWSER_FOLDER.glob("*.js"):
        program = program.replace(bare(file.stem), "", 1)
    first = r'(import \{ [\w, ]+ \} from "\./main\.js";\n)?'
    assert re.fullmatch(rf"{first}export \{{ [\w, ]* \}};\n", program), program


def bare(module: str) -> str:
    """Return the text of a module without what imports and exports."""
    text = (BROWSER_FOLDER / f"{module}.js").read_text(encoding="utf-8")
    text = re.sub(r'^import \{[^}]*\} from "\./\w+\.js";\n', "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


def test_every_module_is_in_one_of_them() -> None:
    programs = [joined(BROWSER_FOLDER, start) for start in STARTS]
    assert all(any(bare(name) in program for program in programs) for name in MODULES)


def test_what_a_program_consists_of_is_known() -> None:
    found = modules(BROWSER_FOLDER, "main.js")
    assert {"main.js", "page.js", "channel.js", "language.js", "translation.js"} <= found
    assert "device.js" not in found
    assert modules(BROWSER_FOLDER, "leave.js") < found | {"leave.js"}


def test_no_module_takes_a_name_that_another_may_mean_the_browser_s_by() -> None:
    """In one file, what one module calls `fetch` would be what all others call so."""
    script = (
        "import config from './eslint.config.js';"
        "const all = config.flatMap((one) => Object.keys(one.languageOptions?.globals ?? {}));"
        "console.log(JSON.stringify([...all, ...Object.getOwnPropertyNames(globalThis)]));"
    )
    node = needs.program("node", "make install")
    done = subprocess.run(
        [node, "--input-type=module", "-e", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    known = set(json.loads(done.stdout))
    assert {"document", "history", "fetch"} <= known
    for name in MODULES:
        defined = re.findall(
            r"^(?:async )?(?:function|class|const|let) (\w+)", bare(name), re.MULTILINE
        )
        assert not known & set(defined), name


def run(program: str, folder: Path) -> object:
    """Run a module in Node, and return what it exports, and what it calls `all`."""
    node = needs.program("node", "make install")
    file = folder / "joined.mjs"
    file.write_text(program)
    script = (
        f"import({json.dumps(file.as_uri())}).then((m) => console.log(JSON.stringify([m, all])))"
    )
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def written(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_it_does_what_the_modules_do(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        main='import {\n  one,\n  Two,\n} from "./a.js";\n'
        'import { three } from "./b.js";\n'
        'import { page } from "./page.js";\n'
        "globalThis.all = [one, new Two().two, await three()];\n",
        page='import { base } from "./c.js";\nexport const page = base;\n',
        a='import { base } from "./c.js";\nconst own = base;\nexport const one = own + 1;\n'
        "export class Two {\n  two = own + 2;\n}\n",
        b='import { base } from "./c.js";\nconst other = base + 100;\n'
        "export async function three() {\n  return other + 3;\n}\n",
        c="export const base = 10;\n",
    )
    all_of_it = run(joined(folder, "main"), tmp_path)
    assert all_of_it == [{"page": 10}, [11, 12, 113]]


def test_a_part_that_is_loaded_later_shares_what_the_program_has(tmp_path: Path) -> None:
    """A module's state is one: what the program set there, its part finds."""
    folder = written(
        tmp_path,
        main='import { set } from "./state.js";\n'
        "async function more() {\n"
        "  set(7);\n"
        '  const { found } = await import("./part.js");\n'
        "  return found();\n"
        "}\n"
        "globalThis.all = more();\n",
        state="let value = 0;\nexport function set(to) {\n  value = to;\n}\n"
        "export function get() {\n  return value;\n}\n",
        part='import { get } from "./state.js";\nexport function found() {\n  return get();\n}\n',
    )
    assert starts(folder) == ["main", "part"]
    served = tmp_path / "served"
    served.mkdir()
    (served / "part.js").write_text(joined(folder, "part"))
    (served / "package.json").write_text('{"type": "module"}')
    (served / "main.js").write_text(joined(folder, "main"))
    script = 'import("./main.js").then(async () => console.log(await all))'
    node = needs.program("node", "make install")
    done = subprocess.run(
        [node, "-e", script], capture_output=True, text=True, check=True, cwd=served
    )
    assert done.stdout.strip() == "7"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'import * as all from "./b.js";\n',
            "a.js: expected imports and exports by name, found im",
        ),
        ("export default 1;\n", "found export default 1;"),
        ("const a = 1;\nexport { a };\n", "found export { a };"),
        ('import { main } from "./main.js";\n', "main.js imports itself by way of main, a"),
        ('import { b } from "./none.js";\n', "none.js: No such file or directory"),
        ('import { b as c } from "./b.js";\n', "a.js: expected imports by the same name, found"),
        ("const [a, b] = [1, 2];\n", "a.js: expected one name at a time, found [a,"),
        ("const b = 1;\n", "main.js defines b, as a.js does"),
        ("export async function b() {}\n", "main.js defines b, as a.js does"),
    ],
)
def test_what_cannot_be_joined_is_said(tmp_path: Path, text: str, said: str) -> None:
    folder = written(tmp_path, main='import { a } from "./a.js";\nlet b;\n', a=text, b="")
    with pytest.raises(JoiningError) as caught:
        joined(folder, "main")
    assert said in str(caught.value)
