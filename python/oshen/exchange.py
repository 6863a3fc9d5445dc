# SPDX-License-Identifier: BSD-3-Clause
"""Persistent irregular exchanges: set up once, run many times (oshen/exchange.h).

    group = Group(Arena(64 << 20))
    plan = Plan(group, source, target, sends=[(right, source[:, -1])], receives=[(left, target[:, 0])])
    plan.run(source, target)

A message is a view of the source or target array, with up to three axes and any strides; or Elements of the array, for
unstructured meshes. Calls are collective over the group, in the same order on all its PEs.

grid and part partition an array. A Halo fills the ghost elements around the parts:

    dims = grid(shape)
    field = np.zeros([s.stop - s.start + 2 for s in part(shape, dims)])
    halo = Halo(group, field, shape, dims, width=1, periodic=True)
    halo.run(field)
"""

# ruff: noqa: F401
from ._grid import grid, part
from ._group import Arena, Group
from ._halo import Halo, Width
from ._messages import Box, Elements, Message, Messages
from ._plan import Need, Plan
