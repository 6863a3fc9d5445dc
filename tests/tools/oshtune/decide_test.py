#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decisions of oshtune from given samples: the algorithms that it must or must not call faster, and the file that it writes."""

import io
import math
import sys
import tempfile
import unittest
from pathlib import Path

from oshtune import decide, report, samples, sweep, tuning_file, verify
from oshtune.measurement import Measurement
from oshtune.points import Point, Team
from oshtune.progress import Progress, duration

sys.dont_write_bytecode = True


TWO = Team(2, True, {})
DESIGNS = {"inline": "one-sided", "ring": "two-sided", "partitioned": "single-copy"}


def point(size, samples, collective="reduce", team=TWO, incumbent="inline"):
    known = {name: DESIGNS[name] for name in samples}
    return Point(team, collective, "OSHEN_COLL_" + collective.upper(), size, incumbent, known, dict(samples))


class Winners(unittest.TestCase):
    def winner(self, samples):
        return decide.decide([point(8, samples)])[2, "reduce", 8]

    def test_clearly_faster_wins(self):
        self.assertEqual(self.winner({"inline": [100, 101, 99, 100], "partitioned": [50, 52, 51, 49]}), "partitioned")

    def test_noise_does_not(self):
        self.assertEqual(self.winner({"inline": [100, 140, 90, 120, 100], "partitioned": [95, 141, 88, 121, 97]}), "inline")

    def test_faster_by_less_than_the_margin_does_not(self):
        self.assertEqual(self.winner({"inline": [100] * 7, "partitioned": [98] * 7}), "inline")

    def test_rounds_are_compared_in_pairs(self):  # the machine is ten times slower in every other round
        self.assertEqual(self.winner({"inline": [100, 1000, 100, 1000], "partitioned": [80, 800, 81, 801]}), "partitioned")

    def test_one_bad_round_of_seven_is_forgiven_one_of_four_is_not(self):
        self.assertEqual(self.winner({"inline": [100] * 7, "partitioned": [50] * 6 + [900]}), "partitioned")
        self.assertEqual(self.winner({"inline": [100] * 4, "partitioned": [50] * 3 + [900]}), "inline")

    def test_too_few_rounds_prove_nothing(self):
        self.assertEqual(self.winner({"inline": [100] * 3, "partitioned": [50] * 3}), "inline")

    def test_those_who_left_the_race_do_not_win(self):
        self.assertEqual(self.winner({"inline": [100] * 4, "partitioned": [10, None, None, None]}), "inline")

    def test_bound(self):
        self.assertEqual(decide.upper_bound([1, 2, 3, 4]), 4)
        self.assertEqual(decide.upper_bound([3, 1, 2]), math.inf)
        self.assertEqual(decide.upper_bound([7, 6, 5, 4, 3, 2, 1]), 6)

    def test_neighbouring_sizes_share_where_it_costs_little(self):
        even = {"inline": [100] * 4, "partitioned": [50] * 4, "ring": [49.5] * 4}
        clear = {"inline": [100] * 4, "partitioned": [50] * 4, "ring": [90] * 4}
        found = decide.decide([point(8, clear), point(64, even), point(512, clear)])
        self.assertEqual([found[2, "reduce", size] for size in (8, 64, 512)], ["partitioned"] * 3)


class Race(unittest.TestCase):
    def test_the_slow_leave_but_not_the_best_of_a_design(self):
        slow = point(8, {"inline": [10, 10], "partitioned": [90, 90], "ring": [95, 95]})
        slow.designs["ring"] = "single-copy"
        self.assertTrue(sweep.still_in_the_race(slow, "partitioned"))
        self.assertFalse(sweep.still_in_the_race(slow, "ring"))

    def test_one_bad_sample_does_not_end_it(self):
        bad = point(8, {"inline": [10], "partitioned": [9]})
        bad.designs["ring"], bad.samples["ring"] = "single-copy", [5000]
        self.assertTrue(sweep.still_in_the_race(bad, "ring"))

    def test_every_round_has_every_algorithm_at_all_its_sizes(self):
        lines, owners = sweep.job_lines([point(8, {"inline": []}), point(64, {"inline": [], "partitioned": []})])
        self.assertEqual(lines, ["j0 reduce OSHEN_COLL_REDUCE=inline 8,64", "j1 reduce OSHEN_COLL_REDUCE=partitioned 64"])
        self.assertEqual(len(owners), 3)


class Rounds(unittest.TestCase):
    """Each round has another order, and every sample is assigned to its algorithm and size."""

    def setUp(self):
        self.points = [point(size, {"inline": [], "partitioned": [], "ring": []}) for size in (8, 64)]
        self.orders = []

    def jobs(self, n_pes, lines, seconds, each):
        """Invented measurements: the size, plus a tenth for each letter of the name."""
        self.orders.append([line.split("=")[1].split()[0] for line in lines])
        return {(line.split()[0], int(size)): int(size) + len(line.split("=")[1].split()[0]) / 10
                for line in lines for size in line.split()[-1].split(",")}

    def test_order_and_samples(self):
        sweep.sweep(self, self.points, 6, Progress(True, 0.01))
        self.assertEqual({frozenset(order) for order in self.orders}, {frozenset(["inline", "partitioned", "ring"])})
        self.assertGreater(len({tuple(order) for order in self.orders}), 2)
        for p in self.points:
            self.assertEqual(p.samples, {name: [p.bytes + len(name) / 10] * 6 for name in p.designs})


