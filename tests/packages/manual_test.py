"""Every public function, setting and tool has a manual page that troff reads without a complaint."""

import functools
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

PAGES = Path(os.environ["PAGES"])
INCLUDE = Path(os.environ["INCLUDE"])
BIN = Path(os.environ["BIN"])
ROOT = Path(__file__).resolve().parents[2]
WHOLE_LINE = ("oshbench", "oshinfo", "oshtune", "oshen-lammps-study")  # tools that no program of the user follows
COMPILERS = ("oshcc", "oshc++", "oshcxx", "oshfort")
TOOLS = sorted(PAGES.glob("man1/*.1"))
NAME = re.compile(r"(?<![\w-])-{1,2}[a-zA-Z][\w:-]*")


@functools.cache
def help_of(name, *words):
    option = "--showme:help" if name in COMPILERS else "--help"
    return subprocess.run([BIN / name, *words, option], check=True, capture_output=True, text=True, timeout=60).stdout


def commands(page):
    """The subcommands of a tool, as the page names them."""
    return [line.replace("\\-", "-") for line in re.findall(r"^\.SS (.*)", page.read_text(), re.M)]


def section(page, title):
    return re.split(r"^\.S[HS] ", page.read_text().partition(f"\n.SH {title}\n")[2], flags=re.M)[0]


class Manual(unittest.TestCase):
    def test_every_function_has_a_page(self):
        for header in ("shmem.h", "shmemx.h"):
            names = set(re.findall(r"\b(shmemx?_\w+)\(", (INCLUDE / header).read_text()))
            functions = {n for n in names if re.search(rf"^[\w ]+[ *]{n}\([^;]*\);|^#define {n}\(",
                                                       (INCLUDE / header).read_text(), re.M)}
            self.assertGreater(len(functions), 150)
            missing = [n for n in sorted(functions) if not (PAGES / f"man3/{n}.3").exists()]
            self.assertEqual(missing, [], header)

    def test_lines_that_lead_elsewhere_arrive(self):
        for path in PAGES.glob("man3/*.3"):
            text = path.read_text()
            if text.startswith(".so "):
                self.assertFalse((PAGES / text.split()[1]).read_text().startswith(".so "), path)

    def test_settings(self):
        self.assertIn("SHMEM_SYMMETRIC_SIZE", (PAGES / "man7/oshen-environment.7").read_text())

    def test_every_option_of_help_is_on_the_page(self):
        for page in TOOLS:
            shown = {line.replace("\\-", "-") for line in page.read_text().splitlines() if line.startswith(".B ")}
            for program in (page.stem, *commands(page)):
                told = help_of(*program.split())
                names = {name for term in re.findall(r"^  (-[^\n]*?)(?:  |$)", told, re.M) for name in NAME.findall(term)}
                self.assertTrue(names, program)
                on_page = {name for line in shown for name in NAME.findall(line)}
                self.assertEqual(names - on_page, set(), program)
                self.assertNotRegex(page.read_text(), r"\.TP\n\.B .*\n(\n|\.|$)", f"{program}: an option without a meaning")

    def test_pages_of_tools_have_all_sections(self):
        self.assertGreater(len(TOOLS), 7)
        for page in TOOLS:
            titles = re.findall(r"^\.SH (.*)", page.read_text(), re.M)
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
                self.assertIn(title, titles, page)

    def test_variables_of_help_are_on_the_page(self):
        for page in TOOLS:
            part = section(page, "ENVIRONMENT")
            for name in set(re.findall(r"OSHEN_[A-Z_]+", help_of(page.stem))):
                self.assertIn(f".B {name}\n", part, page)

    def test_statuses_are_as_told(self):
        for page in TOOLS:
            wrong = "--showme:bogus" if page.stem in COMPILERS else "--bogus"
            done = subprocess.run([BIN / page.stem, wrong], capture_output=True, text=True, timeout=60)
            self.assertIn(f".B {done.returncode}\nWrong us", section(page, "EXIT STATUS"), page)
            told = re.search(r"exit status: (.*)", help_of(page.stem), re.S)
            for status in re.findall(r"(?:^|; |, )(\d+) \w", told[1] if told else ""):
                self.assertIn(f".B {status}\n", section(page, "EXIT STATUS"), page)

    def test_examples_use_options_that_exist(self):
        for page in TOOLS:
            known = NAME.findall(page.read_text().partition(".SH EXAMPLES")[0].replace("\\-", "-"))
            for line in section(page, "EXAMPLES").replace("\\-", "-").splitlines():
                words = re.split(r" -- | \./| && |  #", line)[0].split()
                if words[:1] == [page.stem] and page.stem not in COMPILERS:
                    self.assertEqual([word for word in words if NAME.fullmatch(word) and word not in known], [], page)

    def test_commands_of_the_documentation_use_options_that_exist(self):
        count = 0
        for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
            for tool, rest in re.findall(rf"^\$ ({'|'.join(WHOLE_LINE)}) (.*)", page.read_text(), re.M):
                manual = PAGES / f"man1/{tool}.1"
                if manual.exists():
                    known = NAME.findall(manual.read_text().replace("\\-", "-"))
                    words = shlex.split(rest, comments=True)
                    self.assertEqual([word for word in words if NAME.fullmatch(word) and word not in known], [], f"{page}: {tool} {rest}")
                    count += 1
        self.assertGreater(count, 30)

    def test_troff_reads_them(self):
        pages = [p for p in PAGES.glob("man*/*") if p.name != "made" and not p.read_text().startswith(".so ")]
        done = subprocess.run(["groff", "-man", "-ww", "-z", *pages], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = subprocess.run(["groff", "-man", "-Tascii", "-P-c", PAGES / "man3/shmem_put.3"], capture_output=True, text=True)
        self.assertIn("void shmem_TYPENAME_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);",
                      re.sub(r".\x08", "", shown.stdout))


if __name__ == "__main__":
    unittest.main(verbosity=2)
