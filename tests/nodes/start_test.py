"""Start-up by the hub: too few descriptors, PEs that never come, strangers at the port, and the bytes that PE 0 sends."""

import collections
import ctypes
import math
import os
import re
import select
import socket
import subprocess
import time
import unittest

import model
from hub_jobs import CLEAN, PATIENCE, Job, free_port, greetings

HELLO, RING, NEIGHBOURS = (os.environ[name] for name in ("HELLO", "RING", "NEIGHBOURS"))
PIDFD_OPEN, PIDFD_GETFD = 434, 438  # of the kernel, on all processors


class Start(unittest.TestCase):
    def says_hello(self, n, ended):
        status, out, err = ended
        self.assertEqual((status, sorted(out.splitlines()), err), ({0}, greetings(n), ""))

    def test_the_limit_of_descriptors_is_raised(self):
        self.says_hello(40, Job(40, [HELLO], descriptors=(32, 1024)).end())

    def test_too_few_descriptors_end_the_job_with_one_line(self):
        status, out, err = Job(60, [HELLO], descriptors=(32, 48)).end()
        self.assertEqual((status, out), ({1}, ""), err)
        self.assertRegex(err, r"^oshen: PE 0: shmem_init: PE 0 can open 48 files, which are too few for streams to 60 PEs; "
                              r"raise the hard limit \(ulimit -Hn\) on its host; ending the job\n$")

    def test_missing_pes_are_named(self):
        status, out, err = Job(8, [HELLO], absent=(2, 5, 6), OSHEN_START_LIMIT="2").end()
        self.assertEqual((status, out), ({1}, ""), err)
        self.assertRegex(err, r"^oshen: PE 0: shmem_init: 3 of 8 PEs have not come in \d+ s \(OSHEN_START_LIMIT\): PE 2, "
                              r"PEs 5 to 6; ending the job\n$")

    def test_pes_without_pe_0_end(self):
        status, out, err = Job(3, [HELLO], absent=(0,), OSHEN_START_LIMIT="2").end()
        self.assertEqual((status, out), ({1}, ""), err)
        self.assertEqual(len(re.findall(r"oshen: PE [12]: shmem_init: cannot connect to PE 0 at \S+, port \d+: Connection "
                                        r"refused; tried for \d+ s \(OSHEN_START_LIMIT\); ending this PE\n", err)), 2, err)

    def test_no_limit_waits_for_a_late_pe(self):
        for limit, expected in (("0", {0}), ("60", {0})):
            port, secret = free_port(), "of-the-late-pe"
            early = Job(2, [HELLO], absent=(1,), port=port, OSHEN_JOB_SECRET=secret, OSHEN_START_LIMIT=limit)
            time.sleep(2)
            late = Job(2, [HELLO], absent=(0,), port=port, OSHEN_JOB_SECRET=secret, OSHEN_START_LIMIT=limit)
            self.assertEqual((early.end()[0], late.end()[0]), (expected, expected))

    def seconds_of_start(self, n, strangers):
        port = free_port()
        job = Job(n, [HELLO], absent=range(1, n), port=port, OSHEN_JOB_SECRET="behind-strangers")
        idle = []
        try:
            while len(idle) < strangers:
                try:
                    idle.append(socket.create_connection(("127.0.0.1", port)))
                except ConnectionRefusedError:
                    time.sleep(0.01)
            others = Job(n, [HELLO], absent=(0,), port=port, OSHEN_JOB_SECRET="behind-strangers")
            ended = others.end(), job.end()
        finally:
            for one in idle:
                one.close()
        self.assertEqual([one[0] for one in ended], [{0}, {0}], ended)
        return others.seconds

    def test_strangers_do_not_delay_a_start(self):
        for strangers in (200, 600):  # fewer and more than PE 0 keeps
            free = crowded = math.inf
            for _ in range(10):  # the fastest starts count: a busy machine delays some
                free = min(free, self.seconds_of_start(4, 0))
                crowded = min(crowded, self.seconds_of_start(4, strangers))
                if crowded - free < 1:
                    break
            self.assertLess(crowded - free, 1, f"{strangers} strangers")


class Bytes(unittest.TestCase):
    """PE 0 sends what the model says, for each round of the hub."""

    def rounds(self, n, **env):
        job = Job(n, [HELLO], SHMEM_DEBUG="1", **env)
        status, _, err = job.end()
        self.assertEqual(status, {0}, err)
        found = re.findall(r"hub: round (\d+): (\d+) bytes of each PE; PE 0 has sent (\d+) bytes", err)
        self.assertEqual([int(number) for number, _, _ in found], list(range(1, len(found) + 1)))
        return [(int(block), int(sent)) for _, block, sent in found]

    def test_the_model_sends_what_pe_0_sends(self):
        one_node = [(n, {}, model.START_BLOCKS) for n in (2, 3, 5, 16)]
        nodes_of_2 = [(n, {"OSHEN_NODE_PES": "2"}, model.START_BLOCKS + model.NETWORK_BLOCKS) for n in (4, 24)]
        for n, env, blocks in one_node + nodes_of_2:
            with self.subTest(n=n, **env):
                found = self.rounds(n, **env)
                gathered = [block for block, _ in found]
                self.assertEqual(gathered, [0, *blocks, 0, 0])
                for i, (_, sent) in enumerate(found):
                    self.assertEqual(sent, model.start_bytes_of_pe_0(n, 1, gathered[1:i + 1]))

    def test_it_grows_with_the_pes(self):
        few, many = (self.rounds(n)[-1][1] for n in (10, 40))
        self.assertLess(many, 4.2 * few)


