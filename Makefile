# Two commands for everyone: `make demo` and `make test`; `make test-all` is all there is. Each sets up what it needs in
# one .venv, which grows from the package over what `make test` needs to everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo study test test-all lint hostile kills fuzz docs benchmark long-haul schemas picture definitions drt lean-second grammar vsix clean

demo: $(VENV)/.installed
	$(BIN)/tracepact demo --out out/demo

# The measurement study at the scale `small`, with the embedded voice; ends with the path of its page.
study: $(VENV)/.everything
	$(BIN)/tracelab study --scale small --out out/study

# What to run while working: every test not marked `slow`, properties at a smaller size, in a small environment. Where torch
# is absent, mypy lets classes and decorators of it be unknown; `make test-all` lets nothing.
test: $(VENV)/.tested
	$(MAKE) --no-print-directory lint MYPY="--allow-subclassing-any --allow-untyped-decorators --no-warn-unused-ignores"
	TRACEPACT_EXAMPLES=$(or $(TRACEPACT_EXAMPLES),15) $(BIN)/python -m pytest -n auto --dist loadfile -m "not slow"

# Every test there is: Lean, browsers and other tools too, properties at their full size.
test-all: $(VENV)/.everything lint
	$(BIN)/python -m pytest --everything -n auto --dist loadfile --no-loadscope-reorder --durations=25

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(MYPY)

# A million hostile inputs through every door, with the counts and a digest of all that came out; 25 to 40 minutes of one core.
hostile: $(VENV)/.everything
	cd tests && ../$(BIN)/python -m hostile --inputs $(or $(INPUTS),1000000) --seed $(or $(SEED),1)

# Every command that writes, killed at random moments; what is left must be old, new or nothing.
kills: $(VENV)/.everything
	cd tests && ../$(BIN)/python -m hostile.kills --kills $(or $(KILLS),300)

# The same doors under a coverage-guided fuzzer, which is installed for it (Linux, Python up to 3.13).
fuzz: $(VENV)/.everything
	$(BIN)/python -m pip install --quiet "atheris>=2.3"
	mkdir -p out/fuzz
	cd tests && ../$(BIN)/python -m hostile.guided $(or $(FUZZ),-max_total_time=600)

# The documentation site, warnings as errors; a slow test builds and checks it too. Pages open from the disk; a browser lets
# them search only where they are served.
docs: $(VENV)/.everything
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file pytools/docs/mkdocs.yml
	@echo "open out/docs/index.html, or with its search: $(PYTHON) -m http.server --bind 127.0.0.1 --directory out/docs 8000"

benchmark: $(VENV)/.everything
	cd pytools && ../$(BIN)/python -m benchmarks

# Streams for long: `watch` over 10^8 frames, and a thousand streams for an hour in one bank; exact counts, flat memory. Minutes.
long-haul: $(VENV)/.tested
	cd pytools && ../$(BIN)/python -m benchmarks.long_haul

# The schemas of what commands print are generated from the records that they return.
schemas: $(VENV)/.everything
	$(BIN)/python pytools/output_schemas.py

# The picture in the README is a real report of the demo; it needs a Chromium on the machine.
picture: demo $(VENV)/.everything
	$(BIN)/python pytools/report_picture.py out/demo/late_long/report.html examples/report.png

# The tables that lark saves of spec/grammar.lark, and the colours of contracts in editors, after the grammar was changed.
grammar: $(VENV)/.tested
	$(BIN)/python pytools/parser_tables.py
	$(BIN)/python pytools/editors/textmate.py

# The VS Code extension as one file; needs npm for the package through which it speaks to the server.
vsix: $(VENV)/.installed
	$(BIN)/python pytools/editors/vsix.py out/tracepact.vsix

# The listing of the proof core's definitions, after one of them was changed: read the difference.
definitions: $(VENV)/.everything
	$(BIN)/python pytools/lean_definitions.py

# A million random cases answered by the compiled proof core and by every engine of Python; hours of one core. Needs a C compiler.
drt: $(VENV)/.everything
	$(BIN)/tracepact prove --build
	cd pytools && ../$(BIN)/python -m lean_differential --cases $(or $(CASES),1000000) --seed $(or $(SEED),1)

# The proof core checked by a second Lean with Lean's own Init; needs npm and Linux x86_64, and ten to thirty minutes.
lean-second: $(VENV)/.everything
	$(BIN)/python pytools/lean_second.py

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit("tracepact needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group test
	touch $@

$(VENV)/.everything: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --editable ".[lean]" --group test-all
	touch $@

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
