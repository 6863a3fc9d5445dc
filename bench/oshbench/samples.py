"""From batches to numbers. The unit is the launch: a launch's value is the median of its batches, a library's value the
median of its launches. Batches in which a process lost its CPU are left out where enough others remain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from statistics import median

from .catalogue import higher_is_better

Key = tuple[str, int, int]  # case, bytes, PEs
FEWEST_CLEAN = 4
ALIKE = 1.5  # times: references of two launches that may be compared


@dataclass
class Summary:
    """What one library did in one case: its time, or what it counts in its own unit."""

    ns: float
    best_ns: float
    low_ns: float  # a tenth of the batches were faster
    high_ns: float  # a tenth were slower
    to_reference: float | None  # median of batch / reference batch right before it
    reference_ns: float | None
    reference: str | None
    how: str
    launches: list[float] = field(default_factory=list)
    references: list[float] = field(default_factory=list)  # of each launch, where it has one
    batches: int = 0
    disturbed: int = 0
    failed: int = 0
    unit: str = "ns"  # of what a case counts beside its time: %, ...

    @property
    def ok(self) -> bool:
        return self.failed == 0 and self.batches > 0

    def to_dict(self) -> dict:
        rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}
        return rounded | {name: [round(v, 4) for v in rounded[name]] for name in ("launches", "references")}


class Samples:
    """All batches, by library and case."""

    def __init__(self) -> None:
        self._launches: dict[tuple[str, Key], list[list[dict]]] = defaultdict(list)

    def add(self, library: str, records: list[dict]) -> None:
        """The records of one launch."""
        by_key: dict[Key, list[dict]] = defaultdict(list)
        for record in records:
            by_key[record["case"], record["size"], record["pes"]].append(record)
        for key, batches in by_key.items():
            self._launches[library, key].append(batches)

    def summaries(self) -> dict[str, dict[Key, Summary]]:
        result: dict[str, dict[Key, Summary]] = defaultdict(dict)
        for (library, key), launches in self._launches.items():
            result[library][key] = summarise(launches)
        return dict(result)


def summarise(launches: list[list[dict]]) -> Summary:
    cleaned = [_clean(batches) for batches in launches]
    used = [batch for batches in cleaned for batch in batches]
    times = sorted(batch["ns"] for batch in used)
    paired = [b for b in used if b.get("reference_ns", 0) > 0]
    everything = [batch for batches in launches for batch in batches]
    return Summary(
        ns=median(median(b["ns"] for b in batches) for batches in cleaned),
        best_ns=times[0],
        low_ns=times[len(times) // 10],
        high_ns=times[-1 - len(times) // 10],
        to_reference=median(b["ns"] / b["reference_ns"] for b in paired) if paired else None,
        reference_ns=median(b["reference_ns"] for b in paired) if paired else None,
        reference=paired[0]["reference"] if paired else None,
        how=used[0]["how"],
        launches=[median(b["ns"] for b in batches) for batches in cleaned],
        references=[median(b["reference_ns"] for b in batches) for batches in cleaned] if len(paired) == len(used) else [],
        batches=len(used),
        disturbed=len(everything) - len(used),
        failed=sum(not batch["ok"] for batch in everything),
        unit=used[0].get("unit", "ns"),
    )


def quotient(value: float, by: float) -> float | None:
    """None by zero."""
    return value / by if by else None


def ratios(ours: Summary, peer: Summary) -> list[float]:
    """Ours over the peer's, launch by launch; nothing where the peer counted none. A launch is compared with that of the peer whose reference was nearest, and
    both are taken as multiples of their references: a virtual machine's CPUs are two threads of one core at one time and
    far apart at another, and then a line takes six times as long and a copy four fifths. None where no two are alike."""
    if not (ours.references and peer.references):
        return [own / peer.ns for own in ours.launches or [ours.ns]] if peer.ns else []
    pairs = [_nearest(own, bare, peer) for own, bare in zip(ours.launches, ours.references)]
    return [ratio for ratio, apart in pairs if apart <= ALIKE]


def against(ours: Summary, peer: Summary) -> float | None:
    """The median of these."""
    found = ratios(ours, peer)
    return median(found) if found else None


def best_of(found: list[tuple[str, Summary]]) -> tuple[str, Summary] | None:
    """The fastest, or who has most where more is better."""
    sign = -1 if found and higher_is_better(found[0][1].unit) else 1
    return min(found, key=lambda item: sign * item[1].ns, default=None)


def _nearest(own: float, bare: float, peer: Summary) -> tuple[float, float]:
    """The ratio to that launch of the peer whose reference is nearest to `bare`, and how far apart the two are."""
    launch, reference = min(zip(peer.launches, peer.references), key=lambda each: _apart(each[1], bare))
    return (own / bare) / (launch / reference), _apart(reference, bare)


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other) if min(one, other) > 0 else float("inf")


def _clean(batches: list[dict]) -> list[dict]:
    """More PEs than CPUs switch all the time; there nothing can be left out."""
    clean = [batch for batch in batches if batch["switches"] == 0]
    return clean if len(clean) >= FEWEST_CLEAN else batches
