"""The lab: interactive pages on each idea behind the project, with numbers that it computes.

A page is a module: its texts, its inputs with their ranges, `lines`, which computes its numbers and
whose source it shows, `show`, which says and draws them, and exercises with their answers. A module
does no input or output, so that the desk and a test can use it.

Noise on known data (the central model) is for lessons, and no part of a survey. It is exact as a
formula, but computed in floating point: real publications need noise whose last digits reveal
nothing either (Mironov 2012), such as that of the library OpenDP.

====================  ===========================================================================
`inputs`              the inputs of a page: sliders, choices and cells
`page`                the parts of a page, and what it shows
`code`                the Python source that a page shows
`pictures`            pictures, and tables of their numbers
`exercises`           a page's guess and exercises
`said`                numbers as pages write them
`coins`               many stories, one table, and the estimates of a thousand classes
`adversary`           what an adversary who sees a report can conclude
`again`               asked again and again; taking part is a secret too: neighbours, groups
`central`             whom to trust: who adds the noise, and how soon a cheat is seen
`holdout`             honest science with noise: a holdout that can be asked again
`names`               why not just remove the names: linkage, and hiding in a group
`totals`              totals that give people away: trackers, too many counts, averages
`harm`                harm without taking part, and the price of taking part
`counts`              counts and averages with noise, and how far off they are
`choosing`            the exponential mechanism, and the greatest noisy count
`budget`              noisy answers until a budget is gone, and the total cost of many
`pages`               all pages, and the paths through them
`taught`              the topics of course texts, and the pages that teach them
`export`              a page with its answers, in files that need no server
====================  ===========================================================================
"""
