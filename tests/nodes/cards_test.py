#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The PEs of a node share its cards; OSHEN_INTERFACE gives all of them one card."""

import os
import re
import subprocess
import unittest

OSHRUN, OSHINFO, HELLO, DOUBLE = (os.environ[name] for name in ("OSHRUN", "OSHINFO", "HELLO", "DOUBLE"))


def run(*command, **env):
    cards = {"LD_LIBRARY_PATH": DOUBLE, "FABRIC_ROW": "efa", "FABRIC_CARDS": "3"}
    done = subprocess.run(command, env={**os.environ, **cards, **env}, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout, done.stderr


class Cards(unittest.TestCase):
    def opened(self, n_pes, **env):
        """The cards that the PEs of two virtual nodes open, sorted."""
        out, err = run(OSHRUN, "--nodes", "2", "-n", str(n_pes), "--timeout", "200", HELLO, OSHEN_TRANSPORT="ofi", **env)
        self.assertEqual(out.count("hello from PE"), n_pes, out)
        return sorted(int(card) for card in re.findall(r"^fabric double: card(\d)$", err, re.M))

    def test_each_node_uses_each_of_its_cards(self):
        self.assertEqual(self.opened(6), [0, 0, 1, 1, 2, 2])

    def test_fewer_and_more_pes_than_cards(self):
        self.assertEqual(self.opened(4), [0, 0, 1, 1])
        self.assertEqual(self.opened(8), [0, 0, 0, 0, 1, 1, 2, 2])

    def test_one_card_by_name(self):
        self.assertEqual(self.opened(6, OSHEN_INTERFACE="card1"), [1] * 6)

    def test_oshinfo_says_that_they_are_shared(self):
        out, _ = run(OSHINFO, "--transport")
        self.assertRegex(out, r"efa on card0, score 310 \(EFA card\): chosen\n")
        self.assertEqual(len(re.findall(r"efa on card[12], .*: no: the PEs of a node share its cards\n", out)), 2, out)


if __name__ == "__main__":
    unittest.main()
