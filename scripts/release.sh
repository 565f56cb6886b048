#!/bin/sh
# release.sh KEY [FOLDER]: build the release of the last commit into a folder (dist), and sign each file.
#
# It exists so that everybody who has the commit gets the same bytes, and can compare them with those
# that were signed: it takes nothing from this folder but the commit, and no time, mode or name of
# this machine. KEY is the private Ed25519 key whose public one is cli/release.pem.
# PYTHON is the interpreter that has what `make install` installs.
set -eu
umask 022
export LC_ALL=C TZ=UTC
python=${PYTHON:-$PWD/.venv/bin/python}
key=$1
out=${2:-dist}
if [ -z "$key" ]; then
  echo "make release KEY=FILE: name the private key of releases (docs/contributors.md)." >&2
  exit 2
fi
if ! openssl pkey -in "$key" -pubout | cmp -s - cli/release.pem; then
  echo "$key is not the private key of cli/release.pem." >&2
  exit 1
fi
if [ -n "$(git status --porcelain)" ]; then
  echo "A release is built of the last commit: commit what you have changed, or put it aside." >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/wheel" "$work/installed"
git archive HEAD | tar -x --no-same-permissions -C "$work/tree"
grep -n 'OWNER: ' "$work"/tree/*.* "$work"/tree/docs/*.md | sed "s|$work/tree/|left for the owner: |" >&2 || true
# A package index shows the README without the files that it links to.
files=$(sed -n 's/^Documentation = "\(.*\)"$/\1/p' "$work/tree/pyproject.toml")
sed -i "s|](\([A-Za-z/-]*\.png\))|]($files\1?raw=true)|g
s|](\([A-Za-z][A-Za-z/.-]*[#)]\)|]($files\1|g" "$work/tree/README.md"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# As the commit says, so that everybody gets the same: what nobody renews in a year is not believed.
not_after=$(date -d "@$((SOURCE_DATE_EPOCH + 366 * 86400))" +%F)
PYTHONPATH="$work/tree" "$work/tree/scripts/manual.sh" "$python" "$work/manual"
find "$work/tree" -name __pycache__ -prune -exec rm -rf {} +
name=deniable-$(sed -n 's/^version = "\(.*\)"$/\1/p' "$work/tree/pyproject.toml")
cp -a "$work/tree" "$work/$name"  # before building leaves more there
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --no-cache-dir -w "$work/wheel" "$work/tree"
wheel=$(basename "$work"/wheel/*.whl)

# The manifest is that of the wheel, and of no other copy of the program.
"$python" -m zipfile -e "$work/wheel/$wheel" "$work/installed"
PYTHONPATH="$work/installed" "$python" -P -c 'from deniable.cli.main import main; main()' \
  verify --hashes --format json --not-after "$not_after" >"$work/wheel/$name.json"
PYTHONPATH="$work/tree" "$python" -P -m tools.materials "$work/wheel/$wheel" "$work/wheel/$name.cdx.json"
find "$work/manual" "$work/$name" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$work/manual" && "$python" -m zipfile -c "$work/wheel/$name-manual.zip" ./*)
# The sources, of which pip makes the same wheel.
cp "$work/installed/$name.dist-info/METADATA" "$work/$name/PKG-INFO"
tar -c --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  -C "$work" "$name" | gzip -n9 >"$work/wheel/$name.tar.gz"

for file in "$work/wheel"/*; do
  openssl pkeyutl -sign -rawin -inkey "$key" -in "$file" | openssl base64 -A >"$file.sig"
done
mkdir -p "$out"
# Files of an older release have good signatures, too: none of them stays among these.
rm -f "$out"/deniable-*
cp "$work"/wheel/* "$out"
ls "$out"
