#!/usr/bin/env python3
"""The arithmetic of scripts/lammps_halo.py: the numbers of a run, the time of a message, the page; and the end of a run that hangs."""
import contextlib
import io
import json
import lzma
import os
import sys
import tempfile
import time
import unittest
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import lammps_halo
from lammps_halo import Failure, OneNode, Point, Sample

sys.dont_write_bytecode = True


def log(loop, comm):
    return (f"LAMMPS (22 Jul 2025 - Update 4)\nLoop time of {loop} on 2 procs for 100 steps with 32000 atoms\n"
            f"Pair    | 2.5        | 2.6        | 2.7        |   0.0 | 65.00\n"
            f"Comm    | 0.1        | {comm}        | 2.1        |   0.0 | 20.00\n")


def call(function, seconds, messages, size):
    return {"function": function, "seconds": seconds, "messages": messages, "bytes": messages * size}


PROFILE = {"processes": 2, "functions": [
    call("LAMMPS_NS::CommBrick::forward_comm(int)", 0.5, 1200, 1000),
    call("LAMMPS_NS::CommBrick::reverse_comm()", 0.1, 300, 2000),
    call("void LAMMPS_NS::Grid3d::forward_comm_tiled<LAMMPS_NS::KSpace>(LAMMPS_NS::KSpace*, int)", 0.2, 100, 2000),
    call("LAMMPS_NS::CommBrick::borders()", 9.0, 9000, 9)]}


