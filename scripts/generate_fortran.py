# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran modules shmem and shmemx, made from spec/.

Every function of the C API whose types exist in Fortran becomes a bind(C) interface, which is private to the module, and
some procedures. The procedures accept variables of any rank, and counts of both usual kinds. They have the names of the C
functions and the generic names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product

from api_spec import Argument, Function, Spec, Type

# C's types that exist in Fortran. Unsigned types are represented by signed types of the same size.
KINDS = {"float": "real(c_float)", "double": "real(c_double)", "longdouble": "real(c_long_double)",
         "char": "character(kind=c_char, len=1)", "schar": "integer(c_signed_char)", "short": "integer(c_short)",
         "int": "integer(c_int)", "long": "integer(c_long)",
         "complexf": "complex(c_float_complex)", "complexd": "complex(c_double_complex)"}
# Types that the RMA tables of C lack: the functions for elements of this many bits move them.
MOVED = {"complexf": ("complex(c_float_complex)", "64"), "complexd": ("complex(c_double_complex)", "128"),
         "logical": ("logical(word)", "32")}
VALUES = {"double": "real(c_double)", "int": "integer(c_int)", "long": "integer(c_long)", "size_t": "integer(c_size_t)",
          "ptrdiff_t": "integer(c_ptrdiff_t)", "uint64_t": "integer(c_int64_t)"}
HANDLES = ("shmem_team_t", "shmem_ctx_t", "shmemx_request_t", "shmemx_graph_t", "shmemx_ct_t")
RECORDS = ("shmem_team_config_t", "shmem_ctx_session_config_t", "shmemx_edge_t", "shmemx_heap_info_t",
           "shmemx_init_attr_t")
COUNTS = ("long", "size_t", "ptrdiff_t")  # a caller may pass default integers
LISTS = ("status", "pes", "target_pes", "in", "out", "requests", "indices")  # arrays, besides counts and displs
# The templates have these by hand, because of strings and heap addresses.
BY_HAND = {"shmem_info_get_name", "shmem_pcontrol", "shmemx_pvar_get_name"}
# The template has procedures for these, because the order of axes differs. The interfaces of C are generated.
PROCEDURE_BY_HAND = re.compile(r"shmemx_(ctx_)?subarray_\w+")


@dataclass(frozen=True)
class Dummy:
    """One argument: its declarations in the C interface and in the module's procedure, and the way of passing it."""

    name: str
    c: str
    fortran: str
    handed: str
    wide: str = ""  # "count" or "signal": may also be of the default kind
    factor: str = ""  # by which a count is multiplied

    def narrow(self) -> "Dummy":
        kind = re.search(r"c_\w+", self.c)[0]
        return replace(self, fortran=f"integer(c_int), intent(in) :: {self.name}", handed=f"int({self.name}, {kind})")


def buffer(name: str, type: str, constant: bool) -> Dummy:
    intent = ", intent(in)" if constant else ""
    type = type.replace("len=1", "len=*")
    return Dummy(name, f"type(c_ptr), value :: {name}", f"{type}, target{intent} :: {name}(..)", f"at({name}, ROUTINE)")


def is_list(name: str) -> bool:
    return name in LISTS or name.endswith(("counts", "displs", "sizes", "starts", "extents"))


def pointed(base: str, name: str, constant: bool) -> Dummy:
    """An argument that is a pointer in C, but not to the elements that are moved."""
    type = VALUES.get(base) or f"type({base})"
    if name in ("sig_addr", "lock", "pSync"):
        return buffer(name, type, constant)
    optional = ", optional" if name in ("status", "config", "xaxis_config", "yaxis_config") and constant else ""
    shape = "(*)" if is_list(name) else ""
    intent = "in" if constant else "inout" if base in RECORDS or shape or base.endswith(("request_t", "ct_t")) else "out"
    text = f"{type}, intent({intent}){optional} :: {name}{shape}"
    return Dummy(name, text, text, name)


