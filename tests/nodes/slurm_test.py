"""The scripts of docs/user/slurm.md, run by Slurm on hosts made of namespaces (lab.py): one slurmctld, a slurmd on each host.

SLURM is the folder into which scripts/setup.sh test has unpacked Debian's packages. Nothing of it is installed.
"""

import os
import re
import shutil
import unittest
from pathlib import Path

import lab
from slurm_cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
SLURM, HELLO, OSHRUN = (Path(os.environ[name]) for name in ("SLURM", "HELLO", "OSHRUN"))
PAGE = ROOT / "docs/user/slurm.md"


def scripts():
    return re.findall(r"^```bash\n(#!/bin/bash\n#SBATCH.*?)^```", PAGE.read_text(), re.M | re.S)


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Slurm(unittest.TestCase):
    def test_the_scripts_of_the_page(self):
        self.assertGreaterEqual(len(scripts()), 4)
        with lab.Lab(2) as laboratory:
            cluster = Cluster(laboratory, SLURM, OSHRUN)
            self.assertTrue(cluster.until("idle 2", "sinfo", "-h", "-o", "%T %D"), cluster.logs())
            shutil.copy(HELLO, f"{laboratory.folder}/hello")
            said = "".join(self.submit(cluster, i, script) for i, script in enumerate(scripts()))
            self.assertTrue(cluster.until("", "squeue", "-h"), said + cluster.logs())
            for i, script in enumerate(scripts()):
                with self.subTest(script=script):
                    self.check(cluster, i, script)

    def submit(self, cluster, i, script):
        folder = cluster.folder
        (folder / f"{i}.sbatch").write_text(script)
        return cluster.run("sbatch", f"--chdir={folder}", f"--output={folder}/{i}.txt", folder / f"{i}.sbatch")

    def check(self, cluster, i, script):
        path = cluster.folder / f"{i}.txt"
        n = 2 * int(re.search(r"--ntasks-per-node=(\d+)", script)[1])
        wanted = sorted(f"hello from PE {pe} of {n}: PE {(pe + n - 1) % n} wrote to me" for pe in range(n))
        self.assertEqual(sorted(path.read_text().splitlines()) if path.exists() else [], wanted, cluster.logs())


if __name__ == "__main__":
    unittest.main(verbosity=2)
