"""Probes the features of a library. Each feature is a few lines that must compile and link. One run tells the name of
the library and its thread levels."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..common.compiler import cache_of
from ..common.process import run_bounded
from .library import Library

# name, description, version of OpenSHMEM that introduced it, and the lines
SHMEM_FEATURES = (
    ("contexts", "contexts", "1.4", "shmem_ctx_t c; shmem_ctx_create(SHMEM_CTX_PRIVATE, &c); shmem_ctx_quiet(c);"),
    ("threads", "thread levels", "1.4", "int p; shmem_init_thread(SHMEM_THREAD_MULTIPLE, &p);"),
    ("bitwise_atomics", "bitwise atomics", "1.4", "unsigned x = 0; shmem_uint_atomic_fetch_xor(&x, 1u, 0);"),
    ("test", "test", "1.0", "static int x; shmem_int_test(&x, SHMEM_CMP_EQ, 1);"),
    ("active_sets", "active sets", "1.0", "static long s[SHMEM_BARRIER_SYNC_SIZE]; shmem_barrier(0, 0, 1, s);"),
    ("alltoalls", "alltoalls (active sets)", "1.3",
     "static long s[SHMEM_ALLTOALLS_SYNC_SIZE]; static long a, b; shmem_alltoalls64(&a, &b, 1, 1, 1, 0, 0, 1, s);"),
    ("nonblocking", "non-blocking put, get", "1.3", "static long a; long b = 0; shmem_long_put_nbi(&a, &b, 1, 0);"),
    ("teams", "teams", "1.5", "shmem_team_t t; shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &t);"),
    ("team_collectives", "collectives on teams", "1.5",
     "static long a, b; shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &a, &b, 1);"),
    ("put_signal", "put with signal", "1.5",
     "static uint64_t s; static long a; long b = 0; shmem_long_put_signal_nbi(&a, &b, 1, &s, 1, SHMEM_SIGNAL_SET, 0);"),
    ("wait_sets", "waits for any, some, all", "1.5",
     "static long x[2]; int s[2] = {0, 0}; shmem_long_wait_until_any(x, 2, s, SHMEM_CMP_EQ, 1);"),
    ("nbi_atomics", "non-blocking atomics", "1.5",
     "static long a; long b; shmem_long_atomic_fetch_add_nbi(&b, &a, 1, 0);"),
    ("malloc_hints", "allocation with hints", "1.5", "shmem_malloc_with_hints(8, SHMEM_MALLOC_ATOMICS_REMOTE);"),
    ("scans", "scans", "1.6", "static long a, b; shmem_long_sum_inscan(SHMEM_TEAM_WORLD, &a, &b, 1);"),
    ("pe_quiet", "quiet of some PEs", "1.6", "int pe = 0; shmem_pe_quiet(&pe, 1);"),
    ("block_strided", "strided by blocks", "1.6",
     "static long a[4]; long b[4]; shmem_long_ibput(a, b, 1, 1, 1, 1, 0);"),
    ("signal_calls", "signal add, set", "1.6", "static uint64_t s; shmem_signal_add(&s, 1, 0);"),
)
MPI_FEATURES = (
    ("rma", "one-sided, passive target", "MPI 3",
     "MPI_Win w = MPI_WIN_NULL; MPI_Win_flush(0, w); MPI_Win_lock_all(0, w);"),
    ("neighbour", "neighbourhood collectives", "MPI 3",
     "MPI_Neighbor_alltoall(0, 0, MPI_INT, 0, 0, MPI_INT, MPI_COMM_WORLD);"),
    ("partitioned", "partitioned sends", "MPI 4",
     "MPI_Request r; MPI_Psend_init(0, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);"),
    ("sessions", "sessions", "MPI 4", "MPI_Session s; MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);"),
)
FEATURES = {"shmem": SHMEM_FEATURES, "mpi": MPI_FEATURES, "sim": ()}
HEADERS = {"shmem": "#include <shmem.h>\n#include <stdint.h>\n", "mpi": "#include <mpi.h>\n"}

SHMEM_RUN = r"""
#include <shmem.h>
#include <stdio.h>
static long there;
int main(void) {
  int level = -1;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  char name[SHMEM_MAX_NAME_LEN + 1];
  int major = 0, minor = 0;
  shmem_info_get_name(name);
  shmem_info_get_version(&major, &minor);
  void* heap = shmem_malloc(8);
  if (shmem_my_pe() == 0)
    printf("probe|%s|%d.%d|%d|%d|%d|\n", name, major, minor, level == SHMEM_THREAD_MULTIPLE,
           shmem_ptr(heap, 1) != NULL, shmem_ptr(&there, 1) != NULL);
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
"""
MPI_RUN = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  int level, me, length, major, minor;
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Get_version(&major, &minor);
  MPI_Get_library_version(name, &length);
  for (char* c = name; *c; ++c)
    if (*c == '\t') *c = ' ';
  name[strcspn(name, ",\n|\"")] = '\0';
  if (me == 0) printf("probe|%s|%d.%d|%d|0|0|\n", name, major, minor, level == MPI_THREAD_MULTIPLE);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
"""
SECONDS = 60


def probe(library: Library, work: Path) -> dict:
    """{"version", "spec", "features": {name: bool}, "ending"}; cached until the compiler changes, if the library
    works."""
    if library.kind == "sim":
        return {"version": "simulated", "spec": "", "features": {}, "ending": "ok"}
    memory = cache_of(work) / f"probe-{library.name}-{_key(library)}.json"
    if memory.exists():
        return json.loads(memory.read_text())
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="oshbench-probe-", dir=work) as folder:  # a folder that other hosts share
        answers = _ask(library, Path(folder))
    if answers["features"]:  # a failure is not cached
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.with_suffix(f".{os.getpid()}").write_text(json.dumps(answers))
        os.replace(memory.with_suffix(f".{os.getpid()}"), memory)  # another run may read it
    return answers


