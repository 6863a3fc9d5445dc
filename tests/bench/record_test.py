#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The requirements of --record on a machine, the contents of a record, and the pages of docs/bench."""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from oshbench import cli
from oshbench.common.errors import Refused
from oshbench.libraries.spinning import spins
from oshbench.machine import load, properties
from oshbench.machine.load import Watch, other_load
from oshbench.measure import campaign, run_command
from oshbench.measure.profile import Part, Profile
from oshbench.results.record_file import expand
from oshbench.results.rows import Key, Row, table_of_run
from oshbench.results.run import LaunchResult, Run, load_run
from record import folders, goals, losses, pages, profiles, publish
from record.extension import Recorder
from record.page import Page
from record.profiles import off_node
from record.reduce import reduce

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"


PLACE = folders.of(BENCH)


def stat(busy: int, idle: int) -> str:
    return f"cpu  {busy} 0 0 {idle} 0 0 0 0 0 0\n"


class Busy(unittest.TestCase):
    def test_counts_everything_but_idle_time(self) -> None:
        self.assertEqual(load.ticks("cpu  1 2 3 100 50 4 5 6 7 8\ncpu0 9 9 9 9 9 9 9 9"), load.Ticks(21, 150, 6))

    def says(self, *texts: str) -> str:
        ticks = [load.ticks(text) for text in texts]
        with mock.patch.object(load, "ticks", side_effect=ticks), mock.patch("time.sleep"):
            return other_load()

    def test_a_quiet_machine_is_none(self) -> None:
        self.assertEqual(self.says(stat(1000, 5000), stat(1002, 5198)), "")

    def test_a_busy_machine_is_named(self) -> None:
        self.assertIn("use 50% of the CPUs", self.says(stat(1000, 5000), stat(1100, 5100)))


class Watched(unittest.TestCase):
    """Ticks of all processes, and our own part of them, before and after a run."""

    def says(self, used: int, own: float, idle: int) -> str:
        with mock.patch.object(load, "ticks", side_effect=[load.Ticks(1000, 5000, 0),
                                                           load.Ticks(1000 + used, 5000 + idle, 0)]), \
                mock.patch.object(load, "_own_ticks", side_effect=[50.0, 50.0 + own]):
            return Watch().disturbed()

    def test_a_run_alone_is_not_disturbed(self) -> None:
        self.assertEqual(self.says(900, 890, 100), "")
        self.assertEqual(self.says(900, 905, 100), "")

    def test_a_neighbour_on_one_of_two_cpus_is_seen(self) -> None:
        self.assertIn("used 50% of the CPUs meanwhile", self.says(1000, 500, 0))

    def test_own_time_counts_what_was_started_and_has_ended(self) -> None:
        before = load._own_ticks()
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
        self.assertGreaterEqual(load._own_ticks() - before, 0.3 * os.sysconf("SC_CLK_TCK") - 2)


def launches(library: str, values: list[float], pes: int = 2, case: str = "put") -> list[LaunchResult]:
    """The launches of one library in a run: each has a put of 8 bytes."""
    return [LaunchResult(f"{number}/{library}", number, library, "cases", pes, seconds=1, records=[
        {"case": case, "size": 8, "pes": pes, "how": "", "unit": "ns", "count": 1, "ok": True, "values": [value],
         "switches": [0]},
    ]) for number, value in enumerate(values)]


MACHINE = {"CPU": "Some CPU", "CPUs": "2", "virtual machine": "yes", "kernel": "Linux 6.1"}
SAVED = Run("one-node", "c", MACHINE, rounds=1, ours="x", load=[0, 0], finished=True)


def saved_run(ours: list[float], theirs: list[float], cpu: str = "Some CPU", **more: object) -> Run:
    libraries = {"oshen": {"name": "oshen"}, "mpich": {"name": "mpich"}}
    return replace(SAVED, **{"machine": MACHINE | {"CPU": cpu}, "rounds": len(ours), "libraries": libraries,
                             "launches": launches("oshen", ours) + launches("mpich", theirs)} | more)


