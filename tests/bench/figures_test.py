#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures and pages of all tools: one style, distinguishable with colour blindness, readable in a narrow column, with
their origin."""

import contextlib
import io
import itertools
import json
import re
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import figure_check
import made_up_run
from oshbench.report import page as report_page
from oshen_figures import origin, style

ROOT = Path(__file__).resolve().parents[2]


# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), severity
# 1.
SEEN = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)
TOLD_APART = 9.0  # least colour difference, by CIE 1976; 2.3 is just noticeable


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def lab(colour, eye):
    x, y, z = (v / w for v, w in zip(times(TO_XYZ, [min(max(c, 0), 1) for c in times(eye, linear(colour))]), WHITE))
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one, other, eye):
    return sum((a - b) ** 2 for a, b in zip(lab(one, eye), lab(other, eye))) ** 0.5


def confused(colours):
    return [(one, other, name) for name, eye in SEEN.items() for one, other in itertools.combinations(colours, 2)
            if distance(one, other, eye) < TOLD_APART]


class Style(unittest.TestCase):
    def test_colours_are_told_apart_by_every_eye(self):
        self.assertEqual(confused(style.COLOURS), [])
        self.assertEqual(confused((*style.GREYS, *style.COLOURS[:6])), [])
        self.assertNotEqual(confused(("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b")), [])  # Matplotlib's own

    def test_letters_stay_readable_in_a_narrow_column(self):
        figure, axes = style.canvas(2)
        axes.set_title("fits")
        self.assertEqual(figure_check.problems(figure), [])
        axes.set_title("a title that is much longer than the figure is wide: " * 3)
        self.assertRegex(" ".join(figure_check.problems(figure)), "ends beyond the figure")
        axes.set_title("small", fontsize=6)
        self.assertRegex(" ".join(figure_check.problems(figure)), r"'small': letters of 6\.5 pixels")
        axes.set_title("one")
        axes.text(0.5, 0.5, "lies")
        axes.text(0.5, 0.5, "on it")
        self.assertRegex(" ".join(figure_check.problems(figure)), "'lies' stands on 'on it'")
        style.finish(figure)

    def test_slanted_labels_must_not_run_together(self):
        for count, together in ((6, False), (60, True)):
            figure, axes = style.canvas(2)
            axes.set_xticks(range(count), [f"{n} KiB" for n in range(count)], rotation=45, ha="right",
                            rotation_mode="anchor")
            self.assertEqual("run together" in " ".join(figure_check.problems(figure)), together, count)
            style.finish(figure)

    def test_bars_belong_on_a_linear_axis(self):
        for scale, wrong in (("linear", False), ("log", True)):
            figure, axes = style.canvas(2)
            axes.barh([0, 1], [5, 20])
            axes.set_xscale(scale)
            self.assertEqual("bars on a logarithmic axis" in " ".join(figure_check.problems(figure)), wrong)
            style.finish(figure)

    def test_a_smaller_picture_says_the_same(self):
        shorter = style.compact('<svg><g id="figure_1"><path d="M 1.23456 -7.5"/><text '
                                'x="2.0001">0.001</text></g></svg>')
        self.assertIn('d="M 1.23 -7.5"', shorter)
        self.assertIn('<text x="2">0.001</text>', shorter)

    def test_of_many_sizes_some_have_labels(self):
        figure, axes = style.canvas(2)
        axes.set_xscale("log")
        style.doubling(axes.xaxis, [1 << k for k in range(21)], [str(1 << k) for k in range(21)])
        labels = [label.get_text() for label in axes.get_xticklabels()]
        self.assertEqual((len(labels), sum(map(bool, labels)), labels[-1]), (21, 11, "1048576"))
        style.finish(figure)

    def test_all_figures_are_made_with_it(self):
        """All figures of these folders use oshen_figures; examples are not among them, because they are
        self-contained."""
        files = [f for folder in ("bench", "lammps", "scripts", "tools") for pattern in ("*.py", "*.in")
                 for f in (ROOT / folder).rglob(pattern)]
        self.assertGreater(len(files), 60)
        makers = [f for f in files if re.search(r"import (matplotlib|pyplot)|from matplotlib|<svg xmlns",
                                                f.read_text(encoding="utf-8"))]
        self.assertIn(ROOT / "bench/oshbench/report/figures.py", makers)
        for file in makers:
            if "oshen_figures" not in file.parts:
                text = file.read_text(encoding="utf-8")
                self.assertIn("oshen_figures", text, file)
                for word in re.findall(r"rcParams|savefig|\"#[0-9a-f]{6}\"", text):
                    self.fail(f"{file}: {word} belongs to the style")


class Pages(unittest.TestCase):
    def looked_at(self, draw):
        with figure_check.watched() as seen:
            made = draw()
        self.assertEqual([problem for figure in seen for problem in figure], [])
        self.assertGreater(len(seen), 0)
        return made

    def check_page(self, text, *words):
        found = made_up_run.Structure()
        found.feed(text)
        self.assertEqual((found.wrong, found.open, found.fetched), ([], [], []))
        for word in (*words, "prefers-color-scheme: dark", 'name="viewport"'):
            self.assertIn(word, text)

    def test_report(self):
        names = {"oshen": 1.0, "open-mpi-oshmem": 2.0, "mpich": 3.0, "sandia": 1.2, "cray-openshmemx": 1.1}
        saved = replace(made_up_run.run(names), date="2026-11-23", rounds=7, load=[0.5, 7.5])
        text = self.looked_at(lambda: report_page.render(saved))
        self.check_page(text, "oshbench run standard", "2026-11-23", "5 interleaved rounds (7 requested)",
                        "‡ more PEs than CPUs (4 on 2)", "the load was 7.5 on 2 CPUs", "broadcast, 4 PEs‡")

    def test_study(self):
        from oshen_lammps_study import page, run, summary
        seconds = {"MPI": [2, 4, 6], "Oshen remap": [1, 2, 2]}
        ways = {name: {"mpi": name == "MPI", "exact": True, "strategies": "", "error": 0.0,
                       "samples": [dict.fromkeys(run.PARTS, value) for value in values]} for name,
                values in seconds.items()}
        points = [summary.summary({"ranks": ranks, "atoms": 32000, "ways": ways}) for ranks in (2, 4)]
        results = {"lammps": "1 Jan 2026", "machine": {"cpu": "a CPU", "cpus": 2, "load": 2.5, "date": "2026-11-26"},
                   "rounds": 3, "asked": 10, "command": "oshen-lammps-study --lmp lmp",
                   "experiments": [{"name": "one step", "about": "large mesh", "points": points}]}
        with tempfile.TemporaryDirectory() as folder:
            files = self.looked_at(lambda: page.write(results, Path(folder, "study.html")))
            self.check_page(files[0].read_text(), "oshen-lammps-study --lmp lmp",
                            "3 interleaved samples of every bar (10 requested", "‡ more ranks than CPUs (4 on 2)",
                            "4 ranks‡", "the load was 2.5 on 2 CPUs", "2026-11-26", "<th>set-up s</th>")
            text = files[2].read_text()
        self.assertIn("| ranks | variant | wall s | set-up s | loop s |", text)
        self.assertIn("| 4‡ | MPI | 4.000 |", text)
        self.assertIn("| 4‡ | Oshen remap | 2.000 (2.00x, 2.00 to 2.50) |", text)

    def test_recorded_study(self):
        from oshen_lammps_study import page
        results = json.loads((ROOT / "bench/record/data/lammps.json").read_text()) \
            | {"asked": 10, "command": "oshen-lammps-study --lmp lmp"}
        with tempfile.TemporaryDirectory() as folder:
            files = self.looked_at(lambda: page.write(results, Path(folder, "study.html")))
            self.check_page(files[0].read_text(), "oshen-lammps-study --lmp lmp", results["machine"]["date"])

    def test_a_study_is_drawn_again(self):
        """By --read, from the record alone; the gallery shows its figure."""
        from oshen_lammps_study import cli
        record = ROOT / "bench/record/data/lammps.json"
        with tempfile.TemporaryDirectory() as folder:
            page, figure = Path(folder, "study.html"), Path(folder, "study.svg")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.looked_at(lambda: cli.main(["--read", str(record), "--out", str(page), "--figure", str(figure)]))
            self.assertEqual(said.getvalue().splitlines()[-1], f"written: {figure}")
            self.assertEqual(json.loads(page.with_suffix(".json").read_text()), json.loads(record.read_text()))
            self.check_page(page.read_text(), json.loads(record.read_text())["machine"]["date"])
            shown = (ROOT / "docs/user/pictures/lammps_study.svg").read_text()
            self.assertTrue(figure.read_text() == shown,
                            "lammps_study.svg is not of lammps.json: run the command of docs/user/gallery.md")
            for wrong, problem in ((Path(folder), "Is a directory"), (figure, "Expecting value"),
                                   (page.with_suffix(".none"), "No such file")):
                with self.assertRaisesRegex(SystemExit, f"^oshen-lammps-study: cannot read {wrong}: {problem}"):
                    cli.main(["--read", str(wrong), "--out", str(page)])
            with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit):
                cli.main(["--read", str(record), "--figure", "study.bmp"])
            self.assertIn("study.bmp: expected a name that ends in .svg, .png or .pdf", said.getvalue())

    def test_crossover_map(self):
        from oshtune.figure import write_map
        from oshtune.measurement import Measurement
        from oshtune.points import Point, Team
        designs = {"inline": "one-sided", "ring": "two-sided", "partitioned": "single-copy"}
        points = [Point(Team(n, n == 2, {}), collective, "S", size, "inline", designs,
                        {name: [1000.0 * (k + 1) + size / (k + 1)] * 3 for k, name in enumerate(designs)})
                  for n in (2, 8) for collective in ("sync", "reduce_scatter", "alltoallv")
                  for size in (8, 512, 32768, 1 << 20)]
        made = Measurement("Some CPU of a name that is long (R) 9999X, 2 CPUs", "oshtune --map map.svg", "2026-11-23",
                           4.0, 2, 7)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("map.html", "map.svg"):
                self.looked_at(lambda: write_map(Path(folder, name), points, made))
                for words in ("alltoallv, 8 PEs‡", "alltoallv, 2 PEs<", "3 rounds (7 requested",
                              "the load was 4.0 on 2 CPUs", "2026-11-23"):
                    self.assertIn(words, Path(folder, name).read_text(), name)
            self.check_page(Path(folder, "map.html").read_text(), "oshtune --map map.svg")

    def test_scale_model(self):
        import model
        self.assertIn("start-up", self.looked_at(lambda: model.svg(model.FABRICS["published"], 64)))

    def test_profile(self):
        from oshprof import pictures as oshprof_pictures
        from oshprof.timeline import Timeline
        with tempfile.TemporaryDirectory() as folder:
            processes = [self.process(folder, n) for n in range(40)]
            report = {"expected": 40, "matrix": [[n, (n + 1) % 40, 3, 1000 * n] for n in range(40)]}
            for name in ("all.svg", "all.png"):
                self.looked_at(lambda: oshprof_pictures.timeline(Timeline(folder, processes), str(Path(folder, name))))
                self.looked_at(lambda: oshprof_pictures.matrix(report, str(Path(folder, "matrix-" + name))))
                self.assertGreater(Path(folder, name).stat().st_size, 1000)
            # the bar has numbers also if the sizes are alike
            for sizes in ([0] * 3, [5000] * 3, [5000, 7000, 9000], [10, 5000, 700_000]):
                report = {"expected": 3, "matrix": [[n, (n + 1) % 3, 1, size] for n, size in enumerate(sizes)]}
                self.looked_at(lambda: oshprof_pictures.matrix(report, str(Path(folder, "alike.svg"))))
                text = Path(folder, "alike.svg").read_text()
                numbers = re.findall(r">([^<]* k?B)<", text)
                self.assertGreaterEqual(len(numbers), 2, sizes)
                self.assertEqual([each for each in numbers if not re.fullmatch(r"\d+(\.\d)? k?B", each)], [])
            shares = Timeline(folder, processes).shares()
            self.assertAlmostEqual(sum(shares["wait"][7]) / len(shares["wait"][7]), 0.5, 3)
            self.assertEqual(sum(map(sum, shares["send"])), 0)

    def test_profile_with_messages(self):
        """Few messages are arrows from row to row, at times of one clock; many are left out, and so is one that never
        arrived."""
        from oshprof import pictures as oshprof_pictures
        from oshprof.timeline import Timeline
        with tempfile.TemporaryDirectory() as folder:
            for messages, drawn in ((3, 3), (oshprof_pictures.MOST_ARROWS, oshprof_pictures.MOST_ARROWS),
                                    (oshprof_pictures.MOST_ARROWS + 1, 0)):
                processes = [self.process(folder, n) for n in range(3)]
                for n in range(messages):
                    self.add_end(folder, n % 3, n, "s", 1e6 + 1000 * n)
                    self.add_end(folder, (n + 1) % 3, n, "f", 1.2e6 + 1000 * n)
                self.add_end(folder, 2, messages, "s", 1e6)
                story, file = Timeline(folder, processes), Path(folder, "arrows.svg")
                self.assertEqual(story.n_arrows, messages)
                self.assertEqual(story.arrows()[:2], [((0, 0), (2e5, 1)), ((2000, 2), (2.02e5, 0))])
                self.looked_at(lambda: oshprof_pictures.timeline(story, str(file)))
                text = file.read_text()
                self.assertEqual((text.count('id="arrow_'), ">message<" in text), (drawn, drawn > 0), messages)

    def add_end(self, folder, process, number, kind, when):
        """An end of an arrow, by the clock of the host of this process."""
        with Path(folder, f"mpi-{process}.events").open("a") as file:
            file.write(",\n" + json.dumps({"ph": kind, "id": number, "pid": process, "tid": 1, "ts": when
                                           + 5e6 * (process % 2), "name": "message"}))

    def process(self, folder, number):
        """Half a second of waiting, then half a second of nothing but a receive of 10 ms, on one of two hosts whose
        clocks differ."""
        shift = 5e6 * (number % 2)
        calls = [("wait", 1e6 + shift, 5e5), ("recv", 1.99e6 + shift, 1e4)]
        Path(folder, f"mpi-{number}.events").write_text(",\n".join(
            json.dumps({"ph": "X", "pid": number, "tid": 1, "ts": at, "dur": long, "cat": kind, "name": "x"}) for kind,
            at, long in calls))
        return {"interface": "mpi", "process": number, "timeline": {"host": f"h{number % 2}",
                                                                    "clock": -round(shift * 1000), "missing": 0}}

    def test_what_is_said_of_a_measurement(self):
        self.assertEqual((origin.count(1, 2), origin.count(4, 2), origin.count(4, 0, "PE")),
                         ("1 rank", "4 ranks‡", "4 PEs"))
        self.assertEqual(origin.samples(3, 3), "3 samples")
        self.assertEqual(origin.warnings([1, 2], 2, 1.9), [])


if __name__ == "__main__":
    unittest.main()
