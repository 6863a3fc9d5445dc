# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the library of plans, and the objects that it makes."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Optional, Sequence, TypeVar

from ._library import plans, require_started
from ._lifetime import clock


def call(name: str, result, kinds: Sequence, *arguments):
    """Calls a function of the library of plans."""
    function = getattr(plans(), name)
    function.restype, function.argtypes = result, list(kinds)
    return function(*arguments)


def checked(name: str, kinds: Sequence, *arguments) -> None:
    """Calls a function that returns a status, which is the same on all PEs of the group. Raises on errors."""
    status = call(name, ctypes.c_int, kinds, *arguments)
    if status:
        text = call("oshen_status_text", ctypes.c_char_p, [ctypes.c_int], status).decode()
        raise (MemoryError if status == 3 else ValueError)(f"{name}: {text}")


def described(name: str, handle: Any) -> str:
    text = ctypes.create_string_buffer(1024)
    call(name, ctypes.c_size_t, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t], handle, text, len(text))
    return text.value.decode()


Self = TypeVar("Self", bound="Owned")


class Owned:
    """An object of the library. destroy, or the end of a `with`, destroys it collectively."""

    DESTROY = ""

    def __init__(self, handle: Optional[int], *needs: "Owned"):
        self._handle, self._made, self._users = handle, clock.now, weakref.WeakSet[Owned]()
        for needed in needs:
            needed._users.add(self)

    @property
    def handle(self) -> int:
        """The handle. Raises: RuntimeError if the object is destroyed, or if the library was finalised."""
        require_started()
        if not self._handle or self._made != clock.now:
            raise RuntimeError(f"this {type(self).__name__} is destroyed")
        return self._handle

    def _exists(self) -> bool:
        return self._handle is not None and self._made == clock.now

    def destroy(self) -> None:
        """Frees the object. Further calls have no effect. Collective over its PEs.

        Raises: RuntimeError if something that exists needs it: plans a group, groups an arena
        """
        if self._exists():
            users = [type(user).__name__ for user in self._users if user._exists()]
            if users:
                raise RuntimeError(f"this {type(self).__name__} is in use: destroy {', '.join(sorted(users))} before")
            call(self.DESTROY, None, [ctypes.c_void_p], self.handle)
        self._handle = None

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.destroy()
