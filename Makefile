.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The server starts much faster from cached bytecode.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The first Python that is new enough and can make virtual environments.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; \
	done)
ARGS ?=
# Dependencies of the examples in JavaScript, if npm is installed.
NODE_MODULES := $(if $(shell command -v npm),$(patsubst %,examples/%/node_modules/.package-lock.json,operator node))

# Tests near the dependencies and the standard library.
NEAR := tests/cluster tests/control tests/endpoints tests/http tests/hooks \
	$(addprefix tests/cli/,options test_application.py test_completion.py test_man.py test_run.py test_serve.py)

# Options that distribute the tests over processes.
SHARED := --numprocesses auto --dist loadfile --no-loadscope-reorder

# Clients and tools with many requirements, or with conflicting ones; each has a virtual environment of its own.
CLIENTS := ansible airflow docs helm kubespawner release

.PHONY: help serve test check types style layers fix unit shared alone slow lowest other clients bench soak docs dist pyz constraints clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

serve: $(VENV)/run.stamp  ## Install memkube and serve (ARGS="--port 8001")
	$(BIN)/memkube serve $(ARGS)

# The checks run in parallel with the tests, which do not always use all processors.
test: $(VENV)/dev.stamp $(NODE_MODULES)  ## Run all checks, and all tests except the slow ones
	$(MAKE) --no-print-directory --jobs shared types style layers
	$(MAKE) --no-print-directory alone

check: $(VENV)/dev.stamp  ## Check formatting, style, types and layers
	$(MAKE) --no-print-directory --jobs --output-sync types style layers

types:
	$(BIN)/mypy

style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

layers:
	$(BIN)/lint-imports

unit: $(VENV)/dev.stamp $(NODE_MODULES)  ## Run the tests (ARGS="tests/storage -k watch")
ifeq ($(ARGS),)
	$(MAKE) --no-print-directory shared
	$(MAKE) --no-print-directory alone
else
	$(BIN)/pytest $(ARGS)
endif

shared:
	$(BIN)/pytest $(SHARED) -m 'not alone and not slow'

alone:
	$(BIN)/pytest -m alone $$(grep --recursive --files-with-matches --fixed-strings mark.alone --include 'test_*.py' tests)

# Slow tests often wait, so one more process than processors runs them.
slow: ONE_MORE = $(shell $(BIN)/python -c 'import os; print((os.cpu_count() or 1) + 1)')
slow: $(VENV)/dev.stamp  ## Run the tests that `make test` omits
	$(MAKE) --no-print-directory --jobs clients
	$(BIN)/pytest $(SHARED) --numprocesses $(ONE_MORE) -m slow \
		$$(grep --recursive --files-with-matches --fixed-strings mark.slow --include 'test_*.py' tests)

lowest: .lowest/stamp  ## Run the tests near the dependencies with the lowest versions that pyproject.toml allows
	.lowest/bin/python -m pytest $(NEAR) $(SHARED) -m 'not alone and not slow'

other: $(VENV)/dev.stamp  ## Run the same tests with another Python (PYTHON=python3.13)
	$(PYTHON) -m venv --clear --without-pip .other
	$(PIP) --python .other/bin/python install --quiet --no-compile --require-hashes -r constraints/dev.txt
	$(PIP) --python .other/bin/python install --quiet --require-hashes -r constraints/run.txt -r constraints/build.txt
	$(PIP) --python .other/bin/python install --quiet --no-deps --no-build-isolation --editable .
	.other/bin/python -m pytest $(NEAR) $(SHARED) -m 'not alone and not slow'

clients: $(CLIENTS:%=.clients/%/stamp)  ## Install the clients that the slow tests run

fix: $(VENV)/dev.stamp  ## Format, and apply automatic fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp  ## Run the benchmarks (ARGS="--against http://127.0.0.1:8001")
	$(BIN)/python -m benchmarks $(ARGS)

soak: $(VENV)/dev.stamp  ## Try for hours to make servers lose data (ARGS="races kills --engines sqlite")
	$(BIN)/python -m proofs $(ARGS)

