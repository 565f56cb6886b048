// Makes each bundle, with the licences of what is in it and its SHA-256, and takes the typeface.
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

/** The typeface of pages, with the Greek letters of formulas, and of figures, for matplotlib. */
const TYPEFACES = [
  {
    package: "@fontsource-variable/source-sans-3",
    folder: "server/desk/static/vendor",
    files: ["source-sans-3-latin-wght-normal.woff2", "source-sans-3-greek-wght-normal.woff2"],
  },
  {
    package: "@fontsource/source-sans-3",
    folder: "results/figures/vendor",
    files: ["source-sans-3-latin-400-normal.woff", "source-sans-3-latin-700-normal.woff"],
  },
];

const here = dirname(fileURLToPath(import.meta.url));
const checking = process.argv.includes("--check");

for (const [name, folder] of Object.entries(BUNDLES)) {
  const { bundle, licences } = await bundled(name);
  const digest = sha256(bundle);
  write(folder, `${name}.js`, bundle);
  write(folder, `${name}.js.sha256`, `${digest}  ${name}.js\n`);
  write(folder, `${name}.LICENSE.txt`, licences);
  if (process.exitCode === undefined) console.log(`${name}.js: ${bundle.length} bytes, ${digest}`);
}

for (const { package: name, folder, files } of TYPEFACES) {
  const typeface = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(typeface, "package.json"), "utf8"));
  let digests = "";
  for (const file of files) {
    const content = readFileSync(join(typeface, "files", file));
    digests += `${sha256(content)}  ${file}\n`;
    write(folder, file, content);
  }
  const licence = readFileSync(join(typeface, "LICENSE"), "utf8").trim();
  write(folder, "source-sans-3.sha256", digests);
  write(folder, "source-sans-3.LICENSE.txt", `${name} ${version}\n\n${licence}\n`);
}

/** @param {string | Uint8Array} content */
function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Write a file, or compare it with what is checked in.
 *
 * @param {string} folder
 * @param {string} file
 * @param {string | Uint8Array} content
 */
function write(folder, file, content) {
  const path = join(here, "../..", folder, file);
  if (!checking) {
    writeFileSync(path, content);
  } else if (!readFileSync(path).equals(Buffer.from(content))) {
    console.error(`${path}: differs from what scripts/bundle.sh makes`);
    process.exitCode = 1;
  }
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
