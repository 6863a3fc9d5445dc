"""Puts the page together: what stands in it, in which order, and the raw numbers at its end."""

from __future__ import annotations

import base64
import gzip
import json
import math
from pathlib import Path

import jinja2
from markupsafe import Markup

from .. import contest, formats, judge, machine, probe, profiles, results
from ..catalogue import AXES, kind_of
from ..doctor import warnings
from ..results import Key, Row, Table
from . import figures, guidelines, protocols, radar, shapes
from .published import PAPERS

MOST_CURVES = 14
NOISY = 0.1  # a floor of differences that the summary must mention


def write(saved: dict, output: Path, base: str | None = None) -> None:
    output.write_text(render(saved, base), encoding="utf-8")


def render(saved: dict, base: str | None = None) -> str:
    table = {name: rows for name, rows in results.table(saved).items() if rows}
    if not table:
        raise ValueError("the run holds no results")
    base = base or ("oshen" if "oshen" in table else next(iter(table)))
    if base not in table:
        raise ValueError(f"--base {base}: no such library in this run; there are {', '.join(table)}")
    palette = figures.colours(list(table))
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    template = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True).get_template("page.html.j2")
    raw = base64.b64encode(gzip.compress(json.dumps(saved).encode(), mtime=0)).decode()
    return template.render(saved=saved, base=base, machine=machine.name(saved["machine"]), sections=sections(saved, table, base, palette),
                           warnings=_warnings(saved), verdict=summary(table, base), palette=palette, raw=raw,
                           finished=saved["finished"], command=saved["command"])


def _warnings(saved: dict) -> list[str]:
    told = warnings(saved["doctor"]) if "doctor" in saved else []
    cpus = int(saved["machine"].get("CPUs", 0) or 0) * max(1, len(saved.get("hosts", [])))
    crowded = sorted({launch["pes"] for launch in saved["launches"] if cpus and launch["pes"] > cpus})
    if crowded:
        told.append(f"more PEs than CPUs ({', '.join(map(str, crowded))} on {cpus}): those rows also measure the scheduler")
    return told


class Section:
    """A heading, what to know, figures and tables."""

    def __init__(self, name: str, title: str, about: str = "") -> None:
        self.name, self.title, self.about = name, title, about
        self.figures: list[tuple[str, Markup, bool]] = []  # caption, picture, whether it needs the whole width
        self.tables: list[tuple[str, list[str], list[list[str]]]] = []

    def figure(self, caption: str, picture: str, wide: bool = False) -> None:
        self.figures.append((caption, Markup(picture), wide))

    def add(self, title: str, columns: list[str], rows: list[list[str]]) -> None:
        if rows:
            self.tables.append((title, columns, rows))


def sections(saved: dict, table: Table, base: str, palette: dict[str, str]) -> list[Section]:
    made = [overview(table, base, palette), verdicts(table, base), paper(saved, table), pt2pt(table, palette), atomics(table, palette),
            collectives(table, palette), threads(table, palette), synchronisation(table, palette), applications(table, palette),
            memory(table, palette), management(table), broken_rules(table), variability(table, palette), capabilities(saved),
            environment(saved), everything(table)]
    return [section for section in made if section and (section.figures or section.tables)]


# ---- what was found

def summary(table: Table, base: str) -> list[str]:
    """A sentence for each other library."""
    told = []
    floor = judge.floor(table)
    for name in table:
        if name == base:
            continue
        found = judge.compare(table[name], table[base], (name, base), True, floor)
        count = {word: sum(v.word == word for v in found) for word in contest.MARKS}
        if not found:
            continue
        ratios = [v.ratio.value for v in found if not math.isnan(v.ratio.value) and v.ratio.value > 0]
        middle = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan
        told.append(f"{base} against {name}: faster in {count['faster']}, as fast in {count['same']}, slower in "
                    f"{count['slower']} of {len(found)} cases, {count['inconclusive']} undecided; on the geometric mean {base} takes "
                    f"{middle:.2f} of the time, or memory, of {name}.{_worst(found)}")
    if told and floor > NOISY:
        told.append(f"This run was disturbed: the same library differs from itself by {floor:.0%}, and smaller differences count as "
                    "none. On a quiet machine more would be decided.")
    return told


def _worst(found: list[judge.Verdict]) -> str:
    """Where the other one should be taken: what a reader looks for first."""
    slower = sorted((v for v in found if v.word == "slower"), key=lambda v: -v.ratio.value)
    named = [f"{v.key.case}{' of ' + formats.size_text(v.key.size) if v.key.size else ''}, {v.key.pes} PEs ({v.ratio.value:.2f}×)"
             for v in slower[:3]]
    return f" Slowest beside it: {'; '.join(named)}." if named else ""


