# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM for Python: arrays on the symmetric heap, one-sided communication, collectives, plans, FFTs.

    from oshen import shmem

starts the library, unless oshen.rc says otherwise; `oshrun -n 4 python program.py` starts the processes.
"""

import sys as _sys
from typing import Optional

__version__ = "0.1.0"


class Rc:
    """What `from oshen import shmem` does; set before it.

    initialize    start the library (default: True)
    threads       ask for thread support (default: False)
    thread_level  which: "multiple", "serialized", "funneled", "single"
    finalize      end it at exit; None: if the import has started it
    """

    initialize: bool = True
    threads: bool = False
    thread_level: str = "multiple"
    finalize: Optional[bool] = None

    def __call__(self, **options):
        """Sets several at once."""
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
_sys.modules[__name__ + ".rc"] = rc
