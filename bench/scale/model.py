#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A model of Oshen's scaling: start-up, barrier, reduce, alltoall and the FFT's remap for 2 to 1 M PEs.

  model.py [--pes-of-node M] [--fabric tcp|published] [--svg FILE]
  model.py [--pes-of-node M] --crowd                                 virtual nodes on the CPUs of one machine

The model is LogGP (Alexandrov et al., SPAA 1995, doi:10.1145/215399.215427) in two levels; docs/design/scale.md
explains it. Its messages are those of the schedules; tests/stress/scale/model_test.py compares them with the messages
that a hook counts. """

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from dataclasses import dataclass
from pathlib import Path

FLAG = 8           # bytes
CELL = 432         # payload of a step slot, beside its flag
PLACES = 8 * 1024  # room for longer payloads of reductions, of all steps together
ROOM = 64 * 1024   # room for an alltoall by leaders
PIECE = 32 * 1024  # chunk of a reduction


@dataclass(frozen=True)
class Fabric:
    """Costs in nanoseconds; messages and bytes are those of one node's link."""
    name: str
    latency: float      # from raising a flag on one node to seeing it on another
    message: float      # from one message of a node to its next
    byte: float
    line: float = 100   # from writing a cache line on one CPU to seeing it on another CPU of the node
    copy: float = 0.06  # for a byte that another CPU has written


FABRICS = {
    # The defaults of the cost model (src/coll/collective.hpp), for TCP between two machines.
    "tcp": Fabric("tcp", 20000, 4000, 0.4),
    # A card with 0.6 us, 215 million messages/s and 200 Gb/s (ConnectX-6 product brief), and three switches of 0.35 us
    # each (De Sensi et al., SC 2020, doi:10.1109/SC41405.2020.00039).
    "published": Fabric("published", 600 + 3 * 350, 1000 / 215, 8 / 200),
}


