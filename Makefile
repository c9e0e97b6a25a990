# Every command of the project; `make help` lists them.
STACK ?= sandbox
PYTHON ?= python3
BIN := .venv/bin
YES_FLAG := $(if $(YES),--yes,)
QUIET_FLAG := $(if $(QUIET),--quiet,)
# With two on two cores a third of the processors' time would pass in waiting for engines and servers.
WORKERS ?= 3
# A locked list is complete, and wheels alone are installed: building one would fetch what no hash pins.
INSTALL := pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r

# Where the environment forbids compiled modules, each of the many processes of a run would compile all of them anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help init up preview previews down setup engine promote drift comment changed-stacks stacks judge judge-against
.PHONY: test browser lint fmt launcher schema pages pictures reliability bench lock audit scan coverage mutants clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  STACK=dev|staging|prod|sandbox (default sandbox), YES=1 asks nothing, QUIET=1 prints findings and results alone"

init: setup ## write a stack file by five questions: make init NAME=mine
	@$(BIN)/trainingjobs init $(NAME)

up: setup .venv-digits/.made ## declare STACK and run its jobs; the sandbox's trains on this machine
	@$(BIN)/trainingjobs up "$(STACK)" $(YES_FLAG) $(QUIET_FLAG)

preview: setup ## show what `make up` would do
	@$(BIN)/trainingjobs preview "$(STACK)" $(QUIET_FLAG)

down: setup ## destroy STACK, and stop the sandbox if it is a sandbox stack
	@$(BIN)/trainingjobs down "$(STACK)" $(YES_FLAG) $(QUIET_FLAG)

setup: .venv/.made ## make .venv with what a stack needs

previews: setup ## preview every stack with the policy pack on a sandbox, as CI does
	@$(BIN)/python -m dev.previews

promote: setup ## bring a release from FROM to TO (COMMIT=1: on a branch of its own; RELEASE=ID: go back; DRY_RUN=1)
	@$(BIN)/trainingjobs promote $${STEP:-$(FROM) $(TO)} $${RELEASE:+--release "$$RELEASE"} $(if $(COMMIT),--commit) $(if $(DRY_RUN),--dry-run)

drift: setup ## compare STACK with reality
	@$(BIN)/trainingjobs drift "$(STACK)"

comment: setup ## write what a change would do to STACKS (all but the sandbox's) into OUT, for a pull request
	@$(BIN)/python -m trainingjobs.report.pull_request $(STACKS) $(if $(OUT),-o "$(OUT)")

changed-stacks: setup ## the stacks that a merge brings up, as JSON: those changed since BEFORE
	@$(BIN)/python -m trainingjobs.operations.changed_stacks "$(BEFORE)"

stacks: setup ## the stacks that have a file, less the sandbox's, as JSON
	@$(BIN)/python -m trainingjobs.operations.cloud_stacks

judge-against: ## judge this tree by the rules, pack and policy configurations of BASE, a checkout of the target branch
	@$(MAKE) --no-print-directory -C "$(or $(BASE),$(error BASE=FOLDER is needed))" judge CHANGE="$(CURDIR)"

judge: setup ## judge CHANGE, a checkout of a pull request, by this tree's rules, pack and policy configurations
	@$(BIN)/python -m dev.judge files "$(or $(CHANGE),$(error CHANGE=FOLDER is needed))"
	@$(MAKE) --no-print-directory -C "$(CHANGE)" setup engine
	@$(BIN)/python -m dev.judge previews "$(CHANGE)"

engine: ## find pulumi, or build it into the cache
	@$(PYTHON) -m dev.engine

test: setup .venv/.made-dev .venv-digits/.made .venv-frameworks/.made .venv-scan/.made browser ## run every test, in WORKERS processes
	@$(PYTHON) -m dev.engine
	@$(PYTHON) -m dev.control_plane build
	@$(PYTHON) -m dev.actionlint
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

coverage: setup .venv/.made-dev ## compare what the tests without an engine cover with each package's floor
	@$(BIN)/python -m dev.coverage

