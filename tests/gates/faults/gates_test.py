#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each gate passes a copy of the tree. If the copy has a single fault, the gate fails with its message and exit status.

Gates run as processes, as in ctest, so that the tests see their exit status as well as their output.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ["apps", "bench", "cmake", "docs", "exchange", "fft", "fftw_mpi", "include", "lammps", "python", "scripts", "spec", "src", "trials",
           "tests", "tools"]
CC = os.environ.get("CC", "cc")


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name, "tree")
        cls.root.mkdir()
        for name in FOLDERS:
            shutil.copytree(ROOT / name, cls.root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, cls.root / path.name)
        (cls.root / ".venv").symlink_to(ROOT / ".venv")

    def run_gate(self, *command, **options):
        return subprocess.run([str(word) for word in command], cwd=self.root, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=500, **options)

    def gate(self, script, *arguments):
        return self.run_gate(sys.executable, "-B", self.root / script, *arguments)

    def script_of_tests(self, script, *arguments):
        """A script of tests/, which finds its helpers by run.py."""
        return self.gate("tests/run.py", self.root / script, *arguments)

    def assert_passes(self, job):
        self.assertEqual(job.returncode, 0, job.stdout)

    def assert_complains(self, job, complaint):
        self.assertEqual(job.returncode, 1, job.stdout)
        self.assertRegex(job.stdout, complaint)

    def with_fault(self, place, text, replacement, gate):
        """Runs the gate on a tree in which one text of a file is replaced ("": text is inserted at its beginning)."""
        path = self.root / place
        before = path.read_text()
        self.assertIn(text, before)
        path.write_text(before.replace(text, replacement, 1))
        try:
            return gate()
        finally:
            path.write_text(before)


