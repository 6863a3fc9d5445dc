# SPDX-License-Identifier: BSD-3-Clause
"""oshcc --explore and the options --explore and --replay of oshrun: one line for each wrong use.

usage: options_test.py --bin FOLDER
"""

import subprocess

from explored import ExploredProgram, main


class Options(ExploredProgram):
    def test_programs_that_were_not_built_for_it(self):
        plain = self.folder / "plain"
        subprocess.run([self.tools / "oshcc", "-x", "c", "-", "-o", plain], check=True, text=True,
                       input="#include <shmem.h>\nint main(void) { shmem_init(); return 0; }\n")
        for program in (plain, "/bin/sh"):
            for words in (["--explore"], ["--record", self.folder / "file"]):
                self.assert_refused(f"oshrun: {program}: not built for --explore, --record and --replay: expected a program compiled and "
                                    "linked by oshcc --explore", *words, "-n", 2, program)

    def test_a_program_that_does_not_exist(self):
        job = self.oshrun("--explore", "-n", 2, "./missing")
        self.assertEqual((job.returncode, job.stdout), (127, "oshrun: ./missing: no such program\n"))

    def test_a_program_built_for_it_that_runs_alone(self):
        job = subprocess.run([self.built("message")], capture_output=True, text=True)
        self.assertEqual(job.returncode, 2)
        self.assertIn("run it with oshrun --explore -n PES", job.stderr)

    def test_options_that_need_others(self):
        program = self.built("message")
        for option in (["--orders", "3"], ["--any-output"]):
            self.assert_refused(f"oshrun: {option[0]}: expected --explore as well: other runs have no such option", "-n", 2, *option,
                                program)
        for option in (["--random", "3"], ["--races"]):
            self.assert_refused(f"oshrun: {option[0]}: expected --explore or --record as well: other runs have no such option", "-n", 2,
                                *option, program)
        self.assert_refused("oshrun: --record and --replay: expected only one of them", "--record", "file", "--replay", "file", program)
        self.assert_refused("oshrun: --pause: expected --replay as well", "-n", 2, "--pause", 0, program)
        self.assert_refused("oshrun: --random: expected a bound as well: --orders or --timeout", "--explore", "-n", 2, "--random", 1,
                            program)
        for words in (["--explore"], ["--record", "file"]):
            self.assert_refused(f"oshrun: {words[0]}: expected -n with a number of PEs from 1 to 8", *words, program)

    def test_values(self):
        program = self.built("message")
        self.assert_refused("oshrun: -n 9: expected a number from 1 to 8 with --explore", "--explore", "-n", 9, program)
        self.assert_refused("oshrun: --orders many: expected a number from 1 to 4611686018427387904", "--explore", "-n", 2,
                            "--orders", "many", program)
        self.assert_refused("oshrun: --replay missing: cannot read: No such file or directory", "--replay", "missing", program)

    def test_options_of_other_runs(self):
        program = self.built("message")
        for option in (["--trace", "x"], ["--nodes", "2"], ["--chaos"], ["--gdb"], ["--label"],
                       ["--output-filename", "x"], ["--hosts", "h1:1,h2:1"]):
            self.assert_refused(f"oshrun: {option[0]}: not available with --explore", "--explore", "-n", 2, *option, program)
        self.assert_refused("oshrun: --timeout: not available with --record", "--record", "file", "-n", 2, "--timeout", 3, program)

    def test_wrong_use_of_oshcc(self):
        for words, line in ((["oshcc", "--races", "--explore"], "oshcc: --races and --explore: expected only one of them"),
                            (["oshcc", "--explore", "-static"], "oshcc: --explore: expected a dynamically linked program; omit -static"),
                            (["oshfort", "--explore"], "oshfort: --explore: expected a program in C or C++; use oshcc or oshc++")):
            job = subprocess.run([self.tools / words[0], *words[1:], "x.c"], capture_output=True, text=True)
            self.assertEqual((job.returncode, job.stderr), (2, f"{line}\n"))


if __name__ == "__main__":
    main()
