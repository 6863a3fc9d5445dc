"""Records of the same comparison from several machines, in one table: a page's own, and those beside it as NAME@MACHINE.json."""

from __future__ import annotations

import json
from pathlib import Path

from . import machine
from .reach import LIMITS, OURS, Results
from .render import Table, quantity, ratio
from .samples import against, best_of


def record_name(stem: str, machine_name: str | None) -> str:
    """Of the JSON file: the page's own machine has no name in it."""
    return f"{stem}@{machine_name}.json" if machine_name else f"{stem}.json"


def own_record(record: Path) -> Path:
    """The record that the page of `record` is about; the one of another machine belongs to the same page."""
    return record.with_name(record.stem.partition("@")[0] + ".json")


def others(own: Path) -> list[dict]:
    """What other machines have recorded for the same page."""
    return [json.loads(path.read_text()) for path in sorted(own.parent.glob(f"{own.stem}@*.json"))]


def tables(records: list[tuple[dict, Results]]) -> list[Table]:
    """Ours and the best of the others on each machine; none unless there are two. The first record is the page's own."""
    if len(records) < 2:
        return []
    keys = [key for key in records[0][1].get(OURS, {}) if any(key in results.get(OURS, {}) for _, results in records[1:])]
    columns = ["case", "size", "PEs"]
    for number, _ in enumerate(records, 1):
        columns += [f"{number}: ours", "best of the others", "ours / best"]
    rows = [[key[0], str(key[1]), str(key[2]), *(cell for _, results in records for cell in _cells(key, results))]
            for key in sorted(keys, key=lambda key: (key[2], key[0], key[1]))]
    names = [[str(number), machine.name(saved["machine"]), saved["ours"], "yes" if saved.get("busy") else "no"]
             for number, (saved, _) in enumerate(records, 1)]
    return [("Machines", ["", "machine", "our commit", "busy"], names), ("Machines side by side", columns, rows)]


def _cells(key: tuple[str, int, int], results: Results) -> list[str]:
    ours = results.get(OURS, {}).get(key)
    found = [(name, summary) for name, cases in results.items()
             if name not in (OURS, LIMITS) and (summary := cases.get(key)) is not None and summary.ok]
    best = best_of(found)
    return [
        quantity(ours) if ours and ours.ok else "–",
        f"{quantity(best[1])} ({best[0]})" if best else "–",
        ratio(against(ours, best[1]) if ours and ours.ok and best else None),
    ]
