# SPDX-License-Identifier: BSD-3-Clause
"""mpi4py_test.py N: Oshen inside a program of mpi4py, with the MPICH of .venv. Exits with 77 if there is no mpi4py."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from mpi4py import MPI
from oshen import shmem
import numpy as np
world = MPI.COMM_WORLD
assert (shmem.my_pe(), shmem.n_pes()) == (world.rank, world.size), (shmem.my_pe(), world.rank)
x = shmem.zeros(2)
shmem.put(x, np.full(2, float(world.rank)), (world.rank + 1) % world.size)
shmem.barrier_all()
assert x[0] == (world.rank - 1) % world.size
assert world.allreduce(1) == world.size
print("well done", flush=True)
"""


def main() -> int:
    if importlib.util.find_spec("mpi4py") is None:
        print("skipped: no mpi4py")
        return 77
    n = int(sys.argv[1])
    mpiexec = Path(sys.executable).parent / "mpiexec"
    done = subprocess.run([mpiexec, "-n", str(n), sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=150, env=os.environ)
    print(done.stdout)
    return 0 if done.returncode == 0 and done.stdout.count("well done") == n else 1


if __name__ == "__main__":
    sys.exit(main())
