"""oshrun without the library: exit codes, output, input, signals, deaths, bad arguments."""

import os
import pty
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from jobs import FAKE_PE, GRACE_AFTER_REQUEST, GRACE_AFTER_SIGNAL, OSHRUN, PATIENCE, JobTest, stretched


class ExitStatus(JobTest):
    def check(self, ended, status, *lines):
        self.assertEqual(ended.status, status, ended)
        for line in lines:
            self.assertRegex(ended.err, line)
        if not lines:
            self.assertEqual(ended.err, "", ended)

    def test_success(self):
        for n in (1, 2, 7):
            self.check(self.run_job("-n", n, "true"), 0)

    def test_each_pe_knows_its_number(self):
        ended = self.run_shell(5, 'echo "$pe of $OSHEN_N_PES"')
        self.assertEqual(sorted(ended.out.split("\n")[:-1]), [f"{pe} of 5" for pe in range(5)])

    def test_np_is_n(self):
        self.assertEqual(self.run_job("-np", 3, "echo", "x").out, "x\n" * 3)

    def test_default_is_one_pe_for_each_cpu(self):
        ended = self.run_job("echo", "x")
        self.assertEqual(ended.out.count("x"), len(os.sched_getaffinity(0)))

    def test_failing_pe_ends_the_others(self):
        ended = self.run_shell(4, "[ $pe = 2 ] && exit 5; exec sleep 1000")
        self.check(ended, 5, r"^oshrun: PE 2 \(pid \d+\) exited with status 5; "
                             r"the other 3 PEs were ended\n$")
        self.assertLess(ended.seconds, stretched(1 + 2))  # the limit is 1 s, plus 2 s for a busy machine

    def test_killed_pe_ends_the_others(self):
        ended = self.run_shell(8, "[ $pe = 3 ] && kill -9 $$; exec sleep 1000")
        self.check(ended, 137, r"^oshrun: PE 3 \(pid \d+\) was killed by signal 9 \(Killed\); "
                               r"the other 7 PEs were ended\n$")

    def test_deaf_pes_are_killed(self):
        ended = self.run_shell(3, "[ $pe = 0 ] && sleep 0.2 && exit 3; "
                                  "exec $fake ignore 15 sleep 1000")
        self.check(ended, 3, "PE 0 .* exited with status 3")
        self.assertLess(ended.seconds, stretched(5))

    def test_stopped_pe_is_ended(self):
        ended = self.run_shell(3, "[ $pe = 0 ] && sleep 0.2 && exit 3; kill -STOP $$; sleep 1000")
        self.check(ended, 3, "PE 0 .* exited with status 3")

    def test_single_pe_has_no_others(self):
        self.check(self.run_job("-n", 1, "false"), 1, r"exited with status 1\n$")

    def test_global_exit_is_quiet_and_sets_the_status(self):
        ended = self.run_shell(4, "[ $pe = 1 ] && exec $fake joined end 42 quiet exit 42; "
                                  "exec $fake joined sleep 1000")
        self.check(ended, 42)
        self.assertLess(ended.seconds, stretched(5))

    def test_global_exit_with_0_is_success(self):
        self.check(self.run_shell(3, "[ $pe = 1 ] && exec $fake joined end 0 quiet exit 0; "
                                     "exec $fake joined sleep 1000"), 0)

    def test_global_exit_lets_the_others_leave(self):
        ended = self.unhindered(
            lambda: self.run_shell(2, "[ $pe = 1 ] && exec $fake joined end 0 quiet exit 0; $fake joined sleep 0.1; echo left"),
            lambda ended: ended.out == "left\n", GRACE_AFTER_REQUEST)
        self.check(ended, 0)
        self.assertEqual(ended.out, "left\n")

    def test_request_of_a_live_pe_is_seen(self):
        self.check(self.run_shell(2, "exec $fake joined end 9 quiet sleep 1000"), 9)

    def test_fatal_error_names_the_pe(self):
        ended = self.run_shell(3, "[ $pe = 1 ] && exec $fake joined end 1 loud exit 1; "
                                  "exec $fake joined sleep 1000")
        self.check(ended, 1, r"^oshrun: PE 1 \(pid \d+\) ended the job with status 1; "
                             r"the other 2 PEs were ended\n$")

    def test_the_pe_that_asked_for_the_end_is_not_counted_as_another(self):
        ended = self.run_shell(3, "[ $pe = 1 ] && exec $fake joined end 1 loud sleep 1000; "
                                  "exec $fake joined sleep 1000")
        self.check(ended, 1, r"^oshrun: PE 1 \(pid \d+\) ended the job with status 1; "
                             r"the other 2 PEs were ended\n$")

    def test_death_explains_more_than_the_error_it_caused(self):
        ended = self.run_shell(2, "[ $pe = 1 ] && exec $fake joined end 1 loud kill 11; "
                                  "exec $fake joined sleep 1000")
        self.check(ended, 139, r"PE 1 .* was killed by signal 11")

    def test_leaving_without_finalize_is_an_error(self):
        ended = self.run_shell(3, "[ $pe = 2 ] && exec $fake joined exit 0; "
                                  "exec $fake joined sleep 1000")
        self.check(ended, 1, r"PE 2 .* without shmem_finalize")

    def test_staying_away_is_an_error(self):
        for late in ("true", "sleep 0.3"):  # before and after the others have joined
            ended = self.run_shell(3, f"[ $pe = 2 ] && exit 0; {late}; "
                                      "exec $fake joined sleep 1000")
            self.check(ended, 1, r"PE 2 .* without shmem_init")

    def test_finalizing_one_after_the_other_is_normal(self):
        self.check(self.run_shell(4, "exec $fake joined sleep 0.$pe finalized sleep 0.1 exit 0"), 0)

    def test_program_not_found(self):
        ended = self.run_job("-n", 4, "no-such-program-at-all")
        self.check(ended, 127, r"^oshrun: no-such-program-at-all: no such program\n$")

    def test_program_not_in_path_but_here(self):
        ended = self.run_job("oshrun_test.py", cwd=os.path.dirname(os.path.abspath(__file__)))
        self.check(ended, 127, r"did you mean ./oshrun_test.py\?")

    def test_program_not_executable(self):
        self.check(self.run_job("-n", 4, __file__), 126, r"^oshrun: .*: Permission denied\n$")


