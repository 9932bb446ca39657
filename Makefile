# Everything a person types. Each target sets up what it needs; nothing has to be installed by hand but
# Python 3.11+, git and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
unexport PYTHONPATH

TASK      ?= suspected_infection
AGENT     ?=
MODEL     ?=
CONDITION ?=
SANDBOX   ?=
SEED      ?=
FORMAT    ?= markdown
OUT       ?= .workbench/audit
SOURCE    ?= $(if $(SEED),synthetic-500-$(SEED))

.PHONY: help setup rerun test lint bench audit tui clean

help:
	@echo "make rerun TASK=suspected_infection [AGENT= MODEL= CONDITION= SOURCE= SEED= SANDBOX=]"
	@echo "             run tasks in the sandbox, score, lint"
	@echo "make test    all tests and checks        make lint   checks only       make bench   figures beside targets"
	@echo "make audit   witness cases, audit tables   make tui  runs in the terminal   make setup   install only"
	@echo "             FORMAT=markdown|csv|latex|html|json OUT=folder"
	@echo "make clean   remove the virtual environment and caches (data and runs stay)"

setup: $(VENV)/.core

$(VENV)/.core: pyproject.toml constraints.txt .ci/setup.sh
	@sh .ci/setup.sh "$(PYTHON)" "$(VENV)" core

$(VENV)/.test: pyproject.toml constraints.txt .ci/setup.sh
	@sh .ci/setup.sh "$(PYTHON)" "$(VENV)" test

rerun: setup
	@$(BIN)/workbench run "$(TASK)" \
	  $(if $(AGENT),--agent "$(AGENT)") $(if $(MODEL),--model "$(MODEL)") \
	  $(if $(CONDITION),--condition "$(CONDITION)") $(if $(SANDBOX),--sandbox "$(SANDBOX)") \
	  $(if $(SOURCE),--source "$(SOURCE)")

lint: $(VENV)/.test
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

test: lint
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

bench: $(VENV)/.test
	@$(BIN)/python tests/bench/run.py

audit: setup
	@$(BIN)/workbench witness run
	@$(BIN)/workbench audit export --format $(FORMAT) --out $(OUT)

tui: setup
	@$(BIN)/workbench tui

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
