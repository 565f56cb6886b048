"""Shows estimates to the researcher, behind a sign-in.

The adversary is anyone but the researcher: they find an old link, copy a cookie, read the store,
guess a password, ask for a colleague's survey, or submit forms from another origin (another site,
or a respondents' page). Nothing here identifies a respondent, because nothing in the store does.

=============  =====================================================================================
`app`          the desk's Flask application, made of the Blueprints below
`context`      what a request works with: store, surveys, keys, addresses
`permissions`  the right that each route requires, and who has it
`audit`        the audit log: what accounts did, in a file of its own
`steps`        the steps of a study: the state of each, and what comes next
`csrf`         whether a page of the desk sent a request that changes something
`headers`      the headers of its responses
`lab`          the pages of the lab, for everybody
`manual`       the manual, for everybody
`auth`         accounts, sessions, and API tokens
`surveys`      what a survey's owner sets
`results`      what the desk shows and exports of a survey's reports
`editor`       drafts of surveys: written, checked, planned, tried and published
`live`         meetings: a class that answers together
`api`          the HTTP API, for scripts
=============  =====================================================================================
"""