class BadArguments(JobTest):
    def test_one_clear_line(self):
        cases = {
            ("-n", "0"): "-n 0: expected a number of PEs from 1",
            ("-n", "-1"): "-n -1: expected a number",
            ("-n", "abc"): "-n abc: expected a number",
            ("-n", "1e9"): "-n 1e9: expected a number",
            ("-n", "1000000000"): "-n 1000000000: expected a number",
            ("-n", "3x"): "-n 3x: expected a number",
            ("-n", ""): "-n : expected a number",
            ("-np", "0"): "-n 0: expected a number",
            ("--timeout", "0"): "--timeout 0: expected",
            ("--timeout", "soon"): "--timeout soon: expected",
            ("--bind", "tight"): "--bind tight: expected auto, none or core",
            ("-x", "NAME"): "-x NAME: expected VAR=VALUE",
            ("-x", "=1"): "-x =1: expected VAR=VALUE",
            ("--wdir", "/no/such/place"): "--wdir /no/such/place: No such file",
            ("--labels",): "--labels: unknown option",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments):
                ended = self.run_job(*arguments, "echo", "ran")
                self.assertEqual(ended.status, 2, ended)
                self.assertIn(expected, ended.err)
                self.assertEqual(ended.err.count("\n"), 1, ended)
                self.assertEqual(ended.out, "")

    def test_no_program(self):
        for arguments in ((), ("-n", "2"), ("-n",)):
            ended = self.run_job(*arguments)
            self.assertEqual(ended.status, 2, ended)
            self.assertEqual(ended.err.count("\n"), 1, ended)

    def test_bad_setting(self):
        self.environment["OSHEN_BIND"] = "tight"
        self.assertIn("OSHEN_BIND tight: expected", self.run_job("true").err)

    def test_no_processes_left_to_have(self):
        limited = ["prlimit", "--nproc=1:1", OSHRUN, "-n", "2", "true"]
        if os.getuid() == 0:  # root is above that limit
            limited = ["setpriv", "--reuid=65534", "--clear-groups", *limited]
        ended = subprocess.run(limited, capture_output=True, text=True, env=self.environment,
                               timeout=PATIENCE)
        self.assertEqual(ended.returncode, 1, ended)
        self.assertRegex(ended.stderr, "^oshrun: cannot (start PE|fork).*Resource temporarily")


