#!/bin/sh
# apt-install.sh PACKAGE...: install Debian packages if this user may, else say what to type.
#
# It exists so that both places that need a Debian package (python3-venv, chromium) ask in the same
# way: never for a password, since nobody may be there to type it. Fails if nothing was installed;
# whether that matters is the caller's to say.
set -eu

if ! command -v apt-get >/dev/null; then
  echo "There is no apt-get here. Install these by your system's own means: $*" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  sudo=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  sudo=sudo
else
  echo "Installing needs root, which I cannot have without a password. Please type:" >&2
  echo "    sudo apt-get update && sudo apt-get install $*" >&2
  exit 1
fi

echo "Installing $* with apt-get"
$sudo apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive ${RUNLEVEL:+RUNLEVEL=$RUNLEVEL} apt-get install -q -y --no-install-recommends \
  -o DPkg::Lock::Timeout=120 "$@"
