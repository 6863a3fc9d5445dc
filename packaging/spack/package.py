# SPDX-License-Identifier: BSD-3-Clause
# Spack: put this folder as packages/oshen into a repository of your own (`spack repo create`), and the archive that
# `ninja tarball` makes where you call `spack install oshen`.
import os

from spack.package import *


class Oshen(CMakePackage):
    """A complete OpenSHMEM 1.6, with exchange plans, a three-dimensional FFT and an accelerator for LAMMPS."""

    url = f"file://{os.getcwd()}/oshen-0.1.0.tar.gz"
    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    variant("fft", default=True, description="FFT and the LAMMPS accelerator, on FFTW")
    variant("ofi", default=True, description="Several hosts by libfabric")
    variant("bench", default=True, description="oshbench and mini-apps")
    variant("names", default=False, description="liboshmem, libsma and their .pc files as well")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("libfabric", when="+ofi")
    depends_on("fftw precision=double,float", when="+fft")

    depends_on("py-numpy", type="run")

    extends("python")
    generator("ninja")
    conflicts("%gcc@:11", msg="C++20 as gcc 12 has it")

    def cmake_args(self):
        return [
            self.define("OSHEN_TESTS", False),
            self.define_from_variant("OSHEN_BENCH", "bench"),
            self.define_from_variant("OSHEN_OTHER_NAMES", "names"),
            self.define("OSHEN_OFI", "ON" if self.spec.satisfies("+ofi") else "OFF"),
            self.define("WITH_FFTW", "ON" if self.spec.satisfies("+fft") else "OFF"),
            self.define("OSHEN_PYTHONDIR", python_platlib),
        ]
