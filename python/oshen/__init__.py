# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM for Python: arrays on the symmetric heap, one-sided communication, collectives, plans, FFTs.

    from oshen import shmem

initialises the library, unless oshen.rc disables that. `oshrun -n 4 python program.py` starts the processes.
"""

import sys as _sys
from typing import Any as _Any, Optional as _Optional

__version__ = "0.1.0"


class Rc:
    """Options of `from oshen import shmem`; set them before the import.

    initialize    initialise the library (default: True)
    threads       request thread support (default: False)
    thread_level  its level: "multiple", "serialized", "funneled", "single"
    finalize      finalise the library at exit; None: if the import has initialised it
    """

    initialize: bool = True
    threads: bool = False
    thread_level: str = "multiple"
    finalize: _Optional[bool] = None

    def __call__(self, **options):
        """Sets several options."""
        for name in options:
            if not hasattr(self, name):
                raise TypeError(f"oshen.rc has no option {name!r}")
        for name, value in options.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if not hasattr(type(self), name):
            raise TypeError(f"oshen.rc has no option {name!r}")
        super().__setattr__(name, value)

    def __repr__(self):
        return f"<{__name__}.rc>"


rc = Rc()
_modules: _Any = _sys.modules
_modules[__name__ + ".rc"] = rc
