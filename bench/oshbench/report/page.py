"""The HTML report: its sections in order, with the raw data."""

from __future__ import annotations

import base64
import gzip
import json
import math
from pathlib import Path

from oshen_figures import style
from oshen_figures.page import render as render_page

from ..cases.catalogue import AXES, kind_of
from ..libraries import probe
from ..results import designs
from ..results.rows import Key, Row, Table, measured, table_of_run
from ..results.run import Run
from ..statistics import intervals
from ..statistics.judge import Judgement
from . import (
    conclusions,
    crossings,
    figures,
    formats,
    guidelines,
    heading,
    protocols,
    radar,
    sentences,
    shapes,
    thread_shapes,
)
from .applications import applications
from .figures import Look
from .published import PAPERS
from .section import Section, add_values, again, single, sized, titled

MOST_CURVES = 14
CURVES = ("The dotted line is the limit of the machine in the same loop: a store, a copy, cache lines. The lower panel "
          "is the ratio to the best.")
BANDS = " Bands are 95 % intervals over launches."
MAPS = ("In a map the colour is the fastest {0}, and the number is the time of the next {0} over its own. Hatched "
        "cells have no winner by the rule of the verdicts.")
KINDS = {"shmem": "OpenSHMEM", "mpi": "MPI", "sim": "simulated"}


def write(run: Run, output: Path, base: str | None = None) -> None:
    output.write_text(render(run, base), encoding="utf-8")


def render(run: Run, base: str | None = None) -> str:
    table = measured(table_of_run(run))
    if not table:
        raise ValueError("the run holds no results")
    plain = designs.without_variants(run, table)
    base = base or ("oshen" if "oshen" in plain else next(iter(plain)))
    if base not in plain:
        raise ValueError(f"--base {base}: no such library in this run; there are {', '.join(plain)}")
    look = Look(style.colours(list(plain)), heading.cpus(run))
    judged = Judgement(plain)
    raw = base64.b64encode(gzip.compress(json.dumps(run.to_dict()).encode(), mtime=0)).decode()
    return render_page(
        Path(__file__).parent, "report.html.j2", title=heading.title(run), facts=heading.facts(run),
        command=run.command, warnings=heading.warnings(run), libraries=run.libraries,
        sections=sections(run, judged, base, look), verdict=sentences.sentences(plain, base, judged), kinds=KINDS,
        palette=look.colours, raw=raw)


def sections(run: Run, judged: Judgement, base: str, look: Look) -> list[Section]:
    """`judged` has each library once. Its variants are only in the section of the paper and in the last one."""
    table, everybody = judged.table, measured(table_of_run(run))
    made = [overview(judged, base, look), conclusions.section(judged, base), paper(run, everybody), pt2pt(table, look),
            atomics(table, look), collectives(judged, look), threads(table, look), synchronisation(table, look),
            applications(table, look), memory(table, look), management(table), broken_rules(table),
            variability(table, look), capabilities(run), environment(run), everything(everybody)]
    return [section for section in made if section and (section.figures or section.tables)]


# ---- conclusions

def overview(judged: Judgement, base: str, look: Look) -> Section:
    table = judged.table
    section = Section("radar", "Share of the best",
                      "The share is the time of the fastest library over that of this one, in the mean over the "
                      "operations that all libraries have; the sizes of an operation count as one, by their median.")
    scores_of_axes = radar.scores(table)
    if len(scores_of_axes) >= 3:
        section.figure("Share of the best", figures.radar(scores_of_axes, AXES, look))
        section.about += (" On the outermost ring a library is the fastest in every operation; at half of the radius "
                          "it takes twice the time. Thick lines are 95 % intervals over rounds.")
    names = list(table)
    rows = [[AXES[axis], *[_score(scores.get(name)) for name in names], str(max(s.operations for s in scores.values()))]
            for axis, scores in scores_of_axes.items()]
    section.add(f"{base} beside each of the others", *conclusions.by_axis(judged, base))
    section.add("Share of the best", ["axis", *names, "operations"], rows)
    return section


