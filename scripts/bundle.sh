#!/bin/sh
# bundle.sh [--check]: bundle the desk's editor and the lab's drawing library from scripts/bundles/,
# or compare what is checked in with such bundles.
#
# It exists because the bundles are checked in, so that a server needs no Node: their tools are
# installed here alone, from a lock of their own.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
if ! cmp -s scripts/bundles/package-lock.json scripts/bundles/node_modules/.lock; then
  (cd scripts/bundles && npm ci --ignore-scripts --no-audit --no-fund)
  cp scripts/bundles/package-lock.json scripts/bundles/node_modules/.lock
fi
node scripts/bundles/build.js "$@"
