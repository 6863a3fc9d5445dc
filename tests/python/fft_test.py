# SPDX-License-Identifier: BSD-3-Clause
"""FFTs of one, two and three axes against NumPy's."""

import unittest

import numpy as np

from oshen import fft, shmem

ME, N = shmem.my_pe(), shmem.n_pes()


def numbers(shape, dtype):
    random = np.random.default_rng(7)
    whole = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        whole = whole + 1j * random.standard_normal(shape)
    return whole.astype(dtype)


class Transforms(unittest.TestCase):
    def checked(self, shape, dtype, input_axis=0, output_axis=0):
        whole = numbers(shape, dtype)
        real = np.dtype(dtype).kind == "f"
        spectrum = np.fft.rfftn(whole) if real else np.fft.fftn(whole)
        mine, hers = fft.slab(shape, input_axis), fft.slab(spectrum.shape, output_axis)
        bound = 1e-4 if np.dtype(dtype).itemsize in (4, 8) and dtype in (np.float32, np.complex64) else 1e-10
        with fft.FFT(shape, mine, hers, dtype) as plan:
            part = np.ascontiguousarray(whole[mine])
            result = plan.forward(part)
            np.testing.assert_allclose(result, spectrum[hers], rtol=0, atol=bound * np.sqrt(whole.size))
            back = plan.backward(result)
            self.assertEqual(back.dtype, part.dtype)
            np.testing.assert_allclose(back, part, rtol=0, atol=bound)
            self.assertTrue(plan.describe())

    def test_three_axes(self):
        for dtype in (np.complex128, np.complex64, np.float64, np.float32):
            with self.subTest(dtype=dtype):
                self.checked((8, 6, 10), dtype)

    def test_output_along_another_axis(self):
        self.checked((8, 6, 10), np.complex128, 0, 1)
        self.checked((8, 6, 10), np.float64, 1, 2)

    def test_two_axes_and_one(self):
        self.checked((12, 9), np.complex128)
        self.checked((12, 10), np.float64, 0, 1)
        self.checked((30,), np.complex128)
        self.checked((30,), np.float64)

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "expected 3"):
            fft.FFT((4, 4, 4), fft.slab((4, 4)))
        with fft.FFT((4, 4), fft.slab((4, 4))) as plan, self.assertRaisesRegex(ValueError, "this PE's part"):
            plan.forward(np.zeros((5, 5)))


if __name__ == "__main__":
    unittest.main()
