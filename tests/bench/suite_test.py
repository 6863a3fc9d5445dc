#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshbench as a command, with the simulated library: its numbers, crashes, Ctrl-C, exit codes, messages."""

import contextlib
import csv
import fnmatch
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
import xml.etree.ElementTree
from pathlib import Path
from unittest import mock

from oshbench.cases import catalogue, declarations
from oshbench.common import process
from oshbench.common.process import end_with_parent
from oshbench.libraries import launch
from oshbench.libraries.library import Library
from oshbench.results import designs

OSHBENCH = Path(os.environ["BIN"]) / "oshbench"
WATCHDOG = 120
NEW_CASE = """
#include "cases.h"
static void body(long first, long count) {
  for (long i = first; i < first + count; ++i) shmem_quiet();
}
static bool valid(long first, long count) { return first >= 0 && count > 0; }
BENCH_KINDS = {{"new_case", "sync", "a new kind", .completion = "local"}};
static const bench_case cases[] = {{"new_case", "quiet", 0, NULL, body, valid, bench_alone, NULL}, {0}};
BENCH_CASES(bench_two_pes, cases)
"""
LINES = """
#include "json_line.h"
int main(void) {
  json_line line = json_begin(stdout);
  json_text(&line, "text", "a \\"quote\\", a \\\\, a tab\\t and \\x01, \u00fc");
  json_integer(&line, "least", -9223372036854775807LL - 1);
  json_number(&line, "number", 0.12345, 3);
  json_number(&line, "none", 0.0 / (double)(line.out == NULL), 3);
  json_bool(&line, "yes", true);
  json_end(&line);
  line = json_begin(stdout);
  json_end(&line);
}
"""
ALPHA = {"put": (50, 0.05), "get": (60, 0.06), "fetch_add": (90, 0), "sum": (400, 0.2), "alltoall": (500, 0.3)}


class Lines(unittest.TestCase):
    def test_json_of_programs(self):
        for compiler, language in (("cc", "c"), ("c++", "c++")):
            with self.subTest(compiler), tempfile.TemporaryDirectory(prefix="oshbench-test-") as place:
                folder = Path(launch.__file__).parents[2] / "programs/common"
                subprocess.run([compiler, "-x", language, "-Wall", "-Wextra", "-Werror", "-I", str(folder), "-", "-o",
                                f"{place}/lines"],
                               input=LINES, text=True, check=True, timeout=WATCHDOG)
                told = subprocess.run([f"{place}/lines"], capture_output=True, text=True, check=True,
                                      timeout=WATCHDOG).stdout.splitlines()
                self.assertEqual([json.loads(line) for line in told], [
                    {"text": 'a "quote", a \\, a tab\t and \x01, \u00fc', "least": -2**63, "number": 0.123,
                     "none": None, "yes": True}, {}])

    def test_a_result_that_is_no_number_is_left_out(self):
        lines = ['{"case": "put", "ns": null, "ok": true}', '{"case": "get", "ns": 5.0, "ok": true}',
                 '{"case": "cut off']
        self.assertEqual([record["case"] for record in launch._read(lines, "ok").records], ["get"])


