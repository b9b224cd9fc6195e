# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
NATIVE := $(shell find src -name '*.cpp' -o -name '*.hpp')
export KINESPHERE_DATA ?= $(abspath ../shared/data)

.PHONY: demo test sanitize format corpus field fuzz bench figure clean

demo: $(VENV)/.native
	$(BIN)/python examples/demo.py

# Everything a reviewer runs. Ends with how many tests saw real captures.
test: $(VENV)/.dev $(VENV)/.native $(VENV)/.validator $(VENV)/.three_vrm
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(NATIVE)

# The tests once more, on loops that check every index and every operation, in some ten minutes.
SANITIZERS = $(shell c++ -print-file-name=libasan.so):$(shell c++ -print-file-name=libubsan.so)
sanitize: $(VENV)/.dev $(VENV)/.native
	cmake -S . -B build/sanitize -DKINESPHERE_SANITIZE=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	rm -f src/kinesphere/_native.*.so $(VENV)/.native
	cmake --build build/sanitize --parallel 2
	LD_PRELOAD=$(SANITIZERS) ASAN_OPTIONS=detect_leaks=0 $(BIN)/python -m pytest -n 2; status=$$?; \
		rm -f src/kinesphere/_native.*.so; $(MAKE) $(VENV)/.native; exit $$status

# Longer work: every real file there and back, beside Blender; broken files; races with the peers.
corpus: $(VENV)/.dev $(VENV)/.native $(VENV)/.validator $(VENV)-blender/.installed
	$(BIN)/python tools/corpus.py --blender $(VENV)-blender/bin/python

# What retargeting and edits do to every clip of a folder, one line a measure: make field DATA=folder.
DATA ?= $(KINESPHERE_DATA)
field: $(VENV)/.native
	$(BIN)/python tools/measure_field.py "$(DATA)"

fuzz: $(VENV)/.dev $(VENV)/.native
	$(BIN)/python tools/fuzz.py --count 10000

bench: $(VENV)/.bench $(VENV)/.native
	$(BIN)/python -W ignore benchmarks/run.py
	$(BIN)/python -W ignore benchmarks/signals.py
	$(BIN)/python -W ignore benchmarks/edits.py
	$(BIN)/python -W ignore benchmarks/scripts.py
	$(BIN)/python -W ignore benchmarks/body_shapes.py

# The figure's surface and Mo's, made anew into src/kinesphere/builtin.
figure: $(VENV)/.figure
	$(BIN)/python tools/figure/build.py

$(VENV)/.figure: $(VENV)/.native
	$(PIP) $(EDITABLE) '.[figure]'
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Kinesphere needs Python 3.11 or newer; found: $$($(PYTHON) --version). Try: make PYTHON=python3.12 demo"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# With ffmpeg, for films. The compiled loops are built by the rule after this one, which builds again only what changed.
EDITABLE := -C wheel.cmake=false -C wheel.py-api=py3 -C editable.mode=inplace --editable
$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing packages (once) …"
	$(PIP) $(EDITABLE) '.[video]'
	@touch $@

# The compiled loops, in C++, beside their main callers: src/kinesphere/_native.*.
$(VENV)/.native: CMakeLists.txt $(NATIVE) | $(VENV)/.installed
	@command -v $${CXX:-c++} >/dev/null || { echo "Kinesphere's loops need a C++17 compiler. On Debian: apt-get install g++"; exit 1; }
	@command -v cmake >/dev/null || test -x $(BIN)/cmake || $(PIP) cmake
	@echo "building the compiled loops …"
	@PATH="$$PATH:$(abspath $(BIN))" && cmake -S . -B build/native -DPython_EXECUTABLE=$(abspath $(BIN)/python) >build-native.log && \
		cmake --build build/native --parallel 2 >>build-native.log || { cat build-native.log; exit 1; }
	@rm -f build-native.log
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(PIP) $(EDITABLE) '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	$(PIP) $(EDITABLE) '.[bench]'
	@touch $@

# Khronos' validator is a Node package; without Node its tests are skipped, and say so.
$(VENV)/.validator: tools/validator/package.json | $(VENV)/bin/python
	@if command -v npm >/dev/null; then \
		npm install --prefix tools/validator --no-audit --no-fund --no-package-lock --loglevel error && touch $@; \
	else \
		echo "MISSING: npm (Debian: apt-get install npm). The glTF validator tests will be skipped."; \
	fi

# three-vrm opens the VRM files we write, as a browser would, in plain Node.
$(VENV)/.three_vrm: tools/three_vrm/package.json | $(VENV)/bin/python
	@if command -v npm >/dev/null; then \
		npm install --prefix tools/three_vrm --no-audit --no-fund --no-package-lock --loglevel error && touch $@; \
	else \
		echo "MISSING: npm (Debian: apt-get install npm). The VRM tests will be skipped."; \
	fi

# Blender as a Python module wants a NumPy of its own, and is GPL: it stays out of our environment and process.
$(VENV)-blender/.installed:
	$(PYTHON) -m venv $(VENV)-blender
	$(VENV)-blender/bin/python -m pip install --quiet --disable-pip-version-check bpy==4.5.15
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-blender demo build dist tools/validator/node_modules tools/three_vrm/node_modules
	rm -f src/kinesphere/_native.*.so src/kinesphere/_native.*.pyd build-native.log
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache fuzz-failures
