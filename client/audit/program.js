/** Where the driver finds the modules in Node; in a browser the page's own program exports them. */

export * from "../browser/chance.js";
export * from "../browser/report.js";
export * from "../browser/submission.js";
