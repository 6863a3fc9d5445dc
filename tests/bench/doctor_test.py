#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshbench doctor sees other load, the ways between CPUs and stolen time; a run names the launches in which the machine
changed."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

from oshbench.machine import changes, cpu_pairs, doctor, load
from oshbench.machine.load import Watch
from oshbench.results.run import LaunchResult, Run

BENCH = Path(__file__).resolve().parents[2] / "bench"


CPUS = sorted(os.sched_getaffinity(0))[:2]
QUIET = {"cpus": [0, 1, 2], "measured_on": [0, 1, 2], "governor": "", "boost": "", "swap_used_kb": 0,
         "shm_free_mb": None, "noise": 1.01, "clock_ns": 20.0, "neighbours": [], "limits": {"xadd": 6.0},
         "lost": {"0": 0.0, "1": 0.01, "2": 0.0}, "gap_ms": 0.2, "steal": 0.0,
         "running": 0, "load": [0.1, 0.1, 0.1], "bandwidth": 10.0, "bandwidth_all": 18.5,
         "lines": {"0-1": 40.0, "0-2": 45.0, "1-2": 44.0}}


class Load(unittest.TestCase):
    def test_processes_that_take_turns_with_ours_are_seen(self) -> None:
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * len(CPUS))]
        for process in others:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            os.sched_setaffinity(process.pid, CPUS)
        time.sleep(0.5)
        found = load.examine(CPUS, 0.6)
        self.assertGreater(max(found["lost"].values()), 0.4, found)
        self.assertGreater(found["running"], len(CPUS), found)
        told = " ".join(doctor.warnings(QUIET | found))
        self.assertRegex(told, r"a process that wants a whole CPU loses \d\d% of CPU \d")
        self.assertRegex(told, r"\d+ other processes want to run now")

    def test_a_load_average_alone_is_named(self) -> None:
        (told,) = doctor.warnings(QUIET | {"load": [46.0, 40.0, 30.0]})
        self.assertIn("the load average is 46.0 on 3 CPUs", told)

    def test_stolen_time_is_told_from_the_load_of_programs(self) -> None:
        before, after = (load.ticks(f"cpu  {user} 0 0 {idle} 0 0 0 {steal} 0 0") for user, idle,
                         steal in ((100, 500, 0), (150, 525, 25)))
        self.assertEqual(after.since(before), (0.75, 0.25))
        self.assertIn("the hypervisor gives 25% of the time", " ".join(doctor.warnings(QUIET | {"steal": 0.25})))

    def test_a_watch_tells_others_from_the_hypervisor(self) -> None:
        ticks = [load.Ticks(0, 0, 0), load.Ticks(600, 400, 100)]
        with unittest.mock.patch.object(load, "ticks", side_effect=ticks), \
                unittest.mock.patch.object(load, "_own_ticks", side_effect=[0, 300]):
            self.assertEqual(Watch().shares(), (0.2, 0.1))


class Wires(unittest.TestCase):
    def test_pairs_of_many_cpus_are_a_choice(self) -> None:
        self.assertEqual(cpu_pairs.pairs([0, 1, 4]), [(0, 1), (0, 4), (1, 4)])
        many = cpu_pairs.pairs(list(range(256)))
        self.assertLessEqual(len(many), cpu_pairs.MOST_PAIRS)
        self.assertTrue((0, 1) in many and any(b > 200 for _, b in many))

    @unittest.skipUnless(len(CPUS) > 1, "one CPU")
    def test_lines_and_bandwidth_are_measured(self) -> None:
        from oshbench.libraries.build import build_limits
        with tempfile.TemporaryDirectory() as folder:
            found = cpu_pairs.examine(build_limits(BENCH, Path(folder)), CPUS)
        self.assertEqual(list(found["lines"]), [f"{CPUS[0]}-{CPUS[1]}"])
        self.assertTrue(1 < found["lines"][f"{CPUS[0]}-{CPUS[1]}"] < 1e5, found)
        self.assertTrue(0.1 < found["bandwidth"] < 1000 and found["bandwidth_all"] > 0.5 * found["bandwidth"], found)

    def test_far_pairs_are_named(self) -> None:
        (told,) = doctor.warnings(QUIET | {"lines": {"0-1": 40.0, "0-2": 210.0}})
        self.assertIn("40 ns between CPUs 0 and 1, 210 ns between CPUs 0 and 2", told)

    def test_the_text_has_every_pair(self) -> None:
        text = doctor.text(QUIET)
        for words in ("0-1: 40 ns, 0-2: 45 ns, 1-2: 44 ns", "10.0 GB/s by one CPU, 18.5 GB/s by all", "1% of CPU 1",
                      "a quiet machine"):
            self.assertIn(words, text)


class States(unittest.TestCase):
    def saved(self, lines: list[float], copies: float = 1.0, **load: list[float]) -> Run:
        launches = []
        for number, ns in enumerate(lines):
            records = [{"case": case, "size": 8, "pes": 2, "reference": reference,
                        "reference_ns": [value, value * 1.1, value * 0.9]}
                       for case, reference, value in (("barrier_all", "exchange", ns), ("p_wait", "line", ns / 2),
                                                      ("put", "copy_out", 100 * copies ** number))]
            launches.append(LaunchResult("", number // 2, "ab"[number % 2], "cases", 2, records=records,
                                         **{name: values[number] for name, values in load.items()}))
        return Run("given", "", launches=launches)

    def test_a_steady_machine_is_not_named(self) -> None:
        self.assertEqual(changes.lines(self.saved([40, 42, 39, 41, 44, 40], copies=1.05)), [])

    def test_a_change_is_named_with_its_first_launch(self) -> None:
        (told,) = changes.lines(self.saved([40, 41, 40, 210, 212, 40]))
        self.assertEqual(told, "the machine changed 2 times between launches: cache lines between CPUs took 0.99 to "
                               "5.2 times their median; first in round 2, b")

    def test_other_kinds_of_limits_are_told_apart(self) -> None:
        (told,) = changes.lines(self.saved([40] * 6, copies=1.5))
        self.assertIn("5 times between launches: copies of memory took", told)

    def test_load_and_steal_are_named_with_their_rounds(self) -> None:
        told = changes.lines(self.saved([40] * 6, others=[0, 0, 0.6, 0.3, 0, 0], steal=[0, 0, 0, 0, 0, 0.12]))
        self.assertEqual(
            told,
            [
                "other programs had 60% of the CPUs during 2 of 6 launches (round 2)",
                "the hypervisor gave 12% of the time to other machines during 1 of 6 launches (round 3)",
            ],
        )


if __name__ == "__main__":
    unittest.main()
