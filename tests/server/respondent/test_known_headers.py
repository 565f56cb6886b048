"""Which headers are harmless."""

import pytest

from deniable.server.respondent.known_headers import Verdict, judge, known_headers
from deniable.server.respondent.program import BROWSER_FOLDER, load
from tests.kit import Caller, at

pytestmark = pytest.mark.promise("verify")

HARMLESS = [
    ("content-security-policy", "default-src 'none'\n; é"),  # judged by what it allows
    ("x-content-type-options", "nosniff"),
    ("x-content-type-options", "NOSNIFF"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/html"),  # of a proxy, whose server is away
    ("content-type", "application/problem+json"),
    ("content-encoding", "br"),
    ("content-length", "0"),
    ("connection", "Upgrade, Keep-Alive"),
    ("date", "Sun, 22 Nov 2026 05:19:14 GMT"),
    ("via", "1.1 Caddy"),
    ("server", "nginx/1.26 (Debian)"),
    ("vary", "Accept, Accept-Encoding"),
    ("retry-after", "5"),
    ("www-authenticate", "Survey-Code"),
    ("x-request-id", "6f3a"),
    ("strict-transport-security", "max-age=31536000"),
    ("strict-transport-security", "max-age=63072000; includeSubDomains; preload"),
]
ALTERED = [
    ("x-content-type-options", "nosniff, x"),
    ("cross-origin-opener-policy", 'same-origin; report-to="x"'),
    ("cross-origin-opener-policy", "unsafe-none"),
    ("cache-control", "max-age=31536000"),
    ("content-type", "multipart/x-mixed-replace; boundary=x"),
    ("content-type", "text/html; charset=utf-7"),
    ("content-encoding", "dcb"),
    ("etag", '"person-0001"'),
    ("etag", f'"{"0" * 40}"'),
    ("content-length", "\N{ARABIC-INDIC DIGIT ONE}"),
    ("date", "Sun, 22 Nov 2026 05:19:14 GMT\n"),
    ("www-authenticate", 'Basic realm="anna"'),
    ("x-xss-protection", "1; report=/told"),
    ("referrer-policy", "unsafe-url"),
    ("permissions-policy", "x" * 9),
]
TELLING = [
    *("speculation-rules", "use-as-dictionary", "accept-ch", "critical-ch", "set-cookie"),
    *("alt-svc", "link", "nel", "report-to", "reporting-endpoints", "refresh", "clear-site-data"),
    *("content-security-policy-report-only", "last-modified", "service-worker-allowed"),
    *("cross-origin-opener-policy-report-only", "origin-trial"),
]
UNKNOWN = [("x-new", "1"), ("__proto__", "1"), ("constructor", "1"), ("", "")]

CASES = [
    *((*one, Verdict.YES) for one in HARMLESS),
    *((*one, Verdict.NO) for one in ALTERED),
    *((name, "1", Verdict.NO) for name in TELLING),
    *((*one, Verdict.NOT_JUDGED) for one in UNKNOWN),
]


@pytest.mark.parametrize(("name", "value", "verdict"), CASES)
def test_headers_are_judged_by_name_and_value(name: str, value: str, verdict: Verdict) -> None:
    assert judge(name, value) is verdict


def test_no_header_is_both() -> None:
    known = known_headers()
    assert not {*known["harmless"]} & {*known["telling"]}
    assert {"content-security-policy", "referrer-policy"} <= {*known["harmless"]}


@pytest.mark.parametrize(
    "path",
    [
        *(
            at("doping"),
            at("doping", "survey.json"),
            at("doping", "privacy"),
            at("doping", "privacy.json"),
        ),
        *(
            at("doping", "sheet"),
            at("none"),
            "/device",
            "/",
            "/j",
            "/j/x",
            "/join",
            "/none",
            "/health",
        ),
        *(f"/client/{name}" for name in load(BROWSER_FOLDER).files),
    ],
)
def test_whatever_the_release_sends_is_harmless(respondents: Caller, path: str) -> None:
    for accepted in ("gzip", "identity"):
        answer = respondents(path, headers={"Accept-Encoding": accepted})
        for name, value in answer.headers.items():
            assert judge(name.lower(), value) is Verdict.YES, (name, value)
