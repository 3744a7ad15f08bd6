# Everything here needs only python3 (3.11 or newer), make and a package index that pip can reach.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DATA   ?=
JOBS   ?= 3
SECONDS ?= 10
HOURS  ?= 2
AUDIT  ?=
TESTS  ?=
MODULE ?=
COMPILED := hatch_build.py $(wildcard src/native/*)  # installing compiles these

# Tests start hundreds of processes: what Python compiles of the sources is kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE =

# uv, where it is installed, only makes the same installation faster.
ifneq ($(shell command -v uv 2>/dev/null),)
INSTALL = uv pip install --quiet --python $(BIN)/python
INSTALL_INTO = uv pip install --quiet --python
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
INSTALL_INTO = $(BIN)/python -m pip install --quiet --disable-pip-version-check --python
endif

.DEFAULT_GOAL := help
.PHONY: help demo test compiled long-tests sanitize soak mutate lint types format bench docs cli-reference http-reference coverage wheel test-wheel test-oldest audit sbom explore fuzz clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scythe needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)
	@# the pip that comes with Python 3.11 cannot resolve extras that are spelled in two ways
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip || true

$(VENV)/installed: pyproject.toml $(COMPILED) | $(BIN)/python
	$(INSTALL) -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml $(COMPILED) | $(BIN)/python
	@# what the tests run besides Python: tests of what cannot be installed are skipped, and say so
	@tools/install_for_tests || true
	$(INSTALL) -e '.[bench,dev]'  # bench: its tests run the peers
	@touch $@ $(VENV)/installed

$(VENV)/installed-docs: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/installed-bench: pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[bench]'
	@touch $@

demo: $(VENV)/installed  ## install into .venv and show in a minute what scythe does, on this machine
	$(BIN)/scythe demo

test: lint  ## everything a change must pass: format, lint, strict types, tests
	@$(MAKE) --no-print-directory --jobs 2 types compiled
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

compiled: $(VENV)/installed-dev  # the tests, once: each of the processes that run them would compile them for itself
	@$(BIN)/pytest --collect-only --quiet -p no:xdist >/dev/null || true

lint: $(VENV)/installed-dev  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev  ## mypy --strict
	$(BIN)/mypy --strict src

format: $(VENV)/installed-dev  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

long-tests: $(VENV)/installed-dev sanitize  ## the tests that take minutes
	$(BIN)/pytest -m soak

sanitize: $(VENV)/installed-dev  ## tests of the compiled extension with ASan and UBSan: make sanitize [TESTS=...]
	$(BIN)/python -m tools.sanitize $(TESTS)

soak: $(VENV)/installed-dev  ## hours of crawling, watching and asking the web page, with a report: make soak [HOURS=2]
	$(BIN)/python -m tools.soak --hours $(HOURS) --out build/soak-$$(date +%Y%m%d-%H%M)

explore: $(VENV)/installed-dev  ## property tests with new random examples each time: make explore [TESTS='tests/property']
	SCYTHE_EXPLORE=1 $(BIN)/pytest -n $(JOBS) $(or $(TESTS),tests/property tests/faults tests/differential)

mutate: $(VENV)/installed-dev  ## small defects, which tests must find: make mutate MODULE=scythe.url [TESTS=tests/test_url.py]
	@test -n '$(MODULE)' || { echo 'say which module: make mutate MODULE=scythe.url'; exit 2; }
	$(BIN)/python -m tools.mutate $(MODULE) $(if $(TESTS),--tests $(TESTS))

fuzz: $(VENV)/installed-dev  ## odd input for everything that reads: make fuzz [SECONDS=600] (for each target)
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --jobs $(JOBS)

# Being measured, Python is three times as slow, and tests that limit its time fail: `make test` is their judge.
coverage: $(VENV)/installed-dev  ## how much of the package the tests reach: fails below the goals
	@rm -rf .coverage .coverage.* build/coverage build/coverage.* && mkdir -p build
	-$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --cov --cov-report=json:build/coverage.json --cov-report=html:build/coverage
	$(BIN)/python -m tools.coverage_gate build/coverage.json --out build/coverage.md

bench: $(VENV)/installed-bench  ## every number of the README beside the peers: make bench DATA=folder-of-page-sets
	@test -n '$(DATA)' || { echo 'say where the page sets are: make bench DATA=DIR'; exit 2; }
	$(BIN)/python -m bench --data '$(DATA)' --folds train/folds -o build/bench

docs: $(VENV)/installed-docs  ## build the documentation into site/, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

cli-reference: $(VENV)/installed-dev  ## write docs/reference/cli.md from the commands' own help
	$(BIN)/python tools/cli_reference.py

http-reference: $(VENV)/installed-dev  ## write docs/reference/api-http.md from the operations of the web page
	$(BIN)/python tools/http_reference.py

WITH = --extra batch --extra ml --extra plot --extra postgres  # what the tests that are run by default import

# The time of the last commit is the time of everything in there: built twice, it is the same.
wheel: $(VENV)/installed-dev  ## build the wheel and the source archive into dist/, and check what is in them
	rm -rf dist
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 1580601600)} $(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m tools.check_package dist

test-wheel: wheel  ## install the built wheel into build/wheel and run tests against it: make test-wheel [TESTS='tests']
	$(BIN)/python -m tools.test_installed build/wheel --wheel dist $(WITH) -- $(TESTS)

test-oldest: $(BIN)/python  ## run tests with the oldest dependencies that pyproject.toml allows: make test-oldest [TESTS='tests']
	$(BIN)/python -m tools.test_installed build/oldest --oldest $(WITH) -- $(TESTS)

AUDITED = build/audited
SBOM = $(BIN)/cyclonedx-py environment --pyproject pyproject.toml --mc-type library --output-reproducible --of JSON

$(VENV)/installed-audit: pyproject.toml | $(BIN)/python
	$(INSTALL) 'cyclonedx-bom>=7' 'pip-audit>=2.9'
	@touch $@

# environments with nothing in them but what users get: the core alone, and all extras
$(AUDITED)/core/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv --clear --without-pip $(AUDITED)/core
	$(INSTALL_INTO) $(AUDITED)/core/bin/python .
	@touch $@

$(AUDITED)/all/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv --clear --without-pip $(AUDITED)/all
	$(INSTALL_INTO) $(AUDITED)/all/bin/python '.[all]'
	@touch $@

audit: $(VENV)/installed-audit $(AUDITED)/all/installed  ## compare all dependencies with the known vulnerabilities: make audit [AUDIT='--service osv']
	$(BIN)/python tools/audit.py $(AUDIT) --path "$$($(AUDITED)/all/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

sbom: $(VENV)/installed-audit $(AUDITED)/core/installed $(AUDITED)/all/installed  ## list what the core and all extras depend on: build/sbom-*.json
	$(SBOM) -o build/sbom-core.json $(AUDITED)/core
	$(SBOM) -o build/sbom-all.json $(AUDITED)/all

clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*