def dummy(function: Function, argument: Argument, element: str) -> Dummy:
    constant = argument.type.startswith("const ")
    base = argument.type.removeprefix("const ").rstrip(" *")
    name = argument.name
    element_type = function.type is not None and base == function.type.header
    if "*" not in argument.type:
        if element_type and name in ("value", "cond", "cmp_value"):
            return Dummy(name, f"{element}, value :: {name}", f"{element}, intent(in) :: {name}", name)
        type = VALUES.get(base) or f"type({base})"
        wide = "count" if base in COUNTS else "signal" if base == "uint64_t" else ""
        return Dummy(name, f"{type}, value :: {name}", f"{type}, intent(in) :: {name}", name, wide)
    if base == "void" and function.row.heading.startswith("Symmetric heap"):
        return Dummy(name, f"type(c_ptr), value :: {name}", f"type(c_ptr), intent(in) :: {name}", name)
    if base == "void":
        return buffer(name, "type(*)", constant)
    own = function.type and name in ("dest", "source", "fetch", "ivar", "ivars", "cmp_values", "pWrk")
    return buffer(name, element, constant) if own and element_type else pointed(base, name, constant)


def element_of(function: Function, types: dict[str, Type]) -> str:
    if not function.type:
        return ""
    return KINDS.get(function.type.base or function.type.stem, "")


def result_of(function: Function, element: str) -> str:
    if function.returns == "void":
        return ""
    if function.returns.endswith("*"):
        return "type(c_ptr)"
    if function.type and function.returns == function.type.header and function.row.returns == "TYPE":
        return element
    return VALUES[function.returns]


# ---------------------------------------------------------------- text

def statement(text: str, width: int = 120) -> str:
    """A statement, with continuation lines if it is too long."""
    lines, indent = [], re.match(" *", text)[0]
    while len(text) > width:
        cut = text.rfind(", ", 0, width - 2) + 1
        lines.append(text[:cut] + " &")
        text = indent + "    " + text[cut:].strip()
    return "\n".join([*lines, text])


def interface(function: Function, dummies: list[Dummy], result: str) -> str:
    """The interface of the C function, under a private name of the module."""
    what, names = ("function" if result else "subroutine"), ", ".join(d.name for d in dummies)
    head = statement(f"    {what} c_{function.name}({names}) bind(C, name=\"{function.name}\")" +
                     (" result(answer)" if result else ""))
    body = [f"      {statement(d.c)}" for d in dummies] + ([f"      {result} :: answer"] if result else [])
    return "\n".join([head, "      import", *body, f"    end {what}"])


def procedure(name: str, target: str, dummies: list[Dummy], result: str) -> str:
    what, names = ("function" if result else "subroutine"), ", ".join(d.name for d in dummies)
    handed = ", ".join(d.factor + d.handed for d in dummies)
    action = f"    answer = {target}({handed})" if result else f"    call {target}({handed})"
    action = action.replace("ROUTINE", f'"{target.removeprefix("c_")}"')
    return "\n".join([
        statement(f"  {what} {name}({names})" + (" result(answer)" if result else "")),
        *[f"    {d.fortran}" for d in dummies], *([f"    {result} :: answer"] if result else []),
        statement(action), f"  end {what}", ""])


def variants(dummies: list[Dummy]) -> list[tuple[str, list[Dummy]]]:
    """A suffix and the arguments for every combination of the kinds of counts and signals."""
    groups = [g for g in ("count", "signal") if any(d.wide == g for d in dummies)]
    found = []
    for choice in product((False, True), repeat=len(groups)):
        narrow = {g for g, short in zip(groups, choice) if short}
        suffix = "".join("4" if short else "8" for short in choice)
        found.append((suffix, [d.narrow() if d.wide in narrow else d for d in dummies]))
    return found


