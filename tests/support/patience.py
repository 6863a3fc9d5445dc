#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time limits of tests for busy machines too: tests give the seconds of an idle machine.

  patience.py COMMAND ... --timeout N ...    executes the command, with the limit multiplied by the number of processes for
                                             each CPU
"""

import math
import os
import sys


def processes_for_each_cpu() -> float:
    """The number of processes that run or could run, now or in the last minute, for each CPU. At least 1."""
    with open("/proc/loadavg") as file:
        last_minute, _, _, now, *_ = file.read().split()
    return max(1.0, max(float(last_minute), int(now.split("/")[0])) / len(os.sched_getaffinity(0)))


def stretched(seconds: float) -> float:
    """The limit for work that takes `seconds` on an idle machine. Not stretched for mutants, which run alone and may hang."""
    return seconds if "OSHEN_TEST_IMPATIENT" in os.environ else seconds * processes_for_each_cpu()


def patient(command: list[str]) -> list[str]:
    """The command with a stretched limit after --timeout."""
    at = command.index("--timeout") + 1
    return [*command[:at], str(math.ceil(stretched(float(command[at])))), *command[at + 1:]]


if __name__ == "__main__":
    if "--timeout" not in sys.argv[1:-1]:
        sys.exit(__doc__)
    words = patient(sys.argv[1:])
    os.execvp(words[0], words)