class Checkout(unittest.TestCase):
    """A folder that looks like a checkout, with a profile that measures nothing."""

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="oshbench-record-")))
        self.folder, self.data = self.root / "docs" / "bench", self.root / "bench" / "record" / "data"
        for folder in (self.folder, self.root / "bench"):
            folder.mkdir(parents=True)
        self.found = saved_run([10, 11], [20, 21]).launches
        page = Page("One node", lambda saved, table: [], goals=(goals.Goal("put", Key("put", 8, 2),
                                                                           goals.time("≤ 12 ns", 12)),))
        test = self

        class Given(campaign.Campaign):
            @classmethod
            def contestants(cls, setup):
                return []

            def prepare(self, saved: Run) -> None:
                saved.libraries |= {"oshen": {"name": "oshen"}, "mpich": {"name": "mpich"}}

            def run(self, saved: Run, rounds: int, pes: tuple = ()) -> bool:
                saved.launches += test.found
                saved.rounds, saved.load, saved.finished = rounds, [0, 0], True
                return True

        given = {"one-node": Profile("given", 5, (Part("given"),), campaign=lambda: Given)}
        self.enterContext(mock.patch.dict(profiles.PROFILES, given, clear=True))
        self.enterContext(mock.patch.dict(profiles.PAGES, {"one-node": page}, clear=True))
        self.busy = self.enterContext(mock.patch.object(publish, "other_load", return_value=""))
        self.disturbed = self.enterContext(mock.patch.object(Watch, "disturbed", return_value=""))
        self.enterContext(mock.patch.object(properties, "facts", return_value=MACHINE))

    def oshbench(self, *words: str) -> tuple[int, str]:
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            status = cli.main([*words], None, self.root / "bench", extension=Recorder())
        return status, out.getvalue()

    def record(self, *words: str) -> tuple[int, str]:
        return self.oshbench("run", "one-node", "--record", "--no-doctor", "--commit", "now", "--work",
                             str(self.root / "work"), *words)


