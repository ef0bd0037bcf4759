# What a person types: make demo, make test. Everything else here is for those who change the code.
# `make demo` and `make test` set up all they need on a fresh machine with Python 3.11, git and make (see .ci/setup).
BIN := .venv/bin
SETUP := .ci/setup
# A new stamp is due when the dependencies or the set-up itself change.
INPUTS := pyproject.toml $(SETUP)
ARGS ?=
PYTEST_ARGS ?=
JOBS ?= 2
SOURCES := table_controller models/train firmware/generate.py tests

.PHONY: help setup demo demo-venue test check format bench sweeps photographs soak train train-baseline firmware clean sbom audit mutants release

help:
	@echo "make demo     a whole simulated table; ARGS=\"--deals 2 --seed 7 --headless --fast\" passes options on"
	@echo "make demo-venue   a hall: broker, service, simulated tables; ARGS=\"--tables 4\" passes options on"
	@echo "make test     set up, and run every test"
	@echo "make check    formatting, lint, types, import layers, generated files"
	@echo "make format   format the code"
	@echo "make audit    what is known against the installed packages"
	@echo "make bench    figures of this machine, side by side with the plain way"
	@echo "make sweeps   plots of what is read as pictures get worse"
	@echo "make photographs   how well cards are read in rendered photographs of unknown decks"
	@echo "make soak     faults and simulated tables at length, in parts; run again it goes on"
	@echo "make release  wheel, signature, SBOM and checksums; KEY=release.pem"
	@echo "make train    train the recogniser anew (90 minutes on two cores; installs PyTorch); SMOKE=1 for a trial"
	@echo "make train-baseline   the detector of ultralytics on the same scenes, counted beside ours"
	@echo "make firmware the dealer's firmware and its simulator"
	@echo "make setup    only the set-up for development; make clean removes what was built"

# The recipe's own lines are silent and set-up speaks on standard error: the demo's last line is its result.
demo: .venv/.ready-demo
	@$(BIN)/table-controller demo $(ARGS)

demo-venue: .venv/.ready-demo
	@$(BIN)/table-controller demo-venue $(ARGS)

setup: .venv/.ready-dev

.venv/.ready-demo: $(INPUTS)
	@[ -e .venv/.ready-dev ] && [ .venv/.ready-dev -nt pyproject.toml ] || bash $(SETUP) demo 1>&2
	@touch $@

.venv/.ready-dev: $(INPUTS)
	@bash $(SETUP) dev 1>&2
	@touch $@

.venv-train/.ready: $(INPUTS)
	@bash $(SETUP) train 1>&2
	@touch $@

test: .venv/.ready-dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not soak and not hardware" $(PYTEST_ARGS)

check: .venv/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pip --disable-pip-version-check check
	$(MAKE) --no-print-directory -C firmware check PYTHON=$(CURDIR)/$(BIN)/python
	$(BIN)/mypy --explicit-package-bases tests/*.py tests/soak tests/systemd tests/journal tests/feed tests/repo tests/panel
	$(BIN)/mypy --explicit-package-bases -p hardware.tools
	$(BIN)/python -m hardware.tools --check

format: .venv/.ready-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The baseline of the recogniser needs the training's environment; without it the other figures are still worth having.
bench: .venv/.ready-dev
	@$(MAKE) --no-print-directory .venv-train/.ready || echo "bench: no ultralytics here, its figure is left out" >&2
	$(BIN)/python tests/bench/run.py $(ARGS)

# Accuracy against the index's height, angle, blur and light: a picture in build/bench/sweeps.png.
sweeps: .venv/.ready-dev
	$(BIN)/python tests/bench/sweeps.py $(ARGS)

# Rendered photographs of decks nobody trained on, any table, half to 24 megapixels: ARGS="--count 40 --seed 1".
photographs: .venv/.ready-dev
	$(BIN)/python tests/bench/photographs.py $(ARGS)

# Twenty bugs put in one at a time: do the tests see them?
mutants: .venv/.ready-dev
	$(BIN)/python tests/mutants.py $(ARGS)

# What is installed, with versions and licences (CycloneDX): build/sbom.json.
sbom: .venv/.ready-dev
	@mkdir -p build
	$(BIN)/cyclonedx-py environment --output-format JSON --output-file build/sbom.json $(CURDIR)/.venv
	@echo "sbom: build/sbom.json"

# What is known against the installed packages; says so where it cannot be asked.
audit: .venv/.ready-dev
	$(BIN)/python -m tests.audit

# A signed release in build/release: make release KEY=/path/to/release.pem
release: .venv/.ready-dev
	@PYTHON=$(CURDIR)/$(BIN)/python bash systemd/release.sh $(KEY)

# What this machine cannot try (a clean Debian needs root and debootstrap) is named at the end and in the page.
# In parts; one that passed is run again only when what it runs has changed (build/soak/results.jsonl). Then: python tests/reliability.py
soak: .venv/.ready-dev
	$(BIN)/python -m pytest tests/soak tests/journal tests/systemd -m soak --timeout 0 -rs $(PYTEST_ARGS)

train: .venv-train/.ready
	.venv-train/bin/python -m models.train --out $(if $(SMOKE),build/smoke,models) --work $(if $(SMOKE),build/smoke/work,build/train) $(if $(SMOKE),--smoke) $(ARGS)

# The detector of ultralytics on the same scenes, beside ours; after `make train`, or a trial with SMOKE=1.
train-baseline: .venv-train/.ready
	.venv-train/bin/python -m models.train.baseline $(if $(SMOKE),--smoke --work build/smoke/work --ours build/smoke --out build/smoke/baseline) $(ARGS)

firmware: .venv/.ready-demo
	$(MAKE) -C firmware all bench PYTHON=$(CURDIR)/$(BIN)/python

clean:
	rm -rf build dist .venv .venv-train .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
