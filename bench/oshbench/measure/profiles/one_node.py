"""All cases on one node: two PEs with a CPU each, and more PEs than CPUs."""

from __future__ import annotations

from ...libraries.launch import Effort
from ..profile import Part, Profile

CROWD_CASES = "barrier_all,sync_all,p_wait,p_wait_pairs,sum,team.split_strided"
def crowd(pes: tuple[int, ...], batch_us: int, **more: bool) -> Part:
    return Part("cases", pes, Effort(5, batch_us, CROWD_CASES, True), 40, **more)


PROFILES = {
    "one-node": Profile("every case on one node beside our goals; half an hour for four libraries", 7, (
        Part("limits", effort=Effort(15, 300, "*", False), timeout=180, fixed=True),
        Part("cases", (2,), Effort(15, 300, "*", False), 600),
        crowd((8,), 5000),
        crowd((32, 128), 20000, spinners=False),
        Part("hello", (64,), timeout=180, rounds=5, fixed=True),
    )),
}
