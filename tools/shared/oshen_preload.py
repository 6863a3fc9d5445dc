# SPDX-License-Identifier: BSD-3-Clause
"""A library's path as LD_PRELOAD takes it, which splits at spaces and colons."""
import contextlib
import os
import tempfile
from pathlib import Path


def is_odd(path):
    return any(c in str(path) for c in " \t\n:;")


@contextlib.contextmanager
def preloadable(library):
    """The path itself, or one through a link to its folder that is there as long as this context. The folder and not
    the file, as the library finds others from its own place."""
    library = Path(library)
    if not is_odd(library):
        yield library
        return
    usual = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix="oshen-", dir="/tmp" if is_odd(usual) else usual) as folder:
        link = Path(folder, "plugins")
        os.symlink(library.parent.resolve(), link)
        yield link / library.name
