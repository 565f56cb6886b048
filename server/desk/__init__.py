"""Shows estimates to the researcher, behind a sign-in.

Its adversary is whoever is not the researcher: somebody who finds an old link, copies a cookie,
reads the store, guesses a password, asks for a colleague's survey, or has another origin press the
buttons: another site, or a page that respondents see. There is nothing here of a respondent,
because there is nothing in the store.

===============  ===================================================================================
`app`            the desk as an application
`rights`         who may do what: the table that every request is held to
`pages`          the surveys and their results
`files`          figures and downloads
`analyses`       pages that compare groups, cross two questions, and regress
`remarks`        what is said of single estimates
`invented`       how far invented reports could move each estimate
`together`       what several questions together may say of people
`formulas`       what a formula may hold
`printed`        tables and sentences of the analysis, as a page shows them
`planning`       the planner and the ethics packet, before anybody is asked
`publishing`     the page for a paper, and its zip
`public`         the results that everybody may see
`collecting`     the page about how people get to a survey, and when it takes reports
`inviting`       the page that makes codes for one report each
`slips`          these codes as they are handed out
`status`         the page about a survey that is under way
`sheets`         the page for sheets of paper
`looking`        sheets between the look and the entering
`entries`        which sheets were entered last
`waves`          the page that begins the next wave
`trying`         the page that tries a survey, in a phone's frame
`trials`         trials in the store: begun, answered by made-up people, ended
`leading`        the presenter's pages: meetings are begun, led and ended there
`meetings`       meetings in the store: led from step to step
`scenes`         what a meeting shows at this moment
`projecting`     the projector's page
`streaming`      the same as events
`ending`         meetings whose time is over
`deleting`       the page that deletes a survey for good
`drafts`         surveys that somebody writes, and the editor of one
`rehearsing`     the plan, the ethics packet and the trial of one
`registering`    the page that publishes one
`registration`   a survey under its name: published, or tried before it is
`checking`       what is wrong with a text, and what the survey costs
`checker`        the process in which texts are checked
`examples`       what a draft can begin from
`lab`            the pages of the lab, for everybody
`classroom`      what all meetings have in common: scripts and the handout
`choice`         what the researcher chose to look at, from the address
`preparing`      results of large surveys, ready before anybody asks
`finding`        the survey that an address names
`tallies`        tallies of the reports that may be seen, as the store keeps them
`entering`       sheets of paper, into the store
`sign_in`        one-time links
`sessions`       who is signed in, and for how long
`origin`         whether a change was asked for by a page of the desk
`headers`        what its pages allow a browser to do
`accounts`       signing in and out, and the page about one's own account
`people`         the page of all accounts, and the one that shares a survey
`credentials`    names and passwords
`attempts`       how often passwords may be tried
`tokens`         what links and sessions are known by
`script_tokens`  what scripts show in place of a session
`script_access`  whose script makes a request
`your_tokens`    the forms that make and end these
`api_table`      what scripts can ask for: the one table of the API
`api`            its answers
`api_document`   the same as OpenAPI describes it
===============  ===================================================================================
"""
