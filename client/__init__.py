"""Where a truth exists: the respondent's browser and its headless twin.

====================  ===========================================================================
`browser/`            the respondent's page: `core/` decides, `page/` shows; `contents.js` lists it
`randomness`          where uniform 32-bit words come from
`branching`           which questions apply to a respondent, by their earlier answers
`asking`              which items a respondent is asked, where the survey draws them
`randomiser`          many truths through a channel at once
`memory`              what a device keeps, so that no question is reported twice
`connection`          requests to one server, and what to do when it does not answer
`respondent`          a respondent without a browser: the same protocol, the same promises
`population`          simulated people with known rates
`simulation`          such a population answering a survey
`panel`               a panel that answers every wave; its devices keep their noise
`audit`               answers the real page with chosen truths, and checks what leaves it
====================  ===========================================================================
"""
