# The things one does with a checkout. Everything that they make is in build/, .venv/ and .venv-openmpi/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run demo-cluster check test test-all test-nightly mutate bench docs release build setup clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

# The programs come first, because LAMMPS needs more of the build.
run: setup ## the demonstration: hello, the heat image, LAMMPS with MPI and with Oshen (5 minutes)
	scripts/build.sh release -DOSHEN_TESTS=OFF -- oshen oshrun
	.venv/bin/python scripts/run_demo.py programs --bin build/release/bin --out build/run
	scripts/build.sh release -DOSHEN_TESTS=OFF -- demonstration
	.venv/bin/python scripts/run_demo.py lammps --bin build/release/bin --out build/run

demo-cluster: setup ## hello, the heat image and LAMMPS over three hosts, made of network namespaces (some minutes)
	scripts/build.sh release -DOSHEN_TESTS=OFF -- demonstration
	.venv/bin/python scripts/run_cluster.py --bin build/release/bin --out build/cluster

check: ## what a change needs: the gates and the quick tests of the folders that changed (under 2 minutes)
	scripts/setup.sh test
	scripts/check.py

test: ## the library and the tools as users meet them (a quarter of an hour on two CPUs)
	scripts/setup.sh test
	scripts/test.sh

test-all: test ## also sanitizers, MPI, packages, pages, benchmarks and what takes long (about half an hour more)
	scripts/test.sh rest

test-nightly: ## planted faults in gates and mini-apps, clang and clang-tidy, more networks (about a quarter of an hour)
	scripts/setup.sh test
	scripts/test.sh nightly

mutate: ## whether the tests notice planted faults: all areas (hours), or AREA=heap (minutes)
	tests/mutants/mutate.py $(AREA)

bench: ## every OpenSHMEM and MPI here side by side, a quick round and its report (under 10 minutes)
	scripts/setup.sh bench
	scripts/build.sh release -DOSHEN_TESTS=OFF -- oshen oshrun
	.venv/bin/python build/release/bin/oshbench doctor
	.venv/bin/python build/release/bin/oshbench run quick -o build/bench/quick.json
	.venv/bin/python build/release/bin/oshbench report build/bench/quick.json -o build/bench/quick.html
	@echo "open $(CURDIR)/build/bench/quick.html"

docs: ## the site of the documentation, in build/site (a minute)
	scripts/setup.sh docs
	.venv-docs/bin/python scripts/make_site.py build/site

release: ## the files of a release in build/out: wheel, archives, Debian packages, SBOM, checksums; KEY=... signs them (tens of minutes)
	scripts/setup.sh release
	scripts/build.sh release -DOSHEN_TESTS=OFF
	.venv/bin/python -B scripts/release.py build/out --build build/release $(if $(KEY),--key "$(KEY)")

build: ## the library, the tools and the mini-apps, in build/release
	scripts/setup.sh build
	scripts/build.sh release -DOSHEN_TESTS=OFF

setup: ## what make run needs, from Debian and PyPI
	scripts/setup.sh run

clean: ## removes what was built; keeps .venv
	rm -rf build
