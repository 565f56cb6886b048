"""The projector and the presenter side by side: what is led on the one is seen on the other."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from deniable.classroom.steps import STEPS, step_of
from deniable.client.simulation import draw_ids, make_reports
from deniable.server.desk.editor.starters import ready_questions
from deniable.server.desk.live import session
from deniable.server.desk.live.state import class_of
from deniable.server.store import Store
from deniable.survey_file import read
from tests.browser.checks import axe_problems
from tests.browser.chromium import chromium, open_tab, requests
from tests.browser.desk_stations import a_meeting
from tests.browser.looks import emulate, resize
from tests.browser.page import PATIENCE
from tests.browser.serving import Served, serving
from tests.kit import first_of, url_for
from tests.kit.surveys import EXAMPLES

pytestmark = pytest.mark.promise("meeting-noise")


@dataclass
class Wall:
    """A meeting, and a browser in which the projector's page is open."""

    served: Served
    driver: webdriver.Chrome
    store: Store
    id: str

    def go(self, step: str) -> None:
        """Lead the meeting to a step, and wait until the wall has followed."""
        session.change(self.store, self.id, lambda now: session.go(now, step))
        self.wait(f"return document.body.dataset.step === {json.dumps(step)}")

    def wait(self, script: str) -> None:
        WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.execute_script(script))

    def shown(self) -> dict[str, Any]:
        """Return what should be shown."""
        meeting = self.store.meeting(self.id)
        return step_of(meeting.step).scene(class_of(self.store, meeting))

    def send(self, reports: int) -> None:
        """Send as many reports that all say the second answer."""
        asked = self.store.survey(self.store.meeting(self.id).slug())
        said = np.ones((reports, 1), dtype=np.uint8)
        self.store.insert_reports(make_reports(asked, draw_ids(reports), said))

    def text(self, id: str) -> str:
        return self.driver.find_element(By.ID, id).text


@pytest.fixture(scope="module")
def wall() -> Iterator[Wall]:
    with (
        serving(EXAMPLES / "classroom.yaml") as served,
        chromium() as driver,
        served.opened() as store,
    ):
        meeting = a_meeting(store, "", served.surveys[0], people=28)
        driver.get(served.desk + url_for("projector.page", meeting=meeting.id))
        yield Wall(served, driver, store, meeting.id)


def test_the_projector_follows_each_step(wall: Wall) -> None:
    # The wall of an old projector: not all steps would fit in the usual size of text.
    resize(wall.driver, 1280, 720)
    emulate(wall.driver, {})
    for step in STEPS:
        wall.go(step.slug)
        expected = wall.shown()
        wall.wait(
            f"return document.getElementById('title').textContent === {json.dumps(step.title)}"
        )
        assert wall.text("said").splitlines() == [*expected["said"]]
        assert wall.text("formula") == expected["formula"]
        numbers = wall.driver.execute_script(
            "return [...document.querySelectorAll('#picture [data-row] p')]"
            ".map((one) => one.textContent.replaceAll('\\u00a0', ' ').trim())"
        )
        picture = expected["picture"]
        if picture is not None and picture["kind"] == "rows":
            # Also for who does not see how far an interval reaches.
            said = [
                (row["name"], f"{row['text']} {row['ends']}".strip()) for row in picture["rows"]
            ]
            assert numbers == [text for row in said for text in row]
            values = wall.driver.execute_script(
                "return [...document.querySelectorAll('#picture [data-row]')]"
                ".map(({ dataset }) => Number(dataset.value))"
            )
            assert values == [row["value"] for row in picture["rows"]]
            keys = wall.driver.find_elements(By.CSS_SELECTOR, "#picture .key")
            assert [key.text for key in keys] == [one for one in [picture["outline"]] if one]
        # Those who come late find the square, which covers nothing and lies within its bar.
        full = wall.driver.find_elements(By.CSS_SELECTOR, "[data-full]")
        assert bool(full) == (step.layout == "show")
        least = 70 if full else 140
        assert wall.driver.find_element(By.CSS_SELECTOR, ".square").rect["width"] > least
        assert step.layout == "join" or wall.driver.execute_script(WITHIN_ITS_BAR), step.slug
        assert wall.driver.execute_script(LEAVING) == [], step.slug
        # All of it can be read from the last row, and fits the wall.
        assert wall.driver.execute_script(SMALLEST) >= 24 - 0.05, step.slug
    assert wall.driver.find_element(By.ID, "question").get_attribute("lang") == "en"
    # It works where there is no other network: nothing is asked of anybody else.
    asked = requests(wall.driver)
    assert asked
    assert all(one.url.startswith(f"{wall.served.desk}/") for one in asked)
    assert axe_problems(wall.driver) == []


