"""Hands out the respondent's pages and the program that they load.

Its adversary is whoever would have a respondent run another program, or believe another promise,
than the published one: by an altered file, a script of another site, or a page that depends on who
asks. So these pages are the same for everybody, keep nothing and set no cookie.

===============  ==================================================================================
`app`            the pages as an application
`pages`          the addresses, and what each hands out
`headers`        what the pages allow a browser to do
`label`          the privacy label, computed from the channels
`joining_in`     how people get to a survey: the letters of its address, and a poster
`onward`         from an altered address to the one that everybody has
`meetings`       how a phone joins a class
`sheet`          the survey on paper
`shell`          the page of questions, made of the parts of the program that it holds
`views`          a survey's pages in each of its languages
`drawing`        the hundred people of the privacy page, and the disc of a sheet
`program`        what a browser loads, and the hashes by which it refuses any other file
`manifest`       the same hashes and the known headers, as a release signs them
`known_headers`  which headers are harmless, and which are not: for whoever checks an answer
`catalogues`     what the program says in each language, as scripts
`joining`        all modules in one file
`compression`    gzip, where no secret is on the page
===============  ==================================================================================
"""
