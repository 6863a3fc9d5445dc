#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A checkout works at any path: it is configured there, generates its sources, and its programs run on one host and on two.

The library and oshrun are not compiled again: they are copied from the build under test to the build of each place.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import lab

sys.dont_write_bytecode = True
CMAKE, BUILD, ROOT = os.environ["CMAKE"], Path(os.environ["BUILD"]), Path(__file__).resolve().parents[2]
LEFT_OUT = shutil.ignore_patterns("build", ".git", ".venv*", ".slurm", "*.json", "*.png", "*.svg", "__pycache__")
OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DOSHEN_TESTS=OFF", "-DOSHEN_BENCH=OFF"]
GREETINGS = ["hello from PE 0 of 2: PE 1 wrote to me", "hello from PE 1 of 2: PE 0 wrote to me"]
NO_NAMESPACES = lab.obstacle()


def run(*command, **how):
    """stdout of a command that must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL, **how)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(words)}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Anywhere(unittest.TestCase):
    def place(self, parent, name="oshen"):
        """A new folder below this one with a copy of the sources."""
        if not os.access(parent, os.W_OK):
            self.skipTest(f"{parent} is not here")
        top = tempfile.TemporaryDirectory(prefix="oshen-anywhere-", dir=parent)
        self.addCleanup(top.cleanup)
        source = Path(top.name) / name
        shutil.copytree(ROOT, source, ignore=LEFT_OUT, symlinks=True)
        return source

    def check(self, source, build, before=()):
        """`before`: words in front of cmake."""
        run(*before, CMAKE, "-S", source, "-B", build, *OPTIONS, cwd=source)
        run(*before, CMAKE, "--build", build, "--target", "oshen_generated", cwd=source)
        (build / "lib").mkdir(exist_ok=True)
        for file in [*BUILD.glob("lib/liboshen.so*"), BUILD / "bin/oshrun"]:
            shutil.copy2(file, build / file.parent.name / file.name, follow_symlinks=False)
        work = build / "work"
        work.mkdir()
        run(build / "bin/oshcc", source / "apps/hello.c", "-o", "hello", cwd=work)
        self.assertEqual(sorted(run(build / "bin/oshrun", "-n", "2", "./hello", cwd=work).splitlines()), GREETINGS)
        if NO_NAMESPACES:
            return
        hosts = run(sys.executable, "-B", source / "tools/hosts/lab.py", "2", build / "bin/oshrun", "--launcher", "ssh", "--ssh", "/tmp/agent",
                    "--hosts", "h1:1,h2:1", "./hello", cwd=work)
        self.assertEqual(sorted(hosts.splitlines()), GREETINGS)

    def test_below_tmp(self):
        source = self.place("/tmp")
        self.check(source, source / "build/release")

    def test_below_var_tmp_with_a_space(self):
        source = self.place("/var/tmp", "a check out")
        self.check(source, source / "build/release")

    def test_below_dev_shm(self):
        source = self.place("/dev/shm")
        self.check(source, source / "build/release")

    def test_by_a_symbolic_link(self):
        source = self.place("/var/tmp", "elsewhere")
        with tempfile.TemporaryDirectory(prefix="oshen-link-", dir="/tmp") as folder:
            link = Path(folder) / "oshen"
            link.symlink_to(source)
            self.check(link, link / "build/release")

    @unittest.skipIf(NO_NAMESPACES, f"no laboratory: {NO_NAMESPACES}")
    def test_sources_that_cannot_be_written(self):
        source = self.place("/tmp")
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        read_only = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && ! touch probe 2>/dev/null && exec "$@"'
        before = ["unshare", *user, "--mount", "sh", "-c", read_only, source]
        with tempfile.TemporaryDirectory(prefix="oshen-build-", dir="/var/tmp") as build:
            self.check(source, Path(build), before)

    def test_beside_another_file_of_the_agents_name(self):
        """Each host makes its own agent, so a file of the machine at that path must not be shared with it."""
        words = ["lab.py", "2", "oshrun", "--ssh", str(lab.AGENT), "--", "/tmp/other"]
        with mock.patch("os.path.exists", return_value=True), mock.patch("sys.argv", words):
            shared = lab.entries_in_use()
        self.assertIn("/tmp/other", shared)
        self.assertNotIn(str(lab.AGENT), shared)


if __name__ == "__main__":
    unittest.main()
