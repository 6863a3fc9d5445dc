#!/usr/bin/env python3
"""Runs one program of this folder at several numbers of PEs, as described in the comment at its top.

Lines of that comment that begin with `@` (empty comment lines may separate groups of them):
  @since 1.5      the first version of the standard with all calls of the program
  @extension      checks a guarantee that only Oshen gives
  @single_node    needs all PEs on one node
  @races REASON   races on purpose: tests/tools/races
  @run [pes=1,2] [NAME=value ...] [argument ...] [-> result /regex/ ...]
                  one line for each run; without any, the program runs without arguments and must succeed.
                  `result` is `ok` (exit status 0, the default), `status=N`, or `fails` (any other status). Each
                  regular expression must match the output.

With --cc the program is compiled first, so that the same programs run on any other OpenSHMEM library:
  ./run_spec.py --cc 'oshcc -std=c11' --launcher 'oshrun -n {n}' *.c
"""

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import patience

GRACE = 15  # seconds after its own limit within which the launcher must end a job
IMPATIENT = "OSHEN_TEST_IMPATIENT" in os.environ  # the first failure is enough: tests/mutants


@dataclass
class Run:
    """One line `@run`."""

    pes: list[int] | None = None  # None: the usual numbers
    environment: dict[str, str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    result: str = "ok"
    patterns: list[str] = field(default_factory=list)


def parse_run(text: str) -> Run:
    run = Run()
    command, _, expectation = text.partition("->")
    for word in command.split():
        name, equals, value = word.partition("=")
        if name == "pes" and equals:
            run.pes = [int(n) for n in value.split(",")]
        elif equals and re.fullmatch(r"[A-Z_]+", name):
            run.environment[name] = value
        else:
            run.arguments.append(word)
    run.patterns = re.findall(r"/(.*?)/(?= |$)", expectation)
    run.result = expectation.strip().split(" ")[0] or "ok"
    return run


@dataclass
class Program:
    """The contents of the comment at the top of a source file."""

    since: tuple[int, int]
    extension: bool
    single_node: bool
    runs: list[Run]


def read_program(source: Path) -> Program:
    lines = re.findall(r"^// @(\w+) ?(.*)$", source.read_text(), re.MULTILINE)
    since = [tuple(int(part) for part in text.split(".")) for key, text in lines if key == "since"]
    runs = [parse_run(text) for key, text in lines if key == "run"]
    keys = {key for key, _ in lines}
    return Program(since[0] if since else (1, 4), "extension" in keys, "single_node" in keys, runs or [Run()])


def execute(command: list[str], environment: dict[str, str], limit: float) -> tuple[int | None, str]:
    """Exit status (None: still running at the limit, then killed) and all output."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                               env={**os.environ, **environment}, start_new_session=True)
        try:
            status = job.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:  # leaves no process behind in any case
                os.killpg(job.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            job.wait()
        output.seek(0)
        return status, output.read()


def complaint(run: Run, status: int | None, output: str, limit: float) -> str | None:
    """The reason why a run differs from the expectation of its line; None if it does not."""
    if status is None:
        return f"no end after {limit:.0f} s"
    wanted = int(run.result[len("status="):]) if run.result.startswith("status=") else 0
    if run.result == "fails":
        if status == 0:
            return "exit status 0, expected a failure"
        if status == 124:
            return "the launcher had to end it: it hung instead of failing"
    elif status != wanted:
        return f"exit status {status}, expected {wanted}"
    for pattern in run.patterns:
        if not re.search(pattern, output):
            return f"no output matches /{pattern}/"
    return None


def run_program(program: str, described: Program, launcher: str, limit: float, pes: list[int],
                hand_over: str = "") -> int:
    """The number of failed runs. `hand_over`: the option by which a launcher passes named variables to PEs."""
    failures = 0
    for run in described.runs:
        for n in run.pes or pes:
            told = [word for name in run.environment for word in (hand_over, name)] if hand_over else []
            command = shlex.split(launcher.replace("{n}", str(n))) + told + [program, *run.arguments]
            if "--timeout" in command:
                command = patience.patient(command)
            most = patience.stretched(limit + GRACE)
            status, output = execute(command, run.environment, most)
            wrong = complaint(run, status, output, most)
            if wrong:
                failures += 1
                settings = [f"{name}={value}" for name, value in run.environment.items()]
                print(f"FAILED: {shlex.join(settings + command)}\n  {wrong}; its output:\n{output[-6000:]}")
                if IMPATIENT:
                    return failures
    return failures


def library_version(compiler: str) -> tuple[int, int]:
    probe = "#include <shmem.h>\nversion SHMEM_MAJOR_VERSION SHMEM_MINOR_VERSION oshen OSHEN_VERSION_MAJOR\n"
    text = subprocess.run([*shlex.split(compiler), "-E", "-x", "c", "-"], input=probe, text=True,
                          capture_output=True, check=True).stdout
    major, minor = re.search(r"^version \(?(\d+)\)? \(?(\d+)\)?", text, re.MULTILINE).groups()
    return int(major), int(minor)


def compile_and_run(source: Path, version: tuple[int, int], options: argparse.Namespace, folder: str) -> str:
    """The verdict on one source file: "passed", "failed", or "skipped: ..."."""
    described = read_program(source)
    if described.since > version:
        return f"skipped: needs OpenSHMEM {described.since[0]}.{described.since[1]}"
    if described.extension:
        return "skipped: an extension of Oshen"
    program = f"{folder}/{source.stem}"
    compiled = subprocess.run([*shlex.split(options.cc), str(source), "-o", program, "-lm", "-pthread"],
                              text=True, capture_output=True)
    if compiled.returncode:
        print(compiled.stderr[-2000:])
        return "failed: does not compile"
    return "failed" if run_program(program, described, options.launcher, options.limit, options.pes) else "passed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launcher", required=True, help="command before the program; {n} is the number of PEs")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--pes", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 3, 5, 8],
                        help="the usual numbers of PEs")
    parser.add_argument("--program", help="compiled program; then give its one source file")
    parser.add_argument("--cc", help="compiler command of an OpenSHMEM library; then give any source files")
    parser.add_argument("sources", nargs="+", type=Path)
    options = parser.parse_args()
    if options.program:
        described = read_program(options.sources[0])
        return 1 if run_program(options.program, described, options.launcher, options.limit, options.pes) else 0
    version, failed = library_version(options.cc), 0
    with tempfile.TemporaryDirectory() as folder:
        for source in options.sources:
            verdict = compile_and_run(source, version, options, folder)
            failed += verdict.startswith("failed")
            print(f"{source.stem}: {verdict}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
