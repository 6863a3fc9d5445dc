"""Restricted machines: no /dev/shm, no writable folder, few descriptors, no membarrier."""

import os
import resource
import shlex
import subprocess
import tempfile
import unittest

from pe_jobs import VictimTest, program
from jobs import OSHRUN, PATIENCE


class Limits(VictimTest):
    def runs_with(self, kind, amount, n_pes=4):
        ended = self.job(n_pes, "ring", "0.02", preexec_fn=lambda: resource.setrlimit(kind, (amount, amount)))
        self.assertEqual((ended.status, ended.out, ended.err), (0, f"right {n_pes}\n", ""), ended)

    def test_few_descriptors(self):
        self.runs_with(resource.RLIMIT_NOFILE, 16)
        self.environment["OSHEN_SEGMENT_HANDOVER"] = "socket"
        self.runs_with(resource.RLIMIT_NOFILE, 16)

    def test_no_locked_memory(self):
        self.runs_with(resource.RLIMIT_MEMLOCK, 0)

    def test_small_stack(self):
        self.runs_with(resource.RLIMIT_STACK, 64 << 10)

    def test_no_core_files(self):
        self.runs_with(resource.RLIMIT_CORE, 0)


class Environment(VictimTest):
    def test_no_home_and_nothing_else(self):
        self.environment = {"OSHEN_TEST_MARK": self.mark}
        ended = self.job(3, "ring", "0.02")
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def test_folder_that_is_gone(self):
        folder = tempfile.mkdtemp()

        def go_and_remove():
            os.chdir(folder)
            os.rmdir(folder)

        ended = self.job(2, "ring", "0.02", preexec_fn=go_and_remove)
        self.assertEqual((ended.status, ended.out), (0, "right 2\n"), ended)


class WithoutMembarrier(VictimTest):
    """Without membarrier, waiters sleep for short times: slower, but right."""

    def test_program_is_right(self):
        for n_pes in (1, 2, 5):
            ended = self.job(n_pes, "without_membarrier", program("ring"), "0.3")
            if ended.status == 77:
                self.skipTest("no seccomp filters here")
            self.assertEqual((ended.status, ended.out, ended.err), (0, f"right {n_pes}\n", ""), ended)

    def test_many_meetings(self):
        ended = self.job(5, "without_membarrier", program("crowd"), "meet", "50")
        if ended.status == 77:
            self.skipTest("no seccomp filters here")
        self.assertEqual(ended.status, 0, ended)


