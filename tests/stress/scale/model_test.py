#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/scale/model.py: its messages and bytes equal those that a hook has counted (tests/unit/network_test.cpp), and its times
are plausible."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import model
from model import FABRICS, Job, Sent

ROWS = {"hierarchical", "hierarchical-put"}


def on_paper(kind, name, j, size):
    """The model's messages for a row; None if the model does not have it."""
    if kind == "sync":
        return {"hierarchical": model.sync, "dissemination": model.sync_flat}.get(name, lambda _: None)(j)
    if name == "multi-leader-put" and kind in ("alltoall", "alltoalls"):
        return model.alltoall_packed(j, size)
    known = {"broadcast": model.broadcast, "reduce": model.reduce, "fcollect": model.fcollect, "alltoall": model.alltoall}
    return known[kind](j, size) if name in ROWS and kind in known else None


class Counted(unittest.TestCase):
    def test_the_model_sends_what_is_counted(self):
        with tempfile.TemporaryDirectory() as work:
            report = Path(work, "report.json")
            subprocess.run([os.environ["UNIT"], "--gtest_filter=NetworkMessages.*", f"--gtest_output=json:{report}"],
                           check=True, capture_output=True, timeout=100)
            suite = json.loads(report.read_text())["testsuites"][0]["testsuite"]
        counted = {key: value for test in suite for key, value in test.items() if key.count(".") == 4}
        compared = 0
        for key, value in counted.items():
            kind, name, pes, of_node, size = key.split(".")
            expected = on_paper(kind, name, Job(int(pes), int(of_node)), int(size))
            if expected is not None:
                self.assertEqual(Sent(*map(int, value.split())), expected, key)
                compared += 1
        self.assertGreaterEqual(compared, 12)


class Times(unittest.TestCase):
    def test_two_levels_win_where_a_node_has_more_than_one_pe(self):
        for fabric in FABRICS.values():
            for power in range(7, 21):
                j = Job(1 << power, 64)
                self.assertLess(model.sync_time(j, fabric), model.sync_flat_time(j, fabric))

    def test_more_pes_take_longer_but_a_remap_of_a_given_array(self):
        for fabric in FABRICS.values():
            for name, curve in model.CURVES.items():
                times = [curve(Job(pes, 64), fabric) for pes in model.sizes()]
                self.assertTrue(all(t > 0 for t in times), name)
                if "remap" in name:
                    self.assertLess(times[9], times[0], name)
                else:
                    self.assertTrue(all(a <= b for a, b in zip(times, times[1:])), name)

    def test_the_plot_of_the_page_is_the_model_s(self):
        page = Path(__file__).resolve().parents[3] / "docs" / "design"
        self.assertIn(model.digest(FABRICS["published"], 64), (page / "scale.svg").read_text())
        self.assertNotEqual(model.digest(FABRICS["published"], 64), model.digest(FABRICS["published"], 32))
        self.assertIn(model.table(FABRICS["published"], 64), (page / "scale.md").read_text())
        self.assertIn(model.crowd_table(64), (page / "scale.md").read_text())


if __name__ == "__main__":
    unittest.main()
