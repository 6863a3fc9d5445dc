# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of the tools: from the output of --help, and from spec/tools.def what --help does not say."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from dataclasses import dataclass, field

from api_spec import SPEC, read_settings
from manual import Section, sentence_of

Terms = list[tuple[str, str]]
HEADINGS = ("options:", "positional arguments:")


@dataclass
class Help:
    """The output of --help, in parts."""

    usage: str = ""
    before: list[str] = field(default_factory=list)  # paragraphs above the options
    arguments: Terms = field(default_factory=list)
    options: Terms = field(default_factory=list)
    after: str = ""  # below the options, with its lines


def output_of(program: str, *options: str) -> str:
    """The output, in wide lines, and without the home folder of the user who builds."""
    environment = {**os.environ, "COLUMNS": "220", "XDG_CACHE_HOME": "~/.cache"}
    return subprocess.run([program, *options], check=True, capture_output=True, text=True, env=environment).stdout.strip()


def is_entry(line: str, under: str) -> bool:
    """The first line of an option; under a heading for arguments, of an argument."""
    return bool(re.match(r"  -", line) or (under.startswith("positional") and re.match(r" {2,4}\S", line)))


def entry(line: str) -> tuple[str, str]:
    """Term and meaning. CLI11 has no space between the names of an option, and names the type of a value."""
    term, _, meaning = re.sub(r":INT in \[.*?\]", "", line.strip()).partition("  ")
    return re.sub(r"^(-\w),(?=-)", r"\1, ", term), meaning.strip()


def parsed(text: str) -> Help:
    found, under, last = Help(), "", None
    for block in text.split("\n\n"):
        lines = block.strip("\n").splitlines()
        prose: list[str] = []
        while lines:
            line = lines.pop(0)
            if line.lower().startswith("usage:"):
                usage = [line.partition(":")[2].strip()]
                while lines and lines[0].startswith("    "):
                    usage.append(lines.pop(0).strip())
                found.usage = "\n".join(usage)
            elif line.lower() in HEADINGS:
                under = line.lower()
            elif is_entry(line, under):
                last = found.options if line.startswith("  -") else found.arguments
                last.append(entry(line))
            elif last and not prose and line.startswith("      "):
                last[-1] = (last[-1][0], f"{last[-1][1]} {line.strip()}".strip())
            else:
                prose.append(line)
        add_prose(found, prose)
    found.arguments = [(term, meaning) for term, meaning in found.arguments if meaning]  # not the word COMMAND
    return found


def add_prose(found: Help, lines: list[str]) -> None:
    text = " ".join(line.strip() for line in lines)
    if text.startswith("exit status: "):
        return  # tools.def says it in more words
    if found.options and lines:
        found.after += "\n" * bool(found.after) + "\n".join(lines)
    elif lines:
        found.before.append(text)


# ---------------------------------------------------------------- spec/tools.def

@dataclass
class Extra:
    """The lines of spec/tools.def about a tool."""

    exits: Terms = field(default_factory=list)
    files: Terms = field(default_factory=list)
    environment: Terms = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    see: list[str] = field(default_factory=list)

    def add(self, line: str, settings: dict[str, str]) -> None:
        kind, _, rest = line.partition(" ")
        name, colon, meaning = rest.partition(": ")
        if kind == "example:":
            self.examples.append(rest)
        elif kind == "see:":
            self.see += rest.split()
        elif kind == "environment":
            self.environment.append((name, meaning if colon else settings[name]))
        else:
            {"exit": self.exits, "file": self.files}[kind].append((name, meaning))


def read_extras() -> dict[str, Extra]:
    settings = {s.name: s.about for s in read_settings()}
    found: dict[str, Extra] = {}
    tools: list[str] = []
    text = re.sub(r"^#.*\n", "", (SPEC / "tools.def").read_text(), flags=re.M)
    for line in re.sub(r"\n {4,}", " ", text).splitlines():
        if line.startswith("tool "):
            tools = line.split()[1:]
        elif line.strip():
            for tool in tools:
                found.setdefault(tool, Extra()).add(line.strip(), settings)
    return found


# ---------------------------------------------------------------- pages

def wrapped(usage: str) -> str:
    """A usage that is too long for a page, broken between its options."""
    if max(map(len, usage.splitlines())) <= 100:
        return usage
    words = re.sub(r"\[[^][]*(\[[^][]*\])?[^][]*\]", lambda m: m[0].replace(" ", "\0"), " ".join(usage.split()))
    return textwrap.fill(words, 76, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False).replace("\0", " ")


def commands(name: str, program: str, told: Help) -> list[Section]:
    """The subcommands of oshbench, each with its usage and options."""
    parts = [Section("COMMANDS", terms=tuple(told.arguments))]
    for command, _ in told.arguments:
        its = parsed(output_of(program, command, "--help"))
        parts.append(Section(f"{name} {command}", code=wrapped(its.usage), terms=tuple(its.arguments + its.options), level=2))
    return parts


def description(told: Help) -> Section:
    """The paragraphs above and below the options. If a colon ends the last one, an example follows it."""
    closing, colon, example = told.after.partition(":\n")
    last = " ".join(closing.split()) + colon.strip()
    return Section("DESCRIPTION", (*told.before, *([last] if last else [])), code=example)


def page(name: str, program: str, option: str = "--help") -> tuple[str, list[Section], list[str]]:
    """The summary, the sections and the references of the page of a tool."""
    told, extra = parsed(output_of(program, option)), read_extras()[name]
    summary = re.split(r"\. ", told.before[0])[0].rstrip(".")
    parts = [Section("SYNOPSIS", code=wrapped(told.usage)), description(told)]
    if "COMMAND" in told.usage.split():
        parts += commands(name, program, told)
        told.arguments = []
    parts.append(Section("OPTIONS", terms=tuple(told.arguments + told.options)))
    for title, terms in (("EXIT STATUS", extra.exits), ("ENVIRONMENT", extra.environment), ("FILES", extra.files)):
        if terms:
            parts.append(Section(title, terms=tuple((term, sentence_of(meaning)) for term, meaning in terms)))
    parts.append(Section("EXAMPLES", code="\n".join(extra.examples)))
    return summary[:1].lower() + summary[1:], parts, extra.see
