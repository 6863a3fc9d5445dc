# SPDX-License-Identifier: BSD-3-Clause
"""The package and its examples have no errors of types for mypy and pyright, and users get errors for wrong types.

  types_test.py FOLDER    FOLDER: for mypy's cache and the program with mistakes
"""

import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
FOLDER = Path(sys.argv.pop(1))
TOOLS = Path(sys.executable).parent
CORRECT = """from oshen import exchange, fft, shmem

array = shmem.zeros((4, 4), "f4", order="F")
shmem.put(array, [1, 2], 0)
team: shmem.Team = shmem.TEAM_WORLD.split_strided(0, 1, 2)
with fft.FFT((8, 8), fft.slab((8, 8))) as plan:
    print(plan.forward(array).dtype, exchange.grid((4, 4)))
"""
WRONG = {"order": 'shmem.zeros(4, order="Q")', "team": "shmem.sync(shmem.CTX_DEFAULT)", "pe": 'shmem.put(array, array, "0")'}


def told(*words):
    done = subprocess.run([str(word) for word in words], cwd=SOURCE, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Types(unittest.TestCase):
    def test_pyright_as_of_python_3_9(self):
        status, text = told(TOOLS / "basedpyright")
        self.assertEqual(status, 0, text)
        self.assertIn("0 errors", text)

    def test_mypy_with_the_mistakes_of_a_user(self):
        program = FOLDER / "types_of_a_user.py"
        program.write_text(CORRECT + "".join(f"{call}  # {name}\n" for name, call in WRONG.items()))
        _, text = told(TOOLS / "mypy", "--cache-dir", FOLDER / "mypy", "python/oshen", "python/examples", program)
        errors = [line.split(":")[:2] for line in text.splitlines() if ": error:" in line]
        first = CORRECT.count("\n") + 1
        self.assertEqual([int(line) for _, line in errors], list(range(first, first + len(WRONG))), text)
        self.assertEqual({Path(path).name for path, _ in errors}, {program.name}, text)


if __name__ == "__main__":
    unittest.main()
