// Makes each bundle, with the licences of what is in it and its SHA-256.
// With --check it writes nothing, and fails if what is checked in is anything else.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

/** In which folder each bundle is checked in. */
const BUNDLES = {
  codemirror: "server/desk/static/vendor", // the editor of the desk
  plot: "lab/static/vendor", // the drawings of the lab
};

const here = dirname(fileURLToPath(import.meta.url));
const checking = process.argv.includes("--check");

for (const [name, folder] of Object.entries(BUNDLES)) {
  const { bundle, licences } = await bundled(name);
  const digest = createHash("sha256").update(bundle).digest("hex");
  const files = {
    [`${name}.js`]: Buffer.from(bundle),
    [`${name}.js.sha256`]: Buffer.from(`${digest}  ${name}.js\n`),
    [`${name}.LICENSE.txt`]: Buffer.from(licences),
  };
  for (const [file, content] of Object.entries(files)) {
    const path = join(here, "../..", folder, file);
    if (!checking) {
      writeFileSync(path, content);
    } else if (!readFileSync(path).equals(content)) {
      console.error(`${path}: differs from what scripts/bundle.sh makes`);
      process.exitCode = 1;
    }
  }
  if (process.exitCode === undefined) console.log(`${name}.js: ${bundle.length} bytes, ${digest}`);
}

/** @param {string} name */
async function bundled(name) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [`${name}.js`],
    bundle: true,
    format: "esm",
    minify: true,
    legalComments: "none",
    target: "es2022",
    metafile: true,
    write: false,
    outfile: "out.js",
  });
  // The packages whose code is in the bundle, from the paths that esbuild has read.
  const packages = new Set(
    Object.keys(metafile.inputs)
      .map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
      .filter((found) => found !== undefined),
  );
  const licences = [...packages].sort().map((found) => {
    const folder = join(here, "node_modules", found);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${found} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
  });
  return { bundle: outputFiles[0].contents, licences: licences.join(`\n${"-".repeat(72)}\n\n`) };
}
