#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The profile footprint: what it leaves out and why, its slopes, and a run with few PEs of our library."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from oshbench.libraries import launch
from oshbench.libraries.build import Programs
from oshbench.libraries.library import Library
from oshbench.machine import properties
from oshbench.measure import campaign, profiles
from oshbench.measure.profiles import footprint
from oshbench.results import run as results
from oshbench.results.rows import table_of_run

BIN = Path(os.environ["BIN"])

PROFILE = profiles.PROFILES["footprint"]
GIB = 1 << 20  # kB


def told(pes: int, hwm: float, pss: float) -> launch.Launch:
    """A launch of hello with these sizes in kB."""
    records = [{"case": case, "how": "", "unit": "kB", "size": 0, "pes": pes, "ok": True, "ns": value}
               for case, value in ((footprint.HWM, hwm), (footprint.PSS, pss))]
    return launch.Launch(records, "", "ok", True)


class Rule(unittest.TestCase):
    BEFORE = results.LaunchResult("", 0, "lean", "hello", 8, seconds=2.0,
                                  records=[{"case": footprint.PSS, "values": [1024.0]}])

    def test_memory_and_time_decide(self) -> None:
        enough = {"seconds": 16.0, "free_kb": 80 * 1024}
        for more, reason in (({}, ""), ({"free_kb": 79 * 1024}, "about 0.1 GiB are needed, 0.1 GiB are free"),
                             ({"seconds": 15.0}, "about 16 s are needed, 15 s are left")):
            with self.subTest(reason):
                self.assertEqual(footprint.obstacle(self.BEFORE, 64, **(enough | more)), reason)

    def test_free_memory_is_that_of_the_container(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(properties, "CGROUP", Path(folder)):
            free = properties.free_kb()
            self.assertGreater(free, 0)
            (Path(folder) / "memory.current").write_text("1048576\n")
            (Path(folder) / "memory.max").write_text("max\n")
            self.assertAlmostEqual(properties.free_kb() / free, 1, delta=0.5)
            (Path(folder) / "memory.max").write_text("3145728\n")
            self.assertEqual(properties.free_kb(), 2048)


class Run(unittest.TestCase):
    """Invented libraries: a PE of `lean` has 1000 kB and 2 kB for each other PE, one of `hungry` 1 GiB, and `broken`
    fails on 8 PEs."""

    def say(self, programs: Programs, pes: int, _timeout: float) -> launch.Launch:
        if programs.library.name == "lean":
            return told(pes, 1000 + 2 * pes, 512)
        if programs.library.name == "hungry":
            return told(pes, GIB, GIB)
        return told(pes, 1000, 1000) if pes < 8 else launch.Launch([], "", "exit 1", False)

    def run_all(self, pes: tuple[int, ...]) -> results.Run:
        found = [Library(name, "shmem", "cc", ("run",)) for name in ("lean", "hungry", "broken")]
        saved = campaign.begin("footprint", "")
        saved.libraries = {library.name: library.to_dict() for library in found}
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(launch, "run_hello", self.say), \
                mock.patch.object(properties, "free_kb", lambda: 100 * GIB):
            setup = campaign.Setup(Path(folder), Path(folder), [0], lambda *_, **__: None)
            running = footprint.Footprint(setup, PROFILE, found, Path(folder) / "run.json")
            running.programs = {library.name: Programs(library, None, Path("hello")) for library in found}
            self.assertTrue(running.run(saved, 3, pes))
        return saved

    def test_slopes_and_what_was_not_measured(self) -> None:
        saved = self.run_all((2, 8, 32, 128, 512))
        slopes, sizes, left_out = (rows for _, _, rows in PROFILE.tables(saved, table_of_run(saved)))
        found = {row[0]: row[1:] for row in slopes}
        self.assertEqual(found.keys(), {"lean", "hungry"})
        for name, pes, of_job, growth in (("lean", "2 to 512", 0.5, 2), ("hungry", "2 to 32", 1024, 0)):
            self.assertEqual(found[name][0], pes)
            self.assertEqual([float(cell.split()[0]) for cell in found[name][1:]], [of_job, growth])
        self.assertEqual([row[0] for row in sizes], ["2", "8", "32", "128", "512"])
        self.assertEqual(left_out, [
            ["broken", "8", "exit 1"], ["broken", "32", "8 PEs gave no result"],
            ["broken", "128", "32 PEs gave no result"], ["broken", "512", "128 PEs gave no result"],
            ["hungry", "128", "about 128.0 GiB are needed, 100.0 GiB are free"],
            ["hungry", "512", "128 PEs gave no result"]])

    def test_no_library_takes_more_than_its_time(self) -> None:
        with mock.patch.object(footprint, "SECONDS", -1.0):
            saved = self.run_all((2, 8))
        self.assertEqual({launch.pes for launch in saved.launches if launch.records}, {2})

    def test_few_pes_of_ours(self) -> None:
        with tempfile.TemporaryDirectory(prefix="oshbench-test-") as folder:
            words = ["run", "footprint", "-L", "oshen", "-n", "1,2,5", "-r", "2", "--no-doctor", "--work", folder, "-o",
                     f"{folder}/run.json"]
            done = subprocess.run([sys.executable, "-B", BIN / "oshbench", *words], capture_output=True, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            saved = json.loads((Path(folder) / "run.json").read_text())
        self.assertEqual([entry["ending"] for entry in saved["launches"]], ["ok"] * 6)
        self.assertRegex(done.stdout, r"oshen +1 to 5 +[-\d.]+ \([-\d.]+–[-\d.]+\) +[-\d.]+ \([-\d.]+–[-\d.]+\)\n")


if __name__ == "__main__":
    unittest.main()
