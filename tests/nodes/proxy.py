#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""proxy.py FROM_PORT ADDRESS PORT WAY FAULT NUMBER: a host between a PE and PE 0.

Passes each connection to FROM_PORT on to ADDRESS:PORT, and commits one FAULT (flip-head, flip-body, replay, drop, none)
in the first connection: at message NUMBER, counted from 0, of the direction WAY (pe or hub). Runs until it is killed.
"""

import socket
import struct
import sys
import threading

NONCE_BYTES, PROOF_BYTES = 16, 16
HELLO_BYTES = 8 + 4 * 4 + 240 + 16  # src/bootstrap/wire.hpp
HEAD = struct.Struct("<IiiIQ16s16s")


class Ended(Exception):
    pass


def take(one, n):
    data = one.recv(n, socket.MSG_WAITALL) if n else b""
    if len(data) < n:
        raise Ended
    return data


def flipped(data):
    return bytes([data[0], data[1] ^ 4]) + data[2:]


def pass_messages(source, target, fault, number):
    """Passes messages on; they follow the handshake."""
    i = 0
    while True:
        head = take(source, HEAD.size)
        body = take(source, HEAD.unpack(head)[4])
        strikes = i == number or (fault == "flip-body" and number <= i and body)
        if strikes and fault == "drop":
            i += 1
            continue
        if strikes and fault == "flip-head":
            head = head[:8] + flipped(head[8:])
        if strikes and fault == "flip-body" and body:
            body, number = flipped(body), 1 << 30
        target.sendall(head + body)
        if strikes and fault == "replay":
            target.sendall(head + body)
        i += 1


def passing(*how):
    try:
        pass_messages(*how)
    except (Ended, OSError):
        for one in how[:2]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(pe, hub, way, fault, number):
    hub_first = take(hub, NONCE_BYTES)
    pe.sendall(hub_first)
    hub.sendall(take(pe, HELLO_BYTES + PROOF_BYTES))
    pe.sendall(take(hub, PROOF_BYTES))
    for name, source, target in (("pe", pe, hub), ("hub", hub, pe)):
        how = (source, target, fault if name == way else "none", number)
        threading.Thread(target=passing, args=how, daemon=True).start()


def main():
    port, address, to, way, fault, number = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", int(port)))
    print("ready", flush=True)
    while True:
        pe, _ = listener.accept()
        try:
            hub = socket.create_connection((address, int(to)))
        except ConnectionRefusedError:  # PE 0 does not listen yet, so the PE tries again
            pe.close()
            continue
        serve(pe, hub, way, fault, int(number))
        fault = "none"


if __name__ == "__main__":
    main()
