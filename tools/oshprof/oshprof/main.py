# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command with the recording library loaded, and reports what it recorded."""
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from oshen_preload import preloadable

from .options import fail, parse
from .show import show
from .summary import read, summarise
from .timeline import NothingToDraw, Timeline


def load_needed(options):
    """Loads what draws the pictures before the command runs, which may take minutes."""
    for file in options.timelines:
        if file.suffix != ".json":
            load_pictures(f"--timeline {file}")
    if options.matrix:
        load_pictures(f"--matrix {options.matrix}")


def load_pictures(option):
    try:
        from . import pictures
    except ImportError:
        fail(f"{option}: needs matplotlib: pip install matplotlib")
    return pictures


# ---- running --------------------------------------------------------------------------------------------------------


def linked_to(word):
    """The libraries of a program, as ldd prints them."""
    path = shutil.which(word)
    return subprocess.run(["ldd", path], capture_output=True, text=True).stdout if path else ""


def mpi_of(words):
    """The MPI of the launcher on the command line; of the program if there is none, or if it has the ABI of MPI 5."""
    if any("libmpi_abi.so" in linked_to(word) for word in words):
        return "abi"
    for word in words:
        path = shutil.which(word)
        if path is None or not os.path.basename(path).startswith(("mpi", "orte", "prte", "hydra")):
            continue
        told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if "Open MPI" in told or "OpenRTE" in told or "PRRTE" in told or "prte" in told:
            return "openmpi"
        if "HYDRA" in told or "MPICH" in told or "Intel" in told:
            return "mpich"
    linked = linked_to(words[0])
    if "libmpi.so.12" in linked or "libmpich" in linked:
        return "mpich"
    return "openmpi" if "libmpi.so" in linked else "none"


def preload(mpi, plugins):
    name = "liboshprof.so" if mpi == "none" else f"liboshprof-{mpi}.so"
    library = plugins / name
    if not library.exists():
        fail(f"{library} does not exist: Oshen was built without this MPI")
    return library


def run(words, folder, mpi, calls, plugins):
    environment = dict(os.environ, OSHPROF_DIR=str(folder), OSHPROF_TIMELINE=calls)
    loaded = os.environ.get("LD_PRELOAD")
    try:
        with preloadable(preload(mpi, plugins)) as library:
            environment["LD_PRELOAD"] = str(library) + (f":{loaded}" if loaded else "")
            return subprocess.run(words, env=environment).returncode
    except OSError as error:
        print(f"oshprof: {words[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


# ---- files ----------------------------------------------------------------------------------------------------------


def write_file(option, file, write):
    """Calls write(file); an error prints one line."""
    try:
        write(file)
    except (OSError, ValueError, NothingToDraw) as problem:
        fail(f"{option} {file}: {problem.strerror if isinstance(problem, OSError) else problem}")


def draw_timelines(files, folder, processes):
    try:
        story = Timeline(folder, processes)
    except (OSError, ValueError, NothingToDraw) as problem:
        fail(f"--timeline {files[0]}: {problem}")
    for file in files:
        if file.suffix == ".json":
            write_file("--timeline", file, story.write)
        else:
            write_file("--timeline", file, functools.partial(load_pictures(file).timeline, story))
    if story.missing:
        print(f"oshprof: {story.missing} calls are not in {' and '.join(map(str, files))}: a process made more than "
              f"--timeline-calls", file=sys.stderr)


def main(arguments, plugins, version):
    """`plugins` is the folder of the libraries to load. Returns the exit status."""
    options = parse(arguments, version)
    load_needed(options)
    status = 0
    with tempfile.TemporaryDirectory(prefix="oshprof-") as temporary:
        folder = options.read or options.keep or temporary
        if options.read is None:
            os.makedirs(folder, exist_ok=True)
            if any(Path(folder).glob("*.json")):
                fail(f"--keep {folder}: contains the records of an earlier run: expected a new or empty folder")
            calls = str(options.most if options.timelines else 0)
            status = run(options.command, os.path.abspath(folder), options.mpi or mpi_of(options.command), calls,
                         plugins)
            if status != 0:
                print(f"oshprof: the command exited with status {status}", file=sys.stderr)
        elif not os.path.isdir(folder):
            fail(f"--read {folder}: no such folder")
        processes = read(folder)
        report = summarise(processes)
        show(report, options.top)
        if options.timelines:
            draw_timelines(options.timelines, folder, processes)
    if options.output:
        options.output.write_text(json.dumps(report, indent=1) + "\n")
    if options.matrix:
        write_file("--matrix", options.matrix, functools.partial(load_pictures("").matrix, report))
    return status if 0 <= status < 256 else 1