def overview(table: Table, base: str, palette: dict[str, str]) -> Section:
    section = Section("radar", "How close each comes to the best", "The outermost ring is the fastest library in every operation; half "
                      "way in is twice as long. Geometric mean over the operations that all of them have, sizes within a band "
                      "counted once; thick lines are 95 % intervals over launches. Memory is what a process holds. Read it beside "
                      "the verdicts, never alone.")
    found = radar.scores(table)
    if len(found) >= 3:
        section.figure("Share of the best", figures.radar(found, AXES, palette))
    names = list(table)
    rows = [[AXES[axis], *[_score(scores.get(name)) for name in names], str(max(s.operations for s in scores.values()))]
            for axis, scores in found.items()]
    section.add("Share of the best", ["axis", *names, "operations"], rows)
    return section


def _score(score: radar.Score | None) -> str:
    return f"{score.value:.2f} ({score.low:.2f}–{score.high:.2f})" if score else "–"


def verdicts(table: Table, base: str) -> Section:
    floor = judge.floor(table)
    section = Section("verdicts", "Verdicts", f"Cost of {base} over that of the other; below 1 {base} is faster. Launches of a round "
                      f"are compared with each other; p after Holm for all rows of a table; differences below "
                      f"{max(judge.SMALLEST, floor):.1%} are what a library differs from itself here, and count as none.")
    for name in table:
        if name == base:
            continue
        found = judge.compare(table[name], table[base], (name, base), True, floor)
        rows = [[*contest._row(v), kind_of(v.key.case).about] for v in sorted(found, key=contest._order)]
        section.add(f"{base} against {name}", ["", "case", "size", "PEs", "ratio", "95 % interval", "p", "verdict", "what it is"], rows)
    return section


def paper(saved: dict, table: Table) -> Section | None:
    profile = profiles.PROFILES.get(saved["profile"])
    found = PAPERS.get(profile.paper) if profile else None
    if not found:
        return None
    section = Section("paper", "What the paper found, and what we find", found["about"])
    kinds = {name: note.get("kind", "") for name, note in saved["libraries"].items()}
    if profile.paper == "libraries":
        section.add("Published numbers, and ours beside them", *shapes.libraries(table, kinds))
    elif profile.paper == "collectives":
        section.add("One-sided against two-sided, sizes won", *shapes.collectives(table, kinds))
    else:
        section.add("From which size on threads move more than one", *shapes.threads(table))
    return section


# ---- axis by axis

def _sized(table: Table, axes: tuple[str, ...]) -> list[tuple[str, int]]:
    """Cases with several sizes."""
    sizes: dict[tuple[str, int], set[int]] = {}
    for rows in table.values():
        for key, row in rows.items():
            if row.axis in axes and row.unit == "ns" and key.size and not key.case.endswith("_local"):
                sizes.setdefault((key.case, key.pes), set()).add(key.size)
    return [case for case, found in sizes.items() if len(found) > 2]


def _single(table: Table, axis: str) -> list[Key]:
    sized = set(_sized(table, (axis,)))
    return [key for key in formats.keys(table) if kind_of(key.case).axis == axis and (key.case, key.pes) not in sized
            and _row(table, key).unit == "ns"]


def _row(table: Table, key: Key) -> Row:
    return next(rows[key] for rows in table.values() if key in rows)


def _values(section: Section, table: Table, keys: list[Key], title: str = "Values") -> None:
    names = list(table)
    section.add(title, ["case", "size", "PEs", *names],
                [[key.case, formats.size_text(key.size), str(key.pes), *[formats.value(table[n].get(key)) for n in names]] for key in keys])


def pt2pt(table: Table, palette: dict[str, str]) -> Section:
    section = Section("pt2pt", "Point to point", "Bands are 95 % intervals; the dotted line is what the machine can do in the same loop: "
                      "a store, a load, a copy. The lower panel is the ratio to the best.")
    for case, pes in _sized(table, ("pt2pt",))[:MOST_CURVES]:
        section.figure(f"{case}, {pes} PEs: {kind_of(case).about}", figures.curves(table, case, pes, palette))
    keys = _single(table, "pt2pt")
    if keys:
        section.figure("8 bytes", figures.bars(table, keys, palette, "Point to point, small", "ns"))
    _values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "pt2pt"])
    _bandwidths(section, table)
    return section


