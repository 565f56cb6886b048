#!/bin/sh
# build-plot.sh [--check]: bundle the lab's drawing library from scripts/plot/ into
# lab/static/vendor/, or compare what is checked in there with such a bundle.
#
# It exists because the bundle is checked in, so that a server needs no Node: its tools are
# installed here alone, from a lock of their own.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
if ! cmp -s scripts/plot/package-lock.json scripts/plot/node_modules/.lock; then
  (cd scripts/plot && npm ci --ignore-scripts --no-audit --no-fund)
  cp scripts/plot/package-lock.json scripts/plot/node_modules/.lock
fi
node scripts/plot/build.js "$@"
