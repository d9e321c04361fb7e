# Two commands: `make demo` and `make test`.  Each makes its own virtual environment and needs only Python and a C++
# compiler; CMake and Ninja come as build requirements where the machine has none.
PYTHON ?= python3
BIN := .venv/bin
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard src/svgm/_core/*.cpp src/svgm/_core/*.hpp)

.PHONY: demo test lint benchmarks clean

demo: .venv/installed-view
	$(BIN)/svgm demo --output demo-output

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The figures that README and docs quote; needs SVGM_DATA and takes about twenty minutes on two cores.  The peers of
# `benchmarks.speed` come with the extra `bench`; Open3D needs the system's libusb-1.0.
benchmarks: .venv/installed-bench
	$(BIN)/python -m benchmarks.import_time
	$(BIN)/python -m benchmarks.io_speed
	$(BIN)/python -m benchmarks.merging
	$(BIN)/python -m benchmarks.range_2d
	$(BIN)/python -m benchmarks.dragon
	$(BIN)/python -m benchmarks.hannover
	$(BIN)/python -m benchmarks.speed

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# Editable, so that only a change of the C++ or of the dependencies installs anew.
.venv/installed-%: .venv/bin/python $(BUILD_INPUTS)
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

clean:
	rm -rf .venv build dist demo-output
