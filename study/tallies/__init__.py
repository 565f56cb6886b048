"""Tallies that travel: of a survey's reports, in a complete file; and the reports as Parquet.

A tally is all that nearly every estimate needs of the reports, and its size does not depend on how
many there are. Reports that are too many for one machine leave as Parquet, for an engine to count.

==========  =====================================================================================
`full`      `FullTally`: how often each report, and each pair of reports, came
`file`      the tally file: written, and read strictly
`parquet`   reports as partitioned Parquet, written in bounded memory
==========  =====================================================================================
"""
