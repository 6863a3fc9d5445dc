"""The file of a run, `oshbench/1`: all results launch by launch, with machine and libraries."""

from __future__ import annotations

import json
import os
from pathlib import Path

from . import catalogue, record

SCHEMA = "oshbench/1"


class Unreadable(RuntimeError):
    """A file that oshbench has not written."""


def save(saved: dict, path: Path) -> None:
    """Atomically: an interrupted write leaves the previous file."""
    part = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(saved) + "\n")
    os.replace(part, path)


def load(path: Path) -> dict:
    """A run, or a record as a run with one batch per launch."""
    try:
        saved = json.loads(path.read_text())
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise Unreadable(f"{path}: not a file of oshbench run or import: it is not JSON") from None
    if isinstance(saved, dict) and saved.get("schema") == record.SCHEMA:
        return record.expand(saved) | {"schema": SCHEMA}
    if not isinstance(saved, dict) or saved.get("schema") != SCHEMA:
        raise Unreadable(f"{path}: not a file of oshbench run or import: schema {SCHEMA} is expected")
    catalogue.add(saved.get("kinds", []))
    return saved


def wrong(saved: dict) -> list[str]:
    """Cases with wrong results, as library: case."""
    return sorted({f"{launch['library']}: {entry['case']}" for launch in saved["launches"] for entry in launch["records"]
                   if not entry["ok"]})


def _how_much(launch: dict) -> str:
    if " in " in launch["ending"]:
        return "; the other cases are complete" if launch["complete"] else ", incomplete"
    return " at the end, results complete" if launch["complete"] else ", incomplete"


def left_out(saved: dict) -> list[str]:
    """Cases that need two PEs and had one."""
    return list(dict.fromkeys(case for launch in saved["launches"] for case in launch.get("left_out", [])))


def troubles(saved: dict) -> list[tuple[str, str, int]]:
    """Failed launches: library, description, count."""
    found: dict[tuple[str, str], int] = {}
    for launch in saved["launches"]:
        if launch["ending"] != "ok" or not launch["complete"]:
            how = f"{launch['program']}, {launch['pes']} PEs: {launch['ending']}" + (
                _how_much(launch))
            found[launch["library"], how] = found.get((launch["library"], how), 0) + 1
    return [(library, how, count) for (library, how), count in sorted(found.items())]
