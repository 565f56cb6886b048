"""The headers of the respondents' program.

A true answer is in the page's memory; these headers are what keeps it from leaving by fetch, image,
form, frame or referrer. They also decide by themselves which scripts run: those of the program, by
their hashes, and no other of this origin or of any page's markup.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from deniable.server.respondent.program import BROWSER_FOLDER, LEAVE, ONWARD, load
from deniable.server.web.headers import NO_STORE, always, is_onion, origin_of, policy
from deniable.server.web.response import Headers
from deniable.survey.address import PATTERN, address_meant

# A script within a page is run when its hash is in this list, one of its own file when each hash in
# its `integrity` is (CSP 3, Chromium 59, Firefox 116, Safari 15.6; older browsers run none). No
# browser lets a hash allow an external style, so each style stands in its page, and is used when
# its own hash is here. What a style could tell is stopped where it would be fetched, too: no image,
# font or medium is.
_ALLOWED: Final = (
    "script-src {scripts}; style-src {styles}; connect-src 'self'; img-src data:; "
    "form-action {forms}"
)

_SURVEY: Final = re.compile(PATTERN)

CODES: Final = "/j"
"""Where the letters of an address lead on, however they are typed."""


JOIN: Final = "/join"
"""Where phones join a class."""


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
            # Another site that is linked to learns not even that there is a survey.
            ("Referrer-Policy", "no-referrer"),
        ]
        own, typed, join = (
            _ALLOWED.format(scripts=scripts, styles=styles, forms="'none'"),
            _ALLOWED.format(scripts="'none'", styles=styles, forms="'self'"),
            # A phone finds its language here, and needs the same program on the next page.
            _ALLOWED.format(scripts=scripts, styles=styles, forms="'self'"),
        )
        # Data and answers to what was sent are no pages, and load nothing. Without the hashes of
        # the pages' scripts and styles they are a third as long.
        self._data: Headers = [*shared, policy("form-action 'none'"), NO_STORE]
        self._plain: Headers = [*shared, policy(own)]
        self._survey: Headers = [*self._plain, NO_STORE]
        # Where a code is typed, and no answer: no program runs there.
        self._code: Headers = [*shared, policy(typed)]
        self._join: Headers = [*shared, policy(join)]
        self._is_trial = is_trial
        self._parts_at = parts_at
        framed_by = "'none'" if desk_url is None else origin_of(desk_url)
        self._trial: Headers = self._survey
        if desk_url is not None:
            self._trial = [*shared, policy(own, framed_by), NO_STORE]

        # What is altered afterwards is served to nobody.
        as_policy = policy

        @lru_cache(maxsize=64)
        def page_of(parts: tuple[str, ...], *, is_trial: bool) -> Headers:
            """Return the headers of a page of questions, which runs no other parts than its own.

            A query is no part of a path: so it may also be the page that leads on without it.
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
