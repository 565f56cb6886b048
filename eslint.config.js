// Rules for the JavaScript. client/browser/ is where a person's true answer exists,
// so it is held to more than the tests are.
import js from "@eslint/js";
import globals from "globals";

const WEAK_RANDOMNESS = {
  object: "Math",
  property: "random",
  message:
    "Its next value can be computed from earlier ones, which would undo the noise: use crypto.getRandomValues.",
};

/** What only core/ may reach for, by name or as a property of something. */
const CORES_OWN = {
  network: ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "sendBeacon"],
  chance: ["crypto", "getRandomValues"],
  storage: ["localStorage", "sessionStorage", "indexedDB", "caches", "cookie", "cookieStore"],
  "what is stored": ["getItem", "setItem", "removeItem"],
};
const coresOwn = Object.entries(CORES_OWN).flatMap(([what, names]) =>
  names.map((name) => ({ name, message: `Only core/ touches ${what}.` })),
);

export default [
  // .venv holds other people's JavaScript; deniable/ holds links to what is checked in its own place.
  {
    ignores: [
      ".venv/",
      ".venv-oldest/",
      ".venv-peers/",
      "deniable/",
      "build/",
      "dist/",
      "server/desk/static/vendor/",
      "lab/static/vendor/",
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
    },
  },
  {
    files: ["client/browser/**/*.js"],
    languageOptions: { globals: { ...globals.browser, WORDS: "readonly" } },
    rules: {
      // A reader should finish a module in one sitting: these files are the trust boundary.
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      // Consoles are recorded by extensions and remote debuggers; a truth must not reach one.
      "no-console": "error",
      "no-restricted-properties": ["error", WEAK_RANDOMNESS],
    },
  },
  {
    // It decides what is drawn, kept and sent, and can be read without the page.
    files: ["client/browser/core/**/*.js"],
    rules: {
      "no-restricted-imports": ["error", { patterns: ["../page/*"] }],
      "no-restricted-globals": ["error", "document", "window", "location", "history"],
    },
  },
  {
    // It shows, and hands the answers on.
    files: ["client/browser/page/**/*.js"],
    rules: {
      "no-restricted-globals": ["error", ...coresOwn],
      "no-restricted-properties": [
        "error",
        WEAK_RANDOMNESS,
        ...coresOwn.map(({ name, message }) => ({ property: name, message })),
      ],
      "no-restricted-syntax": [
        "error",
        ...[
          ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind!='const']",
          ":matches(Program, ExportNamedDeclaration) > VariableDeclaration > [init.type='NewExpression']",
          ":matches(Program, ExportNamedDeclaration) > VariableDeclaration > [init.elements.length=0]",
          ":matches(Program, ExportNamedDeclaration) > VariableDeclaration > [init.properties.length=0]",
        ].map((selector) => ({
          selector,
          message: "No module of the page keeps anything that changes: an answer could stay in it.",
        })),
      ],
    },
  },
  {
    // Which language is spoken, and nothing that was answered.
    files: ["client/browser/page/say.js"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    // The scripts of the desk and the lab make pages handier; each page also works as a form does.
    files: ["server/desk/static/**/*.js", "lab/static/*.js", "classroom/static/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
    },
  },
  {
    // What the desk's editor and the lab's drawings are bundled from, and the program that bundles them.
    files: ["scripts/**/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    // The audit's scripts run in the page, and replace Math.random to see it called.
    files: ["client/audit/**/*.js", "tests/**/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
