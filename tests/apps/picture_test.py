#!/usr/bin/env python3
"""Pictures that several PEs draw together: the heat field is the same on any number of PEs; atoms fill their box; a curve
of residuals falls.

  picture_test.py OSHRUN HEAT_IMAGE MINIMD MINIFE
"""
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def draw(launch: list[str], path: Path) -> tuple[int, int, bytes]:
    subprocess.run([*launch, "--image", path], check=True, stdout=subprocess.PIPE)
    magic, size, most, pixels = path.read_bytes().split(b"\n", 3)
    assert (magic, most) == (b"P6", b"255")
    width, height = map(int, size.split())
    assert len(pixels) == 3 * width * height, f"{len(pixels)} bytes of {width} x {height} pixels"
    return width, height, pixels


def main() -> int:
    oshrun, heat, minimd, minife = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.ppm"
        heats = [draw([oshrun, "-n", str(n), heat, "60", "1500", "20"], path) for n in (1, 4)]
        width, height, atoms = draw([oshrun, "-n", "4", minimd, "6", "--steps", "5"], path)
        subprocess.run([oshrun, "-n", "2", minife, "8", "--image", path], check=True, stdout=subprocess.PIPE)
        curve = ElementTree.parse(path).find("{*}path[@class='curve']").get("d")
    heights = [float(y) for y in re.findall(r"[ML]\S+ ([0-9.]+)", curve)]
    assert len(heights) > 20 and heights[-1] > heights[0] + 200, f"a curve that does not fall: {heights}"
    assert heats[0] == heats[1], "the heat field of 4 PEs differs from that of one"
    background = bytes([0, 0, 20])
    corners = [(x, y) for y in (0, height // 2) for x in (0, width // 2)]
    for x0, y0 in corners:
        found = sum(atoms[3 * (y * width + x):][:3] != background
                    for y in range(y0, y0 + height // 2, 5) for x in range(x0, x0 + width // 2, 5))
        share = found / (len(range(0, height // 2, 5)) * len(range(0, width // 2, 5)))
        assert share > 0.7, f"only {share:.0%} of the quarter at {x0}, {y0} is filled with atoms"
    print("pictures are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