mutants: .venv-mutants/.made ## change the pure packages in small ways and see whether a test fails (an hour; ONLY='trainingjobs.estimates.reducers.*')
	@nice -n 15 .venv-mutants/bin/python -m dev.mutants $(if $(ONLY),'$(ONLY)')

launcher: setup ## write dist/trainingjobs-launcher.pyz: the launcher as one file, for images
	@$(BIN)/python -m dev.launcher

browser: .venv/.made-dev ## Chromium and axe-core for the tests of the report page
	@$(BIN)/python -m dev.browser

lint: .venv/.made-dev ## run the linters
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@MYPYPATH=dev/engine/language_host $(BIN)/mypy --explicit-package-bases dev/engine/language_host/*.py

fmt: .venv/.made-dev ## format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

schema: setup ## write stacks/schema.json, which editors use
	@$(BIN)/trainingjobs schema -o stacks/schema.json

bench: .venv/.made-dev .venv-digits/.made ## measure what docs/performance.md says, side by side, and write it
	@$(PYTHON) -m dev.engine
	@$(BIN)/python -m bench -o docs/performance.md

pages: setup schema ## write what is made from the code: docs/rules.md, docs/reference, outputs in docs
	@$(BIN)/python -m dev.rules_page
	@$(BIN)/python -m dev.reference_pages
	@$(BIN)/python -m dev.doc_commands --write

pictures: browser .venv/.made-dev .venv-digits/.made ## draw docs/pictures
	@$(BIN)/python -m dev.screenshots

reliability: setup .venv/.made-dev ## inject faults and write docs/reliability.md
	@$(BIN)/python -m dev.reliability_page

lock: .venv-lock/.made ## write requirements*.txt, versions and hashes, from requirements*.in (UPGRADE=1: newest allowed)
	@.venv-lock/bin/python -m dev.lock_requirements $(if $(UPGRADE),--upgrade)

audit: .venv-audit/.made ## look up known vulnerabilities of the locked packages, where their database can be reached
	@.venv-audit/bin/python -m dev.audit

scan: setup .venv-scan/.made ## scan the rendered Kubernetes manifests with checkov
	@$(BIN)/python -m dev.scan

clean: ## stop the sandbox, and remove its state and the virtual environments
	@if [ -d .sandbox ]; then env -u TRAINING_SANDBOX $(PYTHON) -m sandbox stop; fi
	rm -rf .venv .venv-digits .venv-frameworks .venv-lock .venv-audit .venv-scan .venv-mutants .mutants .sandbox

.venv/.made: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and f"Python 3.11, 3.12 or 3.13 is needed; {sys.executable} is {sys.version.split()[0]}. Name one: make PYTHON=python3.12")'
	@echo "» making .venv with requirements.txt: about a minute"
	@$(PYTHON) -m venv .venv
	@$(BIN)/$(INSTALL) requirements.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@touch $@

.venv/.made-dev: .venv/.made requirements-dev.txt
	@echo "» adding requirements-dev.txt to .venv: about a minute"
	@$(BIN)/$(INSTALL) requirements-dev.txt
	@touch $@

.venv-digits/.made: examples/digits/requirements.txt
	@echo "» making .venv-digits for the example job (JAX): about half a minute"
	@$(PYTHON) -m venv .venv-digits
	@.venv-digits/bin/$(INSTALL) examples/digits/requirements.txt
	@touch $@

.venv-frameworks/.made: tests/frameworks/requirements.txt
	@echo "» making .venv-frameworks for the tests with TensorFlow: about a minute"
	@$(PYTHON) -m venv .venv-frameworks
	@.venv-frameworks/bin/$(INSTALL) tests/frameworks/requirements.txt
	@touch $@

.venv-lock/.made .venv-audit/.made .venv-scan/.made .venv-mutants/.made: .venv-%/.made: dev/requirements/%.txt
	@echo "» making .venv-$* with dev/requirements/$*.txt: less than a minute"
	@$(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/$(INSTALL) dev/requirements/$*.txt
	@touch $@
