#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a run contains all measurements and is self-contained; a browser draws it on large and small screens."""

import base64
import gzip
import json
import math
import re
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from made_up_run import Structure, entry, run
from oshbench.cases.app_names import variant_of
from oshbench.report import (
    figures,
    formats,
    guidelines,
    page,
    protocols,
    radar,
    scaling,
    sentences,
    shapes,
    thread_shapes,
)
from oshbench.results import designs
from oshbench.results.record_file import expand
from oshbench.results.rows import Key, Row, table_of_run
from oshbench.results.run import Run
from oshbench.statistics import intervals, judge
from record import folders, papers
from record.reduce import reduce

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def words_of(saved: Run) -> str:
    """The page with empty pictures, for tests of its words: drawing takes most of the time."""
    def empty(figure, title: str) -> str:
        figures.style.finish(figure)
        return f"<svg aria-label='{title}'></svg>"
    with mock.patch.object(figures, "inline", empty):
        return page.render(saved)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.saved = run({"oshen": 1.0, "slow": 2.0, "crashing": 3.0})
        cls.text = page.render(cls.saved)

    def test_is_whole_and_stands_alone(self) -> None:
        found = Structure()
        found.feed(self.text)
        self.assertEqual((found.wrong, found.open, found.fetched), ([], [], []))
        self.assertGreater(found.pictures, 12)

    def test_has_every_section(self) -> None:
        for name in ("radar", "verdicts", "pt2pt", "atomics", "collectives", "threads", "sync", "apps", "memory",
                     "manage", "rules", "spread", "matrix", "environment", "all"):
            self.assertTrue(f'<section id="{name}">' in self.text, name)
        for words in ("prefers-color-scheme: dark", "@media print", "A=1", "signal 6", "Fastest library: broadcast"):
            self.assertTrue(words in self.text, words)

    def test_says_who_is_faster(self) -> None:
        self.assertTrue(re.search(r"oshen against slow, time: faster in \d\d, as fast in 0, slower in 0 of \d\d cases",
                                  self.text))

    def test_a_verdict_begins_with_its_case(self) -> None:
        self.assertTrue(re.search(r"<tr><td>put_quiet 8 B</td><td class=\"good\">faster</td><td>0.50</td>.*<td>put of "
                                  r"8 bytes, completed</td>", self.text))
        self.assertTrue(re.search(r"<tr><td>memory.barrier.pss</td><td class=\"good\">smaller</td>", self.text))

    def test_each_kind_of_operation_has_its_line(self) -> None:
        self.assertTrue(re.search(r"<td>threads</td><td>8 faster; 0.50 of the time in the median of 4</td>", self.text))
        self.assertTrue(re.search(r"<td>atomics</td><td>4 faster</td>", self.text))  # too few cases for a median

    def test_says_where_the_other_is_better(self) -> None:
        self.assertFalse("Slowest beside it" in self.text)
        self.assertRegex(words_of(run({"oshen": 2.0, "fast": 1.0}, False)), r"Slowest beside it: \w+[^.]*\(\d\.\d\d×\)")

    def test_holds_the_raw_data(self) -> None:
        raw = re.search(r'id="raw">([^<]+)<', self.text)[1]
        self.assertEqual(Run.from_dict(json.loads(gzip.decompress(base64.b64decode(raw)))), self.saved)

    def test_names_what_is_hostile(self) -> None:
        saved = run({"<script>x</script>": 1.0}, False)
        self.assertFalse("<script>x" in page.render(saved))

    def test_of_one_library_has_nothing_to_compare(self) -> None:
        self.assertTrue("nothing to compare" in words_of(run({"oshen": 1.0}, False)))

    @unittest.skipUnless(BROWSER, "no Chromium: what a browser makes of it is not looked at")
    def test_a_browser_draws_it(self) -> None:
        for width in (1280, 400):
            with tempfile.TemporaryDirectory(prefix="oshbench-browser-") as folder:
                file, shot = Path(folder) / "page.html", Path(folder) / "shot.png"
                file.write_text(self.text, encoding="utf-8")
                subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                                f"--user-data-dir={folder}/profile", f"--window-size={width},1600",
                                f"--screenshot={shot}", file.as_uri()],
                               capture_output=True, timeout=300, check=True)
                self.assertGreater(self.colours(shot), 5, width)

    @unittest.skipUnless(BROWSER, "no Chromium: what a browser makes of it is not looked at")
    def test_a_narrow_page_shows_the_name_of_each_case(self) -> None:
        """In a column of 420 pixels the page is no wider, and no table is scrolled before its first column and its
        second are seen."""
        script = """<script>onload = () => {
            const page = document.querySelector("iframe").contentDocument, told = [];
            page.querySelectorAll("details").forEach(details => { details.open = true });
            if (page.documentElement.scrollWidth > 420) told.push("wide " + page.documentElement.scrollWidth);
            page.querySelectorAll("table").forEach(table => {
                table.parentElement.scrollLeft = 10000;
                const row = table.rows[1], name = row.cells[0].getBoundingClientRect();
                if (name.left < 0 || name.right > 330) told.push(row.cells[0].textContent + " " + name.left + " " + name.right);
            });
            document.title = JSON.stringify(told.concat(page.querySelectorAll("table").length + " tables"));
        }</script>"""
        with tempfile.TemporaryDirectory(prefix="oshbench-browser-") as folder:
            (Path(folder) / "page.html").write_text(self.text, encoding="utf-8")
            frame = Path(folder) / "frame.html"
            frame.write_text(f'{script}<iframe src="page.html" style="border:0;width:420px;height:1600px"></iframe>',
                             encoding="utf-8")
            done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
                                   "--allow-file-access-from-files", f"--user-data-dir={folder}/profile", "--dump-dom",
                                   frame.as_uri()],
                                  capture_output=True, text=True, timeout=300, check=True)
        self.assertRegex(re.search(r"<title>(.*?)</title>", done.stdout)[1], r'^\["\d\d tables"\]$')

    @staticmethod
    def colours(shot: Path) -> int:
        """The number of colours: an empty page has one, text adds some greys, and figures add those of the
        libraries."""
        from PIL import Image
        picture = Image.open(shot).convert("RGB")
        found = picture.getcolors(maxcolors=1 << 24)
        return sum(1 for count, (r, g, b) in found if count > 30 and max(r, g, b) - min(r, g, b) > 60)


