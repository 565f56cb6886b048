// Makes server/desk/static/vendor/codemirror.js, with the licences of what is in it and its SHA-256.
// With --check it writes nothing, and fails if what is checked in is anything else.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const vendor = join(here, "../../server/desk/static/vendor");

const { outputFiles, metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["codemirror.js"],
  bundle: true,
  format: "esm",
  minify: true,
  legalComments: "none",
  target: "es2022",
  metafile: true,
  write: false,
  outfile: "out.js",
});

/** The packages whose code is in the bundle, from the paths that esbuild has read. */
const packages = new Set(
  Object.keys(metafile.inputs)
    .map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter((name) => name !== undefined),
);
const licences = [...packages].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
});

const bundle = outputFiles[0].contents;
const digest = createHash("sha256").update(bundle).digest("hex");
const files = {
  "codemirror.js": Buffer.from(bundle),
  "codemirror.js.sha256": Buffer.from(`${digest}  codemirror.js\n`),
  "codemirror.LICENSE.txt": Buffer.from(licences.join(`\n${"-".repeat(72)}\n\n`)),
};
for (const [name, content] of Object.entries(files)) {
  const path = join(vendor, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, content);
  } else if (!readFileSync(path).equals(content)) {
    console.error(`${path}: differs from what scripts/build-editor.sh makes`);
    process.exitCode = 1;
  }
}
if (process.exitCode === undefined) console.log(`codemirror.js: ${bundle.length} bytes, ${digest}`);
