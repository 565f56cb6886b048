#!/bin/sh
# manual.sh PYTHON [FOLDER]: build the manual as a site into a folder (build/manual).
#
# It exists because a release has the site of the last commit, and `make docs` builds that of this
# folder. What the builder keeps of the pages goes elsewhere.
set -eu
cd "$(dirname "$0")/.."
out=${2:-build/manual}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
"$1" -m sphinx -q -W --keep-going -c scripts/manual -d "$work" . "$out"
rm -f "$out/.buildinfo" "$out/objects.inv"
