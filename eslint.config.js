// Rules for the JavaScript. client/browser/ is where a person's true answer exists,
// so it is held to more than the tests are.
import js from "@eslint/js";
import globals from "globals";

export default [
  // .venv holds other people's JavaScript; deniable/ holds links to what is checked in its own place.
  { ignores: [".venv/", ".venv-peers/", "deniable/", "build/", "dist/"] },
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
    languageOptions: { globals: globals.browser },
    rules: {
      // A reader should finish a module in one sitting: these files are the trust boundary.
      "max-lines": ["error", { max: 250, skipBlankLines: true, skipComments: true }],
      // Consoles are recorded by extensions and remote debuggers; a truth must not reach one.
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        {
          object: "Math",
          property: "random",
          message:
            "Its next value can be computed from earlier ones, which would undo the noise: use crypto.getRandomValues.",
        },
      ],
    },
  },
  {
    // The audit's driver runs in the page or in Node, and replaces Math.random to see it called.
    files: ["client/audit/**/*.js", "tests/**/*.js"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
