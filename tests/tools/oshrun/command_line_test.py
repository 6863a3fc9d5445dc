"""Command lines of users: several programs, the options of other launchers, the settings for OpenMP."""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import JobTest

CPUS = len(os.sched_getaffinity(0))


class Words(JobTest):
    def setUp(self):
        super().setUp()
        for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
            self.environment.pop(name, None)

    def prints(self, expected, *arguments):
        ended = self.run_job(*arguments)
        self.assertEqual((ended.status, "".join(sorted(ended.out.splitlines(True))), ended.err),
                         (0, expected, ""), ended)

    def refused(self, line, *arguments):
        ended = self.run_job(*arguments)
        self.assertEqual((ended.status, ended.out, ended.err.count("\n")), (2, "", 1), ended)
        self.assertIn(line, ended.err)

    def fresh_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name


class Programs(Words):
    show = ("sh", "-c", "echo $OSHEN_PE/$OSHEN_N_PES $0 $A$B$(pwd)")

    def test_pes_are_numbered_through(self):
        self.prints("0/6 one /\n1/6 one /\n2/6 two /\n3/6 three /\n4/6 three /\n5/6 three /\n",
                    "-n", 2, "--wdir", "/", *self.show, "one", ":", "-n", 1, "--wdir", "/", *self.show, "two", ":",
                    "-n", 3, "--wdir", "/", *self.show, "three")

    def test_each_has_its_own_variables_and_folder(self):
        self.prints("0/2 one 1/\n1/2 two 2/usr\n", "-n", 1, "-x", "A=1", "--wdir", "/", *self.show, "one", ":",
                    "-n", 1, "-x", "B=2", "--wdir", "/usr", *self.show, "two")

    def test_genv_is_for_all_and_gives_way(self):
        self.prints("0/2 one 1/\n1/2 two 3/\n", "-n", 1, "-genv", "A", "1", "-wdir", "/", *self.show, "one", ":",
                    "-n", 1, "-env", "A", "3", "-wdir", "/", *self.show, "two")

    def test_each_says_how_many(self):
        self.refused("cat: -n is missing", "-n", 1, "echo", ":", "cat")
        self.refused("no program given", "-n", 1, "echo", ":")
        self.refused("no program given", "-n", 1, "echo", ":", "-n", 1, ":", "-n", 1, "echo")
        self.refused("PEs in total: expected at most", "-n", 32768, "true", ":", "-n", 1, "true")

    def test_colons_of_a_program(self):
        self.prints("a : b\n", "-n", 1, "--", "echo", "a", ":", "b")
        self.prints("a :b\n", "-n", 1, "echo", "a", ":b")

    def test_second_program_that_is_not_there(self):
        ended = self.run_job("-n", 2, "sleep", "1000", ":", "-n", 1, "no-such-program")
        self.assertEqual((ended.status, ended.err), (127, "oshrun: no-such-program: no such program\n"), ended)


