# Every target sets up .venv by itself: Python 3.11 or later and pip are all that is needed.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: demo test test-all check bench clean

$(VENV)/core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	touch $@

$(VENV)/dev: $(VENV)/core
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	touch $@

demo: $(VENV)/core
	$(VENV)/bin/simpatico demo --out demo-run

test: $(VENV)/dev check
	$(RUN) -m pytest -q -m 'not slow' -n 2 --dist loadfile

$(VENV)/fast: $(VENV)/dev
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev,fast]'
	touch $@

test-all: $(VENV)/fast check
	$(RUN) -m pytest -q -n 2 --dist loadfile

check: $(VENV)/dev
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy

bench: $(VENV)/dev
	$(RUN) benchmarks/run.py

clean:
	rm -rf $(VENV) .venv-bench demo-run
