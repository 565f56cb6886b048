"""Pages get a few named values and ask them: no page is handed a long list of arguments."""

import ast
from pathlib import Path
from typing import Final

import deniable.server

MOST: Final = 8

_SERVER: Final = Path(deniable.server.__file__).parent


def test_no_page_gets_more_than_eight_arguments() -> None:
    counted = {
        f"{path.relative_to(_SERVER)}:{call.lineno}": len(call.args[1:]) + len(call.keywords)
        for path in sorted(_SERVER.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        if call.func.id == "render_template"
    }
    assert len(counted) >= 30
    assert not {place: n for place, n in counted.items() if n > MOST}
