"""bench/fft/compare.py: the page that it makes, what it keeps, and a library that was built by hand."""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
spec = importlib.util.spec_from_file_location("compare", ROOT / "bench/fft/compare.py")
compare = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare)

RECORD = json.loads((ROOT / "docs/bench/fft.json").read_text())


class Page(unittest.TestCase):
    def test_has_every_point_and_the_machine(self):
        text = compare.page(RECORD["points"], RECORD["how"] | {"facts": {"CPU": "Abacus 9", "CPUs": "2"}})
        self.assertIn("Abacus 9, 2 CPUs", text)
        for point in RECORD["points"]:
            self.assertIn(f"| {point['n']}³ | {point['pes']} |", text)

    def test_disturbed_launches_count_only_alone(self):
        def launches(*pairs):
            return [{"best_ms": ms, "beat_us": beat, "hop_ns": 100 * ms} for ms, beat in pairs]

        records = {"a": launches((1, 4.0), (9, 4.0)), "b": launches((1.2, 7.0)), compare.ROUTE + "a": [{"route": "r"}]}
        point = compare.undisturbed([{"n": 8, "pes": 1, "records": records}])[0]
        self.assertEqual([compare.value(point, name) for name in "ab"], [1, 1.2])
        self.assertEqual(point["steady"], "1 of 3")
        usual = compare.usual_of([{"records": records}])
        self.assertEqual(usual, (4.0, 100))
        self.assertFalse(compare.has_enough(records, usual))
        self.assertTrue(compare.has_enough({"a": launches((1, 4.0), (1.1, 4.1), (1.2, 4.2))}, usual))

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one CPU")
    def test_the_way_between_cpus_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            compare.build("cc", ROOT / "bench/fft/hop.c", Path(folder), [])
            self.assertGreater(compare.hop(Path(folder))["hop_ns"], 0)

    def test_keeps_points_of_the_same_machine_only(self):
        with tempfile.TemporaryDirectory() as folder:
            out = folder + "/fft"
            args = argparse.Namespace(keep=True, sizes=[32], pes=[1], out=out)
            here = {"facts": compare.machine.facts(), "load": [0, 0], "seconds": 1}
            Path(out + ".json").write_text(json.dumps({"how": here, "points": RECORD["points"]}))
            self.assertEqual(len(compare.kept_points(args)), len(RECORD["points"]) - 1)
            other = here | {"facts": {"CPU": "Abacus 9"}}
            Path(out + ".json").write_text(json.dumps({"how": other, "points": []}))
            with self.assertRaisesRegex(SystemExit, "another machine"):
                compare.kept_points(args)


@unittest.skipUnless(shutil.which("mpicxx.openmpi"), "no Open MPI")
class LibraryBuiltByHand(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = Path(self.folder.name) / "installed"
        for name in ("include", "lib64"):
            (self.prefix / name).mkdir(parents=True)

    def build(self):
        with contextlib.redirect_stderr(io.StringIO()):  # others that are not here
            return compare.build_peers(Path(self.folder.name), {"heffte": self.prefix})

    def test_is_measured(self):
        shutil.copy(HERE / "heffte/heffte.h", self.prefix / "include")
        empty = ["-shared", "-x", "c", "/dev/null", "-o", str(self.prefix / "lib64/libheffte.so")]
        subprocess.run(["cc", *empty], check=True)
        program = self.build()[-1]
        self.assertEqual(program.name, "heffte")
        launch = ["mpiexec.openmpi", "--oversubscribe", "-n", "2", str(program), "8", "0.01"]
        names = [record["name"] for record in compare.run(launch, 60)]
        self.assertEqual(names, ["heFFTe brick to brick"])
        self.assertIn(names[0], compare.EFFORTS)

    def test_that_does_not_fit_is_said(self):
        with self.assertRaisesRegex(SystemExit, "heffte.cpp does not compile"):
            self.build()

    def test_is_known(self):
        self.assertEqual(compare.library(f"heffte={self.prefix}"), ("heffte", self.prefix.resolve()))
        for wrong in ("abacus=/", "heffte=/nowhere"):
            with self.assertRaises(argparse.ArgumentTypeError):
                compare.library(wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
