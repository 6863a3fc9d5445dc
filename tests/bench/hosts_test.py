#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks of processes that share no memory: the page through sockets, on this machine and over hosts of
namespaces."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lab

BIN = Path(os.environ["BIN"])

WATCHDOG = 120
# A library whose barriers wait while processes find each other, and never after that.
NO_BARRIER = """
#include <pshmem.h>
void shmem_barrier_all(void) {
  static int calls;
  if (calls < 8) pshmem_barrier_all();
  calls += calls < 8;
}
"""
CASES = "put_quiet,barrier_all,sum,lock.race,amo.add.64.incast,sum.halves"


class Page(unittest.TestCase):
    """The library shares memory, the harness does not."""

    def records(self, pes: int, cases: str, batch_us: int = 50, **env: str) -> list[dict]:
        with tempfile.TemporaryDirectory(prefix="oshbench-hosts-") as folder:
            out = Path(folder) / "records"
            words = ["--page", "hosts", "--out", out, "--cpus", "0,1", "--cases", cases, "--batches", 3, "--batch-us",
                     batch_us, "--quick"]
            preload = [f"{name}={value}" for name, value in env.items()]
            done = subprocess.run([BIN / "oshrun", "-n", str(pes), "--timeout", "90", "env", *preload,
                                   BIN / "bench-cases", *map(str, words)], capture_output=True, text=True,
                                  timeout=WATCHDOG, check=False)
            lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
        self.assertTrue(lines and lines[-1].get("end"), done.stdout + done.stderr)
        return [line for line in lines if "case" in line]

    def test_every_process_counts_in_all_that_the_page_holds(self) -> None:
        for pes, cases, wanted in ((2, CASES, {"put_quiet", "barrier_all", "lock.race_evenness", "amo.add.64.incast",
                                               "sum.halves"}),
                                   (3, "barrier_all,sum", {"barrier_all", "sum", "sum_local", "sum_span"})):
            found = self.records(pes, cases)
            self.assertLessEqual(wanted, {line["case"] for line in found})
            self.assertEqual([line for line in found if not line["ok"]], [])
            for line in found:
                self.assertNotIn("reference_ns", line)
                if line["case"].endswith("_span"):  # on one clock, the last exit is later than the first entry
                    self.assertTrue(0 < line["ns"] < 1e9, line)

    def test_one_process_needs_no_other(self) -> None:
        self.assertTrue(all(line["ok"] for line in self.records(1, "barrier_all,heap.*")))

    def test_a_barrier_that_does_not_wait_is_noticed_from_afar(self) -> None:
        with tempfile.TemporaryDirectory(prefix="oshbench-hosts-") as folder:
            shim = Path(folder) / "shim.so"
            subprocess.run([BIN / "oshcc", "-shared", "-fPIC", "-x", "c", "-", "-o", shim], input=NO_BARRIER, text=True,
                           check=True)
            found = self.records(2, "barrier_all", 500, LD_PRELOAD=str(shim))
        self.assertTrue(any(not line["ok"] for line in found if line["case"].startswith("barrier_all")))


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Hosts(unittest.TestCase):
    # UCX takes hosts of one kernel for one machine, and no name server knows their names.
    ENVIRONMENT = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0", "OMPI_MCA_opal_common_ucx_tls": "any",
                   "OMPI_MCA_opal_common_ucx_devices": "any", "HYDRA_IFACE": "eth0", "OSHBENCH_HANG": "20"}
    ADDRESSES = ",".join(lab.address(host) for host in ("h1", "h2"))

    def run_over(self, library: str, places: str, cases: str = "put_quiet,barrier_all", pes: str = "2,4",
                 hosts: int = 2) -> dict:
        with tempfile.TemporaryDirectory(prefix="oshbench-", dir=BIN.parent) as folder, lab.Lab(hosts) as laboratory:
            words = ["run", cases, "--hosts", places, "--ssh", str(lab.AGENT), "-L", library, "-r", "1", "-n", pes,
                     "--no-doctor", "--work", folder, "-o", f"{folder}/run.json"]
            job = laboratory.start("h1", [sys.executable, "-B", str(BIN / "oshbench"), *words],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, env=self.ENVIRONMENT)
            said, _ = job.communicate(timeout=WATCHDOG)
            self.assertEqual(job.returncode, 0, said)
            return json.loads((Path(folder) / "run.json").read_text())

    def check(self, saved: dict, endings: tuple[str, ...] = ("ok",)) -> None:
        for launch in saved["launches"]:
            self.assertLessEqual({"put_quiet", "barrier_all"}, {record["case"] for record in launch["records"]}, launch)
            self.assertTrue(all(record["ok"] for record in launch["records"]), launch)
            self.assertTrue(launch["ending"].startswith(endings), launch)
        self.assertEqual([launch["pes"] for launch in saved["launches"]], [2, 4])

    def test_a_run_over_two_hosts(self) -> None:
        saved = self.run_over("oshen", "h1,h2")
        self.assertEqual(saved["hosts"], ["h1", "h2"])
        self.check(saved)

    def test_messages_between_pairs_of_four_hosts(self) -> None:
        saved = self.run_over("oshen", "h1,h2,h3,h4", "pp_flag,pp_signal", "4", 4)
        (launch,) = saved["launches"]
        self.assertEqual((launch["ending"], {record["case"] for record in launch["records"] if record["ok"]}),
                         ("ok", {"pp_flag", "pp_signal"}))

    @unittest.skipUnless(shutil.which("mpiexec.openmpi"), "no Open MPI")
    def test_open_mpi_over_two_hosts(self) -> None:
        self.check(self.run_over("ompi", self.ADDRESSES))

    @unittest.skipUnless(shutil.which("mpiexec.openmpi") and shutil.which("oshcc"), "no OpenSHMEM of Open MPI")
    def test_the_shmem_of_open_mpi_over_two_hosts(self) -> None:
        # No cases between two PEs: over TCP a put waits until its target calls the library, which targets of cases do
        # not.
        saved = self.run_over("ompi-shmem", self.ADDRESSES, "barrier_all", "2")
        self.assertEqual(saved["libraries"]["ompi-shmem"]["env"]["OMPI_MCA_sshmem"], "mmap")
        (launch,) = saved["launches"]
        self.assertEqual((launch["ending"], {record["case"] for record in launch["records"] if record["ok"]}),
                         ("ok", {"barrier_all"}))

    @unittest.skipUnless(shutil.which("mpiexec.mpich"), "no MPICH")
    def test_mpich_over_two_hosts(self) -> None:
        # Over UCX's TCP, MPICH 4.0.2 sometimes hangs in MPI_Finalize, after all results are written.
        self.check(self.run_over("mpich", self.ADDRESSES), ("ok", "hang"))


if __name__ == "__main__":
    unittest.main()
