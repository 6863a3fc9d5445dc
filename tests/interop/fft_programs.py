#!/usr/bin/env python3
"""Programs that others wrote for FFTW-MPI, unmodified, on Oshen's interface: ninja fft-programs

  fft_programs.py --library liboshen-fftw-mpi-openmpi.so --work FOLDER [NAME ...] -- LAUNCHER [ARGUMENT ...]

  fftw      mpi-bench of FFTW, its test and benchmark: the random problems of its own check.pl, and problems whose plans must be
            those of Oshen. From Debian's source package, which apt-get fetches
  fluidfft  the classes of fluidfft for FFTW-MPI, which fluid dynamics codes use, with their self-test. From PyPI, by pip

Each is compiled with the header of FFTW-MPI and linked to FFTW-MPI, and runs with Oshen's library preloaded.
"""
import argparse
import os
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


class Failure(Exception):
    """A program that could not be built, or that found something wrong."""


def run(words, cwd, env=None, limit=900):
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


def debian_source(package, folder):
    """The folder of a source package of Debian, from the sites of the binary packages, without changes to apt's own files."""
    if not list(folder.glob(f"{package}_*.orig.tar.*")):
        for name in ("lists/partial", "archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        listed = run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)", "Created-By: Packages"], folder)
        sites = [words for words in map(str.split, listed.splitlines()) if words[0].rstrip("/").endswith("/debian") and words[2:] == ["main"]]
        if not sites:
            raise Failure("apt knows no site of Debian")
        signed = f"[signed-by={DEBIAN_KEYS}] " if DEBIAN_KEYS.exists() else ""
        (folder / "sources.list").write_text(f"deb-src {signed}{' '.join(sites[0])}\n")
        options = [f"-oDir::Etc::sourcelist={folder}/sources.list", "-oDir::Etc::sourceparts=-", f"-oDir::State::lists={folder}/lists",
                   f"-oDir::Cache={folder}", "-oAPT::Sandbox::User=root"]
        run(["apt-get", *options, "-q", "update"], folder)
        run(["apt-get", *options, "-q", "--download-only", "source", package], folder)
    archive, = (path for path in folder.glob(f"{package}_*.orig.tar.*") if path.is_file())
    return unpacked(archive, folder)


def pypi_source(package, folder):
    """The folder of a package of PyPI."""
    name = re.sub(r"[-_]+", "[-_]", package)
    if not list(folder.glob(f"{name}-*")):
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package], folder)
    archive, = (path for path in folder.glob(f"{name}-*") if path.is_file())
    return unpacked(archive, folder)


def unpacked(archive, folder):
    """The only folder of an archive, or the folder into which it was unpacked."""
    target = folder / (archive.name + ".d")
    if not target.exists():
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(target)
        else:
            target.mkdir()
            run(["tar", "-xf", archive, "-C", target], folder)
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
    source, build = debian_source("fftw3", folder), folder / "build"
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


PROGRAMS = {"fftw": fftw, "fluidfft": fluidfft}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=lambda text: Path(text).absolute(), required=True)
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
