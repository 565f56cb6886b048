"""Every page that a researcher, a lecturer or a reader of results can come to, in one list.

A further page is a line of `pages`.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from click.testing import CliRunner
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from deniable.classroom.steps import STEPS
from deniable.cli.main import commands
from deniable.client.population import read_population
from deniable.client.randomness import seeded_words
from deniable.client.simulation import draw_ids, make_reports, simulate
from deniable.server.desk.live import session
from deniable.server.store import Draft, Store, open_store
from deniable.server.store.accounts import Role
from deniable.server.store.meetings import Meeting
from deniable.survey import Survey
from tests.browser.chromium import chromium
from tests.browser.looks import Look
from tests.browser.page import follow
from tests.browser.serving import Served, serving
from tests.kit import url_for
from tests.kit.surveys import EXAMPLES

DESK_LOOKS = tuple(Look(width, scheme) for scheme in ("light", "dark") for width in (375, 1280))

_RATES = "--rate error.yes=12% --rate signed.yes=35% --rate ward.surgery=60% --rate years.few=40%"

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@dataclass
class Desk:
    """The desk, in a browser that has signed in."""

    served: Served
    driver: webdriver.Chrome

    def get(self, path: str) -> None:
        self.driver.get(self.served.desk + path)

    def await_step(self, step: str) -> None:
        """Wait until a page of a meeting shows a step."""
        WebDriverWait(self.driver, 20).until(
            lambda driver: driver.find_elements(By.CSS_SELECTOR, f"body[data-step={step}] #said p")
        )


@contextmanager
def desks() -> Iterator[Desk]:
    """Serve surveys that have reports, with colleagues, and sign in."""
    ward, season = EXAMPLES / "ward.yaml", EXAMPLES / "season.yaml"
    with ExitStack() as stack:
        begun = season.read_text().replace("survey: season", "survey: begun")
        served = stack.enter_context(serving(ward, season, begun))
        driver = stack.enter_context(chromium())
        store = f"sqlite:///{served.store}"
        for file, rates in ((ward, _RATES), (season, "--rate painkillers.yes=25%")):
            command = f"simulate {file} -n 500 --seed 1 --add --store {store} {rates}"
            result = CliRunner().invoke(commands, command.split())
            assert result.exit_code == 0, result.output
        served.enter_desk(driver)
        with closing(open_store(store)) as opened:
            for survey, file in zip(served.surveys, (ward, season), strict=False):
                opened.register(survey, file.read_text())
            # Whoever came by the printed link is the first account now.
            opened.add_user("ada", Role.ADMINISTRATOR)
            opened.add_user("ana.analyst@example.org", Role.ANALYST)
            opened.share("ward", "ana.analyst@example.org", Role.ANALYST)
            opened.set_public("ward", public=True)
        yield Desk(served, driver)


def pages(desk: Desk) -> Iterator[str]:
    """Go to each page, and yield its name there."""
    for name, path in _addresses().items():
        desk.get(path)
        yield name
    desk.get(url_for("results.page", slug="ward"))
    desk.driver.execute_script(OPEN_ALL)
    yield "results, opened"
    desk.get(url_for("editor.drafts"))
    follow(desk.driver, "#write button")
    yield "the editor"
    follow(desk.driver, "#find")
    yield "the plan, with better ways"
    desk.driver.back()
    follow(desk.driver, "#publish")
    yield "publishing"
    yield from _correction(desk)
    desk.get(url_for("preview.page", slug="ward"))
    yield "before a trial"
    follow(desk.driver, "form[action$='/trial'] button")
    yield "a trial"
    desk.get(url_for("results.page", slug="trial.ward"))
    yield "results of a trial"
    yield from _meeting(desk)


def _correction(desk: Desk) -> Iterator[str]:
    """Go through a draft that corrects a survey's words, and brings it another language."""
    text = (EXAMPLES / "ward.yaml").read_text()
    changed = text.replace("title: On the ward", "title: { en: On wards, de: Auf Station }")
    changed = changed.replace("version: 1", "version: 1\nlanguages: [en, de]")
    with desk.served.opened() as store:
        store.keep_draft(Draft("c0", changed, "ada", "ward"))
    desk.get(url_for("editor.page", draft="c0"))
    desk.driver.find_element(By.ID, "tab-languages").click()
    yield "the languages"
    for name, endpoint in _OF_DRAFT.items():
        desk.get(path := url_for(endpoint, draft="c0"))
        assert desk.driver.current_url.endswith(path), "the draft has mistakes"
        yield name


