"""The real server for a real browser, and what its store holds."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from deniable.server.store import Store, open_store
from deniable.survey import Survey
from deniable.survey_file import read
from tests.kit import lent, url_for


@dataclass
class Served:
    """A server that runs."""

    store: Path
    surveys: list[Survey]
    links: tuple[str, ...]
    sign_in: str

    def enter_desk(self, driver: webdriver.Chrome) -> None:
        """Open the sign-in link, and press the button on its page."""
        driver.get(self.sign_in)
        driver.find_element(By.CSS_SELECTOR, "main button").click()
        WebDriverWait(driver, 20).until(
            lambda _: driver.current_url == self.desk + url_for("surveys.index")
        )

    @property
    def desk(self) -> str:
        """The desk's origin."""
        return self.sign_in.split(url_for("auth.redeem", token=""))[0]

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """Open the store beside the server."""
        with closing(open_store(f"sqlite:///{self.store}")) as store:
            yield store

    @contextmanager
    def revised(self, survey: Survey) -> Iterator[Store]:
        """Put a revision of the first survey in its place until the block ends."""
        with self.opened() as store:
            store.register(survey)
            try:
                yield store
            finally:
                store.register(self.surveys[0])

    def reports(self, survey: Survey) -> dict[str, str]:
        """Return what is stored, also held back: answers by id, both as hex digits."""
        query = (
            "select hex(id), hex(answers) from "
            "(select * from reports union all select * from held) where revision = "
            "(select number from revisions where revision = ?)"
        )
        with closing(sqlite3.connect(self.store)) as db:
            rows = db.execute(query, [survey.revision]).fetchall()
        return {id.lower(): answers.lower() for id, answers in rows}


@contextmanager
def serving(*files: Path | str) -> Iterator[Served]:
    """Serve survey files, or their texts, to whoever has an address, until the block ends."""
    texts = [file if isinstance(file, str) else file.read_text() for file in files]
    surveys = [read(text).survey for text in texts]
    with lent(surveys) as (server, store):
        yield Served(store, surveys, server.links, server.sign_in)
