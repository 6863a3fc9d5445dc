#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The comparison between two hosts: its programs run and check what they moved, and its page says how it was made."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

BIN = Path(os.environ["BIN"])
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), os.environ["NET"]]

import lab  # noqa: E402
import off_node  # noqa: E402
from oshbench import machine  # noqa: E402

WATCHDOG = 400
MOVES = {f"{move} {size}" for move in ("put", "get") for size in (8, 1024, 65536, 1 << 20, 4 << 20)}
COLLECTIVES = {f"{what} {size}" for what in ("broadcast", "sum", "fcollect", "alltoall") for size in (8, 1024, 65536, 1 << 20)}


def obstacle() -> str | None:
    if shutil.which("mpiexec.hydra") is None:
        return "mpiexec.hydra is not installed"
    if "tcp;ofi_rxm" not in subprocess.run([BIN / "oshinfo", "--transport"], capture_output=True, text=True, check=True).stdout:
        return "libfabric has no tcp;ofi_rxm here"
    return lab.obstacle()


class Page(unittest.TestCase):
    def answer(self, *words: str, busy: str = "") -> tuple[int, str, list[object]]:
        """Status, what was printed, and what would have been measured."""
        seen: list[object] = []
        with mock.patch.object(sys, "argv", ["off_node.py", "--build", str(BIN.parent), *words]), \
                mock.patch.object(machine, "busy", return_value=busy), mock.patch.object(lab, "obstacle", return_value=None), \
                mock.patch.object(off_node, "measure", side_effect=lambda args: seen.append(args) or self.saved(args)), \
                contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            status = off_node.main()
        return status, out.getvalue(), seen

    def saved(self, args: object) -> dict:
        return {"machine": {"CPU": "Some CPU"}, "command": args.command, "busy": args.busy, "commit": "c", "load": [1, 2],
                "rounds": 1, "contenders": {}, "results": {}, "ended": {}}

    def test_says_the_whole_command_and_the_load(self) -> None:
        status, said, _ = self.answer("--rounds", "2", "--only", "oshen")
        self.assertEqual(status, 0)
        self.assertIn("--rounds 2 --only oshen\n", said)
        self.assertIn("load average before and after: 1, 2.", said)
        self.assertNotIn("busy", said)

    def test_a_busy_machine_is_not_recorded(self) -> None:
        status, said, measured = self.answer("--record", busy="others use it")
        self.assertEqual((status, measured), (2, []))
        self.assertIn("others use it", said)

    def test_or_the_page_says_so(self) -> None:
        status, said, measured = self.answer("--record", "--busy", busy="others use it")
        self.assertEqual((status, len(measured)), (0, 1))
        self.assertIn("The machine was busy", said)

    def test_what_is_quick_is_not_recorded(self) -> None:
        status, _, measured = self.answer("--record", "--quick")
        self.assertEqual((status, measured), (2, []))


@unittest.skipIf(obstacle(), f"no comparison: {obstacle()}")
class Hosts(unittest.TestCase):
    def run_both(self, ppn: int) -> dict[str, set[str]]:
        """Cases by contender; every launch must end well."""
        args = off_node.parse_arguments(["--build", str(BIN.parent), "--quick", "--rounds", "1", "--ppn", str(ppn),
                                         "--only", "oshen", "libfabric", "--limit", str(WATCHDOG / 2)])
        saved = off_node.measure(args)
        for name, endings in saved["ended"].items():
            self.assertEqual(endings, ["ok"], name)
        found = saved["results"][f"2 x {ppn}"]
        self.assertTrue(all(us[0] > 0 for cases in found.values() for us in cases.values()))
        return {name: set(cases) for name, cases in found.items()}

    def test_two_hosts_of_one(self) -> None:
        found = self.run_both(1)
        self.assertEqual(found["oshen"], MOVES | COLLECTIVES | {"fetch_add 8", "put_computing 8", "barrier 0"})
        if "libfabric" in found:  # its headers are here
            self.assertEqual(found["libfabric"], MOVES)

    def test_two_hosts_of_two(self) -> None:
        self.assertEqual(self.run_both(2), {"oshen": COLLECTIVES | {"barrier 0"}})


if __name__ == "__main__":
    unittest.main()