class Sources(Tree):
    def check(self, gate, *faults):
        """`faults`: place, text, its replacement, and the complaint."""
        self.assert_passes(gate())
        for place, text, replacement, complaint in faults:
            self.assert_complains(self.with_fault(place, text, replacement, gate), complaint)

    def test_layers(self):
        self.check(lambda: self.gate("scripts/check_layers.py"),
                   ("src/base/bits.hpp", "", '#include "world/world.hpp"\n', "upward include of world/world.hpp"))

    def test_rooms_of_python(self):
        self.check(lambda: self.gate("scripts/check_layers.py"),
                   ("bench/oshbench/common/text.py", "annotations\n", "annotations\nfrom ..results.rows import Row\n",
                    "common/text.py:4: upward import of results.rows: common stands below results"),
                   ("bench/oshbench/machine/load.py", "annotations\n", "annotations\nfrom ..statistics import judge\n",
                    "sibling import of statistics.judge: machine and statistics stand side by side"),
                   ("bench/oshbench/cli.py", "annotations\n", "annotations\nfrom record import goals\n",
                    "cli.py:4: imports record, which is built on oshbench"),
                   ("bench/record/limits.py", "annotations\n", "annotations\nfrom . import goals\n",
                    "bench/record: modules import each other: "))

    def test_names(self):
        self.check(lambda: self.gate("scripts/check_names.py"),
                   ("src/base/bits.hpp", "", "struct mutex {};\n", "type mutex is defined 2 times"),
                   ("trials/stopwatch.hpp", "", "struct strategy {};\n", "type strategy is defined 2 times"),
                   ("src/base/bits.hpp", "", "struct oddity {\n  char* n_pes;\n};\n", "field n_pes has 2 meanings"))

    def test_columns(self):
        self.check(lambda: self.gate("scripts/check_columns.py"), ("src/base/bits.hpp", "", "// " + "wide " * 24 + "\n",
                   "src/base/bits.hpp:1: 123 columns: expected at most 120"),
                   ("src/base/bits.hpp", "", "int f() {\n  return g(1, 2), nullptr;\n}\n",
                    "src/base/bits.hpp:2: a comma in a return: expected two statements"))

    def test_includes(self):
        self.check(lambda: self.gate("scripts/check_includes.py"),
                   ("src/transport/ucx/atomics.hpp", "#include <iterator>\n", "", "ucx/atomics.hpp:[0-9]+: std::size needs "),
                   ("src/base/bits.hpp", "", "inline std::function<int()> called;\n", "bits.hpp:[0-9]+: std::function needs <functional>"))

    def test_sizes(self):
        lines = "  ++n;\n" * 60
        self.check(lambda: self.gate("scripts/check_sizes.py"),
                   ("src/base/bits.hpp", "", "// a line\n" * 550, "src/base/bits.hpp: [0-9]+ lines: expected at most 550"),
                   ("tests/unit/tree_test.cpp", "", "// a line\n" * 850, "tests/unit/tree_test.cpp: [0-9]+ lines: expected at most 850"),
                   ("src/base/bits.hpp", "", f"int f(int n) {{\n{lines}}}\n", "src/base/bits.hpp:1: f has 62 lines: expected at most 60"),
                   ("src/base/bits.hpp", "", f"s::s(int n) noexcept : a(n), b{{n}} {{\n{lines}}}\n", "bits.hpp:1: s has 62 lines"),
                   ("scripts/check_columns.py", "", "def f(n):\n" + "    n += 1\n" * 60, "check_columns.py:1: f has 61 lines"))

    def test_format(self):
        self.check(lambda: self.gate("scripts/check_format.py"), ("src/base/bits.hpp", "", "int  badly_spaced;\n",
                   "src/base/bits.hpp: not formatted: run scripts/check_format.py --write"))

    def test_tidy(self):
        """Sources are checked in batches. Names of two sources may clash, and each finding is told of its own source."""
        texts = {
            "name.hpp": "namespace names { struct name { int number; }; }\n",
            "one.cpp": "namespace { int change(int n) { return n * 2; } }\nint one(int n) { return change(n); }\n",
            "two.cpp": "namespace { int change(int n) { return n + 2; } }\nint two(int n) { return change(n); }\n",
            "three.cpp": "int three(int n) { return n > 3 ? n : 3; }\n",
            "four.cpp": '#include "name.hpp"\nusing names::name;\nint four(name& n) { return n.number; }\n',
            "five.cpp": '#include "name.hpp"\nint five(names::name& n) { return n.number; }\n'}
        folder, build = self.root / "src/tidied", self.root / "tidied"
        folder.mkdir()
        build.mkdir()
        self.addCleanup(shutil.rmtree, folder)
        for name, text in texts.items():
            (folder / name).write_text(text)
        (build / "compile_commands.json").write_text(json.dumps([
            {"directory": str(build), "file": str(folder / name), "command": f"c++ -O2 -std=c++20 -o {name}.o -c {folder / name}"}
            for name in texts if name.endswith(".cpp")]))

        def gate():
            return self.gate("scripts/check_tidy.py", build)
        told = r"^src/tidied/{}.cpp:{}:\d+: .*{}[^\n]*\n5 sources, 1 findings"
        self.check(gate, ("src/tidied/three.cpp", "n > 3 ?", "n > n ?", told.format("three", 1, "misc-redundant-expression")),
                   ("src/tidied/two.cpp", "n + 2", "n - n", told.format("two", 1, "misc-redundant-expression")),
                   ("src/tidied/five.cpp", "int five(names::name", "using names::name;\nint five(names::name",
                    told.format("five", 2, "misc-unused-using-decls")))

    def test_rooms_of_coll(self):
        self.check(lambda: self.gate("scripts/check_layers.py"),
                   ("src/coll/select/cost.hpp", "", '#include "coll/protocol/step_slots.hpp"\n',
                    "upward include of coll/protocol/step_slots.hpp"),
                   ("src/coll/neighbor/graph.hpp", "", '#include "coll/team/form.hpp"\n', "sibling include of coll/team/form.hpp"))

    def test_rooms_of_exchange_and_fft(self):
        self.check(lambda: self.gate("scripts/check_layers.py"),
                   ("exchange/plan/plan.hpp", "", '#include "exchange/run/run.hpp"\n', "upward include of exchange/run/run.hpp"),
                   ("exchange/copy/box_copy.hpp", "", '#include "../group/arena.hpp"\n', "sibling include of ../group/arena.hpp"),
                   ("fft/moves/agree.hpp", "", '#include "fft/choice/find.hpp"\n', "upward include of fft/choice/find.hpp"))

    def test_libraries_are_private(self):
        self.check(lambda: self.gate("scripts/check_layers.py"),
                   ("fft/moves/agree.hpp", "", '#include "exchange/group/group.hpp"\n', "it belongs to exchange/"),
                   ("trials/fnv1a.hpp", "", '#include "exchange/plan/plan.hpp"\n', "it belongs to exchange/"),
                   ("lammps/report.hpp", "", '#include "fft/geometry/box.hpp"\n', "it belongs to fft/"))

    def test_headers_are_fresh(self):
        self.check(lambda: self.gate("scripts/generate.py", "--check"),
                   ("include/shmem.h", "shmem_my_pe", "shmem_our_pe", "include/shmem.h differs from spec/"))

    def test_settings(self):
        self.check(lambda: self.gate("scripts/check_settings.py"),
                   ("src/base/log.cpp", "", 'const char* unheard = "OSHEN_UNHEARD";\n', "reads OSHEN_UNHEARD"))

    def test_prose(self):
        """Comments, pages, strings that users read, and names of tests."""
        self.check(lambda: self.gate("scripts/check_prose.py"),
                   ("src/base/bits.hpp", "", "// Somebody sets the lowest bit.\n", r"person 1 \(limit 0\)"),
                   ("src/base/log.cpp", "", 'const char* help = "a line that nobody reads";\n', r"person 1 \(limit 0\)"),
                   ("scripts/check_tests.py", "what ctest --output-junit wrote", "from who the report is", r"inverted 1 \(limit 0\)"),
                   ("tests/unit/tree_test.cpp", "", "TEST(Tree, NobodyIsAlone) {}\n", r"person 1 \(limit 0\)"),
                   ("tests/jobs/leave_test.py", "", "def test_somebody_leaves(): pass\n", r"person 1 \(limit 0\)"))

    def test_prototypes(self):
        def gate():
            return self.gate("scripts/check_symbols.py", "headers", "--cc", CC)
        self.check(gate, ("include/shmem.h", "void shmem_quiet(void)", "void shmem_quiet(int)", r"shmem_quiet\(int\)"),
                   ("include/shmem.h", "void shmem_quiet(void)", "void shmem_quite(void)", "shmem_quiet is missing"))

    def test_pages(self):
        def gate():
            return self.gate("scripts/check_docs.py")
        self.check(gate, ("README.md", "", "[gone](docs/gone.md)\n", "no such file: docs/gone.md"),
                   ("docs/user/promises.md", "`fault.kill`", "`fault.kiss`", "promises.md: no such test: fault.kiss"),
                   ("docs/user/environment.md", "OSHEN_SPIN", "OSHEN_SPAN", "its table is not what spec/ says"),
                   ("docs/design/waiting.md", "`src/os/futex.cpp`", "`src/os/futexes.cpp`", "no such path: src/os/futexes.cpp"),
                   ("src/base/log.cpp", "", 'void f() { log::error("the moon is %d"); }\n', "the moon is …"))

    def test_examples_of_pages(self):
        # Leaves out the registry, but runs the examples of one page, which must succeed.
        page = "<!-- examples -->\n```sh\nfalse\n```\n"
        stub = self.root / "oshinfo"
        stub.write_text(f"#!/bin/sh\ncat '{self.root}/docs/algorithms'${{3:+/$3}}.md\n")
        stub.chmod(0o755)
        for example in self.root.glob("docs/**/*.md"):  # only this page may have examples
            if example.name not in ("algorithms.md", "messages.md", "troubleshooting.md"):
                example.write_text(re.sub(r"^```sh$", "```", example.read_text(), flags=re.MULTILINE))
        self.check(lambda: self.gate("scripts/check_docs.py", "--run", self.root),
                   ("docs/design/README.md", "", page, "status 1 of"))


