"""Running the respondent's program with truths of one's own choosing, to see what it really sends.

The *page* is visited as people visit it, and everything that leaves it or stays behind is compared.
The *modules* are called as the page calls them, for every word that matters and many that do not.

====================  ===========================================================================
`engine`              what runs the modules, and what is raised where nothing does
`node`, `node.js`     the modules in Node, by `driver.js`
`tapes`               the same known randomness to the modules and to the reference sampler
`runs`                many reports of known truths
`chromium`            a browser, spoken to by its own protocol
`wire`                the socket that all of the browser's requests come to
`server`              what answers in the place of the survey's server
`manners`             by which device, how fast, and what goes wrong meanwhile
`tab`                 a tab, and how its time passes
`visitor`             a person's clicks on the real page; `look.js` is the eyes
`inputs`              which inputs of the page are pressed
`scripts`, `trap.js`  what runs in the page, and watches it
`visit`               what came of a visit
`left`                what the browser's folder names of the page once it has ended
`pairs`               visits that may differ in nothing but what is true
====================  ===========================================================================
"""
