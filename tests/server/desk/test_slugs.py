"""A survey's name meets no page of either program: each can be managed, whatever its name."""

import pytest
from werkzeug.routing import Map

from deniable.server.desk.app import create_desk_app
from deniable.server.respondent.app import create_respondents_app
from deniable.server.store import Store
from deniable.survey_file import read
from tests.cli.conftest import DOPING
from tests.kit import RESPONDENTS, Browser, first_of


def maps(store: Store) -> list[Map]:
    apps = create_desk_app(store, RESPONDENTS), create_respondents_app(store)
    return [app.url_map for app in apps]


def test_fixed_parts_of_addresses_may_be_slugs(store: Store) -> None:
    for addresses in maps(store):
        rules = [*addresses.iter_rules()]
        fixed = {
            part for rule in rules for part in rule.rule.split("/") if part and "<" not in part
        }
        adapter = addresses.bind("localhost")
        for rule in rules:
            if "slug" not in rule.arguments:
                continue
            for slug in sorted(fixed):
                fitting = {"slug": slug, "document": "ethics", "kind": "cross"}
                values = {name: fitting.get(name, "7") for name in rule.arguments}
                (method, *_) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
                path = adapter.build(rule.endpoint, values, method)
                endpoint, found = adapter.match(path, method)
                assert (endpoint, found["slug"]) == (rule.endpoint, slug)


@pytest.mark.parametrize(
    "slug", first_of(["projector", "sign-in", "surveys", "trial-of-doping", "meeting-abc-1-1"])
)
def test_such_a_survey_can_be_managed(researcher: Browser, store: Store, slug: str) -> None:
    file = read(DOPING.replace("survey: doping", f"survey: {slug}"))
    store.register(file.survey, file.text)
    pages = [
        rule.endpoint
        for rule in maps(store)[0].iter_rules()
        if rule.rule.startswith("/desk/")
        and {"slug"} <= rule.arguments <= {"slug", "kind"}
        and "GET" in (rule.methods or ())
        and rule.endpoint != "surveys.wave_page"  # of a survey in waves
    ]
    assert len(pages) > 15
    for endpoint in pages:
        answer = researcher.see(endpoint, slug=slug, kind="cross")
        assert (endpoint, answer.status) == (endpoint, 200)
    assert researcher.send("surveys.set_state", slug=slug, state="closed").status == 303
    assert store.state(slug) == "closed"
    assert researcher.send("surveys.delete", slug=slug, typed=slug).status == 303
    assert slug not in [record.survey.slug for record in store.surveys()]
