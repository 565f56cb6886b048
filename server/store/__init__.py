"""The store: all that is on disk, without its order of arrival.

Other packages use `Store` and the records, and no engine.

===============  =============================================================================
`store`          `Store`: all parts over an engine, and the check for damage
`part`           the base of each part
`surveys`        the part for surveys: revisions, state, schedule, waves, deletion
`reports`        the part for reports, and the snapshot that the desk may see
`copies`         the part for copies of a survey, or of the whole store
`accounts`       the part for people at the desk: accounts, shares, sessions, links
`drafts`         the part for the surveys that they write
`invitations`    the part for invitation codes
`meetings`       the part for meetings of classes
`keys`           the private keys of tokens, in a file beside the store
`durable`        writes that survive a power cut
`registering`    makes a survey the current one of its name
`errors`         the errors of a store
`records`        what a store returns: outcomes, records, the snapshot, copies
`schedule`       when a survey takes reports, how many, and with which access word
`retention`      deletes reports on the promised day, also from backups
`opening`        from an address to a store: the table of engines
`backups`        a whole store in one file, and back
`upgrading`      brings a store of an older version to this version
`catalogue`      which revision and wording of each survey is current, in a cache
`sql`            the tables, and the SQL that parts share
`sqlite`         a store in one SQLite file
`postgres`       a store in a PostgreSQL database, for several servers at once
===============  =============================================================================

Five adversaries shape it. *A crash*: every acknowledged report is on disk (`Store.insert_reports`).
*A thief of the disk*: the store holds only noise under random keys, only its owner can read the
files, and deleted rows are overwritten. *A reader of the order of arrival*: `Store.erase_order`
leaves none. *A reader of the logs*: no error's message holds data. *A reader of the desk who looks
again and again*: `Store.snapshot` grows by whole batches.
"""

from deniable.server.store.drafts import Draft
from deniable.server.store.errors import (
    StoreError,
    StoreNotFound,
    StoreOutdated,
    StoreUnavailable,
    SurveyChanged,
)
from deniable.server.store.opening import files_of, open_store, store_url, temporary_store
from deniable.server.store.records import Outcome, Snapshot, SurveyCopy, SurveyRecord
from deniable.server.store.schedule import State
from deniable.server.store.sql.batches import moving
from deniable.server.store.store import Store

__all__ = [
    "Draft",
    "Outcome",
    "Snapshot",
    "State",
    "Store",
    "StoreError",
    "StoreNotFound",
    "StoreOutdated",
    "StoreUnavailable",
    "SurveyChanged",
    "SurveyCopy",
    "SurveyRecord",
    "files_of",
    "moving",
    "open_store",
    "store_url",
    "temporary_store",
]
