"""Shows estimates to the researcher, behind a sign-in.

Its adversary is whoever is not the researcher: somebody who finds an old link, copies a cookie,
reads the store, or has another origin press the buttons: another site, or a page that respondents
see. There is nothing here of a respondent, because there is nothing in the store.

============  ======================================================================================
`app`         the desk as an application
`pages`       signing in and out, the surveys and their results
`files`       figures and downloads
`publishing`  the page for a paper, and its zip
`sheets`      the page for sheets of paper
`waves`       the page that begins the next wave
`choice`      what the researcher chose to look at, from the address
`tallies`     tallies of the reports that may be seen, as the store keeps them
`entering`    sheets of paper, into the store
`sign_in`     one-time links
`sessions`    who is signed in, and for how long
`origin`      whether a change was asked for by a page of the desk
`headers`     what its pages allow a browser to do
`analyses`    pages that compare groups, cross two questions, and regress
`remarks`     what is said of single estimates
`together`    what several questions together may say of people
`formulas`    what a formula may hold
`printed`     tables and sentences of the analysis, as a page shows them
============  ======================================================================================
"""
