# SPDX-License-Identifier: BSD-3-Clause
"""FFT plans of LAMMPS that scale one direction, as those of AMOEBA, against NumPy's FFT; Open MPI.

The accelerator and, behind it, liblammps are preloaded.
"""

import ctypes
import sys

import numpy as np

EXTENT = (12, 10, 8)  # fastest first


def main():
    process = ctypes.CDLL(None)
    create, run, destroy = process.fft_3d_create_plan, process.fft_3d, process.fft_3d_destroy_plan
    create.restype = ctypes.c_void_p
    process.MPI_Init(None, None)
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(process, "ompi_mpi_comm_world")))
    rank, size = ctypes.c_int(), ctypes.c_int()
    process.MPI_Comm_rank(world, ctypes.byref(rank))
    process.MPI_Comm_size(world, ctypes.byref(size))
    low, high = EXTENT[2] * rank.value // size.value, EXTENT[2] * (rank.value + 1) // size.value
    box = (0, EXTENT[0] - 1, 0, EXTENT[1] - 1, low, high - 1)
    buffer = ctypes.c_int()
    plan = create(world, *EXTENT, *box, *box, 1, 0, ctypes.byref(buffer), 0, 0)
    random = np.random.default_rng(3)
    spectrum_scale = {}
    for turn in range(4):  # the first run with each flag shows the scale
        whole = random.standard_normal(EXTENT[::-1]) + 1j * random.standard_normal(EXTENT[::-1])
        for flag in (1, -1):
            out = np.zeros((high - low, EXTENT[1], EXTENT[0]), complex)
            part = whole[low:high].copy()  # LAMMPS works in place
            run(part.ctypes.data_as(ctypes.c_void_p), out.ctypes.data_as(ctypes.c_void_p), flag, ctypes.c_void_p(plan))
            exact = (np.fft.fftn(whole) if flag == 1 else np.fft.ifftn(whole) * whole.size)[low:high]
            scale = spectrum_scale.setdefault(flag, np.vdot(exact, out).real / np.vdot(exact, exact).real)
            assert np.abs(out - scale * exact).max() < 1e-10 * np.abs(scale * exact).max(), (turn, flag, scale)
    wanted = sorted([1.0, 1 / np.prod(EXTENT)])
    assert np.allclose(sorted(spectrum_scale.values()), wanted, rtol=1e-9), spectrum_scale
    if "unfinalized" in sys.argv:  # as programs of the Python module end
        return
    destroy(ctypes.c_void_p(plan))
    process.MPI_Finalize()


if __name__ == "__main__":
    main()
