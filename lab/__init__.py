"""The lab: each idea behind the project, to be tried with numbers that the project computes.

A page is a module: its texts, what can be turned and how far, `lines`, which computes its numbers
and whose source it shows, `show`, which says and draws them, and exercises with their answers. A
module does no input or output, so that the desk and a test can use it.

Noise where all truths are known is for lessons, and no part of a survey. It is exact as a formula,
and computed in floating point: who publishes real counts needs noise whose last digits give nothing
away either (Mironov 2012), as the library OpenDP draws it.

====================  ===========================================================================
`inputs`              what can be turned on a page, and how far
`page`                what a page consists of, and what it shows
`code`                the Python lines of a page, as they are written
`pictures`            pictures, and tables of the same
`exercises`           a guess at first, and exercises
`said`                numbers, as pages say them
`coins`               many stories, one table, and what a thousand classes estimate by it
`adversary`           what somebody who sees a report can conclude, whatever they do with it
`questions`           many questions, one budget
`again`               asked again and again; taking part is a secret too: neighbours, groups
`central`             whom to trust: who adds the noise, and how soon a cheat is seen
`holdout`             honest science with noise: a holdout that can be asked again
`names`               why not just remove the names: linkage, and hiding in a group
`totals`              totals that give people away: trackers, too many counts, averages
`harm`                harm without taking part, and the price of taking part
`heaps`               many numbers as a heap
`counts`              counts and averages with noise, and how far off they are
`choosing`            the exponential mechanism, and the greatest noisy count
`budget`              noisy answers until a budget is gone, and what many cost together
`pages`               all pages, and the paths through them
`taught`              what the texts of courses teach, and on which page it is taught
`export`              a page's answers in a file, for a file server
====================  ===========================================================================
"""
