"""The scripts of docs/user/slurm.md, run by Slurm on hosts made of namespaces (lab.py): one slurmctld, a slurmd on each host.

SLURM is the folder into which scripts/setup.sh test has unpacked Debian's packages. Nothing of it is installed.
"""

import os
import re
import shutil
import subprocess
import time
import unittest
from pathlib import Path

import lab

ROOT = Path(__file__).resolve().parents[2]
SLURM, HELLO, OSHRUN = (Path(os.environ[name]) for name in ("SLURM", "HELLO", "OSHRUN"))
PAGE = ROOT / "docs/user/slurm.md"
LIBRARIES = SLURM / "usr/lib" / f"{os.uname().machine}-linux-gnu"
CONFIGURATION = """
ClusterName=lab
SlurmctldHost=h1(10.78.0.1)
AuthType=auth/none
CredType=cred/none
PluginDir={libraries}/slurm-wlm
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
FirstJobId=4711
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=h[1-2] CPUs=8 State=UNKNOWN
PartitionName=all Nodes=h[1-2] Default=YES State=UP
"""


def scripts():
    return re.findall(r"^```bash\n(#!/bin/bash\n#SBATCH.*?)^```", PAGE.read_text(), re.M | re.S)


class Cluster:
    """Slurm on the hosts of a laboratory."""

    def __init__(self, laboratory):
        self.laboratory, self.folder = laboratory, Path(laboratory.folder)
        for name in ("state", "spool-h1", "spool-h2"):
            (self.folder / name).mkdir()
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # not used: the hosts have no cgroups
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(folder=self.folder, libraries=LIBRARIES, user="root"))
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "OSHEN", "PMI", "SHMEM"))}
        self.environment = {**clean, "SLURM_CONF": f"{self.folder}/slurm.conf", "LD_LIBRARY_PATH": f"{LIBRARIES}:{LIBRARIES}/slurm-wlm",
                            "PATH": f"{OSHRUN.parent}:{SLURM}/usr/bin:{os.environ['PATH']}"}
        self.daemon("h1", "slurmctld-wlm", "-D")
        for host in ("h1", "h2"):
            self.daemon(host, "slurmd-wlm", "-D", "-N", host, "-d", f"{SLURM}/usr/sbin/slurmstepd-wlm")

    def daemon(self, host, name, *words):
        with open(self.folder / f"{name}-{host}.log", "w") as log:
            self.laboratory.start(host, [f"{SLURM}/usr/sbin/{name}", *words], env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def run(self, *words):
        return self.laboratory.start("h1", list(map(str, words)), env=self.environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).communicate(timeout=120)[0]

    def until(self, wanted, *words):
        """Whether a command prints this within half a minute."""
        for _ in range(60):
            if self.run(*words).strip() == wanted:
                return True
            time.sleep(0.5)
        return False

    def logs(self):
        return "\n".join(f"{log.name}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log"))


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Slurm(unittest.TestCase):
    def test_the_scripts_of_the_page(self):
        self.assertGreaterEqual(len(scripts()), 4)
        with lab.Lab(2) as laboratory:
            cluster = Cluster(laboratory)
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
