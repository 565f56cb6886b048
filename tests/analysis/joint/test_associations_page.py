"""What ``docs/coverage.md`` says of ratios and correlations."""

import re

from benchmarks.coverage import associations
from deniable import designs
from tests.analysis.coverage_page import section

SECTION = section("Ratios and correlations")


def test_the_section_has_every_row() -> None:
    ratios = re.findall(r"^\| (\S+) \| (\d+, \d+) \| ", SECTION, re.M)
    assert ratios == [
        (epsilon, f"{m}, {n}")
        for epsilon in ("–", *associations.EPSILONS)
        for m, n in associations.GROUPS
    ]
    correlations = re.findall(r"^\| ([a-zA-Z ]+) \| (\S+) \| 0", SECTION, re.M)
    assert correlations == list(associations.items())


def test_what_is_shown_by_default_holds() -> None:
    for line in re.findall(r"^\| \S+ \| \d+, \d+ \| (.*) \|$", SECTION, re.M):
        of_ratio, _, of_odds, _ = (float(one.split(" ")[0]) for one in line.split(" | "))
        assert min(of_ratio, of_odds) >= 0.95
    for line in re.findall(r"^\| [a-zA-Z ]+ \| \S+ \| (0.*) \|$", SECTION, re.M):
        assert min(float(one.split(" ")[0]) for one in line.split(" | ")) >= 0.94


def test_ratios_are_enumerated_again() -> None:
    channel, sizes = designs.warner(epsilon=1), associations.GROUPS[0]
    cells = [
        "{:.3f} ({:.2f})".format(*associations.ratios(channel, sizes, "auto", odds=odds))
        for odds in (False, True)
    ]
    (line,) = re.findall(r"^\| 1 \| 15, 15 \| (.*) \|$", SECTION, re.M)
    assert line.split(" | ")[::2] == cells
