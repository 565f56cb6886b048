"""Where only reports exist: two programs for two publics, and a room for each trust boundary.

Respondents' pages and the intake are one program, the researcher's desk is another. Each has an
origin of its own, so that browsers keep them apart, and a process of its own. Between them is the
store, and nothing else.

=====================  ==========================================================================
`intake`               takes reports, and knows nobody
`respondent`           hands out the respondents' pages and the program that they load
`desk`                 shows estimates, behind a sign-in
`store`                what is on disk, and nothing of its order
`web`                  how a request is read and a response written, in both programs
`respondents_program`  the intake and the respondents' pages, on one origin
`desk_program`         the desk, on another
`lab_program`          the lab alone, without any store
`metrics`              what the first of these had to do, in whole batches and minutes
`serving`              starts both programs, and ends both
`addresses`            where each listens, and whether browsers can keep them apart
`settings`             what a program is told when it starts
`worker`               granian around a program, in its own process
`loopback`             respondents' pages on this machine alone, for checks
=====================  ==========================================================================

Inside a program a request goes `worker`, `web.gateway`, then to the room that answers it.
"""
