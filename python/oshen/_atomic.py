# SPDX-License-Identifier: BSD-3-Clause
"""Atomic operations on the first element of a symmetric array on PE `pe`.

They exist for integers of 32 and 64 bits; set, fetch and swap also for float and double. Fetching operations return the
old value. The _nbi forms write it to `fetch`, which is valid after the next quiet.
"""

from __future__ import annotations

import enum
from typing import Any, Optional

from ._checks import context, symmetric
from ._handles import Ctx
from ._in_flight import keep
from ._library import function
from ._rma import INT, POINTER
from ._types import ATOMIC, CTYPES, EXTENDED, NAMES, Memory, bitwise_name, enough, memory, scalar


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
    found = symmetric("target", memory(target, readonly, of=table))
    if found.count < 1:
        raise ValueError("the array is empty: expected at least one element")
    bitwise = name.removeprefix("fetch_") in _BITWISE
    return found, bitwise_name(found.dtype) if bitwise else NAMES[found.dtype.char]


def _call(name: str, target: Any, values: tuple, pe: int, ctx: Optional[Ctx], fetches: bool, readonly: bool = False):
    number = context(ctx, pe)
    variable, stem = _variable(name, target, readonly)
    ctype = CTYPES[variable.dtype.char]
    call = function(f"shmem_ctx_{stem}_atomic_{name}", ctype if fetches else None, POINTER, POINTER,
                    *[ctype] * len(values), INT)
    return call(number, variable.address, *[scalar(v, variable.dtype) for v in values], pe)


def _call_nbi(name: str, fetch: Any, target: Any, values: tuple, pe: int, ctx: Optional[Ctx]) -> None:
    number = context(ctx, pe)
    variable, stem = _variable(name, target, readonly=name == "fetch")
    old = memory(fetch, of=variable.dtype.char)
    enough("fetch", old.count, 1)
    ctype = CTYPES[variable.dtype.char]
    call = function(f"shmem_ctx_{stem}_atomic_{name}_nbi", None, POINTER, POINTER, POINTER, *[ctype] * len(values), INT)
    call(number, old.address, variable.address, *[scalar(v, variable.dtype) for v in values], pe)
    keep(number, old.array, variable.array)


