"""Proves that the cases between hosts notice a faulty library, as oshbench.correctness.verify does for the others."""

from __future__ import annotations

from pathlib import Path

from oshbench.cases.declarations import OFF_NODE
from oshbench.common.compiler import BuildError
from oshbench.common.process import run_bounded
from oshbench.correctness.verify import declared, report
from oshbench.libraries.build import build_preload
from oshbench.libraries.library import Library

from . import off_node_programs


def verify(bench: Path, work: Path, library: Library, peer: bool) -> bool:
    """The same for the cases between hosts. Both processes run on this host."""
    faults = declared(library, OFF_NODE)
    if not faults:  # an installation has none of these programs
        return True
    folder = work / library.name
    program = off_node_programs.make(bench, folder, library)
    print(f"{library.name} between hosts, {len(faults)} faults")
    outcome = _off_node_outcome(library, program, None)
    cases = {case for fault in faults for case in fault.cases}
    right = report("no fault", outcome, [], sorted(cases & outcome.keys() if peer else cases))
    for fault in faults:
        noticing = [case for case in fault.cases if case in outcome or not peer]
        try:
            preload = build_preload(folder, library, fault.source)
        except BuildError:
            if not peer:
                raise
            continue  # the library has no such routine
        right &= report(f"{fault.name}: {', '.join(noticing)}", _off_node_outcome(library, program, preload), noticing,
                        [])
    return right


def _off_node_outcome(library: Library, program: Path, preload: Path | None) -> dict[str, bool]:
    """For each case that ran, whether it was right with every size."""
    front = ["env", f"LD_PRELOAD={preload}"] if preload else ["env"]
    _, said = run_bounded(library.command(2, front[0], [*front[1:], str(program), "quick"]), library.env, timeout=60)
    return off_node_programs.right(said)
