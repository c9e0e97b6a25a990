# Every command of the project; `make help` lists them.
STACK ?= sandbox
PYTHON ?= python3
BIN := .venv/bin
YES_FLAG := $(if $(YES),--yes,)

.DEFAULT_GOAL := help
.PHONY: help init up preview previews down setup engine promote drift comment changed-stacks test browser lint fmt
.PHONY: schema pages pictures reliability bench clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  STACK=dev|staging|prod|sandbox (default sandbox), YES=1 asks nothing"

init: setup ## write a stack file by five questions: make init NAME=mine
	@$(BIN)/python -m infra init $(NAME)

up: setup .venv-digits/.made ## declare STACK and run its jobs; the sandbox's trains on this machine
	@$(BIN)/python -m tools.stack up $(STACK) $(YES_FLAG)

preview: setup ## show what `make up` would do
	@$(BIN)/python -m tools.stack preview $(STACK)

down: setup ## destroy STACK, and stop the sandbox if it is a sandbox stack
	@$(BIN)/python -m tools.stack down $(STACK) $(YES_FLAG)

setup: .venv/.made ## make .venv with what a stack needs

previews: setup ## preview every stack with the policy pack on a sandbox, as CI does
	@$(BIN)/python -m tools.previews

promote: setup ## bring a release from FROM to TO (COMMIT=1: on a branch of its own; RELEASE=ID: go back; DRY_RUN=1)
	@$(BIN)/python -m infra promote $${STEP:-$(FROM) $(TO)} $${RELEASE:+--release "$$RELEASE"} $(if $(COMMIT),--commit) $(if $(DRY_RUN),--dry-run)

drift: setup ## compare STACK with reality
	@$(BIN)/python -m infra drift $(STACK)

comment: setup ## write what a change would do to STACKS into OUT, for a pull request
	@$(BIN)/python -m tools.pull_request $(STACKS) $(if $(OUT),-o "$(OUT)")

changed-stacks: setup ## the stacks that a merge brings up, as JSON: those changed since BEFORE
	@$(BIN)/python -m tools.changed_stacks "$(BEFORE)"

engine: ## find pulumi, or build it into the cache
	@$(PYTHON) -m tools.engine

test: setup .venv/.made-dev .venv-digits/.made .venv-frameworks/.made browser ## run every test
	@$(PYTHON) -m tools.engine
	@$(PYTHON) -m tools.kubernetes build
	@$(PYTHON) -m tools.actionlint
	@$(BIN)/python -m pytest

browser: setup ## Chromium and axe-core for the tests of the report page
	@$(BIN)/python -m tools.browser

lint: .venv/.made-dev ## run the linters
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

fmt: .venv/.made-dev ## format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

schema: setup ## write stacks/schema.json, which editors use
	@$(BIN)/python -m infra schema -o stacks/schema.json

bench: .venv/.made-dev ## measure what docs/performance.md says, side by side, and write it
	@$(PYTHON) -m tools.engine
	@$(BIN)/python -m bench -o docs/performance.md

pages: setup schema ## write what is made from the code: docs/rules.md, docs/reference, outputs in docs
	@$(BIN)/python -m tools.rules_page
	@$(BIN)/python -m tools.reference_pages
	@$(BIN)/python -m tools.doc_commands --write

pictures: browser .venv/.made-dev .venv-digits/.made ## draw docs/pictures
	@$(BIN)/python -m tools.screenshots

reliability: setup .venv/.made-dev ## inject faults and write docs/reliability.md
	@$(BIN)/python -m tools.reliability_page

clean: ## remove the virtual environments and the sandbox's state (stop it first: make down)
	rm -rf .venv .venv-digits .venv-frameworks .sandbox

.venv/.made: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Python 3.11 or newer is needed; {sys.executable} is {sys.version.split()[0]}. Name one: make PYTHON=python3.12")'
	@echo "» making .venv with requirements.txt: about a minute"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.made-dev: .venv/.made requirements-dev.txt
	@echo "» adding requirements-dev.txt to .venv: about a minute"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

.venv-digits/.made: examples/digits/requirements.txt
	@echo "» making .venv-digits for the example job (JAX): about half a minute"
	@$(PYTHON) -m venv .venv-digits
	@.venv-digits/bin/pip install --quiet --disable-pip-version-check -r examples/digits/requirements.txt
	@touch $@

.venv-frameworks/.made: tests/frameworks/requirements.txt
	@echo "» making .venv-frameworks for the tests with TensorFlow: about a minute"
	@$(PYTHON) -m venv .venv-frameworks
	@.venv-frameworks/bin/pip install --quiet --disable-pip-version-check -r tests/frameworks/requirements.txt
	@touch $@