class Radar(unittest.TestCase):
    def test_is_the_share_of_the_best(self) -> None:
        scores = radar.scores(table_of_run(run({"a": 1.0, "b": 2.0})))
        self.assertAlmostEqual(scores["pt2pt"]["a"].value, 1)
        self.assertAlmostEqual(scores["pt2pt"]["b"].value, 0.5)
        self.assertAlmostEqual(scores["memory"]["b"].value, 0.5)

    def test_a_wrong_result_counts_a_tenth(self) -> None:
        saved = run({"a": 1.0, "b": 1.0})
        for launch in saved.launches:
            for record in launch.records:
                record["ok"] = launch.library == "a" or not record["case"].startswith("fetch_add")
        self.assertAlmostEqual(radar.scores(table_of_run(saved))["atomics"]["b"].value, (0.1 + 1) / 2)

    def test_sizes_of_an_operation_count_as_one(self) -> None:
        saved = run({"a": 1.0, "b": 1.0})
        for launch in saved.launches:
            for record in launch.records:
                if launch.library == "b" and record["case"] == "broadcast":
                    record["values"] = [value * 2 for value in record["values"]]
        found = radar.scores(table_of_run(saved))["collectives"]["b"]
        self.assertEqual(found.operations, 4)  # broadcast and barrier on 2 and on 4 PEs
        self.assertAlmostEqual(found.value, 0.75)

    def test_one_operation_is_no_axis(self) -> None:
        saved = run({"a": 1.0, "b": 2.0})
        for launch in saved.launches:
            launch.records = [r for r in launch.records if not r["case"].startswith("amo.")
                              and (r["case"] != "fetch_add" or r["pes"] == 2)]
        self.assertNotIn("atomics", radar.scores(table_of_run(saved)))


