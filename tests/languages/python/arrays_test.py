# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of arrays that NumPy has and the library does not: each routine converts them or raises, and never sends other numbers."""

import unittest

import numpy as np

from oshen import exchange, fft, shmem

ME, N = shmem.my_pe(), shmem.n_pes()
RIGHT, LEFT = (ME + 1) % N, (ME - 1) % N
BYTE_ORDER = "byte order"


def other(kind):
    """The type with the byte order of other machines."""
    return np.dtype(kind).newbyteorder()


class Arrays(unittest.TestCase):
    def refused(self, kind, says, call, *arguments, **options):
        with self.assertRaisesRegex(kind, says):
            call(*arguments, **options)
        self.assertNotIn("\n", str(kind))

    def symmetric(self, values, dtype=None):
        made = shmem.array(values, dtype)
        self.addCleanup(shmem.free, made)
        return made

    def seen(self, target, expected):
        shmem.barrier_all()
        np.testing.assert_array_equal(target, expected)
        shmem.barrier_all()


class ByteOrder(Arrays):
    KINDS = ("f8", "f4", "f2", "i2", "i4", "i8", "u4", "u8", "c8", "c16", "M8[s]", "U3")

    def test_a_put_converts_the_source(self):
        for kind in self.KINDS:
            values = np.array([1, 2, 30 + ME]).astype(kind)
            wanted = np.array([1, 2, 30 + LEFT]).astype(kind)
            for here, there in ((kind, other(kind)), (other(kind), kind), (other(kind), other(kind))):
                with self.subTest(target=here, source=there):
                    target = self.symmetric(np.zeros(3, here))
                    shmem.put(target, values.astype(there), RIGHT)
                    self.seen(target, wanted.astype(here))
                    shmem.put_nbi(target, values.astype(there)[::-1], RIGHT)
                    shmem.quiet()
                    self.seen(target, wanted.astype(here)[::-1])

    def test_a_put_with_signal_converts_the_source(self):
        target, signal = self.symmetric(np.zeros(2)), self.symmetric([0], "u8")
        shmem.put_signal(target, np.array([1.0, ME], other("f8")), RIGHT, signal, 1, shmem.SIGNAL_SET)
        shmem.signal_wait_until(signal, "==", 1)
        self.seen(target, [1, LEFT])

    def test_structured_elements(self):
        kind = np.dtype([("x", "f8"), ("id", "i4")])
        target = self.symmetric(np.zeros(2, kind))
        shmem.put(target, np.array([(1.5, ME), (2.5, 7)], other(kind)), RIGHT)
        self.seen(target, np.array([(1.5, LEFT), (2.5, 7)], kind))

    def test_gets_refuse_another_order(self):
        source = self.symmetric([1.0, 2.0])
        for call in (shmem.get, shmem.get_nbi, shmem.iget, shmem.iput):
            with self.subTest(call.__name__):
                self.refused(TypeError, BYTE_ORDER, call, *self.pair_for(call, source), RIGHT)

    def pair_for(self, call, symmetric):
        swapped = np.zeros(2, other(symmetric.dtype))
        return (symmetric, swapped) if call is shmem.iput else (swapped, symmetric)

    def test_gets_of_equal_types_move_any_order(self):
        source = self.symmetric([1, 2, 30 + ME], other("i4"))
        target = np.zeros(3, other("i4"))
        shmem.barrier_all()
        shmem.get(target, source, RIGHT)
        np.testing.assert_array_equal(target, [1, 2, 30 + RIGHT])
        self.seen(target, [1, 2, 30 + RIGHT])

    def test_collectives_that_move(self):
        for call, size in ((shmem.broadcast, 2), (shmem.collect, 2 * N), (shmem.fcollect, 2 * N), (shmem.alltoall, 2 * N)):
            more = (0,) if call is shmem.broadcast else ()
            target, source = self.symmetric(np.zeros(2 * N)), self.symmetric(np.zeros(2 * N), other("f8"))
            with self.subTest(call.__name__):
                self.refused(TypeError, BYTE_ORDER, call, target, source, *more, size=1)
        target, source = self.symmetric(np.zeros(N, other("i4"))), self.symmetric([ME + 1], other("i4"))
        shmem.fcollect(target, source)
        self.seen(target, np.arange(1, N + 1))

    def test_calls_that_compute(self):
        for kind in ("i8", "u4", "i4", "u8"):
            word, words = self.symmetric([5], other(kind)), self.symmetric([5, 5], other(kind))
            native = np.zeros(1, kind)
            calls = [(shmem.sum_reduce, words, words), (shmem.max_reduce, words, words), (shmem.xor_reduce, words, words),
                     (shmem.atomic_add, word, 1, 0), (shmem.atomic_fetch, word, 0), (shmem.atomic_set, word, 1, 0),
                     (shmem.atomic_fetch_xor, word, 1, 0), (shmem.atomic_compare_swap, word, 1, 2, 0),
                     (shmem.atomic_fetch_add_nbi, native, word, 1, 0), (shmem.test, word, ">=", 5),
                     (shmem.wait_until, word, "==", 5), (shmem.test_all, words, "==", 5), (shmem.test_any, words, "==", 5),
                     (shmem.wait_until_some_vector, words, "==", [5, 5])]
            if kind == "u8":
                calls += [(shmem.signal_fetch, word), (shmem.signal_wait_until, word, "==", 5)]
            for call, *arguments in calls:
                with self.subTest(call=call.__name__, kind=kind):
                    self.refused(TypeError, BYTE_ORDER, call, *arguments)
            fetch, good = np.zeros(1, other(kind)), self.symmetric([5], kind)
            self.refused(TypeError, BYTE_ORDER, shmem.atomic_fetch_add_nbi, fetch, good, 1, 0)
            self.seen(word, [5])

    def test_vectors_of_another_order_are_converted(self):
        words = self.symmetric([5, 6], "i8")
        self.assertTrue(shmem.test_all_vector(words, "==", np.array([5, 6], other("i8"))))
        self.assertEqual(shmem.test_some(words, ">", np.array(5, other("i8")), np.array([1, 0], other("i4"))), [1])