class OtherLaunchers(Words):
    def test_number_of_pes(self):
        for words in ("-np3", "-n3", "-c 3", "-c3", "--np 3", "--np=3", "-np=3", "--n 3", "--n=3", "-n=3", "--ntasks=3",
                      "-gnp 3", "--host localhost:3", "-H localhost,localhost:2", "--host localhost:2 -n 3",
                      "--host=127.0.0.1:3", "-w localhost -n3", "-ppn 3", "-ppn 4 -n 3", "--map-by ppr:3:node",
                      "--ntasks-per-node=3 --nodelist=localhost"):
            with self.subTest(words):
                self.prints("x\n" * 3, *words.split(), "echo", "x")

    def test_what_needs_nothing(self):
        for words in ("--oversubscribe -oversubscribe --allow-run-as-root -genvall --use-hwthread-cpus -q --quiet -Q -u",
                      "--map-by core --map-by=slot --map-by hwthread --map-by node --map-by core:OVERSUBSCRIBE",
                      "--rank-by slot --rank-by=core -bynode -byslot -bycore --distribution=block -m block -rr",
                      "--mpi=pmix --mpi none --mpi=pmi2 --export=ALL -K --kill-on-bad-exit=1 -s 0 --stdin=0",
                      "-launcher fork -bootstrap fork --disable-recovery"):
            with self.subTest(words):
                self.prints("x\n", "-n", 1, *words.split(), "echo", "x")

    def test_one_dash_or_two(self):
        for words in ("-timeout 9 -label", "--timeout=9 --l", "-timeout=9 -l"):
            with self.subTest(words):
                self.prints("[0] x\n", "-n", 1, *words.split(), "echo", "x")

    def test_binding(self):
        show = "taskset -cp $$ | sed 's/.*: //'"
        everything = self.run_job("-n", 1, "--bind", "none", "sh", "-c", show).out
        for words in ("--bind-to none", "--bind-to-none", "--cpu-bind=none", "-bind-to=none"):
            self.prints(everything, "-n", 1, *words.split(), "sh", "-c", show)
        for words in ("--bind-to core", "--bind-to hwthread", "--bind-to core:overload-allowed", "--cpu-bind=cores",
                      "-bind-to-core"):
            self.assertRegex(self.run_job("-n", 1, *words.split(), "sh", "-c", show).out, r"^\d+\n$", words)

    def test_mapping(self):
        """PEs are bound to CPUs of sockets, NUMA nodes or last-level caches, round-robin, as the kernel reports them."""
        def domains(pattern, of):
            found = {}
            for cpu in os.sched_getaffinity(0):
                told = sorted(Path(f"/sys/devices/system/cpu/cpu{cpu}").glob(pattern))
                if not told:
                    return None
                found.setdefault(of(told[0]), set()).add(cpu)
            return [found[key] for key in sorted(found)]

        first = lambda path: int(re.match(r"\d+", path.read_text())[0])
        kinds = {"socket": domains("topology/physical_package_id", first), "l3": domains("cache/index3/shared_cpu_list", first),
                 "numa": domains("node[0-9]*", lambda path: int(path.name[4:]))}
        show = "import os; print(*os.sched_getaffinity(0))"
        for what, told in kinds.items():
            with self.subTest(what):
                words = ("-n", 2, "-l", "--map-by", what, sys.executable, "-c", show)
                if told is None:
                    self.refused("does not report this topology", *words)
                    continue
                lines = dict(re.findall(r"\[(\d)\] (.*)", self.run_job(*words).out))
                for pe in (0, 1):
                    self.assertLessEqual({int(cpu) for cpu in lines[str(pe)].split()}, told[pe % len(told)])

    def test_labels(self):
        for words in ("--tag-output", "-tag-output", "-prepend-rank", "-l", "--output tag", "--output=label"):
            self.prints("[0] x\n[1] x\n", "-n", 2, *words.split(), "echo", "x")

    def test_variables(self):
        self.environment["HERE"] = "here and now"
        self.prints("here and now|1|2\n", "-n", 1, "-x", "HERE", "-env", "A", "1", "-genv", "B", "2",
                    "sh", "-c", 'echo "$HERE|$A|$B"')
        self.prints("here and now|1|2\n", "-n", 1, "-x=HERE", "-env", "A=1", "-genv", "B=2",
                    "sh", "-c", 'echo "$HERE|$A|$B"')

    def test_output_files(self):
        folder = self.fresh_folder()
        self.prints("", "-n", 2, "--output-filename", f"{folder}/out", "sh", "-c",
                    "echo I am $OSHEN_PE; echo oh $OSHEN_PE >&2")
        self.prints("", "-n", 1, "--output", f"filename={folder}/prte", "echo", "x")
        self.assertTrue(os.path.exists(f"{folder}/prte.0.out"))
        for pe in range(2):
            with open(f"{folder}/out.{pe}.out") as out, open(f"{folder}/out.{pe}.err") as err:
                self.assertEqual((out.read(), err.read()), (f"I am {pe}\n", f"oh {pe}\n"))
        ended = self.run_job("-n", 2, "--output-filename", f"{folder}/none/out", "true")
        self.assertEqual(ended.status, 1)
        self.assertRegex(ended.err, r"^oshrun: --output-filename: cannot create .*/none/out.0.out: No such file[^\n]*\n$")

    def test_parameters_of_open_mpi_are_accepted(self):
        self.prints("x\nx\n", "-mca", "spml", "ucx", "--mca", "btl", "self,vader", "-np", 2, "-gmca", "pml", "ob1", "--prtemca",
                    "plm", "isolated", "echo", "x")
        self.refused("-mca: expected 2 more values", "-mca")

    def test_version(self):
        for word in ("-V", "--version"):
            self.assertRegex(self.run_job(word).out, r"^oshrun \d+\.\d+\.\d+\n$")

    def test_what_cannot_be_is_refused_and_ours_named(self):
        cases = {"--map-by foo": "oshrun: --map-by foo: expected socket, numa, l3 or core; or use --bind auto, core or none\n",
                 "--bind-to socket": "--bind auto",
                 "--map-by slot:PE=2": "--bind", "--rank-by=numa": "expected core or slot", "--cpu-bind=map_cpu:0": "--bind",
                 "--hint=nomultithread": "--bind", "--cpus-per-task=2": "OMP_NUM_THREADS", "--cpu-set 0": "taskset",
                 "--hostfile f": "--hostfile f: cannot read: No such file", "-f f": "--hostfile f: cannot read: ",
                 "-n 3 -ppn 2": "3 PEs with 2 on each host: expected several hosts", "-pernode -n 2": "expected several hosts",
                 "--nooversubscribe": "not limited by CPUs", "--tune f": "-x VAR=VALUE", "-am f": "-x VAR=VALUE",
                 "-genvlist A": "remove it", "-genvnone": "env -i oshrun", "--export=NONE": "-x VAR=VALUE",
                 "-outfile-pattern f": "--output-filename", "-o f": "--output-filename", "--output=f": "--output-filename",
                 "-x NOT_HERE": "the name of a variable that is set", "--mpi=list": "remove it", "-iface eth0": "OSHEN_INTERFACE",
                 "--kill-on-bad-exit=0": "ends when a PE fails", "--app f": ": -n 2 b", "-t 5": "--timeout SECONDS",
                 "--rankfile f": "--hosts", "-m cyclic": "--hosts", "--launcher rsh5 --hosts h1,h2": "expected one of auto, ssh",
                 "--map-by socket --bind none": "PEs are not bound", "--map-by numa --hosts h1,h2": "not available with --hosts",
                 "--map-by node --hosts h1,h2": "round-robin over hosts", "-launcher-exec rsh": "--ssh", "--stdin all": "/dev/null",
                 "-localhost x": "-localhost: unknown option", "--no-such": "--no-such: unknown option",
                 "-n x": "-n x: expected a number of PEs from 1 to", "-n 1 -n 2": "expected exactly one value"}
        for words, line in cases.items():
            with self.subTest(words):
                self.refused(line, *([] if "-n " in words else ["-n", 1]), *words.split(), "echo", "x")
        self.refused("expected 2 more values", "-env")
        self.refused("expected 1 more value\n", "-env", "A")


