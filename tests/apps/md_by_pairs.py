#!/usr/bin/env python3
"""Reference results for minimd: the same molecular dynamics by all pairs of nearest images, without cells, ghosts or messages.

  md_by_pairs.py lj|eam CELLS STEPS                   prints T, U and P at step 0 and every 20 steps
  md_by_pairs.py lj|eam CELLS STEPS -- COMMAND ...    also runs the command, and compares the lines that it prints for steps

The atoms start on a face-centred lattice. Their velocities come from the minimal standard generator: each component is the
sixth number of a chain that starts from the atom's place in the lattice. Pairs are found again every 20 steps.
lj: density 0.8442, temperature 1.44, Lennard-Jones cut at 2.5, steps of 0.005.
eam: copper of Cleri and Rosato (Phys. Rev. B 48, 22), 600 K, steps of 0.001 ps. A polynomial of the fifth degree tapers its
sums from 5.75 to 6.25 angstrom.
"""
import re
import subprocess
import sys

import numpy

EVERY = 20


class LennardJones:
    edge, mass, boltzmann, temperature = (4 / 0.8442) ** (1 / 3), 1.0, 1.0, 1.44
    step, cut, reach, pressure = 0.005, 2.5, 2.8, 1.0

    def strengths(self, pairs: tuple[numpy.ndarray, numpy.ndarray], square: numpy.ndarray, atoms: int) -> tuple:
        """The force over the distance for each pair, and the total energy."""
        sixth = square**-3.0
        return 48 * sixth * (sixth - 0.5) / square, (4 * sixth * (sixth - 1)).sum()


class Copper:
    edge, mass, boltzmann, temperature = 3.615, 63.546 * 1.03642697e-4, 8.617333262e-5, 600.0
    step, cut, reach, pressure = 0.001, 6.25, 6.75, 160.2176634
    near, repulsion, hopping, p, q = 3.615 / 2**0.5, 0.0855, 1.224, 10.96, 2.278

    def tapered(self, rate: float, r: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """A term of a sum, and its derivative."""
        x = numpy.clip((r - 5.75) / 0.5, 0, 1)
        weight, slope = 1 - 10 * x**3 + 15 * x**4 - 6 * x**5, (-30 * x**2 + 60 * x**3 - 30 * x**4) / 0.5
        term = numpy.exp(rate * (1 - r / self.near))
        return term * weight, term * (slope - weight * rate / self.near)

    def strengths(self, pairs: tuple[numpy.ndarray, numpy.ndarray], square: numpy.ndarray, atoms: int) -> tuple:
        r = square**0.5
        repelling, repelling_slope = self.tapered(self.p, r)
        around, around_slope = self.tapered(2 * self.q, r)
        density = sum(numpy.bincount(side, around, atoms) for side in pairs)
        embedding = -0.5 * self.hopping * density**-0.5
        slope = 2 * self.repulsion * repelling_slope + (embedding[pairs[0]] + embedding[pairs[1]]) * around_slope
        return -slope / r, 2 * self.repulsion * repelling.sum() - self.hopping * (density**0.5).sum()


def velocity(seed: int) -> list[float]:
    found = []
    for _ in range(3):
        for _ in range(6):
            seed = seed * 16807 % (2**31 - 1)
        found.append(seed / (2**31 - 1))
    return found


def start(cells: int, of: LennardJones | Copper) -> tuple[numpy.ndarray, numpy.ndarray, float]:
    n = 2 * cells
    places = [(i, j, k) for k in range(n) for j in range(n) for i in range(n) if (i + j + k) % 2 == 0]
    x = numpy.array(places) * 0.5 * of.edge
    v = numpy.array([velocity((k * n + j) * n + i + 1) for i, j, k in places])
    v -= v.mean(axis=0)
    v *= (of.temperature / temperature(v, of)) ** 0.5
    return x, v, cells * of.edge


def temperature(v: numpy.ndarray, of: LennardJones | Copper) -> float:
    return of.mass * (v * v).sum() / (of.boltzmann * (3 * len(v) - 3))


def between(x: numpy.ndarray, i: numpy.ndarray, j: numpy.ndarray, side: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    away = x[i] - x[j]
    away -= side * numpy.round(away / side)
    return away, (away * away).sum(axis=1)


def near_pairs(x: numpy.ndarray, side: float, reach: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    i, j = numpy.triu_indices(len(x), 1)
    near = between(x, i, j, side)[1] <= reach**2
    return i[near], j[near]


def forces(x: numpy.ndarray, pairs: tuple[numpy.ndarray, numpy.ndarray], side: float,
           of: LennardJones | Copper) -> tuple[numpy.ndarray, float, float]:
    """Forces, energy, virial."""
    away, square = between(x, *pairs, side)
    inside = square < of.cut**2
    i, j, away, square = pairs[0][inside], pairs[1][inside], away[inside], square[inside]
    strength, energy = of.strengths((i, j), square, len(x))
    f = numpy.zeros_like(x)
    numpy.add.at(f, i, away * strength[:, None])
    numpy.subtract.at(f, j, away * strength[:, None])
    return f, energy, (strength * square).sum()


def simulate(of: LennardJones | Copper, cells: int, steps: int) -> dict[int, tuple[float, float, float]]:
    x, v, side = start(cells, of)
    pairs = near_pairs(x, side, of.reach)
    f, energy, virial = forces(x, pairs, side, of)
    states = {}
    for step in range(steps + 1):
        if step > 0:
            v += 0.5 * of.step / of.mass * f
            x += of.step * v
            if step % EVERY == 0:
                pairs = near_pairs(x, side, of.reach)
            f, energy, virial = forces(x, pairs, side, of)
            v += 0.5 * of.step / of.mass * f
        if step % EVERY == 0 or step == steps:
            kelvin = temperature(v, of)
            twice_kinetic = of.boltzmann * kelvin * (3 * len(x) - 3)
            states[step] = (kelvin, energy / len(x), of.pressure * (twice_kinetic + virial) / (3 * side**3))
    return states


def main() -> int:
    of = {"lj": LennardJones, "eam": Copper}[sys.argv[1]]()
    states = simulate(of, int(sys.argv[2]), int(sys.argv[3]))
    for step, state in states.items():
        print(f"by pairs, step {step:5}: T {state[0]:.7f} U {state[1]:.6f} P {state[2]:.7f}", flush=True)
    if "--" not in sys.argv:
        return 0
    said = subprocess.run(sys.argv[sys.argv.index("--") + 1:], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = re.findall(r"^step +(\d+) +T (\S+) +U (\S+) +P (\S+)", said, re.M)
    wrong = [line for line in lines
             if any(abs(float(a) - b) > 2e-6 * max(1, abs(b)) for a, b in zip(line[1:], states[int(line[0])]))]
    print(said, f"differ: {wrong}" if wrong else f"{len(lines)} states agree")
    return 1 if wrong or len(lines) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