class Surroundings(JobTest):
    def test_limit_of_file_sizes(self):
        limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # noqa: E731
        ended = self.run_job("-n", 2, "true", preexec_fn=limited)
        self.assertEqual(ended.status, 1, ended)
        self.assertRegex(ended.err, r"^oshrun: the job page has \d+ bytes, and files are limited to 0 \(ulimit -f\); raise the limit\n$")

    def test_arguments_pass_through_untouched(self):
        ended = self.run_job("-n", 1, "printf", "[%s]", "-n", "--label", "a b", "", "'\"$x")
        self.assertEqual(ended.out, "[-n][--label][a b][]['\"$x]")

    def test_variables(self):
        ended = self.run_job("-n", 1, "-x", "A=1", "-x", "B=x  y=z", "-x", "A=2", "sh", "-c",
                             'echo "$A|$B|$PATH"')
        self.assertEqual(ended.out, f"2|x  y=z|{os.environ['PATH']}\n")

    def test_directory(self):
        self.assertEqual(self.run_job("-n", 1, "--wdir", "/", "pwd").out, "/\n")

    def test_equal_shares_of_the_cpus(self):
        usable = sorted(os.sched_getaffinity(0))
        show = "taskset -cp $$ | sed 's/.*: //'"
        ended = self.run_shell(len(usable), show)
        self.assertEqual(sorted(map(int, ended.out.split())), usable)
        everything = self.run_job("-n", 1, "--bind", "none", "sh", "-c", show).out
        self.assertEqual(self.run_shell(1, show).out, everything)
        crowded = self.run_shell(len(usable) + 1, show).out
        self.assertEqual(set(crowded.split()), {everything.strip()})
        bound = self.run_shell(len(usable) + 1, show, "--bind", "core").out.split()
        self.assertEqual(set(map(int, bound)), set(usable))

    def test_verbose_lists_the_cpus(self):
        ended = self.run_job("-v", "-n", 1, "--bind", "none", "true")
        parts = [part.split("-") for part in re.search(r"PE 0 is process \d+ on CPUs (\S+)", ended.err)[1].split(",")]
        self.assertEqual([cpu for part in parts for cpu in range(int(part[0]), int(part[-1]) + 1)],
                         sorted(os.sched_getaffinity(0)), ended)

    def test_restricted_cpus_are_respected(self):
        cpu = max(os.sched_getaffinity(0))
        ended = self.run_job(*self.shell(2, "taskset -cp $$ | sed 's/.*: //'", "--bind", "core"),
                             preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        self.assertEqual(ended.out, f"{cpu}\n" * 2)

    def test_signal_state_and_limits_are_as_they_were(self):
        look = ["sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; ulimit -n"]
        for ignored in ((), (signal.SIGCHLD, signal.SIGHUP, signal.SIGTTIN)):
            def ignore():
                for one in ignored:
                    signal.signal(one, signal.SIG_IGN)
            alone = subprocess.run(look, capture_output=True, text=True, timeout=PATIENCE,
                                   preexec_fn=ignore)
            for options in ((), ("-l",)):
                ended = self.run_job("-n", 1, *options, *look, preexec_fn=ignore)
                self.assertEqual(ended.out.replace("[0] ", ""), alone.stdout)

    def test_no_descriptors_but_the_standard_ones_and_the_job(self):
        for options in ((), ("-l",)):
            ended = self.run_job("-n", 3, *options, "ls", "/proc/self/fd")
            found = [int(line.split()[-1]) for line in ended.out.splitlines()]
            self.assertEqual(sorted(found), sorted([0, 1, 2, 3, 100] * 3), ended)  # 3: the folder


class Output(JobTest):
    def test_without_label_it_is_inherited(self):
        ended = self.run_job("-n", 1, "sh", "-c", "readlink /proc/$$/fd/1 /proc/$$/fd/2",
                             stderr=subprocess.STDOUT)
        first, second = ended.out.split()
        self.assertEqual(first, second)

    def test_labelled_lines_are_whole_and_complete(self):
        lines, pes = 100_000, 4
        ended = self.run_shell(
            pes, f"exec awk -v pe=$pe 'BEGIN {{ for (i = 0; i < {lines}; i++) "
                 "{ print pe, i, substr(\"abcdefghijklmnopqrstuvwxyz\", 1, i % 26); "
                 "if (i % 1000 == 0) print \"error\", i > \"/dev/stderr\" } }'", "-l")
        self.assertEqual(ended.status, 0, ended)
        seen = [0] * pes
        for line in ended.out.splitlines():
            label, pe, i, *rest = line.split()
            self.assertEqual(label, f"[{pe}]")
            self.assertEqual(int(i), seen[int(pe)])
            self.assertEqual("".join(rest), "abcdefghijklmnopqrstuvwxyz"[:int(i) % 26])
            seen[int(pe)] += 1
        self.assertEqual(seen, [lines] * pes)
        errors = sorted(ended.err.splitlines())
        self.assertEqual(errors, sorted(f"[{pe}] error {i}" for pe in range(pes)
                                        for i in range(0, lines, 1000)))

    def test_last_line_without_end_is_kept(self):
        ended = self.run_shell(3, "printf 'one\\ntail'", "-l")
        self.assertEqual(sorted(ended.out.splitlines()),
                         sorted(f"[{pe}] {text}" for pe in range(3) for text in ("one", "tail")))

    def test_a_long_line_stays_one_line(self):
        ended = self.run_shell(2, "head -c 3000000 /dev/zero | tr '\\0' x", "-l")
        self.assertEqual(ended.status, 0, ended)
        self.assertEqual(sorted(map(len, ended.out.splitlines())), [3000004] * 2)

    def test_output_before_a_death_is_kept(self):
        ended = self.run_shell(2, "echo last words; [ $pe = 1 ] && kill -9 $$; sleep 1000", "-l")
        self.assertIn("[1] last words\n", ended.out)
        self.assertEqual(ended.status, 137)

    def test_reader_that_goes_away_ends_the_job_like_any_pipe(self):
        for options in ((), ("-l",)):
            process = self.start("-n", 2, *options, "yes")
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(timeout=PATIENCE), 128 + signal.SIGPIPE)
            process.stderr.close()

    def test_slow_reader_loses_nothing_and_can_be_interrupted(self):
        process = self.start("-n", 2, "-l", "seq", "100000")
        time.sleep(0.5)
        ended = self.finish(process)
        self.assertEqual(ended.out.count("\n"), 200000)
        process = self.start("-n", 2, "-l", "yes")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.wait_until(lambda: self.pid_of("yes") is None, "the PEs have not ended")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)  # gives up the output, which no process reads
        self.assertEqual(process.wait(timeout=PATIENCE), 130)
        process.stdout.close()
        process.stderr.close()