class Containers(VictimTest):
    """The namespaces and users of containers (docs/user/container.md)."""

    OWN_PROCESSES = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    STRANGER = "cannot map the memory of PE 0: is it in another container, or does it belong to another user?"

    def setUp(self):
        super().setUp()
        if subprocess.run([*self.OWN_PROCESSES, "--net", "true"], capture_output=True).returncode != 0:
            self.skipTest("no mount namespace, or no other")

    def ring(self, around=(), n_pes=3):
        return [OSHRUN, "-n", str(n_pes), *around, program("ring"), "0.02"]

    def run_words(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, env=self.environment, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def test_oshrun_is_process_1(self):
        self.assertEqual(self.run_words(*self.OWN_PROCESSES, *self.ring()), (0, "right 3\n", ""))

    def test_each_pe_in_a_container_of_its_own(self):
        """With one network they share memory; otherwise they are nodes."""
        self.assertEqual(self.run_words(*self.ring(self.OWN_PROCESSES)), (0, "right 3\n", ""))
        with subprocess.Popen(self.ring([*self.OWN_PROCESSES, "--net"], 2), stderr=subprocess.PIPE, text=True, env=self.environment,
                              stdin=subprocess.DEVNULL) as job:
            self.assertIn(self.STRANGER, job.stderr.readline())
            job.terminate()  # it would try for some time to connect without a network
            job.stderr.read()

    @unittest.skipUnless(os.geteuid() == 0, "only root can make another user")
    def test_a_user_without_name_and_home(self):
        other = ["setpriv", "--reuid", "4321", "--regid", "4321", "--clear-groups"]
        if subprocess.run([*other, "test", "-x", OSHRUN, "-a", "-x", program("ring")]).returncode != 0:
            self.skipTest("closed to the user nobody: the build")
        self.environment.pop("HOME", None)
        self.assertEqual(self.run_words(*other, *self.ring()), (0, "right 3\n", ""))
        _, _, said = self.run_words(*self.ring(["sh", "-c", f'[ $OSHEN_PE = 0 ] || set -- {shlex.join(other)} "$@"; exec "$@"', "sh"]))
        self.assertIn(self.STRANGER, said)


class FileSystems(VictimTest):
    """Tests in mount namespaces of their own, in which each test sets up /dev/shm and /tmp."""

    EMPTY = "mount -t tmpfs none /dev/shm; mount -t tmpfs none /tmp; mount -t tmpfs none /var/tmp"

    def inside(self, prepare, command):
        """Runs the shell words `command` after `prepare` in new namespaces."""
        script = f"set -e; {prepare}; set +e; {command}"
        return subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, timeout=PATIENCE,
                              env=self.environment, stdin=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        probe = self.inside(self.EMPTY, "true")
        if probe.returncode != 0:
            self.skipTest(f"no mount namespace: {probe.stderr.strip()}")
        for place in ("/tmp/", "/dev/shm/", "/var/tmp/"):
            if OSHRUN.startswith(place) or program("ring").startswith(place):
                self.skipTest(f"the build is in {place}, which this test hides")

    def ring(self, n_pes=3):
        return shlex.join([OSHRUN, "-n", str(n_pes), program("ring"), "0.02"])

    def runs_after(self, prepare):
        for handover in ("auto", "socket"):
            self.environment["OSHEN_SEGMENT_HANDOVER"] = handover
            done = self.inside(prepare, self.ring())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right 3\n", ""), done)

    def test_dev_shm_of_one_megabyte(self):
        self.runs_after("mount -t tmpfs -o size=1m none /dev/shm")

    def test_heap_larger_than_dev_shm(self):
        """The heap is no file in /dev/shm, and no transport needs one there."""
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "24M"
        for transport in ("", "tcp", "ofi", "ucx"):
            with self.subTest(transport):
                if transport:
                    self.environment |= {"OSHEN_TRANSPORT": transport, "OSHEN_NODE_PES": "2"}
                done = self.inside("mount -t tmpfs -o size=16m none /dev/shm",
                                   shlex.join([OSHRUN, "-n", "3", program("heap"), "exhaust"]))
                self.assertEqual(done.returncode, 0, done)
                self.assertRegex(done.stdout, r"\A2[23] blocks\n\Z")
                self.assertRegex(done.stderr, r"\Aoshen: PE 0: shmem_malloc: 1048576 bytes refused: .*\n\Z")

    def test_dev_shm_read_only(self):
        self.runs_after("mount -t tmpfs -o ro none /dev/shm")

    def test_dev_shm_missing(self):
        self.runs_after("mount -t tmpfs -o size=64k,mode=000 none /dev/shm; while umount /dev/shm 2>/dev/null; do :; done; "
                        "! mountpoint -q /dev/shm")

    def test_tmp_read_only(self):
        self.runs_after("mount -t tmpfs -o ro none /tmp; mount -t tmpfs -o ro none /var/tmp; unset HOME TMPDIR")

    def test_proc_hidden(self):
        """The segment is handed over by socket."""
        self.runs_after("mount -t tmpfs none /proc")

    def test_nothing_is_named_when_a_process_is_killed(self):
        victims = {"a PE": "[ $OSHEN_PE = 1 ] && (sleep 0.1; kill -9 $$) & ", "oshrun": "(sleep 0.1; kill -9 $front) & "}
        for who, kill in victims.items():
            with self.subTest(who):
                job = shlex.join([OSHRUN, "-n", "3", "sh", "-c", f"{kill} exec {shlex.quote(program('journey'))}"])
                command = (f"(export front=$(exec sh -c 'echo $PPID'); exec {job}) 2>/dev/null; sleep 0.5; "
                           "find /dev/shm /tmp /var/tmp -mindepth 1")
                done = self.inside(self.EMPTY, command)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done)


if __name__ == "__main__":
    unittest.main(verbosity=2)
