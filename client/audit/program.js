/** Where the driver finds the modules in Node; in a browser the page's own program exports them. */

export * as chance from "../browser/chance.js";
export * as report from "../browser/report.js";
export * as submission from "../browser/submission.js";
