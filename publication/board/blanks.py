"""The blanks of the ethics packet: facts that no survey file contains, from the researchers.

They are stored under `packet` in the survey file, and like the plan never sent to respondents.
"""

from dataclasses import dataclass
from typing import Final

from deniable.survey_file import packet_of
from deniable.survey_file.located import parse
from deniable.text.languages import in_english as say


@dataclass(frozen=True)
class Blank:
    """A blank. `key`: in the survey file. `section`: of the packet. `hint`: what belongs there."""

    key: str
    label: str
    section: str
    hint: str = ""


STUDY: Final = "The study"
PROTECTION: Final = "Data protection"
MANAGEMENT: Final = "Data management plan"
REGISTERED: Final = "Preregistration"

BLANKS: Final = (
    Blank("people", say("Who is asked"), STUDY, "How people are found, and who is left out"),
    Blank("consent", say("How people consent"), STUDY, "Where the survey file asks for none"),
    Blank("server", say("Where the server stands"), STUDY, "Country, building, who runs it"),
    Blank("readers", say("Who can read the store"), STUDY, "Names or roles"),
    Blank("kept", say("Reports are kept until"), STUDY, "Where the survey file names no day"),
    Blank("backups", say("Backups are kept until"), STUDY),
    Blank("controller", say("Who is responsible for the data"), PROTECTION, "Name and address"),
    Blank("officer", say("Data-protection officer"), PROTECTION),
    Blank(
        "basis",
        say("Which legal basis the researchers rely on"),
        PROTECTION,
        "Also for sensitive data",
    ),
    Blank(
        "rights", say("How people can use their rights"), PROTECTION, "See below what can be found"
    ),
    Blank("assessment", say("Impact assessment"), PROTECTION, "Made when and by whom, or why none"),
    Blank("receivers", say("Who else gets data, and in which country"), PROTECTION),
    Blank("responsible", say("Who looks after the data"), MANAGEMENT),
    Blank("storage", say("Where files lie while the study runs"), MANAGEMENT),
    Blank("archive", say("Where data are archived, and for how long"), MANAGEMENT),
    Blank("licence", say("Under which licence, and for whom"), MANAGEMENT),
    Blank("costs", say("What this costs, and who pays"), MANAGEMENT),
    Blank("hypotheses", "Hypotheses", REGISTERED, "Each with the comparison that tests it"),
    Blank("exclusions", "Who is excluded, beyond the rules below", REGISTERED),
    Blank("stopping", "When collection stops", REGISTERED),
)


def open_blanks(text: str) -> list[str]:
    """Return the keys of the blanks that neither a survey file's own keys nor `packet` fill."""
    file, typed = parse(text, "survey").value, filled(text)
    told = {"consent": "consent" in file, "kept": "delete_reports" in file}
    return [
        blank.key
        for blank in BLANKS
        if blank.section != REGISTERED and not typed[blank.key] and not told.get(blank.key)
    ]


def filled(text: str) -> dict[str, str]:
    """Return the text of each blank in a survey file, by key; empty if it is not filled in."""
    found = packet_of(text).model_dump()
    return {blank.key: found[blank.key] or "" for blank in BLANKS}
