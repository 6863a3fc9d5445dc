# SPDX-License-Identifier: BSD-3-Clause
"""Atomic operations on the first element of a symmetric array on PE `pe`.

They exist for integers of 32 and 64 bits; set, fetch and swap also for float and double. Fetching operations return the
old value. The _nbi forms write it to `fetch`, which is valid after the next quiet.
"""

from __future__ import annotations

import enum
from typing import Any, Optional

from ._handles import Ctx, number_of
from ._in_flight import keep
from ._library import function
from ._rma import INT, POINTER
from ._types import ATOMIC, CTYPES, EXTENDED, NAMES, Memory, bitwise_name, memory, scalar


class AMO(str, enum.Enum):
    """Operations of atomic_op, atomic_fetch_op and atomic_fetch_op_nbi."""

    SET, INC, ADD, AND, OR, XOR = "set", "inc", "add", "and", "or", "xor"

    __str__ = str.__str__


AMO_SET, AMO_INC, AMO_ADD, AMO_AND, AMO_OR, AMO_XOR = AMO
_BITWISE = ("and", "or", "xor")
_EXTENDED = ("set", "fetch", "swap")


def _variable(name: str, target: Any, readonly: bool = False) -> tuple[Memory, str]:
    """The variable, and the name of its type in functions."""
    table = EXTENDED if name in _EXTENDED else ATOMIC
    found = memory(target, readonly, of=table)
    if found.count < 1:
        raise ValueError("the array is empty: expected at least one element")
    bitwise = name.removeprefix("fetch_") in _BITWISE
    return found, bitwise_name(found.dtype) if bitwise else NAMES[found.dtype.char]


def _call(name: str, target: Any, values: tuple, pe: int, ctx: Optional[Ctx], fetches: bool, readonly: bool = False):
    variable, stem = _variable(name, target, readonly)
    ctype = CTYPES[variable.dtype.char]
    call = function(f"shmem_ctx_{stem}_atomic_{name}", ctype if fetches else None, POINTER, POINTER,
                    *[ctype] * len(values), INT)
    return call(number_of(ctx), variable.address, *[scalar(v, variable.dtype) for v in values], pe)


def _call_nbi(name: str, fetch: Any, target: Any, values: tuple, pe: int, ctx: Optional[Ctx]) -> None:
    variable, stem = _variable(name, target, readonly=name == "fetch")
    old = memory(fetch, of=variable.dtype.char)
    ctype = CTYPES[variable.dtype.char]
    call = function(f"shmem_ctx_{stem}_atomic_{name}_nbi", None, POINTER, POINTER, POINTER, *[ctype] * len(values), INT)
    call(number_of(ctx), old.address, variable.address, *[scalar(v, variable.dtype) for v in values], pe)
    keep(number_of(ctx), old.array, variable.array)


def atomic_set(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Sets the variable to value."""
    _call("set", target, (value,), pe, ctx, False)


def atomic_inc(target: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Adds 1."""
    _call("inc", target, (), pe, ctx, False)


def atomic_add(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Adds value."""
    _call("add", target, (value,), pe, ctx, False)


def atomic_and(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise and with value."""
    _call("and", target, (value,), pe, ctx, False)


def atomic_or(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise or with value."""
    _call("or", target, (value,), pe, ctx, False)


def atomic_xor(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise exclusive or with value."""
    _call("xor", target, (value,), pe, ctx, False)


def atomic_fetch(source: Any, pe: int, ctx: Optional[Ctx] = None):
    """Returns the value."""
    return _call("fetch", source, (), pe, ctx, True, readonly=True)


def atomic_swap(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Sets the variable to value."""
    return _call("swap", target, (value,), pe, ctx, True)


def atomic_compare_swap(target: Any, cond: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Sets the variable to value if it equals cond."""
    return _call("compare_swap", target, (cond, value), pe, ctx, True)


def atomic_fetch_inc(target: Any, pe: int, ctx: Optional[Ctx] = None):
    """Adds 1."""
    return _call("fetch_inc", target, (), pe, ctx, True)


def atomic_fetch_add(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Adds value."""
    return _call("fetch_add", target, (value,), pe, ctx, True)


def atomic_fetch_and(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise and with value."""
    return _call("fetch_and", target, (value,), pe, ctx, True)


def atomic_fetch_or(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise or with value."""
    return _call("fetch_or", target, (value,), pe, ctx, True)


def atomic_fetch_xor(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise exclusive or with value."""
    return _call("fetch_xor", target, (value,), pe, ctx, True)


def atomic_fetch_nbi(fetch: Any, source: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch, completed by quiet."""
    _call_nbi("fetch", fetch, source, (), pe, ctx)


def atomic_swap_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_swap, completed by quiet."""
    _call_nbi("swap", fetch, target, (value,), pe, ctx)


def atomic_compare_swap_nbi(fetch: Any, target: Any, cond: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_compare_swap, completed by quiet."""
    _call_nbi("compare_swap", fetch, target, (cond, value), pe, ctx)


def atomic_fetch_inc_nbi(fetch: Any, target: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_inc, completed by quiet."""
    _call_nbi("fetch_inc", fetch, target, (), pe, ctx)


def atomic_fetch_add_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_add, completed by quiet."""
    _call_nbi("fetch_add", fetch, target, (value,), pe, ctx)


def atomic_fetch_and_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_and, completed by quiet."""
    _call_nbi("fetch_and", fetch, target, (value,), pe, ctx)


def atomic_fetch_or_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_or, completed by quiet."""
    _call_nbi("fetch_or", fetch, target, (value,), pe, ctx)


def atomic_fetch_xor_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_xor, completed by quiet."""
    _call_nbi("fetch_xor", fetch, target, (value,), pe, ctx)


def _values(op: AMO, value: Any) -> tuple:
    return () if op is AMO.INC else (value,)


def _fetching(op: AMO) -> str:
    return "swap" if op is AMO.SET else f"fetch_{op.value}"


def atomic_op(target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Performs the operation `op`, an AMO or its name. INC ignores value."""
    op = AMO(op)
    _call(op.value, target, _values(op, value), pe, ctx, False)


def atomic_fetch_op(target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None):
    """The fetching form of atomic_op."""
    op = AMO(op)
    return _call(_fetching(op), target, _values(op, value), pe, ctx, True)


def atomic_fetch_op_nbi(fetch: Any, target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_op, completed by quiet."""
    op = AMO(op)
    _call_nbi(_fetching(op), fetch, target, _values(op, value), pe, ctx)
