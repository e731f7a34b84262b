# Every target makes .venv by itself and reuses it; a Python >= 3.11 and make are enough.
# PYTHON=python3.12 chooses the interpreter of a new .venv.

.DEFAULT_GOAL := help
.PHONY: help env demo-env demo test check format lint types layers sizes prose house docs site bench bench-postgres fuzz torch test-postgres citus services walk twins browser pictures fix lock clean

# Every process that tests start would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

RUN := .venv/bin/
PYTEST := $(RUN)python -m pytest
# One release for everybody: each takes hundreds of megabytes, so a newer one is taken knowingly.
TORCH := torch==2.13.0
CLIENTS := chromadb==1.5.9 elasticsearch==9.5.1 lancedb==0.40.0 neo4j==6.4.1 \
	arcadedb-embedded==26.10.2.post1 osmem-server==0.1.6

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

env: ## make .venv with everything for work on Recollect
	@tools/environment.sh demo,dev

demo-env:
	@tools/environment.sh demo,studio

demo: demo-env ## see a memory learn, answer and correct itself
	@$(RUN)recollect demo

test: env ## run the tests
	@$(PYTEST) --numprocesses auto

check: format lint types layers sizes house prose ## format, lint, types, layers, sizes, house, docs; no tests

format: env
	@$(RUN)ruff format --check

lint: env
	@$(RUN)ruff check

types: env
	@$(RUN)mypy

layers: env
	@$(RUN)lint-imports --no-logo

sizes: env
	@$(RUN)python tools/check_size.py

house: env
	@$(RUN)python tools/measure_house.py

prose: env
	@$(RUN)python tools/check_docs.py

docs: prose ## check the documentation and run every example in it
	@$(PYTEST) tests/docs

site: env ## make the documentation a site to browse, in build/site/html
	@$(RUN)python tools/build_site.py

bench: env ## time the engine beside hand-written SQL
	@$(RUN)python -m bench

fuzz: env ## the long profile: many more examples, 200 kills
	@$(PYTEST) --numprocesses auto --long

torch: ## test the embedder that needs PyTorch, in .venv-torch: gigabytes
	@test -x .venv-torch/bin/python || $(or $(PYTHON),python3) -m venv .venv-torch
	@.venv-torch/bin/python -m pip install --quiet --quiet --no-compile --no-input --disable-pip-version-check \
		--constraint requirements.lock --editable ".[postgres,sentence-transformers]" "$(TORCH)" hypothesis pytest
	@.venv-torch/bin/python -m pytest tests/embeddings/with_torch

test-postgres: env ## run what opens a memory on a PostgreSQL server of our own, and 2,000 twins
	@$(PYTEST) --numprocesses auto --engine=postgres tests/conformance tests/client tests/integrations \
		$(addprefix tests/faces/,claims kip knowledge markup memory operations) \
		$(addprefix tests/kernel/,care read recall search store vectors work write) tests/servers
	@$(PYTEST) tests/twins --twins=2000
	@$(PYTEST) tests/concurrency/test_on_a_server.py tests/concurrency/test_standby.py --long

citus: env ## prove a memory on Citus: make citus DSN=postgresql://coordinator/database
	@test -n "$(DSN)" || { echo "make citus: there is no coordinator; name one: DSN=postgresql://host/database" >&2; exit 1; }
	@$(PYTEST) --engine="postgres:$(DSN)" --citus tests/citus tests/conformance

bench-postgres: env ## time a memory on a PostgreSQL server beside SQL written by hand
	@$(RUN)python -m bench.postgres

services: ## test the services with clients that are not in .venv, in .venv-services: 1 GB
	@test -x .venv-services/bin/python || $(or $(PYTHON),python3) -m venv .venv-services
	@.venv-services/bin/python -m pip install --quiet --quiet --no-compile --no-input --disable-pip-version-check \
		--constraint requirements.lock --editable ".[chroma,elasticsearch,lancedb,neo4j,postgres]" $(CLIENTS) hypothesis pytest
	@.venv-services/bin/python -m pytest --foreign $(addprefix tests/faces/knowledge/services/, \
		test_retrieval.py test_graph.py test_stores.py test_adapters.py with_clients)

walk: env ## go a short way through the studio in Chromium, which has to be there already
	@$(PYTEST) tests/browser

twins: env ## tell and ask a file and a server the same, made up by chance
	@$(PYTEST) tests/twins --twins=200

browser: env ## go through the studio in Chromium, which has to be there already: minutes
	@$(PYTEST) tests/browser --long

pictures: env ## take the pictures of the studio again, with Chromium
	@$(RUN)python -m tests.browser.pictures

fix: env ## format, and mend what the linter can
	@$(RUN)ruff format
	@$(RUN)ruff check --fix

lock: ## resolve requirements.lock again (needs uv)
	@uv pip compile --quiet --universal --upgrade --python-version 3.11 --extra demo --extra dev \
		--no-annotate --no-header --output-file requirements.lock pyproject.toml

clean: ## remove .venv and the caches
	@rm -rf .venv .venv.lock .venv-torch .venv-services build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
