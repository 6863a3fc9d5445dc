"""Jobs without a launcher: PEs that find each other by environment variables."""

import os
import re
import resource
import socket
import subprocess
import time

CLEAN = {key: value for key, value in os.environ.items()
         if not re.match(r"(PMI|PMIX|OMPI|SLURM|OSHEN|SHMEM|MPI|RANK$|WORLD_SIZE$|MASTER_)", key)}
PATIENCE = 300


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Job:
    """PEs that find each other by variables."""

    def __init__(self, n, command, absent=(), descriptors=None, port=None, **env):
        variables = {**CLEAN, "WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "OSHEN_JOB_SECRET": os.urandom(12).hex(),
                     "MASTER_PORT": str(port or free_port()), "SHMEM_SYMMETRIC_SIZE": "1M", **env}
        limit = descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors))
        self.began = time.monotonic()
        self.pes = {pe: subprocess.Popen(command, env={**variables, "RANK": str(pe), "LOCAL_RANK": str(pe)}, text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         preexec_fn=limit)
                    for pe in range(n) if pe not in absent}

    def kill(self):
        for pe in self.pes.values():
            pe.kill()

    def end(self):
        """Statuses, what was printed, and the lines of errors of all PEs."""
        try:
            texts = [pe.communicate(timeout=PATIENCE) for pe in self.pes.values()]
        finally:
            self.kill()
        self.seconds = time.monotonic() - self.began
        return {pe.returncode for pe in self.pes.values()}, "".join(out for out, _ in texts), "".join(err for _, err in texts)


def greetings(n):
    return sorted(f"hello from PE {pe} of {n}: PE {(pe + n - 1) % n} wrote to me" for pe in range(n))
