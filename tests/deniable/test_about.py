"""What a survey says of itself: who asks, whom to call, and when it is deleted."""

import pytest

from deniable import Survey
from tests.deniable.test_survey_file import SINGLE, logo, mistakes, survey_of
from tests.kit.surveys import file_of

pytestmark = pytest.mark.promise("clear-errors")

ABOUT = """\
organisation: A university
contact: {text: Ask Ada, link: mailto:ada@example.org}
minutes: 4
purpose: >-
  How many,
  not who.
help: A friend
consent: >-
  I am of age.

  I may stop.
results: https://example.org/results
delete_reports: 2028-01-31
logo: LOGO
colour: "#12545c"
panel: https://panel.example.org/done
""".replace("LOGO", logo(1000, 1))


def test_what_a_survey_says_survives_json() -> None:
    survey = survey_of(SINGLE, head=f"epsilon: 1\n{ABOUT}")
    assert survey.document["about"] == {
        "organisation": "A university",
        "contact": "Ask Ada",
        "contact_link": "mailto:ada@example.org",
        "minutes": 4,
        "purpose": "How many, not who.",
        "help": "A friend",
        "consent": "I am of age.\nI may stop.",
        "results": "https://example.org/results",
        "delete_reports": "2028-01-31",
        "panel": "https://panel.example.org/done",
        "logo": logo(1000, 1),
        "colour": "#12545c",
    }
    assert Survey.from_json(survey.to_json()) == survey
    bare = ABOUT.replace("mailto:", "")
    assert survey_of(SINGLE, head=f"epsilon: 1\n{bare}") == survey
    assert "about" not in survey_of(SINGLE, head="epsilon: 1").document


@pytest.mark.parametrize(
    ("written", "link"),
    [
        ("0800 111 0 111", "tel:08001110111"),
        ("+49 (0)30 / 23125-0", "tel:+4930231250"),
        ("(030) 23125", "tel:03023125"),
    ],
)
def test_a_telephone_number_is_a_link(written: str, link: str) -> None:
    head = f"epsilon: 1\nhelp: {{text: Talk, link: {written!r}}}"
    assert survey_of(SINGLE, head=head).about.help_link == link


@pytest.mark.parametrize(
    "lie",
    [
        {"contact_link": "javascript:alert(1)"},
        {"contact_link": "https://example.org/\njavascript:alert(1)"},
        {"help": "", "help_link": "tel:1"},
        {"help_link": "TEL:1"},
        {"minutes": 0},
        {"purpose": "Two\nlines"},
        {"cookies": "none"},
        {"delete_reports": "2028-02-30"},
        {"logo": "data:image/svg+xml;base64,PHN2Zy8+"},
        {"logo": "data:image/png;base64,AAAA"},
        {"colour": "red"},
        {"panel": "http://panel.example.org/"},
        {"panel": "https://panel.example.org/?id=7"},
    ],
)
def test_no_document_says_what_no_file_can(lie: dict[str, object]) -> None:
    document = survey_of(SINGLE, head=f"epsilon: 1\n{ABOUT}").document
    with pytest.raises(ValueError, match=r"expected|does not agree"):
        Survey.from_document({**document, "about": {**document["about"], **lie}})


def test_results_may_have_an_address_each_language() -> None:
    head = "languages: [en, de]\nepsilon: 1\nresults: {en: 'https://a.org/en', de: 'http://a.org'}"
    found = [one[2] for one in mistakes(file_of(SINGLE, head=head))]
    assert sum("expected a sentence, or an address" in one for one in found) == 1
