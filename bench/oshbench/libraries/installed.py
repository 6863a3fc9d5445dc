"""Searches this machine for programs of one name."""

from __future__ import annotations

import os
from pathlib import Path


def everywhere(program: str, more: list[Path] | None = None) -> list[str]:
    """All programs of this name: in PATH, then in /opt, /usr/local and `more`; each once."""
    folders = [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    for root in (Path("/opt"), Path("/usr/local")):
        folders += sorted(root.glob("*/bin")) + sorted(root.glob("*/*/bin"))
    folders += more or []
    found: dict[Path, str] = {}
    for folder in folders:
        path = folder / program
        if os.access(path, os.X_OK):
            found.setdefault(path.resolve(), str(path))
    return list(found.values())