class Patience(unittest.TestCase):
    """Time limits also hold with 20 processes for each CPU."""

    def test_limits_are_stretched(self):
        import patience
        command = ["oshrun", "-n", "2", "--timeout", "60", "program", "60"]
        with mock.patch.object(patience, "processes_for_each_cpu", lambda: 1.0):
            self.assertEqual(patience.patient(command), command)
        with mock.patch.object(patience, "processes_for_each_cpu", lambda: 20.0):
            self.assertEqual(patience.patient(command), ["oshrun", "-n", "2", "--timeout", "1200", "program", "60"])
        with mock.patch("builtins.open", mock.mock_open(read_data="40.12 9.0 3.0 7/300 4711\n")), \
             mock.patch("os.sched_getaffinity", lambda pid: {0, 1}):
            self.assertEqual(patience.stretched(10), 10 * 40.12 / 2)


class Runners(Tree):
    def expect(self, *arguments):
        return self.gate("tests/support/expect.py", *arguments)

    def test_expect(self):
        talk = ("--", "sh", "-c", "echo one; echo two; exit $0")
        self.assert_passes(self.expect("--says", "one.two", "--never", "three", *talk, "0"))
        self.assert_passes(self.expect("--status", "7", *talk, "7"))
        self.assert_passes(self.expect("--status", "fails", *talk, "7"))
        self.assert_passes(self.expect("--status", "137", "--", "sh", "-c", "kill -9 $$"))
        self.assert_complains(self.expect("--says", "one", *talk, "7"), "exit status 7, expected 0")
        self.assert_complains(self.expect("--status", "1", *talk, "0"), "exit status 0, expected 1")
        for status in ("0", "124", "139"):
            self.assert_complains(self.expect("--status", "fails", *talk, status), "expected a failure")
        self.assert_complains(self.expect("--says", "three", *talk, "0"), "nothing like /three/")
        self.assert_complains(self.expect("--never", "two", *talk, "0"), "its output has /two/")

    def test_no_test_asks_for_words_alone(self):
        """No test uses PASS_REGULAR_EXPRESSION, with which ctest ignores the exit status; expect.py checks both."""
        for path in self.root.glob("tests/**/CMakeLists.txt"):
            text = re.sub(r"#.*", "", path.read_text())
            self.assertNotRegex(text, "PASS_REGULAR_EXPRESSION|WILL_FAIL", path)

    def test_run_spec_compiling_itself(self):
        source = self.root / "one.c"
        source.write_text("#include <shmem.h>\nint main(void) { return 0; }\n")
        arguments = ["--cc", f"{CC} -I{self.root}/include", "--launcher", "env N={n}", source]
        self.assert_passes(self.script_of_tests("tests/spec/run_spec.py", *arguments))
        source.write_text("#include <shmem.h>\nint main(void) { return 3; }\n")
        self.assert_complains(self.script_of_tests("tests/spec/run_spec.py", *arguments), "exit status 3, expected 0")
        source.write_text("#include <shmem.h>\nint main(void) { return no_such_thing; }\n")
        self.assert_complains(self.script_of_tests("tests/spec/run_spec.py", *arguments), "does not compile")

    def test_run_spec_does_not_wait_for_ever(self):
        source = self.root / "two.c"
        source.write_text("// @run pes=1 100\n")
        started = self.script_of_tests("tests/spec/run_spec.py", "--launcher", "env N={n}", "--limit", "-14", "--program", "sleep",
                            source)
        self.assert_complains(started, r"no end after \d+ s")

    def test_every_function_is_called(self):
        """Two functions; one is called."""
        listing, families = self.root / "objects", self.root / "tests/gates/abi/families-1.6.tsv"
        self.addCleanup(families.write_text, families.read_text())
        nm = self.root / "nm"
        nm.write_text("#!/bin/sh\necho '                 U shmem_one'\n")
        nm.chmod(0o755)
        listing.write_text("some.o\n")
        row = "shmem_{}\t1\t-\tstd\tshmem_{}\tvoid\tvoid\n"

        def gate():
            return self.gate("tests/run.py", self.root / "tests/spec/every_function_is_called.py", "--nm", nm, "--standard", "--objects", listing)
        families.write_text(row.format("one", "one"))
        self.assert_passes(gate())
        families.write_text(row.format("one", "one") + row.format("two", "two"))
        self.assert_complains(gate(), "never called: shmem_two")