def streams_of(pid):
    """descriptor -> name of the other end, of the local streams that a process has begun."""
    libc = ctypes.CDLL(None, use_errno=True)
    process = libc.syscall(PIDFD_OPEN, pid, 0)
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            if not os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:"):
                continue
            fd = libc.syscall(PIDFD_GETFD, process, int(name), 0)
            if fd < 0:
                raise OSError(ctypes.get_errno(), "pidfd_getfd")
            one = socket.socket(fileno=fd)
        except OSError:
            continue
        try:
            found[int(name)] = (one, one.getpeername())
        except OSError:  # it listens
            one.close()
    os.close(process)
    return found


def serve_pmi(streams, mapping):
    """A process manager that speaks PMI-1 to one process at the end of each stream, until all have ended."""
    kept, at_barrier, said = {"PMI_process_mapping": mapping}, [], {one: b"" for one in streams}
    while said:
        for one in select.select(list(said), [], [], 1)[0]:
            text = one.recv(65536)
            if not text:
                del said[one]
                continue
            *lines, said[one] = (said[one] + text).split(b"\n")
            for line in lines:
                words = dict(word.split("=", 1) for word in line.decode().split())
                if words["cmd"] == "put":
                    kept[words["key"]] = words["value"]
                if words["cmd"] == "barrier_in":
                    at_barrier.append(one)
                    for each in at_barrier if len(at_barrier) == len(streams) else ():
                        each.sendall(b"cmd=barrier_out rc=0\n")
                    continue
                one.sendall({"init": "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
                             "get_maxes": "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=4096",
                             "get_my_kvsname": "cmd=my_kvsname rc=0 kvsname=kvs",
                             "get": f"cmd=get_result rc=0 value={kept.get(words.get('key'))}",
                             "put": "cmd=put_result rc=0", "finalize": "cmd=finalize_ack rc=0"}[words["cmd"]].encode() + b"\n")


@unittest.skipIf(os.geteuid() != 0, "only root may name hosts")
class Nodes(unittest.TestCase):
    """Four PEs on two hosts, which are names only, under a process manager whose mapping may be wrong."""

    def neighbours(self, mapping):
        pairs = [socket.socketpair() for _ in range(4)]
        pes = [subprocess.Popen(["unshare", "--uts", "sh", "-c", f'hostname host-{pe % 2}; exec "$0"', NEIGHBOURS],
                                pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**CLEAN, "PMI_FD": str(theirs.fileno()), "PMI_RANK": str(pe), "PMI_SIZE": "4"})
               for pe, (_, theirs) in enumerate(pairs)]
        for _, theirs in pairs:
            theirs.close()
        try:
            serve_pmi([ours for ours, _ in pairs], mapping)
            texts = [pe.communicate(timeout=PATIENCE)[0] for pe in pes]
        finally:
            for pe in pes:
                pe.kill()
            for ours, _ in pairs:
                ours.close()
        self.assertEqual([pe.returncode for pe in pes], [0] * 4, texts)
        return "".join(texts).splitlines()

    def test_a_mapping_that_host_names_disprove_is_not_used(self):
        apart = ["PE 0: 0 2", "PE 1: 1 3", "PE 2: 0 2", "PE 3: 1 3"]
        self.assertEqual(self.neighbours("(vector,(0,2,2))"), apart)  # claims that 0 and 1 are neighbours
        self.assertEqual(self.neighbours("(vector,(0,2,1))"), apart)  # it is right: round-robin


@unittest.skipIf(os.geteuid() != 0, "only root may take streams of a process")
class Tree(unittest.TestCase):
    def started(self, job, n):
        """The streams of all PEs, and those to parents, once every PE has connected."""
        until = time.monotonic() + 4.5
        while True:
            streams = {pe: streams_of(process.pid) for pe, process in job.pes.items()}
            names = collections.Counter(peer for held in streams.values() for _, peer in held.values() if peer)
            hub, links = names.most_common(1)[0] if names else ("", 0)
            parents = [one for held in streams.values() for one, peer in held.values() if peer and peer != hub]
            if (links, len(parents)) == (n - 1, n - 3):  # all but PE 0; all but PE 0 and its two children
                return streams, parents
            self.assertLess(time.monotonic(), until, names)
            self.close(streams)
            time.sleep(0.2)

    def close(self, streams):
        for held in streams.values():
            for one, _ in held.values():
                one.close()

    def test_a_pe_that_loses_its_parent_goes_on(self):
        n = 12
        job = Job(n, [RING, "6"])
        self.addCleanup(job.kill)
        streams, parents = self.started(job, n)
        for one in parents[::2]:
            one.shutdown(socket.SHUT_RDWR)
        self.close(streams)
        self.assertEqual(job.end(), ({0}, f"right {n}\n", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
