"""Summaries of samples."""
from statistics import median, quantiles

FEWEST = 3  # rounds that a speed-up needs


def spread(values):
    """Median, lower and upper quartile; for fewer than three values the least and the largest instead of quartiles."""
    if len(values) < 3:
        return {"median": median(values), "low": min(values), "high": max(values)}
    low, _, high = quantiles(values, n=4, method="inclusive")
    return {"median": median(values), "low": low, "high": high}


def fastest_mpi(point, part):
    """The MPI variant with the least median of a part."""
    mpi = [name for name, variant in point["ways"].items() if variant["mpi"]]
    return min(mpi, key=lambda name: median(s[part] for s in point["ways"][name]["samples"]))


def speed_up(point, name, part):
    """The fastest MPI variant relative to this one, by round, because both run directly after one another."""
    best = point["ways"][fastest_mpi(point, part)]["samples"]
    own = point["ways"][name]["samples"]
    return spread([b[part] / o[part] for b, o in zip(best, own)])


def share(point, name):
    """Percent of the loop: LAMMPS' own communication, and FFTs with their remaps."""
    samples = point["ways"][name]["samples"]
    return {part: median(100 * s[part] / s["loop"] for s in samples) for part in ("comm", "remap", "fft")}


PARTS = ("wall", "setup", "loop", "kspace", "fft", "remap")


def speed_ups(point, name):
    """Speed-ups of the parts that can be compared; none from fewer than three rounds. A variant that does whole FFTs
    has other remaps than MPI."""
    if len(point["ways"][name]["samples"]) < FEWEST:
        return {}
    parts = PARTS if point["ways"][name]["exact"] else PARTS[:-1]
    ran = [p for p in parts if all(s[p] > 0 for w in point["ways"].values() for s in w["samples"])]
    return {part: speed_up(point, name, part) for part in ran}


def summary(point):
    """The summary of one point."""
    variants = {}
    for name, variant in point["ways"].items():
        variants[name] = {**{part: spread([s[part] for s in variant["samples"]]) for part in PARTS},
                          **{key: variant[key] for key in ("mpi", "exact", "strategies", "error")},
                          "speed_up": speed_ups(point, name), "share": share(point, name)}
    return {"ranks": point["ranks"], "atoms": point["atoms"], "ways": variants,
            "fastest_mpi": {part: fastest_mpi(point, part) for part in PARTS}}
