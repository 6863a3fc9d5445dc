"""Jobs over newer libraries of networks than Debian's: those of requirements/networks.txt, from PyPI."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = Path(os.environ["VENV_NETWORKS"])
FABRIC = VENV / "lib/libfabric"
PROGRAMS = ["rma_put_nbi_types", "amo_nbi_matrix", "signal_put_types", "order_put_signal", "coll_alltoall",
            "progress_passive_target", "threads_rma_amo"]


def ucx_folder() -> Path:
    return next(VENV.glob("lib/python3*/site-packages/libucx/lib"))


def fabric() -> dict[str, str]:
    return os.environ | {"LD_LIBRARY_PATH": str(FABRIC), "FI_PROVIDER_PATH": str(FABRIC / "prov")}


def ucx() -> dict[str, str]:
    return os.environ | {"LD_LIBRARY_PATH": str(ucx_folder())}


@unittest.skipUnless(VENV.is_dir(), ".venv-networks is not there: scripts/setup.sh networks")
class Libraries(unittest.TestCase):
    def run_command(self, command, environment):
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        return done.stdout + done.stderr

    def check_version(self, environment, transport, version):
        said = self.run_command([os.environ["OSHRUN"], "-n", "2", os.environ["HELLO"]],
                                environment | {"OSHEN_NODE_PES": "1", "OSHEN_TRANSPORT": transport, "SHMEM_DEBUG": "1"})
        self.assertIn(version, said)

    def check_conformance(self, environment, name, options=""):
        said = self.run_command([os.environ["CONFORMANCE"], f"--gtest_filter=*/{name}"],
                                environment | {"CONFORMANCE_OPTIONS": options})
        self.assertRegex(said, r"\[  PASSED  \] [1-9]\d* tests")

    def check_programs(self, environment, transport):
        self.run_command([sys.executable, "-B", HERE.parent / "run.py", HERE / "virtual/run_nodes.py", "--oshrun", os.environ["OSHRUN"],
                          "--programs", os.environ["PROGRAMS"], "--node-pes", "1", "--pes", "3", "--transport",
                          transport, *(HERE / "../../spec").resolve().glob("*.c"), "--only", *PROGRAMS], environment)

    def test_libfabric_tcp(self):
        self.check_version(fabric(), "ofi:tcp", "libfabric 1.21, provider tcp,")
        self.check_conformance(fabric(), "ofi", "tcp")
        self.check_conformance(fabric(), "ofi_separate", "tcp")
        self.check_programs(fabric(), "ofi:tcp")

    # The conformance suite has several PEs in one process, which psm3 cannot connect.
    def test_libfabric_psm3(self):
        self.check_version(fabric(), "ofi:psm3", "libfabric 1.21, provider psm3,")
        self.check_programs(fabric(), "ofi:psm3")

    def test_ucx(self):
        self.check_version(ucx(), "ucx", "UCX 1.22")
        self.check_conformance(ucx(), "ucx")
        self.check_conformance(ucx(), "ucx_separate")
        self.check_programs(ucx(), "ucx")


if __name__ == "__main__":
    unittest.main(verbosity=2)
