#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The profile off-node: its programs run between two hosts and check their data; its goals compare ours with the right
libraries."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import lab
from oshbench import cli
from oshbench.cases import declarations
from oshbench.libraries import build
from oshbench.libraries.library import Library
from oshbench.measure import campaign
from oshbench.results.rows import Key, Row, Table, table_of_run
from oshbench.results.run import Run
from record import goals, laboratory, messages, off_node_programs, profiles
from record.extension import Recorder
from record.profiles import off_node

BIN = Path(os.environ["BIN"])
ROOT = Path(__file__).resolve().parents[2]


WATCHDOG = 400
SIZES = (8, 1024, 65536, 1 << 20)
MOVES = {(move, size) for move in ("put", "get") for size in (*SIZES, 4096, 4 << 20)}
COLLECTIVES = {(what, size) for what in ("broadcast", "sum", "fcollect", "alltoall")
               for size in SIZES} | {("barrier", 0)}
FETCH = {("fetch_add", 8)}
SINGLE = FETCH | {("flag", 8), ("put_computing", 8)}


def messages_of(forms: dict[str, str]) -> set[tuple[str, int]]:
    return {(form, 8 << power) for form in forms for power in (0, 3, 6, 9, 11, 13, 15, 17)}


MESSAGES = messages_of(messages.ONE_SIDED)
OF = {"none": MOVES, "socket": MOVES | COLLECTIVES | SINGLE | messages_of(messages.FLOOR),
      "mpi": MOVES | COLLECTIVES | SINGLE | messages_of(messages.TWO_SIDED),
      "shmem": MOVES | COLLECTIVES | SINGLE | MESSAGES}  # the cases of each kind of program


def obstacle() -> str | None:
    if shutil.which("mpiexec.hydra") is None:
        return "mpiexec.hydra is not installed"
    if "tcp;ofi_rxm" not in subprocess.run([BIN / "oshinfo", "--transport"], capture_output=True, text=True,
                                           check=True).stdout:
        return "libfabric has no tcp;ofi_rxm here"
    return lab.obstacle()