WITHIN_ITS_BAR = """
const [bar, square] = ["header", ".square"].map((one) =>
  document.querySelector(one).getBoundingClientRect());
return square.top >= bar.top && square.bottom <= bar.bottom && square.right <= bar.right"""
"""Whether the square lies in the bar at the top as a whole."""

SMALLEST = """
const written = [...document.querySelectorAll("header *, main *")].filter((part) =>
  [...part.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim()) &&
  part.getBoundingClientRect().width && !part.closest(".unseen"));
return Math.min(...written.map((part) => parseFloat(getComputedStyle(part).fontSize)
  * (part.ownerSVGElement?.getScreenCTM().a ?? 1)))"""
"""The size of the smallest text, in pixels."""

LEAVING = """
const { innerWidth: width, innerHeight: height } = window;
const { scrollHeight, clientHeight } = document.documentElement;
const square = document.querySelector(".square").getBoundingClientRect();
const leaves = (box) => box.right > width + 1 || box.left < -1 || box.bottom > height + 1;
const covers = (box) => box.right > square.left && box.left < square.right
  && box.bottom > square.top && box.top < square.bottom;
const isOff = (part) => {
  if (part.childElementCount) return leaves(part.getBoundingClientRect());
  // Of a text what is written, and not the room for it.
  const range = document.createRange();
  range.selectNodeContents(part);
  return [...range.getClientRects()].some((box) => box.width && (leaves(box) || covers(box)));
};
const parts = document.querySelectorAll("header *, main *:not(.unseen)");
return [
  ...(scrollHeight > clientHeight ? [`the page is ${scrollHeight} high`] : []),
  ...[...parts].filter(isOff).map((part) => `${part.tagName} ${part.id} ${part.textContent}`),
]"""
"""What does not lie on the wall as a whole, or lies under the square."""


@pytest.mark.slow
@pytest.mark.parametrize(  # each two of the settings meet
    ("ready", "people", "language"),
    [
        ("first-days", 30, "ar"),
        ("first-days", 300, "de"),
        ("first-drink", 30, "de"),
        ("first-drink", 300, "ar"),
    ],
)
def test_nothing_leaves_the_wall(wall: Wall, people: int, ready: str, language: str) -> None:
    survey = read(ready_questions()[ready]).survey
    id = a_meeting(wall.store, "", survey, people).id
    session.change(wall.store, id, lambda now: replace(now, language=language))
    one = Wall(wall.served, wall.driver, wall.store, id)
    one.driver.get(one.served.desk + url_for("projector.page", meeting=id))
    for width, height in ((1920, 1080), (1280, 720)):
        resize(one.driver, width, height)
        for step in STEPS:
            one.go(step.slug)
            check_that_all_is_read_from_the_last_row(one, height)
        close_the_direct_question(one, people)
        check_that_all_is_read_from_the_last_row(one, height)
        # Nothing is pointed at, and then something is: that takes more room.
        session.change(one.store, id, lambda now: now.changed(chosen=-1))
        one.go("point")
        for dot in range(min(people, 12)):
            one.driver.execute_script(f"document.querySelectorAll('.dots .dot')[{dot}].click()")
            assert one.driver.execute_script(LEAVING) == [], (width, dot)
    wall.driver.get(wall.served.desk + url_for("projector.page", meeting=wall.id))


