# Two commands do everything: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Spark's classes as the JVM wants them, for all that is started here.
CLASSES := $(VENV)/.classes

.PHONY: demo rollout-demo rollout-demo-live test test-fast soak services setup setup-dev setup-test check-machine lint lint-types lint-style lint-imports docs lock benchmark performance clean

demo: setup
	$(BIN)/cutline demo --dir demo
	@$(MAKE) --silent $(CLASSES)

# Two slices of the demo go to the new side, with a fault and a way back.
rollout-demo: setup
	$(BIN)/python examples/rollout/retailer.py rollout-demo

# The story on real servers, while orders keep arriving.
rollout-demo-live: setup-dev
	@PYTHONPATH=tests $(BIN)/python -m support.order_desk rollout-demo-live

test: setup-test
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder

# Those that need no Spark, no process of their own, no server and no browser.
test-fast: setup-dev
	$(BIN)/pytest -n 3 --dist loadfile -m "not (spark or process or postgres or mariadb or kafka or debezium or browser or slow)"

# The proofs that take a number: more cuts and more workloads than CI makes.
soak: setup-test
	CUTLINE_KILL_EVERYWHERE=1 CUTLINE_CUTS=10 CUTLINE_SPLITS=20 CUTLINE_SEEDS=10 CUTLINE_CONSUMER_EVENTS=20000 \
	  CUTLINE_CONSUMER_KILLS=40 CUTLINE_MODEL_TIMES=10 CUTLINE_HISTORIES=100000 CUTLINE_PUBLISH_KILLS=20 CUTLINE_FEEDS=15 CUTLINE_REBUILDS=40 $(BIN)/pytest -v --slow --soak \
	  tests/system/test_kills.py tests/system/test_advance_demo.py tests/stages/test_advance.py tests/system/test_cut_under_load.py \
	  tests/consumer/test_consumer_proof.py tests/model/test_model_judge.py tests/model/test_model_rules.py tests/topics/test_kafka_kills.py \
	  tests/feed/test_feed_splits.py tests/rehydration/test_rehydrating.py tests/reconciliation/test_rebuild_agreement.py tests/reconciliation/test_rebuild_fed_as_its_run.py tests/rollout/test_rollout_kills_within.py \
	  tests/rollout/test_rollout_postgres_kills.py
	$(BIN)/pytest -v --slow --soak -m soak

# Kafka, Connect with Debezium, PostgreSQL and a schema registry, to try things on; until Ctrl-C.
services: setup-dev
	@PYTHONPATH=tests $(BIN)/python -m support.servers

setup: check-machine $(VENV)/.installed

setup-dev: check-machine $(VENV)/.installed-dev

setup-test: setup-dev
	@$(MAKE) --silent $(CLASSES)

check-machine:
	@sh scripts/check-machine $(PYTHON)

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --requirement requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@ $(VENV)/.installed

# Without them everything works, and begins later: so the first demo does not wait for them.
$(CLASSES): requirements.lock
	@rm -f $(VENV)/spark-classes.jsa
	@$(BIN)/cutline share-classes && touch $@ || true

lint: lint-types lint-style lint-imports

lint-types: setup-dev
	$(BIN)/mypy

lint-style: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-imports: setup-dev
	$(BIN)/lint-imports

docs: setup-dev
	$(BIN)/mkdocs build --strict

lock: setup-dev
	$(BIN)/uv pip compile --quiet --universal --no-header --python-version 3.11 pyproject.toml --output-file requirements.lock
	$(BIN)/uv pip compile --quiet --universal --no-header --python-version 3.11 pyproject.toml --all-extras --group dev --output-file requirements-dev.lock

# Writes the figures of docs/performance.md: an hour or two on two cores, 20 GB of disk.
performance: setup-dev
	$(BIN)/python benchmarks/whole_run.py --fixed --changes 500 --orders 20000 200000 2000000 --write docs/performance.md

benchmark: setup-dev
	$(BIN)/python benchmarks/translate.py
	$(BIN)/python benchmarks/merge.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/postgres_read.py

clean:
	rm -rf $(VENV) demo rollout-demo rollout-demo-live build
