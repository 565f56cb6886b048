"""Write what the respondents' styles use of the theme into their style: `make theme`.

Their pages hold their style, so that a browser can check its hash; the desk, the class and the lab
load the whole theme.
"""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
THEME: Final = ROOT / "server/desk/static/theme.css"
STYLES: Final = ROOT / "client/browser"
STYLE: Final = "style.css"

_WRITTEN: Final = re.compile(r"(?<=/\* From theme.css\. \*/\n\n).*?(?=\n\n/\*)", re.DOTALL)
_PROPERTY: Final = re.compile(r"^  (--[a-z0-9-]+): (.+);$", re.MULTILINE)
_USED: Final = re.compile(r"var\((--[a-z0-9-]+)")
_BOTH: Final = re.compile(r"light-dark\((var\([^()]*\)|[^,()]+), ([^,()]+)\)")


def taken(theme: str, styles: str) -> str:
    """Return the properties that styles use; phones of 2023 do not know their `light-dark`."""
    properties = dict(_PROPERTY.findall(theme))
    used = _USED.findall(styles)
    for name in used:
        used.extend(one for one in _USED.findall(properties.get(name, "")) if one not in used)
    kept = [f"  {name}: {value};" for name, value in properties.items() if name in used]
    light = [_BOTH.sub(r"\1", line) for line in kept]
    dark = ["  " + _BOTH.sub(r"\2", line) for line in kept if _BOTH.search(line)]
    return "\n".join(
        (
            ":root {\n  color-scheme: light dark;",
            *light,
            "}\n\n@media screen and (prefers-color-scheme: dark) {\n  :root {",
            *dark,
            "  }\n}",
        )
    )


def with_theme(style: str) -> str:
    """Return the respondents' style with the properties that all of their styles use today."""
    others = (file.read_text() for file in sorted(STYLES.glob("*.css")) if file.name != STYLE)
    properties = taken(THEME.read_text(), "".join((_WRITTEN.sub("", style), *others)))
    return _WRITTEN.sub(lambda _: properties, style)


if __name__ == "__main__":
    file = STYLES / STYLE
    file.write_text(with_theme(file.read_text()))
