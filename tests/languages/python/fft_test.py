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

    def test_planned_briefly(self):
        shape = (8, 6, 10)
        mine, whole = fft.slab(shape), numbers(shape, complex)
        for measure in ("brief", "auto"):
            with fft.FFT(shape, mine, measure=measure) as plan:
                np.testing.assert_allclose(plan.forward(whole[mine]), np.fft.fftn(whole)[mine], atol=1e-10)
        with self.assertRaisesRegex(ValueError, 'expected False, True, "brief" or "auto"'):
            fft.FFT(shape, mine, measure="thoroughly")

    def test_output_along_another_axis(self):
        self.checked((8, 6, 10), np.complex128, 0, 1)
        self.checked((8, 6, 10), np.float64, 1, 2)

    def test_two_axes_and_one(self):
        self.checked((12, 9), np.complex128)
        self.checked((12, 10), np.float64, 0, 1)
        self.checked((30,), np.complex128)
        self.checked((30,), np.float64)

    def test_other_axis_halved(self):
        shape, whole = (8, 6, 10), numbers((8, 6, 10), float)
        for axis, order in ((0, (1, 2, 0)), (1, (0, 2, 1))):
            spectrum = np.fft.rfftn(whole, axes=order)
            mine, hers = fft.slab(shape), fft.slab(spectrum.shape, 2)
            with fft.FFT(shape, mine, hers, float, halved=axis) as plan:
                result = plan.forward(whole[mine])
                np.testing.assert_allclose(result, spectrum[hers], atol=1e-10)
                np.testing.assert_allclose(plan.backward(result), whole[mine], atol=1e-12)

    def test_padded_rows_in_place(self):
        shape, whole = (8, 6, 10), numbers((8, 6, 10), float)
        spectrum, mine = np.fft.rfftn(whole), fft.slab(shape)
        rows = whole[mine].shape[:2]
        with fft.FFT(shape, mine, dtype=float, input_embed=(*rows, 12)) as plan:
            self.assertEqual(plan.input_shape, (*rows, 12))
            self.assertEqual(plan.stats().runs, 0)
            part = np.zeros(plan.input_shape)
            part[..., :10] = whole[mine]
            result = plan.forward(part, out=part.view(complex))
            np.testing.assert_allclose(result, spectrum[mine], atol=1e-10)
            np.testing.assert_allclose(plan.backward(result, out=part)[..., :10], whole[mine], atol=1e-12)
            stats = plan.stats()
            self.assertEqual(stats.runs, 2)
            self.assertGreaterEqual(stats.transform_bytes, 2 * whole[mine].nbytes)
            self.assertEqual(stats.exchange_bytes > 0, shmem.n_pes() > 1)
        with self.assertRaisesRegex(ValueError, "array in memory has shape .* expected at least"):
            fft.FFT(shape, mine, dtype=float, input_embed=(*rows, 9))

    def test_box_in_a_larger_array(self):
        shape, whole, mine = (8, 6), numbers((8, 6), complex), fft.slab((8, 6))
        box = whole[mine].shape
        with fft.FFT(shape, mine, output_embed=(box[0] + 1, 9)) as plan:
            result = plan.forward(whole[mine], out=np.full((box[0] + 1, 9), -1 + 0j))
            np.testing.assert_allclose(result[:box[0], :6], np.fft.fftn(whole)[mine], atol=1e-10)
            self.assertTrue(np.all(result[box[0]] == -1) and np.all(result[:, 6:] == -1))

    def test_kept_modes(self):
        """The 2/3 rule: the spectrum of the low modes, and the field without the others."""
        shape, kept = (8, 9, 12), (5, 5, 7)
        for dtype, bound in ((np.complex128, 1e-10), (np.float32, 1e-3)):
            whole = numbers(shape, dtype)
            real = np.dtype(dtype).kind == "f"
            spectrum = np.fft.rfftn(whole) if real else np.fft.fftn(whole)
            left = (5, 5, 4) if real else kept
            places = [np.fft.fftfreq(k, 1 / k).astype(int) for k in left]
            if real:
                places[2] = np.arange(4)
            low = spectrum[np.ix_(*places)]
            masked = np.zeros_like(spectrum)
            masked[np.ix_(*places)] = low
            field = np.fft.irfftn(masked, shape, axes=(0, 1, 2)) if real else np.fft.ifftn(masked)
            mine, hers = fft.slab(shape), fft.slab(left, 1)
            with self.subTest(dtype=dtype), fft.FFT(shape, mine, hers, dtype, kept=left) as plan:
                self.assertEqual(plan.spectrum_shape, left)
                part = whole[mine]
                result = plan.forward(part)
                np.testing.assert_allclose(result, low[hers], atol=bound)
                np.testing.assert_allclose(plan.backward(result), field[mine], atol=bound)
            with fft.Convolution(shape, mine, hers, dtype, kept=left) as filtered:
                np.testing.assert_allclose(filtered.run(whole[mine]), field[mine], atol=bound)
        for wrong in ((5, 5), (9, 5, 7), (5, -1, 7)):
            with self.assertRaisesRegex(ValueError, "kept = .* expected for each axis 0 or a number of modes"):
                fft.FFT(shape, fft.slab(shape), kept=wrong)

    def test_cosines(self):
        shape = (8, 6)
        whole, mine = numbers(shape, float), fft.slab(shape)
        expected = whole
        for axis, n in enumerate(shape):
            k, x = np.arange(n)[:, None], np.arange(n)[None, :]
            expected = np.moveaxis(np.tensordot(2 * np.cos(np.pi * (x + 0.5) * k / n), expected, (1, axis)), 0, axis)
        with fft.FFT(shape, mine, dtype=float, along=["dct2", "dct2"]) as plan:
            result = plan.forward(whole[mine])
            self.assertEqual(result.dtype, np.float64)
            np.testing.assert_allclose(result, expected[mine], atol=1e-10)
            np.testing.assert_allclose(plan.backward(result), whole[mine], atol=1e-12)
        with fft.FFT(shape, mine, along=["nothing", "fourier"]) as plan:
            np.testing.assert_allclose(plan.forward(whole[mine] + 0j), np.fft.fft(whole, axis=1)[mine], atol=1e-10)

    def test_convolution(self):
        shape = (8, 6, 10)
        whole, kernel = numbers(shape, float), np.roll(numbers(shape, float), 3)
        factors = np.fft.rfftn(kernel)
        mine, hers = fft.slab(shape), fft.slab(factors.shape, 1)
        with fft.Convolution(shape, mine, hers, float) as plan:
            np.testing.assert_allclose(plan.run(whole[mine]), whole[mine], atol=1e-12)
            plan.set_factors(factors[hers])
            expected = np.fft.irfftn(np.fft.rfftn(whole) * factors, shape, axes=(0, 1, 2))
            np.testing.assert_allclose(plan.run(whole[mine]), expected[mine], atol=1e-10)
            self.assertIn("there and back", plan.describe())

    def test_lines(self):
        for length in (64, 105, 101):
            whole = numbers((length,), np.complex128)
            spectrum, line = np.fft.fft(whole), fft.line(length)
            with fft.FFT((length,), line.input, line.output) as plan:
                result = plan.forward(whole[line.input])
                np.testing.assert_allclose(result, spectrum[line.output], atol=1e-10)
                np.testing.assert_allclose(plan.backward(result), whole[line.input], atol=1e-12)
                self.assertEqual("prime" in plan.describe(), line.columns == 1 and N > 1)
            place = np.arange(length)
            left = spectrum[place // line.columns + place % line.columns * (length // line.columns)]
            with fft.FFT((length,), line.input, columns=line.columns) as plan:
                np.testing.assert_allclose(plan.forward(whole[line.input]), left[line.input], atol=1e-10)

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "length = 0"):
            fft.line(0)
        with self.assertRaisesRegex(ValueError, "expected 3"):
            fft.FFT((4, 4, 4), fft.slab((4, 4)))
        with fft.FFT((4, 4), fft.slab((4, 4))) as plan, self.assertRaisesRegex(ValueError, "the part of this PE"):
            plan.forward(np.zeros((5, 5)))
        with self.assertRaisesRegex(ValueError, "expected 2 of fourier, nothing"):
            fft.FFT((4, 4), fft.slab((4, 4)), along=["dct2", "dct5"])
        with self.assertRaisesRegex(ValueError, "halved = 2"):
            fft.FFT((4, 4), fft.slab((4, 4)), dtype=float, halved=2)


if __name__ == "__main__":
    unittest.main()
