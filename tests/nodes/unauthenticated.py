#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""unauthenticated.py ADDRESS PORT N: N processes that do not know a job's secret, at the port of PE 0.

A quarter of the connections is idle, a quarter sends as many bytes as a greeting has and then nothing, a quarter more
bytes than that, and a quarter one byte now and then. Prints "ready" when PE 0 has accepted all, and stays until the
standard input ends. No connection is closed from this side before that.
"""

import os
import selectors
import socket
import sys
import time

NONCE_BYTES = 16          # what PE 0 sends to each connection that it has accepted
SOME_BYTES = 100          # half a greeting
MORE_BYTES = 1 << 12      # more than a greeting


def connect(address, port):
    while True:
        try:
            return socket.create_connection((address, port))
        except ConnectionRefusedError:  # PE 0 has not started yet
            time.sleep(0.01)


def send(one, data):
    try:
        one.sendall(data)
    except OSError:  # PE 0 has closed it
        pass


def main():
    address, port, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    kept = []
    for i in range(n):
        one = connect(address, port)
        one.settimeout(60)
        accepted = one.recv(NONCE_BYTES, socket.MSG_WAITALL)
        assert len(accepted) == NONCE_BYTES, "PE 0 has not accepted a connection"
        kept.append(one)
        if i % 4 in (1, 2):
            send(one, os.urandom(SOME_BYTES if i % 4 == 1 else MORE_BYTES))
    print("ready", flush=True)
    watch = selectors.DefaultSelector()
    watch.register(sys.stdin, selectors.EVENT_READ)
    while not watch.select(0.1):
        for one in kept[3::4]:
            send(one, b"x")


if __name__ == "__main__":
    main()
