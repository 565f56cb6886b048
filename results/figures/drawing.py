"""The style of every figure, and how it is saved."""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal

import matplotlib as mpl
from matplotlib.figure import Figure

from deniable.results.figures.watermark import mark

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType  # from 3.11 on

# Okabe and Ito's colours, distinct for every kind of colour vision; the marks differ in shape
# too. Okabe, M. and Ito, K. (2008). Color universal design.
ESTIMATE: Final = "#0072B2"
OUTSIDE: Final = "#D55E00"
OBSERVED: Final = "#767676"
POSSIBLE: Final = "#F1F5F8"
FRAME: Final = "#444444"

DASHES: Final = (0, (1.5, 1))
NARROW: Final = "less than a third of it possible"
"""The legend of an interval that looks more certain than it is, whose line is `DASHES`."""

STYLE: Final[dict[RcKeyType, Any]] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "text.parse_math": False,  # a question about $5 or $10 is no formula
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and enlarged
    "svg.hashsalt": "deniable",  # the same figure is the same file
    "pdf.fonttype": 42,  # letters as a font that other programs can edit, and not as drawings
}
"""matplotlib's settings for every figure."""

FORMATS: Final[dict[str, dict[str, str | None]]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""The formats of figures; None leaves out the program and the time, which matplotlib would add."""

# Dots per inch of a PNG, as journals require.
_DOTS: Final = 300

# Held while a figure is drawn: matplotlib's settings belong to the process, and a server draws in
# many threads.
_DRAWING: Final = threading.Lock()


def drawn(make: Callable[[], Figure], form: str) -> bytes:
    """Draw a figure and save it.

    May be called from several threads.
    """
    file = io.BytesIO()
    with _DRAWING, mpl.rc_context(STYLE), warnings.catch_warnings():
        # An SVG's reader has fonts for scripts that matplotlib's own font lacks.
        action: Literal["ignore", "error"] = "ignore" if form == "svg" else "error"
        warnings.filterwarnings(action, message="Glyph", category=UserWarning)
        try:
            figure = make()
            if words := mark():
                # Across the whole figure, so that a cropped figure still shows it.
                style: dict[str, Any] = {
                    "ha": "center",
                    "va": "center",
                    "weight": "bold",
                    "alpha": 0.45,
                }
                figure.text(0.5, 0.5, words, color=OUTSIDE, fontsize=16, rotation=8, **style)
            figure.savefig(file, format=form, dpi=_DOTS, metadata=FORMATS[form])
        except UserWarning as lack:
            raise ValueError(
                f"the font of a figure in {form.upper()} has not all letters of its texts "
                f"({str(lack).partition(' missing')[0]}); expected an SVG, whose letters are its "
                "reader's"
            ) from None
    return file.getvalue()
