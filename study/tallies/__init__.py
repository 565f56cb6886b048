"""Tallies that travel: of a survey's reports, from any engine, in a complete file.

A tally is all that nearly every estimate needs of the reports, and its size does not depend on how
many there are. So where reports are too many for one machine, the engine that holds them counts,
and only the tally moves.

==========  =====================================================================================
`full`      `FullTally`: how often each report, and each pair of reports, came
`file`      the tally file: written, and read strictly
`written`   what a tally file holds, for pydantic
`parquet`   reports as partitioned Parquet: written in bounded memory, and read back as a plan
`engines`   DuckDB and Spark, and the tally of the cells that they count
==========  =====================================================================================
"""
