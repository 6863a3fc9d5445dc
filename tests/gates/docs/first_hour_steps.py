# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the first hour that a virtual environment and another root have in common (first_hour_test.py, first_hour_bare.py)."""

import shutil
from pathlib import Path

import check_docs
import page_commands
from slurm_cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]


PAGES = [ROOT / place for place in ("README.md", "docs/user/install.md", "docs/user/quick-start.md", "docs/user/slurm.md")]
BLOCKS = page_commands.named_blocks(*PAGES)


def stencil(shell, folder):
    """The program in C of the tutorial, compiled and run; what it prints is what the page shows."""
    parts = check_docs.blocks((ROOT / "docs/tutorial/5-heat.md").read_text())
    ran = 0
    for (language, body), (_, output) in zip(parts, parts[1:]):
        if language == "c":
            (folder / "heat.c").write_text(body)
        elif language == "sh" and "heat" in body and "python3" not in body and "oshfort" not in body:
            told = shell.run(body)
            assert told == output, f"{body}\n{told}"
            ran += 1
    assert ran == 1, f"5-heat.md: {ran} blocks of commands for heat.c: expected 1"


def lammps(shell, steps):
    """Some steps of the protein; LAMMPS must say that Oshen carried its remaps."""
    shorter = f" && sed -i 's/^run.*/run {steps}/' in.rhodo"
    told = shell.follow(BLOCKS["lammps"], lambda command: command + shorter * command.startswith("cp"))
    assert "remaps carried by one-sided puts on 2 ranks" in told, told


def batch_script(laboratory, slurm, oshrun, hello):
    """The first script of slurm.md, submitted as the page says to a Slurm on two hosts.

    slurm: the folder of Debian's packages; oshrun: the path of the command; hello: hello.c, a file of this machine.
    """
    cluster = Cluster(laboratory, Path(slurm), Path(oshrun))
    assert cluster.until("idle 2", "sinfo", "-h", "-o", "%T %D"), cluster.logs()
    Path(laboratory.folder, "hello.sbatch").write_text(BLOCKS["batch script"])
    shutil.copy(hello, laboratory.folder)
    for command, wanted in page_commands.commands(BLOCKS["sbatch"]):
        told = cluster.run("bash", "-c", f'cd "$0" && {command}', laboratory.folder)
        missing = page_commands.lacks(wanted, told)
        assert not missing, f"$ {command}\nthe page shows {missing}, but it prints\n{told}{cluster.logs()}"
        assert cluster.until("", "squeue", "-h"), cluster.logs()