class Shapes(unittest.TestCase):
    def rows(self, **costs: float) -> dict[int, Row]:
        found = {}
        for size, cost in costs.items():
            values = [cost * (1 + 0.01 * math.sin(7 * launch + cost)) for launch in range(5)]
            found[int(size[1:])] = Row(Key("mt_bw.put.default.quiet.t1", int(size[1:]), 2), "ns", "", values,
                                       list(range(5)), [[v] for v in values])
        return found

    def test_threads_overtake_where_they_stay_ahead(self) -> None:
        one = self.rows(s64=10, s512=20, s4096=100, s65536=1000)
        self.assertEqual(thread_shapes.overtaking(one, self.rows(s64=5, s512=40, s4096=60, s65536=600)), 4096)
        self.assertIsNone(thread_shapes.overtaking(one, self.rows(s64=5, s512=10, s4096=50, s65536=990)))

    def test_the_papers_stand_beside(self) -> None:
        for profile, words in (("paper-libraries", "libraries are closer here"),
                               ("paper-collectives", "one-sided never slower"),
                               ("paper-threads", "not looked at: two threads of each PE need 4 CPUs, and there are 2")):
            saved = replace(run({"oshen": 1.0, "mpi": 1.2}), profile=profile)
            saved.libraries["mpi"]["kind"] = "mpi" if profile == "paper-collectives" else "shmem"
            saved.launches[0].records += [entry(f"mt_bw.put.default.quiet.t{t}", size, 2, 100 / t) for t in (1, 4)
                                                for size in (64, 4096)]
            self.assertIn(words, words_of(saved), profile)

    def test_more_threads_than_cpus_find_nothing(self) -> None:
        saved = run({"a": 1.0}, False)
        for launch in saved.launches:
            launch.records += [entry(f"mt_bw.put.default.quiet.t{t}", size, 2, 100 / t) for t in (1, 2, 4)
                               for size in (64, 4096)]
            launch.records += [entry(f"mt_rate.pairs.put.default.quiet.t{t}", 8, 2, 30 / t) for t in (1, 2, 4)]
        found = table_of_run(saved)
        self.assertEqual([row[2:4] for row in thread_shapes.overtakers(found, 8)[1]], [["4", "1 of 1"]])
        self.assertEqual([row[2:4] for row in thread_shapes.overtakers(found, 4)[1]], [["2", "1 of 1"]])
        self.assertEqual([row[2] for row in thread_shapes.threads(found, 4)[1]], ["2"])
        self.assertIn("not looked at", thread_shapes.overtakers(found, 2)[1][0][1])
        self.assertEqual([cells[3:] for *_, cells in thread_shapes.rates(found, 4) if cells[2] != "–"][-1],
                         ["100%", "–"])

    def test_what_many_threads_cost_one(self) -> None:
        saved = run({"a": 1.0})
        saved.launches[0].records += [entry("mt_lat.put.default.quiet.single", 8, 2, 10),
                                            entry("mt_lat.put.default.quiet.t1", 8, 2, 15)]
        self.assertEqual(thread_shapes.multiple(table_of_run(saved))[0][-1], "1.50")


