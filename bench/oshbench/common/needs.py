"""Python packages that only some commands need."""

from __future__ import annotations

import importlib.util


class Missing(RuntimeError):
    """A Python package that is not installed."""


def demand(command: str, *packages: str) -> None:
    lacking = [name for name in packages if importlib.util.find_spec(name) is None]
    if lacking:
        raise Missing(f"oshbench {command} needs {', '.join(lacking)}: pip install {' '.join(lacking)}; "
                      "run, list, libs, doctor and import need nothing")
