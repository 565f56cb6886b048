"""The command line: wires the rooms together; nothing imports it.

====================  ===========================================================================
`main`                the command `deniable` and its subcommands
`check`, `schema`     before anybody is asked
`serve`, `simulate`   people answer, real ones or made-up ones
`estimate`, `export`  what is learned
`sign_in`, `state`    looking after a server: links, opening and closing
`options`             options that several commands share
`survey_files`        survey files named on the command line
`stores`              a store and a survey in it, as named on the command line
`output`              files written whole or not at all, tables that can be piped
`destinations`        where made-up reports go
`sending`             reports by HTTP, from several threads
`failures`, `help`    what errors say, exit codes, the end of every help
====================  ===========================================================================
"""
