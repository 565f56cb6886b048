"""Counts of reports: all that the estimates need of the data.

=============  =================================================================================
`tally`        counts of every item's reports
`reports_csv`  noisy reports as a CSV, read strictly and written without a trace of order
`pooling`      reports to several revisions, together where a question is the same
`data_file`    columns of any CSV, and the reports that their cells stand for
`cells`        columns beside the reports: numbers, or the names of groups
`labels`       counts by their labels, or of a column, in the order of a channel's reports
=============  =================================================================================
"""
