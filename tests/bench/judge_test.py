#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts of oshbench, calibrated with made-up launches of known costs: false alarms, and differences that must be
found."""

import unittest

import numpy
from oshbench.report import crossings, formats, verdicts
from oshbench.results.rows import Key, Row
from oshbench.statistics import differences, drift, intervals, judge, matching, pairing
from oshbench.statistics.judge import Judgement, Verdict
from record import losses

CASES = 40
SEEDS = (1, 2, 3, 4)
DRAWS = 40  # of each seed
Rows = dict[Key, Row]


class Machine:
    """Invents the launches of libraries. `launch` is the deviation of a launch, `rounds` that of all launches of a
    round, `drift` that of a whole run, all in logarithms. `noisy` times as much deviation in the last eight cases."""

    def __init__(self, seed: int, launches: int = 10, launch: float = 0.02, rounds: float = 0.05, drift: float = 0.05,
                 noisy: float = 1.0, limits: bool = True) -> None:
        self.draw = numpy.random.default_rng(seed)
        self.launches, self.launch, self.rounds = launches, launch, rounds
        self.drift, self.noisy, self.limits = drift, noisy, limits

    def run(self, libraries: int, factors: dict[int, float] | None = None) -> list[Rows]:
        """The libraries of one run. The last one has `factors` times the cost in some cases."""
        run = self.drift * self.draw.standard_normal() + self.rounds * self.draw.standard_normal(self.launches)
        return [self._rows(run, factors or {} if number == libraries - 1 else {}) for number in range(libraries)]

    def _rows(self, run: numpy.ndarray, factors: dict[int, float]) -> Rows:
        found = {}
        for case in range(CASES):
            key = Key(("put", "get", "fetch_add", "sum")[case % 4], 8 << case // 4, 2)
            spread = self.launch * (self.noisy if case >= CASES - 8 else 1)
            values = 100 * factors.get(case, 1) * numpy.exp(run + spread * self.draw.standard_normal(self.launches))
            limits = list(30 * numpy.exp(run + 0.01 * self.draw.standard_normal(self.launches))) if self.limits else []
            found[key] = Row(key, "ns", "", list(values), list(range(self.launches)), [[v] for v in values],
                             reference="store" if limits else None, references=limits)
        return found


def one_run(machine: Machine, factors: dict[int, float] | None = None) -> list[Verdict]:
    return judge.compare(*machine.run(2, factors), ("a", "b"))


def two_runs(machine: Machine, factors: dict[int, float] | None = None) -> list[Verdict]:
    (a,), (b,) = machine.run(1), machine.run(1, factors)
    return judge.compare(a, b, ("a", "b"), drift.between(a, b))


def tables(way, factors: dict[int, float] | None = None, draws: int = DRAWS, **how: object) -> list[list[str]]:
    """The words of many tables of CASES cases, of several seeds."""
    return [[verdict.word for verdict in way(machine, factors)] for seed in SEEDS for machine in [Machine(seed, **how)]
            for _ in range(draws)]


def alarms(found: list[list[str]]) -> float:
    """The share of tables in which any case is called faster or slower."""
    return sum(bool({"faster", "slower"} & set(words)) for words in found) / len(found)


class SameAgainstItself(unittest.TestCase):
    """At most one table in twenty has a false alarm. All seeds are fixed, so a test that passes passes always."""

    WAYS = {
        "one run": (one_run, {}),
        "one run of few launches": (one_run, {"launches": 3}),
        "one run with noisy cases": (one_run, {"launches": 5, "noisy": 10.0}),
        "two runs": (two_runs, {}),
        "two runs with a large drift": (two_runs, {"drift": 0.1}),
        "two runs with noisy cases": (two_runs, {"launches": 5, "noisy": 10.0}),
        "two runs without limits": (two_runs, {"rounds": 0.0, "drift": 0.05 / 2 ** 0.5, "limits": False}),
    }

    def test_raises_few_alarms(self) -> None:
        rates = {name: alarms(tables(way, **how)) for name, (way, how) in self.WAYS.items()}
        self.assertLess(max(rates.values()), 0.08, rates)  # 160 tables of each: chance may show 8 % instead of 5 %
        self.assertLess(sum(rates.values()) / len(rates), 0.05, rates)


class RealDifferences(unittest.TestCase):
    def found(self, way, factor: float, word: str = "slower", **how: object) -> float:
        words = tables(way, {0: factor, 7: factor}, 8, **how)
        return sum(each[case] == word for each in words for case in (0, 7)) / (2 * len(words))

    def test_ten_percent_is_found_with_ten_launches(self) -> None:
        for way in (one_run, two_runs):
            self.assertGreaterEqual(self.found(way, 1.1), 0.9, way.__name__)
            self.assertGreaterEqual(self.found(way, 1 / 1.1, "faster"), 0.9, way.__name__)

    def test_ten_percent_is_never_the_same(self) -> None:
        for launches in (3, 5, 10):
            for way in (one_run, two_runs):
                self.assertLess(self.found(way, 1.1, "same", launches=launches), 0.02)

    def test_half_as_much_again_is_found_whatever_the_others_do(self) -> None:
        for noisy in (1.0, 20.0):
            for way in (one_run, two_runs):
                self.assertGreaterEqual(self.found(way, 1.5, launches=5, noisy=noisy), 0.98, (way.__name__, noisy))

    def test_many_differences_help_each_other(self) -> None:
        """Half of the cases differ, five launches deviate by a tenth: a correction for any false verdict would find few
        of them. Of all differences that are shown, one in twenty may be chance."""
        differ = range(CASES // 2)
        words = tables(one_run, dict.fromkeys(differ, 1.5), launches=5, launch=0.1)
        right = sum(each[case] == "slower" for each in words for case in differ)
        wrong = [sum(word in ("faster", "slower") for word in each[CASES // 2:])
                 / max(1, sum(word in ("faster", "slower") for word in each)) for each in words]
        self.assertGreater(right / (len(differ) * len(words)), 0.9)
        self.assertLess(sum(wrong) / len(wrong), 0.05)

    def test_all_cases_of_a_run_are_found_in_spite_of_its_drift(self) -> None:
        """A library that is slower everywhere is no drift, because the limits say so."""
        words = tables(two_runs, dict.fromkeys(range(CASES), 1.1), 5)
        self.assertGreaterEqual(sum(word == "slower" for each in words for word in each) / (CASES * len(words)), 0.9)

    def test_without_limits_a_drift_is_not_a_difference(self) -> None:
        words = tables(two_runs, dict.fromkeys(range(CASES), 1.1), 5, rounds=0.0, limits=False)
        self.assertLess(sum(word == "same" for each in words for word in each), 1)
        self.assertIn("measure both in one run", drift.Drift().text())

    def test_are_not_decided_by_one_launch(self) -> None:
        self.assertEqual({word for words in tables(one_run, {0: 4.0}, 3, launches=1) for word in words},
                         {"inconclusive"})

    def test_equal_cases_are_the_same(self) -> None:
        words = tables(one_run, draws=5, launch=0.01)
        self.assertGreater(sum(word == "same" for each in words for word in each) / (CASES * len(words)), 0.95)

    def test_what_should_be_large_is_turned_round(self) -> None:
        key = Key("overlap.put_percent", 8, 2)
        a, b = (Row(key, "%", "", [v] * 5, list(range(5)), [[v] * 5] * 5) for v in (40.0, 80.0))
        (verdict,) = judge.compare({key: a}, {key: b}, ("a", "b"))
        self.assertEqual(verdict.word, "faster")
        self.assertAlmostEqual(verdict.ratio.value, 0.5)


class Margins(unittest.TestCase):
    """One case with exact launches."""

    def verdict(self, factor: float, spread: float, launches: int = 10) -> Verdict:
        key = Key("put", 8, 2)
        steps = numpy.linspace(-1, 1, launches)
        values = [[100 * numpy.exp(sign * spread * steps) * times for times in (1,)][0] * (factor if sign > 0 else 1)
                  for sign in (-1, 1)]
        rows = [Row(key, "ns", "", list(v), list(range(launches)), [[x] for x in v]) for v in values]
        return judge.compare({key: rows[0]}, {key: rows[1]}, ("a", "b"))[0]

    def test_same_needs_the_whole_interval_within_the_margin(self) -> None:
        self.assertEqual(self.verdict(1.0, 0.02).word, "same")
        found = self.verdict(1.0, 0.06)
        self.assertEqual(found.word, "inconclusive")
        self.assertGreater(found.ratio.high, 1 + judge.SAME)

    def test_a_sure_difference_below_the_smallest_is_not_one(self) -> None:
        self.assertEqual(self.verdict(1.01, 0.002).word, "same")
        self.assertEqual(self.verdict(1.03, 0.002).word, "slower")

    def test_the_floor_is_that_of_the_case(self) -> None:
        self.assertEqual(self.verdict(1.0, 0.002).floor, judge.SMALLEST)
        self.assertGreater(self.verdict(1.0, 0.06).floor, 0.04)


class OneSource(unittest.TestCase):
    """The map, the table and the losses have one verdict."""

    def setUp(self) -> None:
        a, b = Machine(1, launches=5).run(2, {0: 1.5, 5: 0.6})
        self.table = {"oshen": a, "mpi": b}

    def test_a_cell_has_a_winner_where_the_table_says_so(self) -> None:
        found = Judgement(self.table)
        words = {key: verdict.word for key, verdict in found.of("mpi", "oshen").items()}
        self.assertEqual({word for word in words.values() if word in ("faster", "slower")}, {"faster", "slower"})
        for case in ("put", "get", "fetch_add", "sum"):
            for (size, pes), (winner, _, mark) in crossings.cells(found, case).items():
                word = words[Key(case, size, pes)]
                self.assertEqual(mark, {"same": "=", "inconclusive": "?"}.get(word, ""))
                self.assertTrue(mark or (winner == "oshen") == (word == "faster"))

    def test_a_loss_is_decided_where_the_table_says_so(self) -> None:
        words = {key: verdict.word for key, verdict in Judgement(self.table).of("mpi", "oshen").items()}
        found = {loss.key: loss.decided for loss in losses.losses(self.table)}
        self.assertIn(Key("get", 16, 2), found)
        for key, decided in found.items():
            self.assertEqual(decided, words[key] == "slower")


class Drifts(unittest.TestCase):
    """The case has no limit of its own; the others have."""

    def word(self, slower: float, own: float, unit: str = "ns", spread: float = 0.0) -> str:
        key, draw = Key("app.heat_image.barrier", 0, 2), numpy.random.default_rng(5)
        a, b = Machine(1, drift=0.0, rounds=0.0).run(1)[0], Machine(2, drift=0.0, rounds=0.0).run(1)[0]
        for row in b.values():
            shift = slower * numpy.exp(spread * draw.standard_normal())
            row.values, row.references = [v * shift for v in row.values], [v * shift for v in row.references]
        for rows, factor in ((a, 1.0), (b, own)):
            values = list(1e6 * factor * numpy.exp(0.01 * draw.standard_normal(10)))
            rows[key] = Row(key, unit, "", values, list(range(10)), [[v] for v in values])
        return {v.key: v.word for v in judge.compare(a, b, ("a", "b"), drift.between(a, b))}[key]

    def test_the_middle_of_the_limits_corrects_it(self) -> None:
        self.assertEqual(self.word(1.3, 1.3), "same")
        self.assertEqual(self.word(1.3, 1.0), "faster")
        self.assertEqual(self.word(1.0, 1.3), "slower")

    def test_limits_that_disagree_correct_little(self) -> None:
        self.assertEqual(self.word(1.3, 1.4, spread=0.2), "inconclusive")

    def test_memory_does_not_drift(self) -> None:
        self.assertEqual(self.word(1.3, 1.0, unit="kB"), "same")

    def test_limits_that_are_far_apart_are_another_machine(self) -> None:
        a, b = Machine(1).run(1)[0], Machine(1).run(1)[0]
        for row in b.values():
            row.references = [6 * v for v in row.references]
        self.assertEqual({v.word for v in judge.compare(a, b, ("a", "b"), drift.between(a, b))}, {"inconclusive"})


class Nothing(unittest.TestCase):
    """A share may be 0, for which there is no ratio."""

    def word(self, base: list[float], other: list[float]) -> str:
        key = Key("overlap.put_percent", 8, 2)
        rows = [Row(key, "%", "", values, list(range(len(values))), [[v] for v in values]) for values in (base, other)]
        return judge.compare({key: rows[0]}, {key: rows[1]}, ("a", "b"))[0].word

    def test_is_as_good_as_nothing(self) -> None:
        self.assertEqual(self.word([0, 0, 0], [0, 0, 0]), "same")

    def test_is_not_wrong(self) -> None:
        self.assertEqual(self.word([0, 0, 0], [30, 31, 32]), "inconclusive")

    def test_launches_with_a_zero_are_not_chosen_away(self) -> None:
        self.assertEqual(self.word([0, 30, 30, 30], [60, 60, 60, 60]), "inconclusive")


class Intervals(unittest.TestCase):
    def test_cover_the_truth_as_often_as_they_say(self) -> None:
        covered, machine = [], Machine(5, launches=12, rounds=0.0, drift=0.0)
        for _ in range(5):
            for row in machine.run(1)[0].values():
                found = intervals.interval(row)
                covered.append(found.low <= 100 <= found.high)
        self.assertGreater(sum(covered) / len(covered), 0.88)

    def test_of_a_ratio_cover_it_too(self) -> None:
        covered = [v.ratio.low <= 1 <= v.ratio.high for seed in SEEDS for way in (one_run, two_runs)
                   for machine in [Machine(seed)]
                   for _ in range(5) for v in way(machine)]
        self.assertGreater(sum(covered) / len(covered), 0.94)

    def test_are_printed_with_ends_that_differ(self) -> None:
        self.assertEqual([formats.interval(*ends) for ends in ((1.0012, 1.0049), (0.5, 0.75), (0.0011, 0.0012),
                                                               (2.0, 2.0))],
                         ["1.001 … 1.005", "0.50 … 0.75", "0.0011 … 0.0012", "2.000000 … 2.000000"])

    def test_corrected_p_is_never_less_than_p(self) -> None:
        found = judge.benjamini_hochberg(numpy.array([0.01, 0.04, 0.03, 0.9]))
        self.assertEqual([round(p, 4) for p in found], [0.04, 0.0533, 0.0533, 0.9])


class Matched(unittest.TestCase):
    """The time of a cache line is 40 or 220 ns, depending on the present place of the virtual machine's CPUs."""

    @staticmethod
    def row(launches: list[float], references: list[float]) -> Row:
        return Row(Key("barrier_all", 0, 2), "ns", "", launches, list(range(len(launches))), [[v] for v in launches],
                   reference="exchange" if references else None, references=references)

    def test_launches_with_lines_of_one_speed_are_compared(self) -> None:
        ours, peer = self.row([350, 120, 120], [220, 40, 40]), self.row([700, 700, 360], [220, 220, 41])
        self.assertEqual(matching.matched(ours, peer), [(350, 700), (120, 360)])

    def test_without_any_there_is_no_ratio(self) -> None:
        ours, peer = self.row([120], [40]), self.row([700], [220])
        self.assertEqual(matching.matched(ours, peer), [])
        self.assertIsNone(matching.ratio(ours, peer))

    def test_without_references_rounds_are_compared(self) -> None:
        self.assertEqual(matching.matched(self.row([120, 130], []), self.row([60], [])), [(120, 60)])
        self.assertEqual(matching.ratio(self.row([120], []), self.row([60], [])), 2)

    def test_medians_that_the_launches_contradict_are_not_compared(self) -> None:
        """Ours met near CPUs in most launches, the other library far ones: the medians contradict the comparable
        launches."""
        ours, peer = self.row([930, 381, 380], [190, 33, 33]), self.row([881, 850, 890], [190, 191, 192])
        self.assertGreater(ours.values[0], peer.values[0])
        self.assertFalse(matching.agree(ours, peer))
        self.assertIsNone(matching.ratio(ours, peer))
        keys = {ours.key: ours}, {peer.key: peer}
        (verdict,) = judge.compare(keys[1], keys[0], ("peer", "ours"))
        self.assertEqual(verdict.word, "inconclusive")