def add_tests(folder, names):
    """A build folder whose tests succeed at once; a test with `skip` in its name reports that it is skipped."""
    folder.mkdir(exist_ok=True)
    lines = []
    for name in names:
        words = "skipped: no such thing here" if "skip" in name else "fine"
        lines.append(f'add_test({name} "/bin/echo" "{words}")\n'
                     f'set_tests_properties({name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")\n')
    (folder / "CTestTestfile.cmake").write_text("".join(lines))


class Counts(Tree):
    def check(self, *arguments, ci="1"):
        return self.run_gate(sys.executable, "-B", "scripts/check_tests.py", "build", "counts", *arguments,
                             env={**os.environ, "CI": ci})

    def setUp(self):
        (self.root / "counts").write_text("")

    def test_missing_and_new(self):
        add_tests(self.root / "build", ["fft.one", "two", "two.b"])
        self.assert_passes(self.check("--write"))
        self.assert_passes(self.check())
        add_tests(self.root / "build", ["two", "two.b"])
        self.assert_complains(self.check(), "0 tests of fft, expected 1: the others need FFTW")
        self.assert_passes(self.check(ci=""))
        add_tests(self.root / "build", ["fft.one", "two"])
        self.assert_complains(self.check(ci=""), "1 tests of two, expected 2: a test is missing; if it is gone for good: .*--write")
        add_tests(self.root / "build", ["fft.one", "two", "two.b", "three"])
        self.assert_complains(self.check(), "1 tests of three, expected 0: after adding tests: .*--write")

    def test_labels(self):
        """A test is counted by its label; `long` only says when it runs."""
        add_tests(self.root / "build", ["one.a", "two.a", "two.b"])
        with open(self.root / "build/CTestTestfile.cmake", "a") as file:
            file.write('set_tests_properties(two.a PROPERTIES LABELS "one;long")\nset_tests_properties(two.b PROPERTIES LABELS long)\n')
        self.assert_passes(self.check("--write"))
        self.assertEqual((self.root / "counts").read_text(), "2 one\n1 two\n")

    def test_a_suite_that_is_not_built(self):
        folder = self.root / "suites"
        folder.mkdir()
        (folder / "a.cpp").write_text("TEST(Heard, Of) {}\nTEST_F(Unheard, Of) {}\nINSTANTIATE_TEST_SUITE_P(Pes, Many, Values(1));\n")
        (self.root / "counts").write_text("all suites\n")
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        lines = [f'add_test({name}.Of/1 "/bin/true" "--gtest_filter=x" "--gtest_also_run_disabled_tests")\n' for name in ("Heard", "Pes/Many")]
        (build / "CTestTestfile.cmake").write_text("".join(lines))
        self.assert_complains(self.check(), "suite Unheard of suites is not in this build")
        (folder / "a.cpp").write_text("TEST(Heard, Of) {}\nINSTANTIATE_TEST_SUITE_P(Pes, Many, Values(1));\n")
        self.assert_passes(self.check())
        (build / "CTestTestfile.cmake").write_text(lines[0])
        self.assert_complains(self.check(), "suite Pes/Many of suites is not in this build")

    def test_skipped(self):
        report = self.root / "ran.xml"

        def run():
            self.check("--write")
            self.run_gate("ctest", "--test-dir", self.root / "build", "--output-junit", report)
            return self.check("--ran", report)

        add_tests(self.root / "build", ["one", "two"])
        self.assert_passes(run())
        add_tests(self.root / "build", ["one", "two.skip"])
        self.assert_complains(run(), "skipped: two.skip: no such thing here")
        self.assert_passes(self.check("--ran", report, ci=""))
        (self.root / "tests/gates/counts/needs.txt").write_text("two.* may skip: such thing\n")
        self.assert_passes(run())
        report.write_text(report.read_text().replace("skipped: no such thing here",
                                                     "test_a (X.test_a) ... skipped 'no such other'"))
        self.assert_complains(self.check("--ran", report), "skipped: two.skip: no such other")

    def test_a_mutant_that_does_not_fit(self):
        # Checks this mutant only, because another one may be planted at this moment.
        check = lambda: self.gate("tests/mutants/mutate.py", "--check", "op/wait-any-begins-at-the-same")
        self.assert_passes(check())
        self.assert_complains(self.with_fault("src/op/wait.cpp", "high % n", "(high % n)", check),
                              "op/wait-any-begins-at-the-same: its text does not stand exactly once in draw of op/wait.cpp")
        self.assert_complains(self.with_fault("src/op/wait.cpp", " draw(", " drawn(", check), "op/wait.cpp has no function draw")
        (self.root / "src/moved").mkdir()
        self.addCleanup((self.root / "src/moved/op").rename, self.root / "src/op")
        (self.root / "src/op").rename(self.root / "src/moved/op")
        self.assert_passes(check())


