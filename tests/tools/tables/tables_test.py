#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No tool cuts a cell of a table: each fits 80 columns, or is wrapped between words. No ratio comes from a single round."""

import fcntl
import io
import itertools
import json
import os
import pty
import struct
import subprocess
import termios
import unittest
from pathlib import Path
from unittest import mock

try:
    import rich.console
except ImportError:
    rich = None

OSHINFO = os.environ["OSHINFO"]
WIDTHS = (80, 200)


def in_terminal(columns, *words):
    """The lines that a program writes to a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=theirs)
    os.close(theirs)
    told = b""
    try:
        while part := os.read(ours, 65536):
            told += part
    except OSError:
        pass  # the program has ended
    os.close(ours)
    assert process.wait(60) == 0, words
    return told.decode().replace("\r\n", "\n").splitlines()


class Oshinfo(unittest.TestCase):
    def test_a_terminal_gets_lines_of_its_width_and_no_word_is_lost(self):
        for words in ((), ("--settings",), ("--coll",), ("--algorithms",)):
            whole = subprocess.run([OSHINFO, *words], capture_output=True, text=True, check=True).stdout
            for columns in WIDTHS:
                lines = in_terminal(columns, OSHINFO, *words)
                with self.subTest(words=words, columns=columns):
                    self.assertEqual([line for line in lines if len(line) > columns and " " in line.strip()], [])
                    if words:  # the whole output has the free memory, which changes
                        self.assertEqual(" ".join(lines).split(), whole.split())

    def test_the_table_of_collectives_fits_a_pipe_of_80_columns(self):
        out = subprocess.run([OSHINFO, "--coll", "-n", "64"], capture_output=True, text=True, check=True).stdout
        table = out.partition("  collective ")[2].splitlines()
        self.assertGreater(len(table), 20)
        self.assertEqual([line for line in table[1:] if len(line) > 80], [])


class Help(unittest.TestCase):
    def test_the_options_of_each_tool_fit_80_columns(self):
        for name in ("oshrun", "oshinfo", "oshtune", "oshprof", "oshbench", "oshen-lammps", "oshen-lammps-study"):
            program = Path(OSHINFO).with_name(name)
            if not program.exists() and name.startswith("oshen-lammps"):
                continue  # not configured
            environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
            piped = subprocess.run([program, "--help"], capture_output=True, text=True, check=True, env=environment).stdout
            for lines in (piped.splitlines(), in_terminal(80, program, "--help")):
                with self.subTest(name=name):
                    self.assertGreater(len(lines), 5)
                    self.assertEqual([line for line in lines if len(line) > 80], [])


class Oshtune(unittest.TestCase):
    DESIGNS = {"rabenseifner-message": "two-sided", "rabenseifner-put": "one-sided", "partitioned": "single-copy"}

    def points(self, rounds):
        from oshtune.points import Point, Team
        times = {name: [(number + 2) * 123456.0] * rounds for number, name in enumerate(self.DESIGNS)}
        sizes = [8 << (2 * power) for power in range(10)]
        return [Point(Team(pes, False, {}), collective, "OSHEN_COLL", size, "partitioned", self.DESIGNS, times)
                for pes, collective, size in itertools.product((2, 1024), ("reduce_to_root", "reduce_scatter"), sizes)]

    def printed(self, columns, rounds):
        from oshtune import report
        from oshtune.verify import Gain
        points = self.points(rounds)
        gains = [Gain(p, "rabenseifner-message", "hierarchical-put", 123456.0, 61728.0, 0.5) for p in points]
        with mock.patch.dict(os.environ, COLUMNS=str(columns)):
            return (report.gains_text(gains, 99) + "\n" + report.crossover_text(points)).splitlines()

    def test_its_report_fits_and_loses_no_word(self):
        for columns in WIDTHS:
            lines = self.printed(columns, 7)
            self.assertEqual([line for line in lines if len(line) > columns], [])
            words = " ".join(lines).split()
            for word, times in (("rabenseifner-message", 40), ("2.00", 41), ("two-sided", 40), ("(1.5),", 36), ("(1.5)", 4)):
                self.assertEqual(words.count(word), times, (columns, word))

    def test_no_ratio_comes_from_fewer_than_three_rounds(self):
        for rounds in (1, 2, 3):
            text = " ".join(self.printed(200, rounds))
            self.assertEqual("(1.5)" in text, rounds == 3)
            self.assertEqual("too few rounds to say" in text, rounds < 3)


def results(rounds, names=("MPI", "Oshen remap", "Oshen FFT"), seconds=123.456):
    """Results of a study with long numbers. `rounds`: the wall times of MPI relative to those of the others."""
    parts = ("wall", "loop", "fft")
    samples = {name: [dict.fromkeys(parts, seconds * (r if name == "MPI" else 1)) for r in rounds] for name in names}
    ways = {name: {**{part: {"median": seconds} for part in parts}, "mpi": name == "MPI", "exact": name != "Oshen FFT", "error": 1e-14}
            for name in names}
    experiment = {"name": "Standard mesh", "about": "32 000 atoms, LAMMPS' own mesh, 8 steps",
                  "points": [{"ranks": 1024, "ways": ways}], "samples": [samples]}
    return {"rounds": len(rounds), "experiments": [experiment],
            "machine": {"cpus": 2, "cpu": "Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz"}}


@unittest.skipIf(rich is None, "no rich (.venv)")
class Run(unittest.TestCase):
    def rendered(self, columns, rounds, others=0.05):
        import run_report
        out = io.StringIO()
        run_report.show(rich.console.Console(width=columns, file=out), results(rounds), others)
        return out.getvalue()

    def test_the_table_of_make_run_is_whole(self):
        for columns in WIDTHS:
            for rounds, verdict in (((0.82, 1.1, 1.3), "too noisy to say (0.82 to 1.30)"), ((1.05, 1.1, 1.3), "1.10x (1.05 to 1.30)"),
                                    ((0.98, 1.0, 1.01), "1.00x (0.98 to 1.01)"), ((0.7, 0.8, 0.9), "0.80x (0.70 to 0.90)")):
                text = self.rendered(columns, rounds)
                with self.subTest(columns=columns, rounds=rounds):
                    self.assertNotIn("…", text)
                    self.assertEqual([line for line in text.splitlines() if len(line) > columns], [])
                    self.assertEqual(text.count(verdict), 2, text)
                    self.assertEqual(text.count("123.46"), 9, text)

    def test_no_ratio_comes_from_a_busy_machine(self):
        text = self.rendered(80, (0.64, 0.66, 0.72), others=1.5)
        self.assertEqual(text.count("too busy to say (0.64 to 0.72)"), 2, text)
        self.assertIn("Other programs used 1.5 CPUs", text)
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])

    def test_what_others_use_does_not_count_this_program(self):
        import run_demo
        with mock.patch("pathlib.Path.read_text", lambda path: "cpu 900000 0 0 0 0 0 0 0\n"):
            before, used = run_demo.Others.seconds(), sum(os.times()[:4])
            subprocess.run(["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"], check=True)
            mine = sum(os.times()[:4]) - used
            self.assertGreater(mine, 0.03)
            self.assertAlmostEqual(before - run_demo.Others.seconds(), mine, delta=0.03)

    def test_no_ratio_comes_from_fewer_than_three_rounds(self):
        for rounds in ((0.82,), (1.1, 1.2)):
            text = self.rendered(80, rounds)
            self.assertIn("too few rounds to say", text)
            self.assertNotIn("x (", text)


class Machine(unittest.TestCase):
    def test_huge_pages(self):
        """The text says what the data has. A kernel before 6.1 makes none unless the administrator allows them."""
        data = json.loads(subprocess.check_output([OSHINFO, "--json"], text=True))
        text = subprocess.check_output([OSHINFO], text=True)
        made = data["machine"]["memory"]["huge_pages"]
        self.assertRegex(text, "memory: .*, pages of .*, " + ("of 2 MiB on request\n" if made else "none of 2 MiB\n"))
        allowed = Path("/sys/kernel/mm/transparent_hugepage/shmem_enabled")
        release = tuple(int(word) for word in os.uname().release.split(".")[:2])
        if release < (6, 1) and "[never]" in (allowed.read_text() if allowed.exists() else "[never]"):
            self.assertFalse(made)


if __name__ == "__main__":
    unittest.main()
