# SPDX-License-Identifier: BSD-3-Clause
"""Imported before LAMMPS' own module, lets Oshen carry the exchanges of its 3-D FFTs: docs/user/lammps.md.

    import oshen.lammps
    from lammps import lammps

OSHEN_LAMMPS says what is done, as for oshen-lammps.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

from ._library import path_of

ABIS = {"openmpi": r"libmpi\.so\.(40|80)", "mpich": r"libmpi(-\w+)?\.so\.12|libmpich(-\w+)?\.so"}


def output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def liblammps() -> Path:
    """The library of LAMMPS' module; ImportError where there is none."""
    found = importlib.util.find_spec("lammps")
    folders = [Path(place) for place in (found.submodule_search_locations or [])] if found else []
    for folder in folders:
        for file in (folder / "liblammps.so", *sorted(folder.glob("liblammps*.so*"))):
            if file.exists():
                return file
    if known := re.search(r"liblammps\.so\S* .*=> (\S+)", output("/sbin/ldconfig", "-p")):
        return Path(known[1])
    raise ImportError("oshen.lammps: there is no LAMMPS module with a shared library here: pip install 'lammps[mpi]'")


def mpi_of(library: Path) -> tuple[str, str]:
    """ABI and file of the MPI that it is linked to; one that the loader misses is looked for beside this Python."""
    for words in (line.split() for line in output("ldd", str(library)).splitlines()):
        for abi, name in ABIS.items():
            if words and re.match(name, words[0]):
                known = len(words) > 2 and words[2].startswith("/")
                return abi, words[2] if known else str(Path(sys.prefix, "lib", words[0]))
    raise ImportError(f"oshen.lammps: {library} is linked to no MPI that we know (Open MPI, or MPICH and those with its ABI)")


def load() -> None:
    """MPI first, then the accelerator, both for all libraries that follow."""
    if "lammps" in sys.modules:
        raise ImportError("oshen.lammps: LAMMPS' module was imported before: its calls go to its own functions already")
    abi, mpi = mpi_of(liblammps())
    for what in (mpi, path_of(f"liboshen-lammps-{abi}.so")):
        try:
            ctypes.CDLL(what, mode=ctypes.RTLD_GLOBAL)
        except OSError as why:
            raise ImportError(f"oshen.lammps: {why}; OSHEN_LIBRARY names the folder of Oshen's libraries") from None


load()
