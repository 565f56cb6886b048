"""*Paper* lists before the download what the zip holds, and what it lacks."""

import io
import re
import zipfile

import pytest

from deniable.server.store import Store
from deniable.survey import Survey
from tests.kit import Browser, report


@pytest.fixture
def full(store: Store, survey: Survey) -> None:
    store.insert_reports([report(survey) for _ in range(30)])


@pytest.mark.usefixtures("full")
def test_the_page_lists_the_files_of_the_zip(researcher: Browser) -> None:
    page = researcher.see("export.page").text
    (listed,) = re.findall(r'<details class="fold" id="files">.*?</details>', page, re.DOTALL)
    names = {*re.findall(r"<dt><code>(.*?)</code></dt>", listed)}
    zip_file = researcher.see("export.download").body
    with zipfile.ZipFile(io.BytesIO(zip_file)) as archive:
        there = {name.partition("/")[2] for name in archive.namelist()}
    assert names == {re.sub("/.*", "/", name) for name in there}
    lacking = {*re.findall(r"Not in it: (reports\.\w+): ", page)}
    assert lacking == {"reports.parquet"} - there
