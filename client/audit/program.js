/** Where the driver finds the modules in Node; in a browser the page's own program exports them. */

export * from "../browser/core/chance.js";
export * from "../browser/core/report.js";
export * from "../browser/core/submission.js";
export * from "../browser/core/waves.js";