class Layout(Arrays):
    WHOLE = np.arange(6.0).reshape(2, 3)

    def test_orders_of_axes(self):
        for here in "CF":
            target = shmem.zeros((2, 3), order=here)
            self.addCleanup(shmem.free, target)
            for source in (self.WHOLE, np.asfortranarray(self.WHOLE), np.repeat(self.WHOLE, 2, axis=1)[:, ::2]):
                with self.subTest(target=here, source=source.flags.c_contiguous):
                    target[...] = 0
                    shmem.barrier_all()
                    shmem.put(target, source, RIGHT)
                    self.seen(target, self.WHOLE)

    def test_two_orders_where_the_source_is_not_copied(self):
        rows, columns = self.symmetric(self.WHOLE), self.symmetric(np.asfortranarray(self.WHOLE))
        for call, last in ((shmem.get, (RIGHT,)), (shmem.iput, (RIGHT,)), (shmem.broadcast, (0,)), (shmem.sum_reduce, ())):
            with self.subTest(call.__name__):
                self.refused(ValueError, "order of the axes", call, rows, columns, *last)
        shmem.sum_reduce(rows, self.symmetric(self.WHOLE))
        self.seen(rows, N * self.WHOLE)

    def test_gaps_and_read_only_arrays(self):
        source, gaps = self.symmetric([1.0, 2.0]), np.zeros((2, 2))[:, 0]
        self.refused(ValueError, "not contiguous", shmem.get, gaps, source, RIGHT)
        fixed = np.zeros(2)
        fixed.setflags(write=False)
        self.refused(ValueError, "read-only", shmem.get, fixed, source, RIGHT)
        self.refused(ValueError, "read-only", shmem.get, np.broadcast_to(np.zeros(1), 2), source, RIGHT)
        np.testing.assert_array_equal(fixed, 0)

    def test_misaligned_elements(self):
        room = shmem.zeros(40, np.uint8)
        self.addCleanup(shmem.free, room)
        odd = room[1:33].view(np.int64)
        shmem.put(odd, np.array([1, 2, 3, 4]), RIGHT)
        self.seen(odd, [1, 2, 3, 4])
        for call, *more in ((shmem.sum_reduce, odd), (shmem.atomic_inc, RIGHT), (shmem.wait_until, "==", 1), (shmem.test, "==", 1),
                            (shmem.test_all, "==", 1)):
            with self.subTest(call.__name__):
                self.refused(ValueError, "not aligned", call, odd, *more)

    def test_views_that_overlap(self):
        whole = self.symmetric(np.arange(8.0))
        for call in (shmem.sum_reduce, shmem.max_reduce, shmem.alltoall):
            with self.subTest(call.__name__):
                self.refused(ValueError, "overlap", call, whole[1:1 + 2 * N], whole[:2 * N])
        shmem.sum_reduce(whole[:4], whole[:4])
        shmem.sum_reduce(whole[4:], whole[:4])
        self.seen(whole, np.r_[N * np.arange(4.0), N * N * np.arange(4.0)])

    def test_arrays_of_no_element(self):
        for shape in (0, (0, 3)):
            target = self.symmetric(np.zeros(shape))
            shmem.put(target, np.zeros(shape), RIGHT)
            shmem.get(np.zeros(shape), target, RIGHT)
            shmem.sum_reduce(target, target)
            shmem.fcollect(target, target)
        words = self.symmetric([], "i8")
        self.refused(ValueError, "the array is empty", shmem.atomic_add, words, 1, RIGHT)
        self.refused(ValueError, "the array is empty", shmem.test, words, "==", 0)