class Recording(Checkout):
    def test_a_busy_machine_is_refused_or_named(self) -> None:
        self.busy.return_value = "others use it"
        status, said = self.record()
        self.assertEqual((status, list(self.folder.iterdir())), (2, []))
        self.assertIn("others use it; record on a quiet machine", said)
        status, said = self.record("--busy")
        self.assertEqual(status, 0, said)
        self.assertIn("**Other programs used the machine.**", (self.folder / "one-node.md").read_text())

    def test_what_disturbs_a_run_later_is_named_too(self) -> None:
        self.disturbed.return_value = "others used it"
        self.assertIn("others used it: the page says", self.record()[1])
        self.assertTrue(load_run(self.data / "one-node.json.xz").busy)

    def test_record_page_and_raw_run_are_written(self) -> None:
        status, said = self.record()
        self.assertEqual(status, 0, said)
        text = (self.folder / "one-node.md").read_text()
        for words in ("Measured on: Some CPU, 2 CPUs (virtual), Linux 6.1.", "    oshbench run one-node --record",
                      "1 of 1 goals reached", "our commit now", "| 2 | put | 10.5 ns |"):
            self.assertIn(words, text)
        self.assertNotIn("Other programs", text)
        self.assertTrue((self.root / "build/bench/runs/one-node.json").exists())
        self.assertEqual(self.oshbench("record", "--check"), (0, "current\n"))

    def test_quick_is_not_recorded(self) -> None:
        self.assertEqual(self.record("--quick")[0], 2)

    def test_a_page_that_is_not_what_its_record_says_is_found_and_written_anew(self) -> None:
        self.record()
        (self.folder / "one-node.md").write_text("something else")
        status, said = self.oshbench("record", "--check")
        self.assertEqual((status, said), (1, "pages differ from their records: one-node.md; run oshbench record\n"))
        self.oshbench("record")
        self.assertEqual(self.oshbench("record", "--check")[0], 0)

    def test_a_second_machine_stands_beside_the_first(self) -> None:
        self.record()
        with mock.patch.object(properties, "facts", return_value=MACHINE | {"CPU": "Second CPU"}):
            self.found = saved_run([30, 31], [20, 21]).launches
            self.record("--machine", "other")
        text = (self.folder / "one-node.md").read_text()
        self.assertIn("Measured on: Some CPU", text)
        self.assertIn("| 2 | Second CPU, 2 CPUs (virtual), Linux 6.1 |", text)
        self.assertIn("## Goals on machine 2", text)

    def test_rows_that_are_not_measured_may_stay(self) -> None:
        self.record()
        self.found = launches("oshen", [5, 5], case="get")
        self.record("--keep")
        rows = table_of_run(load_run(self.data / "one-node.json.xz"))["oshen"]
        self.assertEqual({key.case for key in rows}, {"put", "get"})
        with mock.patch.object(properties, "facts", return_value={"CPU": "Abacus 9"}):
            status, said = self.record("--keep")
        self.assertEqual(status, 2)
        self.assertIn("the record is from another machine", said)

    def test_raw_runs_are_packed(self) -> None:
        self.assertEqual(self.oshbench("record", "--pack")[0], 2)
        self.record()
        status, said = self.oshbench("record", "--pack", "-o", str(self.root / "raw.tar.xz"))
        self.assertEqual(status, 0, said)
        with tarfile.open(self.root / "raw.tar.xz") as archive:
            self.assertEqual(archive.getnames(), ["one-node.json"])

    def test_without_a_checkout_there_is_none(self) -> None:
        self.folder.rmdir()
        self.assertIn("records are kept in a checkout", self.record()[1])


class Fit(Checkout):
    """The results that may be published."""

    def test_few_launches_are_refused(self) -> None:
        status, said = self.record("-r", "4")
        self.assertEqual((status, list(self.folder.iterdir())), (2, []))
        self.assertIn("--record: 4 launches of every library; at least 5 are needed (-r 5)", said)

    def test_files_that_are_not_committed_are_refused(self) -> None:
        status, said = self.record("--commit", "abc-dirty")
        self.assertEqual((status, list(self.folder.iterdir())), (2, []))
        self.assertIn("--record: our commit is abc-dirty: commit or stash the changes of this checkout first", said)

    def test_a_checkout_is_dirty_for_other_files_than_its_records(self) -> None:
        def git(*words: str) -> None:
            subprocess.run(["git", "-C", self.root, "-c", "user.name=x", "-c", "user.email=x@x", *words], check=True,
                           capture_output=True)
        for file in ("docs/bench/page.md", "bench/program.c"):
            (self.root / file).write_text("before")
        git("init")
        git("add", ".")
        git("commit", "-m", "begin")
        clean = properties.commit(self.root)
        (self.root / "docs/bench/page.md").write_text("after")
        self.assertEqual(properties.commit(self.root), clean)
        (self.root / "bench/program.c").write_text("after")
        self.assertEqual(properties.commit(self.root), f"{clean}-dirty")

    def test_rows_of_one_launch_are_not_shown(self) -> None:
        self.found = self.found + launches("oshen", [5], case="get")
        self.record()
        text = (self.folder / "one-node.md").read_text()
        self.assertIn("Not shown: 1 rows that have a single launch.", text)
        self.assertIn("| 2 | put | 10.5 ns |", text)

    def test_a_record_of_one_launch_or_of_a_dirty_checkout_is_no_page_of_papers(self) -> None:
        for rounds, ours, reason in ((1, "x", "one launch"), (5, "x-dirty", "not committed"), (5, "x", "")):
            found = publish.unfit(replace(saved_run([10] * rounds, [20] * rounds), ours=ours))
            self.assertTrue(reason in found and bool(reason) == bool(found), (rounds, ours, found))


