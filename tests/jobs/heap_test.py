"""A failed allocation gives NULL and one line of numbers; lack of memory never shows later as a signal."""

import contextlib
import os
import re
import resource
import shlex
import shutil
import subprocess
import tempfile
import unittest

from pe_jobs import VictimTest, program, read
from jobs import OSHRUN, PATIENCE

MIB = 1 << 20


def limited(kind, amount):
    """For preexec_fn: a resource limit, for oshrun and all PEs."""
    return lambda: resource.setrlimit(kind, (amount, amount))


class Exhausted(VictimTest):
    def blocks(self, ended, lines):
        """The number of blocks that PE 0 got. The first refusal must be explained, further ones counted, and nothing else failed."""
        self.assertEqual(ended.status, 0, ended)
        counted = re.findall(r"(?m)^oshen: PE 0: 1 more requests for heap memory were refused, of \d+ to \d+ bytes; "
                             r"the first line says why$", ended.err)
        refusals = re.findall(r"(?m)^oshen: PE 0: shmem_malloc: \d+ bytes refused: .*; "
                              r"heap \d+ bytes, used \d+ .*largest free \d+", ended.err)
        self.assertEqual((len(refusals), len(counted), ended.err.count("\n")), (1, lines - 1, lines), ended)
        return int(re.fullmatch(r"(\d+) blocks\n", ended.out)[1])

    def test_small_heap(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "8M"
        for n_pes in (1, 3):
            self.assertIn(self.blocks(self.job(n_pes, "heap", "exhaust"), 1), (6, 7))  # one was given back

    def test_of_different_wishes_the_largest_counts(self):
        wish = "export SHMEM_SYMMETRIC_SIZE=$((8 + 16 * (OSHEN_PE % 2)))M"
        ended = self.finish(self.start("-n", 3, "sh", "-c", f"{wish}; exec {program('heap')} exhaust"))
        self.assertGreater(self.blocks(ended, 1), 16)

    def test_a_search_is_one_line_and_a_count(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "8M"
        ended = self.job(3, "heap", "search")
        self.assertEqual(ended.status, 0, ended)
        self.assertRegex(ended.err, r"\Aoshen: PE 0: shmem_malloc: 1099511627776 bytes refused: .*\n"
                                    r"oshen: PE 0: 16 more requests for heap memory were refused, of 16777216 to "
                                    r"549755813888 bytes; the first line says why\n\Z")

    def test_heap_larger_than_the_machine(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1T"
        self.assertEqual(self.blocks(self.job(2, "heap", "sparse"), 2), 0)

    def test_no_more_is_promised_than_there_is(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1T"
        total = int(re.search(r"MemTotal: +(\d+) kB", read("/proc/meminfo"))[1]) * 1024
        count = self.blocks(self.job(2, "heap", "promise"), 1)
        self.assertGreater(count, 0)
        self.assertLessEqual(2 * count * 256 * MIB, total)


    def test_no_more_is_promised_to_teams(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1T"
        total = int(re.search(r"MemTotal: +(\d+) kB", read("/proc/meminfo"))[1]) * 1024
        ended = self.job(2, "heap", "team_promise")
        self.assertRegex(ended.err, r"\Aoshen: PE 0: shmemx_team_malloc: \d+ bytes refused: not enough memory is free on the "
                                    r"node of one of its PEs; team heap \d+ bytes, of which this PE uses \d+ in \d+ blocks; a "
                                    r"larger SHMEM_SYMMETRIC_SIZE enlarges it\n\Z")
        count = int(re.fullmatch(r"(\d+) blocks\n", ended.out)[1])
        self.assertGreater(count, 0)
        self.assertLessEqual(2 * count * 256 * MIB, total)


class RefusedAndLeft(VictimTest):
    """Every PE ends as soon as its call is refused. The line that says why arrives in every run."""

    lines = {"malloc": r"PE 0: shmem_malloc: \d+ bytes refused: ",
             "align": r"PE 0: shmem_align: alignment = \d+ refused: ",
             "teams": r"PE 0: shmem_team_split_strided: all \d+ team slots are in use",
             "count": r"PE 0: 1 more requests for heap memory were refused"}

    def test_the_line_is_never_lost(self):
        for what, line in self.lines.items():
            for _ in range(8):
                ended = self.job(4, "heap", "leave", what)
                self.assertEqual((ended.status, len(re.findall(line, ended.err))), (3, 1), ended)


class LimitedAddressSpace(VictimTest):
    def test_default_heap_fits(self):
        for amount in (2000, 400):
            ended = self.job(3, "ring", preexec_fn=limited(resource.RLIMIT_AS, amount * MIB))
            self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def test_there_are_fewer_teams(self):
        for amount, teams in ((2000, 62), (40000, 1022)):
            for network in ({}, {"OSHEN_NODE_PES": "1", "OSHEN_TRANSPORT": "loop"}):
                self.environment |= network
                ended = self.job(3, "heap", "teams", preexec_fn=limited(resource.RLIMIT_AS, amount * MIB))
                self.assertEqual((ended.status, ended.out), (0, f"{teams} teams\n"), ended)
                self.assertEqual(ended.err, f"oshen: PE 0: shmem_team_split_strided: all {teams + 2} team slots are in "
                                            "use on some PE; destroy teams that are no longer needed\n")

    def test_wish_that_does_not_fit_is_one_clear_end(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1G"
        ended = self.job(3, "ring", preexec_fn=limited(resource.RLIMIT_AS, 1000 * MIB))
        self.check(ended, 1, r"(?m)^oshen: PE \d: cannot map \d+ bytes of symmetric memory for 3 PEs: "
                             r"Cannot allocate memory; a smaller SHMEM_SYMMETRIC_SIZE may help$",
                   r"(?m)^oshrun: PE \d \(pid \d+\) (exited|ended the job) with status 1")

    def test_too_small_for_the_library(self):
        ended = self.job(2, "ring", preexec_fn=limited(resource.RLIMIT_AS, 16 * MIB))
        self.assertGreater(ended.status, 0, ended)
        self.assertLess(ended.status, 128, "no PE may die of a signal")
        self.assertRegex(ended.err, r"(?m)^oshen: PE \d: cannot ")


class LimitedData(VictimTest):
    """RLIMIT_DATA counts private writable memory when it is mapped, as vm.overcommit_memory = 2 does."""

    def test_tables_count_when_they_are_used(self):
        self.environment |= {"SHMEM_SYMMETRIC_SIZE": "4G", "OSHEN_CHECK": "1"}
        ended = self.job(3, "ring", preexec_fn=limited(resource.RLIMIT_DATA, 64 * MIB))
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def test_list_of_blocks_that_cannot_grow_is_one_clear_end(self):
        self.check(self.job(3, "heap", "list"), 1,
                   r"(?m)^oshen: PE 2: cannot get memory for a list of \d+ heap blocks: Cannot allocate memory; end other "
                   r"programs, or raise the limit \(ulimit -d, vm.overcommit_ratio\)$",
                   r"(?m)^oshrun: PE 2 \(pid \d+\) exited with status 1")


class StrictAccounting(VictimTest):
    """vm.overcommit_memory = 2, without changing the machine: the job sees other files in /proc."""

    def inside(self, left, *arguments):
        """Runs a job of two PEs to which the kernel promises `left` more bytes, and what it keeps in reserve."""
        kept = sum(int(read(f"/proc/sys/vm/{who}_reserve_kbytes") or 0) for who in ("admin", "user"))
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        memory = re.sub(r"(?m)^(CommitLimit|Committed_AS):.*\n", "", read("/proc/meminfo"))
        files = {"meminfo": f"{memory}CommitLimit: {1000000 + kept + left // 1024} kB\nCommitted_AS: 1000000 kB\n",
                 "sys/vm/overcommit_memory": "2\n"}
        prepare = "set -e"
        for name, text in files.items():
            path = os.path.join(folder, os.path.basename(name))
            with open(path, "w") as file:
                file.write(text)
            prepare += f"; mount --bind {shlex.quote(path)} /proc/{name}"
        job = ["-n", "2", program("heap"), *arguments]
        done = subprocess.run(["unshare", "--mount", "sh", "-c", f'{prepare} || exit 77; exec "$@"', "sh", OSHRUN, *job],
                              capture_output=True, text=True, timeout=PATIENCE, env=self.environment,
                              stdin=subprocess.DEVNULL)
        if done.returncode == 77 or "unshare failed" in done.stderr:
            self.skipTest(f"no mount namespace: {done.stderr.strip()}")
        return done

    def test_no_more_is_given_than_the_kernel_promises(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1T"
        for left, fewest, most in ((600, 1, 1), (300, 0, 0)):
            done = self.inside(left * MIB, "promise")
            self.assertEqual(done.returncode, 0, done)
            count = int(re.fullmatch(r"(\d+) blocks\n", done.stdout)[1])
            self.assertTrue(fewest <= count <= most, done)
            self.assertRegex(done.stderr, r"\Aoshen: PE 0: shmem_malloc: 268435456 bytes refused: .*\n\Z")

    def test_start_without_memory_is_one_clear_end(self):
        done = self.inside(1 * MIB, "promise")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"(?m)^oshen: PE 0: cannot create a node segment: 2 PEs need \d+ bytes at once, and the "
                                      r"kernel promises 1048576: end other programs, or raise vm.overcommit_ratio "
                                      r"\(vm.overcommit_memory is 2\)$")
        self.assertNotIn("signal", done.stderr)


class LimitedFiles(VictimTest):
    """RLIMIT_FSIZE also limits memfds; exceeding it raises a signal."""

    def test_default_heap_fits(self):
        ended = self.job(3, "ring", preexec_fn=limited(resource.RLIMIT_FSIZE, 256 * MIB))
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def test_wish_that_does_not_fit_is_one_clear_end(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1G"
        ended = self.job(3, "ring", preexec_fn=limited(resource.RLIMIT_FSIZE, 256 * MIB))
        self.check(ended, 1, r"(?m)^oshen: PE 0: cannot create a node segment of \d+ bytes for 3 PEs: File too large")


class MemoryControlGroup(VictimTest):
    LIMIT = 200 * MIB

    def setUp(self):
        super().setUp()
        self.group, self.limit = self.own_group()
        try:
            os.mkdir(self.group)
            self.addCleanup(os.rmdir, self.group)
            with open(f"{self.group}/{self.limit}", "w") as file:
                file.write(str(self.LIMIT))
        except OSError as why:
            self.skipTest(f"no memory control group can be made: {why}")

    @staticmethod
    def own_group():
        """A subgroup of our own group, and the name of its limit, in version 1 or 2."""
        groups = read("/proc/self/cgroup")
        name = f"oshen-test-{os.getpid()}"
        if old := re.search(r"(?m)^\d+:memory:(.*)$", groups):
            return f"/sys/fs/cgroup/memory{old[1].rstrip('/')}/{name}", "memory.limit_in_bytes"
        return f"/sys/fs/cgroup{re.search(r'(?m)^0::(.*)$', groups)[1].rstrip('/')}/{name}", "memory.max"

    def inside(self, *arguments, group=None, n_pes=2):
        """Runs a job in the group: a shell enters the group and becomes oshrun."""
        enter = f'echo $$ > {group or self.group}/cgroup.procs && exec "$@"'
        command = ["sh", "-c", enter, "sh", OSHRUN, "-n", str(n_pes), program("heap"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=self.environment,
                              stdin=subprocess.DEVNULL)

    def test_every_byte_that_was_given_can_be_touched(self):
        for how, wish in (("fill", ""), ("fill", "1T"), ("huge", "1T")):
            with self.subTest(how, wish=wish):
                self.environment["SHMEM_SYMMETRIC_SIZE"] = wish
                with contextlib.suppress(KeyError):
                    if not wish:
                        del self.environment["SHMEM_SYMMETRIC_SIZE"]
                done = self.inside(how, "8")
                self.assertEqual(done.returncode, 0, done)
                count = int(re.fullmatch(r"(\d+) blocks\n", done.stdout)[1])
                self.assertGreater(count, 2, done)
                self.assertLess(2 * count * 8 * MIB, self.LIMIT, done)
                self.assertIn("refused", done.stderr)

    def test_small_blocks_of_many_pes_are_refused_in_time(self):
        with open(f"{self.group}/{self.limit}", "w") as file:
            file.write(str(600 * MIB))
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "64M"
        done = self.inside("fill", "1", n_pes=64)
        self.assertEqual(done.returncode, 0, done)
        self.assertGreater(int(re.fullmatch(r"(\d+) blocks\n", done.stdout)[1]), 0, done)
        self.assertIn("not enough memory is free on this node", done.stderr)

    def test_limits_of_parents_count(self):
        inner = f"{self.group}/inner"
        os.mkdir(inner)
        self.addCleanup(os.rmdir, inner)
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1T"
        done = self.inside("promise", group=inner)
        self.assertEqual((done.returncode, done.stdout), (0, "0 blocks\n"), done)
        self.assertRegex(done.stderr, r"268435456 bytes refused: .*backed by memory \d{8,9};")

    def test_refused_stays_refused_until_memory_is_freed(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1G"
        done = self.inside("again", "64")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("not enough memory is free on this node", done.stderr)

    def test_all_pes_get_the_same_answer(self):
        self.environment["SHMEM_SYMMETRIC_SIZE"] = "1G"
        for _ in range(3):
            done = self.inside("two", "48", "64")
            self.assertEqual(done.returncode, 0, done)


if __name__ == "__main__":
    unittest.main(verbosity=2)
