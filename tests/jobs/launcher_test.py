"""A program under a launcher never runs silently as a single-PE job. It joins real launchers; if it finds signs of a launcher
but cannot join, it prints a line with advice."""

import os
import shutil
import subprocess
import unittest

from jobs import PATIENCE
from pe_jobs import VictimTest, program

SIZE_4 = {
    "Open MPI's mpirun": {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"},
    "Hydra": {"PMI_RANK": "0", "PMI_SIZE": "4", "PMI_FD": "9"},
    "Slurm's srun": {"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "4", "SLURM_JOB_ID": "77"},
    "PMIx": {"PMIX_RANK": "1", "PMIX_NAMESPACE": "prterun-x"},
    "Flux": {"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "4", "PMI_RANK": "1", "PMI_SIZE": "4"},
    "PALS": {"PALS_RANKID": "1", "PALS_NRANKS": "4"},
    "jsrun": {"JSM_NAMESPACE_RANK": "1", "JSM_NAMESPACE_SIZE": "4"},
}
ONE = {
    "Open MPI": {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"},
    "Hydra": {"PMI_RANK": "0", "PMI_SIZE": "1"},
    "Slurm": {"SLURM_PROCID": "0", "SLURM_NTASKS": "1", "SLURM_STEP_NUM_TASKS": "1"},
}


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Launched(VictimTest):
    def alone(self, variables, *command):
        return subprocess.run(command or [program("ring")], capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, env=self.environment | variables)

    def test_bare_program_is_one_pe(self):
        done = self.alone({})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right 1\n", ""), done)

    def test_job_of_one_is_one_pe(self):
        for launcher, variables in ONE.items():
            with self.subTest(launcher):
                done = self.alone(variables)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right 1\n", ""), done)

    def test_job_of_many_is_refused_in_one_line(self):
        for launcher, variables in SIZE_4.items():
            with self.subTest(launcher):
                done = self.alone(variables)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done)
                self.assertRegex(done.stderr, r"^oshen: started by [^\n]*oshrun -n N program[^\n]*\n$")
                self.assertIn(launcher, done.stderr)

    def test_oshrun_inside_another_launcher_works(self):
        for launcher, variables in SIZE_4.items():
            with self.subTest(launcher):
                self.environment |= variables
                ended = self.job(2, "ring", "0.01")
                self.assertEqual((ended.status, ended.out, ended.err), (0, "right 2\n", ""), ended)

    def really(self, mpi, *options):
        mpiexec = f"/usr/bin/mpiexec.{mpi}"
        if not os.path.exists(mpiexec):
            self.skipTest(f"{mpiexec} is not here")
        for n_pes in (2, 3):
            many = self.alone(AS_ROOT, mpiexec, *options, "-n", str(n_pes), program("ring"))
            self.assertEqual((many.returncode, many.stdout), (0, f"right {n_pes}\n"), many)
        one = self.alone(AS_ROOT, mpiexec, *options, "-n", "1", program("ring"))
        self.assertEqual((one.returncode, one.stdout), (0, "right 1\n"), one)

    def deadlock(self, *launcher):
        """Threads by which the PEs talk with the launcher do not count as threads of the program."""
        path = shutil.which(launcher[0])
        if path is None:
            self.skipTest(f"{launcher[0]} is not here")
        for node_pes in ("0", "1"):
            for how, where, waits in (("exit0", "barrier", "shmem_finalize: waiting"),
                                      ("return", "wait", "shmem_long_wait_until: .*")):
                with self.subTest(how=how, where=where, node_pes=node_pes):
                    given = AS_ROOT | {"OSHEN_DEADLOCK": "1", "OSHEN_NODE_PES": node_pes}
                    done = self.alone(given, path, *launcher[1:], "-n", "3", program("leave"), how, where)
                    self.assertNotEqual(done.returncode, 0, done)
                    self.assertRegex(done.stderr, r"oshen: PE 0: deadlock: every PE waits, and nothing has happened for 1 s; ending the job\n")
                    self.assertRegex(done.stderr, f"oshen: PE 0:   PEs? 0.*: {waits}")

    def test_a_deadlock_under_hydra(self):
        self.deadlock("mpiexec.hydra")

    def test_a_deadlock_under_pmix(self):
        self.deadlock("mpirun.openmpi", "--oversubscribe")

    def test_mpich(self):
        self.really("mpich")

    def test_openmpi(self):
        self.really("openmpi", "--oversubscribe")


if __name__ == "__main__":
    unittest.main(verbosity=2)