class Script(Tree):
    def write_script(self, name, body):
        path = self.root / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run_script(self, *words):
        return self.run_gate("scripts/test.sh", *words, env={**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"})

    def run_tests(self, ctest, check):
        """Runs scripts/test.sh rest with replacements of the build, ctest and the check of names that only return a status."""
        for script, status in (("scripts/build.sh", 0), ("ctest", ctest), ("scripts/check_tests.py", check)):
            self.write_script(script, f'[ "$2" != build/asan ] && [ "$1" != build/asan ] || exit {status}')
        return self.run_script("rest")

    def test_one_failure_is_a_failure(self):
        self.assert_passes(self.run_tests(0, 0))
        self.assert_complains(self.run_tests(8, 0), "FAILED: asan$")
        self.assert_complains(self.run_tests(0, 1), r"FAILED: asan \(tests missing or skipped\)$")

    def test_every_test_runs_once(self):
        """make test runs what is not long or nightly, make test-all the long tests and those of the sanitizers."""
        told = self.root / "told"
        for script in ("scripts/build.sh", "scripts/check_tests.py"):
            self.write_script(script, "exit 0")
        self.write_script("ctest", f'echo "$2 $3 $4" >>{told}')
        self.assert_passes(self.run_script())
        self.assertEqual(told.read_text(), "build/release -LE ^(long|nightly)$\n")
        told.write_text("")
        self.assert_passes(self.run_script("rest"))
        self.assertEqual(told.read_text(), "build/release -L ^long$\nbuild/asan -j 4\nbuild/tsan -j 4\n")
        told.write_text("")
        self.assert_passes(self.run_script("nightly"))
        self.assertEqual(told.read_text(), "build/release -L ^nightly$\n")
        self.assertEqual(self.run_script("everything").returncode, 2)

    def test_a_build_of_make_test_that_fails_is_told(self):
        for name, body in (("scripts/build.sh", "exit 1"), ("ctest", "exit 0"), ("scripts/check_tests.py", "exit 0")):
            self.write_script(name, body)
        self.assert_complains(self.run_script(), r"FAILED: release \(build\)$")

    def test_a_build_that_fails_is_told(self):
        for failed in ("release", "asan", "tsan"):
            for name, body in (("scripts/build.sh", f'[ "$1" != {failed} ]'), ("ctest", "exit 0"), ("scripts/check_tests.py", "exit 0")):
                self.write_script(name, body)
            run = self.run_script("rest")
            self.assert_complains(run, rf"FAILED: {failed} \(build\)$")

    def test_builds_end_with_the_script(self):
        """The sanitizer builds begin beside the tests of the release build."""
        told = self.root / "builder"
        self.write_script("scripts/build.sh", f'[ "$1" = release ] || {{ echo $$ >{told}.new; mv {told}.new {told}; exec sleep 600; }}')
        self.write_script("ctest", "exec sleep 600")
        script = subprocess.Popen(["scripts/test.sh", "rest"], cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True, env={**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"})
        self.addCleanup(script.wait)
        self.addCleanup(self.end, script.pid)  # also what takes the place of ctest
        self.assertTrue(self.becomes(told.exists))
        builder = int(told.read_text())
        self.addCleanup(self.end, builder)
        script.terminate()
        self.assertTrue(self.becomes(lambda: not Path(f"/proc/{builder}").exists()))

    @staticmethod
    def becomes(condition):
        deadline = time.monotonic() + 60
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.05)
        return condition()

    @staticmethod
    def end(process):
        """Ends its process group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(os.getpgid(process), signal.SIGKILL)

    def run_tests_again(self, failures, again):
        """Runs scripts/test.sh rest with a ctest that reports these failures of asan, and returns `again` at the second try."""
        for script in ("scripts/build.sh", "scripts/check_tests.py"):
            self.write_script(script, "exit 0")
        tries = self.root / "tries"
        tries.write_text("")
        lines = "".join(f"\\t  {i} - {failure}\\n" for i, failure in enumerate(failures))
        self.write_script("ctest", f"""[ "$2" = build/asan ] || exit 0
            case "$*" in *--rerun-failed*) echo again >>{tries}; exit {again};; esac
            while [ "$1" != --output-log ]; do shift; done
            mkdir -p "$(dirname "$2")"
            printf 'The following tests FAILED:\\n{lines}' >"$2"; exit 8""")
        run = self.run_script("rest")
        return run, tries.read_text() != ""

    def test_only_a_time_out_is_tried_again(self):
        run, again = self.run_tests_again(["net.hosts (Timeout)", "spec.a (Timeout)"], 0)
        self.assert_passes(run)
        self.assertTrue(again)
        self.assertIn("passed by themselves: net.hosts (Timeout), spec.a (Timeout)\n", run.stdout)
        run, again = self.run_tests_again(["net.hosts (Timeout)"], 8)
        self.assert_complains(run, "FAILED: asan$")
        self.assertTrue(again)
        for reason in ("Failed", "SEGFAULT", "Subprocess aborted", "Not Run"):
            run, again = self.run_tests_again(["net.hosts (Timeout)", f"spec.a ({reason})"], 0)
            self.assert_complains(run, rf"not run again: spec.a \({reason}\)\n(?s:.*)FAILED: asan$")
            self.assertFalse(again, reason)


if __name__ == "__main__":
    unittest.main()
