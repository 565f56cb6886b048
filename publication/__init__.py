"""One zip for a paper: what its readers need to check its numbers, and its authors to write it.

Nothing here estimates anything, or knows a store. It lays out a survey's questions, its reports
and its estimates in the formats of other programs. The same data give the same bytes.

===============  ===============================================================================
`parcel`         the zip, and the files in it
`material`       a survey with its reports, and the choices: the source of every file
`table`          the published columns, and the rows that could identify a respondent
`estimates`      estimates.csv, with the texts of questions and answers
`channels`       channels.csv: how likely each report is, given each truth
`groups`         each group of questions that were randomised as one answer, as one item
`codebook`       codebook.csv: the meaning of each column and each code
`codebook_page`  codebook.html, for people
`names`          names and labels within the limits of SPSS and Stata
`weighting`      weighted.csv: estimates of the population
`statistical`    labelled files for SPSS and Stata
`parquet`        reports.parquet
`database`       a SQLite file for Datasette, not in the zip
`methods`        methods.md: sentences for the paper, with the survey's own numbers
`readme`         README.md: the files of the zip, their reports, and what is left out
`descriptor`     datapackage.json: the tables, for programs
`citation`       CITATION.cff
`ethics`         the pages for an ethics board and a registry, before collection
`board`          parts of these pages: probabilities in words, blanks, Markdown
`reproduce.R`    the program in the zip that recomputes its estimates
===============  ===============================================================================
"""
