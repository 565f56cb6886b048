/** Where the driver finds the modules. */

export * from "../browser/core/chance.js";
export * from "../browser/core/report.js";
export * from "../browser/core/statement.js";
export * from "../browser/core/submission.js";
export * from "../browser/core/waves.js";
export * from "../browser/page/address.js";
