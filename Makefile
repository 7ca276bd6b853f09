# `make test` and `make run` need Python 3.11 or later, g++ and make on the machine; the rest is installed into .venv.

PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV   ?= .venv
EXTRAS ?= all
JOBS   ?= 2
ARGS   ?=

BIN := $(VENV)/bin
PY  := $(BIN)/python
PIP := $(PY) -m pip -qq --disable-pip-version-check
BUILD_TOOLS := scikit-build-core nanobind cmake ninja setuptools wheel
PACKAGES := ofc_env wrappers agents experiments server
CORE_SOURCES := $(shell find core -type f 2>/dev/null)
CPP_SOURCES := $(filter %.cpp %.hpp,$(CORE_SOURCES))
# A package that appears must be made known to the editable install.
PACKAGE_ROOTS := $(shell find $(PACKAGES) -name __init__.py)
CHECKED := $(wildcard $(PACKAGES) tests)
# A stamp for each choice of extras: `make play EXTRAS=server` does not keep `make test` from installing the rest.
DEPENDENCIES := $(VENV)/.dependencies-$(EXTRAS)

# One thread per process: the suite and the matches run several processes.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export PYTHONUNBUFFERED ?= 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help venv build stubs run champion test lint format bench figures prove sanitize docs play site clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  ARGS=\"...\" is passed on to the script or to pytest, for example: make test ARGS=\"-k board\""

# Dependencies and the compiled core have a stamp each, so that an edit of C++ does not resolve packages again.
# A stamp carries the time its recipe began: a file saved while the compiler runs is compiled by the next build.
# The build tools come first, because the build uses them from .venv: that makes the next build a matter of seconds.
# setuptools and wheel are for dependencies that come as sources (rlcard).
$(DEPENDENCIES): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later was found: install one, or say make PYTHON=/path/to/python"; exit 1; }
	@test -x $(PY) || { echo "creating $(VENV) with $(PYTHON)"; "$(PYTHON)" -m venv $(VENV); }
	@touch $@.begun
	@echo "installing dependencies and building the native core (some minutes the first time)"
	@$(PIP) install -c constraints.txt $(BUILD_TOOLS)
	@$(PIP) install -c constraints.txt --no-build-isolation --editable ".[$(EXTRAS)]"
	@mv $@.begun $@

$(VENV)/.build: $(DEPENDENCIES) $(CORE_SOURCES) $(PACKAGE_ROOTS)
	@touch $@.begun
	@echo "building the native core"
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@mv $@.begun $@

venv: $(VENV)/.build  ## create .venv with every dependency and this package, editable

build: $(VENV)/.build  ## compile the native core again, if its sources changed

stubs: build  ## write ofc_env/_core.pyi, the type stubs of the native core, and two pages of settings
	@$(PY) -m nanobind.stubgen -m ofc_env._core -o ofc_env/_core.pyi
	@$(PY) -m experiments.common.settings_page > docs/settings.md
	@$(PY) -m experiments.common.training_page > docs/training.md

run: build  ## the main job: train the AlphaZero player from scratch, ten minutes
	@$(PY) -m experiments.alphazero $(ARGS)

champion: build  ## the whole recipe of a champion, hours; ARGS="--rehearsal" runs every step in ten minutes
	@$(PY) -m experiments.champion $(ARGS)

test: build  ## the whole test suite
	@$(PY) -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

lint: build  ## ruff and clang-format (rules and format), mypy
	@$(BIN)/clang-format --dry-run --Werror $(CPP_SOURCES)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(CHECKED)

format: build  ## let ruff and clang-format format the code and fix what they safely can
	@$(BIN)/clang-format -i $(CPP_SOURCES)
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

bench: build  ## measure speed: a table and JSON; ARGS="--against FILE" compares with an earlier run
	@$(PY) -m experiments.bench $(ARGS)

figures: build  ## measure every figure of README.md and write them there, under 20 minutes
	@$(PY) -m experiments.figures $(ARGS)

prove: build  ## the exhaustive proofs that are too long for the suite
	@$(PY) -m pytest -v -n $(JOBS) -m prove $(ARGS)
	@$(MAKE) --no-print-directory sanitize

# The driver under both sanitizers, then the suite's tests of the core on a core that is built with the first, in a
# virtual environment of its own beside the builds. Leaks are not looked for: Python keeps much to its end.
SANITIZE := build/sanitize
SANITIZED_PY := $(SANITIZE)/venv/bin/python
sanitize: build  ## address, undefined-behaviour and thread sanitizers over the core
	@for kind in address,undefined thread; do \
		echo "the driver with $$kind"; \
		PATH="$(abspath $(BIN)):$$PATH" cmake -S core -B $(SANITIZE)/$$kind -G Ninja -DOFC_DRIVER=ON -DOFC_SANITIZE=$$kind >/dev/null && \
		PATH="$(abspath $(BIN)):$$PATH" cmake --build $(SANITIZE)/$$kind >/dev/null && \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 $(SANITIZE)/$$kind/ofc_driver || exit 1; done
	@test -x $(SANITIZED_PY) || { $(PY) -m venv --without-pip $(SANITIZE)/venv; \
		echo "$(abspath $(VENV))/lib/python3.$$($(PY) -c 'import sys; print(sys.version_info[1])')/site-packages" \
		> $$(echo $(SANITIZE)/venv/lib/python3.*/site-packages)/tools.pth; }
	@PATH="$(abspath $(BIN)):$$PATH" $(SANITIZED_PY) -m pip -qq install --no-build-isolation --no-deps \
		-C build-dir=$(SANITIZE)/core -C cmake.define.OFC_SANITIZE=address,undefined --editable .
	@ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" \
		$(SANITIZED_PY) -m pytest -q -n $(JOBS) -p no:cacheprovider tests/core $(ARGS)

docs: build  ## the documentation as a site, with the API from the docstrings: build/docs/index.html
	@$(PY) -m sphinx -q -W --keep-going -d build/doctrees -b html docs build/docs $(ARGS)

play: build  ## live play: start the server and open its page at http://127.0.0.1:8000
	@$(PY) -m server $(ARGS)

site: build  ## the page with the core as WebAssembly in site/, for any web host, without a server
	@$(PY) -m server.site $(ARGS)

clean:  ## remove .venv, builds and caches
	@rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
