"""Running the browser's modules with truths of one's own choosing, to see what they really send.

====================  ===========================================================================
`driver.js`           calls the modules as the page does, and watches what they reach for
`engine`              what runs the driver: either of the next two
`chromium`            the driver in a real Chromium, inside the survey's own page
`node`, `node.js`     the driver in Node
`tapes`               the same known randomness to the modules and to the reference sampler
`runs`                many reports of known truths
`watch`               where the chance was taken from
====================  ===========================================================================
"""
