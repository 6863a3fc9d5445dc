#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the test suites over every row of fabric_double/, and over transport tcp (row `kernel`): `ninja fabrics`.

  fabrics.py BUILD [--rows cxi,efa] [--suites conformance,spec] [--seconds N]

A suite that fails does not stop the others. A table of all follows at the end; the exit status is 1 if any failed. The
output of a suite is in BUILD/tests/nodes/fabrics/ROW.SUITE, and the end of it is printed if the suite fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[0]
KERNEL = "kernel"  # the sockets of the kernel, without libfabric
ROWS = ("tcp", "cxi", "verbs", "efa", "opx", "psm3", "hostile", KERNEL)
STRATEGIES = ("get", "pipeline", "put_signal", "hybrid_barrier", "bulk_barrier", "auto")
PES = 3
LAST_LINES = 40
PASSED = (r"^\[  PASSED  \] \d+ tests?", r"^\d+ programs, \d+ failed", r"memory as the model has it")


def jobs(build: Path, seconds: int, transport: str) -> dict[str, list[list[str]]]:
    """The commands of each suite."""
    def job(limit: int, program: str, *arguments: str) -> list[str]:
        return [sys.executable, "-B", f"{TESTS}/support/patience.py", f"{build}/bin/oshrun", "-n", f"{PES}", "--timeout",
                f"{limit}", f"{build}/{program}", *arguments]

    exchange, fft = "bin/exchange_", "bin/fft_"
    return {
        "conformance": [[f"{build}/bin/conformance", "--gtest_brief=1", f"--gtest_filter=*/{transport}:*/{transport}_separate"]],
        "random": [job(seconds + 120, "tests/stress/random/random_program", "--seed", "new", "--seconds", f"{seconds}")],
        "exchange": [job(120, f"{exchange}remap", "3"), job(120, f"{exchange}halo", "3"),
                     *(job(120, f"{exchange}sink", strategy, "500") for strategy in STRATEGIES)],
        "fft": [job(200, f"{fft}transforms", "3", "24"), job(200, f"{fft}transforms", "3", "30", "lines"),
                job(200, f"{fft}remaps", "3", "20"), job(120, f"{fft}streamed", "3", "3"), job(120, f"{fft}contract"),
                job(120, f"{fft}kept")],
        "spec": [[sys.executable, "-B", f"{TESTS}/run.py", f"{TESTS}/nodes/virtual/run_nodes.py", "--oshrun", f"{build}/bin/oshrun",
                  "--programs", f"{build}/tests/spec", "--node-pes", "1", "--pes", f"{PES}", "--transport", transport,
                  *map(str, sorted((TESTS / "spec").glob("*.c")))]],
    }


def run_suite(commands: list[list[str]], environment: dict[str, str], output: Path) -> bool:
    with output.open("w") as file:
        statuses = [subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                   env=environment).returncode for command in commands]
        for command, status in zip(commands, statuses):
            if status != 0:
                print(f"status {status}: {' '.join(command[:12])}", file=file)
    return not any(statuses)


def summary(output: str) -> str:
    """The line of a suite that says how many tests passed."""
    lines = [line for line in output.splitlines() if any(re.search(pattern, line) for pattern in PASSED)]
    return lines[-1].strip()[:80] if lines else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--suites", default="")
    parser.add_argument("--seconds", type=int, default=30, help="of the random program")
    options = parser.parse_args()
    build = options.build.resolve()
    chosen = options.suites.split(",") if options.suites else list(jobs(build, 0, KERNEL))
    folder = build / "tests/nodes/fabrics"
    folder.mkdir(parents=True, exist_ok=True)
    results, failed = [], 0
    for row in options.rows.split(","):
        transport = "tcp" if row == KERNEL else "ofi"
        suites = jobs(build, options.seconds, transport)
        environment = {**os.environ, "OSHEN_NODE_PES": "1", "OSHEN_TRANSPORT": transport, "OSHEN_EXCHANGE_CHOICES": "none"}
        if row != KERNEL:
            environment |= {"LD_LIBRARY_PATH": f"{build}/tests/nodes/fabric_double", "FABRIC_ROW": row}
        for suite in chosen:
            began, output = time.monotonic(), folder / f"{row}.{suite}"
            passed = run_suite(suites[suite], environment, output)
            text = output.read_text(errors="replace")
            failed += not passed
            results.append(f"{row:8} {suite:12} {'passed' if passed else 'FAILED'} {time.monotonic() - began:7.1f} s  "
                           f"{summary(text)}")
            print(results[-1], flush=True)
            if not passed:
                print("\n".join(line[:200] for line in text.splitlines()[-LAST_LINES:]), flush=True)
    print("\n".join(["", *results, f"{len(results)} suites, {failed} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
