"""The headers of the respondents' program.

A true answer is in the page's memory; these headers keep it from leaving by fetch, image, form,
frame or referrer. They alone decide which scripts run: those of the program, by their hashes, and
no other script of this origin or of any page's markup.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from deniable.server.respondent.program import BROWSER_FOLDER, LEAVE, ONWARD, load
from deniable.server.web.headers import NO_STORE, always, is_onion, origin_of, policy
from deniable.server.web.response import Headers
from deniable.survey.address import PATTERN, address_meant

# An inline script runs if its hash is in this list, an external one if each hash in its `integrity`
# is (CSP 3, Chromium 59, Firefox 116, Safari 15.6; older browsers run none). No browser lets a hash
# allow an external style, so each style is inline, and applies if its own hash is here. A style
# could leak only by what it fetches, and it can fetch no image, font or medium.
_ALLOWED: Final = (
    "script-src {scripts}; style-src {styles}; connect-src 'self'; img-src data:; "
    "form-action {forms}"
)

_SURVEY: Final = re.compile(PATTERN)

CODES: Final = "/j"
"""Address that redirects the letters of a survey's address, however they are typed."""


JOIN: Final = "/join"
"""Address at which phones join a class."""


class RespondentHeaders:
    """The headers of every response of the respondents' program, by its address."""

    def __init__(
        self,
        *,
        https: bool,
        desk_url: str | None = None,
        is_trial: Callable[[str], bool] = lambda address: False,  # noqa: ARG005
        parts_at: Callable[[str], tuple[str, ...] | None] = lambda address: None,  # noqa: ARG005
    ) -> None:
        program = load(BROWSER_FOLDER)

        def hashes(names: Iterable[str]) -> str:
            return " ".join(f"'{program.hashes[name]}'" for name in names)

        scripts, styles = hashes(program.files), hashes(program.styles)
        shared: Headers = [
            *always(https=https),
            # A site that a page links to does not even learn that there is a survey.
            ("Referrer-Policy", "no-referrer"),
        ]
        own, typed, join = (
            _ALLOWED.format(scripts=scripts, styles=styles, forms="'none'"),
            _ALLOWED.format(scripts="'none'", styles=styles, forms="'self'"),
            # A phone finds its language here, and needs the same program on the next page.
            _ALLOWED.format(scripts=scripts, styles=styles, forms="'self'"),
        )
        # Data and answers to POST load nothing. Without the hashes of scripts and styles their
        # headers are a third as long.
        self._data: Headers = [*shared, policy("form-action 'none'"), NO_STORE]
        self._plain: Headers = [*shared, policy(own)]
        self._survey: Headers = [*self._plain, NO_STORE]
        # Pages with a field for a code and no questions run no program.
        self._code: Headers = [*shared, policy(typed)]
        self._join: Headers = [*shared, policy(join)]
        self._is_trial = is_trial
        self._parts_at = parts_at
        framed_by = "'none'" if desk_url is None else origin_of(desk_url)
        self._trial: Headers = self._survey
        if desk_url is not None:
            self._trial = [*shared, policy(own, framed_by), NO_STORE]

        # Bound now: a change after the start must not reach what is served.
        as_policy = policy

        @lru_cache(maxsize=64)
        def page_of(parts: tuple[str, ...], *, is_trial: bool) -> Headers:
            """Return the headers of a page of questions, which runs its own parts only.

            A path shows no query, so these headers also serve the page that leads on from a query.
            """
            names = [LEAVE, ONWARD, *parts]
            own_styles = {"style.css", *(name.replace(".js", ".css") for name in names)}
            allowed = _ALLOWED.format(
                scripts=hashes(name for name in program.files if name in names),
                styles=hashes(name for name in program.styles if name in own_styles),
                forms="'none'",
            )
            rules = as_policy(allowed, framed_by) if is_trial else as_policy(allowed)
            return [*shared, rules, NO_STORE]

        self._page_of = page_of

    def of(self, path: str, method: str = "GET", host: str = "") -> Headers:
        """Return the headers of every response, good or bad, to such requests for this address."""
        survey = _SURVEY.match(path)
        if survey and (method == "POST" or path.endswith(".json")):
            return self._data
        if path == JOIN:
            return self._join
        if path in ("/", CODES) or path.startswith(f"{CODES}/"):
            return self._code
        if not survey:
            return self._survey if address_meant(path) else self._plain
        is_trial = not is_onion(host) and self._is_trial(survey[0])
        parts = self._parts_at(survey[0]) if path == survey[0] else None
        if parts is not None:
            return self._page_of(parts, is_trial=is_trial)
        return self._trial if is_trial else self._survey
