"""An old service worker of the same origin, which another site has left in the browser."""

from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.browser.chromium import run_before_every_page
from tests.browser.conftest import DESIGN
from tests.browser.page import Page
from tests.browser.serving import Served, serving
from tests.browser.test_coming_back import ANSWERS
from tests.browser.test_offline import IMPATIENT
from tests.kit import Network, at, network

pytestmark = pytest.mark.promise("our-word")

WORKER = b"""
addEventListener("install", (event) => event.waitUntil((async () => {
    const cache = await caches.open("old");
    await cache.put("/offline.html", new Response("You are offline."));
    await skipWaiting();
})()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(
    fetch(event.request).catch(() => caches.match("/offline.html"))
));
"""

REGISTER = """
const [done] = arguments;
navigator.serviceWorker.addEventListener("controllerchange", () => done(true));
navigator.serviceWorker.register("/worker.js", { scope: "/" });
"""

CONTROLLED = "return navigator.serviceWorker.controller !== null"

LEFT = """
const [done] = arguments;
navigator.serviceWorker.getRegistrations().then((all) => done(all.length));
"""


@pytest.fixture(scope="module")
def behind() -> Iterator[tuple[Served, Network]]:
    with serving(DESIGN) as served:
        port = int(served.links[0].split("/")[2].rpartition(":")[2])
        with network(port) as between:
            between.pages["/old.html"] = ("text/html", b"<title>An old site</title>")
            between.pages["/worker.js"] = ("text/javascript", WORKER)
            yield served, between


@pytest.fixture
def page(behind: tuple[Served, Network], fresh: webdriver.Chrome) -> Page:
    """Lend the page of a survey, of which nothing is open, where the worker rules."""
    between = behind[1]
    between.tell_truth()
    fresh.get(f"{between.url}/old.html")
    assert fresh.execute_async_script(REGISTER)
    assert fresh.execute_script(CONTROLLED)
    between.asked.clear()
    return Page(fresh, between.url + at("doping"))


def test_it_is_ended_and_thanks_for_nothing(behind: tuple[Served, Network], page: Page) -> None:
    served, between = behind
    before = served.reports(served.surveys[0])
    page.driver.get(page.link)
    page.wait(lambda: page.screen() == "start")
    assert not page.driver.execute_script(CONTROLLED)
    assert page.driver.execute_async_script(LEFT) == 0
    assert between.count("page") == 2, "it is loaded anew once"
    page.answer(ANSWERS)
    page.driver.execute_script(IMPATIENT)
    between.lie("reset", "reports")
    assert page.send() == "unreachable"
    assert "has arrived" not in page.text()
    between.tell_truth()
    page.wait(lambda: page.outcome() == "stored")
    assert len(served.reports(served.surveys[0])) == len(before) + 1


def test_under_one_that_stays_nothing_is_asked(behind: tuple[Served, Network], page: Page) -> None:
    between = behind[1]
    stays = "ServiceWorkerRegistration.prototype.unregister = async () => false;"
    run_before_every_page(page.driver, stays)
    page.driver.get(page.link)
    page.wait(lambda: page.screen() == "refused")
    assert "Another program in this browser controls this page." in page.text()
    assert not page.all("main input")
    assert between.count("page") == 2
    assert between.count("reports") == 0
