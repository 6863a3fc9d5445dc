#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Real PEs and the installed tools: PEs that would choose differently never start, oshinfo prints the origin of each choice,
and oshtune writes a file that the library uses."""

import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from patience import stretched

BIN = Path(os.environ["BIN"])
SHIPPED = Path(__file__).resolve().parents[3] / "tools/oshtune/tuning/default.txt"
PROGRAM = """#include <shmem.h>
#include <stdio.h>
static long sum, one = 1;
int main(void) {
  shmem_init();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &one, 1);
  if (shmem_my_pe() == 0) printf("%ld\\n", sum);
  shmem_finalize();
}
"""


def run(*command, **environment):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OSHEN_COLL_")}
    plain["XDG_CACHE_HOME"] = "/dev/null"  # hides the measurements of this user; root cannot make a folder there either
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=stretched(100),
                          env={**plain, **environment}, check=False)


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="oshen-tune-")
        cls.addClassCleanup(folder.cleanup)
        cls.work = Path(folder.name)
        (cls.work / "sum.c").write_text(PROGRAM)
        built = run(BIN / "oshcc", cls.work / "sum.c", "-o", cls.work / "sum")
        assert built.returncode == 0, built.stderr

    def file(self, name, lines):
        path = self.work / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("oshen-tuning 1\n" + lines)
        return path

    def job(self, before, **environment):
        """Two PEs, each of which runs the shell command `before` first."""
        return run(BIN / "oshrun", "-n", 2, "--timeout", math.ceil(stretched(60)), "sh", "-c", f"{before}; exec {self.work}/sum", **environment)

    def ranges(self, collective, n_pes, **environment):
        done = run(BIN / "oshinfo", "--coll", "--json", "-n", n_pes, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next(row for row in json.loads(done.stdout)["collectives"] if row["collective"] == collective)["chosen"]


class Agreement(Tools):
    def test_equal_choices_run(self):
        rules = self.file("rules.txt", "use reduce 2 any all partitioned\n")
        self.assertEqual(self.job(":", OSHEN_COLL_TUNING=str(rules)).stdout, "2\n")

    def test_another_setting_on_one_pe(self):
        done = self.job('test $OSHEN_PE = 0 || export OSHEN_COLL_REDUCE=partitioned')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"has other values of .*OSHEN_COLL_\*")

    def test_another_text_under_the_same_name(self):
        self.file("0/rules.txt", "use reduce 2 any all partitioned\n")
        self.file("1/rules.txt", "use reduce 2 any all inline\n")
        done = self.job(f"cd {self.work}/$OSHEN_PE", OSHEN_COLL_TUNING="rules.txt")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has read another tuning file", done.stderr)

    def test_a_file_that_only_one_pe_finds(self):
        self.file("0/lonely.txt", "use reduce 2 any all partitioned\n")
        (self.work / "1").mkdir(exist_ok=True)
        done = self.job(f"cd {self.work}/$OSHEN_PE", OSHEN_COLL_TUNING="lonely.txt")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot read lonely.txt", done.stderr)


class Remembered(Tools):
    """The user's file for this machine has precedence over the tuning file, and never causes a failure."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="oshen-cache-")
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name)

    def info(self, **environment):
        done = run(BIN / "oshinfo", "--coll", "--json", "-n", 64, **{"XDG_CACHE_HOME": str(self.cache), **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def keep(self, text):
        path = Path(self.info()["machine_file"]["path"])
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def reduce(self, **environment):
        found = next(row for row in self.info(**environment)["collectives"] if row["collective"] == "reduce")["chosen"]
        return found[0]["name"], found[0]["why"], found[0]["source"]

    def test_comes_after_settings_and_before_the_tuning_file(self):
        self.assertEqual(self.info()["machine_file"]["used"], False)
        path = self.keep("oshen-tuning 1\ncost line-ns 77\nuse reduce 64 any all partitioned\n")
        self.assertEqual(self.reduce(), ("partitioned", "this machine's file", f"{path}:3"))
        info = self.info()
        self.assertEqual((info["machine_file"], info["cost_parameters"]["line_ns"]), ({"path": str(path), "used": True}, 77))
        self.assertEqual(Path(info["tuning_file"]).read_text(), SHIPPED.read_text())  # for collectives that the first lacks
        self.assertEqual(self.reduce(OSHEN_COLL_REDUCE="inline")[:2], ("inline", "setting"))
        for other in ("installed", "none", str(SHIPPED)):
            self.assertNotEqual(self.reduce(OSHEN_COLL_TUNING=other)[1], "this machine's file")
        text = run(BIN / "oshinfo", "--coll", "-n", 64, XDG_CACHE_HOME=str(self.cache)).stdout
        self.assertIn(f"this machine's file: {path}\n", text)
        self.assertIn("machine file, line 3\n", text)

    def test_a_bad_one_is_one_line(self):
        for text, expected in (("oshen-tuning 1\nuse reduce 2 any all magic\n", 'algorithm for reduce'),
                               ("oshen-tuning 1\nuse reduce 2 any all partitioned\nnonsense\n", "expected"),
                               ("something else\n", "no tuning file"), ("oshen-tuning 1\n" + "#" * (1 << 20), "cannot read")):
            self.keep(text)
            done = self.job(":", XDG_CACHE_HOME=str(self.cache))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (0, "2\n", 1), done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertIn("is left out", done.stderr)
            self.assertNotEqual(self.info()["machine_file"]["used"], True)

    def test_pes_whose_machines_differ_go_on_without(self):
        path = self.keep("oshen-tuning 1\nuse reduce 2 any all partitioned\n")
        (self.cache / "1/oshen").mkdir(parents=True)
        (self.cache / "1/oshen" / path.name).write_text("oshen-tuning 1\nuse reduce 2 any all inline\n")
        done = self.job(f"test $OSHEN_PE = 0 || export XDG_CACHE_HOME={self.cache}/1", XDG_CACHE_HOME=str(self.cache))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "2\n", ""))

    def test_oshtune_writes_it(self):
        done = run(sys.executable, BIN / "oshtune", "-q", "--quick", "--rounds", 1, "-n", 2, "--collectives", "reduce",
                   XDG_CACHE_HOME=str(self.cache))
        self.assertEqual(done.returncode, 0, done.stderr)
        info = self.info()
        self.assertEqual(info["machine_file"]["used"], True)
        self.assertIn(info["machine_file"]["path"], done.stdout)
        self.assertIn(f"cost switch-ns {info['cost_parameters']['switch_ns']:.4g}\n", Path(info["machine_file"]["path"]).read_text())


