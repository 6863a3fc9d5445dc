#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine, made of Linux namespaces, for tests and demonstrations.

  lab.py N COMMAND ...          runs COMMAND on host h1 of a laboratory of N hosts; exits with its status
  lab.py --probe                status 0 if laboratories can be made here, else prints the reason

Each host h1 ... hN has its own network (10.78.0.1 ... on one switch), host name, process numbers, System V memory, /tmp
and /dev/shm; the other files are shared, as on a cluster. An entry of /tmp or /dev/shm is shared too if it holds this
checkout, the working folder, or a file that the command line or the environment names. The variable LAB_AGENT of
COMMAND names a replacement of ssh:
  $LAB_AGENT [ssh options] HOST COMMAND ...

The hosts are inside the PID namespace of one process. When that process ends, for any reason, the kernel ends
everything in the laboratory. Nothing in it has a name that could be left behind. """

from __future__ import annotations

import array
import ctypes
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve()
# on each host, because launchers take a space in the path of an agent for the end of the path
AGENT = Path("/tmp/agent")
PR_SET_PDEATHSIG = 1
PRIVATE = ("/tmp", "/dev/shm")  # folders of which each host has its own
SPACES = ["--net", "--uts", "--ipc", "--mount", "--pid"]
os.environ["PATH"] += ":/usr/sbin:/sbin"


def address(host: str) -> str:
    return "10.78.0." + host.removeprefix("h")


def name(host: str) -> str:
    """h2 of h2, 10.78.0.2 or user@h2."""
    host = host.rpartition("@")[2]
    return "h" + host.rpartition(".")[2].removeprefix("h")


def outer() -> list[str]:
    """The command that makes the namespaces of the laboratory."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def obstacle() -> str | None:
    """The reason why no laboratory can be made here; None if it can."""
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    attempt = subprocess.run([*outer(), "sh", "-c",
                              "ip link add probe type bridge && ip link add end0 type veth peer name end1"],
                             capture_output=True, text=True)
    return None if attempt.returncode == 0 else "namespaces are refused: " + attempt.stderr.strip().replace("\n", "; ")


def entries_in_use() -> list[str]:
    """The entries of private folders that the programs of a laboratory need, so that a checkout works at any path."""
    paths = [__file__, str(HERE), os.getcwd(), os.environ.get("PWD", ""), sys.executable, *sys.argv, *sys.path]
    for value in os.environ.values():
        paths += re.split("[:;]", value)
    paths += [os.path.realpath(path) for path in paths if path]
    roots = "|".join(PRIVATE)
    found = {match[0] for path in paths if (match := re.match(f"({roots})/[^/]+", os.path.normpath(path)))}
    return sorted(entry for entry in found - {str(AGENT)} if os.path.exists(entry))


def is_shared(path: str | Path) -> bool:
    """Whether the hosts of a laboratory see this file."""
    path = os.path.realpath(path) + "/"
    return not path.startswith(tuple(root + "/" for root in PRIVATE)) \
        or path.startswith(tuple(e + "/" for e in entries_in_use()))


# ---- inside: process 1 of the laboratory --------------------------------------------------------------------------


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def private_folder(root: str, new: str, shared: list[str], folder: str) -> str:
    """The shell command that gives a host a `root` of its own, in which the shared entries of the old one stay
    visible."""
    steps = [f"mkdir -p {new}", f"mount -t tmpfs -o mode=1777 tmpfs {new}"]
    for entry in shared:
        if not entry.startswith(root + "/"):
            continue
        old, at = shlex.quote(entry), shlex.quote(new + entry.removeprefix(root))
        steps.append(f"mkdir {at}" if os.path.isdir(entry) else f"touch {at}")
        # The laboratory's folder holds the private folders themselves, which must not appear in each other.
        steps.append(f"mount {'--bind' if entry == folder else '--rbind'} {old} {at}")
    return " && ".join([*steps, f"mount --rbind {new} {root}"])


