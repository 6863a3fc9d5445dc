# SPDX-License-Identifier: BSD-3-Clause
# Spack 1.0 or later: copy this folder to packages/oshen of a repository of your own (`spack repo create`). Run `spack install oshen` in the
# folder with the archive that `ninja tarball` makes.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Oshen(CMakePackage):
    """A complete OpenSHMEM 1.6, with exchange plans, distributed FFTs and an accelerator for LAMMPS."""

    homepage = "http://www.openshmem.org"
    url = f"file://{os.getcwd()}/oshen-0.1.0.tar.gz"
    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    variant("fft", default=True, description="Build the FFT and the LAMMPS accelerator, with FFTW")
    variant("ofi", default=True, description="Network cards with RDMA over libfabric")
    variant("bench", default=True, description="Build oshbench and the mini-apps")
    variant("names", default=False, description="Also install the names liboshmem and libsma, and their .pc files")

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
    conflicts("%gcc@:11", msg="Oshen needs C++20 features of gcc 12")

    def cmake_args(self):
        return [
            self.define("OSHEN_TESTS", False),
            self.define_from_variant("OSHEN_BENCH", "bench"),
            self.define_from_variant("OSHEN_OTHER_NAMES", "names"),
            self.define("OSHEN_OFI", "ON" if self.spec.satisfies("+ofi") else "OFF"),
            self.define("OSHEN_FFTW", "ON" if self.spec.satisfies("+fft") else "OFF"),
            self.define("OSHEN_PYTHONDIR", python_platlib),
        ]
