"""oshrun in difficulties: readers that do not read, full disks, calls that the kernel refuses, exhausted memory."""

import ctypes
import errno
import os
import signal
import subprocess
import time
import unittest

from jobs import OSHRUN, PATIENCE, JobTest

DENY = os.environ["DENY"]


class LostOutput(JobTest):
    def test_full_disk_is_said(self):
        for command in (("echo", "x"), ("seq", "1000000"), ("sh", "-c", "printf x; sleep 0.1")):
            with self.subTest(command), open("/dev/full", "w") as full:
                process = self.start("-l", "-n", 2, *command, stdout=full)
                ended = self.finish(process)
                self.assertEqual(ended.status, 1, ended)
                self.assertEqual(ended.err, "oshrun: cannot write to standard output: No space left on device; "
                                            "the output of the PEs is incomplete\n")

    def test_full_disk_ends_a_job_that_goes_on(self):
        with open("/dev/full", "w") as full:
            ended = self.finish(self.start("-l", "-n", 2, "sh", "-c", "echo x; exec sleep 1000", stdout=full))
        self.assertEqual(ended.status, 1, ended)
        self.assertIn("No space left on device", ended.err)

    def test_closed_pipe_is_said(self):
        read, write = os.pipe()
        os.close(read)
        process = self.start("-l", "-n", 2, "echo", "x", stdout=write)
        os.close(write)
        ended = self.finish(process)
        self.assertEqual((ended.status, ended.err),
                         (141, "oshrun: the reader of standard output has closed it; the remaining output is lost\n"), ended)

    def test_no_process_stays_for_a_reader_that_does_not_read(self):
        process = self.start("-l", "-n", 2, "yes")
        time.sleep(1)  # the pipe is full now
        process.kill()
        process.wait()
        self.assert_nothing_left()


class RefusedCalls(JobTest):
    def denied(self, call, error, *arguments):
        process = subprocess.Popen([DENY, call, str(error), OSHRUN, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=self.environment)
        process.started = time.monotonic()
        self.addCleanup(self.put_away, process)
        ended = self.finish(process)
        if ended.status == 77:
            self.skipTest("no seccomp filters here, or no such call")
        return ended

    def refused(self, call, error, line, *options):
        ended = self.denied(call, error, "-n", 3, *options, "echo", "x")
        self.assertEqual((ended.status, ended.out), (1, ""), ended)
        self.assertRegex(ended.err, rf"^oshrun: [^\n]*{line}[^\n]*\n$")

    def works(self, call, error, *options):
        ended = self.denied(call, error, "-n", 3, *options, "echo", "x")
        self.assertEqual((ended.status, ended.out.replace("[", "").count("x\n"), ended.err), (0, 3, ""), ended)

    def test_signalfd(self):
        self.refused("signalfd4", errno.ENOSYS, "cannot watch signals .*: Function not implemented")

    def test_epoll(self):
        self.refused("epoll_create1", errno.EMFILE, "cannot read the output of the PEs .*: Too many open files", "-l")

    def test_memfd(self):
        self.refused("memfd_create", errno.ENOSYS, "cannot create the job page: Function not implemented")

    def test_pipe(self):
        self.refused("pipe2", errno.EMFILE, "cannot make a pipe: Too many open files")

    def test_poll(self):
        self.works("poll", errno.ENOMEM)
        self.works("poll", errno.EINTR, "-l")

    def test_process_groups(self):
        self.works("setpgid", errno.EPERM)

    def test_prctl(self):
        self.works("prctl", errno.EPERM)

    def test_wait(self):
        ended = self.denied("wait4", errno.EPERM, "-n", 3, "sleep", "1000")
        self.assertEqual(ended.status, 1, ended)
        self.assertRegex(ended.err, r"^oshrun: cannot wait for the (PEs|job): Operation not permitted")


class OutOfMemory(JobTest):
    """Tests in a control group that the test makes, if it has the permission."""

    def group(self, megabytes):
        name = f"oshen-{self.mark}"
        for folder, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            path = f"{folder}/{name}"
            try:
                os.mkdir(path)
                self.addCleanup(os.rmdir, path)
                with open(f"{path}/{limit}", "w") as file:
                    file.write(str(megabytes << 20))
                return path
            except OSError:
                continue
        self.skipTest("no control group can be made here")

    def test_the_kernel_is_named(self):
        path = self.group(64)

        def enter():
            with open(f"{path}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

        eat = "exec python3 -c 'x = bytearray(1 << 28)'"
        ended = self.finish(self.start(*self.shell(2, f"[ $pe = 1 ] && {eat}; exec sleep 1000"), preexec_fn=enter))
        self.assertEqual(ended.status, 137, ended)
        self.assertRegex(ended.err, r"PE 1 \(pid \d+\) was killed by signal 9 \(Killed\), by the kernel: the memory of "
                                    r"its control group is exhausted; the other PE still running was ended")

    def test_another_cause_is_not_blamed_on_the_kernel(self):
        ended = self.run_shell(2, "[ $pe = 1 ] && kill -9 $$; exec sleep 1000")
        self.assertRegex(ended.err, r"was killed by signal 9 \(Killed\);")


class Undying(JobTest):
    """A PE that a tracer holds at its exit stands for a PE that hangs in the kernel."""

    SEIZE, DETACH, TRACE_EXIT = 0x4206, 17, 0x40

    def hold(self, pid):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        if libc.ptrace(self.SEIZE, pid, None, self.TRACE_EXIT) != 0:
            self.skipTest(f"no tracing here: {os.strerror(ctypes.get_errno())}")
        return lambda: libc.ptrace(self.DETACH, pid, None, None)

    def test_what_was_said_is_taken_back(self):
        process = self.start(*self.shell(2, "[ $pe = 0 ] && { echo $$; read x; exit 3; }; exec $fake sleep 1000"),
                             stdin=subprocess.PIPE)
        process.stdout.readline()
        deadline = time.monotonic() + PATIENCE
        while (victim := self.pid_of("fake_pe")) is None:
            self.assertLess(time.monotonic(), deadline)
        let_go = self.hold(victim)
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(process.stderr.readline(), "oshrun: 1 PEs have not ended after SIGKILL (state t); waiting for them\n")
        os.waitpid(victim, os.WUNTRACED)  # it has stopped at its exit
        let_go()
        ended = self.finish(process)
        self.assertEqual(ended.status, 3, ended)
        self.assertRegex(ended.err, r"^oshrun: the remaining PEs have ended\noshrun: PE 0 .* exited with status 3")


class NotExecuted(JobTest):
    def test_the_cause_is_named(self):
        script = f"/tmp/oshen.script.{self.mark}"
        with open(script, "w") as file:
            file.write("#! /no/such/shell -e\n")
        os.chmod(script, 0o755)
        self.addCleanup(os.unlink, script)
        cases = {script: (126, f"{script}: cannot execute: the interpreter /no/such/shell in its first line does not exist"),
                 "/tmp": (126, "/tmp: is a directory"), "/no/such": (127, "/no/such: no such program")}
        for program, (status, line) in cases.items():
            ended = self.run_job("-n", 2, program)
            self.assertEqual((ended.status, ended.err), (status, f"oshrun: {line}\n"), ended)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    unittest.main(verbosity=2)