@dataclass(frozen=True)
class Sent:
    """The messages and bytes of all PEs over the network."""
    puts: int = 0
    questions: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Job:
    """`pes` PEs, numbered node by node, with `of_node` on each node; the last node may have fewer."""
    pes: int
    of_node: int

    @property
    def nodes(self) -> int:
        return -(-self.pes // self.of_node)

    def size(self, node: int) -> int:
        return min(self.of_node, self.pes - node * self.of_node)

    def far(self, distance: int) -> int:
        """The number of PEs that signal a PE of another node, if each PE signals the PE at this distance in the
        team."""
        return sum(1 for pe in range(self.pes) if pe // self.of_node != (pe + distance) % self.pes // self.of_node)


def rounds(n: int) -> int:
    return max(0, (n - 1).bit_length())


# ---- messages -----------------------------------------------------------------------------------------------------


def has_place(step: int, size: int) -> bool:
    """Whether the payload of this step of a reduction fits into room that is always free at the receiver."""
    return size <= CELL or step * -(-size // 64) * 64 + size <= PLACES


def messages(times: int, size: int, asked: bool = False) -> Sent:
    """`times` messages of one size, each followed by a flag. `asked`: the receiver first sends a flag when it has
    room."""
    ready = times if asked else 0
    return Sent(2 * times + ready, 0, times * (size + FLAG) + ready * FLAG)


def sync_flat(j: Job) -> Sent:
    flags = sum(j.far(1 << r) for r in range(rounds(j.pes)))
    return Sent(flags, 0, flags * FLAG)


def sync(j: Job) -> Sent:
    flags = j.nodes * rounds(j.nodes)
    return Sent(flags, 0, flags * FLAG)


def broadcast(j: Job, size: int) -> Sent:
    return messages(j.nodes - 1, size)


def reduce(j: Job, size: int) -> Sent:
    """Recursive doubling among leaders. Nodes beyond a power of two first send their data to another node, and get the
    result at the end. Valid up to one chunk."""
    power = 1 << (j.nodes.bit_length() - 1)
    folded = messages(j.nodes - power, size, not has_place(0, size))
    traded = [messages(power, size, not has_place(step, size)) for step in range(1, rounds(power) + 1)]
    told = messages(j.nodes - power, size)
    sent = [folded, *traded, told]
    return Sent(sum(one.puts for one in sent), 0, sum(one.bytes for one in sent))


def fcollect(j: Job, size: int) -> Sent:
    """Bruck's algorithm among leaders. Blocks are in the order of nodes, so that a message is one put, or two if it
    wraps around."""
    puts = total = 0
    width = 1
    while width < j.nodes:
        count = min(width, j.nodes - width)
        for node in range(j.nodes):
            blocks = [(node - i) % j.nodes for i in range(count)]
            puts += 1 + (2 if blocks[-1] > blocks[0] else 1)
            total += sum(map(j.size, blocks)) * size + FLAG
        width *= 2
    return Sent(puts, 0, total)


def alltoall(j: Job, size: int) -> Sent:
    puts = total = 0
    for node in range(j.nodes):
        for other in range(j.nodes):
            if node != other:
                together = j.size(node) * j.size(other) * size
                one = messages(1, together, together > CELL)
                puts, total = puts + one.puts, total + one.bytes
    return Sent(puts, 0, total)


def syncs_of_packed(j: Job, size: int) -> int:
    """The syncs of an alltoall by all PEs, on nodes of equal size; 0 if a message does not fit into the receiver's
    room."""
    together = min(j.nodes, ROOM // max(1, j.of_node * size))
    return 1 + -(-(j.nodes - 1) // together) if together else 0


def alltoall_packed(j: Job, size: int) -> Sent:
    """Each PE sends one message to each other node: a put and an atomic addition. Nodes have equal sizes."""
    times, syncs = j.pes * (j.nodes - 1), syncs_of_packed(j, size)
    flags = syncs * sync(j).puts
    return Sent(times + flags, times, times * (j.of_node * size + FLAG) + flags * FLAG)


# ---- times, in nanoseconds ----------------------------------------------------------------------------------------


def within(f: Fabric, pes: int, steps: float = 2) -> float:
    """The part within a node: some steps of a flag, and the leader's test of each PE's flag."""
    return steps * f.line + 0.5 * f.line * pes if pes > 1 else 0


def sync_time(j: Job, f: Fabric) -> float:
    return within(f, min(j.pes, j.of_node)) + rounds(j.nodes) * (f.latency + f.message)


def sync_flat_time(j: Job, f: Fabric) -> float:
    """Every round crosses the network, and the flags of a node share its link."""
    if j.nodes == 1:
        return 1.5 * f.line * rounds(j.pes)
    return rounds(j.pes) * (f.latency + j.of_node * f.message)


def reduce_time(j: Job, f: Fabric, size: int) -> float:
    near = min(j.pes, j.of_node)
    asked = sum(1 for step in range(1, rounds(j.nodes) + 1) if not has_place(step, size))
    each = f.latency + 2 * f.message + size * f.byte
    return within(f, near, 3.6) + 4 * near * size * f.copy + rounds(j.nodes) * each + asked * f.latency


def alltoall_time(j: Job, f: Fabric, size: int) -> float:
    """The fastest of three ways: a message for each PE, all at once; a message for each node by each PE; or a message
    for each node by leaders. The last two only if the messages fit into the room for them."""
    near = min(j.pes, j.of_node)
    far = j.pes - near
    leaving = near * far * size * f.byte
    flat = (f.latency if far else 0) + 2 * near * far * f.message + leaving + near * near * size * f.copy
    if syncs := syncs_of_packed(j, size) if far and near > 1 else 0:
        packed = f.latency + 2 * near * (j.nodes - 1) * f.message + leaving + 2 * far * size * f.copy
        flat = min(flat, packed + syncs * sync_time(j, f))
    if near * j.pes * size > ROOM or j.nodes > 28:
        return flat
    led = 2 * f.latency + 3 * (j.nodes - 1) * f.message + leaving + 2 * near * j.pes * size * f.copy \
        + within(f, near, 4)
    return min(flat, led) if far else flat


def remap_time(j: Job, f: Fabric, points: int) -> float:
    """A remap between pencils: a PE sends all its data (16 bytes per point) except its own part to sqrt(P) partners."""
    partners = max(1, math.isqrt(j.pes))
    each = 16 * points**3 / j.pes
    near = min(j.pes, j.of_node)
    far = max(0.0, 1 - near / partners) if j.nodes > 1 else 0.0
    over = near * (far * partners * 2 * f.message + far * each * f.byte) + (f.latency if far else 0)
    return over + each * f.copy * 2 + partners * f.line


# Start-up by the hub: bytes of each PE in each round, as src/startup gathers them. Round 1 brings the PE's place in the
# tree; round 2 waits for the tree.
START_BLOCKS = (0, 240, 64, 1, 1)     # the tree, PE info, the segment's offer, attached (2)
NETWORK_BLOCKS = (1, 4, 128, 64, 4)   # the transport is open, length of an address, address, host, node
HEAD = 56                             # of a message
HANDSHAKE = 32                        # sent to each PE
REFERRAL = 248                        # where the parent of a PE listens
DEGREE = 2                            # children of a PE on its host; of a host in the tree of hosts


def depth(n: int) -> int:
    """Levels below the root of a tree of n with two children each."""
    return n.bit_length() - 1


def start_bytes_of_pe_0(pes: int, hosts: int, blocks: list[int]) -> int:
    """The messages of PE 0 in round 1, and in one further round for each of `blocks`: to itself and to its children."""
    on_host = -(-pes // hosts)
    receivers = 1 + min(DEGREE, on_host - 1) + min(DEGREE, hosts - 1)
    first = HANDSHAKE * (pes - 1) + pes * (HEAD + REFERRAL)
    return first + sum(receivers * (HEAD + pes * block) for block in blocks)


FORK = 1.0e6           # a process: fork, exec, the loader
CONTROL = 16 * 1024    # touched at start-up


def start_time(j: Job, f: Fabric) -> float:
    """Processes of a node start one after the other per CPU (a CPU each: at once, but the launcher forks in a row). In
    each round every PE sends its block to PE 0, and the result goes down the tree: hosts first, then the PEs of a host.
    A PE forwards a result after it has received all of it."""
    near = min(j.pes, j.of_node)
    blocks = (0, *START_BLOCKS, *(NETWORK_BLOCKS if j.nodes > 1 else ()), 0)
    total = sum(blocks) * j.pes
    if j.nodes == 1:
        gather = len(blocks) * (f.line * (near + 2 * DEGREE * depth(near)))
    else:
        up = f.latency + j.pes * f.message
        gather = len(blocks) * (up + depth(j.nodes) * (f.latency + DEGREE * f.message) + DEGREE * depth(near) * f.line)
        gather += (total + (HANDSHAKE + REFERRAL) * j.pes) * f.byte + DEGREE * depth(j.nodes) * total * f.byte
    return 2 * FORK + 0.1 * FORK * near + gather + DEGREE * depth(near) * total * f.copy


def memory(j: Job) -> float:
    """Bytes touched by each PE after start-up and the first small collectives (docs/design/node-segment.md): a fixed
    part, private data on each PE's node and connection, and its share of the addresses."""
    near = min(j.pes, j.of_node)
    fixed = CONTROL + 180 * 1024
    return fixed if j.nodes == 1 else fixed + 5 * j.pes + 49 * j.pes / near


# ---- many PEs on the CPUs of one machine ---------------------------------------------------------------------------
#
# All nodes of the job are virtual, and share a few CPUs. So the CPU time of all PEs counts, not the latency of a
# message.


@dataclass(frozen=True)
class Crowd:
    """CPU times in nanoseconds."""
    cpus: int
    overhead: float  # o of LogGP for both ends: a put over `loop` is sent, received and acknowledged
    turn: float      # a waiting PE gets the CPU, tests, makes progress, and yields or sleeps
    process: float   # fork, exec, loader, and the part of shmem_init that does not depend on the other PEs
    record: float    # a PE reads the record of another one in one round of start-up


CROWD = Crowd(cpus=2, overhead=11000, turn=9000, process=5e6, record=100)


def crowd_start_time(j: Job, c: Crowd) -> float:
    """A round has two barriers, and each PE sleeps in both. Between them it reads the records of all PEs."""
    in_rounds = len(START_BLOCKS) + len(NETWORK_BLOCKS)
    return j.pes * (c.process + in_rounds * (2 * c.turn + j.pes * c.record)) / c.cpus


def crowd_sync_time(j: Job, c: Crowd) -> float:
    """Waiting PEs yield, so each step of the schedule takes a turn of every PE: two in the node, and those of
    leaders."""
    return ((2 + rounds(j.nodes)) * j.pes * c.turn + sync(j).puts * c.overhead) / c.cpus


def crowd_table(of_node: int) -> str:
    lines = ["| PEs | nodes | start-up | barrier |", "|---|---|---|---|"]
    for pes in (256, 512, 1024, 2048, 4096):
        j = Job(pes, of_node)
        times = [duration(curve(j, CROWD)) for curve in (crowd_start_time, crowd_sync_time)]
        lines.append(f"| {pes} | {j.nodes} | " + " | ".join(times) + " |")
    return "\n".join(lines)


# ---- output ---------------------------------------------------------------------------------------------------------

CURVES = {
    "start-up": start_time,
    "barrier, two levels": sync_time,
    "barrier, flat": sync_flat_time,
    "reduce 8 B": lambda j, f: reduce_time(j, f, 8),
    "reduce 1 MiB": lambda j, f: reduce_time(j, f, 1 << 20),
    "alltoall 8 B": lambda j, f: alltoall_time(j, f, 8),
    "remap 1024^3": lambda j, f: remap_time(j, f, 1024),
}


def sizes() -> list[int]:
    return [1 << power for power in range(1, 21)]


def duration(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def table(f: Fabric, of_node: int) -> str:
    lines = ["| PEs | nodes | " + " | ".join(CURVES) + " | memory |", "|---" * (len(CURVES) + 3) + "|"]
    for pes in sizes()[::3] + [1 << 20]:
        j = Job(pes, of_node)
        times = [duration(curve(j, f)) for curve in CURVES.values()]
        lines.append(f"| {pes} | {j.nodes} | " + " | ".join(times) + f" | {memory(j) / 1024:.0f} KiB |")
    return "\n".join(lines)


def digest(f: Fabric, of_node: int) -> str:
    """A hash of all numbers that the picture shows, which is stored in the picture."""
    told = "".join(f"{name} {curve(Job(pes, of_node), f):.4g}\n" for name, curve in CURVES.items() for pes in sizes())
    return "model " + hashlib.sha256(told.encode()).hexdigest()[:16]


def svg(f: Fabric, of_node: int) -> str:
    """Time against PEs, both logarithmic."""
    sys.path.append(str(Path(__file__).resolve().parents[2] / "tools/shared"))
    from oshen_figures import style
    figure, axes = style.canvas(4.4)
    names = list(CURVES)
    colours, markers = style.colours(names), style.markers(names)
    for name, curve in CURVES.items():
        axes.plot(sizes(), [curve(Job(pes, of_node), f) for pes in sizes()], color=colours[name], marker=markers[name],
                  markevery=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel=f"PEs, {of_node} to a node, {f.name}", ylim=(1e2, 1e11))
    axes.set_xticks([1 << power for power in range(0, 21, 4)], ["1", "16", "256", "4 Ki", "64 Ki", "1 Mi"])
    axes.set_yticks([1e3, 1e6, 1e9], ["1 µs", "1 ms", "1 s"])
    axes.minorticks_off()
    style.legend_below(figure, *axes.get_legend_handles_labels())
    return style.alone(figure, digest(f, of_node))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pes-of-node", type=int, default=64)
    parser.add_argument("--fabric", choices=FABRICS, default="published")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--crowd", action="store_true", help="all nodes are virtual, and share two CPUs")
    options = parser.parse_args()
    if options.pes_of_node < 1:
        parser.error("--pes-of-node: a number of PEs, from 1 on")
    print(crowd_table(options.pes_of_node) if options.crowd else table(FABRICS[options.fabric], options.pes_of_node))
    if options.svg:
        options.svg.write_text(svg(FABRICS[options.fabric], options.pes_of_node))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
