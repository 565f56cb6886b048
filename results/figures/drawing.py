"""The style of every figure, and how it is saved."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import re
import tempfile
import threading
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import matplotlib as mpl
from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager
from matplotlib.text import Text

from deniable.results.figures.caption import Caption
from deniable.results.figures.watermark import mark

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType  # from 3.11 on

# The light colours of the theme, as on the page around a figure; the marks differ in shape too.
ESTIMATE: Final = "#12545C"
OUTSIDE: Final = "#4A5A62"
OBSERVED: Final = "#A8430A"
POSSIBLE: Final = "#F8F5EE"
FRAME: Final = "#16242B"

_MADE_UP: Final = "#B00040"
"""The colour of the mark across a trial's figures."""

DASHES: Final = (0, (1.5, 1))
NARROW: Final = "less than a third of it possible"
"""The legend of an interval that looks more certain than it is, whose line is `DASHES`."""

STYLE: Final[dict[RcKeyType, Any]] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.parse_math": False,  # a question about $5 or $10 is no formula
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and enlarged
    "svg.hashsalt": "deniable",  # the same figure is the same file
    "pdf.fonttype": 42,  # letters as a font that other programs can edit, and not as drawings
}
"""matplotlib's settings for every figure."""

_OWN: Final = "Source Sans 3"
"""The typeface of the pages, of the letters in `_LETTERS`; a text with others has matplotlib's."""

_OTHER: Final = "DejaVu Sans"

_FORMATS: Final[dict[str, dict[str, str | None]]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""The formats of figures; None leaves out the program and the time, which matplotlib would add."""

_SAID: Final = {"svg": "Description", "png": "Description", "pdf": "Subject"}
"""Where a file of each format says its caption."""

# Inches: two columns of a journal, 183 mm, or one, 84 mm, which is as wide as a phone's screen.
WIDTH: Final = {False: 7.2, True: 3.3}

# Dots per inch of a PNG, as journals require.
_DOTS: Final = 300

# Held while a figure is drawn: matplotlib's settings belong to the process, and a server draws in
# many threads.
_DRAWING: Final = threading.Lock()


def drawn(make: Callable[[], Figure], form: str, caption: Caption) -> bytes:
    """Draw a figure and save it with its caption; of the format ``txt``, return the caption.

    May be called from several threads.
    """
    words = mark()
    trial = f"{words}. " if words else ""
    if form == "txt":
        return f"{trial}{caption.whole}\n".encode()
    file = io.BytesIO()
    said = {"Title": caption.title, _SAID[form]: trial + caption.whole}
    letters = _add_typeface()
    with _DRAWING, mpl.rc_context(STYLE), warnings.catch_warnings():
        # An SVG's reader has fonts for scripts that matplotlib's own font lacks.
        action: Literal["ignore", "error"] = "ignore" if form == "svg" else "error"
        warnings.filterwarnings(action, message="Glyph", category=UserWarning)
        try:
            figure = make()
            if words:
                # Across the whole figure, so that a cropped figure still shows it.
                style: dict[str, Any] = {
                    "ha": "center",
                    "va": "center",
                    "weight": "bold",
                    "alpha": 0.45,
                }
                figure.text(0.5, 0.5, words, color=_MADE_UP, fontsize=16, rotation=8, **style)
            texts = "".join(one.get_text() for one in figure.findobj(Text))
            # One typeface in a figure: a word of two looks like a mistake.
            is_own = letters.issuperset(map(ord, texts.replace("\n", "")))
            mpl.rcParams["font.sans-serif"] = [_OWN] * is_own + [_OTHER]
            figure.savefig(file, format=form, dpi=_DOTS, metadata=_FORMATS[form] | said)
        except UserWarning as lack:
            raise ValueError(
                f"the font of a figure in {form.upper()} has not all letters of its texts "
                f"({str(lack).partition(' missing')[0]}); expected an SVG, whose letters are its "
                "reader's"
            ) from None
    if form == "svg":
        return _complete(file.getvalue().decode(), said[_SAID[form]]).encode()
    return file.getvalue()


@lru_cache(maxsize=1)
def _add_typeface() -> frozenset[int]:
    """Give matplotlib the typeface, and return the letters that it has.

    matplotlib puts a font into a PDF as its file is, and a PDF has no WOFF. So the files are
    unpacked, to where matplotlib keeps what it makes.
    """
    letters = frozenset[int]()
    for packed in sorted((Path(__file__).parent / "vendor").glob("*.woff")):
        digest = hashlib.sha256(packed.read_bytes()).hexdigest()
        file = Path(mpl.get_cachedir()) / f"{packed.stem}-{digest[:12]}.ttf"
        with TTFont(packed, recalcTimestamp=False) as font:
            letters = frozenset(font.getBestCmap())
            if not file.exists():
                font.flavor = None
                with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as made:
                    font.save(made)
                Path(made.name).replace(file)  # at once: another process may look for it
        fontManager.addfont(file)
    return letters


def _complete(svg: str, description: str) -> str:
    """Add what a screen reader says, and the fonts of all letters, so that it looks alike anywhere.

    Text stays text, as outlines can neither be searched nor read aloud.
    """
    letters = frozenset(html.unescape("".join(re.findall(r">([^<>]+)</text>", svg))))
    weights = (400, 700) if "font-weight: 700" in svg else (400,)
    family = _OWN if f"'{_OWN}'" in svg else _OTHER
    faces = "".join(_face(letters, family, weight) for weight in weights)
    svg = svg.replace("</title>", f"</title>\n <desc>{html.escape(description)}</desc>", 1)
    return svg.replace('<style type="text/css">', f'<style type="text/css">{faces}', 1)


@lru_cache(maxsize=256)
def _face(letters: frozenset[str], family: str, weight: int) -> str:
    """Return a style rule that holds the letters of a font."""
    style = subset.Options(hinting=False, layout_features=[], name_IDs=[], flavor="woff")
    style.drop_tables += ["FFTM"]
    path, file = findfont(FontProperties(family=family, weight=weight)), io.BytesIO()
    with subset.load_font(path, style) as font:
        chosen = subset.Subsetter(style)
        chosen.populate(text="".join(letters))
        chosen.subset(font)
        subset.save_font(font, file, style)
    data = base64.b64encode(file.getvalue()).decode()
    return (
        f'@font-face{{font-family:"{family}";font-weight:{weight};'
        f'src:url("data:font/woff;base64,{data}")}}'
    )
