"""Shows estimates to the researcher, behind a sign-in.

Its adversary is whoever is not the researcher: somebody who finds an old link, copies a cookie,
reads the store, guesses a password, asks for a colleague's survey, or has another origin press the
buttons: another site, or a page that respondents see. There is nothing here of a respondent,
because there is nothing in the store.

=============  =====================================================================================
`app`          the desk as an application
`rights`       who may do what: the table that every request is held to
`pages`        the surveys and their results
`files`        figures and downloads
`analyses`     pages that compare groups, cross two questions, and regress
`remarks`      what is said of single estimates
`together`     what several questions together may say of people
`formulas`     what a formula may hold
`printed`      tables and sentences of the analysis, as a page shows them
`publishing`   the page for a paper, and its zip
`sheets`       the page for sheets of paper
`waves`        the page that begins the next wave
`lab`          the pages of the lab, for everybody
`choice`       what the researcher chose to look at, from the address
`tallies`      tallies of the reports that may be seen, as the store keeps them
`entering`     sheets of paper, into the store
`sign_in`      one-time links
`sessions`     who is signed in, and for how long
`origin`       whether a change was asked for by a page of the desk
`headers`      what its pages allow a browser to do
`accounts`     signing in and out, and the page about one's own account
`people`       the page of all accounts, and the one that shares a survey
`credentials`  names and passwords
`attempts`     how often passwords may be tried
`tokens`       what links and sessions are known by
=============  =====================================================================================
"""
