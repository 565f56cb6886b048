"""The headers that may come with a response: one list for `verify` and the audit.

The adversary is an operator whose header makes a browser send, keep or fetch what no script does
and no policy forbids. The adversary writes the headers: so a header is harmless only if the list
says so, for its value. The list is part of a release's manifest.
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
"""`verify` compares its value byte by byte."""

_ANYTHING: Final = "[ -~]*"
_WORDS: Final = r"[\w-]+(, *[\w-]+)*"
_WHEN: Final = r"[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt"
_A_CODE: Final = "Survey-(Code|Pin)"

_OF_THE_WAY: Final = {
    # About the connection, or the transfer of the bytes.
    "connection": "(close|keep-alive|upgrade)(, *(close|keep-alive|upgrade))*",
    "keep-alive": r"(timeout|max)=\d+(, *(timeout|max)=\d+)*",
    "transfer-encoding": "chunked",
    "content-length": r"\d+",
    # Not the encodings with a dictionary, whose name goes with later requests.
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
    # Proxies name themselves; no browser acts on these.
    **dict.fromkeys(
        [
            *("x-cache", "x-cache-hits", "x-served-by", "x-timer", "x-varnish", "x-powered-by"),
            *("x-request-id", "x-runtime", "x-envoy-upstream-service-time", "x-robots-tag"),
            *("cf-ray", "cf-cache-status", "x-amz-cf-id", "x-amz-cf-pop", "server-timing"),
        ],
        _ANYTHING,
    ),
    # These only forbid more.
    "x-frame-options": "deny|sameorigin",
    "x-xss-protection": "0|1(; *mode=block)?",
    "strict-transport-security": r"max-age=[1-9]\d{5,9}(; *includeSubDomains)?(; *preload)?",
}
"""Headers that may differ from server to server, and their values."""

TELLING: Final = (
    # These make the browser fetch something, or open another page.
    *("speculation-rules", "link", "refresh"),
    # These name a server for the browser's reports.
    *("nel", "report-to", "reporting-endpoints", "expect-ct", "public-key-pins"),
    *("content-security-policy-report-only", "cross-origin-opener-policy-report-only"),
    *("cross-origin-embedder-policy-report-only", "permissions-policy-report-only"),
    *("document-policy-report-only", "integrity-policy-report-only", "public-key-pins-report-only"),
    *("attribution-reporting-register-source", "attribution-reporting-register-trigger"),
    # Their values come back, with later requests or by another connection.
    *("set-cookie", "set-cookie2", "use-as-dictionary", "last-modified", "alt-svc"),
    *("alternate-protocol", "authentication-info", "secure-session-challenge"),
    *("secure-session-registration", "sec-session-challenge", "sec-session-registration"),
    *("set-login", "shared-storage-write", "observe-browsing-topics"),
    # These make the browser say more about itself.
    *("accept-ch", "accept-ch-lifetime", "critical-ch", "delegate-ch"),
    # These erase what the device keeps, or let a program stay.
    *("clear-site-data", "service-worker-allowed", "origin-trial"),
)
"""Headers that make a browser send, keep or fetch more than the release allows."""


class Verdict(StrEnum):
    """The judgement of a header, or of all headers of a server."""

    YES = "yes"
    NO = "no"
    NOT_JUDGED = "not judged"


class KnownHeaders(TypedDict):
    """The list as in a manifest; all names are in lower case."""

    # The harmless values, as a regular expression for the whole value in any case.
    harmless: dict[str, str]
    telling: list[str]  # headers that are harmless with no value


@cache
def known_headers() -> KnownHeaders:
    """Return which response headers of this release are harmless, and which tell of answers."""
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
        # Scripts' only. Nothing else is cached, so no other tag comes back.
        "etag": rf'(W/)?"({"|".join(tags)})"',
        "content-type": (
            r"text/(html|plain|javascript)(; *charset=utf-8)?|application/jsonl?|"
            + re.escape(PROBLEM_JSON)
        ),
        # Of a redirection, such as from a code to its survey.
        "location": "[!-~]*",
        # Schemes of our own, for which no browser asks for a password.
        "www-authenticate": _A_CODE,
        **_OF_THE_WAY,
    }
    return {
        "harmless": dict(sorted(harmless.items())),
        "telling": sorted(TELLING),
    }


def may_differ(name: str) -> bool:
    """Return whether a header may differ from the release's own."""
    return name in _OF_THE_WAY


def judge(name: str, value: str) -> Verdict:
    """Return the verdict on a header with this value.

    >>> judge("via", "1.1 proxy"), judge("alt-svc", 'h3=":443"'), judge("x-new", "1")
    (<Verdict.YES: 'yes'>, <Verdict.NO: 'no'>, <Verdict.NOT_JUDGED: 'not judged'>)
    """
    known = known_headers()
    expected = known["harmless"].get(name)
    if expected is None:
        return Verdict.NO if name in known["telling"] else Verdict.NOT_JUDGED
    is_harmless = re.fullmatch(expected, value, re.ASCII | re.IGNORECASE)
    return Verdict.YES if is_harmless else Verdict.NO
