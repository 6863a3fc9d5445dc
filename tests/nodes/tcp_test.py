"""Jobs over transport tcp on hosts made of namespaces: full buffers, hosts that stand still, cables that are cut, strangers,
ports, addresses, IPv6. No byte is wrong, nothing hangs, and a failure is one line."""

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import lab

OSHRUN, FLOOD = os.environ["OSHRUN"], os.environ["FLOOD"]
N_HOSTS = 3
WATCHDOG = 200

# Run on a host: it connects to every port at which a PE listens there, in every way that a stranger can.
STRANGERS = r"""
import os, socket, sys, time
ports = set()
for table in ("/proc/net/tcp", "/proc/net/tcp6"):
    for line in open(table).readlines()[1:]:
        words = line.split()
        if words[3] == "0A":
            ports.add(int(words[1].split(":")[1], 16))
greeting = b"OSHENT1\0" + bytes([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]) + os.urandom(16)
texts = [b"", b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096), greeting[:20], greeting, greeting + os.urandom(16)]
kept = []
for round in range(int(sys.argv[1])):
    for port in ports:
        for text in texts:
            try:
                stranger = socket.create_connection(("127.0.0.1", port), 10)
                stranger.settimeout(0.01)
                stranger.sendall(text)
                stranger.recv(48)
                stranger.sendall(os.urandom(16))
            except OSError:
                pass  # it was refused
            kept = (kept + [stranger])[-200:]
print(len(ports), "ports", flush=True)
"""

# Run on a host: the own address and port of each of its TCP sockets.
OWN_ENDS = r"""
import socket
for table in ("/proc/net/tcp", "/proc/net/tcp6"):
    for line in open(table).readlines()[1:]:
        where, state = line.split()[1], line.split()[3]
        address, port = where.split(":")
        print(socket.inet_ntoa(bytes.fromhex(address[-8:])[::-1]), int(port, 16), {"0A": "listens", "01": "connected"}.get(state, state))
"""

