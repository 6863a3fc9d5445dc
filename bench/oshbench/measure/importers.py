"""Converts the output of OMB and RMA-MT into a run."""

from __future__ import annotations

import re
from pathlib import Path

from ..results.rows import compact
from ..results.run import LaunchResult, Run
from . import campaign

# Titles of OMB, the most specific first, and our cases. A bandwidth test sends windows, as bw.put does.
TITLES = (
    ("Put Nonblocking Test", "put_nbi"), ("Get Nonblocking Test", "get_nbi"), ("Put Test", "put"), ("Get Test", "get"),
    ("Broadcast", "broadcast_local"), ("FCollect", "fcollect_local"), ("Collect Latency", "collect_local"),
    ("Collect Test", "collect_local"), ("Reduce", "sum_local"), ("Allreduce", "sum_local"),
    ("Alltoall", "alltoall_local"),
    ("Allgather", "fcollect_local"), ("Bcast", "broadcast_local"), ("Barrier", "barrier_all"),
    ("MPI_Put Bi-directional Bandwidth", "bibw.put"), ("MPI_Put Bandwidth", "bw.put"), ("MPI_Get Bandwidth", "bw.get"),
    ("MPI_Put Latency", "put"), ("MPI_Get latency", "get"), ("MPI Latency", "pp_two_sided"),
    ("MPI Bandwidth", "bw.two_sided"),
    ("Bi-Directional Bandwidth", "bibw.two_sided"),
)
ATOMICS = {"fadd": "fetch_add", "finc": "fetch_inc", "add": "add", "inc": "inc", "cswap": "compare_swap",
           "swap": "swap", "set": "set", "fetch": "fetch"}
FORMATS = ("osu", "rmamt")


class NotRecognised(RuntimeError):
    """Text in another format than expected."""


def read(form: str, files: list[Path], library: str, pes: int) -> Run:
    """A run in which each file is a round."""
    run = campaign.begin("import", f"oshbench import {form}")
    for number, file in enumerate(files):
        text = file.read_text(errors="replace")
        records = osu(text, pes) if form == "osu" else rmamt(text, pes)
        if not records:
            raise NotRecognised(f"{file}: no table of {'OMB' if form == 'osu' else 'RMA-MT'} in it")
        run.launches.append(LaunchResult(f"{number}/import/{pes}/{library}", number, library, "import", pes,
                                         records=compact(records)))
    run.finished, run.load = True, [0, 0]
    run.libraries = {library: {"name": library, "kind": "import", "version": f"output of {form}", "spec": "",
                                    "features": {}, "ending": "ok", "compiler": "", "run": [], "env": {}}}
    return run


def _record(case: str, size: int, pes: int, ns: float, how: str) -> dict:
    return {"case": case, "size": size, "pes": pes, "how": how, "count": 1, "ns": ns, "ok": True}


def osu(text: str, pes: int) -> list[dict]:
    """All tables of a file. Bandwidths become times per message."""
    records, case, title, rates = [], None, "", False
    for line in text.splitlines():
        if line.startswith("#"):
            if "OSU" in line:
                title = line.lstrip("# ").strip()
                case = next((name for words, name in TITLES if words.lower() in title.lower()), None)
                rates = False
            rates = rates or "MB/s" in line
            continue
        numbers = line.split()
        if atomic := re.match(r"shmem_(int|longlong)_(\w+)\s+([\d.]+)\s+([\d.]+)", line):
            width = "32" if atomic[1] == "int" else "64"
            name = ATOMICS.get(atomic[2])
            if name and float(atomic[3]) > 0:
                records.append(_record(f"amo.{name}.{width}.private", int(width) // 8, pes, 1e3 / float(atomic[3]),
                                       title))
        elif case and numbers and all(re.fullmatch(r"[\d.]+", n) for n in numbers):
            records += _osu_row(case, title, rates, numbers, pes)
    return records


def _osu_row(case: str, title: str, rates: bool, numbers: list[str], pes: int) -> list[dict]:
    if len(numbers) == 1 or case == "barrier_all":
        return [_record(case, 0, pes, 1e3 * float(numbers[0]), title)]
    size, number = int(float(numbers[0])), float(numbers[1])
    if number <= 0:
        return []
    streams = 2 if case.startswith("bibw") else 1
    return [_record(case, size, pes, 1e3 * size * streams / number if rates else 1e3 * number, title)]


def rmamt(text: str, pes: int) -> list[dict]:
    """`BpT(T) BxT(T) METRIC...`: bytes for each thread, for all of them, then latency, or bandwidth and rate."""
    records, columns, threads = [], [], 1
    for line in text.replace(",", " ").splitlines():
        words = line.split()
        head = next((re.match(r"BpT\((\d+)\)", word.lstrip("#")) for word in words if "BpT(" in word), None)
        if head:
            threads, columns = int(head[1]), [word.lstrip("#") for word in words if word != "#"]
        elif columns and len(words) >= 3 and all(re.fullmatch(r"[\d.eE+-]+", word) for word in words):
            records += _rmamt_row(columns, words, threads, pes)
    return records


def _rmamt_row(columns: list[str], words: list[str], threads: int, pes: int) -> list[dict]:
    size = int(float(words[0]))
    for column, word in zip(columns[2:], words[2:]):
        number, name = float(word), column.lower()
        if number <= 0:
            continue
        if "lat" in name:
            return [_record(f"mt_lat.put.window.rmamt.t{threads}", size, pes, 1e3 * number, "rmamt_lat")]
        if "rate" in name:
            return [_record(f"mt_bw.put.window.rmamt.t{threads}", size, pes, 1e9 / number, "rmamt_bw")]
    return []
