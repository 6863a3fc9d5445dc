#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of oshbench and oshprof fit their terminal, no cell is cut, and no ratio comes from fewer than three
launches."""

import contextlib
import io
import os
import unittest
from unittest import mock

import made_up_run
from oshbench.report import formats, grids, verdicts
from oshbench.results.rows import Key, table_of_run
from oshbench.statistics import judge
from oshbench.statistics.pairing import Pairing
from oshen_tables import lines
from oshprof.show import show

WIDTHS = (80, 200)
NAMES = ("oshen", "open-mpi-oshmem", "mpich", "sandia-openshmem", "cray-openshmemx", "mvapich-2.3.7")


def printed(columns: int, write, *arguments: object) -> list[str]:
    out = io.StringIO()
    with mock.patch.dict(os.environ, {"COLUMNS": str(columns)}), contextlib.redirect_stdout(out):
        text = write(*arguments)
    return ((text or "") + out.getvalue()).splitlines()


class Lines(unittest.TestCase):
    ROWS = [["case", "size", *NAMES], ["put.of.a.long.name", "8 B", *["1.23 ns"] * 6],
            ["get", "64 KiB", *["456 µs"] * 6]]

    def test_columns_that_do_not_fit_continue_below_with_the_names_of_their_rows(self) -> None:
        narrow = lines(self.ROWS, keys=2, width=80)
        self.assertLessEqual(max(map(len, narrow)), 80)
        self.assertEqual(sum(line.startswith("put.of.a.long.name") for line in narrow), 2)
        self.assertEqual([" ".join(narrow).split().count(name) for name in NAMES], [1] * 6)
        self.assertEqual(len(lines(self.ROWS, keys=2, width=200)), 3)

    def test_a_note_stands_beside_its_row_or_below_it(self) -> None:
        notes = ["", "put, completed at the target, " * 3, ""]
        beside, below = lines(self.ROWS, notes, keys=2, width=200), lines(self.ROWS[:2], notes[:2], keys=2, width=80)
        self.assertIn("put, completed", beside[1])
        self.assertNotIn("completed", below[1])
        self.assertTrue(below[2].startswith("    put, completed"))
        self.assertLessEqual(max(map(len, beside)), 200)

    def test_a_word_is_never_cut(self) -> None:
        word = "x" * 100
        self.assertEqual(lines([["", "n"], ["a", "1"]], ["", word], width=80)[-1].strip(), word)


class Oshbench(unittest.TestCase):
    def test_a_run_fits(self) -> None:
        run = made_up_run.run({name: 1.0 + number for number, name in enumerate(NAMES)})
        table = table_of_run(run)
        for columns in WIDTHS:
            self.assertLessEqual(max(map(len, printed(columns, formats.text, run, table))), columns)
            grid = ("A table", ["library", *NAMES, "remark"], [["row", *["12.3 µs (0.95)"] * 6, "words " * 12]])
            self.assertLessEqual(max(map(len, printed(columns, grids.print_grids, [grid]))), columns)

    def verdicts_of(self, launches: int) -> list[judge.Verdict]:
        run = made_up_run.run({"a": 1.0, "b": 2.0})
        run.launches = [launch for launch in run.launches if launch.round < launches]
        table = table_of_run(run)
        return judge.compare(table["a"], table["b"], ("a", "b"))

    def test_a_comparison_fits_and_the_wide_one_says_the_verdict(self) -> None:
        pair = Pairing("a", "b", True, self.verdicts_of(5))
        for columns in WIDTHS:
            out = printed(columns, verdicts.text, pair, True)
            self.assertLessEqual(max(map(len, out)), columns)
            self.assertEqual("verdict" in " ".join(out), columns == 200)

    def test_fewer_than_three_launches_give_no_ratio(self) -> None:
        for launches in (1, 2, 3):
            found = {v.key: v for v in self.verdicts_of(launches)}[Key("put", 8, 2)]
            self.assertEqual(found.has_ratio, launches == 3)
            out = "\n".join(printed(200, verdicts.text, Pairing("a", "b", True, [found]), True))
            self.assertEqual("2.00" in out, launches == 3, out)
        self.assertIn("2 more launches", "\n".join(printed(200, verdicts.text,
                                                           Pairing("a", "b", True, self.verdicts_of(1)[:1]), True)))


class Oshprof(unittest.TestCase):
    def test_a_profile_fits_and_names_every_function(self) -> None:
        counted = {"calls": 123456, "messages": 123456, "bytes": 1 << 33, "got_messages": 123456, "got_bytes": 1 << 33,
                   "seconds": 12.345}
        name = "LAMMPS_NS::CommBrick::forward_comm(LAMMPS_NS::Pair*)"
        calls = {"MPI_Sendrecv": 10.0, "MPI_Waitany": 2.3}
        function = counted | {"function": name, "share": 0.5, "slowest": 20.0, "by_call": calls}
        repeats = {"function": name, "rounds": 100, "shapes": 1, "messages": 500, "bytes": 1 << 20, "candidate": True,
                   "seconds": 1.0}
        report = {"processes": 2, "expected": 2, "seconds": 24.69, "communication": 12.0, "functions": [function],
                  "calls": [counted | {"call": "MPI_Neighbor_alltoallw_init"}], "repeating": [repeats],
                  "reductions": [repeats]}
        for columns in WIDTHS:
            out = printed(columns, show, report, 10)
            self.assertLessEqual(max(map(len, out)), columns)
            self.assertGreaterEqual(" ".join(out).count(name), 3)


if __name__ == "__main__":
    unittest.main()
