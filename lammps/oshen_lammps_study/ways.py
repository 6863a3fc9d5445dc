"""What is compared: LAMMPS with its own exchanges, and ours."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    name: str
    mode: str  # for OSHEN_LAMMPS
    modify: str = ""  # words for kspace_modify
    exact: bool = True  # moves data only: results equal those of MPI to the last digit

    @property
    def is_mpi(self):
        return self.mode == "off"


MPI = [
    Way("MPI", "off"),
    Way("MPI collective", "off", "collective yes"),
    Way("MPI nonblocking", "off", "nonblocking yes"),
]
AUTO = Way("Oshen remap", "auto")
FFT = Way("Oshen FFT", "fft", exact=False)


def strategy(name):
    return Way(f"Oshen {name}", name)


def baselines(runner):
    """The options of MPI that this version of LAMMPS has."""
    return [way for way in MPI if not way.modify or runner.knows(way.modify)]


def choose(words, runner):
    """Ways by name: mpi (all options that there are), auto, fft, or a strategy of exchange plans."""
    chosen = []
    for word in words:
        chosen += {"mpi": lambda: baselines(runner), "mpi-default": lambda: MPI[:1], "auto": lambda: [AUTO],
                   "fft": lambda: [FFT]}.get(word, lambda word=word: [strategy(word)])()
    return chosen