def _bandwidths(section: Section, table: Table) -> None:
    names = list(table)
    rows = []
    for key in formats.keys(table):
        found = [table[name].get(key) for name in names]
        if key.size >= 4096 and any(row and row.bandwidth for row in found):
            rows.append([key.case, formats.size_text(key.size), str(key.pes),
                         *[f"{row.bandwidth / 1e3:.2f}" if row and row.ok and row.bandwidth else "–" for row in found]])
    section.add("Bandwidth, GB/s (10⁹ bytes)", ["case", "size", "PEs", *names], rows)


def atomics(table: Table, palette: dict[str, str]) -> Section:
    section = Section("atomics", "Atomics", "“private” is a word that nobody else touches, “same” one word again and again, “incast” one "
                      "word that all PEs want.")
    keys = _single(table, "atomics")
    for start in range(0, min(len(keys), 96), 16):
        section.figure("", figures.bars(table, keys[start:start + 16], palette, "Atomics", "ns"))
    _values(section, table, keys)
    return section


def collectives(table: Table, palette: dict[str, str]) -> Section:
    section = Section("collectives", "Collectives", "“_span” is the last exit minus the first entry of single operations, plain names run "
                      "back to back.")
    for case, pes in [c for c in _sized(table, ("collectives",)) if c[0].endswith("_span") or not _has_span(table, c)][:MOST_CURVES]:
        section.figure(f"{case}, {pes} PEs", figures.curves(table, case, pes, palette))
    for case in dict.fromkeys(case for case, _ in _sized(table, ("collectives",))):
        cells = _cells(table, case)
        if len(cells) > 2 and len(table) > 1:
            section.figure(f"Who wins: {case}", figures.crossover(cells, palette, f"Crossover map of {case}"))
    keys = _single(table, "collectives")
    if keys:
        section.figure("Without data, or of one size", figures.bars(table, keys[:24], palette, "Collectives, one size", "ns"))
    _values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "collectives"])
    return section


def _has_span(table: Table, case: tuple[str, int]) -> bool:
    return any(key.case == case[0] + "_span" and key.pes == case[1] for rows in table.values() for key in rows)


def _cells(table: Table, case: str) -> dict[tuple[int, int], tuple[str, float, bool]]:
    """Winner, how far the next is behind, and whether their intervals overlap."""
    cells = {}
    for key in formats.keys(table):
        found = sorted(((rows[key].median, name) for name, rows in table.items() if key in rows and rows[key].ok))
        if key.case == case and len(found) > 1:
            first, second = (judge.interval(table[name][key]) for _, name in found[:2])
            cells[key.size, key.pes] = (found[0][1], found[1][0] / found[0][0], first.high >= second.low)
    return cells


def threads(table: Table, palette: dict[str, str]) -> Section:
    section = Section("threads", "Threads", "Rates of all threads together. Efficiency is the rate of T threads over T times that of one.")
    rates: dict[tuple[str, int], dict[str, dict[int, float]]] = {}
    for name, rows in table.items():
        for key, row in rows.items():
            stem, _, count = key.case.rpartition(".t")
            if row.axis == "threads" and row.ok and count.isdigit():
                rates.setdefault((stem, key.size), {}).setdefault(name, {})[int(count)] = 1e3 / row.median
    several = {at: found for at, found in rates.items() if any(len(points) > 1 for points in found.values())}
    rates_first = sorted(several.items(), key=lambda entry: entry[0][0].startswith("mt_lat"))
    for (stem, size), found in rates_first[:MOST_CURVES]:
        section.figure(f"{stem}, {formats.size_text(size)}", figures.lines(found, palette, f"{stem}: rate by threads", "threads of each PE",
                                                                           "million messages a second"))
    rows = [[stem, formats.size_text(size), name, *[f"{points[t]:.2f}" if t in points else "–" for t in (1, 2, 4)],
             *[f"{points[t] / (t * points[1]):.0%}" if t in points and 1 in points else "–" for t in (2, 4)]]
            for (stem, size), found in several.items() for name, points in found.items()]
    section.add("Million messages a second by threads", ["case", "size", "library", "T = 1", "2", "4", "efficiency at 2", "at 4"], rows)
    columns, overtakes = shapes.threads(table)
    section.add("From which size on more threads overtake one", columns[:4], [row[:4] for row in overtakes])
    section.add("What THREAD_MULTIPLE costs one thread", ["library", "case", "size", "at SINGLE", "at MULTIPLE", "ratio"],
                shapes.multiple(table))
    _thread_heat(section, table)
    _values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "threads"])
    return section


