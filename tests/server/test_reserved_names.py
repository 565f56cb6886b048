"""No survey has the name of a page: each can be managed, whatever its name."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from werkzeug.routing import Map, Rule

from deniable.server.desk.app import create_desk_app
from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import Store
from deniable.survey_file import SurveyFileError, read
from deniable.survey_file.rules import RESERVED
from tests import surveys
from tests.cli.conftest import DOPING
from tests.server.calling import RESPONDENTS

_NAME = re.compile("[a-z0-9][a-z0-9-]{0,63}")


def taken(rules: Iterable[Rule]) -> set[str]:
    """Return the names that stand where other addresses have a survey's."""
    addresses = [str(rule).split("/") for rule in rules]
    before = {tuple(parts[: parts.index("<slug>")]) for parts in addresses if "<slug>" in parts}
    found = {
        parts[len(start)]
        for parts in addresses
        for start in before
        if len(parts) > len(start) and tuple(parts[: len(start)]) == start
    }
    return {name for name in found if _NAME.fullmatch(name)}


def test_the_names_are_those_of_the_pages(store: Store) -> None:
    """A page that is added at such an address joins the list, or this fails."""
    desk, respondents = create_desk_app(store, RESPONDENTS), create_respondents_app(store)
    assert taken([*desk.url_map.iter_rules(), *respondents.url_map.iter_rules()]) == RESERVED


def test_a_page_that_is_added_is_seen() -> None:
    rules = [Rule("/desk/<slug>"), Rule("/desk/new/<id>"), Rule("/desk/a.css"), Rule("/other/x")]
    assert taken(Map(rules).iter_rules()) == {"new"}


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_such_a_name_is_a_mistake(name: str) -> None:
    with pytest.raises(SurveyFileError) as error:
        read(DOPING.replace("survey: doping", f"survey: {name}"))
    (mistake,) = error.value.mistakes
    assert mistake.message == (
        f"expected another name than {name!r}: the desk has a page of its own at this address"
    )
    assert DOPING.splitlines()[mistake.line - 1] == "survey: doping"
    assert read(DOPING.replace("survey: doping", f"survey: {name}-1")).survey.slug == f"{name}-1"


def test_a_survey_that_a_store_holds_under_such_a_name_still_opens(store: Store) -> None:
    store.register(surveys.survey(slug="static"))
    assert store.survey("static").slug == "static"
