"""Take a picture of every page, a respondent's and the desk's: ``make screenshots``.

Look at them, side by side, after any change to the look of pages.
"""

import html
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from selenium import webdriver

from tests.browser.desk_stations import DESK_LOOKS, desks, pages
from tests.browser.looks import LOOKS, Look, show_as_usual, whole_page
from tests.browser.stations import LANGUAGES, stations, ways

FOLDER = Path(__file__).parents[1] / "build" / "screenshots"

HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Every page</title>
<style>
body { background: #888; color: #fff; font: 1rem system-ui, sans-serif; margin: 1rem; }
a { color: inherit; }
h2 { margin: 2rem 0 0.5rem; }
nav { columns: 16rem; }
.looks { align-items: flex-start; display: flex; gap: 1rem; overflow-x: auto; }
img { display: block; max-width: none; }
.wide { width: 800px; }
</style>
<h1>Every page</h1>
"""


def take(
    driver: webdriver.Chrome, group: str, names: Iterable[str], looks: Sequence[Look]
) -> list[tuple[str, dict[Look, str]]]:
    """Take the pictures of all stations of a group; return their files by look."""
    taken = []
    for place, name in enumerate(names, start=1):
        click.echo(f"{group} {place:3} {name}")
        slug = "".join(letter if letter.isalnum() else "-" for letter in name)
        files = {}
        for look in looks:
            files[look] = f"{group}-{place:02}-{slug}-{look}.png"
            whole_page(driver, look).save(FOLDER / files[look])
        show_as_usual(driver)
        taken.append((f"{group}: {name}", files))
    return taken


def contact_sheet(taken: list[tuple[str, dict[Look, str]]]) -> str:
    """Return a page with all pictures, those of one station side by side."""
    names = [html.escape(name) for name, _ in taken]
    links = (f'<a href="#{place}">{name}</a><br>' for place, name in enumerate(names))
    parts = [HEAD, "<nav>", *links, "</nav>"]
    for place, (name, (_, files)) in enumerate(zip(names, taken, strict=True)):
        parts.append(f'<h2 id="{place}">{name}</h2><div class="looks">')
        for look, file in files.items():
            wide = ' class="wide"' if look.width > 500 else ""
            parts.append(
                f'<a href="{file}"><img{wide} src="{file}" alt="{name}, {look}" loading="lazy"></a>'
            )
        parts.append("</div>")
    return "\n".join(parts)


def main() -> None:
    """Take the pictures, and print where they are."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    taken = []
    with ways() as way:
        for way.language in LANGUAGES:
            taken += take(way.driver, way.language, stations(way), LOOKS)
    with desks() as desk:
        taken += take(desk.driver, "desk", pages(desk), DESK_LOOKS)
    (FOLDER / "index.html").write_text(contact_sheet(taken))
    count = sum(len(files) for _, files in taken)
    click.echo(f"{count} pictures; look at them in {FOLDER / 'index.html'}")


if __name__ == "__main__":
    main()
