"""Changes of protocol: sizes at which the line time = start-up + bytes × cost breaks, and the cost of the protocol of
smaller sizes there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy

from ..results.rows import Key, Row

FEWEST = 3  # sizes on each side of a break; fewer fit anything
SIGMAS = 3.0
SMALLEST = 0.1  # smaller jumps do not matter
MOST_ASKED = 9  # sizes for a closer look
OWN_SIZES = ("rate", "strided", "wait.", "overlap")  # cases whose sizes are not bytes, or are not timed


@dataclass(frozen=True)
class Line:
    """Nanoseconds of the start-up and per byte."""

    start: float
    byte: float

    def at(self, size: float) -> float:
        return self.start + self.byte * size


@dataclass(frozen=True)
class Break:
    """A break between two sizes. `jump` is the time at the larger size over the line of the smaller sizes there."""

    case: str
    pes: int
    small: int
    large: int
    before: Line
    after: Line
    jump: float

    @property
    def sizes(self) -> list[int]:
        """Sizes between the two, in steps of √2 or less."""
        steps = min(MOST_ASKED - 1, max(2, math.ceil(2 * math.log2(self.large / self.small))))
        between = [self.small * (self.large / self.small) ** (i / steps) for i in range(steps + 1)]
        return sorted({8 * round(size / 8) for size in between})


def breaks(rows: dict[Key, Row]) -> list[Break]:
    """The breaks in all series of a library with right results."""
    series: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(key for key, row in rows.items() if row.ok and row.unit == "ns"):
        if key.size >= 8 and not key.case.startswith(OWN_SIZES) and not key.case.endswith("_local"):
            series.setdefault((key.case, key.pes), []).append(key)
    return [change for keys in series.values() for change in _of_series([rows[key] for key in keys])]


def _of_series(rows: list[Row]) -> list[Break]:
    """Splits where two lines fit better than one, then each half again."""
    if len(rows) < 2 * FEWEST:
        return []
    sizes = numpy.array([row.key.size for row in rows], float)
    times = numpy.array([row.median for row in rows])
    noise = max(0.02, float(numpy.median([_spread(row) for row in rows])))
    whole, one = _fit(sizes, times, noise)
    cuts = [(sum(_fit(sizes[part], times[part], noise)[1] for part in (slice(0, k), slice(k, None))), k)
            for k in range(FEWEST, len(rows) - FEWEST + 1)]
    two, cut = min(cuts)
    count = len(rows)
    if count * math.log(one / two) <= 3 * math.log(count):  # three more parameters must pay (BIC)
        return []
    before, after = _fit(sizes[:cut], times[:cut], noise)[0], _fit(sizes[cut:], times[cut:], noise)[0]
    left, right = _of_series(rows[:cut]), _of_series(rows[cut:])
    jump = float(times[cut] / max(before.at(sizes[cut]), 1e-9))
    sigma = math.sqrt(two / max(1, count - 5))
    key = rows[cut].key
    change = Break(key.case, key.pes, rows[cut - 1].key.size, key.size, before, after, jump)
    return left + ([change] if abs(math.log(jump)) > max(SIGMAS * sigma, SMALLEST) else []) + right


def _spread(row: Row) -> float:
    """The spread of launches, as a share of the median."""
    values = numpy.array(row.values)
    return float(numpy.median(numpy.abs(values - numpy.median(values))) * 1.48 / max(numpy.median(values), 1e-9))


def _fit(sizes: numpy.ndarray, times: numpy.ndarray, noise: float) -> tuple[Line, float]:
    """Least squares of relative errors, not better than the noise."""
    design = numpy.stack([1 / times, sizes / times], axis=1)
    (start, byte), *_ = numpy.linalg.lstsq(design, numpy.ones(len(times)), rcond=None)
    residual = float(((design @ numpy.array([start, byte]) - 1) ** 2).sum())
    return Line(float(start), float(byte)), residual + len(times) * (noise / 3) ** 2


def table(library: str, rows: dict[Key, Row]) -> list[list[str]]:
    """Rows for the report, the largest jumps first."""
    changes = sorted(breaks(rows), key=lambda b: -abs(math.log(b.jump)))
    return [[library, b.case, str(b.pes), f"{b.small:,} … {b.large:,}".replace(",", " "), f"{b.jump:.2f}×",
             _price(b.before), _price(b.after),
             f"oshbench run {b.case.removesuffix('_span')} -L {library} -n {b.pes} --sizes "
             f"{','.join(map(str, b.sizes))}"]
            for b in changes]


def _price(line: Line) -> str:
    rate = f"{1 / line.byte:.1f} GB/s" if line.byte > 1e-6 else "bytes cost nothing"
    return f"{max(line.start, 0):.0f} ns + {rate}"