# Run on a host: it opens hundreds of connections at once to every port at which a PE listens there, until it is killed.
CROWD = r"""
import socket, time
kept = []
print("ready", flush=True)
while True:
    ports = set()
    for line in open("/proc/net/tcp").readlines()[1:] + open("/proc/net/tcp6").readlines()[1:]:
        words = line.split()
        if words[3] == "0A":
            ports.add(int(words[1].split(":")[1], 16))
    for port in ports:
        for i in range(300):
            try:
                stranger = socket.create_connection(("127.0.0.1", port), 1)
                stranger.sendall(b"garbage" * (i % 2))
            except OSError:
                break
            kept.append(stranger)
    kept = kept[-600:]
    time.sleep(0.02)
"""


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Tcp(unittest.TestCase):
    def start(self, laboratory, *words, per_host=1, **env):
        hosts = ",".join(f"h{i + 1}:{per_host}" for i in range(N_HOSTS))
        command = [OSHRUN, "--launcher", "ssh", "--ssh", str(lab.AGENT), "--hosts", hosts, *words]
        return laboratory.start("h1", command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={"OSHEN_TRANSPORT": "tcp"} | env)

    def finishes(self, job, rounds):
        out, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out.split("\n")[-2:]), (0, [f"round {rounds}", ""]), err)

    def run_on(self, laboratory, host, *words):
        done = laboratory.start(host, list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        out, _ = done.communicate(timeout=WATCHDOG)
        self.assertEqual(done.returncode, 0)
        return out

    def ends_with(self, job, line):
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertRegex(err, line)
        self.assertNotEqual(job.returncode, 0)

    def test_all_buffers_are_full_in_both_directions(self):
        with lab.Lab(N_HOSTS) as laboratory:
            self.finishes(self.start(laboratory, FLOOD, "16", "4", per_host=2), 4)

    def test_a_host_stands_still_and_goes_on(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, FLOOD, "16", "12")
            self.assertEqual(job.stdout.readline(), "round 1\n")
            laboratory.signal("h2", FLOOD, signal.SIGSTOP)
            time.sleep(4)
            self.assertIsNone(job.poll())
            laboratory.signal("h2", FLOOD, signal.SIGCONT)
            self.finishes(job, 12)

    def test_a_cable_is_cut_and_mended(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, FLOOD, "16", "12")
            self.assertEqual(job.stdout.readline(), "round 1\n")
            laboratory.cut("h3")
            time.sleep(1)
            laboratory.mend("h3")
            self.finishes(job, 12)

    def test_a_pe_dies(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, FLOOD, "16", "1000")
            self.assertEqual(job.stdout.readline(), "round 1\n")
            laboratory.signal("h3", FLOOD, signal.SIGKILL)
            self.ends_with(job, r"PE 2 \(pid \d+ on h3\)")
            self.assertEqual(laboratory.processes(FLOOD), 0)

    def test_strangers_change_nothing(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, FLOOD, "8", "150")
            self.assertEqual(job.stdout.readline(), "round 1\n")
            said = self.run_on(laboratory, "h2", sys.executable, "-c", STRANGERS, "12")
            self.assertRegex(said, r"^[1-9]\d* ports$")
            self.finishes(job, 150)

    def test_crowds_of_strangers_are_there_first(self):
        with lab.Lab(N_HOSTS) as laboratory:
            crowds = []
            for host in ("h1", "h2", "h3"):
                crowds.append(laboratory.start(host, [sys.executable, "-c", CROWD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
                self.assertEqual(crowds[-1].stdout.readline(), "ready\n")
            try:
                self.finishes(self.start(laboratory, FLOOD, "1", "4", per_host=2), 4)
            finally:
                for host, crowd in zip(("h1", "h2", "h3"), crowds):
                    laboratory.signal(host, sys.executable, signal.SIGKILL)
                    crowd.communicate(timeout=WATCHDOG)

    def test_the_ports_of_the_setting_are_used(self):
        with lab.Lab(N_HOSTS) as laboratory:
            self.finishes(self.start(laboratory, FLOOD, "1", "2", per_host=2, OSHEN_TCP_PORTS="40000-40001"), 2)
            self.ends_with(self.start(laboratory, FLOOD, "1", "2", per_host=2, OSHEN_TCP_PORTS="40000"),
                           r"OSHEN_TCP_PORTS = 40000: cannot listen at any of these ports: Address already in use")

    @unittest.skipIf(shutil.which("mpiexec.hydra") is None, "mpiexec.hydra is not installed")
    def test_pe_0_is_called_at_what_the_settings_name(self):
        """Under a launcher that gives no port. PE 1 reaches PE 0 at the address of h1 that is announced, and at the first port."""
        on_h1 = ["sh", "-c", '[ "$(hostname)" != h1 ] || export OSHEN_TCP_ADDRESS=10.78.0.101; exec "$@"', "sh"]
        with lab.Lab(2) as laboratory:
            self.run_on(laboratory, "h1", "ip", "addr", "add", "10.78.0.101/24", "dev", "eth0")
            command = ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", str(lab.AGENT), "-localhost", "10.78.0.1",
                       "-hosts", "10.78.0.1,10.78.0.2", "-ppn", "1", "-n", "2", *on_h1, FLOOD, "1", "100000"]
            job = laboratory.start("h1", command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                   env={"OSHEN_TRANSPORT": "tcp", "OSHEN_TCP_PORTS": "40000-40009"})
            self.assertEqual(job.stdout.readline(), "round 1\n")
            used = self.run_on(laboratory, "h1", sys.executable, "-c", OWN_ENDS)
            laboratory.signal("h1", FLOOD, signal.SIGKILL)
            job.communicate(timeout=WATCHDOG)
        self.assertRegex(used, r"0\.0\.0\.0 4000\d listens\n")
        self.assertIn("10.78.0.101 40000 connected\n", used)

    def test_only_ipv6(self):
        with lab.Lab(N_HOSTS) as laboratory:
            for i in range(1, N_HOSTS + 1):
                self.run_on(laboratory, f"h{i}", "sh", "-c", "ip link add six link eth0 type macvlan mode bridge && "
                            f"ip addr add fd00::{i}/64 dev six nodad && ip link set six up")
            self.finishes(self.start(laboratory, FLOOD, "1", "2", OSHEN_TRANSPORT="tcp:six"), 2)

    def test_an_address_that_leads_nowhere_is_named(self):
        with lab.Lab(N_HOSTS) as laboratory:
            self.ends_with(self.start(laboratory, FLOOD, "1", "2", OSHEN_TCP_ADDRESS="10.78.0.99"),
                           r"PE \d on h\d cannot be reached by transport tcp: cannot connect to 10\.78\.0\.99 port \d+: "
                           r"(No route to host|Connection timed out); open this port in the firewall, or set OSHEN_TCP")


if __name__ == "__main__":
    unittest.main(verbosity=2)