def _score(score: radar.Score | None) -> str:
    return formats.with_interval(score.value, score.low, score.high) if score else "–"


def paper(run: Run, table: Table) -> Section | None:
    which = run.profile.removeprefix("paper-")
    description = PAPERS.get(which) if which != run.profile else None
    if not description:
        return None
    section = Section("paper", "The results of the paper, and ours", description["about"])
    kinds = {name: note.get("kind", "") for name, note in run.libraries.items()}
    if which == "libraries":
        section.add("Published results, and ours", *shapes.libraries(table, kinds))
    elif which == "collectives":
        _maps_of_designs(section, run, table)
    else:
        section.add("The size from which several threads move more than one",
                    *thread_shapes.threads(table, heading.cpus(run)))
        section.add("Changes of protocol in the latency", *thread_shapes.switches(table))
    return section


def _maps_of_designs(section: Section, run: Run, table: Table) -> None:
    by_design = designs.best(run, table)
    section.add("Sizes won by each design", *shapes.collectives(run, table))
    section.add("The libraries of each design", ["design", "libraries"],
                [[design, ", ".join(names)] for design, names in designs.members(run, table).items()])
    look = Look(style.colours(list(designs.DESIGNS)), heading.cpus(run))
    judged = Judgement(by_design)
    for case in shapes.MAPPED if len(by_design) > 1 else ():
        cells = crossings.cells(judged, case)
        if any(size for size, _ in cells):
            section.figure(f"{case}: fastest design", figures.crossover(cells, look, f"Fastest design: {case}"),
                           command=f"oshbench run {run.profile}")
    section.about += f" {MAPS.format('design')}" if section.figures else ""
    section.add("The time of Oshen's own choice over the best of the three designs", *shapes.choices(run, table))


# ---- by axis

def pt2pt(table: Table, look: Look) -> Section:
    section = Section("pt2pt", "Point to point")
    for case, pes in sized(table, ("pt2pt",))[:MOST_CURVES]:
        section.figure(f"{case}, {look.pes(pes)}: {kind_of(case).about}", figures.curves(table, case, pes, look),
                       command=again(_series(table, case, pes)))
    keys = single(table, "pt2pt")
    section.about = _of_curves(table) if section.figures else ""
    if keys:
        section.figure(titled(keys, "Single cases", look), figures.dots(table, keys, look,
                                                                        "Point to point, single cases", "ns"),
                       command=again(keys))
    add_values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "pt2pt"])
    _bandwidths(section, table)
    return section


def _of_curves(table: Table) -> str:
    several = any(len(row.values) > 1 for rows in table.values() for row in rows.values())
    return CURVES + (BANDS if several else "")


def _series(table: Table, case: str, pes: int) -> list[Key]:
    return [key for key in formats.keys(table) if (key.case, key.pes) == (case, pes)]


def _bandwidths(section: Section, table: Table) -> None:
    names = list(table)
    rows = []
    for key in formats.keys(table):
        cells = [table[name].get(key) for name in names]
        if key.size >= 4096 and any(row and row.bandwidth for row in cells):
            rows.append([key.case, formats.size_text(key.size), str(key.pes),
                         *[f"{row.bandwidth / 1e3:.2f}" if row and row.ok and row.bandwidth else "–" for row in cells]])
    section.add("Bandwidth, GB/s (10⁹ bytes)", ["case", "size", "PEs", *names], rows)


def atomics(table: Table, look: Look) -> Section:
    section = Section("atomics", "Atomics")
    keys = single(table, "atomics")
    told = {"private": "different objects, one PE", "same": "one object, one PE", "incast": "one object, all PEs"}
    section.about = "; ".join(f"“{part}”: {what}" for part, what in told.items()
                              if any(key.case.endswith(f".{part}") for key in keys))
    for start in range(0, min(len(keys), 96), 16):
        shown = keys[start:start + 16]
        section.figure(titled(shown, "Atomics", look), figures.dots(table, shown, look, "Atomics", "ns"),
                       command=again(shown))
    add_values(section, table, keys)
    return section


