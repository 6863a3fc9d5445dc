#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What --record demands of a machine, and what a page says about it."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from statistics import median
from unittest import mock

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import oshbench  # noqa: E402
import papers  # noqa: E402
from oshbench import beside, campaign, comparison, machine, others_page, render, results  # noqa: E402
from oshbench.collective_goals import GOALS  # noqa: E402
from oshbench.samples import Summary, against  # noqa: E402


def stat(busy: int, idle: int) -> str:
    return f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n"


class Busy(unittest.TestCase):
    def test_counts_everything_but_idle_time(self) -> None:
        self.assertEqual(machine._ticks("cpu  1 2 3 100 50 4 5 6 7 8\ncpu0 9 9 9 9 9 9 9 9"), (21, 150))

    def says(self, *texts: str) -> str:
        ticks = [machine._ticks(text) for text in texts]
        with mock.patch.object(machine, "_ticks", side_effect=ticks), mock.patch("time.sleep"):
            return machine.busy()

    def test_a_quiet_machine_is_none(self) -> None:
        self.assertEqual(self.says(stat(1000, 5000), stat(1002, 5198)), "")

    def test_a_busy_machine_is_named(self) -> None:
        self.assertIn("use 50% of the CPUs", self.says(stat(1000, 5000), stat(1100, 5100)))


class Watched(unittest.TestCase):
    """Ticks of all, and of them our own, before and after a run."""

    def says(self, used: int, own: float, idle: int) -> str:
        with mock.patch.object(machine, "_ticks", side_effect=[(1000, 5000), (1000 + used, 5000 + idle)]), \
                mock.patch.object(machine, "_own_ticks", side_effect=[50.0, 50.0 + own]):
            return machine.Watch().disturbed()

    def test_a_run_alone_is_not_disturbed(self) -> None:
        self.assertEqual(self.says(900, 890, 100), "")
        self.assertEqual(self.says(900, 905, 100), "")

    def test_a_neighbour_on_one_of_two_cpus_is_seen(self) -> None:
        self.assertIn("used 50% of the CPUs meanwhile", self.says(1000, 500, 0))

    def test_own_time_counts_what_was_started_and_has_ended(self) -> None:
        before = machine._own_ticks()
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
        self.assertGreaterEqual(machine._own_ticks() - before, 0.3 * os.sysconf("SC_CLK_TCK") - 2)

    def test_a_disturbed_comparison_is_called_busy(self) -> None:
        watch = mock.Mock()
        watch.disturbed.side_effect = ["others", ""]
        self.assertTrue(comparison.disturbed(watch))
        self.assertFalse(comparison.disturbed(watch))


class Record(unittest.TestCase):
    def test_is_refused_on_a_busy_machine_before_anything_is_built(self) -> None:
        args = comparison.arguments("", "*", "nothing").parse_args(["--record"])
        with mock.patch.object(machine, "busy", return_value="busy"), \
                mock.patch.object(comparison, "build_limits", side_effect=AssertionError("built")):
            self.assertEqual(comparison.compare(args, None, None), 2)


class DisturbedRun(unittest.TestCase):
    """Neighbours that came after the look at the start: the recorders ask again at the end, and write what they hear."""

    def setUp(self) -> None:
        self.enterContext(mock.patch.object(machine.Watch, "disturbed", return_value="others"))
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_comparison_says_so(self) -> None:
        args = comparison.arguments("", "*", "nothing").parse_args([])
        target = self.folder / "record.json"
        report = comparison.Report("command", target, lambda saved: [], lambda saved: "page")
        found = {"machine": {}, "libraries": {}, "results": [], "load": [0, 0]}
        with mock.patch.multiple(comparison, build_limits=mock.DEFAULT, choose_libraries=mock.Mock(return_value=[]),
                                 measure=mock.Mock(return_value=found), write_page=mock.Mock(return_value=target)):
            comparison.compare(args, None, report)
        self.assertTrue(json.loads(target.read_text())["busy"])

    def test_the_papers_say_so(self) -> None:
        args = argparse.Namespace(record=False, busy=False, page=False, only=["paper-threads"], work=self.folder)
        page = mock.Mock(**{"write.return_value": self.folder})  # the page itself needs packages that are not everywhere
        with mock.patch.object(papers, "parse_arguments", return_value=args), mock.patch.object(papers, "measure", return_value=0), \
                mock.patch.object(papers.needs, "demand"), mock.patch.object(machine, "busy", return_value=""), \
                mock.patch.object(oshbench, "papers_page", page, create=True):
            papers.main()
        self.assertTrue(results.load(self.folder / "whole" / "paper-threads.json")["busy"])