class Scaling(unittest.TestCase):
    def saved(self) -> Run:
        saved = run({"a": 1.0}, False)
        app = {"merit": 10.0, "merit_unit": "Mflop/s", "phases": {"compute": 75, "wait": 25}}
        for way, one, two in (("barrier", 8e9, 5e9), ("signal", 9e9, 4e9)):
            for launch in saved.launches:
                launch.records += [entry(f"app.hpccg.{way}.strong", 0, 1, one, extra=app | {"merit": 8e10 / one}),
                                      entry(f"app.hpccg.{way}.strong", 0, 2, two, extra=app | {"merit": 8e10 / two})]
        return saved

    def test_the_best_ways_are_compared(self) -> None:
        (points,) = scaling.series(table_of_run(self.saved()), "hpccg")["strong"].values()
        self.assertEqual([(p.pes, p.way) for p in points], [(1, "barrier"), (2, "signal")])
        self.assertAlmostEqual(points[1].times.value, 2)
        self.assertAlmostEqual(points[1].communication, 0.25)

    def test_the_page_shows_them(self) -> None:
        self.assertIn("hpccg by PEs, strong scaling", page.render(self.saved()))

    def test_what_an_app_does_unless_told(self) -> None:
        self.assertEqual(variant_of("app.hpccg.signal"), "weak")
        self.assertEqual(variant_of("app.minife.signal.t2"), "strong.t2")
        self.assertEqual(variant_of("app.hpccg.quiet+sync.strong.t2"), "strong.t2")

    def test_processes_or_threads(self) -> None:
        saved = run({"a": 1.0}, False)
        saved.launches[0].records += [entry("mt_rate.pairs.put.default.quiet.t1", 8, 4, 20),
                                      entry("mt_rate.pairs.put.default.quiet.t2", 8, 2, 5),
                                            entry("app.hpccg.signal.strong", 0, 4, 1e9),
                                      entry("app.hpccg.signal.strong.t2", 0, 2, 2e9)]
        _, rows = thread_shapes.workers(table_of_run(saved))
        self.assertEqual(rows, [["a", "mt_rate.pairs.put.default.quiet", "4", "4 × 1: 100.00 M/s", "2 × 2: 200.00 M/s"],
                                ["a", "app.hpccg.signal.strong", "4", "4 × 1: 1 s", "2 × 2: 2 s"]])


