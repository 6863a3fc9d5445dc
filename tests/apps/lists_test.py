#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""minimd with half neighbour lists finds the same as with full ones, in half the work, on every number of PEs.

  lists_test.py OSHRUN MINIMD

The work is counted: the pairs that the force computations visit.
"""

import re
import subprocess
import sys
import unittest

from patience import patient

OSHRUN, MINIMD = sys.argv[1:3]
CELLS = 6
ATOMS = 4 * CELLS**3
STEPS = 19  # no lists but the first, of a perfect lattice
# Neighbours of an atom of the lattice within cut-off and skin, and sweeps over the lists in a force computation.
NEAR = {"lj": 78, "eam": 86}
SWEEPS = {"lj": 1, "eam": 2}


def run(potential: str, lists: str, pes: int, steps: int, *more: str) -> tuple[list[tuple[float, ...]], int, str]:
    """The states that it prints, the pairs it visited and the checksum."""
    command = patient([OSHRUN, "-n", str(pes), "--timeout", "100", MINIMD, str(CELLS), "--potential", potential, "--lists", lists,
                       "--steps", str(steps), *more])
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    states = re.findall(r"^step +\d+ +T (\S+) +U (\S+) +P (\S+)", said, re.M)
    pairs = re.search(r"^pairs (\d+) visited$", said, re.M)
    checksum = re.search(r"^checksum (\w+)$", said, re.M)
    if not pairs or not checksum or "result   right" not in said:
        raise AssertionError(said)
    return [tuple(map(float, state)) for state in states], int(pairs.group(1)), checksum.group(1)


class Lists(unittest.TestCase):
    def check(self, potential: str, pes: int) -> None:
        half, half_pairs, _ = run(potential, "half", pes, STEPS)
        full, full_pairs, _ = run(potential, "full", pes, STEPS)
        self.assertEqual(half_pairs, (STEPS + 1) * SWEEPS[potential] * ATOMS * NEAR[potential] // 2)
        self.assertEqual(full_pairs, 2 * half_pairs)
        self.assertEqual(len(half), 2)
        for of_half, of_full in zip(half, full, strict=True):
            for one, other in zip(of_half, of_full, strict=True):
                self.assertAlmostEqual(one, other, delta=2e-6 * max(1.0, abs(other)))

    def test_lj(self) -> None:
        for pes in (1, 2, 3, 12):
            with self.subTest(pes=pes):
                self.check("lj", pes)

    def test_eam(self) -> None:
        for pes in (1, 3):
            with self.subTest(pes=pes):
                self.check("eam", pes)

    def test_the_number_of_threads_changes_no_bit(self) -> None:
        for lists in ("half", "full"):
            for potential in ("lj", "eam"):
                with self.subTest(lists=lists, potential=potential):
                    sums = {run(potential, lists, 2, 25, "--threads", threads)[2] for threads in ("1", "2", "3", "7")}
                    self.assertEqual(len(sums), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
