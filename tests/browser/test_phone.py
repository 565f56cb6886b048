"""A respondent's phone in a meeting: the question first, the report kept, the coins forgotten."""

import math
from collections.abc import Iterator
from urllib.parse import urljoin

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from deniable.classroom.steps import step_of
from deniable.client.simulation import draw_ids, make_reports
from deniable.server.desk.editor.starters import ready_questions
from deniable.server.desk.live import session
from deniable.server.desk.live.state import class_of, show_on_phones
from deniable.server.store import Store
from tests.browser.checks import axe_problems
from tests.browser.chromium import read_in
from tests.browser.looks import Look, show_on
from tests.browser.page import forget
from tests.browser.phones import HEIGHT, PHONE, Phone, phone_in
from tests.browser.serving import Served, serving
from tests.kit import at

pytestmark = pytest.mark.promise("phone")


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[Served, Store]]:
    with serving(ready_questions()["last-digit"]) as served, served.opened() as store:
        yield served, store


PLACES = """
if (!document.querySelector("main:has(.question h2):has(button[type=submit]):has(.explained)"))
  return [];
const at = (one) => document.querySelector(one).getBoundingClientRect();
// What is explained is folded, and all there.
const folded = [...document.querySelectorAll(".explained > :is(section, details)")];
return [at(".question h2").top, at("button[type=submit] ~ .without").bottom,
  document.documentElement.scrollWidth, at(".explained").top,
  folded.length > 0 && !document.querySelector(".panel").checkVisibility(),
  at(".languages").bottom];
"""


def places(phone: Phone) -> list[float]:
    """Return where the question is once it is drawn, in one look: it is drawn anew meanwhile."""
    found: list[float] = []

    def look() -> list[float]:
        found[:] = phone.driver.execute_script(PLACES)
        return found

    phone.page.wait(look)
    return found