def moving_family(f: Function) -> tuple[str, str]:
    """The generic name of a function that moves untyped data, and its number of bits or "mem"."""
    if sized := re.fullmatch(r"shmem_(?:ctx_)?(i?b?(?:put|get))(\d+)(\w*)", f.name):
        return f"shmem_{sized[1]}{sized[3]}", sized[2]
    if whole := re.fullmatch(r"(shmem_(?:broadcast|f?collect|alltoall))mem", f.name):
        return whole[1], "mem"
    return "", ""


def as_moved(d: Dummy, type: str, bytes: int) -> Dummy:
    """The argument of an untyped function, changed into that of its form for a type."""
    if "type(*)" in d.fortran:
        return buffer(d.name, type, "intent(in)" in d.fortran)
    return replace(d, factor=f"{bytes} * ") if bytes and d.wide == "count" else d


class Module:
    """The parts of a module, gathered function by function."""

    def __init__(self, spec: Spec, status: str):
        self.types = {t.stem: t for t in spec.types}
        self.interfaces: list[str] = []
        self.procedures: list[str] = []
        self.generics: dict[str, list[str]] = {}
        functions = [f for f in spec.functions if f.row.status == status and f.name not in BY_HAND]
        # Skips functions for other names of a type in the table, which add only names.
        for f in functions:
            if f.type is None or self.chosen(f, functions):
                self.add(f)

    def chosen(self, f: Function, functions: list[Function]) -> bool:
        base = f.type.base or f.type.stem
        if base not in KINDS:
            return False
        same = [g for g in functions if g.row is f.row and g.on_context == f.on_context and
                (g.type.base or g.type.stem) == base]
        return same[0] is f or f.type.stem == base

    def add(self, f: Function) -> None:
        element = element_of(f, self.types)
        dummies = [dummy(f, a, element) for a in f.arguments]
        result = result_of(f, element)
        self.interfaces.append(interface(f, dummies, result))
        if PROCEDURE_BY_HAND.fullmatch(f.name):
            return
        self.publish(f.name, f, dummies, result, [f.name, f.row.generic])
        family, size = moving_family(f)
        for stem, (type, bits) in MOVED.items():
            if size in (bits, "mem"):
                moved = [as_moved(d, type, int(bits) // 8 if size == "mem" else 0) for d in dummies]
                self.publish(f"{f.name}_{stem}", f, moved, result, [family])

    def publish(self, stem: str, f: Function, dummies: list[Dummy], result: str, names: list[str]) -> None:
        for suffix, arguments in variants(dummies):
            name = f"f{suffix}_{stem}"
            self.procedures.append(procedure(name, f"c_{f.name}", arguments, result))
            for public in filter(None, dict.fromkeys(names)):
                self.generics.setdefault(public, []).append(name)

    def parts(self) -> dict[str, str]:
        blocks = []
        for name, procedures in self.generics.items():
            lines = "".join(f"    procedure {p}\n" for p in dict.fromkeys(procedures))
            blocks.append(f"  interface {name}\n{lines}  end interface\n  public :: {name}\n")
        return {"interfaces": "\n".join(self.interfaces), "generics": "\n".join(blocks),
                "procedures": "\n".join(self.procedures)}


def constants(spec: Spec) -> str:
    """The numeric constants as parameters; the template has the handles and the name of the library."""
    lines = []
    for c in spec.constants:
        if c.deprecated or c.name == "SHMEM_VENDOR_STRING" or "HANDLE" in c.value:
            continue
        name = c.name.replace("SHMEM_SIGNAL_", "SHMEM_SIGNAL_OP_")  # shmem_signal_set is a routine
        shift = re.fullmatch(r"\(1L << (\d+)\)", c.value)
        type, value = ("c_long", f"{1 << int(shift[1])}_c_long") if shift else ("c_int", c.value)
        about = f" ! {c.about}" if c.about else ""
        lines.append(f"  integer({type}), parameter, public :: {name} = {value}{about}")
    return "\n".join(lines)
