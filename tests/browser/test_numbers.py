"""A number is a slider and a typed field that never disagree, and nothing until somebody chose."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.browser.page import Page

SLIDER, TYPED = "#drinks-slider", "#drinks-0"


def values(page: Page) -> tuple[str, str, str]:
    """Return what the slider says, what is typed, and what the page says of both."""
    return (
        page.one(SLIDER).get_dom_attribute("aria-valuetext"),
        str(page.one(TYPED).get_property("value")),
        page.text("#drinks-state"),
    )


UNANSWERED = ("not answered", "", "Not answered yet")


def answered(text: str) -> tuple[str, str, str]:
    return (text, text, f"Your answer: {text}")


def test_an_untouched_slider_is_no_answer_and_looks_it(kinds: Page) -> None:
    assert values(kinds) == UNANSWERED
    faded = kinds.one(SLIDER).value_of_css_property("opacity")
    assert float(faded) < 1
    kinds.proceed()
    assert "drinks" in kinds.unanswered()
    assert kinds.text("#drinks .error")


def test_the_slider_moves_what_is_typed(kinds: Page) -> None:
    kinds.one(SLIDER).send_keys(Keys.ARROW_RIGHT)
    assert values(kinds) == answered("4")
    kinds.one(SLIDER).send_keys(Keys.END)
    assert values(kinds) == answered("7")
    assert float(kinds.one(SLIDER).value_of_css_property("opacity")) == 1
    slider = kinds.one(SLIDER)
    ActionChains(kinds.driver).move_to_element_with_offset(
        slider, -slider.size["width"] // 2 + 3, 0
    ).click().perform()
    assert values(kinds) == answered("0")


def test_pressing_the_slider_where_it_stands_chooses_but_its_label_does_not(kinds: Page) -> None:
    kinds.click("label[for=drinks-slider]")
    assert values(kinds) == UNANSWERED
    # Of the values 0 to 7 it stands at 3, at three sevenths of its way.
    slider = kinds.one(SLIDER)
    ActionChains(kinds.driver).move_to_element_with_offset(
        slider, round(-(slider.size["width"] - 16) / 14), 0
    ).click().perform()
    assert values(kinds) == answered("3")


def test_what_is_typed_moves_the_slider(kinds: Page) -> None:
    kinds.one(TYPED).send_keys("6")
    assert values(kinds) == answered("6")
    assert kinds.one(SLIDER).get_property("value") == "6"
    kinds.one(TYPED).send_keys(Keys.BACKSPACE)
    assert values(kinds) == UNANSWERED


@pytest.mark.parametrize("typed", ["8", "-1", "2.5", "1e9"])
def test_a_number_that_cannot_be_is_told_at_once(kinds: Page, typed: str) -> None:
    kinds.one(TYPED).send_keys(typed)
    assert values(kinds) == (UNANSWERED[0], typed, UNANSWERED[2])
    button = kinds.one("button[type=submit]")
    place = button.location
    kinds.one(TYPED).send_keys(Keys.TAB)
    assert kinds.one("#drinks-state").get_dom_attribute("class") == "error"
    assert kinds.one(TYPED).get_dom_attribute("aria-invalid") == "true"
    assert button.location == place, "a press that has begun must still meet the button"
    kinds.one(SLIDER).send_keys(Keys.HOME)
    assert values(kinds) == answered("0")
    assert kinds.one(TYPED).get_dom_attribute("aria-invalid") == "false"


def test_words_are_no_number(kinds: Page) -> None:
    kinds.one(TYPED).send_keys("four", Keys.TAB)
    assert kinds.one("#drinks-state").get_dom_attribute("class") == "error"


def test_moving_the_slider_and_declining_exclude_each_other(kinds: Page) -> None:
    kinds.answer(["drinks-decline-0"])
    kinds.one(SLIDER).send_keys(Keys.ARROW_LEFT)
    assert values(kinds) == answered("2")
    assert not kinds.one("#drinks-decline-0").is_selected()
    kinds.answer(["drinks-decline-0"])
    assert values(kinds) == UNANSWERED


def test_both_are_labelled_and_described(kinds: Page) -> None:
    assert kinds.one(SLIDER).accessible_name == "Move the slider"
    assert kinds.one(TYPED).accessible_name == "or type a number from 0 to 7"
    for selector in (SLIDER, TYPED):
        assert kinds.one(selector).get_dom_attribute("name") is None
        assert kinds.one(selector).get_dom_attribute("autocomplete") == "off"
