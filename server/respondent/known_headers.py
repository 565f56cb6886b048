"""The headers that may come with an answer: one list for `verify` and the audit.

The adversary is an operator whose header has a browser tell, keep or fetch what no script does and
no policy forbids. Who wrote it is the adversary, too: so a header is harmless only if it is known
to be, with the value that it has. The list is part of a release's manifest.
"""

import re
from enum import StrEnum
from functools import cache
from typing import Final, TypedDict

from werkzeug.http import generate_etag

from deniable.server.respondent.headers import CODES, RespondentHeaders
from deniable.server.respondent.program import BROWSER_FOLDER, load
from deniable.server.web.problems import PROBLEM_JSON

_POLICY: Final = "content-security-policy"
"""`verify` judges its value by its bytes."""

_ANYTHING: Final = "[ -~]*"
_WORDS: Final = r"[\w-]+(, *[\w-]+)*"
_WHEN: Final = r"[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt"
_A_CODE: Final = "Survey-(Code|Pin)"

_OF_THE_WAY: Final = {
    # Of the connection, or of how the bytes came.
    "connection": "(close|keep-alive|upgrade)(, *(close|keep-alive|upgrade))*",
    "keep-alive": r"(timeout|max)=\d+(, *(timeout|max)=\d+)*",
    "transfer-encoding": "chunked",
    "content-length": r"\d+",
    # Not those that need a dictionary: its name goes with later requests.
    "content-encoding": "gzip|deflate|br|zstd|identity",
    "date": _WHEN,
    "age": r"\d+",
    "via": _ANYTHING,
    "server": _ANYTHING,
    "upgrade": r"h2c?(, *h2c?)*",
    "vary": rf"\*|{_WORDS}",
    "trailer": _WORDS,
    "accept-ranges": "none|bytes",
    "pragma": "no-cache",
    "expires": "0|-1",
    "retry-after": rf"\d+|{_WHEN}",
    "allow": _WORDS,
    # What proxies say of themselves, and no browser obeys.
    **dict.fromkeys(
        [
            *("x-cache", "x-cache-hits", "x-served-by", "x-timer", "x-varnish", "x-powered-by"),
            *("x-request-id", "x-runtime", "x-envoy-upstream-service-time", "x-robots-tag"),
            *("cf-ray", "cf-cache-status", "x-amz-cf-id", "x-amz-cf-pop", "server-timing"),
        ],
        _ANYTHING,
    ),
    # They only forbid more.
    "x-frame-options": "deny|sameorigin",
    "x-xss-protection": "0|1(; *mode=block)?",
    "strict-transport-security": r"max-age=[1-9]\d{5,9}(; *includeSubDomains)?(; *preload)?",
}
"""Headers that may differ from server to server, and their values."""

TELLING: Final = (
    # They have the browser fetch something, or open another page.
    *("speculation-rules", "link", "refresh"),
    # They name who is told of something.
    *("nel", "report-to", "reporting-endpoints", "expect-ct", "public-key-pins"),
    *("content-security-policy-report-only", "cross-origin-opener-policy-report-only"),
    *("cross-origin-embedder-policy-report-only", "permissions-policy-report-only"),
    *("document-policy-report-only", "integrity-policy-report-only", "public-key-pins-report-only"),
    *("attribution-reporting-register-source", "attribution-reporting-register-trigger"),
    # What they say comes back, with later requests or by another connection.
    *("set-cookie", "set-cookie2", "use-as-dictionary", "last-modified", "alt-svc"),
    *("alternate-protocol", "authentication-info", "secure-session-challenge"),
    *("secure-session-registration", "sec-session-challenge", "sec-session-registration"),
    *("set-login", "shared-storage-write", "observe-browsing-topics"),
    # They have the browser say more of itself.
    *("accept-ch", "accept-ch-lifetime", "critical-ch", "delegate-ch"),
    # They wipe out what the device remembers, or let a program stay.
    *("clear-site-data", "service-worker-allowed", "origin-trial"),
)
"""Headers by which a browser can tell, keep or fetch more than the release lets it."""


class Verdict(StrEnum):
    """What is said of a header, or of all that a server sends."""

    YES = "yes"
    NO = "no"
    NOT_JUDGED = "not judged"


class KnownHeaders(TypedDict):
    """The list, as it stands in a manifest; all names are in small letters."""

    # The values that are harmless, as a regular expression for the whole value in any case.
    harmless: dict[str, str]
    telling: list[str]  # what is harmless with no value


@cache
def known_headers() -> KnownHeaders:
    """Return the list of this release."""
    sent = [
        RespondentHeaders(https=False).of(path, method)
        for path, method in [
            *((path, "GET") for path in ("/s/x/", CODES, "/client/main.js")),
            ("/s/x/reports", "POST"),
        ]
    ]
    own: dict[str, set[str]] = {}
    for name, value in (header for headers in sent for header in headers):
        own.setdefault(name.lower(), set()).add(re.escape(value))
    tags = sorted(generate_etag(one) for one in load(BROWSER_FOLDER).files.values())
    harmless = {
        **{name: "|".join(sorted(values)) for name, values in own.items()},
        _POLICY: r"[\s\S]*",
        "cache-control": r"no-store|public, max-age=1",
        # Of scripts alone. Nothing else is kept, so that no tag of it comes back.
        "etag": rf'(W/)?"({"|".join(tags)})"',
        "content-type": (
            r"text/(html|plain|javascript)(; *charset=utf-8)?|application/jsonl?|"
            + re.escape(PROBLEM_JSON)
        ),
        # A page that leads on, such as from a code to its survey.
        "location": "[!-~]*",
        # Schemes of our own, for which no browser asks anybody for a password.
        "www-authenticate": _A_CODE,
        **_OF_THE_WAY,
    }
    return {
        "harmless": dict(sorted(harmless.items())),
        "telling": sorted(TELLING),
    }


def may_differ(name: str) -> bool:
    """Return whether a header need not be the release's own."""
    return name in _OF_THE_WAY


def judge(name: str, value: str) -> Verdict:
    """Say of a header whether it is harmless.

    Examples
    --------
    >>> judge("via", "1.1 proxy"), judge("alt-svc", 'h3=":443"'), judge("x-new", "1")
    (<Verdict.YES: 'yes'>, <Verdict.NO: 'no'>, <Verdict.NOT_JUDGED: 'not judged'>)
    """
    known = known_headers()
    expected = known["harmless"].get(name)
    if expected is None:
        return Verdict.NO if name in known["telling"] else Verdict.NOT_JUDGED
    is_harmless = re.fullmatch(expected, value, re.ASCII | re.IGNORECASE)
    return Verdict.YES if is_harmless else Verdict.NO
