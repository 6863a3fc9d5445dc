"""Every collective at 8 B, 1 KiB, 64 KiB and 1 MiB, on two PEs with a CPU each and on eight PEs that share two CPUs. 32
PEs go up to 64 KiB and 128 PEs up to 1 KiB, because larger blocks need more memory than machines of two CPUs have."""

from __future__ import annotations

from ...libraries.launch import Effort
from ..profile import KIB, MIB, Part, Profile

SIZES = (8, KIB, 64 * KIB, MIB)
OPERATIONS = ("broadcast", "sum", "collect", "fcollect", "alltoall", "alltoalls", "inscan", "exscan")
CASES = ",".join(["barrier_all", *(f"{name}*" for name in OPERATIONS)])


def crowd(pes: int, batches: int, batch_us: int, sizes: tuple[int, ...] = (), **more: bool) -> Part:
    """The timeout keeps the results that MPICH has until then."""
    return Part("cases", (pes,), Effort(batches, batch_us, CASES, False, sizes), 60, **more)


PROFILES = {
    "collectives": Profile("every collective from 2 to 128 PEs beside our goals; an hour for four libraries", 5, (
        Part("cases", (2,), Effort(15, 300, CASES, False), 120),
        crowd(8, 4, 3000),
        crowd(32, 4, 10000, SIZES[:3], spinners=False),
        crowd(128, 3, 20000, SIZES[:2], spinners=False),
    )),
}
