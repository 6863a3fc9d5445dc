"""Cases of a user's own: C files outside of oshbench."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class OwnCases:
    """`files` has the sources for each kind of library, `names` their cases. `alone`: without the cases of oshbench."""

    files: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    kinds: tuple[dict, ...] = ()
    alone: bool = False

    def can(self, kind: str) -> bool:
        """Whether a library of this kind has anything to run."""
        return not self.alone or kind in self.files


NO_CASES = OwnCases()
