# SPDX-License-Identifier: BSD-3-Clause
"""Lines about the progress and the remaining time, from the first second on. The time is guessed at first; later it
follows from the pace of each number of PEs."""

from __future__ import annotations

import sys
import time
from typing import Callable, TextIO

OFTEN, SELDOM = 1.0, 30.0  # seconds between two lines within a round: on a terminal, in a file
SHARED = 5                 # guessed factor on the time of a measurement if PEs share CPUs


def duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class Progress:
    """`guess`: seconds of a measurement if each PE has a CPU."""

    def __init__(self, quiet: bool, guess: float, out: TextIO = sys.stderr, now: Callable[[], float] = time.monotonic):
        self.quiet, self.guess, self.out, self.now = quiet, guess, out, now
        self.began = self.shown = now()
        self.rounds: dict[int, int] = {}    # remaining rounds, by number of PEs
        self.points: dict[int, int] = {}    # measurements in a round, likewise
        self.pace: dict[int, float] = {}    # seconds of a measurement, likewise
        self.crowded: set[int] = set()      # numbers of PEs that share CPUs
        self.what, self.team, self.since, self.done = "", 0, 0.0, 0

    def say(self, text: str, end: str = "\n") -> None:
        if not self.quiet:
            print(f"oshtune: {self.now() - self.began:5.1f} s: {text}", file=self.out, flush=True, end=end)

    def plan(self, rounds: int, points: dict[int, int], crowded: set[int], then: str = "") -> None:
        """Sets the number of rounds, the measurements of each number of PEs in a round, and the numbers that share
        CPUs."""
        self.crowded = crowded
        self.rounds, self.points = dict.fromkeys(points, rounds), dict(points)
        self.say(f"{rounds} rounds of {sum(points.values())} measurements: about {duration(self.left())}{then}")

    def start(self, team: int, points: int, what: str) -> None:
        """Begins a round of one number of PEs."""
        self.team, self.what, self.since, self.done = team, what, self.now(), 0
        self.points[team] = points

    def step(self) -> None:
        """Counts one measurement of this round."""
        self.done += 1
        terminal = self.out.isatty()
        if self.now() - self.shown >= (OFTEN if terminal else SELDOM):
            self.shown = self.now()
            self.say(f"{self.what}: {self.done} of {self.points[self.team]}; {duration(self.left())} left",
                     "\033[K\r" if terminal else "\n")

    def finish(self) -> None:
        self.pace[self.team] = (self.now() - self.since) / max(1, self.points[self.team])
        self.rounds[self.team] -= 1
        self.done, self.shown = 0, self.now()
        wiped = "\033[K" if self.out.isatty() else ""
        self.say(f"{self.what}: {self.points[self.team]} measurements; {duration(self.left())} left{wiped}")

    def left(self) -> float:
        """The seconds of all remaining rounds, less the part of this round that is done."""
        pace = {team: self.pace.get(team, self.guessed(team)) for team in self.rounds}
        if self.done:
            pace[self.team] = (self.now() - self.since) / self.done
        rest = sum(rounds * self.points[team] * pace[team] for team, rounds in self.rounds.items())
        return rest - self.done * pace.get(self.team, 0.0)

    def guessed(self, team: int) -> float:
        """The pace of a number of PEs that has not been measured: that of the slowest similar one, or the usual one."""
        like = [pace for other, pace in self.pace.items() if (other in self.crowded) == (team in self.crowded)]
        others = [pace * (SHARED if team in self.crowded else 1 / SHARED) for pace in self.pace.values()]
        return max(like or others or [self.guess * (SHARED if team in self.crowded else 1)])