class Reasons(Tools):
    def test_oshinfo_says_who_decided(self):
        rules = self.file("reasons.txt", "# comment\nuse reduce 64 shared 4k partitioned\n")
        found = self.ranges("reduce", 64, OSHEN_COLL_REDUCE="inline@32", OSHEN_COLL_TUNING=str(rules))
        self.assertEqual([(r["from"], r["to"], r["name"], r["why"], r["source"]) for r in found[:2]],
                         [(0, 32, "inline", "setting", "OSHEN_COLL_REDUCE"),
                          (33, 4096, "partitioned", "tuning file", f"{rules}:3")])
        self.assertEqual((found[2]["from"], found[2]["why"], found[-1]["to"]), (4097, "model", None))
        text = run(BIN / "oshinfo", "--coll", "-n", 64, OSHEN_COLL_TUNING=str(rules)).stdout
        self.assertIn(f"tuning file: {rules}\n", text)
        self.assertIn("tuning file, line 3\n", text)

    def test_nothing_but_the_model(self):
        for n_pes in (1, 2, 64, 1000):
            self.assertEqual({r["why"] for r in self.ranges("broadcast", n_pes, OSHEN_COLL_TUNING="none")}, {"model"})

    def test_the_shipped_file_is_found_and_every_line_of_it_decides(self):
        done = run(BIN / "oshinfo", "--coll", "--json", "-n", 2)
        self.assertEqual(Path(json.loads(done.stdout)["tuning_file"]).read_text(), SHIPPED.read_text())
        uses = [line.split() for line in SHIPPED.read_text().splitlines() if line.startswith("use ")]
        cpus = len(os.sched_getaffinity(0))
        tried = 0
        for _, collective, pes, crowding, _, algorithm, *_ in uses:
            n_pes = int(pes.split("-")[0])
            if (crowding == "own") != (n_pes <= cpus):
                continue  # this machine has more or fewer CPUs
            tried += 1
            self.assertIn((algorithm, "tuning file"),
                          [(r["name"], r["why"]) for r in self.ranges(collective, n_pes)], (collective, pes))
        self.assertGreater(tried, 0)


