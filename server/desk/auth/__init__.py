"""Accounts, sessions, and what scripts show in place of one.

===============  ===================================================================================
`routes`         signing in and out, and the page about one's own account
`your_tokens`    the forms that make and end these
`people`         the page of all accounts, and the one that shares a survey
`passwords`      names and passwords
`sessions`       who is signed in, and for how long
`tokens`         what links and sessions are known by
`login_links`    one-time links
`throttle`       how often passwords may be tried
`api_tokens`     what scripts show in place of a session
`script_access`  whose script makes a request
===============  ===================================================================================
"""
