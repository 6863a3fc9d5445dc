"""A checkout adds its recorder (bench/record) to the tool: profiles, options and commands. An installation adds
nothing."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..libraries.library import Library
from ..report.grids import Grid
from ..results.rows import Table
from ..results.run import Run
from . import profiles
from .profile import Profile


class Extension:
    """Adds nothing; the recorder overrides what it needs."""

    def profiles(self) -> dict[str, Profile]:
        return profiles.PROFILES

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names for several profiles."""
        return profiles.GROUPS

    def add_options(self, command: argparse.ArgumentParser) -> None:
        """Options of `oshbench run`."""

    def add_commands(self, commands) -> None:
        """Commands beside those of the tool."""

    def settings(self, args: argparse.Namespace) -> dict:
        """Options of single profiles (campaign.Setup.options)."""
        return {}

    def words(self, args: argparse.Namespace) -> list[str]:
        """Its options as they were given, for the command line that a run remembers."""
        return []

    def our_commit(self, args: argparse.Namespace) -> str:
        return "?"

    def output(self, args: argparse.Namespace) -> Path | None:
        """The file of a run without -o, if it is not the usual one."""
        return None

    def check(self, args: argparse.Namespace, profile: Profile | None) -> None:
        """Refuses what cannot be measured as asked. `profile` is None if cases are named."""

    def unfinished(self, args: argparse.Namespace) -> Run | None:
        """An interrupted run that this one continues without --resume."""
        return None

    def note_load(self, args: argparse.Namespace, run: Run, other_load: str) -> None:
        """Remembers that other programs used the machine during the run."""
        run.busy = run.busy or bool(other_load)

    def grids(self, run: Run, table: Table) -> list[Grid]:
        """Tables to print after a run."""
        return []

    def finish(self, args: argparse.Namespace, run: Run) -> list[Path]:
        """Files that it has written from a complete run."""
        return []

    def verify(self, bench: Path, work: Path, library: Library, peer: bool) -> bool:
        """Further proofs of `oshbench verify`: whether all faults were noticed."""
        return True
