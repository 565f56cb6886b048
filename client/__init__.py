"""Where a truth exists: the respondent's browser and its headless twin.

====================  ===========================================================================
`browser/`            the respondent's page: `core/` decides, `page/` shows; `contents.js` lists it
`randomness`          where uniform 32-bit words come from
`branching`           which questions apply to somebody, after what they have answered
`asking`              which items a respondent is asked, where chance decides
`randomiser`          many truths through a channel at once
`memory`              what a device keeps, so that nobody reports the same question twice
`connection`          requests to one server, and what to do when it does not answer
`respondent`          a respondent without a browser: the same protocol, the same promises
`population`          made-up people with known rates
`simulation`          such a population answering a survey
`panel`               the same wave by wave, each device remembering what it keeps
`audit`               fills in the real page with chosen truths
====================  ===========================================================================
"""
