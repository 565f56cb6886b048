"""The command line: wires the rooms together; nothing imports it.

====================  ===========================================================================
`main`                the command `deniable` and its subcommands
`new`                 examples to begin with
`check`, `schema`     before anybody is asked: is the survey file right
`ethics`              what an ethics board asks of a survey, as a page to print
`plan`                before anybody is asked: how many people, and how precise
`audit`, `verify`     before anybody is asked: is the program in the browser
`board`               a stranger counts the published reports again
`public_results`      what a desk shows to everybody, computed again from a board
`classroom`           a class answers on its phones, in the network of a laptop
`serve`, `simulate`   people answer, real ones or made-up ones
`sheet`, `enter`      people answer on paper
`estimate`, `export`  what is learned
`tally`, `tallies`    counts that travel, of stores and exports; as named on the command line
`publish`             the zip for a paper
`analyse`             groups, joint tables and regressions of a survey's reports
`elsewhere`           the same of columns that others collected
`sign_in`, `user`     looking after a server: links and accounts
`ask`                 one question at once: a survey, its server and its estimate
`lab`                 the lab alone, as a site, or its Python as a notebook
`state`               looking after a server: opening and closing
`upgrade`             looking after a server: a store of an older release becomes one of this
`doctor`, `diagnosis` looking after a server: what is wrong with a deployment
`proxies`             the same of a proxy: what it writes down
`migrate`             looking after a server: a store moves to another engine
`backup`              looking after a server: a store in one file, and back
`collect`             looking after a server: when a survey takes reports, and how many
`invite`              looking after a server: codes for one report each
`delete`              looking after a server: deleting a survey for good
`options`             options that several commands share
`estimate_options`    those of the commands that estimate: intervals, formats, figures
`survey_files`        survey files named on the command line
`releases`            manifests of releases, and their signatures
`links`               links of surveys that are served somewhere
`stores`              a store and a survey in it, as named on the command line
`studies`             a survey with its reports, as named on the command line
`output`              files written whole or not at all
`auditing`            an audit from its first tape to its verdict
`destinations`        where made-up reports go
`sending`             reports by HTTP, from several threads
`failures`, `help`    what errors say, exit codes, the end of every help
====================  ===========================================================================
"""
