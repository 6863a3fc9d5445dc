# SPDX-License-Identifier: BSD-3-Clause
"""A path of a library for LD_PRELOAD, which splits its value at spaces and colons."""
import contextlib
import os
import tempfile
from pathlib import Path


def is_odd(path):
    return any(c in str(path) for c in " \t\n:;")


@contextlib.contextmanager
def preloadable(library):
    """The path itself, or a path through a link to its folder that exists as long as this context. The link is to the
    folder, because the library finds other files relative to its own path."""
    library = Path(library)
    if not is_odd(library):
        yield library
        return
    usual = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix="oshen-", dir="/tmp" if is_odd(usual) else usual) as folder:
        link = Path(folder, "plugins")
        os.symlink(library.parent.resolve(), link)
        yield link / library.name