class Page(unittest.TestCase):
    PAGE = profiles.PAGES["off-node"]

    def table(self, **microseconds: float) -> Table:
        key = Key("put", 8, 2)
        return {name.replace("_", "-"): {key: Row(key, "ns", "", [1e3 * us], [0], [[1e3 * us]])} for name,
                us in microseconds.items()}

    def verdicts(self, table: Table) -> dict[str, str]:
        return {f"{goal.label} {goal.bound.text}": goals.verdict(goal, table) for goal in self.PAGE.goals_of(table)
                if goal.row(table)}

    def test_ours_is_set_beside_bare_networks_and_the_best_of_the_others(self) -> None:
        table = self.table(oshen=11, libfabric=10, socket=5, ompi=12, oshen_ucx=5, libfabric_tcp=5, oshen_tcp=5)
        self.assertEqual(self.verdicts(table), {"put 8 B and quiet ≤ 1.15 × libfabric": "reached",
                                                "put 8 B ahead of the best of the others": "reached",
                                                "put 8 B ≤ 1.15 × socket": "missed, 1.91x"})
        table = self.table(oshen=13, libfabric=10, ompi=12, socket=12)
        self.assertEqual(self.verdicts(table), {"put 8 B and quiet ≤ 1.15 × libfabric": "missed, 1.13x",
                                                "put 8 B ahead of the best of the others": "missed, 1.08x",
                                                "put 8 B ≤ 1.15 × socket": "reached"})

    def test_a_flag_is_set_beside_messages(self) -> None:
        """of the socket and of the best MPI, whose cases have other names."""
        def rows(case: str, us: float) -> dict[Key, Row]:
            key = Key(case, 8, 2)
            return {key: Row(key, "ns", "", [1e3 * us], [0], [[1e3 * us]])}
        table = {"oshen": rows("flag", 12), "socket": rows("pp_socket", 10), "ompi": rows("pp_two_sided", 10.5),
                 "ompi-ucx": rows("pp_two_sided", 20), "ompi-shmem": rows("flag", 5)}
        self.assertEqual(self.verdicts(table), {
            "p and wait_until ≤ 1.25 × socket": "reached",
            "p and wait_until ≤ 1.1 × the best send of MPI": "missed, 1.04x"})

    def test_a_newer_libfabric_is_taken_where_it_is_installed(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(off_node.newer_libfabric(Path(folder)), {})
            installed = Path(folder) / ".venv-networks/lib/libfabric"
            (installed / "prov").mkdir(parents=True)
            self.assertEqual(off_node.newer_libfabric(Path(folder)),
                             {"LD_LIBRARY_PATH": str(installed), "FI_PROVIDER_PATH": str(installed / "prov")})

    def test_it_has_a_row_for_each_case_and_a_column_for_each_library(self) -> None:
        ((title, columns, rows),) = self.PAGE.tables({}, self.table(oshen=11, libfabric=10))
        self.assertEqual((title, columns, rows), ("2 x 1 PEs", ["case", "size", "oshen", "libfabric"],
                                                  [["put", "8 B", "11 µs", "10 µs"]]))

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
        self.assertEqual({fault.kind for fault in faults}, OF.keys())
        for fault in faults:
            self.assertLessEqual(set(fault.cases), {case for case, _ in OF[fault.kind]}, fault.name)


class Messages(unittest.TestCase):
    """The tables of one-sided and two-sided messages."""

    PAGE = profiles.PAGES["off-node"]
    # Launches differ by a percent, and not alike in all libraries.
    NOISE = {"oshen": (0.99, 1, 1.01, 1, 0.995), "ompi": (1, 0.99, 1.005, 1.01, 0.99),
             "mpich-ofi": (1.01, 1.005, 1, 0.99, 0.99)}

    def table(self, pes: int = 2, **cases: dict[str, dict[int, float]]) -> Table:
        """From the microseconds of each case, library and size."""
        found: Table = {}
        for case, libraries in cases.items():
            for library, by_size in libraries.items():
                for size, us in by_size.items():
                    key, launches = Key(case, size, pes), [1e3 * us * factor for factor in self.NOISE[library]]
                    found.setdefault(library, {})[key] = Row(key, "ns", "", launches, list(range(5)),
                                                             [[value] for value in launches])
        return found

    def grids(self, table: Table) -> dict[str, tuple[list[str], list[list[str]]]]:
        return {title.partition(",")[0]: (columns, rows) for title, columns, rows in self.PAGE.tables({}, table)}

    def test_the_page_says_from_which_size_on_one_sided_is_faster(self) -> None:
        table = self.table(pp_signal={"oshen": {8: 20, 4096: 20, 1 << 20: 300}},
                           pp_quiet={"oshen": {8: 30, 4096: 30, 1 << 20: 400}},
                           pp_two_sided={"ompi": {8: 10, 4096: 25, 1 << 20: 500},
                                         "mpich-ofi": {8: 12, 4096: 40, 1 << 20: 350}})
        grids = self.grids(table)
        self.assertEqual(grids["Message sizes at which one-sided is faster than two-sided"], (
            ["hosts", "one-sided", "ompi send, recv", "mpich-ofi send, recv", "the fastest of these"],
            [["2", "oshen put_signal", "from 4 KiB", "from 4 KiB", "from 4 KiB"],
             ["2", "oshen put, quiet, flag", "from 1 MiB", "4 KiB", "no size"]]))
        self.assertEqual(grids["The fastest message"], (
            ["hosts", "8 B", "4 KiB", "1 MiB"], [["2", "ompi send, recv 1.2×", "oshen put_signal 1.2×",
                                                  "oshen put_signal 1.2×"]]))
        self.assertEqual(grids["Messages"][1][0], ["2", "8 B", "20 µs", "30 µs", "10 µs", "12 µs"])

    def test_a_difference_within_the_noise_is_not_faster(self) -> None:
        grids = self.grids(self.table(pp_signal={"oshen": {8: 9.99, 64: 5}}, pp_two_sided={"ompi": {8: 10, 64: 10}}))
        ((*_, against),) = grids["Message sizes at which one-sided is faster than two-sided"][1]
        self.assertEqual(against, "from 64 B")

    def test_two_and_four_hosts_are_told_apart(self) -> None:
        two = self.table(2, pp_signal={"oshen": {8: 20}}, pp_two_sided={"ompi": {8: 10}, "mpich-ofi": {8: 15}})
        four = self.table(4, pp_signal={"oshen": {8: 20}}, pp_two_sided={"ompi": {8: 40}})
        table = {name: rows | four.get(name, {}) for name, rows in two.items()}
        self.assertEqual(self.grids(table)["Message sizes at which one-sided is faster than two-sided"][1],
                         [["2", "oshen put_signal", "no size", "no size", "no size"],
                          ["4", "oshen put_signal", "all sizes", "–", "all sizes"]])
        ahead = [goal for goal in self.PAGE.goals_of(table) if goal.bound is off_node.AHEAD]
        self.assertEqual(ahead, [])
        self.assertEqual([title for title in self.grids(table) if title.startswith("2 x")], [])

    def test_sizes_are_told_as_ranges(self) -> None:
        for ahead, told in (({}, "–"), ({8: False}, "no size"), ({8: True, 64: True}, "all sizes"),
                            ({8: True, 64: False}, "8 B"),
                            ({64: False, 8: True, 4096: False, 512: True}, "8 B, 512 B"),
                            ({8: True, 64: True, 512: False, 4096: True}, "8 B to 64 B, from 4 KiB")):
            self.assertEqual(messages.ranges(ahead), told)

    def test_four_hosts_are_measured_without_libraries_that_spin(self) -> None:
        profile = profiles.PROFILES["off-node"]
        run = off_node.OffNode(campaign.Setup(ROOT / "bench", BIN, [0, 1]), profile, [], BIN)
        run.programs = dict.fromkeys(("oshen", "ompi", "mpich-ofi", off_node.BARE), BIN)
        (part,) = [number for number, part in enumerate(profile.parts) if part.program == off_node.MESSAGES]
        can = {name: run.can(campaign.Step(0, part, 4, name)) for name in (*run.programs, "unknown")}
        self.assertEqual(can, {"oshen": True, "ompi": True, "mpich-ofi": False, off_node.BARE: False, "unknown": False})
        self.assertTrue(run.can(campaign.Step(0, 0, 4, "mpich-ofi")))


class Paths(unittest.TestCase):
    """Processes of hosts start in another folder."""

    def test_paths_of_the_command_line_are_whole(self) -> None:
        args = cli.parser(extension=Recorder()).parse_args(["run", "off-node", "--work", "work", "--ours", "build/bin",
                                                            "--lmp", "bin/lmp"])
        self.assertEqual((args.work, args.ours, args.lmp), (Path.cwd() / "work", Path.cwd() / "build/bin",
                                                            Path.cwd() / "bin/lmp"))
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": "cache"}):
            self.assertEqual(cli.parser().parse_args(["run"]).work, Path.cwd() / "cache/oshbench")


@unittest.skipIf(obstacle(), f"no comparison: {obstacle()}")
class Hosts(unittest.TestCase):
    def run_both(self, pes: int) -> dict[tuple[str, int], set[tuple[str, int]]]:
        """Cases by library and number of PEs; every launch must succeed."""
        with tempfile.TemporaryDirectory(prefix="oshbench-", dir=BIN.parent) as folder:  # each host has another /tmp
            words = ["run", "off-node", "--quick", "-r", "1", "-n", str(pes), "-L", "oshen,socket,libfabric",
                     "--no-doctor", "--work", "work", "--ours", os.path.relpath(BIN, folder), "-o", "run.json"]
            done = subprocess.run([sys.executable, "-B", str(BIN / "oshbench"), *words], capture_output=True, text=True,
                                  timeout=WATCHDOG, check=False, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            saved = json.loads((Path(folder) / "run.json").read_text())
        self.assertEqual([launch["ending"] for launch in saved["launches"] if launch["ending"] != "ok"], [])
        found: dict[tuple[str, int], set[tuple[str, int]]] = {}
        for name, rows in table_of_run(Run.from_dict(saved)).items():
            for key in rows:
                found.setdefault((name, key.pes), set()).add((key.case, key.size))
        return found

    def test_two_hosts_of_one(self) -> None:
        found = self.run_both(2)
        self.assertEqual(found.pop(("oshen", 2)), OF["shmem"])
        self.assertEqual(found.pop(("socket", 2)), OF["socket"])
        self.assertEqual(found.pop(("oshen", 4)), MESSAGES)  # on four hosts
        self.assertLessEqual(set(found), {("libfabric", 2)})
        if found:  # its headers are installed
            self.assertEqual(found["libfabric", 2], MOVES)

    def test_two_hosts_of_two(self) -> None:
        self.assertEqual(self.run_both(4), {("oshen", 4): COLLECTIVES | MESSAGES})

    def notices(self, kind: str, bare: Library) -> None:
        """oshbench verify plants faults of libraries; these programs need two hosts."""
        faults = [fault for fault in declarations.faults() if fault.kind == kind]
        self.assertTrue(faults)
        with tempfile.TemporaryDirectory(prefix="oshbench-", dir=BIN.parent) as folder:
            program = off_node_programs.make(ROOT / "bench", Path(folder), bare)
            for fault in (None, *faults):
                front = ["env", f"LD_PRELOAD={build.build_preload(Path(folder), bare, fault.source)}"] if fault else []
                with lab.Lab(2) as pair:
                    ending, said = off_node.bare(pair, bare, [*front, str(program)], ["quick"], WATCHDOG)
                found = {case for case, right in off_node_programs.right(said).items() if not right}
                self.assertEqual(found, set(fault.cases) if fault else set(), said)
                self.assertEqual(ending == "ok", fault is None, ending)

    def test_faults_of_a_socket_are_noticed(self) -> None:
        self.notices("socket", Library("socket", "socket", "cc", (), {}, tuple(laboratory.addresses(2))))

    @unittest.skipUnless(Path("/usr/include/rdma/fabric.h").exists(), "no headers of libfabric")
    def test_faults_of_bare_libfabric_are_noticed(self) -> None:
        self.notices("none", Library("libfabric", "none", "cc", (), {}, tuple(laboratory.addresses(2))))


if __name__ == "__main__":
    unittest.main()
