"""own_shm.py, which keeps the files that ended MPI jobs leave in /dev/shm from the other programs of the machine."""

import os
import subprocess
import sys
import unittest
import uuid
from pathlib import Path

import own_shm

OWN_SHM = Path(__file__).resolve().parents[1] / "support/own_shm.py"


def run(*command, **options):
    return subprocess.run([sys.executable, "-B", OWN_SHM, *command], capture_output=True, text=True, check=False, **options)


class OwnShm(unittest.TestCase):
    def setUp(self):
        self.file = Path("/dev/shm", f"own-shm-test-{uuid.uuid4()}")
        self.addCleanup(self.file.unlink, missing_ok=True)

    @unittest.skipIf(own_shm.refused(), "namespaces are refused")
    def test_a_killed_command_leaves_no_file(self):
        other = Path(f"{self.file}-of-another")
        self.addCleanup(other.unlink, missing_ok=True)
        other.touch()
        done = run("sh", "-c", 'touch "$1" && ls -A /dev/shm && kill -9 $$', "sh", self.file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (-9, f"{self.file.name}\n", ""))
        self.assertEqual((self.file.exists(), other.exists()), (False, True))

    def test_without_namespaces_the_command_runs(self):
        done = run("/bin/sh", "-c", 'echo "$1"; exit 3', "sh", "two words", env=os.environ | {"PATH": ""})
        self.assertEqual((done.returncode, done.stdout), (3, "two words\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
