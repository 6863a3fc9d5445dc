#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first hour on a Debian 12 that holds nothing else, as root. It takes tens of minutes, and downloads.

  first_hour_bare.py debian FOLDER         packages of Debian, `make build`, the installation, a stencil and a manual page
  first_hour_bare.py pip FOLDER WHEELS     Python and gcc only: pip, programs, the manual, a notebook and LAMMPS

WHEELS is the folder of `ninja wheel`. FOLDER keeps the root that debootstrap makes, so that a second run is shorter; each run works on a copy. The commands are those
of the pages (first_hour_test.py). The certificates of this machine are copied, because pip may need them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(Path(__file__).resolve().parent)]
sys.dont_write_bytecode = True

import check_docs  # noqa: E402
import page_commands  # noqa: E402

BLOCKS = page_commands.named_blocks(*(ROOT / page for page in ("README.md", "docs/user/install.md")))
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
IN_ROOT = """
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" "$@"
"""


def bare_root(folder):
    """A copy of a minimal Debian 12."""
    made, copy = folder / "made", folder / "root"
    if not (made / "complete").exists():
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", made], check=True, stdout=subprocess.DEVNULL)
        for extra in Path("/etc/apt/apt.conf.d").glob("99*"):  # such as settings of a mirror
            shutil.copy(extra, made / "etc/apt/apt.conf.d")
        (made / "complete").touch()
    if copy.exists():
        shutil.rmtree(copy)
    subprocess.run(["cp", "-a", made, copy], check=True)
    if CERTIFICATES.exists():
        (copy / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
        shutil.copy(CERTIFICATES, copy / "etc/ssl/certs")
    return copy


def shell_in(root, folder):
    (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "MPLBACKEND": "Agg",
                   "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": str(CERTIFICATES)}
    around = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "bash", "-c", IN_ROOT, root]
    return page_commands.Shell(environment, folder, around, seconds=7200)


def yes(command):
    """The command without its question."""
    return command.replace("apt-get install", "apt-get install -q -y")


def debian(folder):
    root = bare_root(folder)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    shell = shell_in(root, "/root/checkout")
    subprocess.run(["tar", "-x", "-C", root / "root/checkout"], input=archive, check=True)
    shell.run("apt-get update -q && apt-get install -q -y make")
    for name in (BLOCKS["build"], BLOCKS["packages"], BLOCKS["compile"], BLOCKS["install"]):
        shell.follow(name, yes)
    shell.run("mkdir /root/work && cd /root/work")
    stencil(shell, root / "root/work")
    shell.follow(BLOCKS["pkg-config"])


def stencil(shell, folder):
    parts = check_docs.blocks((ROOT / "docs/tutorial/5-heat.md").read_text())
    for (language, body), (_, output) in zip(parts, parts[1:]):
        if language == "c":
            (folder / "heat.c").write_text(body)
        elif language == "sh" and "heat" in body and "python3" not in body and "oshfort" not in body:
            assert shell.run(body) == output, body


def pip(folder, wheels):
    wheel = next(Path(wheels).glob(f"oshen-*{os.uname().machine}.whl"))
    root = bare_root(folder)
    shell = shell_in(root, "/root/work")
    shutil.copy(wheel, root / "root/work")
    shell.run("apt-get update -q && apt-get install -q -y python3-venv gcc man-db")
    shell.follow(BLOCKS["pip"], lambda command: command.replace("oshen", f"./{wheel.name}"))
    shell.follow(BLOCKS["programs"])
    shell.run("pip install matplotlib")
    for file in (Path(__file__).parent / "notebook_cells.py", ROOT / "python/examples/notebook.ipynb"):
        shutil.copy(file, root / "root/work")
    assert '"(60, 64)\\n"' in shell.run("python notebook_cells.py notebook.ipynb")
    told = shell.follow(BLOCKS["lammps"], lambda command: command + " && sed -i 's/^run.*/run 5/' in.rhodo" * command.startswith("cp"))
    assert "remaps carried by one-sided puts on 2 ranks" in told, told


if __name__ == "__main__":
    if len(sys.argv) < 3 or os.geteuid() != 0 or not shutil.which("debootstrap"):
        sys.exit(f"{__doc__}\nIt needs root and debootstrap.")
    place = Path(sys.argv[2]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    {"debian": debian, "pip": pip}[sys.argv[1]](place, *sys.argv[3:])
    print(f"first hour: {sys.argv[1]}: done")
