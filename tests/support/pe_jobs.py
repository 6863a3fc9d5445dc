"""Jobs of real PEs: their processes, their memory, and the check that neither remains."""

import contextlib
import os
import re
import time

from jobs import CLEANING, JobTest, stretched

PROGRAMS = os.environ["PROGRAMS"]  # the folder of the victims


def program(name):
    return os.path.join(PROGRAMS, name)


def read(path):
    """A file of /proc; empty if its process has ended."""
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def parent_of(pid):
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def mapped_memory(pid):
    """Numbers of the memory objects of the library that a process maps; memfds have no other names."""
    return {int(number) for number in re.findall(r"(\d+)\s+/memfd:oshen", read(f"/proc/{pid}/maps"))}


def open_memory(pid):
    """The same for memory objects that a process has open."""
    found = set()
    with contextlib.suppress(OSError):
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{pid}/fd/{fd}").startswith("/memfd:oshen"):
                    found.add(os.stat(f"/proc/{pid}/fd/{fd}").st_ino)
    return found


def sockets():
    """Names of abstract sockets of the library."""
    return set(re.findall(r"@oshen-\S+", read("/proc/net/unix")))


class VictimTest(JobTest):
    """A JobTest that also checks that no memory and no socket of a job is left."""

    def setUp(self):
        super().setUp()
        self.memory, self.sockets_before = set(), sockets()
        for name in [name for name in self.environment if name.startswith(("OSHEN_", "SHMEM_", "SMA_"))]:
            if name != "OSHEN_TEST_MARK":
                del self.environment[name]

    def launch(self, n_pes, name, *arguments, options=(), **how):
        return self.start("-n", n_pes, *options, program(name), *arguments, **how)

    def job(self, n_pes, name, *arguments, options=(), **how):
        return self.finish(self.launch(n_pes, name, *arguments, options=options, **how))

    def supervisor_of(self, process):
        """The supervisor process of oshrun; None if there is none yet."""
        return next((pid for pid in all_pids() if parent_of(pid) == process.pid), None)

    def pes_of(self, process):
        """{PE: pid} of all PEs that have been started. Records the memory that they hold."""
        supervisor, found = self.supervisor_of(process), {}
        for pid in all_pids() if supervisor else ():
            if parent_of(pid) != supervisor:
                continue
            number = re.search(r"(?:^|\0)OSHEN_PE=(\d+)\0", read(f"/proc/{pid}/environ"))
            if number:
                found[int(number[1])] = pid
                self.memory |= mapped_memory(pid)
        return found

    def wait_for_pes(self, process, n_pes, joined=True, seconds=30):
        """{PE: pid} as soon as all PEs run and, if `joined`, have their memory."""
        deadline = time.monotonic() + stretched(seconds)
        while True:
            found = self.pes_of(process)
            if len(found) == n_pes and (not joined or all(map(self.has_segment, found.values()))):
                return found
            self.assertIsNone(process.poll(), "oshrun ended early")
            self.assertLess(time.monotonic(), deadline, f"not all PEs came: {found}")
            time.sleep(0.01)

    @staticmethod
    def has_segment(pid):
        return "/memfd:oshen (" in read(f"/proc/{pid}/maps")

    def check(self, ended, status, *lines):
        """Checks the status, and that stderr has a match for every pattern in `lines`."""
        self.assertEqual(ended.status, status, ended)
        for line in lines:
            self.assertRegex(ended.err, line)

    def holders(self):
        """Processes that still hold memory of our jobs, mapped or open."""
        return [pid for pid in all_pids() if (mapped_memory(pid) | open_memory(pid)) & self.memory]

    def assert_nothing_left(self, seconds=CLEANING):
        super().assert_nothing_left(seconds)
        self.assertEqual(self.holders() if self.memory else [], [], "somebody holds memory of the job")
        deadline = time.monotonic() + stretched(max(seconds, 60))
        left = sockets() - self.sockets_before  # includes sockets of other jobs, which vanish when those end
        while left := left & sockets():
            self.assertLess(time.monotonic(), deadline, f"sockets left behind: {left}")
            time.sleep(0.05)
