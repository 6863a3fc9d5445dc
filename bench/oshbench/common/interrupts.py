"""Ctrl-C and SIGTERM end a run after what was measured is saved. Each is remembered, because Python drops an exception
that a signal handler raises within a callback, such as those around a fork."""

from __future__ import annotations

import signal

_arrived = False


def _remember(*_: object) -> None:
    global _arrived
    _arrived = True
    raise KeyboardInterrupt


def catch() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _remember)


def check() -> None:
    """Raises KeyboardInterrupt if one has arrived."""
    if _arrived:
        raise KeyboardInterrupt
