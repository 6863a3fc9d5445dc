#!/usr/bin/env python3
"""The arithmetic of oshen-lammps-study: inputs, times from a log, speed-ups, detection of wrong results."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from oshen_lammps_study import cli, experiment, inputs, run, summary

sys.dont_write_bytecode = True


LOG = """Loop time of 3.5 on 2 procs for 10 steps
------------ Step              0 ----- CPU =            0 (sec) -------------
TotEng   =    -25356.2064 KinEng   =     21444.8313 Temp     =       299.0397
Kspace  | 1.5        | 2.5        | 3.5        |   0.0 | 13.46
Comm    | 0.1        | 0.2        | 0.3        |   0.0 |  0.10
"""


def point(**loops):
    """One point with the loop times of each variant; all parts take as long as the loop."""
    ways = {name: {"mpi": name.startswith("MPI"), "exact": True, "strategies": "", "error": 0.0,
                   "samples": [dict.fromkeys(run.PARTS, t) for t in times]} for name, times in loops.items()}
    return {"ranks": 2, "atoms": 32000, "ways": ways, "thermo": None}


class Study(unittest.TestCase):
    def test_weak_scaling_gives_each_rank_a_copy(self):
        for ranks in range(1, 28):
            a, b, c = inputs.copies_for(ranks)
            self.assertEqual(a * b * c, ranks)
        self.assertEqual(inputs.copies_for(8), (2, 2, 2))

    def test_input(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Path(folder)
            (bench / "in.rhodo").write_text("read_data data.rhodo\nkspace_style pppm 1e-4\nthermo 50\nrun 100\n")
            text = inputs.Case(20, (10, 12, 14), (2, 1, 1)).text(bench, "collective yes")
        self.assertIn(f"read_data {bench}/data.rhodo\nreplicate 2 1 1\n", text)
        self.assertIn("kspace_modify collective yes mesh 20 12 14\n", text)
        self.assertIn("thermo 4\nrun 20\n", text)

    def test_a_log_is_read(self):
        times = run.seconds(LOG, [{"transform_seconds": 1.0, "seconds": 0.4}, {"transform_seconds": 2.0, "seconds": 0.3}])
        self.assertEqual(times, {"loop": 3.5, "kspace": 2.5, "comm": 0.2, "fft": 2.0, "remap": 0.4})
        self.assertEqual(run.thermo(LOG), [0.0, -25356.2064, 21444.8313, 299.0397])
        self.assertRaises(run.Failure, run.seconds, "no times", [])

    def test_set_up_is_the_wall_time_without_the_loop(self):
        self.assertEqual(run.whole(5.0, {"loop": 3.5, "fft": 2.0}), {"wall": 5.0, "setup": 1.5, "loop": 3.5, "fft": 2.0})

    def test_one_step_on_a_large_mesh_is_an_experiment(self):
        def chosen(*words):
            return list(cli.experiments(cli.parser().parse_args(["--lmp", sys.executable, "--ranks", "2", *words])))
        (large,) = chosen("--mesh", "large")
        self.assertEqual(large.cases, ((2, inputs.Case(1, (200, 200, 200))),))
        self.assertTrue(large.about.endswith("mesh 200 x 200 x 200, 1 step"), large.about)
        self.assertEqual(len(chosen("--mesh", "both")), 4)
        self.assertIn(large, chosen())
        self.assertNotIn(large, chosen("--only", "weak"))
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
            cli.main(["--lmp", sys.executable, "--mesh", "large", "--only", "weak"])
        self.assertIn("--mesh large has no weak scaling", said.getvalue())

    def test_speed_up_is_over_the_fastest_of_mpi_in_the_same_round(self):
        p = point(MPI=[9, 8, 7], **{"MPI collective": [4, 6, 8], "Oshen": [2, 2, 8]})
        self.assertEqual(summary.fastest_mpi(p, "loop"), "MPI collective")
        self.assertEqual(summary.speed_up(p, "Oshen", "loop")["median"], 2)  # of 2, 3, 1
        self.assertEqual(summary.spread([1, 3])["high"], 3)
        p["ways"]["Oshen"]["exact"] = False
        self.assertEqual(summary.speed_ups(p, "Oshen").keys(), {"wall", "setup", "loop", "kspace", "fft"})

    def test_no_speed_up_comes_from_fewer_than_three_rounds(self):
        for rounds in (1, 2, 3):
            p = point(MPI=[9, 8, 7][:rounds], Oshen=[2, 2, 8][:rounds])
            self.assertEqual(bool(summary.speed_ups(p, "Oshen")), rounds == 3)
            results = {"lammps": "1 Jan 2026", "machine": experiment.machine(), "rounds": rounds, "asked": rounds, "command": "study",
                       "experiments": [{"name": "strong", "about": "mesh", "points": [summary.summary(p)]}]}
            try:
                from oshen_lammps_study import page
            except ImportError:
                continue  # no matplotlib
            with tempfile.TemporaryDirectory() as folder:
                written = [path.read_text() for path in page.write(results, Path(folder) / "study.html")]
                for text in (written[0], written[2]):
                    self.assertEqual("Too few rounds to say" in text, rounds < 3)
                    self.assertEqual("x," in text or "x</td>" in text, rounds == 3)
                self.assertEqual("Speed-up of the loop" in written[0], rounds == 3)
                figure = Path(folder) / "figure.svg"
                if rounds < 3:
                    self.assertRaisesRegex(run.Failure, "--samples 3 or more", page.write_figure, results, figure)
                else:
                    page.write_figure(results, figure)

    def test_a_missing_library_prints_one_line_with_the_remedy(self):
        page = "oshen_lammps_study.page"
        gone = {"matplotlib": None, "jinja2": None, page: None}  # None: importing fails
        with mock.patch.dict(sys.modules, gone), self.assertRaises(SystemExit) as end:
            with contextlib.redirect_stdout(io.StringIO()):
                cli.main(["--lmp", sys.executable])
        self.assertRegex(str(end.exception), r"^oshen-lammps-study: .*: python3 -m pip install jinja2 matplotlib$")

    def test_programs_and_folders_are_found_from_everywhere(self):
        with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
            Path("bin").mkdir()
            Path("bin/lmp").touch(mode=0o755)
            chosen = cli.parser().parse_args(["--lmp", "bin/lmp", "--bench", "bin"])
            self.assertEqual((chosen.lmp, chosen.bench), (Path.cwd() / "bin/lmp", Path.cwd() / "bin"))
            for wrong in (["--lmp", "bin/none"], ["--lmp", "bin/lmp", "--bench", "none"]):
                with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                    cli.parser().parse_args(wrong)
                self.assertIn("no such", said.getvalue())

    def test_outputs_are_compared(self):
        self.assertEqual(experiment.distance([1.0, 2.0], [1.0, 2.0]), 0)
        self.assertAlmostEqual(experiment.distance([1.0, 2.0], [1.0, 2.2]), 0.0909, 3)
        self.assertEqual(experiment.distance([1.0], [1.0, 2.0]), float("inf"))
        self.assertEqual(experiment.distance([], []), float("inf"))


if __name__ == "__main__":
    unittest.main()