class Resumed(unittest.TestCase):
    """What bench/papers.py goes on with, and what it begins anew."""

    def begun(self, before: dict, record: bool, busy: bool = False, allowed: bool = False) -> dict:
        args = argparse.Namespace(record=record, busy=allowed)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(machine, "commit", return_value="now"):
            whole = Path(folder) / "whole.json"
            results.save(campaign.begin("paper-threads", "c", before | {"launches": ["kept"]}), whole)
            return papers.begin(args, "paper-threads", whole, busy)

    def test_a_run_of_this_commit_goes_on(self) -> None:
        self.assertEqual(self.begun({"ours": "now", "busy": False}, True)["launches"], ["kept"])

    def test_one_of_another_commit_does_not(self) -> None:
        self.assertEqual(self.begun({"ours": "before", "busy": False}, False)["launches"], [])
        self.assertEqual(self.begun({}, False)["launches"], [])

    def test_what_others_disturbed_is_no_record_of_a_quiet_machine(self) -> None:
        busy = {"ours": "now", "busy": True}
        self.assertEqual(self.begun(busy, True)["launches"], [])
        self.assertFalse(self.begun(busy, True)["busy"])
        self.assertEqual(self.begun(busy, True, allowed=True)["launches"], ["kept"])

    def test_once_disturbed_it_stays_so(self) -> None:
        self.assertTrue(self.begun({"ours": "now", "busy": True}, False)["busy"])
        self.assertTrue(self.begun({"ours": "now", "busy": False}, False, busy=True)["busy"])


class Page(unittest.TestCase):
    SAVED = {"machine": {"CPU": "Some CPU", "CPUs": "2", "virtual machine": "yes", "kernel": "Linux 6.1"},
             "libraries": {}, "command": "c", "rounds": 1, "ours": "x", "load": [0, 0]}

    def page(self, **more: object) -> str:
        return comparison.page(self.SAVED | more, "Title", "about", "goals", [])

    def test_names_the_machine(self) -> None:
        self.assertIn("Measured on: Some CPU, 2 CPUs (virtual), Linux 6.1.", self.page())

    def test_says_that_the_machine_was_busy(self) -> None:
        self.assertIn("busy with other work", self.page(busy=True))
        self.assertNotIn("busy", self.page())


    def test_marks_who_spins_in_a_crowd(self) -> None:
        entry = {"library": "mpich", "pes": 8}
        self.assertIn("† spins", self.page(results=[entry]))
        self.assertNotIn("†", self.page(results=[entry | {"pes": 2}, entry | {"library": "oshen"}]))
        self.assertEqual(render.spinning("mpich", 8, None), "")


class Machines(unittest.TestCase):
    """One page holds what several machines have recorded."""

    @staticmethod
    def record(cpu: str, ours: float, theirs: float) -> str:
        def entry(library: str, ns: float) -> dict:
            return {"library": library, "case": "put", "size": 8, "pes": 2, "ns": ns, "best_ns": ns, "low_ns": ns,
                    "high_ns": ns, "to_reference": 1.0, "reference_ns": ns, "reference": "store", "how": "", "batches": 1}
        return json.dumps(Page.SAVED | {"machine": Page.SAVED["machine"] | {"CPU": cpu},
                                        "results": [entry("oshen", ours), entry("mpich", theirs)]})

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.own = Path(folder.name, "one-node.json")
        self.own.write_text(self.record("First CPU", 10, 20))
        self.report = comparison.Report("c", self.own, lambda saved: [],
                                        lambda saved: comparison.page(saved, "Title", "about", "goals", []))

    def test_a_page_of_one_machine_has_no_other(self) -> None:
        page = comparison.write_page(self.own, self.report)
        self.assertNotIn("side by side", page.read_text())

    def test_a_second_machine_stands_beside_the_first(self) -> None:
        second = self.own.with_name(beside.record_name("one-node", "other"))
        second.write_text(self.record("Second CPU", 30, 20))
        page = comparison.write_page(second, self.report)
        self.assertEqual(page.name, "one-node.md")
        text = page.read_text()
        self.assertIn("Measured on: First CPU", text)
        self.assertIn("| 2 | Second CPU, 2 CPUs (virtual), Linux 6.1 |", text)
        self.assertIn("| put | 8 | 2 | 10 ns | 20 ns (mpich) | 0.50 | 30 ns | 20 ns (mpich) | 1.50 |", text)