class Host:
    """A process with namespaces of its own, which keeps them alive."""

    def __init__(self, host: str, folder: str, shared: list[str]) -> None:
        self.name = host
        own = [private_folder(root, f"{folder}/{host}{root}", shared, folder) for root in PRIVATE]
        agent = shlex.quote(str(HERE.parent / "agent"))
        prepare = (f"hostname {host}; {' && '.join(own)} && ln -s {agent} {AGENT} || exit; "
                   "mount -t sysfs sysfs /sys 2>/dev/null; ip link set lo up; echo up; exec sleep infinity")
        self.keeper = subprocess.Popen(["unshare", *SPACES, "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                                        prepare],
                                       cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if self.keeper.stdout.readline() != b"up\n":
            raise RuntimeError(f"{host} does not come up")
        children = Path(f"/proc/{self.keeper.pid}/task/{self.keeper.pid}/children").read_text()
        self.pid = int(children.split()[0])
        ip("link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", str(self.pid))
        ip("link", "set", host, "master", "switch", "up")
        for words in (["addr", "add", address(host) + "/24", "dev", "eth0"], ["link", "set", "eth0", "up"]):
            subprocess.run(["nsenter", "-t", str(self.pid), "--net", "ip", *words], check=True)

    def enter(self, argv: list[str], cwd: str) -> list[str]:
        return ["nsenter", "-t", str(self.pid), *SPACES, "--wd=" + cwd, *argv]


class Server:
    """Runs commands on hosts for clients that connect to a socket; lives until the owner closes the pipe on stdin."""

    def __init__(self, folder: str, n_hosts: int, shared: list[str]) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.without_power: set[str] = set()
        ip("link", "add", "switch", "type", "bridge")
        ip("link", "set", "switch", "up")
        self.hosts = {f"h{i}": Host(f"h{i}", folder, shared) for i in range(1, n_hosts + 1)}
        Path(folder, "hosts").write_text("".join(f"{address(h)} {h}\n" for h in self.hosts) + "127.0.0.1 localhost\n")
        for host in self.hosts.values():
            subprocess.run(host.enter(["mount", "--bind", folder + "/hosts", "/etc/hosts"], "/"), check=True)
        self.listener.bind(folder + "/socket")
        self.listener.listen(64)

    def serve(self) -> None:
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(peer,), daemon=True).start()

    def answer(self, peer: socket.socket) -> None:
        with peer:
            request, descriptors = receive(peer)
            try:
                reply = {"status": getattr(self, "do_" + request.pop("do"))(descriptors, **request)}
            except (OSError, KeyError, subprocess.CalledProcessError) as error:
                reply = {"status": 255, "error": f"{type(error).__name__}: {error}"}
            for descriptor in descriptors:
                os.close(descriptor)
            try:
                peer.sendall(json.dumps(reply).encode())
            except OSError:
                pass  # the client has ended

    def do_run(self, descriptors: list[int], host: str, argv: list[str], env: dict[str, str], cwd: str) -> int:
        stdin, stdout, stderr = descriptors
        command = self.hosts[host].enter(argv, cwd)
        process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, env=env, start_new_session=True)
        while descriptors:
            os.close(descriptors.pop())
        status = process.wait()
        if host in self.without_power:
            threading.Event().wait()  # never replies, like a lost host
        return status

    def found(self, host: str, program: str) -> list[int]:
        """The processes of a host that run `program`, by their numbers in the laboratory."""
        space = os.stat(f"/proc/{self.hosts[host].pid}/ns/pid").st_ino
        pids = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[0].decode() == program and os.stat(entry / "ns/pid").st_ino == space:
                    pids.append(int(entry.name))
            except OSError:
                pass  # the process has ended
        return pids

    def do_processes(self, _descriptors: list[int], program: str, hosts: list[str]) -> int:
        return sum(len(self.found(host, program)) for host in hosts if host not in self.without_power)

    def do_signal(self, _descriptors: list[int], host: str, program: str, number: int) -> int:
        for pid in self.found(host, program):
            os.kill(pid, number)
        return 0

    def do_cable(self, _descriptors: list[int], host: str, state: str) -> int:
        ip("link", "set", host, state)
        return 0

    def do_power_off(self, _descriptors: list[int], host: str) -> int:
        self.do_cable([], host, "down")  # first the cable, because a host that loses power closes no connections
        self.without_power.add(host)
        os.kill(self.hosts[host].pid, signal.SIGKILL)
        return 0


