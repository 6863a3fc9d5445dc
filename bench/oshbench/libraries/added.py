"""Libraries that the user added with `oshbench libs --add`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .library import Library, from_dict


def named_file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "oshbench" / "libraries.json"


def named() -> list[Library]:
    try:
        return [from_dict(entry) for entry in json.loads(named_file().read_text())]
    except FileNotFoundError:
        return []


def remember(library: Library) -> None:
    kept = [other for other in named() if other.name != library.name] + [library]
    named_file().parent.mkdir(parents=True, exist_ok=True)
    named_file().write_text(json.dumps([entry.to_dict() for entry in kept], indent=1) + "\n")


def forget(name: str) -> bool:
    kept = [other for other in named() if other.name != name]
    known = len(kept) < len(named())
    if known:
        named_file().write_text(json.dumps([entry.to_dict() for entry in kept], indent=1) + "\n")
    return known
