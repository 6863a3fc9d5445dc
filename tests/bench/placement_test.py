#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every launcher places the PEs of the mini-apps alike."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from oshbench.common.process import silent_input
from oshbench.libraries.library import OPEN_MPI_ENV, OPEN_MPI_RUN, Library
from oshbench.machine import placement

CPUS = sorted(os.sched_getaffinity(0))[:2]
SHOWN = "import os; os.write(1, f'on {sorted(os.sched_getaffinity(0))}\\n'.encode())"


class Sets(unittest.TestCase):
    def test_each_pe_has_as_many_cpus_as_threads(self) -> None:
        self.assertEqual(placement.sets([0, 1, 4, 5], 1), ["0", "1", "4", "5"])
        self.assertEqual(placement.sets([0, 1, 4, 5], 2), ["0,1", "4,5"])
        self.assertEqual(placement.sets([0, 1, 4], 2), ["0,1"])
        self.assertEqual(placement.sets([0, 1], 8), ["0,1"])

    def test_several_hosts_are_left_to_the_launcher(self) -> None:
        library = Library("x", "mpi", "cc", ("run", "-n", "{np}"), hosts=("a", "b"))
        self.assertEqual(placement.command(library, 2, "app", ["--steps", "3"], [0, 1]),
                         ["run", "-n", "2", "app", "--steps", "3"])


@unittest.skipUnless(len(CPUS) == 2, "one CPU")
class Launchers(unittest.TestCase):
    def placed(self, library: Library, pes: int, threads: int = 1) -> list[str]:
        """The CPUs of all PEs, sorted."""
        command = placement.command(library, pes, sys.executable, ["-c", SHOWN], CPUS, threads)
        done = subprocess.run(command, env=os.environ | library.env, stdin=silent_input(), capture_output=True,
                              text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return sorted(re.findall(r"on (\[[^]]*\])", done.stdout))

    def check(self, library: Library) -> None:
        first, second = ([cpu] for cpu in CPUS)
        self.assertEqual(self.placed(library, 2), [str(first), str(second)])
        self.assertEqual(self.placed(library, 4), [str(first)] * 2 + [str(second)] * 2)
        self.assertEqual(self.placed(library, 2, 2), [str(CPUS)] * 2)

    def test_ours(self) -> None:
        self.check(Library("oshen", "shmem", "", (str(Path(os.environ["BIN"]) / "oshrun"), "-n", "{np}")))

    @unittest.skipUnless(shutil.which("mpiexec.mpich"), "no MPICH")
    def test_mpich(self) -> None:
        self.check(Library("mpich", "mpi", "", ("mpiexec.mpich", "-n", "{np}")))

    @unittest.skipUnless(shutil.which("mpiexec.openmpi"), "no Open MPI")
    def test_open_mpi(self) -> None:
        self.check(Library("ompi", "mpi", "", ("mpiexec.openmpi", *OPEN_MPI_RUN, "-n", "{np}"), OPEN_MPI_ENV))


if __name__ == "__main__":
    unittest.main()
