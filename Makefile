# Every command of the project; `make help` lists them.
STACK ?= sandbox
PYTHON ?= python3
BIN := .venv/bin
YES_FLAG := $(if $(YES),--yes,)

.DEFAULT_GOAL := help
.PHONY: help up preview previews down setup engine test lint fmt schema pages bench clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  STACK=dev|staging|prod|sandbox (default sandbox), YES=1 asks nothing"

up: setup .venv-digits/.made ## declare STACK and run its jobs; the sandbox's trains on this machine
	@$(BIN)/python -m tools.stack up $(STACK) $(YES_FLAG)

preview: setup ## show what `make up` would do
	@$(BIN)/python -m tools.stack preview $(STACK)

down: setup ## destroy STACK, and stop the sandbox if it is a sandbox stack
	@$(BIN)/python -m tools.stack down $(STACK) $(YES_FLAG)

setup: .venv/.made ## make .venv with what a stack needs

previews: setup ## preview every stack with the policy pack on a sandbox, as CI does
	@$(BIN)/python -m tools.previews

engine: ## find pulumi, or build it into the cache
	@$(PYTHON) -m tools.engine

test: setup .venv/.made-dev .venv-digits/.made ## run every test
	@$(PYTHON) -m tools.engine
	@$(PYTHON) -m tools.kubernetes build
	@$(BIN)/python -m pytest

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

pages: setup ## write the pages that are made from the code: docs/rules.md
	@$(BIN)/python -m tools.rules_page

clean: ## remove the virtual environments and the sandbox's state (stop it first: make down)
	rm -rf .venv .venv-digits .sandbox

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
