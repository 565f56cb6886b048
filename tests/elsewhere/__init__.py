"""Pythons of this machine that lack what those of other systems lack.

=========  =======================================================================================
`windows`  no module of POSIX alone, and none of the server's
`macos`    nothing that Linux alone has
=========  =======================================================================================
"""