_OF_DRAFT = {
    "the plan of a draft": "editor.plan",
    "the ethics packet of a draft": "editor.ethics",
    "the preregistration of a draft": "editor.preregistration",
    "a correction": "publishing.page",
}


def _meeting(desk: Desk) -> Iterator[str]:
    """Go through a meeting: each step on the projector, and some at the presenter's."""
    with desk.served.opened() as store:
        meeting = a_meeting(store, "ada", desk.served.surveys[0], people=28)
        page = url_for("live.page", meeting=meeting.id)
        desk.get(url_for("live.meetings"))
        yield "meetings"
        for step in STEPS:
            session.change(store, meeting.id, partial(session.go, step=step.slug))
            if step.phone == "guess":
                guess(store, meeting, range(20, 44, 2))
            desk.get(url_for("projector.page", meeting=meeting.id))
            desk.await_step(step.slug)
            yield f"the projector: {step.slug}"
            if step.slug in _PRESENTED:
                desk.get(page)
                desk.await_step(step.slug)
                desk.driver.execute_script(OPEN_ALL)
                yield f"the presenter: {step.slug}"


def a_meeting(store: Store, owner: str, survey: Survey, people: int) -> Meeting:
    """Begin a meeting whose first question some made-up people have answered."""
    meeting = session.begin_meeting(store, owner, survey)
    meeting = session.change(store, meeting.id, lambda now: session.go(now, "question"))
    asked = store.survey(meeting.slug())
    for one in simulate(read_population(asked, ()), people, seeded_words(1)):
        store.insert_reports(make_reports(asked, draw_ids(len(one.answers)), one.answers))
    return session.change(store, meeting.id, lambda now: now.changed(chosen=3))


def guess(store: Store, meeting: Meeting, guesses: Sequence[int]) -> None:
    """Let made-up people guess a share, in percent."""
    asked = store.survey(meeting.slug("prior"))
    answers = np.array(guesses, dtype=np.uint8)[:, None]
    store.insert_reports(make_reports(asked, draw_ids(len(guesses)), answers))


_PRESENTED = ("waiting", "point", "sure", "direct")
"""Steps at which the presenter has forms of their own, and the first one."""


def _addresses() -> dict[str, str]:
    """Return the path of each page that is there from the first, by its name."""
    from deniable.lab.pages import PAGES  # noqa: PLC0415  each process of the tests reads this file

    of_ward = partial(url_for, "analyses.page", slug="ward")
    return {
        "signing in": url_for("auth.password_page"),
        "a link to sign in": url_for("auth.sign_in_page", token="any"),
        "the surveys": url_for("surveys.index"),
        "results": url_for("results.page", slug="ward"),
        "results in waves": url_for("results.page", slug="season"),
        "status": url_for("status.page", slug="ward"),
        "collection": url_for("collection.page", slug="ward"),
        "invitations": url_for("invitations.page", slug="ward"),
        "the plan": url_for("planner.page", slug="ward"),
        "the ethics packet": url_for("planner.ethics", slug="ward"),
        "the preregistration": url_for("planner.preregistration", slug="ward"),
        "status in waves": url_for("status.page", slug="season"),
        "collection in waves": url_for("collection.page", slug="season"),
        "groups": of_ward(kind="compare", item="error", by="ward"),
        "two questions": of_ward(kind="cross", first="error", second="signed"),
        "a correlation": of_ward(kind="correlate", first="error", second="ward"),
        "ratios": of_ward(kind="ratios", item="error", by="ward"),
        "a regression": of_ward(kind="regress", formula="error ~ ward"),
        "weights": url_for("margins.page", slug="ward"),
        "for a paper": url_for("export.page", slug="ward", direct="ward"),
        "the next wave": url_for("surveys.wave_page", slug="begun"),
        "sharing": url_for("sharing.page", slug="ward"),
        "deleting": url_for("surveys.delete_page", slug="ward"),
        "drafts": url_for("editor.drafts"),
        "accounts": url_for("people.page"),
        "one's own account": url_for("account.page"),
        "results for everybody": "/public/ward",
        "the manual": "/desk/help",
        "a search of the manual": "/desk/help/search?q=mean_only",
        "the lab": "/lab",
        **{f"lab: {page}": f"/lab/{page}" for page in PAGES},
    }
