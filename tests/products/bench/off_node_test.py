#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The profile off-node: its programs run between two hosts and check their data; its goals compare ours with the right libraries."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["BIN"])
ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), os.environ["NET"]]

import lab  # noqa: E402
from oshbench import build, declarations, goals, laboratory, off_node_programs, profiles, results  # noqa: E402
from oshbench.libraries import Library  # noqa: E402
from oshbench.profiles import off_node  # noqa: E402
from oshbench.results import Key, Row  # noqa: E402

WATCHDOG = 400
SIZES = (8, 1024, 65536, 1 << 20)
MOVES = {(move, size) for move in ("put", "get") for size in (*SIZES, 4 << 20)}
COLLECTIVES = {(what, size) for what in ("broadcast", "sum", "fcollect", "alltoall") for size in SIZES} | {("barrier", 0)}
SINGLE = {("fetch_add", 8), ("put_computing", 8)}


def obstacle() -> str | None:
    if shutil.which("mpiexec.hydra") is None:
        return "mpiexec.hydra is not installed"
    if "tcp;ofi_rxm" not in subprocess.run([BIN / "oshinfo", "--transport"], capture_output=True, text=True, check=True).stdout:
        return "libfabric has no tcp;ofi_rxm here"
    return lab.obstacle()


class Page(unittest.TestCase):
    PAGE = profiles.PROFILES["off-node"].page

    def table(self, **microseconds: float) -> results.Table:
        key = Key("put", 8, 2)
        return {name.replace("_", "-"): {key: Row(key, "ns", "", [1e3 * us], [0], [[1e3 * us]])} for name, us in microseconds.items()}

    def verdicts(self, table: results.Table) -> dict[str, str]:
        return {goal.label: goals.verdict(goal, table) for goal in self.PAGE.goals_of(table) if goal.row(table)}

    def test_ours_is_set_beside_the_bare_fabric_and_the_best_of_the_others(self) -> None:
        table = self.table(oshen=11, libfabric=10, ompi=12, oshen_ucx=5)
        self.assertEqual(self.verdicts(table), {"put 8 B and quiet": "reached", "put 8 B": "reached"})
        table = self.table(oshen=13, libfabric=10, ompi=12)
        self.assertEqual(self.verdicts(table), {"put 8 B and quiet": "missed, 1.13x", "put 8 B": "missed, 1.08x"})

    def test_it_has_a_row_for_each_case_and_a_column_for_each_library(self) -> None:
        ((title, columns, rows),) = self.PAGE.tables({}, self.table(oshen=11, libfabric=10))
        self.assertEqual((title, columns, rows), ("2 x 1 PEs", ["case", "size", "oshen", "libfabric"], [["put", "8 B", "11 µs", "10 µs"]]))

    def test_what_a_program_prints_is_read(self) -> None:
        (record,) = off_node_programs.records('hello\n{"case": "put", "bytes": 8, "us": 1.5}\n', 2)
        self.assertEqual((record["case"], record["size"], record["ns"], record["ok"]), ("put", 8, 1500, True))

    def test_a_wrong_result_of_any_process_spoils_its_row(self) -> None:
        said = '{"wrong": "get", "bytes": 8}\n' + "".join(f'{{"case": "{case}", "bytes": {size}, "us": 1.5}}\n'
                                                          for case, size in (("put", 8), ("get", 8), ("get", 1024)))
        said += '{"wrong": "put", "bytes": 8}\n'
        self.assertEqual([record["ok"] for record in off_node_programs.records(said, 2)], [False, False, True])
        self.assertEqual(off_node_programs.right(said), {"put": False, "get": False})
        self.assertEqual(off_node_programs.right(said.replace("wrong", "right")), {"put": True, "get": True})

    def test_faults_name_cases_that_there_are(self) -> None:
        faults = [fault for fault in declarations.faults() if fault.program == off_node_programs.FOLDER]
        self.assertEqual({fault.kind for fault in faults}, {"shmem", "mpi", "none"})
        for fault in faults:
            cases = {case for case, _ in MOVES} if fault.kind == "none" else {case for case, _ in MOVES | COLLECTIVES | SINGLE}
            self.assertLessEqual(set(fault.cases), cases, fault.name)


@unittest.skipIf(obstacle(), f"no comparison: {obstacle()}")
class Hosts(unittest.TestCase):
    def run_both(self, pes: int) -> dict[str, set[tuple[str, int]]]:
        """Cases by library; every launch must succeed."""
        with tempfile.TemporaryDirectory(prefix="oshbench-", dir=BIN.parent) as folder:  # each host has another /tmp
            words = ["run", "off-node", "--quick", "-r", "1", "-n", str(pes), "-L", "oshen,libfabric", "--no-doctor", "--work", folder,
                     "-o", f"{folder}/run.json"]
            done = subprocess.run([sys.executable, "-B", str(BIN / "oshbench"), *words], capture_output=True, text=True, timeout=WATCHDOG,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            saved = json.loads((Path(folder) / "run.json").read_text())
        self.assertEqual([launch["ending"] for launch in saved["launches"] if launch["ending"] != "ok"], [])
        return {name: {(key.case, key.size) for key in rows} for name, rows in results.table(saved).items() if rows}

    def test_two_hosts_of_one(self) -> None:
        found = self.run_both(2)
        self.assertEqual(found["oshen"], MOVES | COLLECTIVES | SINGLE)
        if "libfabric" in found:  # its headers are installed
            self.assertEqual(found["libfabric"], MOVES)

    def test_two_hosts_of_two(self) -> None:
        self.assertEqual(self.run_both(4), {"oshen": COLLECTIVES})

    @unittest.skipUnless(Path("/usr/include/rdma/fabric.h").exists(), "no headers of libfabric")
    def test_faults_of_bare_libfabric_are_noticed(self) -> None:
        """oshbench verify plants those of the libraries; this program needs two hosts."""
        bare = Library("libfabric", "none", "cc", (), {}, tuple(laboratory.addresses(2)))
        faults = [fault for fault in declarations.faults() if fault.kind == "none"]
        self.assertTrue(faults)
        with tempfile.TemporaryDirectory(prefix="oshbench-", dir=BIN.parent) as folder:
            program = off_node_programs.make(ROOT / "bench", Path(folder), bare)
            for fault in (None, *faults):
                front = ["env", f"LD_PRELOAD={build.build_preload(Path(folder), bare, fault.source)}"] if fault else []
                with lab.Lab(2) as pair:
                    ending, said = off_node.fabric(pair, bare, [*front, str(program)], ["quick"], WATCHDOG)
                found = {case for case, right in off_node_programs.right(said).items() if not right}
                self.assertEqual(found, set(fault.cases) if fault else set(), said)
                self.assertEqual(ending == "ok", fault is None, ending)


if __name__ == "__main__":
    unittest.main()