def atomic_set(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Sets the variable to value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_set(word, 5, right)
    """
    _call("set", target, (value,), pe, ctx, False)


def atomic_inc(target: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Adds 1.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_inc(word, right)
    """
    _call("inc", target, (), pe, ctx, False)


def atomic_add(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Adds value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_add(word, 5, right)
    """
    _call("add", target, (value,), pe, ctx, False)


def atomic_and(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise and with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_and(word, 5, right)
    """
    _call("and", target, (value,), pe, ctx, False)


def atomic_or(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise or with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_or(word, 5, right)
    """
    _call("or", target, (value,), pe, ctx, False)


def atomic_xor(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Bitwise exclusive or with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_xor(word, 5, right)
    """
    _call("xor", target, (value,), pe, ctx, False)


def atomic_fetch(source: Any, pe: int, ctx: Optional[Ctx] = None):
    """Returns the value.

    Parameters:
        source: symmetric array; the variable is its first element on PE `pe`
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: value = shmem.atomic_fetch(word, right)
    """
    return _call("fetch", source, (), pe, ctx, True, readonly=True)


def atomic_swap(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Sets the variable to value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_swap(word, 5, right)
    """
    return _call("swap", target, (value,), pe, ctx, True)


def atomic_compare_swap(target: Any, cond: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Sets the variable to value if it equals cond.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        cond: the number that the variable must equal
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: was_free = shmem.atomic_compare_swap(word, 0, 1, right) == 0
    """
    return _call("compare_swap", target, (cond, value), pe, ctx, True)


def atomic_fetch_inc(target: Any, pe: int, ctx: Optional[Ctx] = None):
    """Adds 1.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: ticket = shmem.atomic_fetch_inc(word, 0)
    """
    return _call("fetch_inc", target, (), pe, ctx, True)


def atomic_fetch_add(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Adds value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_fetch_add(word, 5, right)
    """
    return _call("fetch_add", target, (value,), pe, ctx, True)


def atomic_fetch_and(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise and with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_fetch_and(word, 5, right)
    """
    return _call("fetch_and", target, (value,), pe, ctx, True)


def atomic_fetch_or(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise or with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_fetch_or(word, 5, right)
    """
    return _call("fetch_or", target, (value,), pe, ctx, True)


def atomic_fetch_xor(target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None):
    """Bitwise exclusive or with value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_fetch_xor(word, 5, right)
    """
    return _call("fetch_xor", target, (value,), pe, ctx, True)


def atomic_fetch_nbi(fetch: Any, source: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        source: symmetric array; the variable is its first element on PE `pe`
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_nbi(old, word, right)
        shmem.quiet()
    """
    _call_nbi("fetch", fetch, source, (), pe, ctx)


def atomic_swap_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_swap, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_swap_nbi(old, word, 5, right)
        shmem.quiet()
    """
    _call_nbi("swap", fetch, target, (value,), pe, ctx)


def atomic_compare_swap_nbi(fetch: Any, target: Any, cond: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_compare_swap, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        cond: the number that the variable must equal
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_compare_swap_nbi(old, word, 0, 1, right)
        shmem.quiet()
    """
    _call_nbi("compare_swap", fetch, target, (cond, value), pe, ctx)


def atomic_fetch_inc_nbi(fetch: Any, target: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_inc, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_inc_nbi(old, word, right)
        shmem.quiet()
    """
    _call_nbi("fetch_inc", fetch, target, (), pe, ctx)


def atomic_fetch_add_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_add, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_add_nbi(old, word, 5, right)
        shmem.quiet()
    """
    _call_nbi("fetch_add", fetch, target, (value,), pe, ctx)


def atomic_fetch_and_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_and, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_and_nbi(old, word, 5, right)
        shmem.quiet()
    """
    _call_nbi("fetch_and", fetch, target, (value,), pe, ctx)


def atomic_fetch_or_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_or, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_or_nbi(old, word, 5, right)
        shmem.quiet()
    """
    _call_nbi("fetch_or", fetch, target, (value,), pe, ctx)


def atomic_fetch_xor_nbi(fetch: Any, target: Any, value: Any, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_xor, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_xor_nbi(old, word, 5, right)
        shmem.quiet()
    """
    _call_nbi("fetch_xor", fetch, target, (value,), pe, ctx)


def _values(op: AMO, value: Any) -> tuple:
    return () if op is AMO.INC else (value,)


def _fetching(op: AMO) -> str:
    return "swap" if op is AMO.SET else f"fetch_{op.value}"


def atomic_op(target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None) -> None:
    """Performs the operation `op`, an AMO or its name. INC ignores value.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        op: an AMO or its name, such as "add"
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: shmem.atomic_op(word, 5, shmem.AMO_ADD, right)
    """
    op = AMO(op)
    _call(op.value, target, _values(op, value), pe, ctx, False)


def atomic_fetch_op(target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None):
    """The fetching form of atomic_op.

    Parameters:
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        op: an AMO or its name, such as "add"
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Returns: the old value
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example: old = shmem.atomic_fetch_op(word, 5, "xor", right)
    """
    op = AMO(op)
    return _call(_fetching(op), target, _values(op, value), pe, ctx, True)


def atomic_fetch_op_nbi(fetch: Any, target: Any, value: Any, op: str, pe: int, ctx: Optional[Ctx] = None) -> None:
    """atomic_fetch_op, completed by quiet.

    Parameters:
        fetch: array whose first element becomes the old value, after quiet; need not be symmetric
        target: symmetric array; the variable is its first element on PE `pe`
        value: a number, converted to the type of the elements
        op: an AMO or its name, such as "add"
        pe: the PE of the job, or of the context's team
        ctx: the context; CTX_DEFAULT if None
    Raises: ValueError, TypeError for a wrong PE, type or array; RuntimeError for an invalid context or before init
    Example:
        shmem.atomic_fetch_op_nbi(old, word, 5, "add", right)
        shmem.quiet()
    """
    op = AMO(op)
    _call_nbi(_fetching(op), fetch, target, _values(op, value), pe, ctx)