class TimeLeft(unittest.TestCase):
    """With an artificial clock: 2 PEs take a second for each of 10 measurements, 8 PEs take four seconds."""

    def setUp(self):
        self.time, self.said = 0.0, io.StringIO()
        self.progress = Progress(False, 2.0, self.said, lambda: self.time)

    def round(self, team, seconds, points=10):
        self.progress.start(team, points, "round")
        for _ in range(points):
            self.time += seconds
            self.progress.step()
        self.progress.finish()

    def test_a_guess_first_then_the_pace_of_each_team(self):
        self.progress.plan(3, {2: 10, 8: 10}, {8}, ", and more")  # guesses 2 s for a measurement, with 8 PEs 10 s
        self.assertEqual(self.said.getvalue(), "oshtune:   0.0 s: 3 rounds of 20 measurements: about 6 min, and more\n")
        self.round(2, 1)
        self.assertEqual(self.progress.left(), 2 * 10 + 3 * 10 * 5)  # 8 PEs have not been measured yet
        self.round(8, 4)
        self.assertEqual(self.progress.left(), 2 * 10 + 2 * 40)
        self.round(2, 1, 5)  # hopeless algorithms have been dropped
        self.assertEqual(self.progress.left(), 5 + 2 * 40)
        self.progress.start(8, 10, "round")
        self.time += 8
        self.progress.step()
        self.progress.step()
        self.assertEqual(self.progress.left(), 5 + (20 - 2) * 4)
        self.time += 40
        self.progress.step()
        self.assertIn("round: 3 of 10; 5 min left\n", self.said.getvalue())  # a file gets few lines

    def test_nothing_to_do_and_nothing_to_say(self):
        self.progress.plan(0, {}, set())
        self.assertEqual(self.progress.left(), 0)
        quiet = Progress(True, 1, self.said, lambda: 0)
        before = self.said.getvalue()
        quiet.plan(1, {2: 1}, set())
        self.assertEqual(self.said.getvalue(), before)

    def test_in_words(self):
        self.assertEqual([duration(s) for s in (-1, 5.4, 89, 91, 3600, 6000)], ["0 s", "5 s", "89 s", "2 min", "60 min", "1 h 40 min"])


class Samples(unittest.TestCase):
    def test_come_back_with_where_they_are_from(self):
        made = Measurement("Some CPU, 2 CPUs", "oshtune --samples x", "2026-11-23", 3.5, 2, 7)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "samples.json")
            samples.save(file, [point(8, {"inline": [1.0, None]})], made, {"copy-ns": 0.1})
            found, again, costs = samples.load(file)
            file.write_text('{"machine": "Old CPU", "costs": {}, "points": []}')  # the format of earlier versions
            self.assertEqual(samples.load(file)[1], Measurement("Old CPU"))
        self.assertEqual((again, costs, found[0].samples), (made, {"copy-ns": 0.1}, {"inline": [1.0, None]}))
        self.assertIn("2 rounds (7 requested); load 3.5", made.facts(found)[1])
        self.assertEqual(made.warnings(found), ["the load was 3.5 on 2 CPUs: other programs were running"])
        eight = Point(Team(8, False, {}), "reduce", "S", 8, "inline", {}, {})
        self.assertIn("‡ more PEs than CPUs (8 on 2)", made.warnings([eight])[0])


class File(unittest.TestCase):
    def test_ranges_of_pes(self):
        self.assertEqual(tuning_file.pes_ranges([2]), {2: "2"})
        self.assertEqual(tuning_file.pes_ranges([8]), {8: "5-16"})
        self.assertEqual(tuning_file.pes_ranges([2, 4, 8]), {2: "2", 4: "3-5", 8: "6-16"})

    def test_limits_lie_between_the_measured_sizes(self):
        self.assertEqual(tuning_file.between(8, 32), 16)
        self.assertEqual(tuning_file.between(8, 256), 32)
        points = [point(size, {"inline": [100] * 4, "partitioned": [50 if size > 8 else 200] * 4}) for size in (8, 32, 128)]
        lines = tuning_file.use_lines(points, decide.decide(points), "2")
        self.assertEqual([line.split("#")[0].split() for line in lines],
                         [["use", "reduce", "2", "own", "16", "inline"], ["use", "reduce", "2", "own", "all", "partitioned"]])


class Again(unittest.TestCase):
    def gain(self, size, ratio, collective="reduce"):
        return verify.Gain(point(size, {"inline": [100]}, collective), "inline", "partitioned", 100, 100 * ratio, ratio)

    def test_what_does_not_hold_is_taken_back(self):
        gains = [self.gain(8, 0.5), self.gain(64, 1.01)]
        winners = {(2, "reduce", 8): "partitioned", (2, "reduce", 64): "partitioned"}
        verify.take_back(gains, winners)
        self.assertEqual(list(winners.values()), ["partitioned", "inline"])
        self.assertIn("1 taken back", report.gains_text(gains, 2))
        self.assertIn("2.00 times as fast (geometric mean", report.gains_text(gains, 2))


if __name__ == "__main__":
    unittest.main()
