"""Libraries that keep the CPU while they wait."""

from __future__ import annotations

# With more processes than CPUs these libraries keep the CPU while they wait, so their rows measure time slices.
SPINNERS = ("mpich", "impi", "mvapich")
SPINNING = ("† spins while it waits: with more processes than CPUs this is the length of time slices, not of the "
            "operation.")


def spins(name: str, pes: int) -> bool:
    """Whether a library spins where PEs share CPUs."""
    return pes > 2 and name.startswith(SPINNERS)