def collectives(judged: Judgement, look: Look) -> Section:
    table = judged.table
    section = Section("collectives", "Collectives")
    told = {"_span": "the last exit minus the first entry of single operations",
            "_local": "the mean over PEs of single operations"}
    cases = {key.case for rows in table.values() for key in rows}
    section.about = "; ".join(["Plain names run back to back"] + [f"“{part}” is {what}" for part, what in told.items()
                                                                 if any(case.endswith(part) for case in cases)]) + "."
    for case, pes in [c for c in sized(table, ("collectives",)) if c[0].endswith("_span")
                      or not _has_span(table, c)][:MOST_CURVES]:
        section.figure(f"{case}, {look.pes(pes)}", figures.curves(table, case, pes, look),
                       command=again(_series(table, case, pes)))
    section.about += f" {_of_curves(table)}" if section.figures else ""
    curves = len(section.figures)
    for case in dict.fromkeys(case for case, _ in sized(table, ("collectives",))):
        cells = crossings.cells(judged, case)
        if len(cells) > 2 and len(table) > 1:
            section.figure(f"Fastest library: {case}", figures.crossover(cells, look, f"Crossover map of {case}"),
                           command=again(Key(case, size, pes) for size, pes in cells))
    section.about += f" {MAPS.format('library')}" if len(section.figures) > curves else ""
    keys = single(table, "collectives")[:24]
    if keys:
        section.figure(titled(keys, "Without data, or of one or two sizes", look),
                       figures.dots(table, keys, look, "Collectives, one size", "ns"),
                       command=again(keys))
    add_values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "collectives"])
    return section


def _has_span(table: Table, case: tuple[str, int]) -> bool:
    return any(key.case == case[0] + "_span" and key.pes == case[1] for rows in table.values() for key in rows)


def threads(table: Table, look: Look) -> Section:
    section = Section("threads", "Threads")
    several = thread_shapes.rates(table, look.cpus)
    by_case: dict[tuple[str, int, int], dict[str, dict[int, float]]] = {}
    for name, stem, size, pes, points in thread_shapes.rate_points(table):
        by_case.setdefault((stem, size, pes), {})[name] = points
    for (stem, size, pes), rates in sorted(by_case.items(),
                                           key=lambda entry: entry[0][0].startswith("mt_lat"))[:MOST_CURVES]:
        section.figure(f"{stem}, {formats.size_text(size)}, {pes} PEs", figures.lines(
            rates, look, f"{stem}: rate by threads", "threads of each PE", "million messages a second", each=pes),
            command=f"oshbench run '{stem}.*' -n {pes}")
    if several:
        section.about = ("Rates of all threads together. Efficiency is the rate of T threads over T times that of "
                         "one, if each thread of each PE has a CPU.")
    rows = [[stem, formats.size_text(size), name, *cells] for name, stem, size, cells in several]
    section.add("Million messages per second by threads", ["case", "size", "library", "T = 1", "2", "4",
                                                           "efficiency at 2", "at 4"], rows)
    section.add("Processes or threads, the same number in all", *thread_shapes.workers(table), unfolded=True)
    columns, overtakes = thread_shapes.threads(table, look.cpus)
    section.add("The size from which more threads overtake one", columns[:4], [row[:4] for row in overtakes])
    section.add("The cost of THREAD_MULTIPLE for one thread", ["library", "case", "size", "at SINGLE", "at MULTIPLE",
                                                               "ratio"],
                thread_shapes.multiple(table))
    _thread_heat(section, table)
    add_values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "threads"])
    return section


def _thread_heat(section: Section, table: Table) -> None:
    """Rows are contexts, columns operations: the cost over the best, for each library."""
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
                           figures.heat(values, lines, columns, f"Threads heat map of {name}"),
                           command=f"oshbench run 'mt_rate.*' -L {name}")


