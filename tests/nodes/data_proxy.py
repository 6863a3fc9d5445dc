#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""data_proxy.py FAULT AT PORT=ADDRESS ...: a host between the PEs of a job, for their data.

Passes each connection to a PORT on to the same port of its ADDRESS. When an initiator has sent AT bytes, it commits one FAULT:
  none     nothing
  flip     changes a byte
  repeat   sends bytes twice
  skip     leaves bytes out
  cut      closes both connections
  replay   opens another connection, and sends everything that the initiator has sent
Runs until it is killed.
"""

import socket
import sys
import threading

FAULT, AT = sys.argv[1], int(sys.argv[2])
ROUTES = [route.split("=") for route in sys.argv[3:]]
MOST = 1 << 16


def altered(data, fault):
    middle = len(data) // 2
    match fault:
        case "flip":
            return data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1:]
        case "repeat":
            return data + data
        case "skip":
            return b""
    return data


def replay(target, recorded):
    with socket.create_connection(target) as again:
        try:
            again.sendall(recorded)
            while again.recv(MOST):
                pass
        except ConnectionResetError:  # with bytes that nobody reads
            pass
    print("refused", flush=True)


def close(*connections):
    for one in connections:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def pass_bytes(source, to, fault):
    sent, recorded = 0, b""
    try:
        while data := source.recv(MOST):
            sent += len(data)
            recorded += data if fault == "replay" else b""
            strikes = fault and sent >= AT
            to.sendall(altered(data, fault if strikes else None))
            if not strikes:
                continue
            if fault == "cut":
                break
            if fault == "replay":
                threading.Thread(target=replay, args=(to.getpeername(), recorded), daemon=True).start()
            fault = None
    except OSError:
        pass
    close(source, to)


def serve(listener, address, port):
    while True:
        initiator, _ = listener.accept()
        acceptor = socket.create_connection((address, port))
        for source, to, fault in ((initiator, acceptor, FAULT), (acceptor, initiator, None)):
            threading.Thread(target=pass_bytes, args=(source, to, fault), daemon=True).start()


def main():
    threads = []
    for port, address in ROUTES:
        listener = socket.create_server(("", int(port)))
        threads.append(threading.Thread(target=serve, args=(listener, address, int(port))))
        threads[-1].start()
    print("ready", flush=True)


if __name__ == "__main__":
    main()
