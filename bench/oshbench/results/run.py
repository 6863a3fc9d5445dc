"""A run: all results launch by launch, with machine and libraries. Its file is JSON of the schema `oshbench/1`."""

from __future__ import annotations

import json
import lzma
import os
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ..cases import catalogue
from . import record_file

SCHEMA = "oshbench/1"


class Unreadable(RuntimeError):
    """A file that oshbench has not written."""


@dataclass
class LaunchResult:
    """The results of one launch of a library. Each of `records` is a case and size with all its batches
    (rows.compact)."""

    step: str
    round: int
    library: str
    program: str
    pes: int
    ending: str = "ok"
    complete: bool = True  # all cases were run, even if the exit failed
    seconds: float = 0.0
    others: float = 0.0  # the share of the CPUs that other programs had meanwhile
    steal: float = 0.0  # the share that the hypervisor gave to other machines
    said: str = ""  # the end of the output of a failed launch
    records: list[dict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # cases that need two PEs

    @property
    def failed(self) -> bool:
        return self.ending != "ok" or not self.complete

    @property
    def how(self) -> str:
        """Its program, PEs and ending, for readers."""
        if " in " in self.ending:
            rest = "; the other cases are complete" if self.complete else ", incomplete"
        else:
            rest = " at the end, results complete" if self.complete else ", incomplete"
        return f"{self.program}, {self.pes} PEs: {self.ending}{rest}"


@dataclass
class Run:
    """`libraries` has a note for each library: its description, version, features, and what could not be built."""

    profile: str
    command: str
    machine: dict[str, str] = field(default_factory=dict)
    libraries: dict[str, dict] = field(default_factory=dict)
    launches: list[LaunchResult] = field(default_factory=list)
    finished: bool = False
    date: str = ""
    ours: str = "?"  # our commit
    busy: bool = False  # other programs used the machine
    rounds: int = 0  # that were asked for; 0 if unknown
    load: list[float] = field(default_factory=list)  # load average before and after
    hosts: list[str] = field(default_factory=list)
    placement: str = ""
    kinds: list[dict] = field(default_factory=list)  # of a user's own cases
    doctor: dict | None = None

    def to_dict(self) -> dict:
        """As in the file, without what is empty."""
        launches = [_without_empty(launch, ("left_out",)) for launch in self.launches]
        return {"schema": SCHEMA} | _without_empty(self, ("date", "rounds", "hosts", "placement", "kinds",
                                                          "doctor")) | {"launches": launches}

    @classmethod
    def from_dict(cls, entry: dict) -> Run:
        """From a file of this or an older oshbench; what it does not know is left out."""
        known = _known(cls, entry) | {"launches": [LaunchResult(**_known(LaunchResult, launch))
                                                   for launch in entry.get("launches", [])]}
        return cls(**known)

    def save(self, path: Path) -> None:
        """Atomically: an interrupted write leaves the previous file."""
        part = path.with_name(path.name + ".part")
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(self.to_dict()) + "\n")
        os.replace(part, path)

    @property
    def launched_rounds(self) -> int:
        return len({launch.round for launch in self.launches})

    @property
    def most_pes(self) -> int:
        return max((record["pes"] for launch in self.launches for record in launch.records), default=0)

    def wrong(self) -> list[str]:
        """Cases with wrong results, as library: case."""
        return sorted({f"{launch.library}: {record['case']}" for launch in self.launches for record in launch.records
                       if not record["ok"]})

    def left_out(self) -> list[str]:
        """Cases that need two PEs and had one."""
        return list(dict.fromkeys(case for launch in self.launches for case in launch.left_out))

    def troubles(self) -> list[tuple[str, str, int]]:
        """Failed launches: library, description, count."""
        counts = Counter((launch.library, launch.how) for launch in self.launches if launch.failed)
        return [(library, how, count) for (library, how), count in sorted(counts.items())]


def _known(kind: type, entry: dict) -> dict:
    return {each.name: entry[each.name] for each in fields(kind) if each.name in entry}


def _without_empty(of: Run | LaunchResult, optional: tuple[str, ...]) -> dict:
    return {name: value for name, value in asdict(of).items() if value or name not in optional}


def load_run(path: Path) -> Run:
    """A run, or a record as a run with one batch per launch."""
    try:
        text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text()
        entry = json.loads(text)
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError, lzma.LZMAError):
        raise Unreadable(f"{path}: not a file of oshbench run or import: it is not JSON") from None
    if isinstance(entry, dict) and entry.get("schema") == record_file.SCHEMA:
        return Run.from_dict(record_file.expand(entry))
    if not isinstance(entry, dict) or entry.get("schema") != SCHEMA:
        raise Unreadable(f"{path}: not a file of oshbench run or import: schema {SCHEMA} is expected")
    catalogue.add(entry.get("kinds", []))
    return Run.from_dict(entry)
