# SPDX-License-Identifier: BSD-3-Clause
"""A mistake in the use of oshen/mdspan.hpp is one error of the compiler, which names the rule. Without <mdspan> the header is
one error that says what is needed; oshc++ asks for the standard that has it.

  mdspan_test.py OSHC++ COMPILER...    a compiler that has <mdspan>
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WRAPPER, *COMPILER = sys.argv[1:]
INCLUDE = Path(__file__).resolve().parents[3] / "include"

MISTAKES = {  # statement: words in what the compiler says
    "oshen::put(grid, cube, 0);": "same_shape",
    "oshen::put(grid, floats, 0);": "same_elements",
    "oshen::put(constant, mine, 0);": "writable_mdspan",
    "oshen::get(constant, grid, 0);": "writable_mdspan",
    "oshen::put(grid, field, 0);": "is_mdspan",
    "oshen::put_nbi(texts, texts, 0);": "is_trivially_copyable_v",
    "oshen::get_nbi(fixed, small, 0);": "same_shape",
    "auto p = oshen::put_async(grid, cube, 0);": "same_shape",
    "auto p = oshen::get_async(cube, grid, 0);": "same_shape",
    "auto b = oshen::block(grid, {0}, {1});": "of_rank",
}
BEFORE = """#include <oshen/mdspan.hpp>
#include <string>
template <class T, std::size_t n> using any = std::mdspan<T, std::dextents<std::size_t, n>>;
void use(oshen::symmetric_array<double>& field, any<double, 2> grid, any<double, 2> mine, any<double, 3> cube,
         any<float, 2> floats, any<const double, 2> constant, any<std::string, 1> texts,
         std::mdspan<double, std::extents<int, 2, 3>> fixed, std::mdspan<double, std::extents<int, 2, 4>> small) {
  (void)field, (void)grid, (void)mine, (void)cube, (void)floats, (void)constant, (void)texts, (void)fixed, (void)small;
"""


def told(compiler, text, *options):
    """What the compiler says about a file `program.cpp`. With -fsyntax-only zig would build its library first."""
    with tempfile.TemporaryDirectory(prefix="oshen mdspan ") as place:
        source = Path(place) / "program.cpp"
        source.write_text(text)
        return subprocess.run([*compiler, *options, f"-I{INCLUDE}", "-c", source, "-o", source.with_suffix(".o")],
                              capture_output=True, text=True).stderr


class Mdspan(unittest.TestCase):
    def test_what_fits_is_accepted(self):
        text = BEFORE + "oshen::put(grid, constant, 0); oshen::get(mine, fixed, 0, SHMEM_CTX_DEFAULT); }\n"
        self.assertEqual(told(COMPILER, text, "-std=c++23", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wold-style-cast"), "")

    def test_each_mistake_is_one_error_and_few_lines(self):
        first = BEFORE.count("\n") + 1
        text = BEFORE + "".join(f"{{ {statement} }}\n" for statement in MISTAKES) + "}\n"
        pieces = re.split(r"^\S.*program\.cpp:(\d+):\d+: error: ", told(COMPILER, text, "-std=c++23"), flags=re.M)
        self.assertEqual([int(line) for line in pieces[1::2]], list(range(first, first + len(MISTAKES))), "".join(pieces))
        for (mistake, words), piece in zip(MISTAKES.items(), pieces[2::2], strict=True):
            with self.subTest(mistake):
                self.assertLessEqual(piece.count("\n"), 24, piece)
                self.assertIn(words, piece)

    def test_a_compiler_without_it_gives_one_error(self):
        for compiler in ["g++", "clang++", COMPILER]:
            if isinstance(compiler, str) and not shutil.which(compiler):
                continue
            words = [compiler] if isinstance(compiler, str) else compiler
            errors = [line for line in told(words, "#include <oshen/mdspan.hpp>\n", "-std=c++20").splitlines() if "error:" in line]
            self.assertEqual(len(errors), 1, errors)
            self.assertIn("needs <mdspan>: compile with oshc++ or -std=c++23", errors[0])

    def test_the_wrapper_asks_for_the_standard(self):
        with tempfile.TemporaryDirectory(prefix="oshen mdspan ") as place:
            source, compiler = Path(place) / "program.cpp", Path(place) / "compiler"
            source.write_text("#include <oshen/oshen.hpp>\n#include <oshen/mdspan.hpp>\nint main() { return oshen::my_pe(); }\n")
            compiler.write_text("#!/bin/sh\nexec " + " ".join(f'"{word}"' for word in COMPILER) + ' "$@"\n')
            compiler.chmod(0o755)
            for options, expected in (((), "-std=gnu++2b"), (("-std=c++20",), None)):
                done = subprocess.run([WRAPPER, "-show", *options, source], capture_output=True, text=True,
                                      env={**os.environ, "OSHEN_CXX": "compiler", "PATH": f"{place}:{os.environ['PATH']}"})
                self.assertEqual("-std=gnu++2b" in done.stdout, expected is not None, done.stdout + done.stderr)
            done = subprocess.run([WRAPPER, "-c", source, "-o", source.with_suffix(".o")], capture_output=True, text=True,
                                  env={**os.environ, "OSHEN_CXX": "compiler", "PATH": f"{place}:{os.environ['PATH']}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
