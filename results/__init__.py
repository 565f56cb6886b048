"""Findings, and how they are shown: as text, on a page, in a file, as a data frame, as a figure.

====================  ===========================================================================
`result`              a result: its tables and sentences, its rows, and its figure
`rows`                the estimates of a survey in rows
`files`               the formats in which rows are kept
`share_table`         the table of shares and means
`wave_table`          the tables of waves, and of the changes between them
`change_words`        a change as pages and tables say it
`numbers`             numbers as tables print them
`text`                tables and texts as a terminal, a pipe or a file shows them
`headlines`           the first estimates of a question
`figures`             the figure of a question
`coefficient_figure`  the figure of a regression
`trend_figure`        the figure of a question over waves
`watermark`           the mark across figures of made-up data
====================  ===========================================================================
"""
