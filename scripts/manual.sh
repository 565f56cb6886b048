#!/bin/sh
# manual.sh PYTHON [FOLDER]: build the manual into a folder (build/manual, where the desk looks for it).
#
# It exists because a release puts the manual of the last commit into the wheel, and `make docs` that
# of this folder where the desk finds it. What the builder keeps of the pages goes elsewhere.
set -eu
cd "$(dirname "$0")/.."
out=${2:-build/manual}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
"$1" -m sphinx -q -W --keep-going -c docs -d "$work" . "$out"
rm -f "$out/.buildinfo" "$out/objects.inv"
