"""Programs that are linked and started in other ways than ours: their variables are symmetric, or a line reports the error."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from patience import stretched

BIN = Path(os.environ["BIN"])
HERE = Path(__file__).resolve().parent


def run(*command, status=0):
    """The output of a command that must end with `status` (None: any status except 0)."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=stretched(200))
    if done.returncode == 0 if status is None else done.returncode != status:
        raise AssertionError(f"{words}\nstatus {done.returncode}\n{done.stdout}")
    return done.stdout


def by(linker):
    return unittest.skipUnless(shutil.which(f"ld.{linker}"), f"no {linker} here (scripts/setup.sh test)")


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="oshen-programs-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)

    def built(self, source, *flags, name="program"):
        run(BIN / "oshcc", "-O1", *flags, HERE / source, "-o", self.work / name)
        return self.work / name

    def job(self, *words, n_pes=3, status=0):
        return run(BIN / "oshrun", "-n", n_pes, "--timeout", stretched(120), *words, status=status)

    def statics_work(self, *flags):
        self.assertIn("statics ok", self.job(self.built("statics.c", *flags)))

    def writable_segments(self, program):
        return len(re.findall(r"^ +LOAD .* RW +0x", run("readelf", "-lW", program), re.M))

    # ---- layouts

    def test_usual_linker(self):
        self.statics_work()
        self.statics_work("-no-pie")

    def test_lazy_binding_and_no_relro(self):
        self.statics_work("-Wl,-z,lazy")
        self.statics_work("-Wl,-z,norelro")

    @by("lld")
    def test_lld_with_holes_between_writable_segments(self):
        for more in ([], ["-no-pie"], ["-static"]):
            self.statics_work("-fuse-ld=lld", "-Wl,-z,max-page-size=65536", *more)
        self.assertGreater(self.writable_segments(self.work / "program"), 1)

    @by("mold")
    def test_mold_with_large_pages(self):
        self.statics_work("-fuse-ld=mold", "-Wl,-z,max-page-size=65536")

    @by("lld")
    def test_program_whose_segments_hold_variables_apart(self):
        # A separate section before the read-only part: variables are on both sides of a hole.
        self.statics_work("-fuse-ld=lld", "-Wl,-z,max-page-size=65536", "-Wl,-z,separate-loadable-segments")

    def test_static(self):
        self.statics_work("-static")

    def test_static_pie(self):
        self.statics_work("-static-pie")
        self.assertNotIn("RUNPATH", run("readelf", "-d", self.work / "program"))

    # ---- constants

    def test_constants_are_refused_by_name(self):
        program = self.built("constants.c")
        for argument in ([], ["g"]):
            told = self.job(program, *argument, n_pes=2, status=None)
            self.assertIn("accessible: 0", told)
            self.assertRegex(told, r"source = 0x[0-9a-f]+: a constant of the program, .* remove const, or copy the constant")

    # ---- several programs

    def job_of_two(self, way, status=0, flags=()):
        programs = [self.built("two.c", f"-DORDER={i}", *flags, name=f"two{i}") for i in (1, 2)]
        # PE 0 runs the first, the others the second.
        script = f'if [ "$OSHEN_PE" = 0 ]; then exec {programs[0]} {way}; else exec {programs[1]} {way}; fi'
        return self.job("sh", "-c", script, status=status)

    def test_different_programs_share_the_heap(self):
        told = self.job_of_two("heap")
        self.assertEqual(told.count("inbox 77 alpha 1 beta 2"), 3, told)
        self.assertEqual((told.count("first:"), told.count("other:")), (1, 2))

    def test_different_programs_share_no_variables(self):
        for flags in ([], ["-Wl,--build-id=none"]):
            told = self.job_of_two("static", status=None, flags=flags)
            self.assertIn("not symmetric because the PEs run different programs", told)

    def test_copies_of_one_program_are_one_program(self):
        first = self.built("two.c", "-DORDER=1", name="one")
        other = shutil.copy(first, self.work / "copy of one")
        script = f'if [ "$OSHEN_PE" = 0 ]; then exec "{first}" static; else exec "{other}" static; fi'
        self.assertIn("alpha 77", self.job("sh", "-c", script))


if __name__ == "__main__":
    unittest.main(verbosity=2)
