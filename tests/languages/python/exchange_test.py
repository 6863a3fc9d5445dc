# SPDX-License-Identifier: BSD-3-Clause
"""Exchange plans: a halo of a ring, a transposition, runs in parts, and mistakes."""

import unittest

import numpy as np

from oshen import exchange, shmem

ME, N = shmem.my_pe(), shmem.n_pes()
RIGHT, LEFT = (ME + 1) % N, (ME - 1) % N


class Plans(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arena = exchange.Arena(16 << 20)
        cls.group = exchange.Group(cls.arena)

    @classmethod
    def tearDownClass(cls):
        cls.group.destroy()
        cls.arena.destroy()

    def test_halo(self):
        field = np.full((4, 6), -1.0)
        field[:, 1:5] = 10 * ME + np.arange(4)
        sends = [(LEFT, field[:, 1]), (RIGHT, field[:, 4])]
        receives = [(RIGHT, field[:, 5]), (LEFT, field[:, 0])]
        if N == 2 or N == 1:  # both messages go to one peer and match in order
            receives = [(LEFT, field[:, 5]), (RIGHT, field[:, 0])]
        with exchange.Plan(self.group, field, field, sends, receives, "put_signal") as plan:
            for _ in range(3):
                plan.run(field, field)
            self.assertEqual(field[:, 0].tolist(), [10 * LEFT + 3] * 4)
            self.assertEqual(field[:, 5].tolist(), [10 * RIGHT] * 4)
            self.assertEqual(plan.strategy, "put_signal")
            self.assertIn("put_signal", plan.describe())

    def test_ghost_elements(self):
        shape, width = (6, 5), ((1, 2), 1)
        whole = np.arange(30).reshape(shape)
        dims = exchange.grid(shape)
        mine = exchange.part(shape, dims)
        for order in "CF":
            sizes = [s.stop - s.start for s in mine]
            field = np.full((sizes[0] + 3, sizes[1] + 2), -1, order=order)
            field[1:-2, 1:-1] = whole[mine]
            rows, columns = np.arange(mine[0].start - 1, mine[0].stop + 2) % 6, np.arange(mine[1].start - 1, mine[1].stop + 1)
            inside = (columns >= 0) & (columns < 5)
            expected = np.where(inside, whole[np.ix_(rows, columns % 5)], -1)
            with exchange.Halo(self.group, field, shape, dims, width, (True, False)) as halo:
                halo.run(field)
                self.assertEqual(field.tolist(), expected.tolist())
                halo.start(field)
                halo.release()

    def test_faces_of_a_ring(self):
        field = np.full(3, ME)
        field[1:-1] = ME
        with exchange.Halo(self.group, field, (N,), periodic=True, faces_only=True) as halo:
            halo.run(field)
        self.assertEqual(field.tolist(), [LEFT, ME, RIGHT])

    def test_mistakes_of_a_halo(self):
        field = np.zeros((4, 5))
        for arguments, what in ((((9, 9),), "the field has the shape"), (((9, 9), (N, 2)), "dims = "),
                                (((9, 9), (N, 1), (1, 1, 1)), "width has 3 entries"), (((9, 9), (N, 1), ((1,), 1)), "a pair"),
                                (((9, 9), (N, 1), 1, (True,)), "periodic has 1 entries")):
            with self.assertRaisesRegex(ValueError, what):
                exchange.Halo(self.group, field, *arguments)

    def test_expected_runs(self):
        field = np.zeros(3)
        for runs in (0, 1, 1000000):
            with exchange.Halo(self.group, field, (N,), periodic=True, expected_runs=runs) as halo:
                field[1] = ME + runs
                halo.run(field)
                self.assertEqual(field.tolist(), [LEFT + runs, ME + runs, RIGHT + runs])
        for make in (lambda: exchange.Halo(self.group, field, (N,), expected_runs=-1),
                     lambda: exchange.Plan(self.group, field, field, [], [], expected_runs=2**31)):
            with self.assertRaisesRegex(ValueError, "expected_runs = "):
                make()

    def test_transposition_in_parts(self):
        mine = np.arange(12.0).reshape(3, 4) + 100 * ME
        theirs = np.zeros((N, 4, 3))
        sends = [(peer, mine) for peer in range(N)]
        receives = [(peer, theirs[peer].T) for peer in range(N)]
        with exchange.Plan(self.group, mine, theirs, sends, receives, "auto") as plan:
            plan.start(mine, theirs)
            came = {plan.wait_any() for _ in range(N)}
            self.assertIsNone(plan.wait_any())
            self.assertTrue(plan.test())
            plan.release()
        self.assertEqual(came, set(range(N)))
        for peer in range(N):
            self.assertEqual(theirs[peer].tolist(), (np.arange(12.0).reshape(3, 4) + 100 * peer).T.tolist())

    def test_elements_anywhere(self):
        source, target = 100 * ME + np.arange(12), np.full(12, -1)
        sends = [(RIGHT, exchange.Elements([7, 2, 5])), (LEFT, source[3:5])]
        receives = [(LEFT, target[:3]), (RIGHT, exchange.Elements(np.array([9, 4])))]
        self.assertGreater(exchange.Plan.need(self.group, source, target, sends, receives).ordinary, 0)
        with exchange.Plan(self.group, source, target, sends, receives, "get") as plan:
            plan.run(source, target)
        self.assertEqual(target[:3].tolist(), [100 * LEFT + i for i in (7, 2, 5)])
        self.assertEqual([target[9], target[4], target[5]], [100 * RIGHT + 3, 100 * RIGHT + 4, -1])
        with self.assertRaisesRegex(ValueError, "elements 3 to 12: expected 0 to 11"):
            exchange.Plan(self.group, source, target, [(ME, exchange.Elements([12, 3]))], [])

    def test_grid(self):
        self.assertEqual(exchange.grid((64, 64), 4), (2, 2))
        self.assertEqual(exchange.grid((640, 64, 64), 2), (2, 1, 1))
        self.assertEqual(exchange.grid((64, 64, 64), 12, (0, 3, 1)), (4, 3, 1))
        shape, dims = (7, 9), exchange.grid((7, 9))
        owners = np.zeros(shape, int)
        for pe in range(N):
            owners[exchange.part(shape, dims, pe)] += 1
        self.assertTrue((owners == 1).all())
        with self.assertRaisesRegex(ValueError, "dims = .4, 0.: expected positive"):
            exchange.grid((8, 8), 6, (4, 0))
        with self.assertRaisesRegex(ValueError, "with PE 6"):
            exchange.part((8, 8), (2, 3), 6)

    def test_mistakes(self):
        mine = np.zeros(4)
        with self.assertRaisesRegex(ValueError, "not a view"):
            exchange.Plan(self.group, mine, mine, [(ME, np.zeros(4))], [(ME, mine)])
        with self.assertRaisesRegex(ValueError, "oshen_plan_create"):
            exchange.Plan(self.group, mine, mine, [(ME, mine[:2])], [(ME, mine[2:3])])
        with exchange.Plan(self.group, mine, mine, [], []) as plan, self.assertRaisesRegex(ValueError, "another size"):
            plan.run(np.zeros(5), mine)

    def test_strategies(self):
        self.assertIn("put_signal", exchange.Plan.strategies())


if __name__ == "__main__":
    unittest.main()
