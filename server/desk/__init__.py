"""Shows estimates to the researcher, behind a sign-in.

Its adversary is whoever is not the researcher: somebody who finds an old link, copies a cookie,
reads the store, guesses a password, asks for a colleague's survey, or has another origin press the
buttons: another site, or a page that respondents see. There is nothing here of a respondent,
because there is nothing in the store.

=============  =====================================================================================
`app`          the desk as an application, from the Blueprints below
`context`      what a request works with: store, surveys, keys, addresses
`permissions`  what a route needs, and who has it
`audit`        what accounts did, in a file of its own
`steps`        the steps of a study: where it stands, and what is next
`csrf`         whether a change was asked for by a page of the desk
`headers`      what its pages allow a browser to do
`lab`          the pages of the lab, for everybody
`manual`       the manual, for everybody
`auth`         accounts, sessions, and API tokens
`surveys`      what a survey's owner sets
`results`      what the desk shows and exports of a survey's reports
`editor`       drafts of surveys: written, checked, planned, tried and published
`live`         meetings: a class that answers together
`api`          what scripts ask of the desk over HTTP
=============  =====================================================================================
"""
