"""The classroom: what a class is shown of one question, step by step.

A class answers on its phones, and a projector shows what came of it. This room knows the steps and
computes every number of each; it does no input or output. The server holds the meeting, and two
pages of the desk draw what is computed here: the projector's and the presenter's.

====================  ===========================================================================
`steps`               what the presenter reveals, in order
`class_state`         what a step is shown from: all that is known of a class
`scene`               from a class to the numbers, sentences and picture of a step
`notes`               what the presenter reads at a step, with the arithmetic of this class
`pictures`            what a step shows: sentences, pictures and tables
`arithmetic`          from the reports to the shares, one line of arithmetic after the other
`derivation`          these lines, as they are shown
`simulations`         made-up classes, the same phone asked again, and no coins at all
`by_hand`             what somebody without a phone does with coins or a die
====================  ===========================================================================
"""
