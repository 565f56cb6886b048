"""One zip for a paper: all that its readers need to check its numbers, and its authors to write it.

Nothing here estimates anything, or knows a store. It lays out what a survey asked, what came in,
and what the analysis made of it, in the formats of other programs. The same data give the same
bytes.

===============  ===============================================================================
`parcel`         what goes into the zip, and the zip
`material`       a survey with its reports, and the choices: what all the files are made of
`table`          the columns that are published, and the rows that would tell who somebody is
`estimates`      estimates.csv, with the texts of questions and answers
`channels`       channels.csv: how likely each report is, given each truth
`groups`         each group of questions that were randomised as one answer, as one item
`codebook`       codebook.csv: what each column and each code means
`codebook_page`  codebook.html, for people
`names`          names and labels as SPSS and Stata take them, and what these cut
`weighting`      weighted.csv: estimates of the population
`statistical`    labelled files for SPSS and Stata
`parquet`        reports.parquet
`database`       a SQLite file for Datasette, apart from the zip
`methods`        methods.md: sentences for the paper, with the survey's own numbers
`readme`         README.md: what is in the zip, of which reports, and what is left out
`descriptor`     datapackage.json: the tables, for programs
`citation`       CITATION.cff
`ethics`         the pages for an ethics board and a registry, before anybody is asked
`board`          what these pages say: laws in words, blanks, Markdown
`reproduce.R`    the program in the zip that recomputes its estimates
===============  ===============================================================================
"""
