"""The command line: it connects the other packages, and none of them imports it.

`main` lists the commands, each in a module of its name; what several of them share stands beside.
"""
