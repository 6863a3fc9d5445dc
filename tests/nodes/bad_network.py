#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bad_network.py INTERFACE FAULT NUMBER ADDRESS ADDRESS: the network between two hosts that send all their packets here.

FAULT is one of
  delay     each packet comes up to NUMBER ms late, so packets overtake each other
  lose      NUMBER percent of the packets are lost
  reorder   NUMBER percent of the packets come 3 ms late
  repeat    NUMBER percent of the packets come twice
Segments that the kernel has not divided yet count as one packet. Runs until it is terminated, and then prints the number of packets to which
the fault has happened.
"""

import heapq
import os
import random
import select
import signal
import socket
import struct
import sys
import time

INTERFACE, FAULT, NUMBER = sys.argv[1], sys.argv[2], float(sys.argv[3])
ADDRESSES = sys.argv[4:]
SOL_PACKET, PACKET_VNET_HDR, ETH_P_IP, OUTGOING = 263, 15, 0x0800, 4
OFFLOAD_BYTES = 10  # of the header that describes a segment that is not divided yet
DEST, ADDRESS = slice(OFFLOAD_BYTES, OFFLOAD_BYTES + 6), slice(OFFLOAD_BYTES + 30, OFFLOAD_BYTES + 34)


def hardware_address(address):
    """Asks the host, as any packet to it would."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_packet:
        for _ in range(100):
            any_packet.sendto(b"", (address, 9))
            time.sleep(0.05)
            for line in open("/proc/net/arp").readlines()[1:]:
                words = line.split()
                if words[0] == address and words[2] == "0x2":
                    return bytes.fromhex(words[3].replace(":", ""))
    sys.exit(f"{address} does not answer")


def delays():
    """The times, in seconds, after which copies of one packet leave."""
    strikes = 100 * random.random() < NUMBER
    match FAULT:
        case "delay":
            return [NUMBER / 1000 * random.random()]
        case "lose":
            return [] if strikes else [0]
        case "reorder":
            return [0.003 if strikes else 0]
        case "repeat":
            return [0, 0] if strikes else [0]


def main():
    random.seed(1)
    n = n_struck = 0

    def end(*_):
        print(n_struck, flush=True)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    to = {socket.inet_aton(address): hardware_address(address) for address in ADDRESSES}
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    link.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    link.bind((INTERFACE, ETH_P_IP))
    own = link.getsockname()[4]
    waiting = []  # (time, number, packet)
    print("ready", flush=True)
    while True:
        while waiting and waiting[0][0] <= time.monotonic():
            link.send(heapq.heappop(waiting)[2])
        limit = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        if not select.select([link], [], [], limit)[0]:
            continue
        packet, (_, _, kind, *_) = link.recvfrom(1 << 17)
        target = to.get(packet[ADDRESS])
        if kind == OUTGOING or target is None or packet[DEST] != own:
            continue
        packet = packet[:OFFLOAD_BYTES] + target + own + struct.pack("!H", ETH_P_IP) + packet[OFFLOAD_BYTES + 14:]
        late = delays()
        n_struck += late != [0]
        for delay in late:
            heapq.heappush(waiting, (time.monotonic() + delay, n := n + 1, packet))


if __name__ == "__main__":
    main()