class Input(JobTest):
    def test_pe_0_reads_it_and_no_other(self):
        ended = self.run_job("-n", 3, "-l", "sh", "-c", "cat; echo end", text="hello\nworld\n")
        lines = ended.out.splitlines()
        self.assertEqual([line for line in lines if line.startswith("[0]")],
                         ["[0] hello", "[0] world", "[0] end"])
        self.assertEqual(len(lines), 5)

    def test_much_input(self):
        text = "".join(f"line {i}\n" for i in range(200_000))
        self.assertEqual(self.run_job("-n", 2, "cat", text=text).out, text)

    def test_closed_input(self):
        ended = self.run_job("-n", 2, "cat", stdin=None, preexec_fn=lambda: os.close(0))
        self.assertEqual((ended.status, ended.out), (0, ""), ended)

    def on_terminal(self, *arguments):
        """Starts oshrun in the foreground of a new terminal; returns the end at which the user types."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(OSHRUN, ["oshrun", *arguments], self.environment)
        self.addCleanup(os.close, terminal)
        return pid, terminal

    def read_until(self, terminal, text):
        seen = ""
        while text not in seen:
            seen += os.read(terminal, 4096).decode()
        return seen

    def status_of(self, pid):
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_typed_on_a_terminal(self):
        echo = "while read x; do echo got $x; done"
        pid, terminal = self.on_terminal("-n", "2", "sh", "-c", echo)
        os.write(terminal, b"one\n")
        self.read_until(terminal, "got one")
        os.write(terminal, b"two\n")
        self.read_until(terminal, "got two")
        os.write(terminal, b"\x04")
        self.assertEqual(self.status_of(pid), 0)

    def test_control_c_on_a_terminal(self):
        pid, terminal = self.on_terminal("-n", "2", "sh", "-c", "echo up; exec sleep 1000")
        self.read_until(terminal, "up\r\nup")
        os.write(terminal, b"\x03")
        self.assertEqual(self.status_of(pid), 130)


class Signals(JobTest):
    def started(self, script, n_pes=3):
        process = self.start(*self.shell(n_pes, script))
        self.wait_for_line(process, "up", n_pes)
        return process

    def test_ending_signals(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.started("echo up; exec sleep 1000")
            process.send_signal(sent)
            ended = self.finish(process)
            self.assertEqual(ended.status, 128 + sent)
            self.assertEqual(ended.err, "")

    def save(self, script, states=None):
        """PEs that a signal ends; each must say that its handler has run. They may have to be in some state before."""
        def run():
            process = self.started(script)
            if states:
                self.wait_for_states("sh", states)
            process.send_signal(signal.SIGTERM)
            return self.finish(process)
        ended = self.unhindered(run, lambda ended: ended.out == "saved\n" * 3, GRACE_AFTER_SIGNAL)
        self.assertEqual((ended.status, ended.out), (143, "saved\n" * 3), ended)

    def test_handlers_get_their_time(self):
        self.save("trap 'sleep 0.7; echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done")

    def test_stopped_pes_run_their_handlers(self):
        self.save("trap 'echo saved; exit 0' TERM; echo up; kill -STOP $$; while :; do sleep 0.01; done", "T" * 3)

    def test_the_deaf_die_after_two_seconds(self):
        process = self.started("exec $fake ignore 2 ignore 15 say up sleep 1000")
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, 130)
        self.assertGreater(time.monotonic() - before, 1.9)

    def test_second_interrupt_kills_at_once(self):
        def run():
            process = self.started("exec $fake ignore 2 say up sleep 1000")
            process.started = time.monotonic()
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            return self.finish(process)
        ended = self.unhindered(run, lambda ended: ended.seconds < GRACE_AFTER_SIGNAL - 0.1, 0)
        self.assertEqual(ended.status, 130, ended)
        self.assertLess(ended.seconds, GRACE_AFTER_SIGNAL - 0.1)

    def test_user_signals_pass(self):
        for name in ("USR1", "USR2"):
            process = self.started(f"trap 'echo got; exit 0' {name}; echo up; "
                                   "while :; do sleep 0.01; done")
            process.send_signal(getattr(signal, f"SIG{name}"))
            ended = self.finish(process)
            self.assertEqual((ended.status, ended.out), (0, "got\n" * 3))

    def test_what_was_ignored_stays_ignored(self):
        script = ["-c", 'trap "" HUP INT; exec "$0" "$@"', OSHRUN, "-n", "2"]
        process = self.start(*script, FAKE_PE, "say", "up", "sleep", "0.5", executable="/bin/sh")
        self.wait_for_line(process, "up", 2)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).status, 0)

    def test_ignored_deaths_of_children(self):
        ended = self.run_job(*self.shell(2, "exit 3"),
                             preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(ended.status, 3, ended)

    def test_stop_and_continue(self):
        with tempfile.NamedTemporaryFile() as file:
            process = self.started(f"exec $fake say up stay {file.name}")
            process.send_signal(signal.SIGTSTP)
            self.assertTrue(os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1]))
            self.wait_for_states("fake_pe", "T" * 3)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(process).status, 0)

    def states(self, name):
        for pid, comm in self.marked_processes():
            if comm == f"({name})":
                with open(f"/proc/{pid}/stat") as file:
                    yield file.read().rpartition(")")[2].split()[0]

    def wait_for_states(self, name, wanted):
        self.wait_until(lambda: "".join(self.states(name)) == wanted, f"not all PEs have the states {wanted}")

    def test_stopped_oshrun_still_ends_a_failed_job(self):
        with tempfile.NamedTemporaryFile() as file:
            process = self.started(f"echo up; while [ -e {file.name} ]; do sleep 0.05; done; exit 4", 2)
            process.send_signal(signal.SIGSTOP)
        self.wait_until(lambda: self.pid_of("sh") is None, "the PEs have not ended")
        process.send_signal(signal.SIGCONT)
        self.assertEqual(self.finish(process).status, 4)


class TimeOut(JobTest):
    def test_says_what_every_pe_was_doing(self):
        for limit in (1.5, 6, 24):  # on a busy machine the PEs may need longer to come so far
            ended = self.run_shell(
                3, 'case $pe in 0) exec $fake joined doing "shmem_barrier_all: waiting for PE 2" '
                   "sleep 1000;; 1) exec $fake joined finalized exit 0;; "
                   "2) exec $fake sleep 1000;; esac",
                "--timeout", limit)
            said = re.search(rf"^oshrun: time-out after {limit:g} s; 2 of 3 PEs have not ended:\n"
                             r"oshrun:   PE 0, pid \d+, state S, initialised: "
                             r"shmem_barrier_all: waiting for PE 2 \(for (\d+\.\d) s\)\n"
                             r"oshrun:   PE 2, pid \d+, state S, not initialised\n$", ended.err)
            if said:
                break
        self.assertEqual(ended.status, 124, ended)
        self.assertTrue(said, ended)
        self.assertLess(float(said[1]) - 0.1, ended.seconds)  # it is rounded to a tenth

    def test_not_reached(self):
        self.assertEqual(self.run_job("-n", 2, "--timeout", 50, "true").status, 0)


class NothingLeft(JobTest):
    """Every test checks for survivors at its end; these tests make some on purpose."""

    def test_children_of_pes(self):
        for leave in ("exit 0", "kill -9 $$", "exit 3"):
            self.run_shell(3, "sleep 1000 & setsid sleep 1000 & (sleep 1000 &) & sleep 0.1; "
                              f"{leave}")
            self.assert_nothing_left()

    def test_pe_that_left_the_group(self):
        ended = self.run_shell(3, "[ $pe = 1 ] && sleep 0.3 && exit 3; exec $fake setsid sleep 1000")
        self.assertEqual(ended.status, 3, ended)
        self.assertRegex(ended.err, r"^oshrun: PE 1 \(pid \d+\) exited with status 3; "
                                    r"the other 2 PEs were ended\n$")

    def test_process_that_forks_and_forks(self):
        self.run_shell(1, 'spawn() { sleep 0.01; spawn & }; spawn & spawn & sleep 0.2')

    offspring = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) & echo up; wait; sleep 1000"

    def kill_at_random_points(self, victim, times):
        for _ in range(times):
            process = self.start(*self.shell(4, self.offspring, *random.choice(((), ("-l",)))))
            time.sleep(random.uniform(0, 0.06))
            victim(process)
            process.wait(timeout=PATIENCE)
            process.stdout.close()
            process.stderr.close()
            self.assert_nothing_left()

    def test_killed_launcher(self):
        self.kill_at_random_points(lambda process: process.kill(), 40)

    def test_killed_launcher_and_its_group(self):
        self.kill_at_random_points(lambda process: os.killpg(process.pid, signal.SIGKILL), 20)

    def test_killed_supervisor(self):
        def kill_supervisor(front):
            os.kill(self.pid_of("osh-supervisor") or front.pid, signal.SIGKILL)
        self.kill_at_random_points(kill_supervisor, 20)

    def test_killed_supervisor_is_reported(self):
        process = self.start(*self.shell(2, self.offspring))
        self.wait_for_line(process, "up", 2)
        os.kill(self.pid_of("osh-supervisor"), signal.SIGKILL)
        ended = self.finish(process)
        self.assertEqual(ended.status, 137)
        self.assertRegex(ended.err, r"supervisor \(pid \d+\) was killed by signal 9")

    def test_killed_pe_at_random_points(self):
        for _ in range(20):
            process = self.start(*self.shell(4, "echo $$; " + self.offspring))
            some_pe = int(process.stdout.readline())
            time.sleep(random.uniform(0, 0.03))
            os.kill(some_pe, signal.SIGKILL)
            ended = self.finish(process)
            self.assertEqual(ended.status, 137, ended)
            self.assertIn(f"(pid {some_pe}) was killed by signal 9", ended.err)
            self.assert_nothing_left()


class Scale(JobTest):
    def test_many_pes(self):
        ended = self.run_shell(300, "echo $pe", "-l")
        self.assertEqual(ended.status, 0, ended)
        self.assertEqual(sorted(map(int, re.findall(r"^\[(\d+)\] \1$", ended.out, re.M))),
                         list(range(300)))


if __name__ == "__main__":
    seed = int(os.environ.get("OSHEN_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (OSHEN_SEED repeats it)", flush=True)
    random.seed(seed)
    unittest.main(verbosity=2)
