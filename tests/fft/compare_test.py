"""The profile fft of oshbench: the page that it makes, which launches count, and a library that was built by hand."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from oshbench.measure.campaign import Setup
from oshbench.results.rows import compact, table_of_run
from oshbench.results.run import LaunchResult, Run, load_run
from record import profiles
from record.profiles import fft

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


RUN = Run("fft", "")
PROGRAMS = ROOT / "bench/programs/fft"


class Page(unittest.TestCase):
    def test_has_every_point(self):
        table = table_of_run(load_run(ROOT / "bench/record/data/fft.json.xz"))
        grids = {title: rows for title, _, rows in profiles.PAGES["fft"].tables(RUN, table)}
        points = [row[:2] for row in grids["Milliseconds of a transform"]]
        self.assertEqual(points[:9], [[f"{n}³", str(pes)] for n in (32, 64, 128) for pes in (1, 2, 4)])
        self.assertLessEqual({n for n, _ in points[9:]}, {"256³"})  # recorded by a command of its own
        self.assertGreater(len(grids["Routes and limits"]), 20)

    def test_lines_of_a_program_become_rows(self):
        told = [{"name": "planning by BRIEF", "plan_ms": 2.0, "run_ms": 1.0}, {"name": fft.OURS[0], "best_ms": 1.5,
                                                                               "beat_us": 4.0},
                {"name": fft.ROUTE + fft.OURS[0], "passes": 2, "route": "r"}, {"name": "limit", "copy_ms": 0.5,
                                                                               "lines_ms": 0.25}]
        found = {(record["library"], record["case"]): record for record in fft.records(told, fft.CUBE, 64, 2, 90.0)}
        self.assertEqual({key: record["ns"] for key, record in found.items()}, {
            (fft.OURS[0], "fft_plan.BRIEF"): 2e6, (fft.OURS[0], "fft_planned.BRIEF"): 1e6, (fft.OURS[0], "fft"): 1.5e6,
            ("limits", "fft_copy"): 0.5e6, ("limits", "fft_lines"): 0.25e6})
        self.assertEqual(found[fft.OURS[0], "fft"]["extra"], {"passes": 2, "route": "r"})

    def test_arrays_of_one_axis_have_tables_of_their_own(self):
        told = [{"name": "planning by BRIEF", "plan_ms": 2.0, "run_ms": 1.0}, {"name": fft.OURS[0], "best_ms": 3.0},
                {"name": fft.ROUTE + fft.OURS[0], "passes": 3, "route": "r"}, {"name": "limit", "copy_ms": 0.5,
                                                                               "lines_ms": 0.25}]
        theirs = [{"name": name, "best_ms": ms} for name, ms in (("FFTW-MPI blocks", 6.0),
                                                                 (fft.FFTW_TRANSPOSED[1], 4.5))]
        records = fft.records(told, fft.LINE, 1 << 24, 2, 90.0) + fft.records(theirs, fft.LINE, 1 << 24, 2, 90.0)
        made = [LaunchResult("", 0, "oshen", "fft", 2, records=compact(records))]
        fft.mark_disturbed(made)
        grids = {title: rows for title, _, rows in fft.tables(RUN, table_of_run(replace(RUN, launches=made)))}
        self.assertEqual(grids["Milliseconds of a transform, arrays of one axis"][0],
                         ["2²⁴", "2", "3 of 3", "3", "6", "4.5", "1.50", "–"])
        self.assertEqual(grids["Routes and limits, arrays of one axis"],
                         [["2²⁴", "2", "ordinary", "3", "1.75 (3 × 0.5 + 0.25)", "r"]])
        self.assertEqual(grids["Our efforts: ordinary buffers, no plan remembered, arrays of one axis"],
                         [["2²⁴", "2", "BRIEF", "2", "1"]])
        self.assertNotIn("Milliseconds of a transform", grids)

    def test_disturbed_launches_count_only_alone(self):
        def launches(library, *pairs):
            return [LaunchResult("", number, library, "fft", 1, records=compact([
                {"case": "fft", "library": library, "how": "", "size": 8, "pes": 1, "ns": 1e6 * ms, "ok": True,
                 "state": {"beat_us": beat, "hop_ns": 100 * ms}}])) for number, (ms, beat) in enumerate(pairs)]

        made = launches("a", (1, 4.0), (9, 4.0)) + launches("b", (1.2, 7.0))
        self.assertEqual(fft.usual_of(made), (4.0, 100))
        fft.mark_disturbed(made)
        self.assertFalse(fft.have_enough(made))
        table = table_of_run(replace(RUN, launches=made))
        self.assertEqual([next(iter(table[name].values())).median for name in "ab"], [1e6, 1.2e6])
        self.assertIn("1 of 3", fft.transforms(table)[2][0])
        enough = launches("a", (1, 4.0), (1.1, 4.1), (1.2, 4.2))
        fft.mark_disturbed(enough)
        self.assertTrue(fft.have_enough(enough))

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one CPU")
    def test_the_way_between_cpus_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            fft.compile_one("cc", PROGRAMS / "hop.c", Path(folder), ())
            self.assertGreater(fft.hop(Path(folder)), 0)


@unittest.skipUnless(shutil.which("mpicxx.openmpi"), "no Open MPI")
class LibraryBuiltByHand(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.prefix = self.folder / "installed"
        for name in ("include", "lib64"):
            (self.prefix / name).mkdir(parents=True)

    def prepared(self):
        setup = Setup(ROOT / "bench", self.folder, [0], lambda *_, **__: None, self.folder,
                      {"with": [f"heffte={self.prefix}"]})
        work = fft.Fft(setup, profiles.PROFILES["fft"], [library for library in fft.Fft.contestants(setup)
                                                         if library.name == "heffte"],
                       self.folder / "run.json")
        work.prepare(replace(RUN))
        return work

    def test_is_measured(self):
        shutil.copy(HERE / "heffte/heffte.h", self.prefix / "include")
        empty = ["-shared", "-x", "c", "/dev/null", "-o", str(self.prefix / "lib64/libheffte.so")]
        subprocess.run(["cc", *empty], check=True)
        program = self.prepared().programs["heffte"]
        ending, said = fft.run(["mpiexec.openmpi", "--oversubscribe", "-n", "2", str(program), "8", "0.01"], 60, {})
        self.assertEqual(ending, "ok")
        self.assertIn('"name": "heFFTe brick to brick"', said)
        self.assertIn("heFFTe brick to brick", fft.EFFORTS)

    def test_that_does_not_fit_is_said(self):
        with self.assertRaisesRegex(ValueError, "heffte.cpp does not compile"):
            self.prepared()

    def test_is_known(self):
        self.assertEqual(fft.by_hand([f"heffte={self.prefix}"]), {"heffte": self.prefix.resolve()})
        for wrong in ("abacus=/", "heffte=/nowhere"):
            with self.assertRaises(ValueError):
                fft.by_hand([wrong])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