def synchronisation(table: Table, look: Look) -> Section:
    section = Section("sync", "Synchronisation")
    ways = [case for case in dict.fromkeys(key.case for key in formats.keys(table)) if case.startswith("pp_")]
    for name, rows in table.items():
        sizes = sorted({key.size for key in rows if key.case in ways})
        own = [way for way in ways if any(key.case == way for key in rows)]
        if len(own) > 1:
            cost = {(k.case, k.size): r.median for k, r in rows.items() if k.case in own and r.ok}
            best = {size: min((v for (_, s), v in cost.items() if s == size), default=math.nan) for size in sizes}
            values = [[cost.get((way, size), math.nan) / best[size] for size in sizes] for way in own]
            section.figure(f"{name}: ways to send and notify", figures.heat(values, own,
                                                                            [formats.size_text(s) for s in sizes],
                                                                          f"Synchronisation heat map of {name}"),
                           command=f"oshbench run 'pp_*' -L {name} --sizes {','.join(map(str, sizes))}")
    if section.figures:
        section.about = "In the maps: ways to notify a PE of data, time over that of the best at this size."
    keys = single(table, "sync")[:24]
    if keys:
        section.figure(titled(keys, "Notification, waits and locks", look),
                       figures.dots(table, keys, look, "Synchronisation", "ns"), command=again(keys))
    add_values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "sync"])
    return section


def memory(table: Table, look: Look) -> Section:
    section = Section("memory", "Memory",
                      "hwm: the peak of the worst PE, shared pages in full. pss: shared pages divided among the "
                      "processes that share them, mean of PEs. 8 MiB of heap are allocated, then touched.")
    keys = [key for key in formats.keys(table) if kind_of(key.case).axis == "memory"]
    for pes in sorted({key.pes for key in keys}):
        section.figure(f"Pss by stage, {look.pes(pes)}", figures.dots(
            table, [k for k in keys if k.pes == pes and k.case.endswith("pss")], look, f"Memory by stage, {pes} PEs",
            "MiB", 1024), command=f"oshbench run 'memory.*' -n {pes}")
    for metric in ("hwm", "pss"):
        case = f"memory.barrier.{metric}"
        series = {name: {key.pes: row for key, row in rows.items() if key.case == case} for name, rows in table.items()}
        series = {name: by_pes for name, by_pes in series.items() if len(by_pes) > 1}
        if series:
            points = {name: {pes: row.median / 1024 for pes, row in by_pes.items()} for name, by_pes in series.items()}
            section.figure(f"After the first barrier ({metric}), by PEs",
                           figures.lines(points, look, "Memory by PEs", "PEs", "MiB"))
            section.add(f"Growth with each PE ({metric})", ["library", "kB for each further PE"],
                        [[name, _slope_text(by_pes)] for name, by_pes in series.items()])
    add_values(section, table, keys)
    return section


def _slope_text(by_pes: dict[int, Row]) -> str:
    slope = intervals.slope([(pes, value) for pes, row in by_pes.items() for value in row.values])
    return formats.with_interval(slope.value, slope.low, slope.high)


def management(table: Table) -> Section:
    section = Section("manage", "Start-up and management")
    add_values(section, table, [k for k in formats.keys(table) if kind_of(k.case).axis == "manage"])
    return section


# ---- oddities

def broken_rules(table: Table) -> Section:
    section = Section("rules", "Violated guidelines",
                      "No operation should be slower than its replacement, and time should grow with bytes without "
                      "steps.")
    violations = [v for name, rows in table.items() for v in guidelines.violations(name, rows)]
    violations.sort(key=lambda v: -v.ratio)
    section.add("Violations", ["library", "rule", "where", "by"], [[v.library, v.rule, v.where, f"{v.ratio:.2f}×"]
                                                                   for v in violations[:60]])
    if not violations:
        section.add("Violations", [""], [["none"]])
    section.add("Where the price of bytes changes: another protocol, or the end of a cache",
                ["library", "case", "PEs", "between bytes", "time over the line before", "before", "after",
                 "to look closer"],
                [line for name, rows in table.items() for line in protocols.table(name, rows)][:60])
    return section


