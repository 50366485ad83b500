# Every target does the set-up it needs (tools/setup.py: into .venv, each step once) and says what it does.
#   PYTHON=/path/to/python3   the Python to make .venv with (3.11 or newer); found by itself otherwise
#   LAB_ARGS="--no-browser --port=8899"   further arguments of JupyterLab for `make lab`
#   TEST_ARGS="-k softmax"    further arguments of pytest for `make test`
.PHONY: help lab demo test lint bench setup clean distclean
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
SETUP := PYTHON="$(PYTHON)" sh tools/setup.sh

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab:  ## set up everything and open JupyterLab on the quickstart
	@$(SETUP) lab
	@exec $(PY) tools/lab.py $(LAB_ARGS)

demo:  ## set up everything, run the quickstart headless, leave an HTML report and print its path
	@$(SETUP) lab
	@$(PY) tools/demo.py

test:  ## set up everything and run all tests
	@$(SETUP) test
	@$(PY) tools/run_tests.py $(TEST_ARGS)

lint:  ## ruff, mypy, and the linters of the extension
	@$(SETUP) test
	@$(PY) tools/run_tests.py --only lint

bench:  ## print what the benchmarks measure
	@$(SETUP) lab
	@$(PY) tools/bench.py

setup:  ## only the set-up
	@$(SETUP) test

clean:  ## remove what tests and demos left behind (not .venv)
	rm -rf out build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv*' -not -path './node_modules/*' -prune -exec rm -rf {} +

distclean: clean  ## also remove the environments
	rm -rf .venv .venv-triton36 kernel_lab/labextension extensions/jupyterlab/node_modules extensions/jupyterlab/.yarn extensions/jupyterlab/lib