def check_that_all_is_read_from_the_last_row(wall: Wall, height: int) -> None:
    step = wall.store.meeting(wall.id).step
    assert wall.driver.execute_script(LEAVING) == [], (height, step)
    assert step == "waiting" or wall.driver.execute_script(WITHIN_ITS_BAR), (height, step)
    # With hundreds of dots a letter is as large as its dot.
    if step != "point":
        assert wall.driver.execute_script(SMALLEST) * 720 / height >= 24 - 0.05, (height, step)


def close_the_direct_question(wall: Wall, people: int) -> None:
    """Let a third answer Yes, or the first answer, and show the totals."""
    session.change(wall.store, wall.id, lambda now: session.stop(now, stopped=False))
    asked = wall.store.survey(wall.store.meeting(wall.id).slug("direct"))
    if wall.store.count(asked.slug) == 0:
        reports = make_reports(
            asked, draw_ids(people), (np.arange(people)[:, None] % 3 % 2).astype(np.uint8)
        )
        wall.store.insert_reports(reports)
    session.change(wall.store, wall.id, lambda now: session.stop(now, stopped=True))
    wall.wait("return document.querySelector('[data-row=direct-1]') !== null")


def test_a_rehearsal_is_seen_to_be_one(wall: Wall) -> None:
    """At each step, also where the words are long; and the real class begins without it."""
    survey = read(ready_questions()["first-days"]).survey
    id = session.begin_meeting(wall.store, "", survey).id
    session.change(wall.store, id, lambda now: replace(session.rehearse(now), language="de"))
    one = Wall(wall.served, wall.driver, wall.store, id)
    one.driver.get(one.served.desk + url_for("projector.page", meeting=id))
    resize(one.driver, 1280, 720)
    one.wait("return document.querySelectorAll('.dot.came').length === 40")
    for step in ("question", "again", "direct"):
        one.go(step)
        assert one.text("place") == "Probe: 40 simulierte Telefone"
        check_that_all_is_read_from_the_last_row(one, 720)
    one.go("waiting")
    one.wait("return document.getElementById('place').textContent === ''")
    assert one.text("count") == "0"
    wall.driver.get(wall.served.desk + url_for("projector.page", meeting=wall.id))


MOVING = """
const parts = document.getAnimations().filter((one) => !(one instanceof CSSTransition));
return [...new Set(parts.map(({ effect }) => effect.target.className))].sort()"""
"""What moves by itself, and not because its number has changed."""


@pytest.mark.parametrize(
    ("step", "moves"),
    first_of(
        [
            ("question", ["dot person came"]),
            ("unmix", ["chance", "reach"]),
        ]
    ),
)
def test_a_step_moves_where_motion_is_liked(wall: Wall, step: str, moves: list[str]) -> None:
    # A busy machine looks late: what moves does so for minutes.
    wall.driver.execute_cdp_cmd("Animation.enable", {})
    wall.driver.execute_cdp_cmd("Animation.setPlaybackRate", {"playbackRate": 0.01})
    for liked, expected in (("no-preference", moves), ("reduce", [])):
        wall.go("waiting")
        emulate(wall.driver, {"prefers-reduced-motion": liked})
        wall.go(step)
        assert wall.driver.execute_script(MOVING) == expected
        wall.driver.execute_script("document.getAnimations().forEach((one) => one.finish())")
    wall.driver.execute_cdp_cmd("Animation.disable", {})