def _thread_heat(section: Section, table: Table) -> None:
    """Contexts down, operations across: what each costs over the best, of the library with most of them."""
    for name, rows in table.items():
        cost: dict[tuple[str, str], float] = {}
        for key, row in rows.items():
            parts = key.case.split(".")
            if row.axis == "threads" and row.ok and len(parts) >= 6 and key.case.startswith("mt_rate"):
                cell = ".".join(parts[3:5]) + " " + parts[-1], f"{parts[1]} {parts[2]}"
                cost[cell] = row.median
        lines = sorted({a for a, _ in cost})
        columns = sorted({b for _, b in cost})
        if len(lines) > 1 and columns:
            best = {b: min(v for (x, y), v in cost.items() if y == b) for b in columns}
            values = [[cost.get((a, b), math.nan) / best[b] for b in columns] for a in lines]
            section.figure(f"{name}: context, synchronisation and threads by pattern: time over the best",
                           figures.heat(values, lines, columns, f"Threads heat map of {name}"), len(columns) > 6)


def synchronisation(table: Table, palette: dict[str, str]) -> Section:
    section = Section("sync", "Synchronisation", "How data is announced: time over that of the best way at this size.")
    ways = [case for case in dict.fromkeys(key.case for key in formats.keys(table)) if case.startswith("pp_")]
    for name, rows in table.items():
        sizes = sorted({key.size for key in rows if key.case in ways})
        own = [way for way in ways if any(key.case == way for key in rows)]
        if len(own) > 1:
            cost = {(k.case, k.size): r.median for k, r in rows.items() if k.case in own and r.ok}
            best = {size: min((v for (_, s), v in cost.items() if s == size), default=math.nan) for size in sizes}
            values = [[cost.get((way, size), math.nan) / best[size] for size in sizes] for way in own]
            section.figure(f"{name}: ways to send and tell", figures.heat(values, own, [formats.size_text(s) for s in sizes],
                                                                          f"Synchronisation heat map of {name}"))
    keys = _single(table, "sync")
    if keys:
        section.figure("One way, small", figures.bars(table, keys[:24], palette, "Synchronisation", "ns"))
    _values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "sync"])
    return section


def applications(table: Table, palette: dict[str, str]) -> Section:
    section = Section("apps", "Mini-apps", "Each proves its result against a known answer; every way to synchronise gives the same numbers.")
    keys = [key for key in formats.keys(table) if kind_of(key.case).axis == "apps"]
    for app in dict.fromkeys(key.case.split(".")[1] for key in keys):
        own = [key for key in keys if key.case.split(".")[1] == app]
        section.figure(app, figures.bars(table, own, palette, f"{app}: time by synchronisation", "s", 1e9))
        shares = {f"{name} {key.case.split('.')[2]} {key.pes}": table[name][key].extra.get("phases", {})
                  for key in own for name in table if key in table[name] and table[name][key].extra.get("phases")}
        if shares:
            section.figure(f"{app}: where its time goes", figures.stacks(shares, f"{app}: phases"))
        for name in table:
            scaling = {key.pes: table[name][key].median / 1e9 for key in own if key in table[name]}
            if len(scaling) > 1:
                section.figure(f"{app} on {name} by PEs", figures.lines({name: scaling}, palette, f"{app}: scaling", "PEs", "s"))
    _values(section, table, keys)
    return section


def memory(table: Table, palette: dict[str, str]) -> Section:
    section = Section("memory", "Memory", "hwm: the most that the worst PE ever held, shared pages in full; pss: shared pages divided among "
                      "those who share them, mean of PEs. 8 MiB of heap are allocated, then touched.")
    keys = [key for key in formats.keys(table) if kind_of(key.case).axis == "memory"]
    for pes in sorted({key.pes for key in keys}):
        section.figure(f"Pss by stage, {pes} PEs", figures.bars(
            table, [k for k in keys if k.pes == pes and k.case.endswith("pss")], palette, f"Memory by stage, {pes} PEs", "MiB", 1024))
    for metric in ("hwm", "pss"):
        case = f"memory.barrier.{metric}"
        points = {name: {key.pes: rows[key].median / 1024 for key in rows if key.case == case} for name, rows in table.items()}
        points = {name: found for name, found in points.items() if len(found) > 1}
        if points:
            section.figure(f"After the first barrier ({metric}), by PEs", figures.lines(points, palette, "Memory by PEs", "PEs", "MiB"))
            section.add(f"Growth with each PE ({metric})", ["library", "kB for each further PE"],
                        [[name, f"{1024 * (guidelines.slope(found) or 0):.0f}"] for name, found in points.items()])
    _values(section, table, keys)
    return section