class Hosts(Words):
    """Hosts, and the number of PEs on each; tests/nodes tests the jobs on the hosts."""

    def file(self, text):
        path = self.fresh_folder() + "/hosts"
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_this_machine_needs_no_launcher(self):
        self.prints("x\n" * 3, "--hosts", "localhost:3", "echo", "x")
        self.prints("x\n" * 3, "--hostfile", self.file("# here\nlocalhost slots=3\n"), "echo", "x")

    def test_what_cannot_be(self):
        cases = {("-n", 9, "--hosts", "h1:4,h2:4"): "-n 9: the hosts have 8 slots",
                 ("--hosts", "h1:x"): "--hosts h1:x: h1:x: expected a number of PEs from 1 to",
                 ("--hosts", "h1:0"): "expected a number of PEs from 1 to",
                 ("--hosts", "h1,,h2"): '"": expected a host name', ("--hosts", "h1,-oProxyCommand=x"): "expected a host name",
                 ("--hosts", "h1,h2", "--hostfile", "f"): "expected only one of them",
                 ("--hosts", "h1,h2", "--nodes", 2): "--nodes 2: not available with --hosts",
                 ("--hosts", "h1,h2", "--launcher", "rsh"): "--launcher rsh: expected one of auto, ssh, srun, hydra",
                 ("--hosts", "h1,h2", "--launcher", "srun"): "or there is no Slurm allocation",
                 ("--hostfile", self.file("h1 slots=2\nh2 rack=3\n")): 'line 2: "rack=3": expected a host, optionally with slots=N',
                 ("--hostfile", self.file("# nobody\n")): "contains no host"}
        for words, line in cases.items():
            self.refused(line, *words, "echo", "x")
        self.refused('":" works on one machine only', "--hosts", "h1,h2", "-n", 1, "true", ":", "-n", 1, "true")


class OpenMP(Words):
    show = ("sh", "-c", 'echo "$OMP_NUM_THREADS/$OMP_WAIT_POLICY"')

    def told(self, expected, n_pes, *options, **variables):
        self.environment |= variables
        self.prints(f"{expected}\n" * n_pes, "-n", n_pes, *options, *self.show)
        for name in variables:
            del self.environment[name]

    def test_a_bound_pe_sees_its_share(self):
        self.told("/", CPUS)
        self.told("/", 1)

    def test_unbound_pes_get_numbers(self):
        self.told(f"{CPUS}/", 1, "--bind", "none")
        self.told("1/passive", 2 * CPUS + 1)

    def test_more_threads_than_cpus_sleep_while_they_wait(self):
        self.told("2/passive", CPUS, OMP_NUM_THREADS="2")
        self.told("2/passive", CPUS, "-x", "OMP_NUM_THREADS=2")
        self.told("2,4/passive", CPUS, OMP_NUM_THREADS="2,4")

    def test_what_the_user_has_said_stays(self):
        self.told("2/active", 2 * CPUS, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="active")
        self.told("3/", 2 * CPUS, OMP_NUM_THREADS="3", GOMP_SPINCOUNT="100")
        self.told("3/active", CPUS, "-x", "OMP_NUM_THREADS=3", "-genv", "OMP_WAIT_POLICY", "active")

    def test_verbose_says_it(self):
        ended = self.run_job("-v", "-n", 2 * CPUS, "true")
        said = re.findall(r"oshrun: OpenMP in the PEs of true: (\S+)\n", ended.err)
        self.assertEqual(said, ["OMP_NUM_THREADS=1", "OMP_WAIT_POLICY=passive"], ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
