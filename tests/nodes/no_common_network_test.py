"""A job whose hosts have no network in common ends with one line, which names PE, host, reason and what to set."""

import os
import re
import subprocess
import unittest
from pathlib import Path

import lab
from hub_jobs import Job

OSHRUN, OSHINFO, HELLO, DOUBLE = (os.environ[name] for name in ("OSHRUN", "OSHINFO", "HELLO", "DOUBLE"))
WATCHDOG = 120
# PEs 0 and 1 are on host-0, the others on host-1, which are names only.
TWO_HOSTS = 'hostname host-$((RANK / 2)); test $RANK -lt 2 || export $OTHER_HOST; exec "$0"'
NO_PROVIDER = "FI_PROVIDER=verbs UCX_TLS=rc"
NO_PORT = "OSHEN_TCP_PORTS=none"
# In each host a network that leads nowhere: the other end of the cable is loose, and there is no route to other hosts.
LOOSE_CABLE = "ip link add eth1 type veth peer name loose; ip link set eth1 up; ip link set loose up; ip addr add 10.79.{}.1/24 dev eth1"


@unittest.skipIf(os.geteuid() != 0, "only root may name hosts")
class Providers(unittest.TestCase):
    def line(self, other_host, **env):
        job = Job(4, ["unshare", "--uts", "sh", "-c", TWO_HOSTS, HELLO], OTHER_HOST=other_host, **env)
        status, out, err = job.end()
        self.assertEqual((status, out, err.count("\n")), ({1}, "", 1), err)
        return err

    def test_hosts_without_a_library_use_the_sockets_of_the_kernel(self):
        job = Job(4, ["unshare", "--uts", "sh", "-c", TWO_HOSTS, HELLO], OTHER_HOST="X=1", FI_PROVIDER="verbs", UCX_TLS="rc")
        status, out, err = job.end()
        self.assertEqual((status, out.count("hello from PE"), err), ({0}, 4, ""))

    def test_a_host_without_a_provider_is_named(self):
        self.assertRegex(self.line(f"{NO_PROVIDER} {NO_PORT}"),
                         r"^oshen: PE 2: the PEs are on several nodes, and no transport reaches all of them from host-1; "
                         r"tcp: OSHEN_TCP_PORTS = none: expected .*; ofi: libfabric has no provider .*; ucx: .*; remove the reason of tcp, which needs no library, or set "
                         r"OSHEN_TRANSPORT; oshinfo --transport shows what each host has\n$")

    def test_no_host_has_a_provider(self):
        self.assertRegex(self.line("X=1", FI_PROVIDER="verbs", UCX_TLS="rc", OSHEN_TCP_PORTS="none"),
                         r"^oshen: PE 0: .* from host-0; tcp: .*; ofi: libfabric ")

    def test_a_transport_that_is_requested(self):
        self.assertRegex(self.line(NO_PROVIDER, OSHEN_TRANSPORT="ofi"),
                         r"^oshen: PE 2: OSHEN_TRANSPORT = ofi: libfabric has no provider .* \(on host-1\)\n$")
        self.assertRegex(self.line("X=1", OSHEN_TRANSPORT="none"), "^oshen: PE 0: OSHEN_TRANSPORT = none: expected auto or one of: ")

    @unittest.skipUnless(Path(DOUBLE).exists(), "libfabric is not installed")
    def test_hosts_with_other_providers(self):
        self.assertRegex(self.line("FABRIC_ROW=cxi", FABRIC_ROW="tcp", LD_LIBRARY_PATH=DOUBLE, OSHEN_TRANSPORT="ofi"),
                         r"^oshen: PE 0: PE 2 on host-1 cannot be reached from host-0 by transport ofi: libfabric chose "
                         r"\S+ here, and another provider or kind of address there; set OSHEN_INTERFACE .*\n$")

    def test_a_host_without_a_route_to_pe_0(self):
        job = Job(2, ["unshare", "--net", "--uts", "sh", "-c", 'hostname host-1; exec "$0"', HELLO], absent=(0,),
                  MASTER_ADDR="10.79.1.1")
        status, out, err = job.end()
        self.assertEqual((status, out), ({1}, ""), err)
        self.assertRegex(err, r"^oshen: PE 1: shmem_init: host-1 has no route to PE 0 on 10\.79\.1\.1 at 10\.79\.1\.1; set "
                              r"OSHEN_INTERFACE on PE 0 .*; ending this PE\n$")


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Routes(unittest.TestCase):
    def test_hosts_without_a_route(self):
        with lab.Lab(2) as laboratory:
            for i in (1, 2):
                self.assertEqual(laboratory.start(f"h{i}", ["sh", "-ec", LOOSE_CABLE.format(i)]).wait(WATCHDOG), 0)
            for transport in ("tcp", "ofi", "ucx"):
                if self.is_there(transport):
                    with self.subTest(transport):
                        self.job_without_a_route(laboratory, transport)

    @staticmethod
    def is_there(transport):
        told = subprocess.run([OSHINFO, "--transport"], capture_output=True, text=True, check=True).stdout
        return re.search(rf"  {transport} .*: (taken|could)", told) is not None

    def job_without_a_route(self, laboratory, transport):
        job = laboratory.start("h1", [OSHRUN, "--launcher", "ssh", "--ssh", str(lab.AGENT), "--hosts", "h1:2,h2:2", HELLO],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={"OSHEN_TRANSPORT": transport, "OSHEN_INTERFACE": "eth1"})
        out, err = job.communicate(timeout=WATCHDOG)
        lines = [line for line in err.splitlines() if line.startswith("oshen:")]
        self.assertEqual((job.returncode != 0, out, len(lines)), (True, "", 1), err)
        self.assertRegex(lines[0], rf"^oshen: PE 0: PE 2 on h2 cannot be reached from h1 by transport {transport}: .*"
                                   r"no route to 10\.79\.2\.1; set OSHEN_INTERFACE to an interface on a network of all hosts")


if __name__ == "__main__":
    unittest.main(verbosity=2)
