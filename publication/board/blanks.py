"""The blanks of the packet: what no survey file follows from, and the researchers fill in.

They are kept under `packet` in the survey file, as the plan is: no respondent gets them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from deniable.survey_file import packet_of
from deniable.survey_file.located import parse


@dataclass(frozen=True)
class Blank:
    """One of them. `key`: in the file. `section`: of the packet. `hint`: what belongs there."""

    key: str
    label: str
    section: str
    hint: str = ""


STUDY: Final = "The study"
PROTECTION: Final = "Data protection"
MANAGEMENT: Final = "Data management plan"
REGISTERED: Final = "Preregistration"

BLANKS: Final = (
    Blank("people", "Who is asked", STUDY, "How people are found, and who is left out"),
    Blank("consent", "How people consent", STUDY, "Where the survey file asks for none"),
    Blank("server", "Where the server stands", STUDY, "Country, building, who runs it"),
    Blank("readers", "Who can read the store", STUDY, "Names or roles"),
    Blank("kept", "Reports are kept until", STUDY, "Where the survey file names no day"),
    Blank("backups", "Backups are kept until", STUDY),
    Blank("controller", "Who is responsible for the data", PROTECTION, "Name and address"),
    Blank("officer", "Data-protection officer", PROTECTION),
    Blank(
        "basis", "Which legal basis the researchers rely on", PROTECTION, "Also for sensitive data"
    ),
    Blank("rights", "How people can use their rights", PROTECTION, "See below what can be found"),
    Blank("assessment", "Impact assessment", PROTECTION, "Made when and by whom, or why none"),
    Blank("receivers", "Who else gets data, and in which country", PROTECTION),
    Blank("responsible", "Who looks after the data", MANAGEMENT),
    Blank("storage", "Where files lie while the study runs", MANAGEMENT),
    Blank("archive", "Where data are archived, and for how long", MANAGEMENT),
    Blank("licence", "Under which licence, and for whom", MANAGEMENT),
    Blank("costs", "What this costs, and who pays", MANAGEMENT),
    Blank("hypotheses", "Hypotheses", REGISTERED, "Each with the comparison that tests it"),
    Blank("exclusions", "Who is excluded, beyond the rules below", REGISTERED),
    Blank("stopping", "When collection stops", REGISTERED),
)


def open_blanks(text: str) -> list[str]:
    """Name the blanks of the packet that neither a survey file's own keys nor `packet` fill."""
    file, typed = parse(text, "survey").value, filled(text)
    told = {"consent": "consent" in file, "kept": "delete_reports" in file}
    return [
        blank.key
        for blank in BLANKS
        if blank.section != REGISTERED and not typed[blank.key] and not told.get(blank.key)
    ]


def filled(text: str) -> dict[str, str]:
    """Return what a survey file says of the blanks; empty for those that it leaves open."""
    found = packet_of(text).model_dump()
    return {blank.key: found[blank.key] or "" for blank in BLANKS}
