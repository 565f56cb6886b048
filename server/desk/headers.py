"""The headers of the desk.

Its pages show, and forms change. Some run a script of `static/`, and none runs one that stands in
its own markup: an answer's text that got into a page unescaped would be a text still. What they
show is the researcher's alone, so nothing of it is kept by a browser or a proxy. Only the lab and
the manual, which show nothing of anybody, may be kept.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

from deniable.server.web.headers import NO_STORE, always, origin_of, policy
from deniable.server.web.response import Headers

ALLOWED: Final = (
    "script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'"
)
_TRIAL: Final = re.compile(r"/desk/(surveys/[^/]+/trial|editor/drafts/[^/]+)")
"""The pages that show a trial in a frame."""
# matplotlib draws with inline styles; a figure opened by itself can do nothing but look right.
_FIGURE: Final = (
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
_BUNDLES: Final = "/desk/static/vendor/"
"""Large files that are the same for everybody: a browser may keep them, and asks whether they have
changed."""

_OF_WHEEL: Final = Path(__file__).parent / "manual"
_BUILT: Final = Path(__file__).resolve().parents[2] / "build" / "manual"
MANUAL: Final = _OF_WHEEL if _OF_WHEEL.exists() else _BUILT
"""The folder of the manual, which may be empty."""
_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class DeskHeaders:
    """The headers of every response of the desk, by its address."""

    def __init__(self, *, https: bool, respondents_url: str) -> None:
        # Not "no-referrer": browsers would then send "Origin: null" with every form, and the desk
        # could not tell its own forms from those of another site (`csrf`).
        kept = [*always(https=https), ("Referrer-Policy", "same-origin")]
        shared = [*kept, NO_STORE]
        own = policy(ALLOWED)
        self._bundle: Headers = [*kept, own]
        self._page: Headers = [*shared, own]
        # The frame's page keeps its own policies, and says to other origins that it is not theirs.
        # A page that embeds only what says the opposite could not show it; so these two pages do.
        framing = policy(f"{ALLOWED}; frame-src {origin_of(respondents_url)}")
        self._trial: Headers = [
            *(header for header in shared if header[0] != "Cross-Origin-Embedder-Policy"),
            framing,
        ]
        self._figure: Headers = [*shared, _FIGURE]
        self._kept = kept

    def of(self, path: str) -> Headers:
        """Return the headers of every response, good or bad, to requests for this address."""
        # What is the same for everybody, and large; the lab has nothing of the researcher's.
        if path.startswith((_BUNDLES, "/classroom/", "/lab/", "/client/")):
            return self._bundle
        if path.startswith("/desk/help/"):
            # `make docs` may build it anew while the server runs.
            return [*self._kept, ("Content-Security-Policy", _policy_of_manual())]
        if _TRIAL.fullmatch(path):
            return self._trial
        return self._figure if path.endswith(".svg") else self._page


def _policy_of_manual() -> str:
    """Return what its pages may do: run their own scripts, and the one that stands in each."""
    first = MANUAL / "docs" / "index.html"
    inline = _INLINE.findall(first.read_text(encoding="utf-8")) if first.exists() else []
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in inline)
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *(f"'sha256-{one}'" for one in hashes)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
    )
