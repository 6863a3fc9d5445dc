#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Limits of tests that hold on a busy machine too: their seconds are those of a machine that is one's own.

  patience.py COMMAND ... --timeout N ...    becomes the command, with a limit that is as many times longer as there are
                                             processes for each CPU
"""

import math
import os
import sys


def processes_for_each_cpu() -> float:
    """That run or could run: now, or in the last minute. At least 1."""
    with open("/proc/loadavg") as file:
        last_minute, _, _, now, *_ = file.read().split()
    return max(1.0, max(float(last_minute), int(now.split("/")[0])) / len(os.sched_getaffinity(0)))


def stretched(seconds: float) -> float:
    """The limit for work that takes `seconds` on an idle machine. Mutants run alone, and hang."""
    return seconds if "OSHEN_TEST_IMPATIENT" in os.environ else seconds * processes_for_each_cpu()


def patient(command: list[str]) -> list[str]:
    """The command with the limit behind --timeout stretched."""
    at = command.index("--timeout") + 1
    return [*command[:at], str(math.ceil(stretched(float(command[at])))), *command[at + 1:]]


if __name__ == "__main__":
    if "--timeout" not in sys.argv[1:-1]:
        sys.exit(__doc__)
    words = patient(sys.argv[1:])
    os.execvp(words[0], words)
