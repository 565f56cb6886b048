/** The address of a survey, which is the same on every server: `deniable/survey/address.py`. */

/** Where its page is, and all that belongs to it below. @param {{survey: string}} named */
export const addressOf = ({ survey }) => `/s/${survey}/`;
