"""A file that was altered after the page was made is not run, and nothing can be sent."""

import re
from collections.abc import Callable, Iterator
from functools import reduce
from urllib.parse import urljoin, urlsplit

import pytest
from flask import Response, request
from selenium import webdriver

from deniable.server.loopback import loopback
from deniable.server.respondent import pages
from deniable.server.respondent.compression import compressed
from deniable.server.respondent.program import BROWSER_FOLDER, integrity, load
from deniable.survey_file import read
from tests import vectors
from tests.browser.chromium import heed_no_policy
from tests.browser.page import Page
from tests.browser.test_failing_closed import check_sends_nothing
from tests.kit import at, first_of

pytestmark = pytest.mark.promise("program", "fails-closed")

HASHES = load(BROWSER_FOLDER).hashes

LOADED = "return performance.getEntriesByType('resource').map((entry) => entry.name)"

Change = Callable[[bytes], bytes]


def test_a_style_has_all_rules_of_its_source(fresh: webdriver.Chrome) -> None:
    """What goes are comments: a browser reads the same in both."""
    program = load(BROWSER_FOLDER)
    read_by_it = """
      const read = (text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        return [...sheet.cssRules].map(({ cssText }) => cssText);
      };
      return arguments[0].map(read);
    """
    for name, style in program.styles.items():
        source = (BROWSER_FOLDER / name).read_text()
        before, after = fresh.execute_script(read_by_it, [source, str(style)])
        assert before == after, name
        assert before, name
        assert "/*" not in style, name


@pytest.fixture
def on_the_way(monkeypatch: pytest.MonkeyPatch) -> dict[str, Change]:
    """Alter files between the server and the browser, as a cache or a proxy could."""
    changes: dict[str, Change] = {}

    def altered(response: Response) -> Response:
        change = changes.get(request.path)
        if change is not None and response.status_code == 200:
            response.set_data(change(response.get_data()))
        return compressed(response)

    monkeypatch.setattr(pages, "compressed", altered)
    return changes


@pytest.fixture
def link(on_the_way: dict[str, Change]) -> Iterator[str]:
    with loopback(read(vectors.survey_file()).survey) as link:
        yield link


def test_the_page_names_the_hash_of_each_module(link: str, fresh: webdriver.Chrome) -> None:
    page = Page(fresh, link).open()
    assert {urlsplit(address).path for address in fresh.execute_script(LOADED)} == {
        at("doping", "survey.json"),
        at("doping", "state.json"),
    }
    page.driver.get(urljoin(link, "/device"))
    named = {
        one.get_dom_attribute("src"): one.get_dom_attribute("integrity")
        for one in page.all("script")
    }
    assert named == {file: HASHES[str(file).removeprefix("/client/")] for file in named}
    loaded = {urlsplit(address).path for address in fresh.execute_script(LOADED)}
    assert loaded == named.keys()
    assert [entry for entry in fresh.get_log("browser") if entry["level"] != "INFO"] == []  # type: ignore[no-untyped-call]  # selenium's gap


def more(program: bytes) -> bytes:
    """Alter a file as harmlessly as can be: what is refused is any difference at all."""
    return program + b"\nglobalThis.altered = true;\n"


def with_more(page: bytes) -> bytes:
    """Alter the program within a page."""
    text = load(BROWSER_FOLDER).files["main.js"]
    return page.replace(text, more(text))


def test_an_altered_program_is_not_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    on_the_way[at("doping")] = with_more
    fresh.get(link)
    page = Page(fresh, link)
    page.wait(lambda: page.one(".starting .warning").is_displayed())
    assert fresh.execute_script("return globalThis.altered") is None
    check_sends_nothing(fresh)


SEEN = """
return [...document.querySelectorAll(".starting > *")].map(
  (one) => getComputedStyle(one).visibility === "visible",
);
"""

PASS_THE_TIME = """
return document.getAnimations().map((one) => {
  one.finish();
  return one.effect.getTiming().delay;
});
"""


