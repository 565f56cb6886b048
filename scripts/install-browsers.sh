#!/bin/sh
# install-browsers.sh: get Firefox ESR, and with "slow" WebKitGTK too, if they can be had.
#
# It exists because people open the respondent's page in other engines than Chromium's, and what a
# browser writes to the disk is its own. Where they cannot be installed this succeeds all the same:
# the tests then say what they left out and how to get it, or fail under CI=true (see tests/needs.py).
set -eu
cd "$(dirname "$0")/.."

if ! command -v firefox-esr >/dev/null; then
  scripts/apt-install.sh firefox-esr ||
    echo "Going on without Firefox: the tests that need it will say so." >&2
fi
if [ "${1:-}" = slow ] && ! { command -v WebKitWebDriver && command -v Xvfb; } >/dev/null; then
  # It has no mode without a window, so Xvfb lends it a screen.
  scripts/apt-install.sh webkit2gtk-driver xvfb ||
    echo "Going on without WebKitGTK: the tests that need it will say so." >&2
fi