class Suite(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="oshbench-test-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.env = os.environ | {"XDG_CONFIG_HOME": str(self.place / "config"), "NO_COLOR": "1"}

    def command(self, *args: object) -> list[str]:
        return [sys.executable, "-B", str(OSHBENCH), *map(str, args)]

    def oshbench(self, *args: object, status: int = 0) -> subprocess.CompletedProcess:
        done = subprocess.run(self.command(*args), cwd=self.place, env=self.env, capture_output=True, text=True,
                              timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done

    def simulate(self, *libraries: str, output: str = "run.json", rounds: int = 2, status: int = 0,
                 what: str = "simulated", more: tuple = ()) -> subprocess.CompletedProcess:
        given = [word for library in libraries for word in ("--library", library)]
        names = ",".join(library.split("=")[0] for library in libraries)
        return self.oshbench("run", what, "-L", names, *given, "-n", 1, "-r", rounds, "-o", output, "--no-doctor",
                             "--work", self.place / "work", *more, status=status)


class Numbers(Suite):
    def test_costs_that_are_known_are_reported(self) -> None:
        self.simulate("exact=sim::scale=2")
        shown = self.oshbench("show", "run.json", "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(shown)))
        for row in rows:
            if row["case"] in ALPHA:
                alpha, beta = ALPHA[row["case"]]
                self.assertAlmostEqual(float(row["launch_median"]) / (2 * (alpha + beta * int(row["size"]))), 1,
                                       delta=0.01)
        self.assertEqual({row["case"] for row in rows} & ALPHA.keys(), ALPHA.keys())

    def test_a_table_explains_itself_and_ends_in_a_verdict(self) -> None:
        done = self.simulate("fast=sim::", "slow=sim::scale=3", rounds=5)
        for words in ("atomic", "limit  the same loop without any library", "the best of its row", "Summary",
                      "fast against slow, time: faster in"):
            self.assertIn(words, done.stdout)
        self.assertRegex(" ".join(done.stdout.split()),
                         r"fast takes 0\.3\d of the time of slow in the median \(3\.\d times as fast\)")
        self.assertEqual(self.oshbench("show", "run.json").stdout, done.stdout)
        self.assertNotIn("Summary", self.oshbench("show", "run.json", "--format", "csv").stdout)

    def test_columns_of_omb(self) -> None:
        done = self.simulate("exact=sim::scale=20", what="put", more=("--format", "omb"))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "# OSU OpenSHMEM Put Test v7.4")
        self.assertEqual(lines[2], "# Size            Latency (us)")
        self.assertEqual(lines[3], "1                         1.00")
        self.assertEqual(len(lines), 3 + 21)

    def test_google_benchmark_has_a_repetition_for_each_launch(self) -> None:
        self.simulate("exact=sim::scale=2", rounds=3)
        found = json.loads(self.oshbench("show", "run.json", "--format", "gbench").stdout)["benchmarks"]
        alone = [entry for entry in found if entry["name"] == "exact/fetch_add/8/pes:1"]
        self.assertEqual([entry["repetition_index"] for entry in alone], [0, 1, 2])
        for entry in alone:
            self.assertAlmostEqual(entry["real_time"] / (2 * ALPHA["fetch_add"][0]), 1, delta=0.01)

    def test_omb_comes_back(self) -> None:
        text = self.simulate("exact=sim::scale=20", what="put", more=("--format", "omb")).stdout
        (self.place / "omb.txt").write_text(text)
        self.oshbench("import", "osu", "omb.txt", "--name", "osu", "-o", "back.json")
        back = list(csv.DictReader(io.StringIO(self.oshbench("show", "back.json", "--format", "csv").stdout)))
        self.assertEqual((back[0]["library"], back[0]["case"], float(back[0]["launch_median"])), ("osu", "put", 1000))
        self.assertEqual(len(back), 21)


class Survival(Suite):
    def test_a_crash_at_the_end_keeps_all_and_is_shown(self) -> None:
        done = self.simulate("bad=sim::crash=exit")
        self.assertIn("! bad: cases, 1 PEs: signal 6 at the end, results complete (2 launches)", done.stderr)
        saved = json.loads((self.place / "run.json").read_text())
        self.assertIn("alltoall", {entry["case"] for entry in saved["launches"][0]["records"]})

    def test_a_crash_in_a_case_costs_that_case_alone(self) -> None:
        done = self.simulate("bad=sim::crash=case", "good=sim::")
        self.assertIn("! bad: cases, 1 PEs: signal 6 in sum; the other cases are complete (2 launches)", done.stderr)
        saved = json.loads((self.place / "run.json").read_text())
        found = {(launch["library"], entry["case"]) for launch in saved["launches"] for entry in launch["records"]}
        self.assertTrue({("bad", "put"), ("bad", "alltoall"), ("good", "put"), ("good", "sum")} <= found)
        self.assertNotIn(("bad", "sum"), found)

    def test_a_hang_in_a_case_costs_that_case_alone_and_once(self) -> None:
        self.env["OSHBENCH_HANG"] = "2"
        done = self.simulate("bad=sim::crash=hang", "good=sim::", rounds=4)
        self.assertIn("! bad: cases, 1 PEs: hang in sum", done.stderr)
        saved = json.loads((self.place / "run.json").read_text())
        found = [(launch["library"], entry["case"]) for launch in saved["launches"] for entry in launch["records"]]
        self.assertTrue({("bad", "put"), ("bad", "alltoall"), ("good", "put"), ("good", "sum")} <= set(found))
        self.assertNotIn(("bad", "sum"), found)
        self.assertEqual(sum("hang" in launch["ending"] for launch in saved["launches"]), 1,
                         "it has cost its time in every round")

    def test_wrong_results_are_told_and_judged(self) -> None:
        done = self.simulate("bad=sim::wrong=get", status=1)
        self.assertIn("WRONG RESULT in bad: get", done.stderr)
        self.assertIn("WRONG", done.stdout)

    def test_cases_are_listed_also_by_a_program_that_does_not_end(self) -> None:
        program = self.place / "hangs"
        program.write_text("#!/bin/sh\necho 'put\tputmem, quiet\t8,64'\nsleep 60\n")
        program.chmod(0o755)
        with mock.patch.object(launch, "LISTED_AFTER", 0.5):
            found = launch.list_cases(Library("bad", "shmem", "cc", ("env",)), program)
        self.assertEqual(found, [("put", "putmem, quiet", "8,64")])

    def test_an_interrupt_that_python_drops_ends_the_run_before_the_next_launch(self) -> None:
        program = ("import os, signal, sys; from oshbench import cli; from pathlib import Path; once = [1]\n"
                   "os.register_at_fork(after_in_parent=lambda: once and (once.pop(), "
                   "signal.raise_signal(signal.SIGINT)))\n"
                   f"sys.exit(cli.main(sys.argv[1:], None, Path('{Path(launch.__file__).parents[2]}')))")
        words = ("run", "simulated", "-L", "a", "--library", "a=sim::", "-n", 1, "-r", 400, "-o", "run.json",
                 "--no-doctor", "--work", self.place / "work")
        done = subprocess.run([sys.executable, "-B", "-c", program, *map(str, words)], cwd=self.place,
                              capture_output=True, text=True, env=self.env
                              | {"PYTHONPATH": str(Path(launch.__file__).parents[2])}, timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, 130, done.stdout + done.stderr)
        self.assertIn("are kept; continue with --resume", done.stdout + done.stderr)

    def test_interrupted_it_keeps_what_was_measured_and_goes_on(self) -> None:
        words = ("run", "simulated", "-L", "a", "--library", "a=sim::", "-n", 1, "-r", 400, "-o", "run.json",
                 "--no-doctor", "--work", self.place / "work")
        child = subprocess.Popen(self.command(*words), cwd=self.place, env=self.env, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, start_new_session=True)
        deadline = time.monotonic() + WATCHDOG
        while not (self.place / "run.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(child.pid, signal.SIGINT)
        said, _ = child.communicate(timeout=WATCHDOG)
        self.assertEqual(child.returncode, 130, said)
        self.assertIn("are kept; continue with --resume", said)
        kept = len(json.loads((self.place / "run.json").read_text())["launches"])
        self.assertTrue(1 <= kept < 400, kept)
        self.oshbench(*[kept + 2 if word == 400 else word for word in words], "--resume")
        saved = json.loads((self.place / "run.json").read_text())
        self.assertEqual((len(saved["launches"]), saved["finished"]), (kept + 2, True))


    def processes_of(self) -> list[int]:
        """The processes whose program is in this test's folder."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit() and os.readlink(folder / "exe").startswith(str(self.place)):
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def files_of(self) -> list[str]:
        """The page and the records that the processes were given."""
        found = []
        for pid in self.processes_of():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
                found += [words[words.index(option) + 1] for option in ("--page", "--out") if option in words]
        return found

    def test_killed_it_leaves_no_process_and_no_file(self) -> None:
        for how in (signal.SIGKILL, signal.SIGTERM):
            words = ("run", "simulated", "-L", "a", "--library", "a=sim::", "-n", 2, "-r", 400, "-o", f"{how}.json",
                     "--no-doctor", "--work", self.place / "work")
            child = subprocess.Popen(self.command(*words), cwd=self.place, env=self.env, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, start_new_session=True)
            deadline = time.monotonic() + WATCHDOG
            while not ((files := self.files_of()) and len(self.processes_of()) == 2) and time.monotonic() < deadline:
                time.sleep(0.01)
            child.send_signal(how)
            child.wait(timeout=WATCHDOG)
            while self.processes_of() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(self.processes_of(), [], how)
            self.assertTrue(files)
            self.assertEqual([file for file in files if os.path.exists(file)], [], how)

    def test_an_mpich_job_that_is_ended_leaves_no_file(self) -> None:
        """MPICH 5 removes its file in MPI_Finalize, which a job that hangs does not reach. Files of other jobs stay."""
        ours, other = (Path(f"/dev/shm/mpich_shm_{uuid.uuid4().hex}_0") for _ in range(2))
        for file in (ours, other):
            self.addCleanup(file.unlink, missing_ok=True)
            file.write_bytes(bytes(4096))
        script = ("import mmap, sys, time; file = open(sys.argv[1], 'r+b'); memory = mmap.mmap(file.fileno(), 4096); "
                  "print('ready', flush=True); time.sleep(600)")
        child = subprocess.Popen(["sh", "-c", 'setsid "$@" & trap "kill $!" TERM; wait', "sh", sys.executable, "-c",
                                  script, ours],
                                 stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        process._end_session(child)
        self.assertEqual((ours.exists(), other.exists()), (False, True))

    def test_a_launcher_of_a_killed_oshbench_is_not_executed(self) -> None:
        """The process may die before its child asks for a signal at its death."""
        reader, writer = os.pipe()
        if (doomed := os.fork()) == 0:
            attach, parent = end_with_parent(), os.getpid()
            if os.fork() == 0:
                while os.getppid() == parent:
                    time.sleep(0.001)
                attach()
                os.write(writer, b"executed")
            os._exit(0)
        os.close(writer)
        os.waitpid(doomed, 0)
        with os.fdopen(reader, "rb") as told:
            self.assertEqual(told.read(), b"")


class Verdicts(Suite):
    measured: dict[tuple[str, int], str] = {}  # a simulated run depends on nothing else

    def setUp(self) -> None:
        super().setUp()
        self.on_a_steady_machine("launch=0.01,noise=0.02", "base.json")

    def on_a_steady_machine(self, how: str, output: str, rounds: int = 6) -> None:
        """The simulated library has no limits beside its batches, so they are added: 10 ns at all times."""
        if (how, rounds) not in self.measured:
            self.simulate(f"base=sim::{how}", output=output, rounds=rounds)
            self.measured[how, rounds] = (self.place / output).read_text()
        saved = json.loads(self.measured[how, rounds])
        for record in (record for launch in saved["launches"] for record in launch["records"]):
            record |= {"reference": "store", "reference_ns": [10.0] * len(record["values"])}
        (self.place / output).write_text(json.dumps(saved))

    def test_a_gate_lets_the_same_through_and_stops_what_is_slower(self) -> None:
        self.on_a_steady_machine("launch=0.01,noise=0.02,outliers=0.02", "same.json", 5)
        self.assertIn("gate: passed", self.oshbench("gate", "base.json", "same.json").stdout)
        self.on_a_steady_machine("launch=0.01,noise=0.02,scale=1.3", "slow.json")
        self.assertIn("gate: FAILED", self.oshbench("gate", "base.json", "slow.json", status=1).stdout)
        self.assertIn("gate: passed", self.oshbench("gate", "slow.json", "base.json").stdout)
        self.assertIn("gate: passed", self.oshbench("gate", "base.json", "slow.json", "--max-regress", "60%").stdout)

    def test_a_gate_of_two_runs_without_limits_says_what_is_missing(self) -> None:
        for name in ("one.json", "two.json"):
            self.simulate("base=sim::launch=0.01,noise=0.02", output=name, rounds=6)
        told = " ".join(self.oshbench("gate", "one.json", "two.json", status=2).stdout.split())
        self.assertIn("a drift of the machine of 5% is allowed for; measure both in one run", told)

    def test_two_versions_of_one_run_are_gated_round_by_round(self) -> None:
        self.simulate("old=sim::launch=0.01,noise=0.02", "new=sim::launch=0.01,noise=0.02", output="both.json",
                      rounds=6)
        done = self.oshbench("gate", "both.json:old", "new")
        self.assertIn("new against old", done.stdout)
        self.assertIn("launches compared round by round", " ".join(done.stdout.split()))
        self.assertIn("gate: passed", done.stdout)

    def test_a_gate_names_a_run_that_is_not_whole(self) -> None:
        saved = json.loads((self.place / "base.json").read_text())
        (self.place / "half.json").write_text(json.dumps(saved | {"finished": False}))
        self.assertIn("! half.json is not complete: oshbench run ... --resume",
                      self.oshbench("gate", "half.json", "base.json").stdout)

    def test_a_gate_is_a_test_suite_for_ci(self) -> None:
        self.on_a_steady_machine("launch=0.01,noise=0.02,scale=1.3", "slow.json")
        self.oshbench("gate", "base.json", "slow.json", "--junit", "gate.xml", status=1)
        suite = xml.etree.ElementTree.parse(self.place / "gate.xml").getroot()
        tests = {test.get("name"): [child.tag for child in test] for test in suite}
        self.assertEqual((suite.get("tests"), suite.get("failures")),
                         (str(len(tests)), str(list(tests.values()).count(["failure"]))))
        self.assertEqual(tests["put 8 B, 1 PEs"], ["failure"])
        self.oshbench("gate", "slow.json", "base.json", "--junit", "gate.xml")
        self.assertEqual(xml.etree.ElementTree.parse(self.place / "gate.xml").getroot().get("failures"), "0")

    def test_a_gate_stops_what_is_wrong_and_what_cannot_be_judged(self) -> None:
        self.simulate("base=sim::wrong=put", output="wrong.json", rounds=1, status=1)
        self.assertIn("6 wrong", self.oshbench("gate", "base.json", "wrong.json", status=1).stdout)
        self.assertIn("nothing in common", self.oshbench("gate", "base.json", "wrong.json", "--cases", "none",
                                                         status=2).stdout)
        self.simulate("base=sim::launch=0.01,noise=0.02", output="one.json", rounds=1)
        self.assertIn("cannot tell", self.oshbench("gate", "one.json", "one.json:base", status=2).stdout)


class Threads(Suite):
    @unittest.skipUnless(shutil.which("mpiexec.mpich"), "no MPICH")
    def test_a_target_helps_who_needs_it(self) -> None:
        """MPICH completes puts only while the target calls MPI, and a probe of MPI_COMM_SELF is not enough."""
        self.oshbench("run", "mt_lat.put.default.quiet.single", "-L", "mpich", "-r", 1, "-o", "run.json", "--no-doctor",
                      "--work", self.place / "work")
        (launch,) = json.loads((self.place / "run.json").read_text())["launches"]
        self.assertEqual((launch["ending"], launch["records"][0]["ok"]), ("ok", True))


class Declarations(Suite):
    """A file of cases declares its cases, and the faults that they must notice."""

    def listed(self, program: str) -> list[str]:
        return [name for name, _, _ in launch.list_cases(Library("oshen", "shmem", "cc", ("env",)),
                                                         OSHBENCH.with_name(program))]

    def test_every_case_is_of_a_kind(self) -> None:
        cases = [*self.listed("bench-cases"), *self.listed("bench-threads")]
        self.assertGreater(len(cases), 500)
        self.assertEqual([case for case in cases if catalogue.kind_of(case) is catalogue.UNKNOWN], [])
        self.assertLessEqual({kind.axis for kind in catalogue.all_kinds()}, catalogue.AXES.keys())

    def test_the_most_specific_pattern_counts(self) -> None:
        kinds = {case: catalogue.kind_of(case).pattern for case in ("put", "put_self", "bw.put_blocking", "bw.put",
                                                                    "sum_local", "g")}
        self.assertEqual(kinds, {"put": "put", "put_self": "*_self", "bw.put_blocking": "bw.put_blocking",
                                 "bw.put": "bw.*", "sum_local": "sum*", "g": "g"})

    def test_faults_name_cases_that_there_are(self) -> None:
        cases = [*self.listed("bench-cases"), *self.listed("bench-threads")]
        faults = [fault for fault in declarations.faults() if (fault.kind, fault.program) == ("shmem", "cases")]
        self.assertGreater(len(faults), 40)
        for fault in faults:
            for pattern in fault.cases:
                self.assertTrue(fnmatch.filter(cases, pattern), (fault.name, pattern))

    def test_one_new_file_is_a_new_case(self) -> None:
        bench = self.place / "bench"
        shutil.copytree(OSHBENCH.parents[1] / "share/oshen/bench", bench, ignore=shutil.ignore_patterns("__pycache__"))
        tables = Path(__file__).resolve().parents[2] / "tools/shared/oshen_tables.py"
        shutil.copy(tables, self.place)  # beside bench/, as in an installation
        (bench / "programs/micro/new.c").write_text(NEW_CASE)
        script = "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from oshbench import cli; " \
                 "sys.exit(cli.main(sys.argv[2:], None, Path(sys.argv[1])))"
        words = ["run", "new_case", "-L", "oshen", "-r", 1, "--no-doctor", "--ours", OSHBENCH.parent, "--work",
                 self.place / "work"]
        done = subprocess.run([sys.executable, "-B", "-c", script, str(bench), *map(str, words)], cwd=self.place,
                              env=self.env, capture_output=True, text=True, timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"new_case .*a new kind")


class Apps(Suite):
    def test_they_are_built_with_all_that_the_build_gives_them(self) -> None:
        for app in ("gups", "remap3d", "bale_permute"):  # single words, ways of one transport, a shared module
            self.oshbench("run", f"app.{app}", "-L", "oshen", "-n", 1, "-r", 1, "--args=--steps 1", "-o", "app.json",
                          "--no-doctor", "--work", self.place / "work")
            launch_of_app = json.loads((self.place / "app.json").read_text())["launches"][0]
            found = {entry["case"] for entry in launch_of_app["records"]}
            self.assertTrue({f"app.{app}.barrier", f"app.{app}.{'auto' if app == 'remap3d' else 'plain'}"} <= found,
                            found)

    def test_what_was_asked_for_is_in_the_name(self) -> None:
        self.oshbench("run", "app.heat_image", "-L", "oshen", "-n", 1, "-r", 1,
                      "--args=32 32 2 --scaling weak --threads 2", "-o", "app.json",
                      "--no-doctor", "--work", self.place / "work")
        found = {entry["case"] for entry in json.loads((self.place / "app.json").read_text())["launches"][0]["records"]}
        self.assertIn("app.heat_image.barrier.weak.t2", found)


class Designs(unittest.TestCase):
    def test_what_is_kept_to_a_design_runs_no_other(self) -> None:
        """The library's own choice, for a team with a CPU for each PE and for one without."""
        ours = Library("oshen", "shmem", "oshcc")
        for variant in designs.variants(ours):
            for pes in (2, 8):
                said = subprocess.run([OSHBENCH.with_name("oshinfo"), "--coll", "--json", "-n", str(pes)],
                                      env=os.environ | variant.env, capture_output=True, text=True, check=True,
                                      timeout=WATCHDOG).stdout
                for one in json.loads(said)["collectives"]:
                    how = {row["name"]: row["design"] for row in one["algorithms"]}
                    if one["setting"] in variant.env:
                        for choice in one["chosen"]:
                            self.assertEqual(how[choice["name"]], variant.design,
                                             (variant.name, pes, one["collective"], choice))


class Messages(Suite):
    def refused(self, *args: object) -> str:
        done = self.oshbench(*args, status=2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_one_line_that_says_what_to_do(self) -> None:
        self.assertIn("neither a profile (quick, ", self.refused("run", "nothing"))
        self.assertIn("no such library; there are", self.refused("run", "quick", "-L", "nobody"))
        self.assertIn("NAME=KIND:COMPILER:RUN is expected", self.refused("run", "quick", "--library", "x=y"))
        self.assertIn("none.json: no such file", self.refused("show", "none.json"))
        self.assertIn("numbers and commas are expected", self.refused("run", "put", "--sizes", "8,b"))
        self.assertIn("a profile has its own", self.refused("run", "quick", "--sizes", "8"))
        self.assertIn("may be used", self.refused("run", "quick", "--cpus", "4095"))
        self.assertIn("--ssh: only with --hosts", self.refused("run", "put", "--ssh", "x", "--no-doctor"))
        self.assertIn("is no name of a host", self.refused("run", "put", "--hosts", "h1:2"))
        self.assertIn("Write {hosts} (h1,h2)", self.refused("run", "put", "--hosts", "h1", "--library", "x=mpi:cc:run",
                                                            "-L", "x"))
        (self.place / "other.json").write_text("{}")
        self.assertIn("not a file of oshbench run", self.refused("show", "other.json"))
        (self.place / "other.txt").write_text("hello\n")
        self.assertIn("no table of OMB in it", self.refused("import", "osu", "other.txt"))

    def test_what_is_between_two_is_not_measured_alone(self) -> None:
        alone = ("--library", "a=sim::", "-L", "a", "-n", 1, "-r", 1, "--no-doctor", "--work", self.place / "work")
        told = self.oshbench("run", "p_wait", *alone, status=2).stderr
        self.assertIn("oshbench: p_wait needs two PEs; give -n 2", told)
        done = self.oshbench("run", "p*", *alone)
        self.assertIn("! left out at 1 PE: p_wait needs two PEs", done.stderr)
        self.assertNotIn("p_wait", done.stdout)
        self.assertIn("zz*: no library here has such a case", self.oshbench("run", "zz*", *alone, status=2).stderr)

    def test_libraries_are_remembered(self) -> None:
        env = ("--kind", "mpi", "--cc", "/nowhere/mpicc", "--run", "launch {np}")
        self.oshbench("libs", "--add", "mine", *env, "-L", "mine", "--work", self.place / "work")
        saved = json.loads((self.place / "config/oshbench/libraries.json").read_text())
        self.assertEqual((saved[0]["name"], saved[0]["run"]), ("mine", ["launch", "{np}"]))
        self.oshbench("libs", "--forget", "mine")
        self.assertIn("no library of this name", self.refused("libs", "--forget", "mine"))


if __name__ == "__main__":
    unittest.main()
