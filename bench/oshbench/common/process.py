"""Runs a command with a time limit, and ends all processes that it has started."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

# Seconds without a new record after which a program hangs. No size of a case takes as long.
STUCK_AFTER = float(os.environ.get("OSHBENCH_HANG", "60"))


@functools.cache
def silent_input() -> int:
    """An input that never ends. Hydra forwards the end of its input to rank 0, and dies of SIGPIPE if that process has
    ended by then."""
    reader, _writer = os.pipe()  # the writer stays open
    return reader


def run_bounded(
    command: list[str], env: dict[str, str], timeout: float, records: Path | None = None
) -> tuple[str, str]:
    """How the command ended, and its output. All its processes are in one session and end with it. It hangs if the file
    `records` does not grow for STUCK_AFTER seconds."""
    child = subprocess.Popen(
        command,
        env=os.environ | env,
        stdin=silent_input(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=end_with_parent(),
    )
    try:
        output = _watch(child, timeout, records)
    except subprocess.TimeoutExpired:
        return "timeout", _end_session(child)
    except Stuck:
        return "hang", _end_session(child)
    except KeyboardInterrupt:
        return "interrupted", _end_session(child)
    if child.returncode == 0:
        return "ok", output
    return (
        f"signal {-child.returncode}" if child.returncode < 0 else f"exit {child.returncode}"
    ), output


class Stuck(Exception):
    """A program has stopped writing records."""


def _watch(child: subprocess.Popen, timeout: float, records: Path | None) -> str:
    """The output of the process after its end."""
    end, size, grew = time.monotonic() + timeout, -1, time.monotonic()
    while True:
        try:
            return child.communicate(timeout=min(2.0, max(0.0, end - time.monotonic())))[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                raise
        if records is None:
            continue
        now = records.stat().st_size if records.exists() else 0
        if now != size:
            size, grew = now, time.monotonic()
        elif size > 0 and time.monotonic() - grew > STUCK_AFTER:
            raise Stuck


_LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def end_with_parent() -> Callable[[], None]:
    """For the child, before it executes a program: if this process is killed, the launcher gets SIGTERM and ends its
    processes."""
    parent = os.getpid()

    def attach() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was killed before the call
            os._exit(1)

    return attach


def _kill_session(session: int) -> None:
    """Launchers put processes into other process groups. Hydra 5 puts them into other sessions too, but ends them
    itself."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getsid(int(folder.name)) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _descendants(launcher: int) -> set[int]:
    """The launcher and the processes that it started, also in other sessions."""
    parents = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
    found, new = set(), {launcher}
    while new:
        found |= new
        new = {process for process, parent in parents.items() if parent in new}
    return found


MPICH_FILE = re.compile(r"/dev/shm/mpich_(?:shm|vci)_\w+$", re.MULTILINE)


def _files_of_mpich(launcher: int) -> set[str]:
    """The files in /dev/shm that MPICH 5 has from MPI_Init to MPI_Finalize. A name belongs to one job."""
    found: set[str] = set()
    for process in _descendants(launcher):
        with contextlib.suppress(OSError):
            found.update(MPICH_FILE.findall(Path(f"/proc/{process}/maps").read_text(errors="replace")))
    return found


def _end_session(child: subprocess.Popen) -> str:
    """Ends the launcher, which may end its processes, then the rest of the session, and removes files that MPICH did
    not."""
    files = _files_of_mpich(child.pid)
    child.terminate()
    output = _output_of(child, 15)
    _kill_session(child.pid)
    output = _output_of(child, 5) if output is None else output
    child.wait()
    for file in files:
        Path(file).unlink(missing_ok=True)
    return output or ""


def _output_of(child: subprocess.Popen, seconds: float) -> str | None:
    """The whole output, once all writers have ended; None after `seconds`."""
    try:
        return child.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None
