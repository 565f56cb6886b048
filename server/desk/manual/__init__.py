"""The manual at the desk, for everybody: the Markdown pages of `docs/`, drawn when they are read.

They are installed with the program, so that Help works wherever the desk does.

=========== =======================================================================================
`routes`    a page, a picture, and the search
`pages`     reads the pages and draws them as HTML
`printed`   the parts of a page that the program writes: keys, operations, commands
`reference` a page for each public name of Python
=========== =======================================================================================
"""
