# The four things one does with a checkout. Everything that they make is in build/, .venv/ and .venv-openmpi/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run test bench build setup clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 16

run: setup ## the demonstration: hello, the heat image, LAMMPS with MPI and with Oshen (under 10 minutes)
	scripts/build.sh release -DOSHEN_TESTS=OFF
	.venv/bin/python scripts/run_demo.py --bin build/release/bin --out build/run

test: ## all tests, also under the sanitizers (under 20 minutes)
	scripts/setup.sh test
	scripts/test.sh

bench: setup ## our library beside those that are installed, a quick round (some minutes)
	scripts/build.sh release
	.venv/bin/python bench/compare.py --quick --ours build/release/bin

build: setup ## the library and everything else, in build/release
	scripts/build.sh release

setup: ## what make run needs, from Debian and PyPI
	scripts/setup.sh run

clean: ## removes what was built; keeps .venv
	rm -rf build
