# SPDX-License-Identifier: BSD-3-Clause
"""Every public name has a docstring with its parameters, result, exceptions and an example, and the examples run."""

import enum
import inspect
import textwrap
import unittest

import numpy as np

from oshen import exchange, fft, mpi, shmem

NOT_RUN = ("init", "init_thread", "finalize", "global_exit")  # they begin or end the library
WITHOUT_MISTAKES = ("info_get_version", "info_get_name", "initialized", "init", "global_exit", "pcontrol", "Elements", "strategies")


def public(module):
    """The functions and classes that a module defines, and those of its private parts."""
    for name, what in vars(module).items():
        own = module in (shmem, exchange) or getattr(what, "__module__", None) == module.__name__
        if own and not name.startswith("_") and (inspect.isfunction(what) or inspect.isclass(what)):
            yield name, what


def documented():
    """Pairs of a name and what bears it: functions, classes, and methods of classes."""
    for module in (shmem, exchange, fft):
        for name, what in public(module):
            if inspect.isfunction(what):
                yield name, what
            elif not issubclass(what, (enum.Enum, tuple)) and not what.__name__ in ("Box", "Message", "Need"):
                yield name, what
                yield from ((f"{name}.{each}", found) for each, found in inspect.getmembers(what, inspect.isfunction)
                            if not each.startswith("_") and each not in ("of", "of_new", "constants"))
    yield "mpi.init", mpi.init


def section(text, name):
    """The lines of a section, without their indentation; None if there is none."""
    lines = text.split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith(f"{name}:")), None)
    if at is None:
        return None
    rest = [line for line in lines[at + 1:] + ["end"]]
    end = next(i for i, line in enumerate(rest) if line and not line.startswith(" "))
    first = lines[at][len(name) + 1:].strip()
    return "\n".join([first] * bool(first) + [textwrap.dedent("\n".join(rest[:end]))]).strip("\n")


class Docstrings(unittest.TestCase):
    def test_every_name_has_all_sections(self):
        count = 0
        for name, what in documented():
            text = inspect.getdoc(what) or ""
            signature = inspect.signature(what)
            parameters = [each for each in signature.parameters if each != "self"]
            with self.subTest(name=name):
                described = section(text, "Parameters") or ""
                told = [line.split(":")[0] for line in described.split("\n") if line and not line.startswith(" ")]
                self.assertEqual(told, parameters, text)
                result = "None" if inspect.isclass(what) else str(signature.return_annotation)
                self.assertEqual(section(text, "Returns") is not None, result not in ("None",), f"{name}: {text}")
                if name.split(".")[-1] not in WITHOUT_MISTAKES:
                    self.assertIsNotNone(section(text, "Raises"), text)
                if "." not in name:
                    self.assertIsNotNone(section(text, "Example"), text)
            count += 1
        self.assertGreater(count, 140)

    def test_the_examples_run(self):
        n, me = shmem.n_pes(), shmem.my_pe()
        names = {"shmem": shmem, "exchange": exchange, "fft": fft, "np": np, "right": (me + 1) % n, "left": (me - 1) % n,
                 "field": np.zeros((4, 6)), "old": np.zeros(1, int)}
        arrays = {"target": shmem.ones(4), "word": shmem.zeros(1, int), "words": shmem.zeros(2, int), "large": shmem.zeros(n, int),
                  "other": shmem.zeros(n, int), "signal": shmem.new_signal(), "lock": shmem.new_lock()}
        for name, what in documented():
            example = section(inspect.getdoc(what) or "", "Example")
            if example and name not in NOT_RUN:
                with self.subTest(name=name):
                    for array in arrays.values():
                        array[...] = 0
                    shmem.barrier_all()
                    exec(compile(example, name, "exec"), {**names, **arrays})
                    shmem.barrier_all()
        for array in arrays.values():
            shmem.free(array)


if __name__ == "__main__":
    unittest.main()
