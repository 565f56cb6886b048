"""The command line: wires the rooms together; nothing imports it.

====================  ===========================================================================
`main`                the command `deniable` and its subcommands
`check`, `schema`     before anybody is asked: is the survey file right
`audit`, `verify`     before anybody is asked: is the program in the browser
`serve`, `simulate`   people answer, real ones or made-up ones
`sheet`, `enter`      people answer on paper
`estimate`, `export`  what is learned
`analyse`             what is learned from responses that were collected elsewhere
`analyse_shares`      of that: shares, means and comparisons of groups
`analyse_regression`  of that: regressions
`analysed`            of that: what is read and written, in every form
`sign_in`, `state`    looking after a server: links, opening and closing
`options`             options that several commands share
`estimate_options`    those of the commands that estimate: intervals, formats, figures
`survey_files`        survey files named on the command line
`links`               links of surveys that are served somewhere
`stores`              a store and a survey in it, as named on the command line
`output`              files written whole or not at all, tables that can be piped
`printed`             numbers as a table of results prints them
`share_table`         the table of shares and means
`wave_table`          the table of changes from wave to wave
`auditing`            an audit from its first tape to its verdict
`destinations`        where made-up reports go
`sending`             reports by HTTP, from several threads
`failures`, `help`    what errors say, exit codes, the end of every help
====================  ===========================================================================
"""
