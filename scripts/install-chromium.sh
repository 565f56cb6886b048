#!/bin/sh
# install-chromium.sh: get the browser that the tests drive, if it is missing and can be had.
#
# It exists because the promises about the respondent's page can only be proved in a real browser,
# and a fresh machine has none. Where it cannot be installed this succeeds all the same: the tests
# then say what they left out and how to get it, or fail under CI=true (see tests/needs.py). The
# headless shell makes them faster (see tests/browser/chromium.py); without it they run too.
set -eu
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
  scripts/apt-install.sh chromium chromium-driver ||
    echo "Going on without Chromium: the tests that need it will say so." >&2
fi
if ! command -v chromium-headless-shell >/dev/null; then
  scripts/apt-install.sh chromium-headless-shell ||
    echo "Going on without the headless shell: the tests in the browser take longer." >&2
fi
