"""Numbers as text."""

from __future__ import annotations


def duration(ns: float | None) -> str:
    if ns is None:
        return "–"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns" if ns < 100 else f"{ns:.0f} ns"


def ratio_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def size_text(size: int) -> str:
    if size == 0:
        return "–"
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1024 else f"{size} B"
