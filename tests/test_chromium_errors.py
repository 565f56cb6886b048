"""What the tests call chromedriver's errors."""

from __future__ import annotations

import json

import pytest
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException

from tests.browser.chromium import Errors


def test_an_element_of_a_page_that_is_left_is_stale() -> None:
    # As chromedriver 156 answered, once in some ten thousand looks.
    message = "unhandled inspector error: Node with given id does not belong to the document"

    def check(message: str) -> None:
        value = json.dumps({"value": {"error": "unknown error", "message": message}})
        Errors().check_response({"status": 500, "value": value})

    with pytest.raises(StaleElementReferenceException):
        check(message)
    with pytest.raises(WebDriverException) as other:
        check("something else")
    assert not isinstance(other.value, StaleElementReferenceException)
