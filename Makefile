# Two commands for everyone: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo study test quick lint unit hostile kills fuzz docs benchmark long-haul schemas picture definitions lean-second grammar vsix clean

demo: $(VENV)/.installed
	$(BIN)/tracepact demo --out out/demo

# The measurement study at the scale `small`, with the embedded voice; ends with the path of its page.
study: $(VENV)/.tested
	$(BIN)/tracelab study --scale small --out out/study

test: lint unit

# What to run while working: the tests not marked `slow`, properties at a smaller size; under two minutes on two cores.
quick: lint
	TRACEPACT_EXAMPLES=15 $(BIN)/python -m pytest -n auto --dist loadfile -m "not slow"

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(VENV)/.tested
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=25

# A million hostile inputs through every door, with the counts and a digest of all that came out; 25 to 40 minutes of one core.
hostile: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m hostile --inputs $(or $(INPUTS),1000000) --seed $(or $(SEED),1)

# Every command that writes, killed at random moments; what is left must be old, new or nothing.
kills: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m hostile.kills --kills $(or $(KILLS),300)

# The same doors under a coverage-guided fuzzer, which is installed for it (Linux, Python up to 3.13).
fuzz: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet "atheris>=2.3"
	mkdir -p out/fuzz
	cd tests && ../$(BIN)/python -m hostile.guided $(or $(FUZZ),-max_total_time=600)

# The documentation site, warnings as errors; a slow test builds and checks it too.
docs: $(VENV)/.tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file pytools/docs/mkdocs.yml

benchmark: $(VENV)/.tested
	cd pytools && ../$(BIN)/python -m benchmarks

# Streams for long: `watch` over 10^8 frames, and a thousand streams for an hour in one bank; exact counts, flat memory. Minutes.
long-haul: $(VENV)/.tested
	cd pytools && ../$(BIN)/python -m benchmarks.long_haul

# The schemas of what commands print are generated from the records that they return.
schemas: $(VENV)/.tested
	$(BIN)/python pytools/output_schemas.py

# The picture in the README is a real report of the demo; it needs a Chromium on the machine.
picture: demo $(VENV)/.tested
	$(BIN)/python pytools/report_picture.py out/demo/late_long/report.html examples/report.png

# The parser's tables and the colours of contracts in editors, after spec/grammar.lark was changed.
grammar: $(VENV)/.tested
	$(BIN)/python pytools/parser_tables.py
	$(BIN)/python pytools/editors/textmate.py

# The VS Code extension as one file; needs npm for the package through which it speaks to the server.
vsix: $(VENV)/.installed
	$(BIN)/python pytools/editors/vsix.py out/tracepact.vsix

# The listing of the proof core's definitions, after one of them was changed: read the difference.
definitions: $(VENV)/.tested
	$(BIN)/python pytools/lean_definitions.py

# The proof core checked by a second Lean with Lean's own Init; needs npm and Linux x86_64, and ten to thirty minutes.
lean-second: $(VENV)/.tested
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
	$(BIN)/python -m pip install --quiet --editable ".[lean]" --group dev --group docs --group peers
	touch $@

clean:
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
