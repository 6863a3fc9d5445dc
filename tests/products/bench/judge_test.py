#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The statistics of oshbench: no false alarms, no missed differences, with made-up launches of known costs."""

import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parents[3] / "bench"
sys.path.insert(0, str(BENCH))

import numpy  # noqa: E402

from oshbench import judge, pairing, samples  # noqa: E402
from oshbench.results import Key, Row  # noqa: E402

CASES = 20


def rows(draw: numpy.random.Generator, launches: int, launch: float, noise: float, outliers: float = 0.0,
         factor: float = 1.0, drift: numpy.ndarray | None = None) -> dict[Key, Row]:
    """Launches with spread `launch`, and batches with spread `noise`, both of the logarithm. `drift` is that of the machine."""
    found = {}
    for case in range(CASES):
        key = Key("put", 8 * (case + 1), 2)
        batches = []
        for number in range(launches):
            middle = 100 * factor * numpy.exp(launch * draw.standard_normal() + (0 if drift is None else drift[number]))
            values = middle * numpy.exp(noise * draw.standard_normal(7))
            values[draw.random(7) < outliers] *= 3
            batches.append(list(values))
        found[key] = Row(key, "ns", "", [float(numpy.median(b)) for b in batches], list(range(launches)), batches)
    return found


def alarms(draws: int, launches: int, paired: bool, **how: float) -> float:
    """The share of tables that call any row faster or slower, although both libraries are the same."""
    draw, false = numpy.random.default_rng(2026), 0
    for _ in range(draws):
        drift = 0.05 * draw.standard_normal(launches) if paired else None
        a, b = (rows(draw, launches, drift=drift, **how) for _ in range(2))
        floor = max(judge.floor({"a": a}), judge.floor({"b": b}))
        verdicts = judge.compare(a, b, ("a", "b"), paired, floor)
        false += any(v.word in ("faster", "slower") for v in verdicts)
    return false / draws


class SameAgainstItself(unittest.TestCase):
    """200 pairs of tables of 20 cases each."""

    def test_quiet_machine(self) -> None:
        self.assertLess(alarms(200, 3, True, launch=0.01, noise=0.02), 0.05)

    def test_noisy_machine(self) -> None:
        self.assertLess(alarms(200, 5, True, launch=0.06, noise=0.1, outliers=0.05), 0.05)

    def test_two_runs(self) -> None:
        self.assertLess(alarms(200, 4, False, launch=0.03, noise=0.05), 0.05)


class RealDifferences(unittest.TestCase):
    def words(self, factor: float, launches: int, launch: float) -> list[str]:
        draw = numpy.random.default_rng(7)
        a = rows(draw, launches, launch, 0.02)
        b = rows(draw, launches, launch, 0.02, factor=factor)
        return [v.word for v in judge.compare(a, b, ("a", "b"), True, judge.floor({"a": a}))]

    def test_are_found(self) -> None:
        self.assertEqual(set(self.words(1.25, 5, 0.01)), {"slower"})
        self.assertEqual(set(self.words(0.8, 5, 0.01)), {"faster"})

    def test_are_not_decided_by_one_launch(self) -> None:
        self.assertEqual(set(self.words(4.0, 1, 0.01)), {"inconclusive"})

    def test_are_small_ones_the_machines(self) -> None:
        self.assertEqual(set(self.words(1.005, 8, 0.002)), {"same"})

    def test_are_not_decided_without_launches(self) -> None:
        self.assertNotIn("same", self.words(1.1, 2, 0.2))

    def test_what_should_be_large_is_turned_round(self) -> None:
        key = Key("overlap.put_percent", 8, 2)
        a, b = (Row(key, "%", "", [v] * 5, list(range(5)), [[v] * 5] * 5) for v in (40.0, 80.0))
        (verdict,) = judge.compare({key: a}, {key: b}, ("a", "b"), True)
        self.assertEqual(verdict.word, "faster")
        self.assertAlmostEqual(verdict.ratio.value, 0.5)


class Nothing(unittest.TestCase):
    """A share may be 0, for which there is no ratio."""

    def word(self, base: list[float], other: list[float]) -> str:
        key = Key("overlap.put_percent", 8, 2)
        rows = [Row(key, "%", "", values, list(range(len(values))), [[v] for v in values]) for values in (base, other)]
        return judge.compare({key: rows[0]}, {key: rows[1]}, ("a", "b"), True)[0].word

    def test_is_as_good_as_nothing(self) -> None:
        self.assertEqual(self.word([0, 0, 0], [0, 0, 0]), "same")

    def test_is_not_wrong(self) -> None:
        self.assertEqual(self.word([0, 0, 0], [30, 31, 32]), "inconclusive")


class Intervals(unittest.TestCase):
    def test_cover_the_truth_as_often_as_they_say(self) -> None:
        draw, covered = numpy.random.default_rng(5), 0
        for _ in range(10):
            for row in rows(draw, 12, 0.03, 0.02).values():
                found = judge.interval(row)
                covered += found.low <= 100 <= found.high
        self.assertGreater(covered / (10 * CASES), 0.88)

    def test_holm_is_never_less_than_p(self) -> None:
        keys = [Key("put", size, 2) for size in range(3)]
        adjusted = judge._holm(dict(zip(keys, (0.01, 0.04, 0.03))))
        self.assertEqual([round(adjusted[key], 3) for key in keys], [0.03, 0.06, 0.06])