class Types(Arrays):
    def test_types_that_only_move(self):
        for kind in (bool, "f2", "g", "G", "M8[s]", "m8[ms]", "S3", "V5", "c16"):
            values = np.array([0, 1, 1]).astype(kind) if kind != "V5" else np.array([b"12345"] * 3, kind)
            with self.subTest(kind=kind):
                target, source = self.symmetric(np.zeros(3, kind)), self.symmetric(values)
                shmem.put(target, values, RIGHT)
                self.seen(target, values)
                back = np.zeros(3, kind)
                shmem.get(back, source, RIGHT)
                np.testing.assert_array_equal(back, values)
                shmem.broadcast(target, source, 0)
                self.seen(target, values)

    def test_types_that_cannot_be_computed_with(self):
        for kind in ("f2", "G", "M8[s]", "S3", "V5"):
            words = self.symmetric(np.zeros(2, kind))
            for call, *more in ((shmem.sum_reduce, words), (shmem.atomic_add, 1, RIGHT), (shmem.test, "==", 1)):
                if kind == "f2" and call is shmem.sum_reduce:  # reductions know it
                    continue
                with self.subTest(call=call.__name__, kind=kind):
                    self.refused(TypeError, "cannot use elements of type", call, words, *more)

    def test_objects_of_python(self):
        """An address of another process would be taken for an object."""
        target = self.symmetric(np.zeros(2))
        wide = self.symmetric(np.zeros(2, "V8"))
        held = np.dtype([("any", "O")])
        for objects in (np.array([1, None], object), np.zeros(2, held)):
            for call in (shmem.put, shmem.put_nbi, shmem.iput):
                self.refused(TypeError, "cannot use elements of type", call, target, objects, RIGHT)
                self.refused(TypeError, "cannot use elements of type", call, wide, objects, RIGHT)
            self.refused(TypeError, "cannot use elements of type", shmem.get, objects, wide, RIGHT)

    def test_fields_must_agree(self):
        one, two = np.dtype([("a", "i4"), ("b", "f4")]), np.dtype([("b", "f4"), ("a", "i4")])
        target = self.symmetric(np.zeros(2, one))
        for kind in (two, np.dtype([("a", "f4"), ("b", "i4")]), np.dtype("V8")):
            self.refused(ValueError, "expected equal types", shmem.put, target, np.zeros(2, kind), RIGHT)
        dates = self.symmetric(np.zeros(2, "M8[s]"))
        self.refused(ValueError, "expected equal types", shmem.put, dates, np.zeros(2, "M8[ms]"), RIGHT)

    def test_masked_elements(self):
        target = self.symmetric(np.zeros(2))
        shmem.put(target, np.ma.masked_array([1.0, 2.0]), RIGHT)
        self.seen(target, [1, 2])
        hidden = np.ma.masked_array([1.0, 2.0], [True, False])
        for call in (shmem.put, shmem.iput):
            self.refused(TypeError, "masked", call, target, hidden, RIGHT)
        self.refused(TypeError, "masked", shmem.get, hidden, target, RIGHT)

    def test_numbers_that_the_type_cannot_hold(self):
        word, words = self.symmetric([7], "i4"), self.symmetric([7, 8], "i4")
        for value in (1.5, float("nan"), 1j):
            for call, *more in ((shmem.atomic_add, value, 0), (shmem.atomic_set, value, 0), (shmem.wait_until, "==", value),
                                (shmem.test, "!=", value)):
                self.refused(TypeError, "expected an integer", call, word, *more)
            self.refused(TypeError, "expected an integer", shmem.put, word, [value], RIGHT)
            self.refused(TypeError, "expected an integer", shmem.test_all_vector, words, "==", [7, value])
        for value in (2**32, -2**31 - 1, 2**70):
            self.refused(ValueError, "expected a number that int32 holds", shmem.atomic_set, word, value, 0)
            self.refused(ValueError, "expected a number that int32 holds", shmem.test, word, "==", value)
            self.refused(ValueError, "expected a number that int32 holds", shmem.test_any_vector, words, "==", [7, value])
        shmem.barrier_all()
        shmem.atomic_set(word, 2.0, RIGHT)
        self.seen(word, [2])
        shmem.atomic_set(word, 2**32 - 1, RIGHT)  # all bits, as masks are written
        self.seen(word, [-1])
        self.refused(ValueError, "expected a number that", shmem.put, word, [2**32], RIGHT)

    def test_marks_count_as_truth_values(self):
        words = self.symmetric([7, 7], "i4")
        self.assertEqual(shmem.test_some(words, "==", 7, [2**32, 0]), [1])
        self.assertEqual(shmem.test_some(words, "==", 7, [0.5, 0]), [1])