dist: $(VENV)/dev.stamp  ## Build the wheel and the sdist into dist/
	$(BIN)/hatchling build -d dist

docs: $(VENV)/dev.stamp .clients/docs/stamp  ## Build the documentation site into build/site; warnings are errors
	$(BIN)/python tools/site_pages.py build/docs
	.clients/docs/bin/zensical build --clean --strict

# shiv packs a folder of installed packages; the packages with compiled modules suit this machine's platform and Python.
pyz: .clients/release/stamp dist  ## Build memkube.pyz into dist/, a single file that needs only Python
	rm -rf build/pyz
	$(PIP) install --quiet --target build/pyz --require-hashes -r constraints/run.txt
	$(PIP) install --quiet --target build/pyz --no-deps dist/memkube-$$($(BIN)/hatchling version)-py3-none-any.whl
	.clients/release/bin/shiv --site-packages build/pyz --console-script memkube --python '/usr/bin/env python3' \
		--reproducible --compressed --output-file dist/memkube.pyz

constraints:  ## Resolve and pin the newest versions; requires uv
	uv pip compile pyproject.toml $(COMPILE) --output-file constraints/run.txt
	uv pip compile --group build $(COMPILE) --constraints constraints/run.txt --output-file constraints/build.txt
	uv pip compile pyproject.toml --group dev $(COMPILE) --constraints constraints/run.txt \
		--constraints constraints/build.txt --output-file constraints/dev.txt
	uv pip compile pyproject.toml $(COMPILE) --resolution lowest-direct --output-file constraints/lowest.txt
	for client in $(CLIENTS); do \
		uv pip compile --group clients-$$client $(COMPILE) --output-file constraints/clients-$$client.txt; done
	uv pip compile --group clients-collections --no-deps $(COMPILE) --output-file constraints/clients-collections.txt

COMPILE := --quiet --upgrade --python-version 3.11 --universal --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links

clean:  ## Remove the environments and all caches
	rm -rf $(VENV) .clients .lowest .other .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo 'memkube needs Python 3.11 or newer with its venv module' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: constraints/run.txt constraints/build.txt pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes -r constraints/run.txt -r constraints/build.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	touch $@

examples/%/node_modules/.package-lock.json: examples/%/package.json
	cd examples/$* && npm install --silent --no-audit --no-fund --no-package-lock
	touch $@

# --no-compile, because the tools have thousands of modules, most of which are never imported.
$(VENV)/dev.stamp: constraints/dev.txt $(VENV)/run.stamp
	$(PIP) install --quiet --no-compile --require-hashes -r constraints/dev.txt
	touch $@

# Test tools have the versions of constraints/dev.txt; only memkube's own dependencies have their lowest versions.
.lowest/stamp: constraints/lowest.txt constraints/dev.txt constraints/build.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m venv --without-pip .lowest
	$(PIP) --python .lowest/bin/python install --quiet --no-compile --no-deps --require-hashes -r constraints/dev.txt
	$(PIP) --python .lowest/bin/python install --quiet --no-deps --require-hashes -r constraints/lowest.txt
	$(PIP) --python .lowest/bin/python install --quiet --no-deps --require-hashes -r constraints/build.txt
	$(PIP) --python .lowest/bin/python install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.clients/%/stamp: constraints/clients-%.txt | $(VENV)/bin/python
	$(BIN)/python -m venv --without-pip .clients/$*
	$(PIP) --python .clients/$*/bin/python install --quiet --no-compile --require-hashes -r $<
	touch $@

# The tested collection is extracted from the package that contains all of Ansible's collections.
.clients/ansible/stamp: .clients/ansible/ansible_collections/kubernetes/core/MANIFEST.json

.clients/ansible/ansible_collections/kubernetes/core/MANIFEST.json: constraints/clients-collections.txt | $(VENV)/bin/python
	$(PIP) download --quiet --no-deps --only-binary :all: --require-hashes --dest .clients/download -r $<
	$(BIN)/python tools/collection.py .clients/download/ansible-*.whl kubernetes/core .clients/ansible
	rm -r .clients/download
	touch $@