def read(path):
    """The text of a file; none if there is no such file."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def runs(pid):
    """Whether a process exists and has not ended."""
    state = read(Path("/proc", pid, "stat")).rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"


def until(found):
    """The value of `found` as soon as it is true, or else after 5 seconds."""
    deadline = time.monotonic() + 5
    while not (value := found()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return value


class Halo(unittest.TestCase):
    point = Point("lj", 16000, 100)

    def test_numbers_of_two_runs(self):
        found = lammps_halo.sample(log(4, 0.8), log(5, 3.0), PROFILE, self.point)
        self.assertAlmostEqual(found.step, 0.04)  # of the run without oshprof
        self.assertAlmostEqual(found.comm, 0.2)
        self.assertAlmostEqual(found.halo, 0.16)  # of the other one
        self.assertAlmostEqual(found.messages, 8)  # of one of two ranks
        self.assertAlmostEqual(found.message_bytes, 1250)

    def test_runs_without_these_numbers_are_failures(self):
        for words, wrong in (("no halo", {"processes": 2, "functions": [call("main", 1, 1, 1)]}), ("1 of 2 ranks", PROFILE | {"processes": 1})):
            with self.assertRaisesRegex(Failure, words):
                lammps_halo.sample(log(4, 0.8), log(5, 3.0), wrong, self.point)
        with self.assertRaisesRegex(Failure, "no timings"):
            lammps_halo.sample("LAMMPS (1 Jan 2026)\n", log(5, 3.0), PROFILE, self.point)

    def test_a_failed_run_ends_neither_the_others_nor_the_script(self):
        names = SimpleNamespace(name="good"), SimpleNamespace(name="bad")
        sample, tried = Sample(1, 0.1, 0.1, 1, 1), []

        def once(_options, place, point, _folder):
            tried.append((place.name, point))
            if place.name == "bad":
                raise Failure("exit status 1\nfolder/in.bad: no such atom")
            return sample, "1 Jan 2026"

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(lammps_halo, "measure_once", once), \
                contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            options = SimpleNamespace(samples=lammps_halo.GIVE_UP + 3, bin=Path(folder, "bin"))
            samples, failures, version = lammps_halo.measure(options, names, (self.point,))
        self.assertEqual(samples, {("good", self.point): [sample] * options.samples, ("bad", self.point): []})
        self.assertEqual((len(failures), version), (lammps_halo.GIVE_UP, "1 Jan 2026"))
        self.assertEqual(failures[0], "bad, lj, 16000 atoms: exit status 1")

    def test_a_run_that_hangs_is_ended_with_its_processes(self):
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as output:
            with OneNode().started(["sh", "-c", "sleep 97 & echo $! > child; wait"], folder, output):
                child = until(lambda: read(Path(folder, "child")).strip())
                self.assertTrue(until(lambda: runs(child)))
            self.assertTrue(until(lambda: not runs(child)))
            with mock.patch.object(lammps_halo, "LIMIT", 0.1), self.assertRaisesRegex(Failure, "not finished after 0.1 s"):
                lammps_halo.run(OneNode(), ["sleep", "97"], Path(folder))

    def test_a_run_that_fails_tells_why(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(Failure, "exit status 3\nno such atom"):
            lammps_halo.run(OneNode(), ["sh", "-c", "echo no such atom; exit 3"], Path(folder))

    def test_small_boxes_have_the_atoms_that_the_table_names(self):
        for point in lammps_halo.POINTS:
            if point.scale:
                x, y, z = (20 * factor for factor in point.scale)  # cells of the benchmarks' lattice, 4 atoms in each
                self.assertAlmostEqual(4 * x * y * z, point.atoms * lammps_halo.RANKS)
                self.assertEqual([x % 1, y % 1, z % 1], [0, 0, 0])

    def test_an_input_has_its_own_steps_and_box(self):
        with tempfile.TemporaryDirectory() as place:
            bench, folder = Path(place, "bench"), Path(place, "run")
            bench.mkdir()
            folder.mkdir()
            (bench / "in.lj").write_text("variable x index 1\nrun             100\n")
            (bench / "Cu_u3.eam").write_text("potential")
            lammps_halo.write_input(bench, Point("lj", 200, 4000), folder)
            self.assertEqual((folder / "in.halo").read_text(), "variable x index 1\nrun 4000\n")
            self.assertEqual((folder / "Cu_u3.eam").read_text(), "potential")
        words = lammps_halo.lammps(SimpleNamespace(lmp=Path("/venv/bin/lmp")), OneNode(), lammps_halo.POINTS[0], "log")
        self.assertEqual(words[0], Path("/venv/bin/mpiexec"))
        self.assertEqual(words[-9:], ["-var", "x", 0.25, "-var", "y", 0.25, "-var", "z", 0.2])

    def test_time_between_sizes(self):
        times = {8: 1e-6, 32: 4e-6}
        self.assertAlmostEqual(lammps_halo.between(times, 16), 2e-6, 12)
        for size, seconds in ((8, 1e-6), (32, 4e-6), (1, 1e-6), (1000, 4e-6)):
            self.assertAlmostEqual(lammps_halo.between(times, size), seconds, 12)

    def test_the_record_has_both_kinds_of_messages(self):
        record = json.loads(lzma.decompress(lammps_halo.MESSAGES.read_bytes()))
        for case, library in (("pp_two_sided", "mpich"), ("pp_signal", "oshen")):
            times = lammps_halo.message_times(record, case, library)
            self.assertLess(min(times), 64)
            self.assertGreater(max(times), 32 << 10)
            self.assertTrue(all(0 < seconds < 1 for seconds in times.values()))
        with self.assertRaisesRegex(SystemExit, "no row pp_signal of cray"):
            lammps_halo.message_times(record, "pp_signal", "cray")

    def test_the_page(self):
        def row(place, name, atoms, *halos):
            return {"place": place, "input": name, "atoms": atoms, "steps": 100, "samples": [asdict(Sample(100e-6, 0.2, h, 10, 2048)) for h in halos]}
        record = {"command": "lammps_halo.py --samples 3", "ours": "abc1234", "lammps": "1 Jan 2026", "asked": 3, "failures": ["one"],
                  "machine": {"cpus": 2, "cpu": "a CPU", "load": 0.1, "date": "2026-11-26"},
                  "messages": {"two_sided": {"2048": 3e-7}, "put_signal": {"2048": 1e-7}},
                  "rows": [row("one node", "lj", 200, 0.1, 0.3, 0.2), row("one node", "lj", 16000, 0.01), row("one node", "chute", 16000, 0.05),
                           row("two hosts", "lj", 200, 0.5)]}
        text = lammps_halo.page(record)
        for line in ("* One node: at most **5.0%** with 16000 atoms a rank (chute), **20.0%** with fewer (lj, 200 atoms).",
                     "* Two hosts: at most **50.0%** with fewer (lj, 200 atoms).",
                     "| lj | 200 | 3 | 100 | 20.0% | 20.0% (10.0% to 30.0%) | 10.0 | 2.0 | 2.0% |",
                     "| lj | 200 | 1 | 100 | 20.0% | 50.0% (50.0% to 50.0%) | 10.0 | 2.0 | – |"):
            self.assertIn(line, text.splitlines())
        self.assertIn("Faster messages alone would gain at most **2.0%** on one node (lj, 200 atoms a rank).", text)
        self.assertIn("1 run failed", text)
        self.assertNotIn("failed", lammps_halo.page(record | {"failures": []}))


if __name__ == "__main__":
    unittest.main()
