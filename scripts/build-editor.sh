#!/bin/sh
# build-editor.sh [--check]: bundle the desk's editor from scripts/editor/ into
# server/desk/static/vendor/, or compare what is checked in there with such a bundle.
#
# It exists because the bundle is checked in, so that a server needs no Node: its tools are
# installed here alone, from a lock of their own.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
if ! cmp -s scripts/editor/package-lock.json scripts/editor/node_modules/.lock; then
  (cd scripts/editor && npm ci --ignore-scripts --no-audit --no-fund)
  cp scripts/editor/package-lock.json scripts/editor/node_modules/.lock
fi
node scripts/editor/build.js "$@"