class InShort(unittest.TestCase):
    """The verdict in sentences."""

    def told(self, saved: Run) -> str:
        return " ".join(sentences.sentences(table_of_run(saved), "oshen"))

    def test_time_and_memory_are_told_apart(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        for launch in saved.launches:
            for record in launch.records:
                if record["case"].startswith("memory.") and launch.library == "slow":
                    record["values"] = [value / 4 for value in record["values"]]
        told = self.told(saved)
        self.assertRegex(told, r"oshen against slow, time: faster in (\d+), as fast in 0, slower in 0 of \1 cases\.")
        self.assertIn("oshen takes 0.50 of the time of slow in the median (2.0 times as fast), 0.50 to 0.50.", told)
        self.assertIn("oshen against slow, memory: smaller in 0, as small in 0, larger in 4 of 4 cases.", told)

    def test_undecided_cases_and_many_sizes_have_no_part_in_the_ratio(self) -> None:
        verdicts = [judge.Verdict(Key(case, size, 2), "x", "oshen", judge.Interval(ratio, ratio, ratio), 0.001, word,
                                  launches=5)
                    for case, size, ratio, word in (("put", 8, 0.5, "faster"), ("put", 64, 0.1, "faster"),
                                                    ("put", 512, 0.1, "faster"),
                                                    ("get", 8, 0.6, "faster"), ("sum", 8, 0.9, "faster"),
                                                    ("collect", 8, 0.0035, "inconclusive"))]
        self.assertEqual(sentences.middle(verdicts), (0.6, 0.5, 0.9, 3))
        self.assertIsNone(sentences.middle(verdicts[:4]))

    def test_open_files_are_no_memory(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        before = self.told(saved)
        for launch in saved.launches:
            launch.records.append(entry("memory.barrier.files", 0, 2, 900 if launch.library == "slow" else 5, "files"))
        self.assertEqual(self.told(saved), before)

    def test_one_launch_decides_nothing_and_says_why(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        saved.launches = [launch for launch in saved.launches if launch.round == 0]
        self.assertRegex(self.told(saved), r"nothing is said from 1 launch of \d+ cases; 5 are needed \(-r 5\)\.")

    def test_few_launches_make_no_sentence(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        saved.launches = [launch for launch in saved.launches if launch.round < 4]
        self.assertNotIn("faster in", self.told(saved))

    def test_a_size_says_what_it_counts(self) -> None:
        found = [formats.size_of(Key(case, 64, 2)) for case in ("wait.all_vector", "strided.iput",
                                                                "strided.ibput_blocks", "rate.put_nbi", "put")]
        self.assertEqual(found, ["64 flags", "stride 64", "blocks of 64", "64 at once", "64 B"])

    def test_a_small_share_is_not_nothing(self) -> None:
        self.assertEqual([formats.share(x) for x in (0.0041, 0.5, 12.345)], ["0.0041", "0.50", "12.35"])


class Designs(unittest.TestCase):
    """Oshen restricted to each design of collectives, next to the other libraries."""

    def saved(self) -> Run:
        saved = run({"oshen": 1.1, "mpi": 2.5, "oshen-one-sided": 2.0, "oshen-two-sided": 3.0,
                     "oshen-single-copy": 1.0})
        saved.libraries["mpi"]["kind"] = "mpi"
        for design in designs.DESIGNS:
            saved.libraries[f"oshen-{design}"] |= {"design": design, "variant_of": "oshen"}
        return replace(saved, profile="paper-collectives")

    def test_the_best_of_each_stands_for_it(self) -> None:
        saved = self.saved()
        found = table_of_run(saved)
        self.assertEqual(designs.members(saved, found), {"one-sided": ["oshen-one-sided"],
                                                         "two-sided": ["mpi", "oshen-two-sided"],
                                                         "single-copy": ["oshen-single-copy"]})
        best, key = designs.best(saved, found), Key("broadcast", 8, 2)
        self.assertEqual([round(best[d][key].median / best["single-copy"][key].median, 1) for d in designs.DESIGNS],
                         [2, 2.5, 1])
        self.assertEqual(round(designs.best(saved, found,
                                            "oshen")["two-sided"][key].median / best["one-sided"][key].median, 1), 1.5)
        self.assertAlmostEqual(designs.losses(saved, found)[key], 1.1)

    def test_a_barrier_moves_no_data(self) -> None:
        saved = self.saved()
        self.assertNotIn(Key("barrier_all", 0, 2), designs.best(saved, table_of_run(saved))["single-copy"])

    def test_a_run_of_before_has_two(self) -> None:
        saved = run({"oshen": 1.0, "mpi": 1.2})
        saved.libraries["mpi"]["kind"] = "mpi"
        self.assertEqual(designs.members(saved, table_of_run(saved)), {"one-sided": ["oshen"], "two-sided": ["mpi"]})

    def test_wins_are_counted_and_mapped(self) -> None:
        saved = self.saved()
        columns, rows = shapes.collectives(saved, table_of_run(saved))
        self.assertEqual(columns[2:7], ["one-sided wins", "two-sided wins", "single-copy wins", "even", "undecided"])
        self.assertEqual(rows[0], ["broadcast", "2", "0", "0", "3", "0", "0",
                                   "the paper: one-sided never slower with two PEs; so it is here"])
        self.assertEqual(shapes.choices(saved, table_of_run(saved))[1][0], ["broadcast", "2", "", "1.10", "1.10",
                                                                            "1.10"])
        text = page.render(saved)
        for words in ("2 communication libraries", "broadcast: fastest design", "The libraries of each design"):
            self.assertIn(words, text)
        self.assertNotIn("oshen against oshen-one-sided", text)


class Papers(unittest.TestCase):
    """The page of docs/bench with the published results."""

    def page(self, profiles: dict[str, dict]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            place = folders.Folders(Path(folder), Path(folder))
            for profile, saved in profiles.items():
                folders.write_text(place.record(profile), reduce(saved, table_of_run(saved)))
            return "\n".join(text for _, text in papers.texts(place))

    def saved(self, profile: str, **more: object) -> Run:
        saved = replace(run({"oshen": 1.0, "mpi": 1.2}), profile=profile, **more)
        saved.libraries["mpi"]["kind"] = "mpi" if profile == "paper-collectives" else "shmem"
        return saved

    def test_every_profile_has_its_section(self) -> None:
        text = self.page({profile: self.saved(profile) for profile in papers.TITLES})
        for words in ("## Libraries", "### Sizes won by each design", "libraries are closer here", "oshen 1.2×",
                      "| T = 1 |"):
            self.assertIn(words, text)

    def test_what_may_not_be_published_is_not_shown(self) -> None:
        saved = self.saved("paper-threads", ours="abc-dirty")
        text = self.page({"paper-threads": saved})
        self.assertIn("The record is not shown: it was measured from files that were not committed.", text)
        self.assertNotIn("| oshen |", text)
        saved = self.saved("paper-threads")
        saved.launches = [launch for launch in saved.launches if launch.round == 0]
        self.assertIn("The record is not shown: it has one launch of every library.",
                      self.page({"paper-threads": saved}))

    def test_a_busy_machine_is_named(self) -> None:
        for busy in (True, False):
            text = self.page({"paper-threads": self.saved("paper-threads", busy=busy)})
            self.assertEqual("Other programs used" in text, busy)

    def test_a_record_does_not_tell_where_programs_lie(self) -> None:
        saved = replace(run({"oshen": 1.0}), doctor={"neighbours": [{"program": "secret", "share": 0.5}]})
        saved.libraries["oshen"] |= {"compiler": "/home/me/bin/oshcc", "run": ["/home/me/bin/oshrun", "-n", "{np}"],
                                        "env": {"AGENT": "/home/me/agent"}}
        text = reduce(saved, table_of_run(saved))
        self.assertNotIn("/home", text)
        self.assertNotIn("secret", text)
        self.assertIn('"AGENT":"agent"', text)

    def test_a_record_says_the_same(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        record = expand(json.loads(reduce(saved, table_of_run(saved))))
        before, after = table_of_run(saved)["slow"], table_of_run(Run.from_dict(record))["slow"]
        self.assertEqual(before.keys(), after.keys())
        for key, row in before.items():
            self.assertAlmostEqual(row.median / after[key].median, 1, delta=1e-4)
            self.assertEqual(row.extra, after[key].extra)

    def test_a_record_is_a_report_too(self) -> None:
        saved = run({"oshen": 1.0, "slow": 2.0})
        again = Run.from_dict(expand(json.loads(reduce(saved, table_of_run(saved)))))
        self.assertRegex(words_of(again),
                         r"oshen against slow, time: faster in \d\d, as fast in 0, slower in 0 of \d\d cases")


class Protocols(unittest.TestCase):
    SIZES = [8 << k for k in range(18)]

    def rows(self, cost, noise: float = 0.0) -> dict[Key, Row]:
        found = {}
        for index, size in enumerate(self.SIZES):
            values = [cost(size) * (1 + noise * math.sin(7 * index + 3 * launch)) for launch in range(5)]
            found[Key("put", size, 2)] = Row(Key("put", size, 2), "ns", "", values, list(range(5)),
                                             [[v] for v in values])
        return found

    def test_one_line_has_no_break(self) -> None:
        self.assertEqual(protocols.breaks(self.rows(lambda n: 300 + 0.1 * n)), [])
        self.assertEqual(protocols.breaks(self.rows(lambda n: 300 + 0.1 * n, 0.03)), [])

    def test_a_switch_is_found_where_it_is(self) -> None:
        for noise in (0.0, 0.03):
            (found,) = protocols.breaks(self.rows(lambda n: 300 + 0.4 * n if n <= 8192 else 4000 + 0.1 * n, noise))
            self.assertEqual((found.small, found.large), (8192, 16384))
            self.assertAlmostEqual(found.before.start, 300, delta=30)
            self.assertAlmostEqual(found.after.byte, 0.1, delta=0.01)
            self.assertTrue(found.sizes[0] == 8192 and found.sizes[-1] == 16384 and len(found.sizes) >= 3, found.sizes)

    def test_the_report_says_how_to_look_closer(self) -> None:
        (line,) = protocols.table("x", self.rows(lambda n: 300 + 0.4 * n if n <= 8192 else 9000 + 0.4 * n))
        self.assertEqual(line[-1], "oshbench run put -L x -n 2 --sizes 8192,11584,16384")


class Guidelines(unittest.TestCase):
    def rows(self, **costs: float) -> dict[Key, Row]:
        found = {}
        for name, value in costs.items():
            case, _, size = name.rpartition("_at_")
            key = Key(case or name, int(size) if case else 8, 2)
            found[key] = Row(key, "ns", "", [value], [0], [[value]])
        return found

    def test_what_a_composition_does_faster(self) -> None:
        (found,) = guidelines.violations("x", self.rows(put_signal=300, put_fence_p=200))
        self.assertAlmostEqual(found.ratio, 1.5)
        self.assertEqual(guidelines.violations("x", self.rows(put_signal=200, put_fence_p=300)), [])

    def test_more_bytes_that_are_faster_and_steps(self) -> None:
        (found,) = guidelines.violations("x", self.rows(put_at_8=300, put_at_64=100))
        self.assertIn("more bytes are not faster", found.rule)
        (found,) = guidelines.violations("x", self.rows(put_at_8=10, put_at_16=100))
        self.assertIn("a step", found.rule)

    def test_what_several_calls_do_faster(self) -> None:
        (found,) = guidelines.violations("x", self.rows(alltoall=500, put=100) | self.rows_of("barrier_all", 0, 100))
        self.assertIn("a put to each", found.rule)
        self.assertAlmostEqual(found.ratio, 2.5)
        (found,) = guidelines.violations("x", self.rows(sum=200) | self.rows_of("barrier_all", 0, 300))
        self.assertIn("barrier_all ≤ sum", found.rule)

    def test_windows_and_what_need_not_block(self) -> None:
        (found,) = guidelines.violations("x", self.rows_of("rate.put_nbi", 8, 10)
                                         | self.rows_of("rate.put_nbi", 64, 20))
        self.assertIn("more operations before a quiet", found.rule)
        self.assertEqual(guidelines.violations("x", self.rows_of("rate.put_nbi", 8, 20)
                                               | self.rows_of("rate.put_nbi", 64, 10)), [])
        (found,) = guidelines.violations("x", self.rows_of("amo_nbi.fetch_add.64.private", 8, 90)
                                         | self.rows_of("amo.fetch_add.64.private", 8, 30))
        self.assertAlmostEqual(found.ratio, 3)

    def test_threads_that_stand_in_each_others_way(self) -> None:
        name = "mt_rate.single.put.{}.quiet.t{}".format
        rows = self.rows_of(name("default", 1), 8, 100) | self.rows_of(name("default", 2), 8, 300)
        (found,) = guidelines.violations("x", rows)
        self.assertIn("2 threads are not slower than one", found.rule)
        (found,) = guidelines.violations("x", self.rows_of(name("default", 1), 8, 100)
                                         | self.rows_of(name("private", 1), 8, 150))
        self.assertIn("a private context", found.rule)

    def rows_of(self, case: str, size: int, value: float) -> dict[Key, Row]:
        key = Key(case, size, 2)
        return {key: Row(key, "ns", "", [value], [0], [[value]])}

    def test_the_slope_of_a_line_is_exact_and_that_of_scattered_points_has_the_interval_of_student(self) -> None:
        exact = intervals.slope([(1, 10.0), (2, 12.0), (4, 16.0)])
        for end in (exact.value, exact.low, exact.high):
            self.assertAlmostEqual(end, 2)
        # Residuals of +1, -2, +1 about a slope of 1: the deviation of the slope is sqrt(6 / 2), and t of one degree is
        # 12.706.
        found = intervals.slope([(0, 1.0), (1, -1.0), (2, 3.0)])
        self.assertAlmostEqual(found.value, 1)
        self.assertAlmostEqual((found.high - found.low) / 2, 12.7062 * 3 ** 0.5, places=3)
        self.assertEqual(intervals.slope([(1, 5.0), (3, 9.0)]), intervals.Interval(2, 2, 2))
        self.assertNotEqual(intervals.slope([(2, 5.0), (2, 6.0)]).value, 0)


if __name__ == "__main__":
    unittest.main()
