# SPDX-License-Identifier: BSD-3-Clause
"""The outcomes of the litmus tests (docs/user/litmus.md): `oshrun --explore` finds those that may be seen, and no other ones.

usage: litmus_test.py --bin FOLDER
"""

import re
from pathlib import Path

from explored import ExploredProgram, main
from oshbench.correctness import litmus

BENCH = Path(__file__).resolve().parents[3] / "bench"


def values(text):
    return dict(re.findall(r"(\w)=(-?\d+)", text))


class Litmus(ExploredProgram):
    def outcomes(self, index, test):
        """The registers and variables of each different output."""
        n_pes = 1 + max(int(pe) for pe in re.findall(r"[xy](\d)", test.objects) + re.findall(r"(\d):", test.steps))
        shapes = BENCH / "programs/litmus"
        program = self.built("litmus", more=[shapes / "shape.c", f"-I{shapes}"])
        outputs = self.assert_right(self.oshrun("--explore", "-n", max(n_pes, 2), "--any-output", program, index))
        return [{"0": "0", "1": "0", "2": "0", "3": "0", **values(output)} for output in outputs]

    def test_outcomes(self):
        tests = litmus.read_tests(BENCH)
        self.assertGreaterEqual(len(tests), 41)
        for index, test in enumerate(tests):
            with self.subTest(test.name):
                wanted = values(test.outcome).items()
                found = any(wanted <= outcome.items() for outcome in self.outcomes(index, test))
                # "silent": memory of the model is multi-copy atomic.
                self.assertEqual(found, test.verdict == "allowed", f"{test.outcome} is {test.verdict}")


if __name__ == "__main__":
    main()
