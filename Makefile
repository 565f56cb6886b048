# Needs python3 (3.11 or newer), make and git; fetches everything else.
# Node comes as a Python wheel into .venv, so nothing but browsers and PostgreSQL needs root, and R for `test-slow`.

PYTHON    ?= python3
HOST      ?= 0.0.0.0
PORT      ?= 8000
DESK_PORT ?= 8001
STORE     ?= deniable.db

SURVEYS := examples/doping.yaml examples/wellbeing.yaml examples/classroom.yaml examples/journeys.yaml
NODE    := .venv/bin/node

.DEFAULT_GOAL := help
.PHONY: help install run test test-slow campaign lint docs size paths lock theme words bench screenshots release clean

help: ## list what make can do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

install: .venv/.dev-stamp ## put everything the others use into .venv and node_modules

# HOST is every address of this machine, so that a phone in the same network can answer. The desk
# is for this machine alone.
run: .venv/.run-stamp ## serve the example surveys (HOST=0.0.0.0 PORT=8000 DESK_PORT=8001 STORE=deniable.db)
	.venv/bin/deniable serve $(SURVEYS) --store "$(STORE)" --host "$(HOST)" --port "$(PORT)" --desk-port "$(DESK_PORT)"

test: .venv/.dev-stamp ## run the tests, in Python, JavaScript and a real Chromium
	@scripts/install.sh chromium postgres
	@scripts/test.sh

test-slow: .venv/.dev-stamp ## run the tests that take longest: more browsers, R, both engines, audits in full
	@scripts/install.sh chromium firefox webkit postgres r java proxies
	@.venv/bin/python -m tools.peers Datasette
	@.venv/bin/python -m tools.oldest .venv-oldest
	@scripts/test.sh slow

campaign: .venv/.dev-stamp ## before a release: hours of tries and measurements, summed up in build/campaign.md
	@scripts/install.sh chromium firefox webkit postgres
	.venv/bin/python -m tools.campaign

lint: .venv/.dev-stamp ## check style and types, in Python and JavaScript
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	$(NODE) node_modules/eslint/bin/eslint.js .
	$(NODE) node_modules/prettier/bin/prettier.cjs --check '**/*.{js,css}'
	$(NODE) node_modules/typescript/bin/tsc
	@scripts/bundle.sh --check

docs: .venv/.dev-stamp ## build the manual as a site, into build/manual (the desk shows it by itself)
	@scripts/manual.sh .venv/bin/python

size: .venv/.dev-stamp ## count the lines of each room, and what else people have to know
	@.venv/bin/python -m tools.size

paths: .venv/.dev-stamp ## list the files that a report, a result and a survey file go through
	@.venv/bin/python -m tools.paths

lock: ## write requirements.lock anew, with the newest versions that pyproject.toml allows
	@scripts/lock.sh "$(PYTHON)"

theme: .venv/.dev-stamp ## write what respondents' pages use of the theme into their style
	.venv/bin/python -m tools.theme

words: .venv/.dev-stamp ## bring new sentences of the pages into the catalogues of all languages
	.venv/bin/python -m tools.words

bench: .venv/.dev-stamp ## compare its speed with others, side by side
	@scripts/install.sh postgres
	.venv/bin/python -m benchmarks

screenshots: .venv/.dev-stamp ## take a picture of every page, the respondents' and the desk's
	@scripts/install.sh chromium
	.venv/bin/python -m tools.screenshots

release: .venv/.dev-stamp ## sign the release of the last commit into dist/ (KEY=private.pem, an Ed25519 key)
	@scripts/release.sh "$(KEY)"

clean: ## remove what the others made, except the store
	rm -rf .venv .venv-peers .venv-oldest node_modules build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps, so that `make run` waits for what a server and a regression need and for nothing else.
.venv/.run-stamp: pyproject.toml requirements.lock scripts/make-venv.sh scripts/install-locked.sh
	@scripts/make-venv.sh "$(PYTHON)"
	scripts/install-locked.sh server
	@touch $@

.venv/.dev-stamp: .venv/.run-stamp package.json package-lock.json
	scripts/install-locked.sh tests
	.venv/bin/npm ci --ignore-scripts --no-audit --no-fund
	@# Once, and not in each of the processes that run the tests side by side.
	.venv/bin/python -m compileall -q -x '/[.]|/node_modules' .
	@touch $@
