"""Converts PPM pictures to PNG and to coloured text. Needs only the standard library and rich."""
import struct
import zlib
from typing import NamedTuple

from rich.color import Color
from rich.style import Style
from rich.text import Text


class Picture(NamedTuple):
    width: int
    height: int
    pixels: bytes  # red, green and blue of each point, row by row

    def colour(self, x, y):
        at = 3 * (y * self.width + x)
        return tuple(self.pixels[at:at + 3])


def read_ppm(path):
    """A binary PPM without comments, as picture.c writes it."""
    kind, size, most, pixels = path.read_bytes().split(b"\n", 3)
    width, height = map(int, size.split())
    if kind != b"P6" or most != b"255" or len(pixels) != 3 * width * height:
        raise ValueError(f"{path} is not a picture of ours")
    return Picture(width, height, pixels)


def write_png(picture, path):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = 3 * picture.width
    lines = b"".join(b"\0" + picture.pixels[y * row:(y + 1) * row] for y in range(picture.height))
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9))
                     + chunk(b"IEND", b""))


def as_text(picture, columns):
    """The picture in half blocks, each character two points high."""
    rows = max(2, round(columns * picture.height / picture.width) // 2 * 2)
    text = Text()
    for row in range(0, rows, 2):
        for column in range(columns):
            x = column * picture.width // columns
            upper = picture.colour(x, row * picture.height // rows)
            lower = picture.colour(x, (row + 1) * picture.height // rows)
            text.append("▀", style=Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower)))
        text.append("\n")
    return text


def as_plain_text(picture, columns):
    """The picture in characters from cold to hot, for terminals without colours."""
    rows = max(2, round(columns * picture.height / picture.width) // 2)
    shades = " .:-=+*#%@"
    lines = []
    for row in range(rows):
        colours = (picture.colour(column * picture.width // columns, row * picture.height // rows)
                   for column in range(columns))
        lines.append("".join(shades[sum(colour) * 9 // 765] for colour in colours))
    return "\n".join(lines)
