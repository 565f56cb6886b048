"""The command line: it connects the other packages, and none of them imports it.

====================  ===========================================================================
`main`                the command `deniable` and its subcommands
`new`                 examples to begin with
`check`, `schema`     before collection: check a survey file
`ethics`              before collection: the pages for an ethics board or a registry
`plan`                before collection: how many people, and how precise
`audit`, `verify`     before collection: check the program in the browser
`classroom`           a class answers on its phones, in the network of a laptop
`serve`, `simulate`   collection from respondents, real or simulated ones
`sheet`               collection on paper
`estimate`, `export`  estimates, and reports in files
`tally`, `tallies`    files of counts: the command that writes them, and reading them
`publish`             the zip for a paper
`analyse`             groups, joint tables and regressions of a survey's reports
`elsewhere`           the same analyses of columns that others collected
`sign_in`, `user`     operating a server: links and accounts
`ask`                 one question at once: a survey, its server and its estimate
`lab`                 the lab alone, or as a site
`state`               operating a server: open, pause and close a survey, begin a wave
`upgrade`             operating a server: bring an older store to this release
`doctor`, `diagnosis` operating a server: the faults of a deployment
`migrate`             operating a server: move a store to another engine
`backup`              operating a server: a store in one file, and back
`collect`             operating a server: when a survey takes reports, and how many
`invite`              operating a server: codes for one report each
`delete`              operating a server: delete a survey for good
`options`             options that several commands share
`estimate_options`    options of the commands that estimate: intervals, formats, figures
`survey_files`        survey files named on the command line
`releases`            manifests of releases, and their signatures
`links`               links of surveys on a server
`stores`              a store and a survey in it, as named on the command line
`studies`             a survey with its reports, as named on the command line
`output`              files written whole or not at all
`auditing`            an audit from its first visit to its verdict
`destinations`        destinations of simulated reports: a CSV, a store, a server
`sending`             reports by HTTP, from several threads
`failures`, `help`    error messages, exit codes, the end of every help
====================  ===========================================================================
"""
