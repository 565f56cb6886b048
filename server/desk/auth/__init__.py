"""Accounts, sessions, and API tokens.

=============  =====================================================================================
`routes`       signing in and out, one's own account, and its API tokens
`people`       the page of all accounts
`passwords`    names and passwords
`sessions`     who is signed in, and for how long; random tokens and their hashes
`login_links`  one-time links
`throttle`     how often passwords and tokens may be tried
`api_tokens`   tokens of scripts, in place of a session
=============  =====================================================================================
"""
