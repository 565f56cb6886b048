"""The SQL that both engines share; each statement here works in both.

==============  ===========================================================================
`database`      `Database`, a connection, and `Engine`, the interface of an engine
`addresses`     the existing and deleted surveys, by their addresses
`schedule`      when a survey takes reports, and when it is full
`retention`     deletes reports on their day
`revisions`     writes revisions
`insertion`     writes reports, and decides each one's outcome
`batches`       chooses the held-back reports that the desk sees next
`snapshot`      the reports that the desk may see, their tally, and held reports
`checksums`     a checksum of all reports, to detect damage; recounting a store
`tables`        the tables, the same in both engines
`migration`     from each older version to this one
`table_copies`  copies a whole store between databases
==============  ===========================================================================

An engine adds its own part: how a connection is opened, what its errors mean, how many rows are
written at once, and how the order of arrival is wiped out.
"""