class Matched(unittest.TestCase):
    """The time of a cache line is 40 or 220 ns, depending on the present place of the virtual machine's CPUs."""

    @staticmethod
    def row(launches: list[float], references: list[float]) -> Row:
        return Row(Key("barrier_all", 0, 2), "ns", "", launches, list(range(len(launches))), [[v] for v in launches],
                   reference="exchange" if references else None, references=references)

    def test_launches_with_lines_of_one_speed_are_compared(self) -> None:
        ours, peer = self.row([350, 120, 120], [220, 40, 40]), self.row([700, 700, 360], [220, 220, 41])
        self.assertEqual(samples.matched(ours, peer), [(350, 700), (120, 360)])

    def test_without_any_there_is_no_ratio(self) -> None:
        ours, peer = self.row([120], [40]), self.row([700], [220])
        self.assertEqual(samples.matched(ours, peer), [])
        self.assertIsNone(samples.ratio(ours, peer))

    def test_without_references_rounds_are_compared(self) -> None:
        self.assertEqual(samples.matched(self.row([120, 130], []), self.row([60], [])), [(120, 60)])
        self.assertEqual(samples.ratio(self.row([120], []), self.row([60], [])), 2)

    def test_medians_that_the_launches_contradict_are_not_compared(self) -> None:
        """Ours met near CPUs in most launches, the other library far ones: the medians contradict the comparable launches."""
        ours, peer = self.row([930, 381, 380], [190, 33, 33]), self.row([881, 850, 890], [190, 191, 192])
        self.assertGreater(ours.values[0], peer.values[0])
        self.assertFalse(samples.agree(ours, peer))
        self.assertIsNone(samples.ratio(ours, peer))
        keys = {ours.key: ours}, {peer.key: peer}
        (verdict,) = judge.compare(keys[1], keys[0], ("peer", "ours"), True)
        self.assertEqual(verdict.word, "inconclusive")


class Shares(unittest.TestCase):
    def test_are_read(self) -> None:
        self.assertAlmostEqual(pairing.share("5%"), 0.05)
        self.assertAlmostEqual(pairing.share("0.1"), 0.1)
        with self.assertRaises(ValueError):
            pairing.share("much")


class Missing(unittest.TestCase):
    """The number of further launches that would decide."""

    def needed(self, middle: float, spread: float) -> int:
        return judge._needed(judge._Difference(middle, spread ** 2, 4, 5), 0.05, spread, 10)

    def test_what_is_near_nothing_needs_a_narrower_interval(self) -> None:
        self.assertGreater(self.needed(0.0, 0.3), self.needed(0.0, 0.1))
        self.assertLess(self.needed(0.0, 0.1), 10)

    def test_a_large_difference_needs_few_and_one_at_the_edge_never_tells(self) -> None:
        self.assertLess(self.needed(0.5, 0.2), 10)
        self.assertEqual(judge._needed(judge._Difference(0.2, 0.01, 4, 5), 0.59, 0.1, 10), judge.MOST_MORE)


class Gate(unittest.TestCase):
    """The messages of the gate, for invented verdicts."""

    def pairing_of(self, words: list[str], floor: float = 0.0, more: int = 3) -> pairing.Pairing:
        verdicts = [judge.Verdict(Key("put", 8 * (i + 1), 2), "old", "new", judge.Interval(1.0, 0.9, 1.1), 1.0, word,
                                  more + i if word == "inconclusive" else 0) for i, word in enumerate(words)]
        return pairing.Pairing("old", "new", floor, True, verdicts)

    def test_it_does_not_promise_more_than_the_machine_can_show(self) -> None:
        status, told = pairing.gate(self.pairing_of(["same"] * 4 + ["inconclusive"], 0.14), 0.05)
        self.assertEqual(status, 0)
        self.assertIn("slower by more than 14%: 5% was asked for, but the machine's own differences are larger; 1 undecided", told)
        self.assertEqual(pairing.gate(self.pairing_of(["same"] * 4), 0.05)[1], "gate: passed: nothing of 4 is slower by more than 5%\n")

    def test_it_says_how_many_launches_would_tell(self) -> None:
        status, told = pairing.gate(self.pairing_of(["same"] + ["inconclusive"] * 5), 0.05)
        self.assertEqual(status, 2)
        self.assertIn("5 more launches of each (-r)", told)  # the rows need 4 to 8; after 5, half are decided

    def test_what_is_undecided_does_not_hide_the_rest(self) -> None:
        found = self.pairing_of(["slower"] + ["inconclusive"] * 30)
        text = pairing.text(found)
        self.assertEqual(text.count("inconclusive: "), pairing.MOST_UNDECIDED)
        self.assertIn(f"... and {30 - pairing.MOST_UNDECIDED} more that are inconclusive; --all shows them", text)
        self.assertEqual(pairing.text(found, True).count("inconclusive: "), 30)


if __name__ == "__main__":
    unittest.main()
