"""The variants that are compared: LAMMPS with its own exchanges, and with the accelerator."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    name: str
    mode: str  # value of OSHEN_LAMMPS
    modify: str = ""  # words for kspace_modify
    exact: bool = True  # moves data only: results equal those of MPI to the last digit

    @property
    def is_mpi(self):
        return self.mode == "off"


MPI = [
    Variant("MPI", "off"),
    Variant("MPI collective", "off", "collective yes"),
    Variant("MPI nonblocking", "off", "nonblocking yes"),
]
AUTO = Variant("Oshen remap", "auto")
FFT = Variant("Oshen FFT", "fft", exact=False)
BEST = Variant("Oshen best", "best", exact=False)


def strategy(name):
    return Variant(f"Oshen {name}", name)


def baselines(runner):
    """The MPI variants that this version of LAMMPS supports."""
    return [variant for variant in MPI if not variant.modify or runner.knows(variant.modify)]


def choose(words, runner):
    """Variants by name: mpi (all that LAMMPS supports), auto, fft, best, or a strategy of exchange plans."""
    chosen = []
    for word in words:
        chosen += {"mpi": lambda: baselines(runner), "mpi-default": lambda: MPI[:1], "auto": lambda: [AUTO],
                   "fft": lambda: [FFT], "best": lambda: [BEST]}.get(word, lambda word=word: [strategy(word)])()
    return chosen
