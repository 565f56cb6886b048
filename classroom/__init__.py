"""The classroom: what a class is shown of one question, step by step.

A class answers on its phones, and a projector shows what came of it. This room knows the steps and
computes every number of each; it does no input or output. The server holds the meeting, and two
pages of the desk draw what is computed here: the projector's and the presenter's.

====================  ===========================================================================
`steps`               what the presenter reveals, in order
`shown`               what a step is shown from, and what it shows
`scene`               from a class's totals to the numbers and sentences of a step
====================  ===========================================================================
"""