def management(table: Table) -> Section:
    section = Section("manage", "Start-up and management")
    _values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "manage"])
    return section


# ---- what is odd

def broken_rules(table: Table) -> Section:
    section = Section("rules", "What should hold and does not", "Guidelines: no operation is slower than what could replace it, and time "
                      "grows with bytes without steps. Each row is a place to look.")
    found = [v for name, rows in table.items() for v in guidelines.violations(name, rows)]
    found.sort(key=lambda v: -v.ratio)
    section.add("Violations", ["library", "rule", "where", "by"], [[v.library, v.rule, v.where, f"{v.ratio:.2f}×"] for v in found[:60]])
    if not found:
        section.add("Violations", [""], [["none"]])
    section.add("Where the price of bytes changes: another protocol, or the end of a cache",
                ["library", "case", "PEs", "between bytes", "time over the line before", "before", "after", "to look closer"],
                [line for name, rows in table.items() for line in protocols.table(name, rows)][:60])
    return section


def variability(table: Table, palette: dict[str, str]) -> Section:
    section = Section("spread", "How much it varies", "Every batch of every launch, side by side: bands of dots are launches.")
    for case in ("put_quiet", "fetch_add", "barrier_all"):
        rows = {name: row for name, found in table.items() for key, row in found.items() if key.case == case and key.pes == 2}
        if rows:
            section.figure(case, figures.strips(rows, palette, f"Every batch of {case}"))
    return section


def capabilities(saved: dict) -> Section:
    section = Section("matrix", "What each library can do", "Asked of the library itself: a few lines must compile and link.")
    for kind, title in (("shmem", "OpenSHMEM"), ("mpi", "MPI")):
        names = [name for name, note in saved["libraries"].items() if note.get("kind") == kind]
        rows = [[about, since, *["yes" if saved["libraries"][n].get("features", {}).get(feature) else "no" for n in names]]
                for feature, about, since, _ in (*probe.FEATURES[kind], ("thread_multiple", "many threads at once", "", ""))]
        if names:
            section.add(title, ["feature", "since", *names], rows)
    troubles = [[library, how, str(count)] for library, how, count in results.troubles(saved)]
    troubles += [[name, f"{part} left out: {why}", ""] for name, note in saved["libraries"].items()
                 for part, why in note.get("missing", {}).items()]
    troubles += [[name, f"not usable: {note['unusable']}", ""] for name, note in saved["libraries"].items() if "unusable" in note]
    troubles += [[line.split(": ")[0], f"wrong result in {line.split(': ')[1]}", ""] for line in results.wrong(saved)]
    section.add("Failures and crashes", ["library", "what", "launches"], troubles or [["", "none", ""]])
    return section


def environment(saved: dict) -> Section:
    section = Section("environment", "Where and how", f"Made by: {saved['command']}")
    section.add("Machine", ["", ""], [[key, str(value)] for key, value in saved["machine"].items()]
                + ([["hosts, as many PEs on each", ", ".join(saved["hosts"])]] if saved.get("hosts") else []))
    if "doctor" in saved:
        found = saved["doctor"]
        section.add("State", ["", ""], [["PEs on CPUs", ", ".join(map(str, found["measured_on"]))], ["clock", f"{found['clock_ns']} ns"],
                                        ["noise", str(found["noise"])], ["load before, after", str(saved.get("load", ""))],
                                        ["governor", found["governor"] or "–"]])
    section.add("Libraries and the settings they were compared at", ["library", "version", "specification", "settings", "launcher"],
                [[name, note.get("version", ""), note.get("spec", ""), ", ".join(f"{k}={v}" for k, v in note.get("env", {}).items()) or "its own",
                  " ".join([Path(word).name for word in note.get("run", [])[:1]] + note.get("run", [])[1:])] for name, note in saved["libraries"].items()])
    return section


def everything(table: Table) -> Section:
    section = Section("all", "All numbers", "Medians of launches; limit: what the machine can do; to reproduce a row: oshbench run CASE -n PEs "
                      "--sizes BYTES.")
    names = list(table)
    rows = []
    for key in formats.keys(table):
        found = [table[name].get(key) for name in names]
        limit = min((row.reference_ns for row in found if row and row.reference_ns), default=None)
        rows.append([key.case, formats.size_text(key.size), str(key.pes), *[formats.value(row) for row in found],
                     formats.duration(limit), next(row.how for row in found if row)])
    section.add("All cases", ["case", "size", "PEs", *names, "limit", "calls of the first"], rows)
    return section
