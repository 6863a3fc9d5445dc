"""Makes the k-th system call of each kind fail, in oshrun and in the PEs, from start to end: a job gives a result or a line.

  injection_test.py [--all] [--role ROLE] [--call NUMBER] [--parallel N]

Without --all it tests a selection: one fault for each call, in the job with the most kinds of calls. The faulty call is the
first, one in the middle, or the last; errors take turns."""

import argparse
import concurrent.futures
import errno
import os
import re
import signal
import subprocess
import sys
import uuid

OSHRUN, PROGRAMS = os.environ["OSHRUN"], os.environ["PROGRAMS"]
INJECT, ERRAND = f"{PROGRAMS}/inject", f"{PROGRAMS}/errand"
N_PES, PATIENCE = 2, 240
ERRORS = [errno.EINTR, errno.EPERM, errno.ENOSYS, errno.ENOMEM, errno.EMFILE]
LEFT_BEHIND, NEVER_CAME, NOT_POSSIBLE = 99, 98, 77
CRASH = re.compile(r"signal (4|5|7|8|11|31) ")
GLIBC = re.compile(r"futex facility returned an unexpected|Fatal glibc error|loading shared libraries|FATAL")
CLOSE = {"x86_64": 3, "aarch64": 57}.get(os.uname().machine)  # Linux closes the file even if it reports an error
WRITE = (1, 20, 64, 66)  # write and writev, of x86-64 and aarch64; if they fail, the line may be missing


# Options and variables that make a job use other system calls.
JOBS = {"labels and socket": (["-l"], {"OSHEN_SEGMENT_HANDOVER": "socket"}), "plain": ([], {})}


def run(job, arguments):
    """(status, or None if the job hung; stdout; stderr). Kills all remaining processes."""
    mark = uuid.uuid4().hex
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OSHEN_", "SHMEM_"))}
    options, variables = JOBS[job]
    environment |= {"OSHEN_TEST_MARK": mark, "SHMEM_SYMMETRIC_SIZE": "1M", **variables}
    process = subprocess.Popen([INJECT, *map(str, arguments), OSHRUN, *options, "-n", str(N_PES), ERRAND], text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, start_new_session=True)
    try:
        out, err = process.communicate(timeout=PATIENCE)
        status = process.returncode
    except subprocess.TimeoutExpired:
        status = None
    if status in (None, LEFT_BEHIND):
        end_marked(mark)
        out, err = process.communicate() if status is None else (out, err)
    return status, out, err


def end_marked(mark):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read():
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def fault_in(role, call, error, status, out, err):
    """The error in the end of a job; None if there is none."""
    if status is None:
        return "it hangs"
    if status == LEFT_BEHIND:
        return "processes are left behind"
    if CRASH.search(err) or status in (128 + 11, 128 + 7, 128 + 4):
        return "it crashes"
    if (status == 134 or "signal 6 " in err) and not GLIBC.search(err):
        return "it aborts"
    if status in (0, NEVER_CAME):
        return None if out.removeprefix("[0] ") == f"right {N_PES}\n" else "success without its result"
    unsaid = call in WRITE and error != errno.EINTR
    return None if err.strip() or unsaid else "failure without a line"


def injections(counts, everything):
    for (role, call), times in sorted(counts.items()):
        if call == CLOSE:
            continue
        chosen = range(1, times + 1) if everything else [(1, (times + 1) // 2, times)[call % 3]]
        for k in chosen:
            for error in ERRORS if everything else [ERRORS[(call + k) % len(ERRORS)]]:
                yield role, call, k, error


def try_job(job, asked):
    """The number of errors; None if the kernel cannot inject faults."""
    status, out, err = run(job, ["count"])
    if status == NOT_POSSIBLE:
        return None
    if status != 0:
        print(f"{job}: fails without any fault: status {status}\n{out}{err}")
        return 1
    counts = {(role, int(call)): int(times) for role, call, times in
              (line.split() for line in out.splitlines() if "right" not in line)}
    chosen = [one for one in injections(counts, asked.all)
              if asked.role in (None, one[0]) and asked.call in (None, one[1])]
    print(f"{job}: {sum(counts.values())} calls of {len(counts)} kinds; {len(chosen)} faults", flush=True)
    bad, seen = 0, dict.fromkeys(("result", "line", "did not come"), 0)
    with concurrent.futures.ThreadPoolExecutor(asked.parallel) as pool:
        for one, (status, out, err) in zip(chosen, pool.map(lambda one: run(job, one), chosen)):
            role, call, k, error = one
            seen["result" if status == 0 else "did not come" if status == NEVER_CAME else "line"] += 1
            if fault := fault_in(role, call, error, status, out, err):
                bad += 1
                print(f"{role}: call {call}, time {k}, {errno.errorcode[error]}: {fault} (status {status})\n"
                      f"  {INJECT} {role} {call} {k} {error} ...\n  {out!r} {err!r}", flush=True)
    print(f"{job}: {seen}, of which {bad} wrong", flush=True)
    return bad


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--all", action="store_true")
    options.add_argument("--role")
    options.add_argument("--call", type=int)
    options.add_argument("--parallel", type=int, default=4)
    asked = options.parse_args()
    wrong = [try_job(job, asked) for job in (JOBS if asked.all else list(JOBS)[:1])]
    if None in wrong:
        print("no seccomp user notification here")
        return 77
    return sum(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
