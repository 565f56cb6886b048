#!/bin/sh
# lock.sh: write requirements.lock anew, with the newest versions that pyproject.toml allows.
#
# It exists so that everybody installs the same files: each with its version and its hash, for every
# system and Python that deniable knows. What a server needs stands first, what only the tests need
# after the line below it, so that `make run` does not wait for the rest. uv writes the file, since
# pip cannot; pip alone installs from it.
set -eu
cd "$(dirname "$0")/.."
uv_version=0.13.8
tests_only="# Only the tests need what follows."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${1:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --disable-pip-version-check --quiet "uv==$uv_version"

# What builds the project is locked as well: otherwise pip would fetch it at each install, unchecked.
sed -n 's/^requires = \["\([^"]*\)"\].*/\1/p' pyproject.toml >"$work/build.in"

compile() {
  "$work/venv/bin/uv" --no-config --quiet pip compile --universal --generate-hashes --no-header \
    --python-version 3.11 pyproject.toml "$work/build.in" "$@"
}
compile -o "$work/server.lock" >/dev/null
compile --extra dev --constraints "$work/server.lock" --no-annotate -o "$work/all.lock" >/dev/null

{
  echo "# Written by \`make lock\`; installed by pip with --require-hashes. Not to be edited by hand."
  sed "s#-r $work/build.in#what builds deniable#; s# *$work/build.in##" "$work/server.lock"
  echo
  echo "$tests_only"
  awk 'NR == FNR { if (/^[a-z]/) there[$1] = 1; next }
       /^[a-z]/ { print_it = !($1 in there) }
       print_it' "$work/server.lock" "$work/all.lock"
} >requirements.lock
echo "requirements.lock: $(grep -c '^[a-z]' requirements.lock) packages"