class Others(unittest.TestCase):
    """The page of what others do faster."""

    def page(self, **records: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in records.items():
                Path(folder, name.replace("_", "-") + ".json").write_text(text)
            return others_page.text(Path(folder))

    def record(self, ours: list[float], theirs: list[float]) -> str:
        saved = json.loads(Machines.record("Some CPU", median(ours), median(theirs)))
        for entry, launches in zip(saved["results"], (ours, theirs)):
            entry |= {"launches": launches, "references": [], "reference_ns": None}
        return json.dumps(saved)

    def test_has_a_row_where_every_launch_of_theirs_was_better(self) -> None:
        self.assertIn("| 2 | `put` | 8 B | 21 ns | 10 ns | mpich | 2.10 | 3 | put, completed |",
                      self.page(one_node=self.record([20, 21, 22], [10, 10, 10])))
        self.assertIn("No row.", self.page(one_node=self.record([20, 21, 9], [10, 10, 10])))
        self.assertIn("No row.", self.page(one_node=self.record([10.2, 10.2], [10, 10])))

    def test_says_which_run_a_row_is_from(self) -> None:
        text = self.page(one_node=self.record([20], [10]), collectives=self.record([5], [10]))
        self.assertIn("1 rows in 2 runs", text)
        self.assertLess(text.index("## one-node.json"), text.index("mpich"))
        self.assertIn("Some CPU, 2 CPUs (virtual), Linux 6.1; our commit x; `c`; 1 round;", text)
        self.assertIn("Rows of one launch are hints", text)

    def test_between_hosts_a_bare_fabric_is_no_library(self) -> None:
        saved = Page.SAVED | {"commit": "x", "results": {"2 x 2": {"oshen": {"put 8": [30.0, 20.0]}, "libfabric": {"put 8": [1.0, 1.0]},
                                                                   "ompi": {"put 8": [10.0, 10.0]}}}}
        self.assertIn("| 4 | `put` | 8 B | 25.0 µs | 10.0 µs | ompi | 2.50 | 2 |", self.page(off_node=json.dumps(saved)))

    def test_the_page_in_the_repository_is_what_the_records_say(self) -> None:
        self.assertEqual((comparison.RECORDS / others_page.PAGE).read_text(), others_page.text(comparison.RECORDS))


class Goals(unittest.TestCase):
    @staticmethod
    def summary(ns: float, copies: float) -> Summary:
        return Summary(ns=ns, best_ns=ns, low_ns=ns, high_ns=ns, to_reference=copies, reference_ns=ns / copies,
                       reference="copy_both", how="")

    def test_large_ones_are_counted_in_copies_of_the_same_run(self) -> None:
        goal = next(g for g in GOALS if g.key() == ("sum", 1 << 20, 2))
        self.assertEqual(goal.text(), "≤ 1.6 copies")
        for slowness in (1, 10):  # of the machine
            self.assertAlmostEqual(goal.times(self.summary(50000 * slowness, 1.6)), 1)
        self.assertGreater(goal.times(self.summary(50000, 1.7)), 1)

    def test_small_ones_in_time(self) -> None:
        goal = next(g for g in GOALS if g.key() == ("sum", 8, 2))
        self.assertEqual(goal.text(), "≤ 0.21 µs")
        self.assertAlmostEqual(goal.times(self.summary(420, 1)), 2)


class Lines(unittest.TestCase):
    """A line takes 40 ns or 220, by where the virtual machine's CPUs are just now."""

    @staticmethod
    def summary(launches: list[float], references: list[float], reference: str = "exchange") -> Summary:
        return Summary(ns=median(launches), best_ns=1, low_ns=1, high_ns=1, to_reference=1, reference_ns=median(references or [1]),
                       reference=reference, how="", launches=launches, references=references, batches=1)

    def test_launches_with_lines_of_one_speed_are_compared(self) -> None:
        ours, peer = self.summary([350, 120, 120], [220, 40, 40]), self.summary([700, 700, 360], [220, 220, 41])
        self.assertAlmostEqual(against(ours, peer), 1 / 3 * 41 / 40)
        self.assertAlmostEqual(against(ours, self.summary([700, 1400], [220, 220])), 1 / 2)

    def test_without_any_there_is_no_ratio(self) -> None:
        self.assertIsNone(against(self.summary([120], [40]), self.summary([700], [220])))

    def test_the_speed_of_the_machine_is_no_merit(self) -> None:
        self.assertAlmostEqual(against(self.summary([25.4], [25.3], "copy"), self.summary([22.1], [22.0], "copy")), 1, delta=0.01)

    def test_without_references_times_are_compared(self) -> None:
        self.assertEqual(against(self.summary([120], []), self.summary([60], [])), 2)


class Help(unittest.TestCase):
    def test_both_comparisons_know_it(self) -> None:
        for program in ("compare.py", "collectives.py"):
            done = subprocess.run([sys.executable, "-B", BENCH / program, "--help"], capture_output=True, text=True,
                                  check=True)
            self.assertIn("--busy", done.stdout)


if __name__ == "__main__":
    unittest.main()
