"""The tables of a store, the same in both engines.

No column is about a respondent: no address, no browser, no time and no sequence. A test has the
list of columns, so that no column is added by accident. No column may be NULL.
"""

import re
from collections.abc import Mapping
from typing import Final

VERSION: Final = 1
"""Version of the tables that this program reads and writes."""

TABLES: Final = """
-- The current revision of each survey, what its owner set, and how its collection goes. Of one that
-- was deleted its address is kept as the slug, and no revision.
CREATE TABLE surveys (
    slug {name} PRIMARY KEY,
    revision {text},
    state {text},
    wave {integer} DEFAULT 1,
    -- When it takes reports, how many, and with which word; 0 and '' if not set. All that is said
    -- of a report by this is said of every report to the survey.
    opens {long} DEFAULT 0,
    closes {long} DEFAULT 0,
    cap {long} DEFAULT 0,
    pin {text} DEFAULT '',
    -- The check number of the current wording, by which servers notice a correction.
    check_number {text} DEFAULT '',
    -- Whether everybody may see its results.
    public {integer} DEFAULT 0,
    -- The direct columns that left in files and tables, in the finest groups of them, as
    -- `deniable.survey.grouped` writes them, and below how many people answers were hidden then.
    columns_left {text} DEFAULT '',
    hidden_below {integer} DEFAULT 0,
    -- How many reports that the desk sees came without an invitation.
    without_code {integer} DEFAULT 0,
    -- The day of the server's last look, by which a jump of the clock is noticed: of each day on
    -- which it runs, whether or not a report came. Since which day a date waits for a person,
    -- because only a jump made it come. And the day on which the reports went.
    seen {name} DEFAULT '',
    doubted {name} DEFAULT '',
    deleted {name} DEFAULT '',
    -- What it is, and of which survey or meeting.
    kind {name} DEFAULT 'survey',
    parent {name} DEFAULT ''
) {unnumbered};
-- Every revision that was ever served, so that a page opened before a change loses nothing.
CREATE TABLE revisions (
    number {number},
    revision {text} UNIQUE,
    survey {name},
    document {text},
    -- How many waves it has.
    waves {integer} DEFAULT 1,
    -- By how many reports at once the desk sees more of it.
    batch {integer} DEFAULT 10,
    -- The survey file that it was made from, empty if it is not known.
    source {text} DEFAULT '',
    -- By which keys its tokens are signed, one a wave; empty if it has none.
    token_keys {text} DEFAULT '',
    -- The day on which the reports to it go, as its document says.
    deletes {name} DEFAULT ''
) {numbered};
-- The reports that the desk sees, and those that it does not see yet. Random bytes drawn by the
-- device are the key, and no report says in which batch it came. `answers` holds `Report.row`; its
-- last byte is the wave, from 0, where there are waves: a column would cost a byte everywhere.
CREATE TABLE reports (
    revision {integer}, id {bytes}, answers {bytes}, PRIMARY KEY (revision, id)
) {sliced};
CREATE TABLE held (
    revision {integer}, id {bytes}, answers {bytes}, PRIMARY KEY (revision, id)
) {unnumbered};
-- How often each item (its place in a report) of a revision had each report, in each wave.
CREATE TABLE tallies (
    revision {integer}, wave {integer}, place {integer}, report {integer}, count {long},
    PRIMARY KEY (revision, wave, place, report)
) {unnumbered};
-- By which damage is noticed: a sum over all reports to a revision, shown or held back, in whatever
-- order they came, and a sum over its tallies.
CREATE TABLE checksums (
    revision {integer} PRIMARY KEY, reports {long} DEFAULT 0, tallies {long} DEFAULT 0
) {unnumbered};
-- Of each code for one report its hash. Nothing here leads to a report.
CREATE TABLE invitations (
    survey {name}, code_hash {bytes}, PRIMARY KEY (survey, code_hash)
) {unnumbered};
-- Which codes were spent, and a hash of what was signed for it, which was blinded.
CREATE TABLE issued (
    survey {name}, wave {integer}, code_hash {bytes}, asked {bytes},
    PRIMARY KEY (survey, wave, code_hash)
) {unnumbered};
-- Classes that answer together, for a day at most, and how many phones have joined.
CREATE TABLE meetings (
    id {name} PRIMARY KEY, code {name}, owner {name}, ends {long}, state {text},
    joined {long} DEFAULT 0, shown {text} DEFAULT 'null'
) {unnumbered};
-- The people at the desk. Passwords, links and tokens are hashes, so a stolen store opens no desk.
CREATE TABLE users (name {name} PRIMARY KEY, role {text}, password {text}) {unnumbered};
CREATE TABLE shares (
    survey {name}, "user" {name}, role {text}, PRIMARY KEY (survey, "user")
) {unnumbered};
CREATE TABLE sessions (
    token_hash {bytes} PRIMARY KEY, "user" {name}, device {text}, since {long}, ends {long}
) {unnumbered};
CREATE TABLE sign_ins (
    token_hash {bytes} PRIMARY KEY, expires {long}, "user" {name} DEFAULT ''
) {unnumbered};
CREATE TABLE tokens (
    token_hash {bytes} PRIMARY KEY, "user" {name}, name {name}, scope {text}, since {long},
    ends {long}
) {unnumbered};
-- The survey files that people write, under random ids, and when each was last saved.
CREATE TABLE drafts (
    id {name} PRIMARY KEY, owner {name}, survey {name}, text {text}, saved {long}
) {unnumbered}
"""
"""`name` is a text that is compared or sorted, `long` a number of 64 bits; rows of an `unnumbered`
table have no number, which would show their order."""

CHANGES: Final[Mapping[int, tuple[tuple[str, str], ...]]] = {}
"""For each version, the statements that bring a store of the version before to it. Both engines run
them; each comes with a statement that undoes it, since a backup of an older store keeps its
version. Types are named as in `TABLES`."""


NAMES: Final = re.findall(r"CREATE TABLE (\w+)", TABLES)
"""Names of all tables, without an engine's own."""


def statements(types: Mapping[str, str]) -> list[str]:
    """Return the statements that make the tables, with an engine's own names of types."""
    return TABLES.format_map(types).split(";\n")