def test_the_page_for_the_code_keeps_the_language(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page, spoken = phone.page, "return document.documentElement.lang + document.title"
        read_in(phone.driver, "it,de-AT,en")
        phone.driver.get(urljoin(page.link, "/join"))
        assert phone.driver.execute_script(spoken) == "deMit Ihrer Klasse teilnehmen"
        page.click(".languages summary")
        page.click(".languages [lang=fr]")
        page.one("[name=code]").send_keys(phone.meeting.code, Keys.ENTER)
        page.wait(lambda: page.is_there(".question h2"))
        assert phone.driver.execute_script(spoken).startswith("fr")


@pytest.mark.slow
def test_question_and_button_stand_on_one_screen(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        for asked in ("question", "bars", "direct"):
            phone.go(asked)
            slug = phone.store.meeting(phone.meeting.id).asked
            # The shortest title, the longest words and the one from right to left; of the guess
            # there is most to show.
            for language in ("de",) if asked == "direct" else ("en", "de", "ar"):
                phone.open(at(slug), language)
                top, bottom, width, explained, is_folded, chooser = places(phone)
                assert chooser <= top < 100, (asked, language)
                assert bottom <= HEIGHT, (asked, language)
                assert bottom <= explained
                assert width <= PHONE.width
                assert is_folded


@pytest.mark.slow
def test_chance_is_on_the_screen_and_nowhere_else(room: tuple[Served, Store]) -> None:
    """Two phones send the same, one by chance and one since it is true: all else is alike."""
    # The first two bits make the coins: tails and heads, and heads and tails.
    decided, counted = (
        told_by_a_phone(room, word=0b11 << 30 | 5, truth=0, coins="10"),
        told_by_a_phone(room, word=0b10 << 30 | 5, truth=1, coins="01"),
    )
    assert decided == counted


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_a_phone_goes_through_the_steps_of_its_own(
    room: tuple[Served, Store], stopped: bool
) -> None:
    """The coins stay below each step, as no other page knows them."""
    with phone_in(room, 0b11 << 30 | 5) as phone:
        page, store, id = phone.page, phone.store, phone.meeting.id
        phone.open(at(store.meeting(id).asked))
        phone.answer("last_digit-1")
        assert "Thank you" in page.text("main")
        session.change(store, id, lambda now: session.stop(now, stopped=stopped))
        thrown = ["1/2", "1/4", "1/4"]
        for step, bars, ways, ticks in (("coins", 2, thrown, 0), ("sent", 0, [], 1)):
            phone.go(step)
            there = class_of(store, store.meeting(id))
            show_on_phones(store, store.meeting(id), there)
            title = step_of(step).title
            page.wait(lambda: title in page.text("main"))  # noqa: B023
            assert len(page.all(".wall .noisy")) == bars
            assert page.texts("p.coins strong") == ways
            assert [one.accessible_name for one in page.all("p.coins svg")] == (
                ["heads", "tails", "heads", "tails", "tails"] if ways else []
            )
            assert not page.all(".dots")
            assert page.text("main").count("✓") == ticks
            assert "Thank you" not in page.text("main")
            assert page.text("main").index(title) < page.text("main").index("Your phone sent")
            assert page.is_there(".secret [data-coins]")


def told_by_a_phone(room: tuple[Served, Store], word: int, truth: int, coins: str) -> list[str]:
    """Go through a meeting; return what was kept and sent at each place of it."""
    with phone_in(room, word) as phone:
        page, told = phone.page, []
        asked = phone.store.meeting(phone.meeting.id).asked
        phone.open(at(asked))
        phone.answer(f"last_digit-{truth}")
        page.click("details.secret summary")
        told.append(phone.told())
        names = [["heads", "tails"][int(side)] for side in coins]

        def coins_are_shown() -> None:
            assert page.is_there(f".secret[open] [data-coins='{coins}']")
            assert [one.accessible_name for one in page.all(".secret figure .coin")] == names
            assert page.texts(".secret figcaption") == names
            alone = "all" if coins.startswith("1") else "none"
            assert page.is_there(f".secret [data-chance={alone}]")
            assert page.is_there(".fell[data-sent='1']")

        coins_are_shown()
        assert not truth or axe_problems(phone.driver) == []
        # All reports are removed: the page sends it again, and knows the coins still.
        session.ask_again(phone.store, phone.meeting.id, anew=False)
        page.wait(lambda: "same report again" in phone.says("[data-outcome=stored] h2"))
        page.click("details.secret summary")
        coins_are_shown()
        assert not page.is_there(".else")
        told.append(phone.told())

        # Through the belief question and back; the page that tossed the coins is left.
        phone.guess()
        assert phone.kept() == "Mixed with chance, your phone sent: “Yes”"
        told.append(phone.told())
        phone.go("unmix")
        page.wait(lambda: page.screen() == "answered")
        assert "“Yes”" in phone.kept()
        told.append(phone.told())

        # Asked directly, and after that on the page on which phones wait.
        phone.go("direct")
        phone.answer("last_digit-0")
        assert "“Yes”" in phone.kept()
        told.append(phone.told())
        session.change(phone.store, phone.meeting.id, lambda now: session.stop(now, stopped=True))
        phone.driver.refresh()
        page.wait(lambda: page.screen() == "waiting")
        assert "“Yes”" in phone.kept()
        told.append(phone.told())
        forget(phone.driver, page.link)
    return told


TOLD = "details.told > [data-revealed]"
"""What a report tells of its sender, behind the question whether it does."""


@pytest.mark.slow
@pytest.mark.parametrize("stopped", [False, True])
def test_a_phone_shows_the_wall_in_small(room: tuple[Served, Store], stopped: bool) -> None:
    with phone_in(room) as phone:
        page, store, id = phone.page, phone.store, phone.meeting.id
        phone.open(at(store.meeting(id).asked))
        phone.answer("last_digit-1")
        session.change(store, id, lambda now: session.stop(now, stopped=stopped))
        phone.guess()
        # At once, with what was guessed.
        there = class_of(store, store.meeting(id))
        show_on_phones(store, store.meeting(id), there)
        page.wait(lambda: len(page.all(".wall .noisy")) == 2)
        assert phone.says("[data-outcome] h2") == "You guessed 9\N{NO-BREAK SPACE}%"
        for step in ("unmix", "people"):
            phone.go(step)
            there = class_of(store, store.meeting(id))
            show_on_phones(store, store.meeting(id), there)
            scene = step_of(step).scene(there)
            page.wait(lambda: phone.says("h2") == scene["title"])  # noqa: B023
            found = phone.says("h2 + p strong").replace("\N{NO-BREAK SPACE}", " ")
            assert found == scene["formula"]
            rows = scene["picture"]["rows"]
            assert page.texts(".bar-name strong") == [row["text"] for row in rows]
            first = phone.driver.execute_script(
                "return document.querySelector(arguments[0]).width.baseVal.value",
                f".wall .{rows[0]['tone']}",
            )
            axis = scene["picture"]["high"] - scene["picture"]["low"]
            assert first == pytest.approx(abs(rows[0]["value"]) * 300 / axis, abs=1)
            # Of people each is a dot, and the last is cut where it is not a whole one.
            drawn = [math.ceil(abs(row["value"]) * scene["picture"]["people"]) for row in rows]
            assert len(page.all(".wall svg circle")) == sum(drawn)
            assert phone.kept()
            # Whether somebody could know the answer is thought of first, and told by a tap.
            if step == "unmix":
                assert page.texts(TOLD) == [""]
                page.click("details.told summary")
            # It stays open while the wall goes on.
            page.wait(lambda: "sure at most" in page.texts(TOLD)[0])


@pytest.mark.promise("runs")
def test_another_run_asks_only_who_agrees(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page = phone.page
        phone.open(at(phone.store.meeting(phone.meeting.id).asked))
        phone.answer("last_digit-1")
        assert "75\N{NO-BREAK SPACE}% sure at most" in phone.says("[data-revealed]")
        for agree in ("yes", "no"):
            session.ask_again(phone.store, phone.meeting.id, anew=True)
            phone.go("question")
            page.wait(lambda: page.is_there("[data-agree]"))
            page.click(f"[data-agree={agree}]")
            if agree == "yes":
                phone.answer("last_digit-1")
                # Twice odds of 3.
                assert "90\N{NO-BREAK SPACE}% sure at most" in phone.says("[data-revealed]")
        page.wait(lambda: page.screen() == "answered")
        assert phone.store.count(phone.store.meeting(phone.meeting.id).asked) == 0


def test_a_direct_answer_is_said_to_be_open_above_send(room: tuple[Served, Store]) -> None:
    """Nothing has to be opened for it, also on the smallest phone of today."""
    with phone_in(room) as phone:
        show_on(phone.driver, Look(360, "light"), 640)
        phone.go("direct")
        session.change(phone.store, phone.meeting.id, lambda now: now.changed(stopped=True))
        phone.open(at(phone.store.meeting(phone.meeting.id).slug("direct")))
        phone.page.wait(lambda: phone.page.is_there("button[type=submit] ~ .without"))
        said, top, bottom = phone.driver.execute_script(ABOVE_SEND)
        assert said.startswith("This answer is sent as you give it: who runs the server can read")
        assert 0 < top < bottom <= 640


ABOVE_SEND = """
const send = document.querySelector("button[type=submit]");
const said = send.previousElementSibling;
return [said.matches("p:not(.hint)") && said.checkVisibility() ? said.innerText : "",
  said.getBoundingClientRect().top, send.getBoundingClientRect().bottom]"""
"""What is said above the button that sends."""


def test_a_newcomer_is_asked_the_question_first(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page, store, id = phone.page, phone.store, phone.meeting.id
        for left_out in (False, True):
            phone.go("bars")
            phone.open(f"/join/{phone.meeting.code}")
            page.wait(lambda: page.is_there("#last_digit-0"))
            if left_out:
                page.click(".without")
            else:
                page.answer(["last_digit-0"])
                page.proceed()
            # Then they guess, as the others do.
            page.wait(lambda: page.is_there("#guess-0"))
            assert store.count(store.meeting(id).slug()) == 1
            forget(phone.driver, page.link)
        # Who comes when answers are stopped only guesses.
        session.change(store, id, lambda now: session.stop(now, stopped=True))
        phone.open(f"/join/{phone.meeting.code}")
        page.wait(lambda: page.is_there("#guess-0"))


def test_a_guess_goes_along_to_another_language(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page = phone.page
        session.change(phone.store, phone.meeting.id, lambda now: session.stop(now, stopped=True))
        phone.go("bars")
        phone.open(f"/join/{phone.meeting.code}")
        page.wait(lambda: page.is_there("#guess-0"))
        page.one("#guess-0").send_keys("42")
        page.click(".languages summary")
        page.click(".languages [lang=de]")
        page.wait(lambda: phone.says("#guess-state").endswith(": 42"))
        assert page.one("#guess-0").get_property("value") == "42"
        assert page.one("[type=range]").get_property("value") == "42"
        assert not page.is_there(".nowhere")
        assert page.text("form button[type=submit]") == "Senden"
        page.proceed()
        assert page.outcome() == "stored"


def test_a_guess_is_left_out_by_a_button(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page, id = phone.page, phone.meeting.id
        session.change(phone.store, id, lambda now: session.stop(now, stopped=True))
        phone.go("bars")
        phone.open(f"/join/{phone.meeting.code}")
        page.wait(lambda: page.is_there(".number .nowhere"))
        page.proceed()
        assert "press “Leave it out”" in phone.says(".panel.warning")
        assert "leave this page" not in page.text("main")
        # A tap on 0, where the slider stands before, is a guess as well.
        page.click("[type=range]")
        assert phone.says("#guess-state") == "Your answer: 0"
        assert not page.is_there(".nowhere")
        page.click(".without")
        assert page.screen() == "answered"
        assert phone.store.count(phone.store.meeting(id).slug("prior")) == 0
        # It is answered after all, as long as it is open.
        page.wait(lambda: "Answer after all" in page.text("main"))
        page.click("main .quiet")
        page.wait(lambda: page.is_there(".number .nowhere"))
        page.click(".without")
        now = phone.store.meeting(id)
        show_on_phones(phone.store, now, class_of(phone.store, now))
        page.wait(lambda: phone.says("h2") == "What we received")
        phone.go("people")
        page.wait(lambda: page.screen() == "answered")
        page.wait(lambda: "Answer after all" not in page.text("main"))


@pytest.mark.slow
def test_guesses_are_stacked_and_ones_own_marked(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page, store, id = phone.page, phone.store, phone.meeting.id
        phone.open(at(store.meeting(id).asked))
        phone.answer("last_digit-1")
        phone.guess()
        asked = store.survey(store.meeting(id).slug("prior"))
        others = np.array([[0], [100], *[[9]] * 8], dtype=np.uint8)
        store.insert_reports(make_reports(asked, draw_ids(len(others)), others))
        phone.go("unmix")
        show_on_phones(store, store.meeting(id), class_of(store, store.meeting(id)))
        page.wait(lambda: page.is_there(".wall .guess"))
        wall, *dots = phone.driver.execute_script(BOXES)
        assert len(dots) == 11
        assert len({(round(x), round(y)) for x, y, *_ in dots}) == 11
        # The first and the last are not cut.
        for left, top, right, bottom in dots:
            assert wall[0] <= left < right <= wall[2]
            assert wall[1] <= top < bottom <= wall[3]
        # Each can be seen on a phone, and one's own is the largest.
        *small, own = sorted(right - left for left, _, right, _ in dots)
        assert min(small) >= 8
        assert own > 1.4 * max(small)
        assert len(page.all(".guess.found")) == 1
        assert "The large dot is your guess." in page.text("main")


BOXES = """
return [...document.querySelectorAll(".wall, .wall .guess")].map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [left, top, right, bottom];
})"""


@pytest.mark.slow
def test_after_the_meeting_a_phone_shows_its_reports(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        phone.open(at(phone.store.meeting(phone.meeting.id).asked))
        phone.answer("last_digit-1")
        assert "Leave this page open" in phone.says("[data-outcome=stored]")
        # What would end taking part stands behind a tap.
        assert not any(one.is_displayed() for one in phone.page.all(".clear, .forget, .known"))
        phone.guess()
        # A guess of the class is no answer of one's own.
        assert "as you gave them" not in phone.says("[data-revealed]")
        phone.go("unmix")
        phone.page.wait(lambda: phone.page.screen() == "answered")
        phone.go("direct")
        phone.answer("last_digit-0")
        revealed = phone.says("[data-revealed]")
        assert "Chance no longer protects your answer" in revealed
        assert "The server gets 1 of your answers" in revealed
        assert phone.kept()
        phone.store.remove_meeting(phone.meeting.id)
        over = "This meeting is overYou can close this page now."
        phone.page.wait(lambda: phone.says("[data-outcome=stored]") == over)
        phone.page.wait(lambda: phone.page.is_there(".fell[data-sent]"))
        assert "The server gets" not in phone.says("[data-revealed]")


@pytest.mark.slow
def test_a_phone_outlasts_the_server_s_absence(room: tuple[Served, Store]) -> None:
    with phone_in(room) as phone:
        page = phone.page
        phone.open(f"/join/{phone.meeting.code}")
        page.wait(lambda: page.is_there("#last_digit-0"))
        page.answer(["last_digit-0"])
        # Gone, and not the network: no browser says when a server is back.
        phone.driver.execute_script(
            "window.real = fetch; window.fetch = () => Promise.reject(new TypeError())"
        )
        page.proceed()
        assert page.outcome() == "unreachable"
        page.wait(lambda: page.is_there(".lost"))
        assert "goes on by itself" in phone.says(".lost[role=status]")
        phone.driver.execute_script("window.fetch = real")
        # The pause of a report that waits is a minute.
        page.wait(lambda: page.is_there("[data-outcome=stored]"))
        page.wait(lambda: not page.is_there(".lost"))
        # Who waits goes on, too.
        phone.driver.execute_script("window.fetch = () => Promise.reject(new TypeError())")
        page.wait(lambda: page.is_there(".lost"))
        phone.go("bars")
        phone.driver.execute_script("window.fetch = real")
        page.wait(lambda: page.is_there("#guess-0"))
