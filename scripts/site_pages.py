# SPDX-License-Identifier: BSD-3-Clause
"""The sources of the site: the pages of the repository, with links that work there, and the references of C and Python.

Pages of docs/ keep their places, other pages go to tree/. docs/README.md gives the order of the contents.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path, PurePosixPath

import check_docs
import manual
from api_spec import ROOT, Spec

INDEX = "docs/README.md"
START = "docs/site/index.md"
HEADERS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "include/oshen").glob("*.h*"))
PYTHON = ROOT / "python/oshen"
LINK = re.compile(r"(!?\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\])\(([^)\s]+)\)")


def place_of(path: str) -> str:
    """Where the site has a page of the repository."""
    if path == START:
        return "index.md"
    if path == INDEX:
        return "questions.md"
    place = path.removeprefix("docs/") if path.startswith("docs/") else "tree/" + path
    return re.sub(r"README\.md$", "index.md", place)


def header_page(path: str) -> str:
    return "reference/headers/" + PurePosixPath(path).name.replace(".", "_") + ".md"


def relative(target: str, place: str) -> str:
    return os.path.relpath(target, os.path.dirname(place) or ".")


def with_linked(pages: list[str]) -> list[str]:
    """The pages, and those to which they link."""
    found = list(pages)
    for path in found:  # grows
        for _, target in LINK.findall((ROOT / path).read_text()):
            there = os.path.normpath(os.path.join(os.path.dirname(path), target.partition("#")[0]))
            if there.endswith(".md") and there not in found and (ROOT / there).exists():
                found.append(there)
    return found


class Site:
    """All pages: texts by place in the site, and the files to which they link."""

    def __init__(self) -> None:
        pages = with_linked([str(path.relative_to(ROOT)) for path in check_docs.pages()])
        self.sources = {path: place_of(path) for path in pages}
        self.places = self.sources | {path: header_page(path) for path in HEADERS}
        self.files: dict[str, str] = {}  # place in the site -> file of the repository
        self.texts: dict[str, str] = {}
        self.manual = manual.pages(Spec.read())
        self.routines = {name: f"reference/c/{page.name}.md" for page in self.manual for name in (page.name, *page.functions)}
        for path, place in self.sources.items():
            self.texts[place] = self.translated(path, place)
        self.add_references()
        self.add_contents()

    # ------------------------------------------------------------ links

    def link(self, path: str, place: str, label: str, target: str) -> str:
        """A link of the page `path`, as the site needs it. A folder without a page becomes its label."""
        name, _, anchor = target.partition("#")
        if re.match(r"\w+:", target) or not name:
            return f"{label}({target})"
        there = os.path.normpath(os.path.join(os.path.dirname(path), name))
        found = self.places.get(there) or self.places.get(there + "/README.md")
        if found:
            return f"{label}({relative(found, place)}{'#' + anchor if anchor else ''})"
        if (ROOT / there).is_dir():
            return label[1:-1]
        self.files["files/" + there] = there
        return f"{label}({relative('files/' + there, place)})"

    def routine(self, code: str, place: str) -> str:
        """`shmem_put` as a link to its reference."""
        found = self.routines.get(code.strip("`"))
        return f"[{code}]({relative(found, place)})" if found else code

    def translated(self, path: str, place: str) -> str:
        text = re.sub(r"<!--.*?-->\n?", "", (ROOT / path).read_text(), flags=re.S)
        lines, fenced = [], False
        for line in text.splitlines():
            fenced ^= line.startswith("```")
            lines.append(line if fenced or line.startswith("```") else self.line(line, path, place))
        return "\n".join(lines) + "\n"

    def line(self, line: str, path: str, place: str) -> str:
        """A line of prose: links are translated, and routines in code outside of links and headings become links."""
        parts, end = [], 0
        for match in re.finditer(LINK.pattern + r"|(`[^`\n]+`)", line):
            parts.append(line[end:match.start()])
            end = match.end()
            if match[3]:
                parts.append(match[3] if line.startswith("#") else self.routine(match[3], place))
            else:
                label = LINK.sub(lambda m: self.link(path, place, m[1], m[2]), match[1])  # a picture in a link
                parts.append(self.link(path, place, label, match[2]))
        return "".join([*parts, line[end:]])

    # ------------------------------------------------------------ references

    def add_references(self) -> None:
        for page in self.manual:
            self.texts[f"reference/c/{page.name}.md"] = routine_page(page, self)
        self.texts["reference/c/index.md"] = routines_index(self.manual)
        for path in HEADERS:
            self.texts[header_page(path)] = header_text(path, self)
        names = "\n".join(PurePosixPath(header_page(path)).stem for path in HEADERS)
        self.texts["reference/headers/index.md"] = (
            "# Headers of plans, FFTs, C++ and MPI\n\nEach declaration has its documentation beside it. Shapes, units, "
            f"ownership and errors are there.\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n")
        self.texts["reference/python.md"] = python_page()

    # ------------------------------------------------------------ contents

    def listed(self) -> list[tuple[str, list[str]]]:
        """The headings of the index by question, each with the pages that it lists first."""
        found, seen = [], set()
        for part in re.split(r"^## ", self.texts[place_of(INDEX)], flags=re.M)[1:]:
            heading, body = part.split("\n", 1)
            places = [os.path.normpath(target.partition("#")[0]) for _, target in LINK.findall(body)]
            fresh = [p for p in dict.fromkeys(places) if p in self.texts and p not in seen]
            seen.update(fresh)
            found.append((heading, fresh))
        return found

    def add_contents(self) -> None:
        """Tables of contents: that of the start page as the index lists pages, in other folders of all other pages."""
        top = [*self.listed(), ("Reference", ["reference/c/index.md", "reference/python.md", "reference/headers/index.md"])]
        reached = {place for _, places in top for place in places} | {"index.md", "questions.md"}
        text = "\n```{toctree}\n:hidden:\n\nAll questions <questions>\n```\n"
        for heading, places in top:
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n" + "\n".join(p[:-3] for p in places) + "\n```\n"
        for place in sorted(self.texts):
            if place not in reached and not place.startswith("reference/"):
                parent = self.parent(place)
                self.texts[parent] += f"\n```{{toctree}}\n:hidden:\n\n{relative(place, parent)[:-3]}\n```\n"
        self.texts["index.md"] += text

    def parent(self, place: str) -> str:
        """The index of its folder, or of one above. Pages from outside of docs/ are under the index of the design."""
        folder = os.path.dirname(place)
        while folder:
            above = f"{folder}/index.md"
            if above in self.texts and above != place:
                return above
            folder = os.path.dirname(folder)
        return "design/index.md" if place.startswith("tree/") else "questions.md"


# ---------------------------------------------------------------- pages of the references

def routine_page(page: manual.Page, site: Site) -> str:
    place = f"reference/c/{page.name}.md"
    lines = ["---", "orphan: true", "---", "", "[Routines of C and C++](index.md)", ""]  # the contents list their index only
    lines += [f"# {page.name}", "", page.summary[:1].upper() + page.summary[1:] + ".", ""]
    for part in page.sections:
        lines += [f"## {part.title.capitalize()}", ""]
        for paragraph in part.paragraphs:
            lines += [plain(paragraph), ""]
        if part.code:
            lines += ["```text" if part.title == "ERRORS" else "```c", part.code, "```", ""]
        for term, meaning in part.terms:
            lines += [f"`{term}`", f": {plain(meaning)}", ""]
    others = ", ".join(f"[`{name}`]({relative(site.routines[name], place)})" for name in page.see_also)
    lines += ["## See also", "", others or "[All routines](index.md)", ""]
    if page.functions:
        lines += ["## Names on this page", "", ", ".join(f"`{name}`" for name in page.functions), ""]
    return "\n".join(lines)


def plain(text: str) -> str:
    """Text in which nothing is markup."""
    return re.sub(r"([\\`*_\[\]<>#|{}$~])", r"\\\1", text)


def routines_index(pages: list[manual.Page]) -> str:
    """The families under the headings of calls.def. Types and contexts of a family are on its page."""
    headings: dict[str, list[manual.Page]] = {}
    for page in pages:
        headings.setdefault(page.heading, []).append(page)
    lines = ["# Routines of C and C++", "",
             "A page for each family of routines. The same pages are in the manual: `man shmem_put`.", ""]
    for heading, members in headings.items():
        title = re.split(r" \(|: ", heading)[0]
        lines += [f"## {title}", "", "| routine | |", "|---|---|"]
        lines += [f"| [`{page.name}`]({page.name}.md) | {plain(page.summary)} |" for page in members]
        lines.append("")
    return "\n".join(lines)


def header_text(path: str, site: Site) -> str:
    name = path.removeprefix("include/")
    site.files["files/" + path] = path
    language = "cpp" if path.endswith("pp") else "c"
    file = relative("files/" + path, header_page(path))
    return f"# {name}\n\n```{{literalinclude}} {file}\n:language: {language}\n```\n"


def python_page() -> str:
    """Names of oshen.shmem and oshen.exchange under the modules that define them, then the other modules."""
    lines = ["# Python", "", "How to use the package: [python.md](../user/python.md).", ""]
    for name in ("shmem", "exchange"):
        lines += [f"## oshen.{name}", "", "```{eval-rst}", f".. automodule:: oshen.{name}", "```", ""]
        for node in ast.parse((PYTHON / f"{name}.py").read_text()).body:
            public = [alias.name for alias in node.names if not alias.asname] if isinstance(node, ast.ImportFrom) else []
            if public:
                lines += python_part(f"oshen.{name}", ast.parse((PYTHON / f"{node.module}.py").read_text()), public)
    for name in ("fft", "mpi", "lammps"):
        lines += [f"## oshen.{name}", "", "```{eval-rst}", f".. automodule:: oshen.{name}", "   :members:", "```", ""]
    return "\n".join(lines)


def python_part(where: str, module: ast.Module, names: list[str]) -> list[str]:
    """The constants, functions and classes of one private module, as the users find them in `where`."""
    kinds = {node.name: "autoclass" if isinstance(node, ast.ClassDef) else "autofunction" for node in module.body
             if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    title = (ast.get_docstring(module) or "Names").splitlines()[0].rstrip(".")
    constants = ", ".join(f"`{name}`" for name in names if name not in kinds)
    lines = [f"### {title}", "", *([f"Constants: {constants}.", ""] if constants else [])]
    lines += ["```{eval-rst}", f".. currentmodule:: {where}", ""]
    for name in names:
        if name in kinds:
            members = ["   :members:"] if kinds[name] == "autoclass" else []
            lines += [f".. {kinds[name]}:: {name}", *members, ""]
    return [*lines, "```", ""]
