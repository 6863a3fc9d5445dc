#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshbench verify --apps, with a compiler that makes an empty program and a launcher that prints the output of an
app."""

import contextlib
import io
import re
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from oshbench import cli
from oshbench.correctness import app_faults

BENCH = Path(__file__).resolve().parents[2] / "bench"

COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
> "$2"
"""
# Without a fault the app is right, and makes five puts and one get. `{faults}` says what it does with each fault.
LAUNCHER = """#!/bin/sh
line() {{ echo "$1            0.000100 s        1.000 Mcell/s  compute 100%  0123456789abcdef right"; }}
right() {{ echo 'result   right'; exit 0; }}
wrong() {{ echo 'fault: changed data'; echo 'result   WRONG'; exit 1; }}
missed() {{ echo 'fault: changed data'; right; }}
harmless() {{ echo 'fault: changed nothing'; right; }}
lost() {{ echo 'fault: changed data'; echo 'halo: PE 1: message 7'; exit 4; }}
case "$*" in
  *FAULT=count:*) echo 'calls put 5'; echo 'calls get 1'; echo 'calls atomic 0'; right;;
  *FAULT=*:*) {faults}; wrong;;
  *) line barrier; line plain; {sane};;
esac
"""
SAME = "case \"$*\" in *'FAULT=%s'*) %s;; esac"


@dataclass(frozen=True)
class Told:
    stdout: str
    stderr: str


def oshbench(*words: str, status: int) -> Told:
    """The command in this process, on a machine without libraries."""
    out, problems = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(problems), \
            mock.patch("oshbench.libraries.find.peers", list), mock.patch("oshbench.libraries.added.named", list):
        found = cli.main(list(words), None, BENCH)
    if found != status:
        raise AssertionError(f"status {found}\n{out.getvalue()}{problems.getvalue()}")
    return Told(out.getvalue(), problems.getvalue())


