# SPDX-License-Identifier: BSD-3-Clause
"""The end of the library. Handles, arrays and locks of before are not valid after a new start."""

from __future__ import annotations

from typing import Callable

_at_end: list[Callable[[], None]] = []


class _Clock:
    now = 0  # the number of ends until now


clock = _Clock()


def at_end(forget: Callable[[], None]) -> None:
    """Registers a function that forgets what the library knew."""
    _at_end.append(forget)


def end() -> None:
    """To be called when the library is no longer initialised."""
    clock.now += 1
    for forget in _at_end:
        forget()
