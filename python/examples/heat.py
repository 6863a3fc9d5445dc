# SPDX-License-Identifier: BSD-3-Clause
"""Heat spreads over a plate. Each PE has a strip of rows. With a file name, draws a picture.

  oshrun -n 4 python heat.py [PICTURE.png]
"""

import sys

import numpy as np

from oshen import shmem

SIZE, STEPS, TIME = 96, 1000, 0.02
me, n = shmem.my_pe(), shmem.n_pes()
rows = SIZE // n
assert rows * n == SIZE, f"n = {n} PEs: expected a divisor of {SIZE}"

# The strip, and a row of the neighbour above and below; symmetric, so that neighbours can put into it.
plate = shmem.zeros((rows + 2, SIZE + 2))
y, x = np.meshgrid((np.arange(me * rows, (me + 1) * rows) + 0.5) / SIZE, (np.arange(SIZE) + 0.5) / SIZE, indexing="ij")
shape = np.sin(np.pi * x) * np.sin(np.pi * y) + 0.5 * np.sin(3 * np.pi * x) * np.sin(2 * np.pi * y)
inner = plate[1:-1, 1:-1]
inner[:] = shape
above, below = shmem.new_signal(), shmem.new_signal()

rate = TIME / STEPS * SIZE**2
for step in range(1, STEPS + 1):
    shmem.sync_all()  # the neighbours have used the rows of the previous step
    if me > 0:
        shmem.put_signal(plate[-1], plate[1], me - 1, below, step, shmem.SIGNAL_SET)
    if me < n - 1:
        shmem.put_signal(plate[0], plate[-2], me + 1, above, step, shmem.SIGNAL_SET)
    # The rim, half a cell beyond the last one, has temperature 0.
    plate[:, 0], plate[:, -1] = -plate[:, 1], -plate[:, -2]
    if me > 0:
        shmem.signal_wait_until(above, ">=", step)
    else:
        plate[0] = -plate[1]
    if me < n - 1:
        shmem.signal_wait_until(below, ">=", step)
    else:
        plate[-1] = -plate[-2]
    change = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4 * inner
    inner += rate * change

exact = (np.exp(-2 * np.pi**2 * TIME) * np.sin(np.pi * x) * np.sin(np.pi * y)
         + 0.5 * np.exp(-13 * np.pi**2 * TIME) * np.sin(3 * np.pi * x) * np.sin(2 * np.pi * y))
error = shmem.array(np.abs(inner - exact).max())
shmem.max_reduce(error, error)
begun, ended = shmem.zeros((SIZE, SIZE)), shmem.zeros((SIZE, SIZE))
for whole, part in ((begun, shape), (ended, inner)):
    shmem.put(whole[me * rows:(me + 1) * rows], np.ascontiguousarray(part), 0)
shmem.barrier_all()
if me == 0:
    print(f"{n} PEs, {STEPS} steps: the largest error is {float(error):.1e}")
    if len(sys.argv) > 1:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plot
        figure, panels = plot.subplots(1, 2, figsize=(7, 3.4), sharey=True, layout="constrained")
        for panel, field, title in zip(panels, (begun, ended), ("at first", f"after {TIME} time units")):
            panel.imshow(field, origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=-0.25, vmax=1.25)
            for cut in range(1, n):
                panel.axhline(cut / n, color="white", linewidth=0.8, linestyle=":")
            panel.set(title=title, xlabel="x", ylabel="y" if panel is panels[0] else "")
        figure.colorbar(panels[0].images[0], ax=panels, label="temperature")
        figure.savefig(sys.argv[1], dpi=80)
