"""The section of the mini-apps: times by synchronisation, phases, and scaling."""

from __future__ import annotations

from ..cases.app_names import app_of, variant_of
from ..cases.catalogue import kind_of
from ..results.rows import Key, Table
from . import figures, formats, scaling
from .figures import Look
from .section import Section, add_values, row_of


def applications(table: Table, look: Look) -> Section:
    section = Section("apps", "Mini-apps",
                      "Each proves its result against a known answer; every way to synchronise gives the same numbers.")
    keys = [key for key in formats.keys(table) if kind_of(key.case).axis == "apps"]
    lines: list[list[str]] = []
    for app in dict.fromkeys(app_of(key.case) for key in keys):
        own = [key for key in keys if app_of(key.case) == app]
        shown = [key for key in own if key.pes == _usual(own)]
        section.figure(f"{app}, {look.pes(_usual(own))}", figures.dots(table, shown, look,
                                                                       f"{app}: time by synchronisation", "s", 1e9),
                       command=_again(table, app, shown))
        shares = {f"{name} {key.case.split('.', 2)[2]}": table[name][key].extra.get("phases", {})
                  for key in shown for name in table if key in table[name] and table[name][key].extra.get("phases")}
        if shares:
            section.figure(f"{app}, {look.pes(_usual(own))}: where its time goes",
                           figures.stacks(shares, f"{app}: phases"))
        by_variant = scaling.series(table, app)
        lines += scaling.rows_of(app, by_variant)
        for variant, libraries in by_variant.items():
            points = {name: [(p.pes, p.times) for p in series] for name, series in libraries.items()}
            section.figure(f"{app} by PEs, {variant} scaling", figures.scaling(points, look,
                                                                               f"{app}: {variant} scaling"),
                           command=_again(table, app, [key for key in own if variant_of(key.case) == variant]))
    if lines:
        section.about += (" Scaling: strong is one problem cut for more PEs, weak one of the same size for each. Of "
                          "each library the fastest way is shown.")
    section.add("Scaling", scaling.COLUMNS, lines, unfolded=True)
    add_values(section, table, keys)
    return section


def _again(table: Table, app: str, keys: list[Key]) -> str:
    """The command with the sizes of the first row."""
    args = row_of(table, keys[0]).how.removeprefix(app).strip()
    pes = ",".join(map(str, sorted({key.pes for key in keys})))
    return f"oshbench run app.{app} -n {pes} --args '{args}'"


def _usual(keys: list[Key]) -> int:
    """Two PEs if measured, else the most."""
    counts = {key.pes for key in keys}
    return 2 if 2 in counts else max(counts)