class Resumed(unittest.TestCase):
    """The cases in which a record continues an interrupted run, or starts again."""

    def begun(self, allowed: bool = False, **before: object) -> list:
        args = argparse.Namespace(record=True, resume=False, busy=allowed, what="one-node", hosts="", commit="now",
                                  bench=BENCH, rounds=None, pes="", libraries="", sizes="", args="", machine=None,
                                  quick=False, keep=False, cases=[], mpi_cases=[], extension=Recorder())
        with tempfile.TemporaryDirectory() as folder:
            args.output = Path(folder) / "raw.json"
            replace(SAVED, **{"finished": False, "launches": launches("kept", [1])} | before).save(args.output)
            return [launch.library for launch in run_command._first_state(args).launches]

    def test_an_unfinished_run_of_this_commit_goes_on(self) -> None:
        self.assertEqual(self.begun(ours="now"), ["kept"])

    def test_one_of_another_commit_or_a_whole_one_does_not(self) -> None:
        self.assertEqual(self.begun(ours="before"), [])
        self.assertEqual(self.begun(ours="now", finished=True), [])

    def test_what_others_disturbed_is_no_record_of_a_quiet_machine(self) -> None:
        self.assertEqual(self.begun(ours="now", busy=True), [])
        self.assertEqual(self.begun(True, ours="now", busy=True), ["kept"])


class Compact(unittest.TestCase):
    """The file in the repository has all data of the pages."""

    def kept(self, saved: Run) -> Run:
        text = reduce(saved, table_of_run(saved))
        self.assertLess(len(text.splitlines()), 30)
        return Run.from_dict(expand(json.loads(text)))

    def test_has_every_row_with_its_launches(self) -> None:
        saved = saved_run([10, 12, 11], [20, 21])
        saved.launches[0].records[0] |= {"case": "mt_lat.put.default.quiet.t2", "reference": "store",
                                         "reference_ns": [5.0]}
        saved.launches[3].ending = "signal 6"
        saved.launches[4].records[0]["ok"] = False
        before, after = table_of_run(saved), table_of_run(self.kept(saved))
        for library, rows in before.items():
            for key, row in rows.items():
                same = after[library][key]
                self.assertEqual((same.values, same.references, same.reference, same.unit, same.ok),
                                 (row.values, row.references, row.reference, row.unit, row.ok), key)

    def test_keeps_steady_launches_and_says_how_many_were_not(self) -> None:
        for disturbed, kept, lost, steady in (([True, False, False], [12, 11], 1, True),
                                              ([True] * 3, [10, 12, 11], 3, False)):
            saved = saved_run([10, 12, 11], [20])
            for launch, flag in zip(saved.launches, disturbed):
                launch.records[0]["disturbed"] = flag
            for run in (saved, self.kept(saved)):
                (row,) = table_of_run(run)["oshen"].values()
                self.assertEqual((row.values, row.disturbed, row.steady), (kept, lost, steady))

    def test_has_medians_and_intervals(self) -> None:
        cell = json.loads(reduce(saved_run([10, 12, 11], [20]),
                                 table_of_run(saved_run([10, 12, 11], [20]))))["rows"][0]["rows"][0][3]["oshen"]
        self.assertEqual((cell["median"], cell["launches"], cell["interval"][0] <= 11 <= cell["interval"][1]),
                         (11, [10, 12, 11], True))

    def test_says_how_launches_ended(self) -> None:
        saved = saved_run([10], [20])
        saved.launches[1].ending, saved.launches[1].complete = "signal 6", False
        self.assertEqual(self.kept(saved).troubles(), [("mpich", "cases, 2 PEs: signal 6, incomplete", 1)])

    def test_all_in_the_repository_are_short(self) -> None:
        sizes = {file.name: file.stat().st_size for file in PLACE.data.iterdir()}
        self.assertLess(sum(sizes.values()), 600_000, sizes)
        self.assertEqual(list(PLACE.pages.glob("*.json")), [])


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.texts = dict(pages.texts(PLACE))

    def test_every_page_is_what_its_record_says(self) -> None:
        self.assertEqual([name for name, text in self.texts.items() if (PLACE.pages / name).read_text() != text], [])
        self.assertGreaterEqual(self.texts.keys(), {"one-node.md", "collectives.md", "off-node.md", "off-node-jobs.md",
                                                    "fft.md", "papers.md", "where-others-win.md"})

    def test_every_page_says_its_command(self) -> None:
        for name, text in self.texts.items():
            self.assertRegex(text, r"oshbench r(un|ecord)", name)
        for record in PLACE.data.glob("paper-*"):  # the page of several records has the command of each
            self.assertIn(f"`{load_run(record).command}`", self.texts["papers.md"])


