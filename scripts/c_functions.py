# SPDX-License-Identifier: BSD-3-Clause
"""Finds the definitions of functions in C and C++, by brackets; the text is formatted, and macros do not open brackets."""

from __future__ import annotations

import re

# Brackets in quotes and comments do not count.
SKIPPED = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])'""", re.S)
AFTER_PARAMETERS = re.compile(r"\s+|const\b|noexcept\b|override\b|final\b|mutable\b|->\s*[\w:<>,&* ]+|\[\[[^]]*\]\]", re.S)
NO_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignof", "requires", "static_assert",
                "noexcept", "defined"}


def closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one at `at`; -1 if none does."""
    depth = 0
    while at < len(text):
        if skipped := SKIPPED.match(text, at):
            at = skipped.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
        if depth == 0:
            return at
    return -1


def body_after(text: str, at: int) -> int:
    """The place of the body's bracket after the parameters of a function; -1 if there is none."""
    while at < len(text):
        if text[at] == "{":
            return at
        skipped = SKIPPED.match(text, at) or AFTER_PARAMETERS.match(text, at)
        if skipped:
            at = skipped.end()
        elif text[at] == "(":  # of noexcept
            at = closing(text, at)
        elif text[at] == ":" and text[at:at + 2] != "::":  # members
            at += 1
            while member := re.compile(r"\s*[\w:<>]+\s*(?=[({])").match(text, at):
                at = closing(text, member.end())
                if not (comma := re.compile(r"\s*,").match(text, at)):
                    break
                at = comma.end()
        else:
            return -1
    return -1


def definition(text: str, name: re.Match[str]) -> int:
    """The end of the function whose name is before an opening bracket; -1 if it is not a definition."""
    parameters = closing(text, name.end())
    body = body_after(text, parameters) if parameters > 0 else -1
    return closing(text, body) if body > 0 else -1


def definitions(text: str, function: str) -> list[tuple[int, int]]:
    """The begin and the end of each definition of a function."""
    names = re.finditer(rf"(?<![\w.>]){re.escape(function)}\s*(?=\()", text)
    return [(name.start(), end) for name in names if (end := definition(text, name)) > 0]


def functions(text: str) -> list[tuple[str, int, int]]:
    """The name, first line and number of lines of each function, without those inside of others."""
    found, end = [], 0
    for name in re.finditer(r"(?<![\w.>])(~?\w+)\s*(?=\()", text):
        if name.start() < end or name[1] in NO_FUNCTIONS:
            continue
        behind = definition(text, name)
        if behind > 0:
            found.append((name[1], text.count("\n", 0, name.start()) + 1, text.count("\n", name.start(), behind) + 1))
            end = behind
    return found
