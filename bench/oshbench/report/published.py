"""Results of the papers. The machines and years differ, so only the shape of curves and ratios can be compared."""

LIBRARIES = {
    "about": "Evaluation of OpenSHMEM libraries on TACC Stampede (FDR InfiniBand). Its lesson: put and get differ by "
             "a third, collectives by 10 to 180 times, and applications follow the collectives.",
    "columns": ("", "UH", "MVAPICH2-X", "Scalable", "Open MPI"),
    "rows": (
        ("put 4 B, µs", 1.92, 1.47, 1.41, 1.83), ("put 64 KB, µs", 14.83, 13.24, 17.85, 18.54),
        ("get 4 B, µs", 2.07, 1.79, 2.31, 1.79), ("get 64 KB, µs", 15.2, 12.88, 16.84, 13.14),
        ("fetch_add, µs", 4.52, 3.04, 17.1, 25.74), ("reduce 4 B, 2048 PEs, µs", None, 25, 376, 384),
        ("broadcast 4 B, 2048 PEs, µs", None, 7, 145, 129), ("collect 4 B, 2048 PEs, µs", None, 74, 13649, 11704),
        ("barrier, 2048 PEs, µs", None, 83, 234, 316), ("memory, 4096 PEs, MB", 1658, 372, 439, 494),
        ("heat, 4096 PEs, s", 538, 19, 257, 361), ("DAXPY, 4096 PEs, s", 151, 29, 1594, 1776),
    ),
    # our case for each row
    "cases": {
        "put 4 B, µs": ("put", 4), "put 64 KB, µs": ("put", 65536), "get 4 B, µs": ("get", 4),
        "get 64 KB, µs": ("get", 65536), "fetch_add, µs": ("fetch_add", 8), "reduce 4 B, 2048 PEs, µs": ("sum", 8),
        "broadcast 4 B, 2048 PEs, µs": ("broadcast", 8), "collect 4 B, 2048 PEs, µs": ("collect", 8),
        "barrier, 2048 PEs, µs": ("barrier_all", 0), "memory, 4096 PEs, MB": ("memory.barrier.hwm", 0),
        "heat, 4096 PEs, s": ("app.heat_image.barrier", 0), "DAXPY, 4096 PEs, s": ("app.daxpy.barrier", 0),
    },
}
COLLECTIVES = {
    "about": "One-sided (Sandia's OpenSHMEM) against two-sided (OpenSHMEM over MPI) collectives, Omni-Path, up to 32 "
             "nodes. Two-sided ones were mostly faster. On a node at 32 PEs collect took a tenth of the time. Between "
             "nodes an alltoall of more than 16 PEs was four times as fast one-sided. With two PEs one-sided was "
             "never slower for collect, and on a node for broadcast, alltoall and reduce.",
}
THREADS = {
    "about": "SHMEM-MT on a Cray XC30 (cray-shmem 7.3.2): a change of protocol shows in the latency; four threads "
             "overtake one in bandwidth; message rates in halo exchange on 8 nodes. The text gives no numbers.",
}
PAPERS = {"libraries": LIBRARIES, "collectives": COLLECTIVES, "threads": THREADS}