def defines(library: Library, notes: dict) -> tuple[str, ...]:
    """Macros for the sources, such as BENCH_HAS_TEAMS=1."""
    if library.kind != "shmem":
        return ()
    return tuple(f"-DBENCH_HAS_{name.upper()}={int(notes['features'].get(name, False))}" for name, *_ in SHMEM_FEATURES)


def _ask(library: Library, folder: Path) -> dict:
    run = folder / "run"
    problem = _compile(library, SHMEM_RUN if library.kind == "shmem" else MPI_RUN, run)
    if problem:
        return {"version": "", "spec": "", "features": {}, "ending": f"does not compile: {problem}"}
    ending, said = run_bounded(library.command(2, run, []), library.env, SECONDS)
    fields = next((line.split("|") for line in said.splitlines() if line.startswith("probe|")), None)
    if fields is None:
        return {"version": "", "spec": "", "features": {}, "ending": f"{ending}: {said.strip()[-200:]}"}
    programs = {folder / name: _program(library, lines) for name, _, _, lines in FEATURES[library.kind]}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = pool.map(lambda output: _compile(library, programs[output], output), programs)
        features = {output.name: not error for output, error in zip(programs, errors)}
    features["thread_multiple"] = fields[3] == "1"
    if library.kind == "shmem":
        features["ptr_heap"], features["ptr_static"] = fields[4] == "1", fields[5] == "1"
    return {"version": _version(library, fields[1]), "spec": fields[2], "features": features, "ending": ending}


def _program(library: Library, lines: str) -> str:
    return f"{HEADERS[library.kind]}int main(void) {{ {lines} return 0; }}\n"


def _compile(library: Library, text: str, output: Path) -> str:
    """The first error; empty if it compiles."""
    source = output.with_suffix(".c")
    source.write_text(text)
    command = [*shlex.split(library.compiler), "-w", "-Werror=implicit-function-declaration", "-O0", str(source), "-o",
               str(output)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = done.stderr.splitlines() or ["no message"]
    return "" if done.returncode == 0 else next((line for line in lines if "error" in line), lines[-1])


def _version(library: Library, told: str) -> str:
    """The name of Open MPI's OpenSHMEM is a web address; its wrapper has the version."""
    if not told.startswith("http"):
        return " ".join(told.replace("Version: ", "").split())
    shown = subprocess.run([*shlex.split(library.compiler), "--showme:version"], capture_output=True, text=True,
                           check=False)
    return (shown.stdout + shown.stderr).strip().split("(")[0].split(": ")[-1].strip() or told


def _key(library: Library) -> str:
    text = json.dumps([library.compiler, list(library.run), library.env, SHMEM_FEATURES, MPI_FEATURES])
    path = Path(shlex.split(library.compiler)[0])
    stamp = str(path.stat().st_mtime_ns) if path.exists() else ""
    return hashlib.sha256((text + stamp).encode()).hexdigest()[:12]