def receive(peer: socket.socket) -> tuple[dict, list[int]]:
    text, control, _, _ = peer.recvmsg(1 << 20, socket.CMSG_SPACE(12))
    descriptors = array.array("i")
    for _, _, data in control:
        descriptors.frombytes(data)
    while not text.endswith(b"\n"):
        text += peer.recv(1 << 20)
    return json.loads(text), list(descriptors)


def inside(folder: str, n_hosts: int, shared: list[str]) -> None:
    server = Server(folder, n_hosts, shared)
    threading.Thread(target=server.serve, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.buffer.read()  # waits until the owner closes the pipe, or dies
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)              # the end of process 1 ends all others


# ---- outside: the users of a laboratory ---------------------------------------------------------------------------


def ask(folder: str, descriptors: tuple[int, ...] = (), **request: object) -> int:
    """Sends one request to the laboratory; returns the status of its reply."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(folder + "/socket")
        control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        text = (json.dumps(request) + "\n").encode()
        sent = peer.sendmsg([text], control)
        if sent < len(text):
            peer.sendall(text[sent:])
        answer = b"".join(iter(lambda: peer.recv(65536), b""))
    if not answer:
        return 255
    reply = json.loads(answer)
    if "error" in reply:
        print("lab:", reply["error"], file=sys.stderr)
    return reply["status"] if reply["status"] >= 0 else 128 - reply["status"]


def end_with_us(parent: int) -> None:
    """For a child of process `parent`, before it executes a program: the kernel ends it together with its parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # which ended before the call
        os._exit(1)


class Lab:
    """N hosts, which exist as long as the `with` block."""

    def __init__(self, n_hosts: int) -> None:
        self.n_hosts = n_hosts
        self.forgotten: set[str] = set()

    def __enter__(self) -> Lab:
        shared = entries_in_use()
        self.folder = tempfile.mkdtemp(prefix="oshen-lab-")
        us = os.getpid()
        self.process = subprocess.Popen(
            [*outer(), sys.executable, str(HERE), "--inside", self.folder, str(self.n_hosts), *shared, self.folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=lambda: end_with_us(us))
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError("the laboratory does not come up: " + (obstacle() or "see above"))
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, **more: str) -> dict[str, str]:
        return {**os.environ, "LAB_AGENT": str(AGENT), "LAB_FOLDER": self.folder, **more}

    def start(self, host: str, argv: list[str], **options: object) -> subprocess.Popen:
        """Starts a process on a host, with the options of Popen."""
        environment = {**self.environment(), **options.pop("env", {})}
        return subprocess.Popen([sys.executable, str(HERE), "--ask", self.folder, host, *argv], env=environment,
                                **options)

    def cut(self, host: str) -> None:
        ask(self.folder, do="cable", host=host, state="down")

    def mend(self, host: str) -> None:
        ask(self.folder, do="cable", host=host, state="up")

    def forget(self, host: str) -> None:
        """Stops counting the processes of this host."""
        self.forgotten.add(host)

    def processes(self, program: str) -> int:
        """The number of processes that run `program`, on all hosts that have power and are not forgotten."""
        hosts = [f"h{i}" for i in range(1, self.n_hosts + 1) if f"h{i}" not in self.forgotten]
        return ask(self.folder, do="processes", program=program, hosts=hosts)

    def signal(self, host: str, program: str, number: int) -> None:
        """Sends a signal to all processes of a host that run `program`."""
        ask(self.folder, do="signal", host=host, program=program, number=int(number))

    def power_off(self, host: str) -> None:
        ask(self.folder, do="power_off", host=host)


def run_on(folder: str, host: str, argv: list[str], env: dict[str, str]) -> int:
    return ask(folder, (0, 1, 2), do="run", host=host, argv=argv, env=env, cwd=os.getcwd())


def main() -> int:
    match sys.argv[1:]:
        case ["--probe"]:
            reason = obstacle()
            if reason:
                print(reason)
            return 1 if reason else 0
        case ["--inside", folder, n_hosts, *shared]:
            inside(folder, int(n_hosts), shared)
        case ["--ask", folder, host, *argv]:
            return run_on(folder, host, argv, dict(os.environ))
        case [n_hosts, *argv] if n_hosts.isdigit() and argv:
            with Lab(int(n_hosts)) as lab:
                return lab.start("h1", argv).wait()
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
