"""Installs, moves the installation, and builds and runs programs with all its parts."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_docs

sys.dont_write_bytecode = True

CMAKE, BUILD = os.environ["CMAKE"], os.environ["BUILD"]
CC, CXX = os.environ["CC"], os.environ["CXX"]
PYTHON = os.environ.get("PYTHON")  # a Python with NumPy
HERE = Path(__file__).resolve().parent
CONSUMER = HERE / "consumer"
INSTALL_PAGE = HERE.parents[1] / "docs/user/install.md"


def run(*command, **how):
    """stdout of a command that must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, **how)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(words)}\nstatus {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="oshen-install-")
        cls.addClassCleanup(cls.folder.cleanup)
        first = Path(cls.folder.name) / "first"
        run(CMAKE, "--install", BUILD, "--prefix", first)
        cls.prefix = first.rename(Path(cls.folder.name) / "moved here")
        cls.bin = cls.prefix / "bin"
        cls.lib = next(path.parent for path in cls.prefix.rglob("liboshen.so"))
        cls.work = Path(cls.folder.name) / "work"
        cls.work.mkdir()

    def runs(self, program, n_pes=3):
        self.assertEqual(run(self.bin / "oshrun", "-n", n_pes, program), f"{n_pes} of {n_pes}\n")

    def uses_the_moved_library(self, program):
        found = [line for line in run("ldd", program).splitlines() if "liboshen" in line]
        self.assertEqual(len(found), 1)
        self.assertIn(str(self.lib), found[0])

    def test_oshprof_in_a_folder_that_cannot_be_preloaded_by_its_name(self):
        run(self.bin / "oshcc", CONSUMER / "hello.c", "-o", self.work / "profiled")
        for name in ("moved here", "a:b"):
            prefix = Path(self.folder.name) / name
            if prefix != self.prefix:
                shutil.copytree(self.prefix, prefix, symlinks=True)
            told = run(prefix / "bin/oshprof", "--timeline", self.work / "told.json", prefix / "bin/oshrun", "-n", 2, self.work / "profiled")
            self.assertIn("oshprof: 2 processes", told)
            self.assertIn('"name": "process 1 on', (self.work / "told.json").read_text())
        shutil.rmtree(prefix)

    @unittest.skipUnless((Path(BUILD) / "bin/oshbench").exists(), "oshbench is not built")
    def test_oshbench_proves_that_an_app_checks_its_results(self):
        told = run(self.bin / "oshbench", "verify", "-L", "oshen", "--work", self.work / "faults", "--apps", "daxpy",
                   "--sync", "signal,coll", "--faults", "drop_put,shift_alltoall", "--places", 1)
        self.assertEqual(re.findall(r"^daxpy +(\S+) +(\w+) +\d+ of \d+ +(\w+)", told, re.M),
                         [("signal", "drop_put", "noticed"), ("coll", "shift_alltoall", "noticed")])

    def test_components(self):
        def installed(component):
            place = Path(self.folder.name) / component
            run(CMAKE, "--install", BUILD, "--prefix", place, "--component", component)
            return {str(p.relative_to(place)) for p in place.rglob("*") if not p.is_dir()}
        everything = {str(p.relative_to(self.prefix)) for p in self.prefix.rglob("*") if not p.is_dir()}
        parts = {c: installed(c) for c in ("runtime", "development", "exchange", "fft", "lammps", "doc")}
        self.assertEqual(sorted(f for part in parts.values() for f in part), sorted(everything))
        lib = self.lib.relative_to(self.prefix)
        for component, file in (("runtime", "bin/oshrun"), ("runtime", f"{lib}/liboshen.so.0"), ("development", "bin/oshcc"),
                                ("development", f"{lib}/liboshen.so"), ("exchange", "include/oshen/exchange.h"),
                                ("exchange", f"{lib}/pkgconfig/oshen-exchange.pc"), ("lammps", "bin/oshen-lammps"),
                                ("doc", "share/man/man1/oshrun.1")):
            if component != "lammps" or self.has_component("fft"):
                self.assertIn(file, parts[component])
        headers = {f for f in parts["runtime"] | parts["lammps"] if f.endswith((".h", ".a", ".pc", ".cmake"))}
        self.assertEqual(headers, set())

    def test_every_command_explains_itself(self):
        share = self.prefix / "share"
        zsh = " ".join(path.read_text().splitlines()[0] for path in (share / "zsh/site-functions").iterdir()).split()
        commands = sorted(path.name for path in self.bin.iterdir() if not path.is_symlink())
        self.assertGreater(len(commands), 7)
        for name in commands:
            with self.subTest(name):
                self.assertRegex(run(self.bin / name, "--version"), r"\d+\.\d+")
                compiler = name in ("oshcc", "oshc++", "oshcxx", "oshfort")
                help_text = run(self.bin / name, "--showme:help" if compiler else "--help")
                self.assertIn("usage: " + name, help_text.lower())
                self.assertIn("--help", run(self.bin / name, "--help"))
                page = (share / f"man/man1/{name}.1").read_text()
                self.assertRegex(page, r"\.SH NAME\n\S+ \\- \w")
                self.assertEqual(zsh.count(name), 1)
                self.assertIn("--showme:link" if compiler else "--help", self.offered(name, "--"))

    def offered(self, name, *words):
        """Returns what bash offers in the place of the last word."""
        script = ('source "$0"; name=$1; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); set -- $(complete -p "$name"); '
                  'while [ "$1" != -F ]; do shift; done; "$2" "$OF" "${COMP_WORDS[-1]}"; printf "%s\\n" "${COMPREPLY[@]}"')
        return run("bash", "-c", script, self.prefix / "share/bash-completion/completions" / name, name, *words,
                   env={**os.environ, "OF": str(self.bin / name)}).split()

    def test_values_are_completed(self):
        self.assertEqual(self.offered("oshrun", "--map-by", ""), ["core", "socket", "numa", "l3"])

    def test_argparse_tools_are_completed_by_shtab(self):
        if subprocess.run([PYTHON or "python3", "-c", "import shtab"], capture_output=True).returncode != 0:
            self.skipTest("no shtab of PyPI (scripts/setup.sh test)")
        commands = [[name] for name in ("oshbench", "oshprof", "oshtune", "oshen-lammps-study") if (self.bin / name).exists()]
        commands += [["oshbench", command] for command in self.offered("oshbench", "")]
        self.assertGreater(len(commands), 10)
        for command in commands:
            told = run(self.bin / command[0], *command[1:], "--help")
            options = set(re.findall(r"(?:^  |, )(-{1,2}\w[\w-]*)", told, re.M))
            self.assertEqual(set(self.offered(*command, "-")), options, command)
        self.assertEqual(self.offered("oshbench", "libs", "--kind", ""), ["shmem", "mpi"])
        self.assertIn("quick", self.offered("oshbench", "run", ""))
        self.assertEqual(self.offered("oshprof", "--mpi", ""), ["openmpi", "mpich", "abi", "none"])
        self.assertIn("bash", self.offered("oshprof", "--top", "5", "bas"))
        if shutil.which("zsh"):
            for path in (self.prefix / "share/zsh/site-functions").iterdir():
                run("zsh", "-n", path)

    def test_plug_ins_are_in_a_folder_of_this_version(self):
        version = run(self.bin / "oshrun", "--version").split()[-1]
        plugins = {p.name for p in self.lib.rglob("*.so") if p.parent != self.lib}
        self.assertIn("liboshprof.so", plugins)
        self.assertEqual(plugins, {p.name for p in (self.lib / f"oshen-{version}").iterdir()})

    def test_files(self):
        for name in ("liboshen.so.0", "liboshen.so", "liboshen.a"):
            self.assertTrue((self.lib / name).exists(), name)
        self.assertTrue((self.lib / "liboshen.so.0").is_symlink())
        for header in ("shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "oshen/mpi.h",
                       "oshen/exchange.h", "oshen/exchange_mpi.h", "oshen/mpi_plans.h", "oshen/mpi_fft.h",
                       "oshen/heffte.hpp", "oshen/fftmpi.h", "oshen/drop_in/heffte.h", "oshen/drop_in/fft3d_wrap.h"):
            self.assertTrue((self.prefix / "include" / header).is_file(), header)
        for program in ("oshrun", "oshinfo", "oshtune", "oshcc", "oshc++", "oshcxx", "oshfort"):
            self.assertTrue(os.access(self.bin / program, os.X_OK), program)

    def test_nothing_knows_where_it_was_built_or_first_put(self):
        source = str(HERE.parent.parent)
        for path in self.prefix.rglob("*"):
            text = path.read_bytes() if path.is_file() else b""
            if text.startswith((b"\x7fELF", b"!<arch>")):
                continue  # its debugging information names the sources
            for place in (source, BUILD, str(self.prefix), str(self.prefix.parent / "first")):
                self.assertNotIn(place.encode(), text, path)

    def test_oshcc(self):
        run(self.bin / "oshcc", CONSUMER / "hello.c", "-o", self.work / "by oshcc")
        self.uses_the_moved_library(self.work / "by oshcc")
        self.runs(self.work / "by oshcc")

    def test_oshcc_in_two_steps(self):
        run(self.bin / "oshcc", "-c", CONSUMER / "hello.c", "-o", self.work / "hello.o")
        run(self.bin / "oshcc", self.work / "hello.o", "-o", self.work / "two_steps")
        self.runs(self.work / "two_steps")

    def test_names_of_other_libraries(self):
        program = self.work / "named"
        for wrapper in ("shmemcc", "shmemc++", "shmemcxx", "shmemCC", "oshCC"):
            with self.subTest(wrapper):
                run(self.bin / wrapper, CONSUMER / "hello.c", "-o", program, "-lsma", "-loshmem")
                self.assertIn("of 2", run(self.bin / "shmemrun", "-n", 2, program))
        self.assertEqual(run(self.bin / "shmemfort", "--showme:libs").split(), ["oshen", "pthread"])

    def test_oshcxx(self):
        for wrapper in ("oshc++", "oshcxx"):
            run(self.bin / wrapper, CONSUMER / "hello.cpp", "-o", self.work / wrapper)
            self.runs(self.work / wrapper)

    def test_oshcc_from_path_and_by_symbolic_link(self):
        link = self.work / "my-oshcc"
        link.symlink_to(self.bin / "oshcc")
        environment = {**os.environ, "PATH": f"{self.work}:{os.environ['PATH']}"}
        run("my-oshcc", CONSUMER / "hello.c", "-o", self.work / "by_link", env=environment)
        self.runs(self.work / "by_link")

    def test_static_by_oshcc(self):
        run(self.bin / "oshcc", "-static", CONSUMER / "hello.c", "-o", self.work / "all_static")
        self.assertNotIn("NEEDED", run("readelf", "-d", self.work / "all_static"))
        self.runs(self.work / "all_static")

    def test_prefixes_with_commas_and_colons(self):
        for name in ("a,b", "a:b"):
            prefix = Path(self.folder.name) / name
            shutil.copytree(self.prefix, prefix, symlinks=True)
            run(prefix / "bin/oshcc", CONSUMER / "hello.c", "-o", self.work / "odd")
            self.assertEqual(run(prefix / "bin/oshrun", "-n", 2, self.work / "odd"), "2 of 2\n")
            flags = shlex.split(run(prefix / "bin/oshcc", "--showme:link"))
            run(CC, f"-I{prefix}/include", CONSUMER / "hello.c", *flags, "-o", self.work / "odd")
            self.runs(self.work / "odd")
            shutil.rmtree(prefix)

    def test_static_library_alone(self):
        run(CC, f"-I{self.prefix}/include", CONSUMER / "hello.c", self.lib / "liboshen.a",
            "-pthread", "-o", self.work / "library_static")
        self.assertNotIn("liboshen", run("ldd", self.work / "library_static"))
        self.runs(self.work / "library_static")

    def test_arguments_keep_their_order_and_quotes(self):
        given = ["-DTEXT=\"a b\"", "x.c", "-lfirst", "-Wl,-z,now", "", "it's", "-lsecond"]
        words = shlex.split(run(self.bin / "oshcc", "-show", *given))
        self.assertEqual(words[1], f"-I{self.prefix}/include")
        self.assertEqual(words[2:-7], given)
        self.assertEqual(words[-7:], [f"-L{self.lib}", "-Xlinker", "-rpath", "-Xlinker", str(self.lib), "-loshen",
                                      "-pthread"])
        self.assertEqual(shlex.split(run(self.bin / "oshcc", "--showme", "x.c"))[2], "x.c")

    def test_no_link_flags_when_nothing_is_linked(self):
        for flag in ("-c", "-E", "-S"):
            self.assertNotIn("-loshen", run(self.bin / "oshcc", "-show", flag, "x.c"))

    def test_showme(self):
        def showme(what, wrapper="oshcc"):
            return run(self.bin / wrapper, f"--showme:{what}").strip()
        run(CC, *shlex.split(showme("compile")), CONSUMER / "hello.c", *shlex.split(showme("link")),
            "-o", self.work / "by_showme")
        self.runs(self.work / "by_showme")
        self.assertEqual((showme("command"), showme("command", "oshc++")), ("cc", "c++"))
        self.assertRegex(showme("version"), r"^oshcc: Oshen \d+\.\d+\.\d+, OpenSHMEM 1\.6$")
        wrong = subprocess.run([self.bin / "oshcc", "--showme:nonsense"], capture_output=True,
                               text=True)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))

    def test_compiler_can_be_chosen(self):
        for variable, wrapper in (("OSHEN_CC", "oshcc"), ("OSHEN_CXX", "oshc++")):
            environment = {**os.environ, variable: "ccache my-compiler"}
            words = shlex.split(run(self.bin / wrapper, "-show", "x.c", env=environment))
            self.assertEqual(words[:3], ["ccache", "my-compiler", f"-I{self.prefix}/include"])

    @unittest.skipUnless(shutil.which("gfortran"), "no gfortran here")
    def test_oshfort(self):
        environment = {**os.environ, "OSHEN_FORTRAN_CACHE": str(self.work / "modules of fortran")}
        for source in ("hello.f90", "hello_old.f"):
            program = self.work / f"{source} program"
            run(self.bin / "oshfort", CONSUMER / source, "-o", program, env=environment)
            self.uses_the_moved_library(program)
            self.runs(program)

    def test_compiler_alone(self):
        self.assertEqual(run(self.bin / "oshcc", "--version"), run("cc", "--version"))

    def test_errors_of_the_compiler_pass(self):
        wrong = subprocess.run([self.bin / "oshcc", "-c", "no-such-file.c"], capture_output=True,
                               cwd=self.work)
        self.assertNotEqual(wrong.returncode, 0)

    def by_pkg_config(self, package, source):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", package, env=environment))
        run(CC, source, *flags, "-o", self.work / package)
        self.uses_the_moved_library(self.work / package)
        self.runs(self.work / package)

    def test_pkg_config(self):
        for name in ("oshen", "openshmem"):
            self.by_pkg_config(name, CONSUMER / "hello.c")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        run("pkg-config", "--atleast-version=1.6", "openshmem", env=environment)

    def built_by_cmake(self, consumer):
        build = self.work / consumer.name
        run(CMAKE, "-S", consumer, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}", "--no-warn-unused-cli")
        run(CMAKE, "--build", build)
        return build

    def test_find_package(self):
        build = self.built_by_cmake(CONSUMER)
        for program in ("hello_c", "hello_cpp", "hello_static"):
            self.runs(build / program)
        self.uses_the_moved_library(build / "hello_c")
        self.assertNotIn("liboshen", run("ldd", build / "hello_static"))

    def found_by(self, modules, prefix, library):
        """Builds and runs a program that finds this library below the prefix by FindSHMEM.cmake of a folder."""
        with tempfile.TemporaryDirectory(dir=self.work) as build:
            run(CMAKE, "-S", HERE / "finder", "-B", build, f"-DMODULES={modules}", f"-DSHMEM_ROOT={prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")
            self.assertIn(f"SHMEM_LIBRARY:FILEPATH={prefix}/lib/{library}\n", Path(build, "CMakeCache.txt").read_text())
            run(CMAKE, "--build", build)
            self.runs(Path(build, "hello"))

    def test_find_module_of_the_page(self):
        (self.work / "FindSHMEM.cmake").write_text(dict(check_docs.blocks(INSTALL_PAGE.read_text()))["cmake"])
        self.found_by(self.work, self.prefix, "liboshen.so")

    def test_names_of_other_libraries(self):
        prefix = Path(self.folder.name) / "names"
        for component in ("runtime", "development", "names"):
            run(CMAKE, "--install", BUILD, "--prefix", prefix, "--component", component)
        self.found_by(HERE / "finder/kokkos", prefix, "liboshmem.so")
        run(CC, f"-I{prefix}/include", CONSUMER / "hello.c", f"-L{prefix}/lib", "-lsma", "-lpmi_simple",  # as openshmem-sys does
            f"-Wl,-rpath,{prefix}/lib", "-o", self.work / "by_sandias_names")
        self.runs(self.work / "by_sandias_names")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
        for package in ("oshmem", "sandia-openshmem"):
            self.assertIn("-loshen", run("pkg-config", "--libs", package, env=environment))

    @unittest.skipUnless(PYTHON, "no NumPy of PyPI")
    def test_python(self):
        words = "import sys; from oshen import shmem; sys.stdout.write(f'{shmem.n_pes()}\\n')"
        environment = {**os.environ, "PYTHONPATH": str(self.prefix / "share/oshen/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.assertEqual(run(self.bin / "oshrun", "-n", 2, PYTHON, "-c", words, env=environment), "2\n2\n")

    def has_component(self, name):
        return (self.lib / f"cmake/Oshen/Oshen-{name}.cmake").exists()

    def test_exchange_by_find_package_and_pkg_config(self):
        self.runs(self.built_by_cmake(HERE / "exchange") / "everybody")
        self.by_pkg_config("oshen-exchange", HERE / "exchange/everybody.c")

    def test_fft_by_find_package_and_pkg_config(self):
        if not self.has_component("fft"):
            self.skipTest("built without FFTW")
        self.runs(self.built_by_cmake(HERE / "fft") / "constant")
        self.by_pkg_config("oshen-fft", HERE / "fft/constant.c")

    @unittest.skipUnless(shutil.which("mpicc.mpich") and shutil.which("mpiexec.mpich"), "no MPICH here")
    def test_fft_from_a_communicator(self):
        if not self.has_component("fft"):
            self.skipTest("built without FFTW")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "oshen-fft", env=environment))
        program = self.work / "mean_mpi"
        run("mpicc.mpich", "-std=c11", HERE / "fft/mean_mpi.c", *flags, "-o", program)
        self.uses_the_moved_library(program)
        self.assertEqual(run("mpiexec.mpich", "-n", 2, program), "the mean is 7.5\n")

    @unittest.skipUnless(shutil.which("mpicc.mpich") and Path("/usr/include/fftw3-mpi.h").exists(), "no MPICH or FFTW-MPI here")
    def test_interface_of_fftw_mpi(self):
        program = self.work / "fftw_mpi_client"
        run("mpicc.mpich", HERE.parent / "fft/interfaces/fftw_mpi_client.c", f"-L{self.lib}", f"-Wl,-rpath,{self.lib}",
            "-loshen-fftw-mpi-mpich", "-lfftw3", "-lfftw3f", "-lm", "-o", program)
        self.assertEqual(run("ldd", program).count(f"=> {self.lib}/liboshen"), 2)
        self.assertEqual(run("mpiexec.mpich", "-n", 2, program, self.work / "results"), "37 of 37 plans are not those of FFTW\n")

    def test_component_that_is_not_there(self):
        (self.work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C)\n"
            "find_package(Oshen REQUIRED COMPONENTS teleport)\n")
        wrong = subprocess.run([CMAKE, "-S", self.work, "-B", self.work / "none",
                                f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("no component teleport", " ".join(wrong.stderr.split()))

    def test_one_pe_without_launcher(self):
        run(self.bin / "oshcc", CONSUMER / "hello.c", "-o", self.work / "alone")
        self.assertEqual(run(self.work / "alone"), "1 of 1\n")

    def test_oshinfo(self):
        self.assertIn("OpenSHMEM 1.6", run(self.bin / "oshinfo"))
        everything = json.loads(run(self.bin / "oshinfo", "--json", "-n", 5))
        self.assertEqual(everything["library"]["openshmem"], "1.6")
        self.assertIn("SHMEM_SYMMETRIC_SIZE", [row["name"] for row in everything["settings"]])
        self.assertEqual(everything["machine"]["cpus"]["usable"], len(os.sched_getaffinity(0)))
        self.assertEqual(everything["n_pes"], 5)
        for row in everything["collectives"]:
            names = [one["name"] for one in row["algorithms"]]
            self.assertTrue(row["chosen"])
            for choice in row["chosen"]:
                self.assertIn(choice["name"], names)

    def test_oshinfo_shows_settings_and_their_effect(self):
        rows = json.loads(run(self.bin / "oshinfo", "--json", "--algorithms"))["collectives"]
        reduce = next(row for row in rows if row["collective"] == "reduce")
        last = [one["name"] for one in reduce["algorithms"] if one["sizes"] and one["sizes"]["to"] is None][-1]
        environment = {**os.environ, reduce["setting"]: last}
        told = json.loads(run(self.bin / "oshinfo", "--json", env=environment))
        row = next(row for row in told["collectives"] if row["collective"] == "reduce")
        self.assertEqual(row["chosen"][-1]["name"], last)
        setting = next(row for row in told["settings"] if row["name"] == reduce["setting"])
        self.assertEqual(setting["value"], last)
        wrong = subprocess.run([self.bin / "oshinfo"], capture_output=True, text=True,
                               env={**os.environ, reduce["setting"]: "no-such-algorithm"})
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("no-such-algorithm", wrong.stderr)

    def test_wrappers_of_the_build_tree(self):
        run(Path(BUILD) / "bin/oshcc", CONSUMER / "hello.c", "-o", self.work / "from_build_tree")
        self.runs(self.work / "from_build_tree")


if __name__ == "__main__":
    unittest.main(verbosity=2)
