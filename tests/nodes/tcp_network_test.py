"""Jobs over transport tcp on networks that are slow, lossy or cut, between hosts made of namespaces. No byte is wrong, nothing
hangs, and a network that stays cut is one line."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import lab

OSHRUN, FLOOD, INTO_ONE = (os.environ[name] for name in ("OSHRUN", "FLOOD", "INTO_ONE"))
LARGE_GETS, RANDOM_PROGRAM, SPEC = os.environ["LARGE_GETS"], os.environ["RANDOM_PROGRAM"], Path(os.environ["SPEC"])
# Fetching atomic operations, collectives, sessions with packs, signals after puts.
SPEC_PROGRAMS = ("amo_matrix", "coll_same_dest", "order_put_signal", "session_packs")
BAD_NETWORK = str(Path(__file__).resolve().parent / "bad_network.py")
HOSTS = ("h1", "h2", "h3")
WATCHDOG = 150
ON_H2 = '[ "$(hostname)" != h2 ] || ulimit -n {limit}; exec "$@"'


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Networks(unittest.TestCase):
    def setUp(self):
        self.laboratory = lab.Lab(len(HOSTS))
        self.laboratory.__enter__()
        self.addCleanup(self.laboratory.__exit__)

    def on(self, host, *words):
        done = self.laboratory.start(host, list(words), stdin=subprocess.DEVNULL)
        self.assertEqual(done.wait(WATCHDOG), 0, f"{words} on {host}")

    def start(self, *words, hosts=HOSTS, per_host=1, **env):
        command = [OSHRUN, "--launcher", "ssh", "--ssh", str(lab.AGENT), "--hosts", ",".join(f"{h}:{per_host}" for h in hosts), *words]
        return self.laboratory.start("h1", command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True, env={"OSHEN_TRANSPORT": "tcp"} | env)

    def finishes(self, mib, rounds, **how):
        job = self.start(FLOOD, str(mib), str(rounds), **how)
        out, err = job.communicate(timeout=WATCHDOG)
        self.assertEqual((job.returncode, out.split("\n")[-2:]), (0, [f"round {rounds}", ""]), err)

    def ends_with(self, job, line):
        _, err = job.communicate(timeout=WATCHDOG)
        self.assertRegex(err, line)
        self.assertNotEqual(job.returncode, 0)
        deadline = time.monotonic() + WATCHDOG
        while self.laboratory.processes(FLOOD) or self.laboratory.processes(INTO_ONE):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    @contextlib.contextmanager
    def fault_between(self, *fault):
        """Packets between h1 and h2 go through h3, where the fault happens to some of them."""
        for here, there in ("h1", "h2"), ("h2", "h1"):
            self.on(here, "ip", "route", "replace", lab.address(there), "via", lab.address("h3"))
        network = self.laboratory.start("h3", [sys.executable, BAD_NETWORK, "eth0", *fault, lab.address("h1"), lab.address("h2")],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(network.stdout.readline(), "ready\n")
            yield
        finally:
            self.laboratory.signal("h3", sys.executable, signal.SIGTERM)
            n_struck, _ = network.communicate(timeout=WATCHDOG)
        self.assertGreater(int(n_struck), 5, fault)

    def test_packets_are_late_lost_reordered_or_repeated(self):
        for fault in ("delay", "30"), ("lose", "2"), ("reorder", "25"), ("repeat", "20"):
            with self.fault_between(*fault):
                for secure in "0", "1":
                    with self.subTest(fault=fault, secure=secure):
                        self.finishes(1, 4, hosts=("h1", "h2"), OSHEN_SECURE=secure)

    def test_all_kinds_of_operations_on_a_bad_network(self):
        """Large gets in both directions at once, atomic operations, collectives, packs of sessions, and random programs."""
        jobs = [(LARGE_GETS, "2", "2"), *((str(SPEC / name),) for name in SPEC_PROGRAMS),
                (RANDOM_PROGRAM, "--seed", "new", "--phases", "1", "--seconds", "1")]
        for fault in ("lose", "1"), ("reorder", "25"):
            with self.fault_between(*fault):
                for words in jobs:
                    with self.subTest(fault=fault, program=words[0]):
                        job = self.start(*words, hosts=("h1", "h2"))
                        out, err = job.communicate(timeout=WATCHDOG)
                        self.assertEqual(job.returncode, 0, out + err)

    @unittest.skipIf(shutil.which("tc") is None, "tc (iproute2) is not installed")
    def test_a_slow_network(self):
        for host in HOSTS:
            self.on(host, "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", "80mbit", "burst", "64k", "latency", "20ms")
        self.finishes(1, 3)

    def test_packets_of_different_lengths(self):
        for host, mtu in zip(HOSTS, ("576", "9000", "1500")):
            self.on(host, "ip", "link", "set", "eth0", "mtu", mtu)
        self.finishes(1, 3)

    def test_a_cable_that_stays_cut(self):
        job = self.start(FLOOD, "8", "100000")
        self.assertEqual(job.stdout.readline(), "round 1\n")
        self.laboratory.cut("h3")
        self.ends_with(job, r"oshen: PE \d.* (on h\d.* is lost: its host does not answer|cannot be reached)")

    def lose_path(self, here, there):
        """Frames from `here` to `there` go to a station that does not exist. Both still reach h1, which has the control connections."""
        self.on(here, "ip", "neigh", "replace", lab.address(there), "lladdr", "02:00:00:00:00:99", "dev", "eth0", "nud", "permanent")

    def test_a_path_that_is_lost_between_two_hosts(self):
        job = self.start(FLOOD, "8", "100000")
        self.assertEqual(job.stdout.readline(), "round 1\n")
        self.lose_path("h2", "h3")
        self.lose_path("h3", "h2")
        self.ends_with(job, r"PE \d: .*: PE (1 at 10\.78\.0\.2|2 at 10\.78\.0\.3) has not answered for \d+ s; look at the cable")

    def test_a_stopped_pe_is_not_a_lost_path(self):
        job = self.start(FLOOD, "32", "100000")
        self.assertEqual(job.stdout.readline(), "round 1\n")
        self.laboratory.signal("h3", FLOOD, signal.SIGSTOP)
        time.sleep(26)  # the window of h3 is full; probes, which its kernel answers, are more than 10 s apart from the 12th second on
        self.assertIsNone(job.poll())
        self.laboratory.signal("h3", FLOOD, signal.SIGCONT)
        first, *_ = rounds = [int(job.stdout.readline().split()[1]) for _ in range(3)]
        self.assertEqual(rounds, list(range(first, first + 3)))
        self.laboratory.signal("h1", FLOOD, signal.SIGKILL)
        job.communicate(timeout=WATCHDOG)

    def test_the_first_address_of_a_host_leads_nowhere(self):
        for i, host in enumerate(HOSTS, 1):
            self.on(host, "sh", "-c", f"ip link add nowhere type veth peer name end && ip addr add 10.99.{i}.1/24 dev nowhere && "
                    "ip link set end up && ip link set nowhere up && ip route add default dev nowhere")
        self.finishes(1, 2)

    def test_the_limit_of_descriptors_is_named(self):
        limited = ["sh", "-c", ON_H2.format(limit=26), "sh"]
        self.ends_with(self.start(*limited, FLOOD, "1", "2", per_host=8, SHMEM_SYMMETRIC_SIZE="64M"),
                       r"PE \d+.* cannot connect to .*: Too many open files; raise the limit of open files \(ulimit -n\)")

    def test_the_limit_of_descriptors_is_named_for_a_pe_that_is_connected_to(self):
        limited = ["sh", "-c", ON_H2.format(limit=24), "sh"]
        self.ends_with(self.start(*limited, INTO_ONE, "9", per_host=8, SHMEM_SYMMETRIC_SIZE="64M"),
                       r"PE 9 on h2 cannot be reached by transport tcp: cannot connect to .*: the PE there has too many open files; "
                       r"raise the limit of open files \(ulimit -n\) on its host; ending the job")


if __name__ == "__main__":
    unittest.main(verbosity=2)
