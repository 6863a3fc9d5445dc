#!/usr/bin/env python3
"""heat_image against reference values that other programs computed, and against itself on other numbers of PEs."""
import argparse
import re
import subprocess
import sys
from pathlib import Path

from patience import patient

# rows x cols x steps -> mean, centre: from the public original, equal to the closed form to 1e-12.
REFERENCE = {
    (16, 16, 100): (0.867436925699685, 0.718882920341312),
    (64, 64, 100): (0.28467824988645, 0.000520813510717),
    (64, 64, 1000): (0.785857587924845, 0.522072400497318),
    (64, 64, 5000): (0.998034630309803, 0.995299804761232),
    (256, 256, 5000): (0.508160297269216, 0.084459115484095),
}
TOLERANCE = 1e-12


def run(options, pes, *arguments):
    command = [options.launcher, "-n", str(pes), "--timeout", "100", options.program, *map(str, arguments)]
    done = subprocess.run(patient(command), capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def number(name, text):
    return float(re.search(rf"^{name}\s+(\S+)", text, re.M).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    failures = []
    for size, (mean, centre) in REFERENCE.items():
        checksums = set()
        for pes in (1, 2, 3) if size[0] > 64 else (1, 2, 3, 5, 16):
            status, text, errors = run(options, pes, *size)
            if status != 0:
                failures.append(f"{size} on {pes} PEs: status {status}: {errors}")
                continue
            if abs(number("mean", text) - mean) > TOLERANCE or abs(number("centre", text) - centre) > TOLERANCE:
                failures.append(f"{size} on {pes} PEs: {text}")
            checksums.add(re.search(r"^checksum (\w+)", text, re.M).group(1))
        if len(checksums) != 1:
            failures.append(f"{size}: the field depends on the number of PEs: {checksums}")

    status, _, errors = run(options, 3, 40, 30, 500, "--image", options.picture)
    picture = options.picture.read_bytes()
    if status != 0 or not picture.startswith(b"P6\n32 40\n255\n") or len(picture) != 13 + 3 * 32 * 40:
        failures.append(f"no picture of 40 x 32 points: status {status} {errors}")
    status, _, errors = run(options, 3, 2, 30, 500)
    if status != 2 or "usage" not in errors:
        failures.append(f"more PEs than rows: status {status} {errors}")
    print("\n".join(failures) or "heat_image: all right")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
