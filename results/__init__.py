"""Writers of findings: as text, on a page, in a file, as a data frame, as a figure.

Findings are of `deniable.analysis.findings`; a `Table` has typed columns; each form has one writer.

====================  ===========================================================================
`estimate`            an estimate as a row of a table and as the cells of a file; its marks
`table`               a table with typed columns, and how each kind of number is written
`meanings`            what each column of a table means, in a sentence
`result`              a result: its tables and sentences, its rows, and its figure
`text`                the writer for a terminal, a pipe or a file
`html`                the writer for a page or a notebook
`files`               the writers of rows as CSV and JSON
`rows`                the estimates of a survey in rows
`source`              the data that responses come from, and their design
`shares`              the tables of shares and means, their notes, and the remarks of a page
`item`                the result of one item, of all respondents or of groups
`changes`             the results of waves, and of the changes between them
`joint`               the result of two items together
`associations`        correlations, and ratios of groups
`regression`          the result of a regression
`plan`                the result of a plan
`numbers`             numbers as tables print them
`headlines`           the first estimates of a question
`figures`             the writers of figures
====================  ===========================================================================
"""
