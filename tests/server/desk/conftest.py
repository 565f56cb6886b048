"""Somebody who is signed in at the desk."""

import pytest

from deniable.server.desk.auth.login_links import new_link
from deniable.server.store import Store
from tests.server.calling import Caller
from tests.server.desk.test_pages import Browser


@pytest.fixture
def researcher(store: Store, desk: Caller) -> Browser:
    """Open a browser and sign in."""
    browser = Browser(desk)
    browser.sign_in(new_link(store, "http://localhost"))
    return browser