class Settings(Tools):
    """Rows that only a setting chooses at present."""

    def chosen(self, collective, n_pes, **environment):
        return {(r["name"], r["why"]) for r in self.ranges(collective, n_pes, **environment)}

    def test_hierarchies_need_domains(self):
        rows = {"sync": "hierarchical", "broadcast": "hierarchical-put", "reduce": "hierarchical-put"}
        wanted = {f"OSHEN_COLL_{name.upper()}": row for name, row in rows.items()}
        for name, row in rows.items():
            for domain in ("2", "3", "7"):
                self.assertEqual(self.chosen(name, 8, OSHEN_COLL_DOMAIN=domain, **wanted), {(row, "setting")})
            for domain in ("0", "1", "8", "100"):  # without a hierarchy the setting has no effect
                self.assertNotIn("setting", {why for _, why in self.chosen(name, 8, OSHEN_COLL_DOMAIN=domain, **wanted)})
        bad = run(BIN / "oshinfo", "--coll", OSHEN_COLL_DOMAIN="two")
        self.assertEqual((bad.returncode, bad.stderr.count("\n")), (1, 1))
        self.assertIn("OSHEN_COLL_DOMAIN", bad.stderr)

    def test_domains_must_agree(self):
        done = self.job("export OSHEN_COLL_DOMAIN=$((OSHEN_PE + 1))")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"has other values of .*OSHEN_COLL_\*")

    def test_schedules_of_many_rounds(self):  # those of tests/stress/scale/many_rounds.c
        for wire in ("put", "message", "pull"):
            for collective in ("alltoall", "alltoalls"):
                setting = {f"OSHEN_COLL_{collective.upper()}": f"pairwise-{wire}"}
                self.assertEqual(self.chosen(collective, 40, **setting), {(f"pairwise-{wire}", "setting")})


class Oshtune(Tools):
    def tune(self, *arguments):
        return run(sys.executable, BIN / "oshtune", "-q", "-n", 2, "-o", self.work / "tuned.txt", *arguments)

    def test_measures_writes_and_the_library_obeys(self):
        kept = self.work / "samples.json"
        done = self.tune("--brief", "--collectives", "sync,broadcast", "--samples", kept)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("points measured", done.stdout)
        self.assertIn("fastest design by size", done.stdout)
        tuned = self.work / "tuned.txt"
        for line in (line.split() for line in tuned.read_text().splitlines() if line.startswith("use ")):
            found = self.ranges(line[1], 2, OSHEN_COLL_TUNING=str(tuned))
            self.assertIn((line[5], "tuning file"), [(r["name"], r["why"]) for r in found])
        self.assertEqual(self.job(":", OSHEN_COLL_TUNING=str(tuned)).stdout, "2\n")
        self.draw(kept)

    def test_across_nodes(self):
        done = run(sys.executable, BIN / "oshtune", "-q", "--nodes", 2, "-n", 4, "--brief", "--rounds", 2,
                   "--collectives", "sync", "-o", self.work / "across.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.work / "across.txt").read_text()
        for parameter in ("network-ns", "network-message-ns", "network-byte-ns"):
            self.assertRegex(text, rf"(?m)^cost {parameter} [0-9.e+]+$")
        rules = [line.split() for line in text.splitlines() if line.startswith("use ")]
        self.assertEqual({(rule[1], rule[3]) for rule in rules}, {("sync", "across")})
        for nodes, why in (("2", "tuning file"), ("0", "model")):  # the file is about teams that span nodes only
            found = self.ranges("sync", 4, OSHEN_COLL_TUNING=str(self.work / "across.txt"), OSHEN_NODE_PES=nodes)
            self.assertEqual({row["why"] for row in found}, {why})

    def draw(self, kept):
        page = self.work / "map.html"
        done = self.tune("--from", kept, "--map", page)
        if importlib.util.find_spec("matplotlib") is None:
            self.assertEqual(done.returncode, 1)
            self.assertIn("needs matplotlib", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("<svg", "broadcast", "one-sided", "two-sided", "single-copy"):
            self.assertIn(word, page.read_text())

    def test_says_how_long_it_will_take(self):
        done = run(sys.executable, BIN / "oshtune", "--brief", "-n", 2, "--rounds", 2, "--collectives", "sync", "-o", self.work / "told.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, plan, *rounds = done.stderr.splitlines()
        self.assertRegex(first, r"^oshtune: +[01]\.\d s: compiles what measures$")
        self.assertRegex(plan, r"2 rounds of \d+ measurements: about \d+ (s|min), then what has changed is measured again$")
        self.assertRegex(rounds[0], r"round 1, 2 PEs, .*: \d+ measurements; \d+ (s|min) left$")

    def test_wrong_usage_is_one_line(self):
        for arguments, expected in ((["--collectives", "magic"], "no such collective: magic"),
                                    (["--from", "/dev/null"], "not a file of samples")):
            done = self.tune(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