class Losses(unittest.TestCase):
    """Rows in which another library was faster."""

    def found(self, ours: list[float], theirs: list[float], **more: object) -> list[losses.Loss]:
        return losses.losses(table_of_run(saved_run(ours, theirs, **more)))

    def test_has_a_row_where_every_launch_of_theirs_was_better(self) -> None:
        (loss,) = self.found([10.8, 11, 11.2], [10, 10, 10])
        self.assertEqual((loss.key.case, loss.who, round(loss.times, 2), loss.faster, loss.launches),
                         ("put", "mpich", 1.1, 3, 3))
        self.assertEqual(self.found([10.8, 11, 9], [10, 10, 10]), [])
        self.assertEqual(self.found([10.2, 10.2], [10, 10]), [])

    def test_a_large_one_is_shown_even_where_a_launch_contradicts(self) -> None:
        (loss,) = self.found([20, 21, 9], [10, 10, 10])
        self.assertEqual((loss.times, loss.faster, loss.launches), (2, 2, 3))

    def test_the_ratio_is_that_of_the_times_beside_it(self) -> None:
        (loss,) = self.found([20, 30, 25], [10, 11, 12])
        self.assertEqual(loss.times, loss.ours.median / loss.theirs.median)

    def test_nothing_of_ours_is_a_loss_without_a_ratio(self) -> None:
        saved = saved_run([0, 0, 0], [30, 31, 32])
        for launch in saved.launches:
            launch.records[0]["unit"] = "%"
        (loss,) = losses.losses(table_of_run(saved))
        self.assertIsNone(loss.times)

    def test_between_hosts_a_bare_fabric_is_no_library(self) -> None:
        saved = saved_run([30, 20], [10, 10])
        saved.libraries["libfabric"] = {"name": "libfabric"}
        saved.launches += launches("libfabric", [1, 1])
        self.assertEqual([loss.who for loss in losses.losses(table_of_run(saved))], ["mpich"])

    def test_the_page_names_runs_of_several_launches(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            place = folders.Folders(Path(folder), Path(folder))
            for name, saved in (("one-node", saved_run([20, 20.5], [10, 10.1])),
                                ("collectives", saved_run([50], [10], profile="collectives"))):
                folders.write_text(place.record(name), reduce(saved, table_of_run(saved)))
            text = pages.losses_page(place)
        self.assertIn("faster in 1 rows of 2 runs", text)
        self.assertLess(text.index("## one-node"), text.index("mpich"))
        self.assertIn("| 2 | `put` | 8 B | 20.2 ns | 10.1 ns | mpich | 2.01 | 2 of 2 | yes | put, completed |", text)
        self.assertIn("Some CPU, 2 CPUs (virtual), Linux 6.1; our commit x; `c`; 1 round;", text)
        self.assertIn("\nNo row.\n", text)


class Goals(unittest.TestCase):
    @staticmethod
    def verdict(profile: str, key: Key, ns: float, copies: float = 1) -> tuple[str, str]:
        goal = next(g for g in profiles.PAGES[profile].goals if g.key == key)
        row = Row(key, "ns", "", [ns], [0], [[ns]], reference="copy_both", references=[ns / copies])
        return goal.bound.text, goals.verdict(goal, {"oshen": {key: row}})

    def test_large_ones_are_counted_in_copies_of_the_same_run(self) -> None:
        for slowness in (1, 10):  # of the machine
            self.assertEqual(self.verdict("collectives", Key("sum", 1 << 20, 2), 50000 * slowness, 1.6),
                             ("≤ 1.6 copies", "reached"))
        self.assertEqual(self.verdict("collectives", Key("sum", 1 << 20, 2), 50000, 1.7)[1], "missed, 1.06x")

    def test_small_ones_in_time(self) -> None:
        self.assertEqual(self.verdict("collectives", Key("sum", 8, 2), 420),
                         ("≤ 0.21 µs", "missed, 2.00x: the limit itself is higher here"))

    def test_mpi_is_compared_with_mpi_alone(self) -> None:
        key = Key("barrier_all", 0, 2)
        table = {name: {key: Row(key, "ns", "", [value], [0], [[value]])} for name, value in
                 (("oshen", 100), ("ompi", 200), ("ompi-shmem", 50), ("libfabric", 1))}
        goal = next(g for g in profiles.PAGES["one-node"].goals if g.key == key)
        self.assertEqual(goals.verdict(goal, table), "reached")

    def test_a_bound_below_the_bare_network_is_marked(self) -> None:
        key = Key("barrier", 0, 2)
        goal = off_node.of_collectives()[0]
        for socket, marked in ((90, True), (80, False), (120, False)):  # ours is faster than the last one
            table = {name: {key: Row(key, "ns", "", [value], [0], [[value]])} for name, value in
                     (("oshen", 100), ("ompi", 100), ("socket", socket))}
            self.assertEqual(goal.key, key)
            self.assertEqual(goals.verdict(goal, table),
                             "missed, 1.18x" + (": the limit itself is higher here" if marked else ""))

    def test_a_spinner_in_a_crowd_is_marked(self) -> None:
        self.assertTrue(spins("mpich", 8))
        self.assertFalse(spins("mpich", 2) or spins("oshen", 8))


class Profiles(unittest.TestCase):
    def test_each_page_has_a_profile_that_says_what_it_is(self) -> None:
        self.assertLessEqual({"one-node", "collectives", "off-node", "off-node-jobs", "far-rate", "fft", "foreign-load",
                              "footprint", "paper-libraries"},
                             Recorder().profiles().keys())
        self.assertLessEqual(profiles.PAGES.keys(), Recorder().profiles().keys())
        for name, profile in Recorder().profiles().items():
            self.assertTrue(profile.about and profile.parts, name)

    def test_what_has_no_page_is_not_recorded(self) -> None:
        args = cli.parser(extension=Recorder()).parse_args(["run", "put", "--record"])
        args.extension = Recorder()
        with self.assertRaisesRegex(Refused, "put is no profile with a page; there are one-node, "):
            run_command.chosen_profile(args)

    def test_help_needs_no_package(self) -> None:
        """The build makes the man page of oshbench from its help, also where Python has no NumPy."""
        lines = ["import sys", f"sys.path.insert(0, {str(BENCH)!r})"]
        lines += [f"sys.modules[{name!r}] = None" for name in ("numpy", "scipy", "matplotlib", "jinja2")]
        lines += ["from oshbench import cli", "from record.extension import Recorder",
                  "cli.parser(extension=Recorder()).parse_args(['--help'])"]
        said = subprocess.run([sys.executable, "-B", "-c", "\n".join(lines)], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)


if __name__ == "__main__":
    unittest.main()
