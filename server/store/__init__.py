"""What is on disk, and nothing of its order.

The rest of the house knows `Store` and the records, and no engine.

===============  =============================================================================
`store`          `Store`: all parts over an engine, and what is damaged
`part`           what each part is made of
`surveys`        its part about surveys: revisions, state, schedule, waves, deletion
`reports`        its part about reports, and the snapshot that the desk may see
`copies`         its part about copies of a survey, or of all that it holds
`accounts`       its part about the people at the desk: accounts, shares, sessions, links
`drafts`         its part about the surveys that they write
`invitations`    its part about codes for one report each
`meetings`       its part about a class that answers together: meetings, and where they stand
`keys`           the private keys of tokens, in a file beside it
`durable`        writing that a power cut does not undo
`registering`    a survey becomes the current one of its name
`errors`         what can be wrong with one
`records`        what a store tells of what it holds: outcomes, records, the snapshot, copies
`schedule`       when a survey takes reports, how many, and with which word
`retention`      reports go on the day that respondents were told, also from backups
`opening`        from an address to a store: the table of engines
`backups`        a whole store in one file, and back
`upgrading`      a store of an older version becomes one of this version
`catalogue`      surveys by slug and revision, read from a store once
`sql`            the tables, and what parts share of SQL
`sqlite`         a store in one SQLite file
`postgres`       a store in a PostgreSQL database, for several servers at once
===============  =============================================================================

Five adversaries shape it. *A crash*: what was acknowledged is on disk (`Store.insert_batch`). *A
thief of the disk*: there is only noise under random keys, nobody but the owner can read it, and
what is deleted is overwritten. *A reader of the order of arrival*: `Store.erase_order` leaves none.
*A reader of the logs*: no error's message holds what was to be written. *Whoever looks at the desk
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
