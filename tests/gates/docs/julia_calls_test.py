"""The calls of the page of Julia have the names and types of shmem.h: a C compiler checks each with these types."""

import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TYPES = {"Cvoid": "void", "Cint": "int", "Clong": "long", "Cdouble": "double", "Csize_t": "size_t"}
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror"]


def in_c(julia):
    pointer = re.fullmatch(r"Ptr\{(\w+)\}", julia)
    return TYPES[pointer[1]] + "*" if pointer else TYPES[julia]


def function_of(name, arguments, result):
    """A function with these types that calls the one of shmem.h."""
    taken = ", ".join(f"{in_c(kind)} a{i}" for i, kind in enumerate(arguments)) or "void"
    passed = ", ".join(f"a{i}" for i in range(len(arguments)))
    returns = "" if result == "Cvoid" else "return "
    return f"{in_c(result)} call_{name}({taken}) {{ {returns}{name}({passed}); }}\n"


def calls_of(page):
    return [(name, re.findall(r"::([\w{}]+)", arguments), result)
            for name, arguments, result in re.findall(r"@ccall oshen\.(\w+)\((.*)\)::([\w{}]+)", page)]


def compiles(calls):
    source = "#include <shmem.h>\n" + "".join({name: function_of(name, *types) for name, *types in calls}.values())
    command = [os.environ["CC"], *STRICT, "-Wno-missing-prototypes", f"-I{ROOT}/include", "-fsyntax-only", "-xc", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


class Calls(unittest.TestCase):
    def test_of_the_page(self):
        page = (ROOT / "docs/user/julia.md").read_text()
        calls = calls_of(page)
        self.assertEqual(len(calls), page.count("@ccall oshen."))
        self.assertGreater(len(calls), 7)
        right, errors = compiles(calls)
        self.assertTrue(right, errors)

    def test_wrong_ones_are_found(self):
        for call in (("shmem_long_put", ["Ptr{Clong}", "Ptr{Clong}", "Cint", "Cint"], "Cvoid"),
                     ("shmem_long_put", ["Ptr{Cint}", "Ptr{Clong}", "Csize_t", "Cint"], "Cvoid"),
                     ("shmem_my_pe", [], "Ptr{Cvoid}"), ("shmem_no_such", [], "Cvoid"), ("shmem_n_pes", ["Cint"], "Cint")):
            self.assertFalse(compiles([call])[0], call)


if __name__ == "__main__":
    unittest.main()
