#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshrun --trace: the timeline is valid JSON for its viewers, every put has both ends, waits name their peer."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from patience import patient, stretched

OSHRUN, TALK = os.environ["OSHRUN"], os.environ["TALK"]
PES = 3


def traced(work, *options, program=(TALK,), **environment):
    file = Path(work, "out.json")
    command = patient([OSHRUN, "-n", str(PES), "--timeout", "60", *options, "--trace", str(file), *program])
    done = subprocess.run(command, text=True, capture_output=True, timeout=stretched(90), check=False, env={**os.environ, **environment})
    return done, file


class Timeline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="oshen-trace-")
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def events(self, *options, **environment):
        done, file = traced(self.work, *options, **environment)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        story = json.loads(file.read_text())
        self.assertEqual((story["otherData"]["pes"], story["otherData"]["dropped"]), (PES, 0))
        return story["traceEvents"]

    def events_with_late_sync(self, *options):
        """PE 2 enters the sync 0.1 s after the others. On a busy machine another PE may be later; the job is then run again."""
        for _ in range(10):
            events = self.events(*options)
            if max(self.calls(events, "shmem_team_sync"), key=lambda e: e["ts"])["pid"] == 2:
                break
        return events

    def calls(self, events, name):
        return [e for e in events if e["ph"] == "X" and e["args"].get("call") == name]

    def check_tracks(self, events):
        named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        for pe in range(PES):
            self.assertRegex(processes[pe], rf"^PE {pe} on .+")
            self.assertEqual({name for (of, _), name in named.items() if of == pe},
                             {"arrivals", "default context", "context 1"})
        for e in events:
            if e["ph"] == "X":
                self.assertIn((e["pid"], e["tid"]), named)
                self.assertGreaterEqual(e["dur"], 0)
                self.assertGreaterEqual(e["ts"], 0)

    def check_arrows(self, events):
        ends = defaultdict(dict)
        for e in events:
            if e["ph"] in "sf":
                self.assertNotIn(e["ph"], ends[e["id"]])
                ends[e["id"]][e["ph"]] = e
        slices = defaultdict(list)
        for e in events:
            if e["ph"] == "X":
                slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        for both in ends.values():
            self.assertEqual(set(both), {"s", "f"})
            for e in both.values():  # viewers draw arrows that end in a slice
                self.assertTrue(any(a <= e["ts"] + 1e-6 and e["ts"] <= b + 1e-6 for a, b in slices[e["pid"], e["tid"]]), e)
        puts = [both for both in ends.values() if both["s"]["name"] == "put"]
        self.assertEqual(sorted((both["s"]["pid"], both["f"]["pid"]) for both in puts),
                         sorted((pe, to) for pe in range(PES) for to in [(pe + 1) % PES]
                                for _ in range(4 if pe + 1 < PES else 3)))  # p except to PE 0, put_signal, inc, put_nbi
        self.assertEqual(sum(both["s"]["name"] == "get" for both in ends.values()), PES)

    def check_waits(self, events):
        for name in ("shmem_long_wait_until", "shmem_signal_wait_until", "shmem_long_get", "shmem_ctx_quiet"):
            waits = self.calls(events, name)
            self.assertEqual(len(waits), PES - (name == "shmem_long_wait_until"), name)
            for e in waits:
                away = 1 if name in ("shmem_long_get", "shmem_ctx_quiet") else -1
                peer = (e["pid"] + away) % PES
                self.assertEqual((e["args"]["waits_for"], e["cat"]), (peer, "wait"), e)
                self.assertIn(f"waits for PE {peer} ({'abc'[peer]})", e["name"])
        self.assertEqual(len({e["cname"] for e in self.calls(events, "shmem_signal_wait_until")}), PES)
        last = {e["pid"]: e["args"].get("waits_for") for e in self.calls(events, "shmem_team_sync")}
        self.assertEqual(last, {0: 2, 1: 2, 2: None})
        root = {e["pid"]: e["args"].get("waits_for") for e in self.calls(events, "shmem_long_broadcast")}
        self.assertEqual(root, {0: 1, 1: None, 2: 1})

    def check(self, events):
        self.check_tracks(events)
        self.check_arrows(events)
        self.check_waits(events)

    def test_one_node(self):
        self.check(self.events_with_late_sync())

    def test_virtual_nodes(self):  # nodes compare clocks and use a transport
        self.check(self.events_with_late_sync("--nodes", "2"))

    def test_races(self):
        """Both places of a race are marked. The lines of a report are those of the program, although the tracer is between."""
        program = Path(self.work, "classic")
        source = Path(__file__).resolve().parents[1] / "races/classic.c"
        subprocess.run([Path(OSHRUN).with_name("oshcc"), "--races", "-O1", source, "-o", program], check=True)
        done, file = traced(self.work, program=[program, "nofence", "right"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn('"race', file.read_text())
        for name, second in (("nofence", 2), ("twowriters", None)):  # the second access is a load, or a call
            done, file = traced(self.work, program=[program, name, "wrong"])
            self.assertEqual(done.returncode, 66, done.stderr)
            report = re.search(rf"^oshen: (race on data.*: PE (\d) shmem_long_put of 512 B at classic.c:\d+ \({name}\), and PE (\d) .*)$",
                               done.stderr, re.M)
            one, other = int(report[2]), int(report[3])
            events = json.loads(file.read_text())["traceEvents"]
            marks = {e["pid"]: e for e in events if e["ph"] == "X" and e["cat"] == "race"}
            self.assertEqual(set(marks), {one, other})
            for mark in marks.values():
                self.assertEqual(mark["args"]["report"], report[1])
            self.assertIn((marks[one]["ts"], marks[one]["dur"]),
                          [(e["ts"], e["dur"]) for e in self.calls(events, "shmem_long_put") if e["pid"] == one])
            self.assertEqual({e["pid"] for e in events if e["ph"] in "sf" and e["name"] == "race"}, {one, other})
            self.assertIn(second, (other, None))

    def test_more_calls_than_room(self):
        done, file = traced(self.work, OSHEN_TRACE_CALLS="4")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^oshtrace: \d+ calls are not in .*out\.json: more than 4 of one PE .*\n$")
        self.assertGreater(json.loads(file.read_text())["otherData"]["dropped"], 0)

    def test_a_file_that_cannot_be_written(self):
        done = subprocess.run([OSHRUN, "-n", "1", "--trace", "/nowhere/out.json", TALK], text=True, capture_output=True,
                              check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (2, "oshrun: --trace /nowhere/out.json: cannot write: No such file or directory\n"))


if __name__ == "__main__":
    unittest.main()
