# SPDX-License-Identifier: BSD-3-Clause
"""Saves samples to a JSON file, to be inspected or drawn later, and loads them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .measurement import Measurement
from .points import Point, Team
from .tools import Failed


def save(path: Path, points: list[Point], made: Measurement, costs: dict[str, float]) -> None:
    rows = [{"n_pes": p.team.n_pes, "cpu_for_each": p.team.cpu_for_each, "nodes": p.team.nodes,
             "collective": p.collective,
             "setting": p.setting, "bytes": p.bytes, "incumbent": p.incumbent, "designs": p.designs,
             "nanoseconds": p.samples} for p in points]
    text = ",\n".join(json.dumps(row) for row in rows)
    about = json.dumps(asdict(made)).strip("{}")
    path.write_text(f'{{{about}, "costs": {json.dumps(costs)}, "points": [\n{text}\n]}}\n')


def load(path: Path) -> tuple[list[Point], Measurement, dict[str, float]]:
    try:
        known = json.loads(path.read_text())
        teams: dict[int, Team] = {}
        points = [Point(teams.setdefault(row["n_pes"],
                                         Team(row["n_pes"], row["cpu_for_each"], {}, row.get("nodes", 1))),
                        row["collective"], row["setting"], row["bytes"], row["incumbent"], row["designs"],
                        row["nanoseconds"])
                  for row in known["points"]]
        about = {name: known[name] for name in Measurement.__dataclass_fields__ if name in known}
        return points, Measurement(**about), known["costs"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failed(f"{path}: not a file of samples of oshtune ({error})") from error
