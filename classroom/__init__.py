"""The classroom: what a class is shown of one question, step by step.

A class answers on its phones, and a projector shows what came of it. This room knows the steps and
computes every number of each; it does no input or output. The server holds the meeting, and two
pages of the desk draw what is computed here: the projector's and the presenter's.

====================  ===========================================================================
`steps`               the one table of the steps
`class_state`         what a step is shown from: all that is known of a class
`pictures`            what a step shows: sentences, notes of the presenter, and a picture
`arithmetic`          from the reports to the shares, one line of arithmetic after the other
`scene`               the steps before the arithmetic
`derivation`          the arithmetic, as it is shown
`simulations`         made-up classes, the same phone asked again, and no coins at all
`by_hand`             what somebody without a phone does with coins or a die
====================  ===========================================================================
"""