def test_a_bar_is_as_long_as_its_number(wall: Wall) -> None:
    reach = "document.querySelector('#picture .reach')"
    emulate(wall.driver, {})
    wall.go("unmix")
    emulate(wall.driver, {"prefers-reduced-motion": "no-preference"})
    wall.driver.execute_script(
        f"window.bar = {reach}; window.before = {reach}.closest('[data-value]').dataset.value"
    )
    wall.send(9)
    wall.wait(f"return {reach}.closest('[data-value]').dataset.value !== window.before")
    # The same bar, on its way.
    assert wall.driver.execute_script(f"return window.bar === {reach}")
    moving = wall.driver.execute_script(f"return getComputedStyle({reach}).transitionDuration")
    assert moving.startswith("1.2s")
    emulate(wall.driver, {"prefers-reduced-motion": "reduce"})
    still = wall.driver.execute_script(f"return getComputedStyle({reach}).transitionDuration")
    assert still == "0s"
    wall.wait("return document.getAnimations().length === 0")
    bar, lane = (
        wall.driver.find_element(By.CSS_SELECTOR, f"#picture .{part}").rect
        for part in ("reach", "lane")
    )
    picture = wall.shown()["picture"]
    value, low, high = picture["rows"][0]["value"], picture["low"], picture["high"]
    assert bar["width"] / lane["width"] == pytest.approx(abs(value) / (high - low), abs=0.01)


@pytest.mark.slow
@pytest.mark.promise("projector")
def test_keyboard_and_presenter_point_at_a_dot(wall: Wall) -> None:
    wall.go("point")
    picture = wall.shown()["picture"]
    drawn = "document.querySelectorAll('#picture .dots .dot').length"
    wall.wait(f"return {drawn} === {len(picture['reports'])}")
    pressed = (
        "[...document.querySelectorAll('.dots .dot')]"
        ".findIndex((dot) => dot.ariaPressed === 'true')"
    )
    assert wall.driver.execute_script(f"return {pressed}") == 3
    wall.driver.execute_script("document.querySelectorAll('.dots .dot')[3].focus()")
    focused = wall.driver.switch_to.active_element
    focused.send_keys(Keys.TAB)
    wall.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert wall.driver.execute_script(f"return {pressed}") == 4
    said = wall.driver.find_element(By.CSS_SELECTOR, ".teller .said").text
    assert said == picture["told"][picture["reports"][4]]["said"]
    # The presenter points at another one, on their own page.
    projector = wall.driver.current_window_handle
    open_tab(wall.driver)  # of the same device
    wall.served.enter_desk(wall.driver)
    wall.driver.get(wall.served.desk + url_for("live.page", meeting=wall.id))
    wall.wait(f"return {drawn} === {len(picture['reports'])}")
    assert "50 % becomes 75 %" in wall.driver.find_element(By.CSS_SELECTOR, ".notes").text
    wall.driver.find_elements(By.CSS_SELECTOR, ".dots .dot")[20].click()
    WebDriverWait(wall.driver, PATIENCE).until(
        lambda _: wall.store.meeting(wall.id).playing.chosen == 20
    )
    # On goes the meeting: the presenter's own page follows what its form did.
    wall.driver.find_element(By.CSS_SELECTOR, "form[data-do=next] button").click()
    wall.wait("return document.querySelector('main').dataset.at?.includes('sure')")
    # The button has the focus again, for whoever goes on by keyboard.
    wall.wait("return document.activeElement.closest('form')?.dataset.do === 'next'")
    # Its notes tell of reports that come meanwhile.
    session.change(wall.store, wall.id, lambda now: session.go(now, "people"))
    wall.wait("return document.querySelector('main')?.dataset.at?.includes('people')")
    wall.send(9)
    now = f"this class of {len(picture['reports']) + 9}"
    wall.wait(f"return document.querySelector('.notes')?.textContent.includes('{now}')")
    session.change(wall.store, wall.id, lambda now: session.go(now, "sure"))
    a_clicker_leads(wall, projector)


