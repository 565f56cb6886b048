"""The theme that all pages share, and what a respondent's style takes of it."""

import re

from tools.theme import STYLE, STYLES, THEME, taken, with_theme

_THEME = """:root {
  --ink: light-dark(#111, #eee);
  --accent: light-dark(var(--brand, #123), #abc);
  --gap: 0.5rem;
  --wide: calc(2 * var(--gap));
}
"""


def test_respondents_have_the_theme_of_today() -> None:
    """`make theme` was run after a change of either."""
    style = (STYLES / STYLE).read_text()
    assert with_theme(style) == style


def test_a_style_takes_what_it_uses() -> None:
    """A property by way of another as well; the rest stays out of the page."""
    assert taken(_THEME, "p { margin: var(--wide); }").split("\n}\n")[0] == (
        ":root {\n  color-scheme: light dark;\n  --gap: 0.5rem;\n  --wide: calc(2 * var(--gap));"
    )


def test_dark_colours_are_for_dark_screens() -> None:
    light, dark = taken(_THEME, "a { color: var(--accent); }").split("@media screen and ")
    assert "--accent: var(--brand, #123);" in light
    assert dark == "(prefers-color-scheme: dark) {\n  :root {\n    --accent: #abc;\n  }\n}"


def test_every_property_of_a_page_is_defined() -> None:
    """A name with a typo would leave its colour out without a word."""
    own = "".join(file.read_text() for file in STYLES.glob("*.css"))
    root = STYLES.parents[1]
    folders = (root / name / "static" for name in ("server/desk", "lab", "classroom"))
    desk = "".join(file.read_text() for folder in folders for file in folder.glob("*.[cj]s*"))
    assert THEME.read_text() in desk
    for style in (own, desk):
        used = {*re.findall(r"var\((--[a-z0-9-]+)\)", style)}
        assert used <= {*re.findall(r"(--[a-z0-9-]+)[\":]", style)}