def test_before_any_failure_there_is_no_alarm(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    """As on a slow phone, to which the program is on its way: here it never comes."""
    on_the_way[at("doping")] = lambda page: re.sub(rb"(?s)<script>.*?</script>", b"", page)
    fresh.get(link)
    page = Page(fresh, link)
    assert page.screen() == "starting"
    assert page.text(".starting > :first-child").startswith("One moment …")
    assert fresh.execute_script(SEEN) == [True, False]
    assert fresh.execute_script(PASS_THE_TIME) == [20_000, 20_000]
    assert fresh.execute_script(SEEN) == [False, True]


def test_an_altered_ledger_is_not_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    on_the_way["/client/device.js"] = more
    fresh.get(link.replace(at("doping"), "/device"))
    page = Page(fresh, link)
    assert page.screen() == "failed"
    assert page.one("#ledger .warning").is_displayed()
    assert fresh.execute_script("return globalThis.altered") is None


@pytest.mark.slow
def test_otherwise_what_is_altered_would_be_run(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    """The tests above do alter something."""
    heed_no_policy(fresh)
    on_the_way[at("doping")] = with_more
    Page(fresh, link).open()
    assert fresh.execute_script("return globalThis.altered") is True


PLANTED = b"globalThis.altered = true;\n"

PLANTS = {
    "with its own hash": '<script src="/client/number.js" integrity="{own}"></script>',
    "with two hashes": '<script src="/client/number.js" integrity="{own} {listed}"></script>',
    "without a hash": '<script src="/client/number.js"></script>',
    "as a module": '<script type="module" src="/client/number.js" integrity="{own}"></script>',
    "in the page": "<script>globalThis.altered = true;\n</script>",
}
"""Ways for a page to load a script that its origin serves, and that is no part of the program."""


def plant(on_the_way: dict[str, Change], *ways: str) -> None:
    """Serve a script of a page's own making, and a page that loads it, hash and all."""
    found = (PLANTS[way].format(own=integrity(PLANTED), listed=HASHES["main.js"]) for way in ways)
    markup = "".join(found)
    on_the_way["/client/number.js"] = lambda _: PLANTED
    on_the_way[at("doping")] = lambda page: page.replace(b"</head>", f"{markup}</head>".encode())


def test_no_script_that_the_policy_omits_runs(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    plant(on_the_way, *PLANTS)
    Page(fresh, link).open()
    # Nor does a script that got in load another.
    code = "import('/client/number.js').then(() => 'loaded', () => 'refused').then(arguments[0])"
    assert fresh.execute_async_script(code) == "refused"
    fresh.execute_async_script("setTimeout(arguments[0], 300)")
    assert fresh.execute_script("return globalThis.altered") is None


@pytest.mark.slow
@pytest.mark.parametrize("how", first_of(PLANTS))
def test_without_the_policy_it_would_be(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome, how: str
) -> None:
    heed_no_policy(fresh)
    plant(on_the_way, how)
    page = Page(fresh, link).open()
    page.wait(lambda: fresh.execute_script("return globalThis.altered"))


def test_a_program_altered_with_its_hash_is_refused(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    """The page and the file are both altered; the policy still names the release's program."""
    with_its_hash = integrity(more(load(BROWSER_FOLDER).files["main.js"]))
    on_the_way["/client/main.js"] = more
    on_the_way["/device"] = lambda page: page.replace(
        HASHES["main.js"].encode(), with_its_hash.encode()
    )
    fresh.get(urljoin(link, "/device"))
    assert with_its_hash in fresh.page_source
    page = Page(fresh, link)
    page.wait(lambda: page.screen() == "failed")
    assert fresh.execute_script("return globalThis.altered") is None
    check_sends_nothing(fresh)


OUTLINE = b"main{outline:7px solid rgb(1,2,3)}"

STYLED: dict[str, Change] = {
    "more of the style": lambda page: page.replace(b"</style>", OUTLINE + b"</style>"),
    "a style of its own": lambda page: page.replace(
        b"</head>", b"<style>" + OUTLINE + b"</style></head>"
    ),
    "a file with its hash": lambda page: page.replace(
        b"</head>",
        b'<link rel="stylesheet" href="/client/number.js" integrity="%s"></head>'
        % integrity(OUTLINE).encode(),
    ),
    "an attribute": lambda page: page.replace(b"<main", b'<main style="outline:7px solid"'),
}


def test_no_style_that_the_policy_omits_is_used(
    on_the_way: dict[str, Change], link: str, fresh: webdriver.Chrome
) -> None:
    on_the_way["/client/number.js"] = lambda _: OUTLINE
    on_the_way[at("doping")] = lambda page: reduce(lambda new, way: way(new), STYLED.values(), page)
    page = Page(fresh, link).open()
    assert page.one("main").value_of_css_property("outline-width") != "7px"
