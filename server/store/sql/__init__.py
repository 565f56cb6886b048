"""What engines that speak SQL have in common; each statement here is one that all of them take.

=============  ===========================================================================
`database`     `Database`, a connection, and `Engine`: all that an engine says by itself
`addresses`    which surveys there are and were, by their addresses
`schedule`     when a survey takes reports, and when it is full
`retention`    reports that go on their day
`revisions`    a revision into its table
`insertion`    reports into their tables, and what becomes of each
`batches`      how many pending reports the desk sees at once, and which
`snapshot`     what the desk may see of them, its tally, and what is pending
`checksums`    a number over all reports, by which damage is noticed; a store counted anew
`tables`       the tables, the same in both engines
`migration`    from each older version to this one
`moving`       a whole store out of one database and into another
=============  ===========================================================================

An engine adds what only it can say: how a connection is opened, what its errors mean, how many rows
are written at once, and how the order of arrival is wiped out.
"""
