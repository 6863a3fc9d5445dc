# SPDX-License-Identifier: BSD-3-Clause
"""Tables for terminals. No cell is cut: a table that is too wide continues in a further block below, and text wraps
between words."""

from __future__ import annotations

import shutil
import textwrap

BESIDE = 24  # columns that a note needs beside its row; otherwise it stands below


def terminal_width() -> int:
    """The columns of the terminal or of COLUMNS; 80 for a pipe or a file."""
    return shutil.get_terminal_size((80, 24)).columns


def lines(rows: list[list[str]], notes: list[str] | None = None, *, keys: int = 1, left: int = 1, width: int
          | None = None) -> list[str]:
    """The rows with aligned columns, at most `width` wide. The first row is the heading, the first `keys` columns name
    a row and are repeated in each block, the first `left` ones are aligned to the left. `notes` has a text for each
    row, "" for
    none."""
    if not rows:
        return []
    width = width or terminal_width()
    sizes = [max(map(len, column)) for column in zip(*rows)]
    blocks = _blocks(sizes, keys, width)
    out: list[str] = []
    for number, columns in enumerate(blocks):
        texts = ["  ".join(row[c].ljust(sizes[c]) if c < left else row[c].rjust(sizes[c]) for c in columns)
                 for row in rows]
        out += [""] if number else []
        out += _noted(texts, notes, width) if notes and not number else [text.rstrip() for text in texts]
    return out


def _blocks(sizes: list[int], keys: int, width: int) -> list[list[int]]:
    """The columns of each block: as many as fit beside the keys, one at least."""
    front, blocks = list(range(keys)), []
    start = sum(sizes[:keys]) + 2 * (keys - 1)
    current, used = list(front), start
    for column in range(keys, len(sizes)):
        if len(current) > keys and used + 2 + sizes[column] > width:
            blocks.append(current)
            current, used = list(front), start
        current.append(column)
        used += 2 + sizes[column]
    return [*blocks, current]


def _noted(texts: list[str], notes: list[str], width: int) -> list[str]:
    """Each row with its note: beside it if there is room, else below it."""
    row_width = max(map(len, texts))
    room, out = width - row_width - 2, []
    words = [len(word) for note in notes for word in note.split()]
    beside = bool(words) and room >= max(words) and room >= min(BESIDE, max(map(len, notes)))
    for text, note in zip(texts, notes):
        if beside:
            parts = textwrap.wrap(note, room, break_long_words=False, break_on_hyphens=False) or [""]
            out.append(f"{text:<{row_width}}  {parts[0]}".rstrip())
            out += [" " * (row_width + 2) + part for part in parts[1:]]
        else:
            out.append(text.rstrip())
            out += paragraph(note, "    ", width) if note else []
    return out


def paragraph(text: str, indent: str = "", width: int | None = None, first: str | None = None) -> list[str]:
    """A text in lines that begin with `indent`; the first one begins with `first` instead, if that is given."""
    return textwrap.wrap(text, width or terminal_width(), initial_indent=indent if first is None else first,
                         subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
