"""The classroom: a lesson on one question, step by step.

A class answers on its phones, and a projector shows the results. This package has the steps and
computes every number of each; it does no input or output. The server holds the meeting, and two
pages of the desk, the projector's and the presenter's, draw the steps.

====================  ===========================================================================
`steps`               the one table of the steps
`class_state`         the state of a class, from which each step is computed
`pictures`            what a step shows: sentences, notes for the presenter, and a picture
`arithmetic`          from the reports to the shares, one line of arithmetic at a time
`scene`               the steps on this class: what it sent, and the noise taken out
`simulations`         made-up classes, the same phone asked again, and no coins at all
====================  ===========================================================================
"""