class Shares(unittest.TestCase):
    def test_are_read(self) -> None:
        self.assertAlmostEqual(verdicts.share("5%"), 0.05)
        self.assertAlmostEqual(verdicts.share("0.1"), 0.1)
        with self.assertRaises(ValueError):
            verdicts.share("much")


class Missing(unittest.TestCase):
    """The number of further launches that would decide."""

    def needed(self, middle: float, spread: float, fixed: float = 0.0) -> int:
        return judge.needed(differences.Difference(middle, 1.0, 4, spread, 5, fixed), 10)

    def test_what_is_near_nothing_needs_a_narrower_interval(self) -> None:
        self.assertGreater(self.needed(0.0, 0.1), self.needed(0.0, 0.05))
        self.assertLess(self.needed(0.0, 0.05), 10)

    def test_a_large_difference_needs_few_and_one_at_the_edge_many(self) -> None:
        self.assertLess(self.needed(0.5, 0.2), 10)
        self.assertEqual(self.needed(0.05, 0.3), judge.MOST_MORE)

    def test_launches_do_not_help_against_a_drift(self) -> None:
        self.assertEqual(self.needed(0.0, 0.02, 0.05), judge.MOST_MORE)


class Gate(unittest.TestCase):
    """The messages of the gate, for invented verdicts."""

    INTERVALS = {"same": (1.0, 0.98, 1.03), "inconclusive": (1.0, 0.9, 1.1), "slower": (1.2, 1.1, 1.3),
                 "faster": (0.5, 0.4, 0.6)}

    def pairing_of(self, words: list[str], more: int = 3) -> pairing.Pairing:
        verdicts = [Verdict(Key("put", 8 * (i + 1), 2), "old", "new", intervals.Interval(*self.INTERVALS[word]), 1.0,
                            word, more + i if word == "inconclusive" else 0) for i, word in enumerate(words)]
        return pairing.Pairing("old", "new", True, verdicts)

    def test_it_does_not_promise_more_than_the_launches_show(self) -> None:
        status, told = verdicts.gate(self.pairing_of(["same"] * 4 + ["inconclusive"]), 0.05)
        self.assertEqual((status, told), (0, "gate: passed: no case was found slower by more than 5%; 1 of 5 cases "
                                             "may be slower by more than 5%, for want of launches\n"))
        self.assertEqual(verdicts.gate(self.pairing_of(["same"] * 4), 0.05)[1],
                         "gate: passed: none of 4 cases is slower by more than 5%\n")

    def test_what_is_the_same_within_five_percent_may_be_slower_by_two(self) -> None:
        self.assertEqual(verdicts.gate(self.pairing_of(["same"] * 4), 0.02)[0], 2)

    def test_it_fails_for_one_slower_case(self) -> None:
        status, told = verdicts.gate(self.pairing_of(["same"] * 4 + ["slower"]), 0.05)
        self.assertEqual(status, 1)
        self.assertIn("1 slower by more than 5%: put 40 B", told)
        self.assertEqual(verdicts.gate(self.pairing_of(["faster"] * 4 + ["slower"]), 0.4)[0], 0)

    def test_it_says_how_many_launches_would_tell(self) -> None:
        status, told = verdicts.gate(self.pairing_of(["same"] + ["inconclusive"] * 5), 0.05)
        self.assertEqual(status, 2)
        self.assertIn("5 more launches of each (-r)", told)  # the rows need 4 to 8; after 5, half are decided

    def test_what_is_undecided_does_not_hide_the_rest(self) -> None:
        found = self.pairing_of(["slower"] + ["inconclusive"] * 30)
        text = verdicts.text(found)
        self.assertEqual(text.count("inconclusive: "), verdicts.MOST_UNDECIDED)
        self.assertIn(f"... and {30 - verdicts.MOST_UNDECIDED} more that are inconclusive; --all shows them", text)
        self.assertEqual(verdicts.text(found, True).count("inconclusive: "), 30)


if __name__ == "__main__":
    unittest.main()
