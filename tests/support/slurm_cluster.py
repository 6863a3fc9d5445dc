"""Slurm on hosts made of namespaces: one slurmctld, a slurmd on each host. Nothing of it is installed."""

import os
import subprocess
import time
from pathlib import Path

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


class Cluster:
    """Slurm on the hosts of a laboratory."""

    def __init__(self, laboratory, slurm, oshrun):
        """slurm: the folder of Debian's packages, as scripts/setup.sh test has unpacked them; oshrun: the path of the command."""
        self.laboratory, self.folder, self.slurm = laboratory, Path(laboratory.folder), slurm
        libraries = slurm / "usr/lib" / f"{os.uname().machine}-linux-gnu"
        for name in ("state", "spool-h1", "spool-h2"):
            (self.folder / name).mkdir()
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")  # not used: the hosts have no cgroups
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(folder=self.folder, libraries=libraries, user="root"))
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "OSHEN", "PMI", "SHMEM"))}
        self.environment = {**clean, "SLURM_CONF": f"{self.folder}/slurm.conf", "LD_LIBRARY_PATH": f"{libraries}:{libraries}/slurm-wlm",
                            "PATH": f"{oshrun.parent}:{slurm}/usr/bin:{os.environ['PATH']}"}
        self.daemon("h1", "slurmctld-wlm", "-D")
        for host in ("h1", "h2"):
            self.daemon(host, "slurmd-wlm", "-D", "-N", host, "-d", f"{slurm}/usr/sbin/slurmstepd-wlm")

    def daemon(self, host, name, *words):
        with open(self.folder / f"{name}-{host}.log", "w") as log:
            self.laboratory.start(host, [f"{self.slurm}/usr/sbin/{name}", *words], env=self.environment,
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