def variability(table: Table, look: Look) -> Section:
    section = Section("spread", "Variation", "Every batch of every launch; each band of dots is a launch.")
    for case in ("put_quiet", "fetch_add", "barrier_all"):
        rows = {name: row for name, own in table.items() for key, row in own.items() if key.case == case and key.pes
                == 2}
        if rows:
            section.figure(case, figures.strips(rows, look, f"Every batch of {case}"), command=f"oshbench run {case}")
    return section


def capabilities(run: Run) -> Section:
    section = Section("matrix", "Features", "A library has a feature if a few lines with it compile and link.")
    for kind, title in (("shmem", "OpenSHMEM"), ("mpi", "MPI")):
        names = [name for name, note in run.libraries.items() if note.get("kind") == kind and note.get("features")
                 and not note.get("variant_of")]
        rows = [[about, since, *["yes" if run.libraries[n]["features"].get(feature) else "no" for n in names]]
                for feature, about, since, _ in (*probe.FEATURES[kind], ("thread_multiple", "many threads at once", "",
                                                                         ""))]
        if names:
            section.add(title, ["feature", "since", *names], rows)
    troubles = [[library, how, str(count)] for library, how, count in run.troubles()]
    troubles += [[name, f"{part} left out: {why}", ""] for name, note in run.libraries.items()
                 for part, why in note.get("missing", {}).items()]
    troubles += [[name, f"not usable: {note['unusable']}", ""] for name, note in run.libraries.items()
                 if "unusable" in note]
    troubles += [[line.split(": ")[0], f"wrong result in {line.split(': ')[1]}", ""] for line in run.wrong()]
    section.add("Failures and crashes", ["library", "what", "launches"], troubles or [["", "none", ""]])
    return section


def environment(run: Run) -> Section:
    section = Section("environment", "Environment", f"Made by: {run.command}")
    section.add("Machine", ["", ""], [[key, str(value)] for key, value in run.machine.items()]
                + ([["hosts, as many PEs on each", ", ".join(run.hosts)]] if run.hosts else [])
                + ([["placement", run.placement]] if run.placement else []))
    if run.doctor:
        state = run.doctor
        section.add("State", ["", ""], [["PEs on CPUs", ", ".join(map(str, state["measured_on"]))],
                                        ["clock", f"{state['clock_ns']} ns"], ["noise", str(state["noise"])],
                                        ["load before, after", str(run.load)], ["governor", state["governor"] or "–"]])
    section.add(
        "Libraries and their settings",
        ["library", "version", "specification", "settings", "launcher"],
        [
            [
                name,
                note.get("version", ""),
                note.get("spec", ""),
                ", ".join(f"{k}={v}" for k, v in note.get("env", {}).items()) or "its own",
                " ".join([Path(word).name for word in note.get("run", [])[:1]] + note.get("run", [])[1:]),
            ]
            for name, note in run.libraries.items()
        ],
    )
    return section


def everything(table: Table) -> Section:
    section = Section("all", "All results",
                      "Medians of launches. limit: the same loop without a library. To repeat a row: oshbench run "
                      "CASE -n PEs --sizes BYTES.")
    names = list(table)
    rows = []
    for key in formats.keys(table):
        cells = [table[name].get(key) for name in names]
        limit = min((row.reference_ns for row in cells if row and row.reference_ns), default=None)
        rows.append([key.case, formats.size_of(key), str(key.pes), *[formats.quantity(row) for row in cells],
                     formats.duration(limit), next(row.how for row in cells if row)])
    section.add("All cases", ["case", "size", "PEs", *names, "limit", "calls of the first"], rows)
    return section