def a_clicker_leads(wall: Wall, projector: str) -> None:
    """Press a clicker's keys on the presenter's page, on the projector's, and on a stranger's."""
    presenter = wall.driver.current_window_handle

    def press(driver: webdriver.Chrome, key: str) -> None:
        driver.execute_script("document.activeElement.blur()")
        driver.find_element(By.TAG_NAME, "body").send_keys(key)

    def is_at(step: str) -> None:
        wall.driver.switch_to.window(presenter)
        wall.wait(f"return document.querySelector('main')?.dataset.at?.includes(' {step} ')")

    is_at("sure")
    press(wall.driver, Keys.PAGE_UP)
    is_at("point")
    press(wall.driver, Keys.ARROW_RIGHT)
    is_at("sure")
    # Whoever has the link of the projector leads nothing.
    with chromium() as stranger:
        stranger.get(wall.served.desk + url_for("projector.page", meeting=wall.id))
        WebDriverWait(stranger, PATIENCE).until(
            lambda _: stranger.find_elements(By.CSS_SELECTOR, "body[data-step=sure]")
        )
        press(stranger, Keys.PAGE_DOWN)
    wall.driver.switch_to.window(projector)
    wall.wait("return document.body.dataset.step === 'sure'")
    press(wall.driver, Keys.PAGE_DOWN)
    is_at("again")
    assert wall.store.meeting(wall.id).step == "again"
    wall.driver.close()
    wall.driver.switch_to.window(projector)
    wall.go("sure")


def test_the_small_wall_stays_beside_the_notes(wall: Wall) -> None:
    """What is drawn for the wall is small on the presenter's page, and covers nothing of it."""
    wall.served.enter_desk(wall.driver)
    emulate(wall.driver, {"prefers-reduced-motion": "reduce"})
    resize(wall.driver, 1280, 900)
    wall.driver.get(wall.served.desk + url_for("live.page", meeting=wall.id))
    for step in ("question", "coins", "people", "point", "again"):
        session.change(wall.store, wall.id, lambda now, to=step: session.go(now, to))  # type: ignore[misc]
        wall.wait(f"return document.body.dataset.step === {json.dumps(step)}")
        assert wall.driver.execute_script(OUTSIDE) == [], step
        largest = wall.driver.execute_script(LARGEST)
        assert 0 < largest <= {"coins": 110}.get(step, 60), step
        assert wall.driver.execute_script(ASKED) == [True, step == "question"], step
    # While people join, the wall does not show the question, and so nor does this.
    session.change(wall.store, wall.id, lambda now: session.go(now, "waiting"))
    wall.wait("return document.body.dataset.step === 'waiting'")
    assert wall.driver.execute_script(ASKED) == [False, False]


ASKED = """
return ["question", "answers"].map((id) => document.getElementById(id).checkVisibility())"""
"""Whether the question is seen, and its answers."""


LARGEST = """
const sizes = [...document.querySelectorAll(".stage .dot")].flatMap((dot) =>
  [dot.getBoundingClientRect().width, parseFloat(getComputedStyle(dot, "::after").fontSize)]);
return Math.max(...sizes, document.querySelector(".stage .reach") ? 1 : 0)"""
"""The width of the largest dot of the small wall, or of its tick; 1 if there are bars alone."""

OUTSIDE = """
const stage = document.querySelector(".stage").getBoundingClientRect();
return [...document.querySelectorAll(".stage *:not(.unseen)")].filter((part) => {
  const { left, right, top, bottom, width } = part.getBoundingClientRect();
  return width && (left < stage.left - 1 || right > stage.right + 1 || top < stage.top - 1
    || bottom > stage.bottom + 1);
}).map((part) => `${part.tagName} ${part.className}`)"""
"""What of the small wall lies outside of it."""


def test_an_ended_meeting_says_so_and_keeps_nothing(wall: Wall) -> None:
    """The last test: nothing is left for another one."""
    wall.driver.get(wall.served.desk + url_for("projector.page", meeting=wall.id))
    wall.store.remove_meeting(wall.id)
    wall.wait("return !document.getElementById('over').hidden")
    assert wall.driver.find_element(By.TAG_NAME, "body").text == "This meeting is over"