class Launched(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="oshbench-test-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.script("cc", COMPILER)

    def script(self, name: str, text: str) -> None:
        (self.place / name).write_text(text)
        (self.place / name).chmod(0o755)

    def verify(self, *more: str, faults: str = ":", sane: str = "right", status: int = 0) -> Told:
        self.script("launch", LAUNCHER.format(faults=faults, sane=sane))
        return oshbench("verify", "--work", str(self.place / "work"), "-L", "fake", "--library",
                        f"fake=shmem:{self.place}/cc:{self.place}/launch {{np}}", "--apps", *more, status=status)

    def rows(self, *more: str, **how: object) -> list[list[str]]:
        """The columns of each row."""
        told = self.verify(*more, **how).stdout.splitlines()
        return [re.split(r"  +", line, maxsplit=4) for line in told if line.startswith("daxpy")]

    def test_every_kind_is_planted_in_each_synchronisation(self) -> None:
        rows = self.rows("daxpy", "--places", "2")
        self.assertEqual([row[2:4] for row in rows if row[1] == "barrier" and row[2] == "drop_put"],
                         [["drop_put", "1 of 5"], ["drop_put", "5 of 5"]])
        self.assertEqual([row[3] for row in rows if row[2] == "shift_get"], ["1 of 1", "1 of 1"])
        barrier, plain = ({row[2] for row in rows if row[1] == way} for way in ("barrier", "plain"))
        self.assertEqual(barrier, {"drop_put", "short_put", "stale_put", "shift_put", "double_put", "skip_barrier",
                                   "drop_get", "stale_get", "shift_get"})
        self.assertEqual(plain, barrier - {"skip_barrier"})
        self.assertEqual({row[4] for row in rows}, {"noticed: the app says WRONG"})

    def test_options_narrow(self) -> None:
        rows = self.rows("daxpy", "--places", "1", "--sync", "plain", "--faults", "drop_put,drop_get")
        self.assertEqual([row[1:4] for row in rows], [["plain", "drop_put", "3 of 5"], ["plain", "drop_get", "1 of 1"]])

    def test_a_fault_that_is_not_noticed(self) -> None:
        rows = self.rows("daxpy", "--places", "1", faults=SAME % ("shift_put", "missed"), status=1)
        self.assertEqual([row[1:] for row in rows if row[4] != "noticed: the app says WRONG"],
                         [[way, "shift_put", "3 of 5", "NOT NOTICED: the result is right"]
                          for way in ("barrier", "plain")])

    def test_a_fault_that_is_never_reached_is_not_counted_as_noticed(self) -> None:
        told = self.verify("daxpy", "--places", "1", "--sync", "barrier", faults=SAME % ("double_put", "right")).stdout
        self.assertRegex(told, r"double_put +3 of 5  not reached\n")
        self.assertIn("fake, 9 faults: 8 noticed, 1 not reached\n", told)

    def test_a_fault_that_changes_no_data(self) -> None:
        told = self.verify("daxpy", "--places", "1", "--sync", "barrier",
                           faults=SAME % ("short_put", "harmless")).stdout
        self.assertIn("fake, 9 faults: 8 noticed, 1 changed no data\n", told)

    def test_a_synchronisation_in_which_nothing_is_noticed(self) -> None:
        rows = self.rows("daxpy", "--places", "1", faults="case \"$*\" in *plain) harmless;; esac", status=1)
        self.assertEqual(rows[-1][1:], ["plain", "every kind", "NOT NOTICED: none of 8 faults changed the result"])

    def test_an_impossible_message_a_crash_and_an_end_without_a_fault(self) -> None:
        for faults, status, result in (("lost", 0, "noticed: the app names the message"),
                                       ("kill -11 $$", 1, "NOT NOTICED: signal 11; no output"),
                                       ("echo 'result   WRONG'; exit 1", 1,
                                        "FAILED: the app says WRONG, and there was no fault")):
            with self.subTest(result):
                self.assertEqual({row[4] for row in self.rows("daxpy", "--faults", "drop_put", faults=faults,
                                                              status=status)}, {result})

    def test_an_app_that_fails_without_a_fault(self) -> None:
        rows = self.rows("daxpy", sane="echo 'result   WRONG'; exit 1", status=1)
        self.assertEqual([row[1:] for row in rows], [["all", "no fault", "FAILED: exit 1; result WRONG"]])

    def test_an_app_that_cannot_be_built(self) -> None:
        self.script("cc", COMPILER + 'case "$2" in *app-*) echo "error: no shmem_putmem" >&2; exit 1;; esac\n')
        rows = self.rows("daxpy", status=1)
        self.assertEqual([row[1:] for row in rows], [["not built: no shmem_putmem"]])

    def test_refusals(self) -> None:
        for more, says in ((("daxpi",), "--apps daxpi: one of these is expected: bale_gather,"),
                           (("daxpy", "--faults", "drop"), "--faults drop: one of these is expected: double_alltoall,"),
                           (("daxpy", "--places", "0"), "--places 0: at least 1 is expected"),
                           (("--args", "5"), "--args: name the app that they are for"),
                           (("--peer",), "verify --apps: without --peer")):
            with self.subTest(says):
                self.assertIn(f"oshbench: {says}", self.verify(*more, status=2).stderr)
        self.assertEqual(oshbench("verify", "--sync", "coll", status=2).stderr,
                         "oshbench: verify: --sync: only with --apps\n")


class Numbers(unittest.TestCase):
    def test_places_are_spread_from_the_first_call_to_the_last(self) -> None:
        self.assertEqual([app_faults.spread(*of) for of in ((0, 4), (1, 4), (2, 4), (10, 1), (10, 4), (101, 3))],
                         [[], [1], [1, 2], [7], [1, 4, 7, 10], [1, 51, 101]])

    def test_every_app_has_a_small_size(self) -> None:
        text = (BENCH.parent / "apps/CMakeLists.txt").read_text()
        built = set(re.search(r"set\(halo_apps ([^)]*) CACHE", text)[1].split())
        self.assertEqual({name.partition(".")[0] for name in app_faults.SIZES}, built)


if __name__ == "__main__":
    unittest.main()
