"""The profiles of `oshbench run`. Each module here declares some; a checkout has more (bench/record)."""

from __future__ import annotations

from ..profile import Part, Profile, effort
from . import collectives, footprint, one_node, papers, suites

PROFILES: dict[str, Profile] = {}
for _module in (suites, papers, one_node, collectives, footprint):
    PROFILES |= _module.PROFILES


# Names for several profiles.
GROUPS = {"papers": tuple(papers.PROFILES)}


def single(case: str, pes: tuple[int, ...], sizes: tuple[int, ...], rounds: int,
           args: tuple[str, ...] = ()) -> Profile:
    """A profile of one case, or of a pattern of cases."""
    first = case.split(",")[0]
    if first.startswith("app."):
        parts = tuple(Part(f"app:{name.removeprefix('app.')}", pes, args=args) for name in case.split(","))
    elif first.startswith(("memory.", "start.")):
        parts = (Part("stages", pes),)
    else:
        program = "cases" if not first.startswith("mt_") else "threads-single" if first.endswith(".single") \
            else "threads"
        parts = (Part(program, pes, effort(case, 15, 300, quick=False, sizes=sizes), 300),)
    return Profile(f"the case {case}", rounds, parts)
