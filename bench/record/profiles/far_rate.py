"""The rate of small operations towards another node, over a network that takes no time and over one with the rate of
a card, beside a bare loop of the provider's call in the same process: by one thread at SHMEM_THREAD_SINGLE, and by
several at SHMEM_THREAD_MULTIPLE."""

from __future__ import annotations

import contextlib
import json

from oshbench.common.process import run_bounded
from oshbench.common.text import ratio_text
from oshbench.libraries.launch import Effort, Launch
from oshbench.libraries.library import Library
from oshbench.measure.campaign import Campaign, Setup, Step
from oshbench.measure.profile import Part, Profile
from oshbench.report.grids import Grid
from oshbench.results.rows import OURS, Key, Table
from oshbench.results.run import Run

from ..goals import Bound, Goal
from ..page import Page

PROGRAM, NULL = "bench-far-rate", "tests/nodes/fabric_null"
THREADS, BYTES = (1, 2, 3), 8
CASES = {"far_put_nbi": ("put_nbi", "fi_inject_write"), "far_get_nbi": ("get_nbi", "fi_read"),
         "far_add": ("atomic_add", "fi_inject_atomic")}
AT_LEAST = 0.8  # of the rate of the bare loop
CARD = 10  # million operations a second, which a card executes at most
NETWORKS = {"no time": "nodata", f"a card, {CARD} million": f"nodata,rate={CARD}"}  # the words of FABRIC_NULL


class FarRate(Campaign):
    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        needed = [setup.ours / PROGRAM, setup.ours.parent / NULL / "libfabric.so.1"] if setup.ours else []
        if not needed or not all(file.exists() for file in needed):
            return f"no {PROGRAM} or no fabric_null here: ninja -C build/release {PROGRAM} fabric_null"
        return ""

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library]:
        env = {"LD_LIBRARY_PATH": str(setup.ours.parent / NULL), "OSHEN_TRANSPORT": "ofi:null", "OSHEN_ATOMICS": "card"}
        return [Library(OURS, "shmem", "", (str(setup.ours / "oshrun"), "-n", "{np}", "--nodes", "2"), env)]

    def prepare(self, run: Run) -> None:
        run.libraries[OURS] = {"name": OURS, "kind": "shmem", "version": "Oshen over libfabric without a network"}

    def launch(self, step: Step) -> Launch:
        part, library = self.profile.parts[step.part], self.libraries[step.library]
        (threads,) = part.effort.sizes
        command = library.command(step.pes, str(self.setup.ours / PROGRAM), [str(threads)])
        network = network_of(part)
        ending, said = run_bounded(command, library.env | {"FABRIC_NULL": NETWORKS[network]}, part.timeout)
        records = [record(line, network, step.pes) for line in lines(said)]
        return Launch(records, "", ending, ending == "ok" and bool(records), said[-400:] if ending != "ok" else "")


def lines(said: str) -> list[dict]:
    found = []
    for text in said.splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # other output
            found.append(json.loads(text))
    return found


def name_of(case: str, network: str, threads: int) -> str:
    return f"{case}_by_{threads}" if network == "no time" else f"{case}_of_card_by_{threads}"


def part_name(network: str) -> str:
    return f"far-rate, {network}"


def network_of(part: Part) -> str:
    return next(network for network in NETWORKS if part.program == part_name(network))


def record(line: dict, network: str, pes: int) -> dict:
    """A batch."""
    ours, bare = CASES[line["case"]]
    name = name_of(line["case"], network, line["threads"])
    return {"case": name, "how": ours, "size": BYTES, "pes": pes, "ns": line["ns"], "reference": bare,
            "reference_ns": line["bare_ns"], "ok": line["ok"]}


def million_a_second(ns: float) -> str:
    return f"{1e3 / ns:.3g}"


def rates(table: Table, network: str) -> Grid:
    rows = []
    for case, (ours, bare) in CASES.items():
        for threads in THREADS:
            row = table.get(OURS, {}).get(Key(name_of(case, network, threads), BYTES, 2))
            if row and row.ok and row.reference_ns:
                rows.append([ours, str(threads), million_a_second(row.median), bare,
                             million_a_second(row.reference_ns), ratio_text(1 / row.to_reference)])
            elif row:
                rows.append([ours, str(threads), "WRONG", bare, "–", "–"])
    return (f"Operations of 8 bytes, in millions a second: {network}",
            ["operation", "threads", "Oshen", "bare call", "bare loop", "Oshen / bare"], rows)


def tables(_: Run, table: Table) -> list[Grid]:
    return [rates(table, network) for network in NETWORKS]


BOUND = Bound(f"≥ {AT_LEAST} × the bare loop", 1 / AT_LEAST, lambda goal, table: goal.row(table).to_reference)
PROFILES = {
    "far-rate": Profile("operations a second towards another node, beside bare calls of the provider", 5, tuple(
        Part(part_name(network), (2,), Effort(sizes=(threads,)), 120, fixed=True)
        for network in NETWORKS for threads in THREADS
    ), tables=tables, campaign=lambda: FarRate),
}
ABOUT = (
    "The network is tests/nodes/fabric_null: a call of the provider moves the bytes and counts. Where it takes no "
    f"time, the rate is the library's own limit. The card executes {CARD} million operations a second and has a queue "
    "of 256; it refuses what does not fit. Every batch of 20 000 operations and a quiet has a batch of bare calls "
    "beside it, which ends when the provider's counter has met. Several threads share the default context, and the "
    "bare endpoint.")
PAGES = {"far-rate": Page("Rate of operations between nodes", tables, ABOUT, goals=tuple(
        Goal(f"{ours}, one thread, {network}", Key(name_of(case, network, 1), BYTES, 2), BOUND)
        for network in NETWORKS for case, (ours, _) in CASES.items()))}
