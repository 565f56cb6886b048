"""The server, which sees only reports: two programs, and a package for each trust boundary.

Respondents' pages and the intake are one program, the researcher's desk is another. Each has an
origin of its own, so that browsers keep them apart, and a process of its own. Between them is the
store, and nothing else.

=====================  ==========================================================================
`intake`               takes reports, and learns nothing of their senders
`respondent`           serves the respondents' pages and the program that they load
`desk`                 shows estimates, behind a sign-in
`store`                all that is on disk, without its order of arrival
`web`                  how a request is read and a response written, in both programs
`respondents_program`  the intake and the respondents' pages, on one origin
`desk_program`         the desk, on another origin
`lab_program`          the lab alone, without a store
`metrics`              counts of the respondents' program's responses, by batches and minutes
`serving`              starts and ends both programs
`addresses`            where each program listens; refuses addresses that browsers mix up
`settings`             the settings that a program gets when it starts
`worker`               granian around a program, in its own process
`half_hours`           the times at which the process that takes reports is replaced
`private_memory`       no core, and no memory for other processes
`loopback`             a survey's pages on this machine alone, for checks
=====================  ==========================================================================

Inside a program a request passes `worker`, `web.gateway`, then the package that answers it.
"""