class Plans(Arrays):
    def setUp(self):
        self.arena = exchange.Arena(1 << 20)
        self.group = exchange.Group(self.arena)
        self.addCleanup(self.arena.destroy)
        self.addCleanup(self.group.destroy)

    def test_two_types(self):
        source, target = np.arange(4.0), np.zeros(4, other("f8"))
        self.refused(TypeError, "expected equal types", exchange.Plan, self.group, source, target, [(RIGHT, source)], [(LEFT, target)])
        self.refused(TypeError, "expected equal types", exchange.Plan, self.group, source, np.zeros(4, "i8"), [(RIGHT, source)], [])

    def test_equal_types_move_any_order(self):
        source, target = np.arange(4, dtype=other("i4")), np.zeros(4, other("i4"))
        with exchange.Plan(self.group, source, target, [(RIGHT, source)], [(LEFT, target)]) as plan:
            plan.run(source, target)
            np.testing.assert_array_equal(target, [0, 1, 2, 3])
            self.refused(TypeError, "expected equal types", plan.run, source, target.view("i4"))
            self.refused(TypeError, "expected equal types", plan.start, source.astype("i4"), target)

    def test_objects_of_python(self):
        objects = np.array([1, None], object)
        self.refused(TypeError, "references to Python objects", exchange.Plan, self.group, objects, objects, [(RIGHT, objects)], [])
        self.refused(TypeError, "references to Python objects", exchange.Halo, self.group, np.zeros(4 + 2, object), (4 * N,))

    def test_messages_with_another_type(self):
        source = np.arange(4.0)
        self.refused(TypeError, "expected equal types", exchange.Plan, self.group, source, source, [(RIGHT, source.view(other("f8")))], [])

    def test_element_numbers(self):
        source, target = np.arange(4.0), np.zeros(4)
        self.refused(TypeError, "expected integers", exchange.Plan, self.group, source, target,
                     [(RIGHT, exchange.Elements([1.5]))], [])
        numbers = exchange.Elements(np.array([1, 2], other("i4")))
        with exchange.Plan(self.group, source, target, [(RIGHT, numbers)], [(LEFT, numbers)]) as plan:
            plan.run(source, target)
        np.testing.assert_array_equal(target, [0, 1, 2, 0])


class Transforms(Arrays):
    def test_the_byte_order_of_a_transform(self):
        whole = np.random.default_rng(1).random((4, 6))
        mine = fft.slab(whole.shape)
        for given in (float, other("f8")):
            with fft.FFT(whole.shape, mine, dtype=given) as plan:
                self.assertTrue(plan.dtype.isnative)
                for kind in (float, other("f8")):
                    spectrum = plan.forward(whole[mine].astype(kind))
                    halved = fft.slab(plan.spectrum_shape)
                    np.testing.assert_allclose(spectrum, np.fft.rfftn(whole)[halved])
                    np.testing.assert_allclose(plan.backward(spectrum.astype(other("c16"))), whole[mine])

    def test_parts_that_do_not_fit_are_refused(self):
        with fft.FFT((4, 6), fft.slab((4, 6)), dtype=float) as plan:
            for given in (np.ones(plan.input_shape, complex), np.ones(plan.input_shape, object), np.ones(plan.input_shape, "M8[s]")):
                self.refused(TypeError, "cannot use elements of type", plan.forward, given)
            hidden = np.ma.masked_array(np.ones(plan.input_shape), True)
            if hidden.size:
                self.refused(TypeError, "masked", plan.forward, hidden)

    def test_a_result_that_overlaps_its_part(self):
        shape = (4, 6)
        mine = fft.slab(shape)
        with fft.FFT(shape, mine) as plan:
            values = np.arange(24.0).reshape(shape)[mine].astype(complex)
            room = np.zeros(values.size + 1, complex)
            part, out = room[:-1].reshape(values.shape), room[1:].reshape(values.shape)
            part[...] = values
            expected = plan.forward(values)
            np.testing.assert_allclose(plan.forward(part, out), expected)


if __name__ == "__main__":
    unittest.main()
