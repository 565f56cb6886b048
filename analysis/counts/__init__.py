"""Counts of reports, the only data that the estimates need.

=============  =================================================================================
`tally`        counts of every item's reports
`reports_csv`  noisy reports as a CSV, read strictly and written without a trace of order
`pooling`      reports to several revisions, pooled where a question is the same
`data_file`    columns of any CSV, and the reports that their cells stand for
`columns`      columns beside the reports: numbers or names of groups
`labels`       labelled counts, or a column, in the order of a channel's reports
=============  =================================================================================
"""
